/* explain.c -- tag sequences: how a tag depends on the one before it, and what the energy says
 * about the tokens of one sentence. */
#include <math.h>
#include <string.h>

#include "tasks/tag/explain.h"
#include "task/tag/data.h"

enum {
    STRIDE = 3,   /* distance of the positions that one product asks about */
    TOKENS = 600, /* tokens examined for energies with language models, whose products are slow */
};

bool bs_explain_tag_labelled(const bs_dataset *p)
{
    return bs_dataset_tag(p)->labelled;
}

basin_status bs_explain_tag_names(bs_explanation *e, basin_error *err)
{
    const bs_names *tags = &bs_preprocess_tag(&e->m->known)->lexicon.tags;
    const char    **name = bs_arena_alloc(&e->arena, ((size_t)tags->n + 1) * sizeof *name);
    if (!name)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < tags->n; i++)
        name[i] = tags->item[i].text;
    e->name = name;
    e->names = tags->n;
    return BASIN_OK;
}

static bool has_terms(const bs_net_spec *s)
{
    return bs_net_spec_tag(s)->energy->terms != NULL;
}

/* Language models of tags are fused LSTMs, which can be differentiated only once. */
bs_hvp_kind bs_explain_tag_products(const bs_net_spec *s)
{
    return has_terms(s) ? BS_HVP_CENTRAL : BS_HVP_EXACT;
}

/* ---- interaction ---- */

typedef struct {
    const bs_batch *b;
    const int32_t  *length; /* [sentences] */
    int32_t         n;      /* sentences; rows after them are padding */
    size_t          T, N;
    real           *y, *v; /* [rows, T, N] */
    float          *sign;  /* [rows, T] */
} batch;

static void put_direction(const batch *x, size_t phase, size_t tag, bool there)
{
    for (size_t r = 0; r < (size_t)x->n; r++)
        for (size_t t = phase; t < (size_t)x->length[r]; t += STRIDE)
            x->v[(r * x->T + t) * x->N + tag] = there ? (real)x->sign[r * x->T + t] : 0;
}

/* Column `tag` of d2E / dy_{t-1} dy_t, summed over the positions that the direction asks about.
 * Random signs cancel interactions between positions further apart. */
static void add_column(const batch *x, size_t phase, size_t tag, const real *hv, double *sum)
{
    for (size_t r = 0; r < (size_t)x->n; r++)
        for (size_t t = phase; t < (size_t)x->length[r]; t += STRIDE)
            for (size_t a = 0; a < x->N && t > 0; a++)
                sum[a * x->N + tag] +=
                    (double)x->sign[r * x->T + t] * (double)hv[(r * x->T + t - 1) * x->N + a];
}

static basin_status add_batch(bs_explanation *e, const batch *x, double *sum, basin_error *err)
{
    basin_status s = BASIN_OK;
    const real  *hv;
    memset(x->v, 0, (size_t)x->b->size.rows * x->T * x->N * sizeof *x->v);
    for (size_t phase = 0; phase < STRIDE && !s; phase++)
        for (size_t tag = 0; tag < x->N && !s; tag++) {
            put_direction(x, phase, tag, true);
            s = bs_energy_probe_product(e->probe, x->b, x->y, x->v, &hv, err);
            if (!s)
                add_column(x, phase, tag, hv, sum);
            put_direction(x, phase, tag, false);
            if (!s)
                s = bs_explain_go_on(e, err);
        }
    return s;
}

/* The model's outputs for the next sentences, and their derivatives there. */
static basin_status take_batch(bs_explanation *e, bs_scorer *scorer, bs_batches *f,
                               const int32_t *order, int32_t n, bs_rng *rng, double *sum,
                               basin_error *err)
{
    const bs_batch *b = f->rows(f, order, n);
    const size_t    R = (size_t)b->size.rows, T = (size_t)b->size.length, N = (size_t)e->names;
    batch           x = {.b = b, .n = n, .T = T, .N = N};
    int32_t        *length = bs_calloc((size_t)n, sizeof *length);
    const int32_t  *start = bs_dataset_tag(&e->data)->start;
    bs_scored       found;
    x.y = bs_calloc(R * T * N, sizeof *x.y);
    x.v = bs_calloc(R * T * N, sizeof *x.v);
    x.sign = bs_calloc(R * T, sizeof *x.sign);
    x.length = length;
    basin_status s = x.y && x.v && x.sign && length ? bs_scorer_batch(scorer, b, &found, err)
                                                    : bs_fail_nomem(err);
    if (!s) {
        memcpy(x.y, found.y, R * T * N * sizeof *x.y);
        for (size_t i = 0; i < R * T; i++)
            x.sign[i] = bs_rng_bits(rng) & 1 ? 1 : -1;
        for (int32_t i = 0; i < n; i++) {
            length[i] = start[order[i] + 1] - start[order[i]];
            e->pairs.places += length[i] > 1 ? length[i] - 1 : 0;
        }
        s = add_batch(e, &x, sum, err);
    }
    bs_free(x.y);
    bs_free(x.v);
    bs_free(x.sign);
    bs_free(length);
    return s;
}

