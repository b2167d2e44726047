/* explain.c -- tag sequences: how a tag depends on the one before it, and what the energy says
 * about the tokens of one sentence. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "task/tag/data.h"

enum {
    STRIDE = 3,   /* distance of the positions that one product asks about */
    TOKENS = 600, /* tokens examined for energies with language models, whose products are slow */
    COPIES = 64,
};

static bool labelled(const bs_dataset *p)
{
    return bs_dataset_tag(p)->labelled;
}

static basin_status names(bs_explanation *e, basin_error *err)
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
static bs_hvp_kind products(const bs_net_spec *s)
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
    basin_status     s = bs_tag_by_length(c->start, c->sentences, order, err);
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

/* ---- the two nets ---- */

typedef struct {
    int32_t truth, cost;
    int64_t times;
} difference;

static int by_times(const void *a, const void *b)
{
    const difference *x = a, *y = b;
    return x->times != y->times   ? (x->times < y->times) - (x->times > y->times)
           : x->truth != y->truth ? (x->truth > y->truth) - (x->truth < y->truth)
                                  : (x->cost > y->cost) - (x->cost < y->cost);
}

/* What the cost-augmented net says where the net is right. */
static basin_status count_differences(bs_explanation *e, const int32_t *net, const int32_t *cost,
                                      basin_error *err)
{
    bs_explained_nets *out = &e->nets;
    const size_t       N = (size_t)e->names;
    bs_tag_truth       truth = {0};
    difference        *d = bs_arena_alloc(&e->arena, (N * N + 1) * sizeof *d);
    const bs_lexicon  *lexicon = &bs_preprocess_tag(&e->m->known)->lexicon;
    basin_status       s =
        d ? bs_tag_truth_make(bs_dataset_tag(&e->data), lexicon, &truth, err) : bs_fail_nomem(err);
    for (int32_t t = 0; t < bs_dataset_tag(&e->data)->tokens && !s; t++) {
        if (truth.gold[t] < 0 || truth.gold[t] != net[t])
            continue;
        out->right++;
        if (cost[t] == net[t])
            continue;
        out->differ++;
        difference *x = &d[(size_t)net[t] * N + (size_t)cost[t]];
        *x = (difference){net[t], cost[t], x->times + 1};
    }
    if (!s)
        qsort(d, N * N, sizeof *d, by_times);
    for (size_t i = 0; i < BS_EXPLAIN_DIFFERENCES && i < N * N && !s && d[i].times > 0; i++) {
        out->pair[i].truth = d[i].truth;
        out->pair[i].cost = d[i].cost;
        out->pair[i].times = d[i].times;
        out->pairs++;
    }
    bs_tag_truth_free(&truth);
    return s;
}

static basin_status compare_nets(bs_explanation *e, basin_error *err)
{
    bs_outputs   net = {0}, cost = {0};
    basin_status s = BASIN_OK;
    if (!e->m->has_cost_net)
        return s;
    s = bs_explain_predict(e, &e->data, "net", &net, err);
    if (!s)
        s = bs_explain_predict(e, &e->data, "cost", &cost, err);
    if (!s)
        s = bs_explain_measure(e, &e->data, &net, &e->nets.net, err);
    if (!s)
        s = bs_explain_measure(e, &e->data, &cost, &e->nets.cost, err);
    if (!s)
        s = count_differences(e, bs_outputs_tag(&net)->tag, bs_outputs_tag(&cost)->tag, err);
    bs_outputs_free(&net);
    bs_outputs_free(&cost);
    return s;
}

static basin_status open_scorer(const bs_explanation *e, bs_scorer **out, basin_error *err)
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
    basin_status s = open_scorer(e, &scorer, err);
    if (!s)
        s = interact(e, scorer, p->interaction, err);
    bs_scorer_free(scorer);
    for (size_t i = 0; i < (size_t)p->n * (size_t)p->n; i++)
        p->interaction[i] /= p->places > 0 ? -(double)p->places : 1;
    if (!s)
        s = count_transitions(e, err);
    if (!s)
        s = bs_explain_compare(e, 0, err);
    return s ? s : compare_nets(e, err);
}

/* ---- one sentence ---- */

