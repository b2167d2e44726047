/* explain.c -- semantic roles: which roles of a predicate the energy wants together or apart, next
 * to how often they occur together. */
#include <math.h>
#include <string.h>

#include "task/roles/data.h"
#include "tasks/tag/explain.h"

enum { WORDS = 4000 }; /* examined: two products for each role */

/* Roles that a span may begin with, and their tags "B-...". */
typedef struct {
    int32_t      n;
    int32_t     *tag;  /* [n] */
    const char **name; /* [n] */
} begins;

static basin_status find_roles(bs_explanation *e, begins *out, basin_error *err)
{
    const bs_names *tags = &bs_preprocess_tag(&e->m->known)->lexicon.tags;
    *out = (begins){.tag = bs_arena_alloc(&e->arena, ((size_t)tags->n + 1) * sizeof *out->tag),
                    .name = bs_arena_alloc(&e->arena, ((size_t)tags->n + 1) * sizeof *out->name)};
    if (!out->tag || !out->name)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < tags->n; i++) {
        const char *text = tags->item[i].text;
        if (strncmp(text, "B-", 2) != 0 || strcmp(text + 2, BS_ROLE_VERB) == 0)
            continue;
        out->tag[out->n] = i;
        out->name[out->n++] = text + 2;
    }
    return BASIN_OK;
}

/* ---- interaction ---- */

typedef struct {
    const bs_batch *b;
    const int32_t  *length; /* [n] */
    int32_t         n;
    size_t          T, N;
    real           *y, *v; /* [rows, T, N] */
    const float    *sign;  /* [rows, T]; NULL: all 1 */
} batch;

/* Sums over all pairs of words, or with random signs over the pairs of a word with itself. */
static basin_status add_product(bs_explanation *e, const batch *x, const begins *r, int32_t role,
                                double factor, double *sum, basin_error *err)
{
    const size_t N = x->N;
    const real  *hv;
    for (size_t i = 0; i < (size_t)x->n; i++)
        for (size_t t = 0; t < (size_t)x->length[i]; t++)
            x->v[(i * x->T + t) * N + (size_t)r->tag[role]] =
                x->sign ? (real)x->sign[i * x->T + t] : 1;
    basin_status s = bs_energy_probe_product(e->probe, x->b, x->y, x->v, &hv, err);
    for (size_t i = 0; i < (size_t)x->n && !s; i++)
        for (size_t t = 0; t < (size_t)x->length[i]; t++)
            for (int32_t k = 0; k < r->n; k++)
                sum[(size_t)k * (size_t)r->n + (size_t)role] +=
                    factor * (x->sign ? (double)x->sign[i * x->T + t] : 1) *
                    (double)hv[(i * x->T + t) * N + (size_t)r->tag[k]];
    for (size_t i = 0; i < (size_t)x->n; i++)
        for (size_t t = 0; t < x->T; t++)
            x->v[(i * x->T + t) * N + (size_t)r->tag[role]] = 0;
    return s ? s : bs_task_go_on(e->stop, err);
}

static basin_status add_batch(bs_explanation *e, batch *x, const begins *r, const float *sign,
                              double *sum, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int32_t role = 0; role < r->n && !s; role++) {
        x->sign = NULL;
        s = add_product(e, x, r, role, 1, sum, err);
        x->sign = sign;
        if (!s)
            s = add_product(e, x, r, role, -1, sum, err);
    }
    return s;
}

static basin_status take_batch(bs_explanation *e, bs_scorer *scorer, bs_batches *f,
                               const int32_t *order, int32_t n, const begins *r, bs_rng *rng,
                               double *sum, basin_error *err)
{
    const bs_batch *b = f->rows(f, order, n);
    const size_t    R = (size_t)b->size.rows, T = (size_t)b->size.length, N = (size_t)e->names;
    const int32_t  *start = bs_dataset_tag(&e->data)->start;
    int32_t        *length = bs_calloc((size_t)n, sizeof *length);
    float          *sign = bs_calloc(R * T, sizeof *sign);
    bs_scored       found;
    batch           x = {.b = b, .n = n, .T = T, .N = N, .length = length};
    x.y = bs_calloc(R * T * N, sizeof *x.y);
    x.v = bs_calloc(R * T * N, sizeof *x.v);
    basin_status s =
        x.y && x.v && sign && length ? bs_scorer_batch(scorer, b, &found, err) : bs_fail_nomem(err);
    if (!s) {
        memcpy(x.y, found.y, R * T * N * sizeof *x.y);
        for (size_t i = 0; i < R * T; i++)
            sign[i] = bs_rng_bits(rng) & 1 ? 1 : -1;
        for (int32_t i = 0; i < n; i++) {
            length[i] = start[order[i] + 1] - start[order[i]];
            e->pairs.places += (int64_t)length[i] * (length[i] - 1);
        }
        s = add_batch(e, &x, r, sign, sum, err);
    }
    bs_free(x.y);
    bs_free(x.v);
    bs_free(sign);
    bs_free(length);
    return s;
}