/* Sentences by length; for slow energies some of them, from all over the data. */
static basin_status choose_sentences(const bs_explanation *e, int32_t *order, int32_t *n,
                                     basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(&e->data);
    basin_status     s = bs_by_length(c->start, c->sentences, order, err);
    *n = c->sentences;
    if (s || !has_terms(&e->m->spec) || c->tokens <= TOKENS)
        return s;
    const int32_t every = (c->tokens + TOKENS - 1) / TOKENS;
    *n = 0;
    for (int32_t i = every / 2; i < c->sentences; i += every)
        order[(*n)++] = order[i];
    return s;
}

static basin_status interact(bs_explanation *e, bs_scorer *scorer, double *sum, basin_error *err)
{
    const bs_model_file *m = e->m;
    bs_batches          *f = NULL;
    bs_rng               rng = bs_rng_make(0, 0, 0);
    int32_t              sentences = 0, n = 0;
    int32_t     *order = bs_arena_alloc(&e->arena, ((size_t)e->data.rows + 1) * sizeof *order);
    basin_status s = order ? choose_sentences(e, order, &sentences, err) : bs_fail_nomem(err);
    if (!s)
        s = bs_batches_tag_all(&e->data, &m->known, &m->spec, BS_TAG_SENTENCES, &f, err);
    for (int32_t at = 0; at < sentences && !s; at += n) {
        n = f->fits(f, order + at, sentences - at);
        s = take_batch(e, scorer, f, order + at, n, &rng, sum, err);
    }
    if (f)
        f->free(f);
    return s;
}

/* How often tag j follows tag i in the truth. */
static basin_status count_transitions(bs_explanation *e, basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(&e->all);
    const int32_t    N = e->names;
    bs_tag_truth     truth = {0};
    basin_status s = bs_tag_truth_make(c, &bs_preprocess_tag(&e->m->known)->lexicon, &truth, err);
    for (int32_t i = 0; i < c->sentences && !s; i++)
        for (int32_t t = c->start[i] + 1; t < c->start[i + 1]; t++) {
            const int32_t a = truth.gold[t - 1], b = truth.gold[t];
            if (a >= 0 && a < N && b >= 0 && b < N)
                e->pairs.count[(size_t)a * (size_t)N + (size_t)b] += 1;
        }
    bs_tag_truth_free(&truth);
    return s;
}

basin_status bs_explain_tag_scorer(const bs_explanation *e, bs_scorer **out, basin_error *err)
{
    bs_inference how;
    basin_status s = bs_model_file_inference(e->m, NULL, false, &how, err);
    *out = NULL;
    return s ? s : bs_scorer_new(e->w, e->m->params, &e->m->spec, &how, out, err);
}

static basin_status look(bs_explanation *e, basin_error *err)
{
    bs_explained_pairs *p = &e->pairs;
    bs_scorer          *scorer = NULL;
    p->n = e->names;
    p->ordered = true;
    p->differences = has_terms(&e->m->spec);
    p->interaction = bs_explain_matrix(e, p->n, p->n);
    p->count = bs_explain_matrix(e, p->n, p->n);
    if (!p->interaction || !p->count)
        return bs_fail_nomem(err);
    basin_status s = bs_explain_tag_scorer(e, &scorer, err);
    if (!s)
        s = interact(e, scorer, p->interaction, err);
    bs_scorer_free(scorer);
    for (size_t i = 0; i < (size_t)p->n * (size_t)p->n; i++)
        p->interaction[i] /= p->places > 0 ? -(double)p->places : 1;
    if (!s)
        s = count_transitions(e, err);
    if (!s)
        s = bs_explain_compare(e, 0, err);
    return s;
}

/* ---- one sentence ---- */

/* The energy of a sequence of tags; NaN where one is unknown to the model. */
static basin_status energy_of(bs_explanation *e, const bs_batch *b, const int32_t *tag, real *y,
                              double *out, basin_error *err)
{
    const size_t n = (size_t)bs_dataset_tag(&e->one)->tokens, N = (size_t)e->names;
    const real  *energy;
    *out = NAN;
    memset(y, 0, (size_t)b->size.length * N * sizeof *y);
    for (size_t t = 0; t < n; t++) {
        if (tag[t] < 0 || tag[t] >= e->names)
            return BASIN_OK;
        y[t * N + (size_t)tag[t]] = 1;
    }
    basin_status s = bs_energy_probe_energy(e->probe, b, y, &energy, err);
    if (!s)
        *out = (double)energy[0];
    return s;
}