/* Copies of it as one batch, each with its own sequence. */
typedef struct {
    const bs_batch *b;
    int32_t         n; /* tokens */
    size_t          copies, T, N;
    int32_t        *tag;    /* [n] predicted */
    float          *score;  /* [n] */
    int32_t        *gold;   /* [n], -1: missing, or unknown to the model */
    const char    **truth;  /* [n] as in the file, or NULL */
    double         *unary;  /* [n, N] */
    double         *change; /* [n, N] of the energy, when token t gets tag k */
    real           *y;      /* [COPIES, T, N] */
} sentence;

static void put_tags(const sentence *x, size_t copy, const int32_t *tag)
{
    real *y = x->y + copy * x->T * x->N;
    memset(y, 0, x->T * x->N * sizeof *y);
    for (size_t t = 0; t < (size_t)x->n; t++)
        if (tag[t] >= 0)
            y[t * x->N + (size_t)tag[t]] = 1;
}

static void put_tag(const sentence *x, size_t copy, size_t t, size_t tag)
{
    real *y = x->y + (copy * x->T + t) * x->N;
    memset(y, 0, x->N * sizeof *y);
    y[tag] = 1;
}

static basin_status energy_of(bs_explanation *e, const sentence *x, const int32_t *tag, double *out,
                              basin_error *err)
{
    const real *energy;
    put_tags(x, 0, tag);
    basin_status s = bs_energy_probe_energy(e->probe, x->b, x->y, &energy, err);
    if (!s)
        *out = (double)energy[0];
    return s;
}

/* Resets all copies to the predicted tags. */
static basin_status energies(bs_explanation *e, sentence *x, basin_error *err)
{
    bool known = true;
    for (int32_t t = 0; t < x->n; t++)
        known &= x->gold[t] >= 0;
    e->row.energy_truth = NAN;
    basin_status s = known ? energy_of(e, x, x->gold, &e->row.energy_truth, err) : BASIN_OK;
    for (size_t k = 0; k < x->copies; k++)
        put_tags(x, k, x->tag);
    return s ? s : energy_of(e, x, x->tag, &e->row.energy, err);
}

static basin_status change_tags(bs_explanation *e, sentence *x, basin_error *err)
{
    const size_t all = (size_t)x->n * x->N;
    basin_status s = BASIN_OK;
    for (size_t first = 0; first < all && !s; first += x->copies) {
        const size_t n = all - first < x->copies ? all - first : x->copies;
        const real  *energy;
        for (size_t k = 0; k < n; k++)
            put_tag(x, k, (first + k) / x->N, (first + k) % x->N);
        s = bs_energy_probe_energy(e->probe, x->b, x->y, &energy, err);
        for (size_t k = 0; k < n; k++) {
            const size_t t = (first + k) / x->N;
            put_tag(x, k, t, (size_t)x->tag[t]);
            if (!s)
                x->change[first + k] = (double)energy[k] - e->row.energy;
        }
        if (!s)
            s = bs_explain_go_on(e, err);
    }
    return s;
}

/* W[before][tag], and after the last token W[tag][end]; start and end are number N. */
static double neighbours(const real *W, const sentence *x, int32_t t)
{
    const size_t N = x->N, tag = (size_t)x->tag[t];
    const size_t before = t > 0 ? (size_t)x->tag[t - 1] : N;
    double       sum = (double)W[before * (N + 1) + tag];
    if (t == x->n - 1)
        sum += (double)W[tag * (N + 1) + N];
    return sum;
}

static void fill_terms(bs_explanation *e, const sentence *x, const real *W)
{
    bs_explained_row *r = &e->row;
    const bs_corpus  *c = bs_dataset_tag(&e->one);
    for (int32_t t = 0; t < x->n; t++) {
        const size_t at = (size_t)t * x->N;
        size_t       best = x->N;
        r->term[t] = (bs_explained_term){.name = c->words.item[c->word[t]].text,
                                         .truth = x->truth[t],
                                         .predicted = e->name[x->tag[t]],
                                         .probability = (double)x->score[t],
                                         .local = -x->unary[at + (size_t)x->tag[t]],
                                         .shared = -neighbours(W, x, t)};
        for (size_t k = 0; k < x->N; k++) {
            if (k == (size_t)x->tag[t])
                continue;
            bs_explained_term flip = r->term[t];
            flip.other = e->name[k];
            flip.change = x->change[at + k];
            bs_explain_flip(r, &flip);
            if (best == x->N || flip.change < x->change[at + best])
                best = k;
        }
        if (best < x->N) {
            r->term[t].other = e->name[best];
            r->term[t].change = x->change[at + best];
        }
    }
}