static basin_status interact(bs_explanation *e, bs_scorer *scorer, const begins *r, double *sum,
                             basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(&e->data);
    bs_batches      *f = NULL;
    bs_rng           rng = bs_rng_make(0, 0, 0);
    int32_t          n = 0, rows = 0;
    const int32_t    every = c->tokens > WORDS ? (c->tokens + WORDS - 1) / WORDS : 1;
    int32_t         *order = bs_arena_alloc(&e->arena, ((size_t)c->sentences + 1) * sizeof *order);
    basin_status s = order ? bs_by_length(c->start, c->sentences, order, err) : bs_fail_nomem(err);
    for (int32_t i = every / 2; i < c->sentences && !s; i += every)
        order[rows++] = order[i];
    if (!s)
        s = bs_batches_tag_all(&e->data, &e->m->known, &e->m->spec, BS_TAG_SENTENCES, &f, err);
    for (int32_t at = 0; at < rows && !s; at += n) {
        n = f->fits(f, order + at, rows - at);
        s = take_batch(e, scorer, f, order + at, n, r, &rng, sum, err);
    }
    if (f)
        f->free(f);
    return s;
}

/* ---- what the truth has ---- */

/* In how many rows role i and role j occur together; i with itself: more than once. The diagonal
 * of counts is that of single roles. */
static basin_status count_together(bs_explanation *e, const begins *r, basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(&e->all);
    const int32_t    n = r->n;
    bs_tag_truth     truth = {0};
    int32_t         *of = bs_arena_alloc(&e->arena, ((size_t)e->names + 1) * sizeof *of);
    uint8_t         *has = bs_arena_alloc(&e->arena, (size_t)n + 1);
    basin_status     s =
        of && has ? bs_tag_truth_make(c, &bs_preprocess_tag(&e->m->known)->lexicon, &truth, err)
                      : bs_fail_nomem(err);
    for (int32_t i = 0; i < e->names && !s; i++)
        of[i] = -1;
    for (int32_t i = 0; i < n && !s; i++)
        of[r->tag[i]] = i;
    for (int32_t row = 0; row < c->sentences && !s; row++) {
        memset(has, 0, (size_t)n);
        for (int32_t t = c->start[row]; t < c->start[row + 1]; t++) {
            const int32_t tag = truth.gold[t];
            if (tag >= 0 && tag < e->names && of[tag] >= 0)
                has[of[tag]] = 1;
        }
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j < n; j++)
                e->pairs.count[(size_t)i * (size_t)n + (size_t)j] += has[i] && has[j];
    }
    bs_tag_truth_free(&truth);
    return s;
}

static basin_status look(bs_explanation *e, basin_error *err)
{
    bs_explained_pairs *p = &e->pairs;
    bs_scorer          *scorer = NULL;
    begins              r;
    basin_status        s = find_roles(e, &r, err);
    if (s)
        return s;
    p->n = r.n;
    p->differences = bs_net_spec_tag(&e->m->spec)->energy->terms != NULL;
    p->moves_local = p->moves_shared = (double)NAN;
    p->interaction = bs_explain_matrix(e, p->n, p->n);
    p->count = bs_explain_matrix(e, p->n, p->n);
    if (!p->interaction || !p->count)
        return bs_fail_nomem(err);
    s = bs_explain_scorer(e, &scorer, err);
    if (!s)
        s = interact(e, scorer, &r, p->interaction, err);
    bs_scorer_free(scorer);
    for (size_t i = 0; i < (size_t)p->n * (size_t)p->n; i++)
        p->interaction[i] /= p->places > 0 ? -(double)p->places : 1;
    if (!s)
        s = count_together(e, &r, err);
    e->name = r.name;
    e->names = r.n;
    if (!s)
        s = bs_explain_compare(e, bs_dataset_tag(&e->all)->sentences, err);
    return s;
}

static basin_status row(bs_explanation *e, basin_error *err)
{
    const char *const *name = e->name;
    const int32_t      names = e->names;
    basin_status       s = bs_explain_tag_names(e, err);
    if (!s)
        s = bs_explain_tag_row(e, err);
    e->name = name;
    e->names = names;
    return s;
}

const bs_task_explain bs_task_explain_roles = {.rows = 1000,
                                               .labelled = bs_explain_tag_labelled,
                                               .names = bs_explain_tag_names,
                                               .look = look,
                                               .row = row};