/* The energy of each token: of its tag by itself, and with its neighbours: W[before][tag], after
 * the last token also W[tag][end]; start and end are number N. W is NULL for energies without. */
static void fill_terms(bs_explanation *e, const bs_outputs *y, const real *unary, const real *W)
{
    const bs_corpus *c = bs_dataset_tag(&e->one);
    const int32_t   *tag = bs_outputs_tag(y)->tag;
    const size_t     N = (size_t)e->names;
    for (int32_t t = 0; t < c->tokens; t++) {
        const size_t k = (size_t)tag[t], before = t > 0 ? (size_t)tag[t - 1] : N;
        const bool   last = t == c->tokens - 1;
        const real   into = W ? W[before * (N + 1) + k] : 0;
        const real   end = W && last ? W[k * (N + 1) + N] : 0;
        e->row.term[t] =
            (bs_explained_term){.name = c->words.item[c->word[t]].text,
                                .truth = c->tag[t] < 0 ? NULL : c->tags.item[c->tag[t]].text,
                                .predicted = e->name[k],
                                .probability = (double)y->scores[t],
                                .local = -(double)unary[(size_t)t * N + k],
                                .shared = -(double)into - (double)end};
    }
}

static basin_status look_at_sentence(bs_explanation *e, const bs_batch *b, const bs_outputs *out,
                                     const int32_t *gold, basin_error *err)
{
    bs_explained_row *r = &e->row;
    const bs_segment *w = bs_params_find(e->m->params, "energy/W");
    const size_t      parts = (size_t)(b->size.rows * b->size.length) * (size_t)e->names;
    real             *y = bs_arena_alloc(&e->arena, parts * sizeof *y), *W = NULL;
    const real       *unary;
    basin_status      s = y ? energy_of(e, b, gold, y, &r->energy_truth, err) : bs_fail_nomem(err);
    if (!s)
        s = energy_of(e, b, bs_outputs_tag(out)->tag, y, &r->energy, err);
    if (!s)
        s = bs_energy_probe_potentials(e->probe, b, &unary, err);
    if (!s && w)
        s = bs_params_map(e->m->params, w, BS_READ, &W, err);
    if (s)
        return s;
    fill_terms(e, out, unary, W);
    if (w)
        bs_params_unmap(e->m->params, w, BS_READ, W);
    return BASIN_OK;
}

static const char *text_of(bs_explanation *e)
{
    const bs_corpus *c = bs_dataset_tag(&e->one);
    bs_buf           text;
    bs_buf_init(&text, 1 << 24);
    for (int32_t t = 0; t < c->tokens; t++)
        bs_buf_printf(&text, "%s%s", t ? " " : "", c->words.item[c->word[t]].text);
    const char *copy =
        text.failed ? NULL : bs_arena_copy(&e->arena, text.data ? text.data : "", text.len);
    bs_buf_free(&text);
    return copy;
}

basin_status bs_explain_tag_row(bs_explanation *e, basin_error *err)
{
    const bs_model_file *m = e->m;
    bs_explained_row    *r = &e->row;
    const bs_corpus     *c = bs_dataset_tag(&e->one);
    static const int32_t only = 0;
    bs_tag_truth         truth = {0};
    bs_outputs           y = {0};
    bs_batches          *f = NULL;
    r->term = bs_arena_alloc(&e->arena, (size_t)c->tokens * sizeof *r->term);
    r->n_terms = c->tokens;
    r->text = text_of(e);
    basin_status s = r->term && r->text
                         ? bs_tag_truth_make(c, &bs_preprocess_tag(&m->known)->lexicon, &truth, err)
                         : bs_fail_nomem(err);
    if (!s)
        s = bs_explain_predict(e, &e->one, &y, err);
    if (!s)
        s = bs_batches_tag_all(&e->one, &m->known, &m->spec, 1, &f, err);
    if (!s)
        s = look_at_sentence(e, f->rows(f, &only, 1), &y, truth.gold, err);
    if (f)
        f->free(f);
    bs_outputs_free(&y);
    bs_tag_truth_free(&truth);
    return s;
}

const bs_task_explain bs_task_explain_tag = {.rows = 1000,
                                             .labelled = bs_explain_tag_labelled,
                                             .names = bs_explain_tag_names,
                                             .products = bs_explain_tag_products,
                                             .look = look,
                                             .row = bs_explain_tag_row};
