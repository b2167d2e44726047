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
    bs_explanation *e;
    const begins   *r;
} interacting;

/* Sums over all pairs of words, or with random signs over the pairs of a word with itself. */
static basin_status add_product(const interacting *to, const bs_tag_probe *x, int32_t role,
                                bool signs, basin_error *err)
{
    const begins *r = to->r;
    const size_t  N = x->N;
    double       *sum = to->e->pairs.interaction;
    const real   *hv;
    for (size_t i = 0; i < (size_t)x->n; i++)
        for (size_t t = 0; t < (size_t)x->length[i]; t++)
            x->v[(i * x->T + t) * N + (size_t)r->tag[role]] =
                signs ? (real)x->sign[i * x->T + t] : 1;
    basin_status s = bs_energy_probe_product(to->e->probe, x->b, x->y, x->v, &hv, err);
    for (size_t i = 0; i < (size_t)x->n && !s; i++)
        for (size_t t = 0; t < (size_t)x->length[i]; t++)
            for (int32_t k = 0; k < r->n; k++)
                sum[(size_t)k * (size_t)r->n + (size_t)role] +=
                    (signs ? -(double)x->sign[i * x->T + t] : 1) *
                    (double)hv[(i * x->T + t) * N + (size_t)r->tag[k]];
    for (size_t i = 0; i < (size_t)x->n; i++)
        for (size_t t = 0; t < x->T; t++)
            x->v[(i * x->T + t) * N + (size_t)r->tag[role]] = 0;
    return s ? s : bs_task_go_on(to->e->stop, err);
}

static basin_status add_batch(void *ctx, const bs_tag_probe *x, basin_error *err)
{
    const interacting *to = ctx;
    basin_status       s = BASIN_OK;
    for (int32_t i = 0; i < x->n; i++)
        to->e->pairs.places += (int64_t)x->length[i] * (x->length[i] - 1);
    for (int32_t role = 0; role < to->r->n && !s; role++) {
        s = add_product(to, x, role, false, err);
        if (!s)
            s = add_product(to, x, role, true, err);
    }
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
    p->interaction = bs_explain_matrix(e, p->n, p->n);
    p->count = bs_explain_matrix(e, p->n, p->n);
    if (!p->interaction || !p->count)
        return bs_fail_nomem(err);
    s = bs_explain_scorer(e, &scorer, err);
    const bs_inquiry q = bs_explain_inquiry(e, scorer);
    if (!s)
        s = bs_tag_probe_all(&q, WORDS, add_batch, &(interacting){e, &r}, err);
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