static basin_status look_at_sentence(bs_explanation *e, bs_batches *f, bs_scorer *scorer,
                                     sentence *x, basin_error *err)
{
    static const int32_t index[COPIES] = {0}; /* the only sentence */
    bs_tag_decoder       d;
    bs_scored            found;
    const real          *scores;
    basin_status         s =
        bs_tag_decoder_make(scorer, &bs_preprocess_tag(&e->m->known)->lexicon, &d, err);
    x->copies = (size_t)f->fits(f, index, COPIES);
    x->b = f->rows(f, index, (int32_t)x->copies);
    if (!s)
        s = bs_scorer_batch(scorer, x->b, &found, err);
    if (!s)
        s = bs_tag_decide(&d, &found, 0, x->n, x->tag, x->score, err);
    bs_tag_decoder_free(&d);
    if (!s)
        s = bs_energy_probe_potentials(e->probe, x->b, &scores, err);
    for (size_t i = 0; i < (size_t)x->n * x->N && !s; i++)
        x->unary[i] = (double)scores[i];
    if (!s)
        s = energies(e, x, err);
    if (!s)
        s = change_tags(e, x, err);
    const bs_segment *w = bs_params_find(e->m->params, "energy/W");
    real             *W;
    if (!s)
        s = bs_params_map(e->m->params, w, BS_READ, &W, err);
    if (s)
        return s;
    fill_terms(e, x, W);
    bs_params_unmap(e->m->params, w, BS_READ, W);
    return BASIN_OK;
}

static basin_status take_truth(const bs_explanation *e, sentence *x, basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(&e->one);
    bs_tag_truth     truth = {0};
    basin_status s = bs_tag_truth_make(c, &bs_preprocess_tag(&e->m->known)->lexicon, &truth, err);
    for (int32_t t = 0; t < x->n && !s; t++) {
        x->gold[t] = truth.gold[t] < e->names ? truth.gold[t] : -1;
        x->truth[t] = c->tag[t] < 0 ? NULL : c->tags.item[c->tag[t]].text;
    }
    bs_tag_truth_free(&truth);
    return s;
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

static basin_status explain_row(bs_explanation *e, basin_error *err)
{
    const bs_model_file *m = e->m;
    bs_explained_row    *r = &e->row;
    sentence             x = {.n = bs_dataset_tag(&e->one)->tokens, .N = (size_t)e->names};
    bs_batches          *f = NULL;
    bs_scorer           *scorer = NULL;
    const size_t         n = (size_t)x.n;
    x.T = (size_t)bs_tag_rounded(x.n);
    x.tag = bs_arena_alloc(&e->arena, n * sizeof *x.tag);
    x.score = bs_arena_alloc(&e->arena, n * sizeof *x.score);
    x.gold = bs_arena_alloc(&e->arena, n * sizeof *x.gold);
    x.truth = bs_arena_alloc(&e->arena, n * sizeof *x.truth);
    x.unary = bs_explain_matrix(e, x.n, e->names);
    x.change = bs_explain_matrix(e, x.n, e->names);
    x.y = bs_arena_alloc(&e->arena, COPIES * x.T * x.N * sizeof *x.y);
    r->term = bs_arena_alloc(&e->arena, n * sizeof *r->term);
    r->n_terms = x.n;
    r->text = text_of(e);
    bool ok = x.tag && x.score && x.gold && x.truth && x.unary && x.change && x.y && r->term;
    basin_status s = ok && r->text ? take_truth(e, &x, err) : bs_fail_nomem(err);
    if (!s)
        s = open_scorer(e, &scorer, err);
    if (!s)
        s = bs_batches_tag_all(&e->one, &m->known, &m->spec, COPIES, &f, err);
    if (!s)
        s = look_at_sentence(e, f, scorer, &x, err);
    if (f)
        f->free(f);
    bs_scorer_free(scorer);
    return s;
}

const bs_task_explain bs_task_explain_tag = {.rows = 1000,
                                             .labelled = labelled,
                                             .names = names,
                                             .products = products,
                                             .look = look,
                                             .row = explain_row};
