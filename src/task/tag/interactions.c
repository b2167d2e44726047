/* interactions.c -- how a tag depends on the one before it, to an energy and in the truth. */
#include <math.h>
#include <string.h>

#include "task/tag/data.h"

enum {
    STRIDE = 3,   /* distance of the positions that one product asks about */
    TOKENS = 600, /* tokens examined for energies with language models, whose products are slow */
};

static bool has_terms(const bs_net_spec *s)
{
    return bs_net_spec_tag(s)->energy->terms != NULL;
}

/* Language models of tags are fused LSTMs, which can be differentiated only once. */
bs_hvp_kind bs_tag_products(const bs_net_spec *s)
{
    return has_terms(s) ? BS_HVP_CENTRAL : BS_HVP_EXACT;
}

/* ---- the energy ---- */

/* What add_batch needs of all batches. */
typedef struct {
    const bs_inquiry *q;
    double           *sum; /* [tags, tags] */
    int64_t          *places;
} interacting;

static void put_direction(const bs_tag_probe *x, size_t phase, size_t tag, bool there)
{
    for (size_t r = 0; r < (size_t)x->n; r++)
        for (size_t t = phase; t < (size_t)x->length[r]; t += STRIDE)
            x->v[(r * x->T + t) * x->N + tag] = there ? (real)x->sign[r * x->T + t] : 0;
}

/* Column `tag` of d2E / dy_{t-1} dy_t, summed over the positions that the direction asks about.
 * Random signs cancel interactions between positions further apart. */
static void add_column(const bs_tag_probe *x, size_t phase, size_t tag, const real *hv, double *sum)
{
    for (size_t r = 0; r < (size_t)x->n; r++)
        for (size_t t = phase; t < (size_t)x->length[r]; t += STRIDE)
            for (size_t a = 0; a < x->N && t > 0; a++)
                sum[a * x->N + tag] +=
                    (double)x->sign[r * x->T + t] * (double)hv[(r * x->T + t - 1) * x->N + a];
}

static basin_status add_batch(void *ctx, const bs_tag_probe *x, basin_error *err)
{
    const interacting *to = ctx;
    const bs_inquiry  *q = to->q;
    basin_status       s = BASIN_OK;
    const real        *hv;
    for (int32_t i = 0; i < x->n; i++)
        *to->places += x->length[i] > 1 ? x->length[i] - 1 : 0;
    for (size_t phase = 0; phase < STRIDE && !s; phase++)
        for (size_t tag = 0; tag < x->N && !s; tag++) {
            put_direction(x, phase, tag, true);
            for (int i = 0; i < q->probes && !s; i++) {
                s = bs_energy_probe_product(q->probe[i], x->b, x->y, x->v, &hv, err);
                if (!s)
                    add_column(x, phase, tag, hv, to->sum);
            }
            put_direction(x, phase, tag, false);
            if (!s)
                s = bs_task_go_on(q->stop, err);
        }
    return s;
}

/* The model's outputs for the next sentences. */
static basin_status take_batch(const bs_inquiry *q, bs_batches *f, const int32_t *order, int32_t n,
                               bs_rng *rng, bs_tag_probing look, void *ctx, basin_error *err)
{
    const bs_batch *b = f->rows(f, order, n);
    const size_t    R = (size_t)b->size.rows, T = (size_t)b->size.length;
    const size_t    N = (size_t)bs_tag_labels(q->known);
    const int32_t  *start = bs_dataset_tag(q->data)->start;
    bs_scored       found;
    bs_tag_probe    x = {.b = b,
                         .n = n,
                         .T = T,
                         .N = N,
                         .length = bs_calloc((size_t)n, sizeof *x.length),
                         .y = bs_calloc(R * T * N, sizeof *x.y),
                         .v = bs_calloc(R * T * N, sizeof *x.v),
                         .sign = bs_calloc(R * T, sizeof *x.sign)};
    basin_status s = x.y && x.v && x.sign && x.length ? bs_scorer_batch(q->scorer, b, &found, err)
                                                      : bs_fail_nomem(err);
    if (!s) {
        memcpy(x.y, found.y, R * T * N * sizeof *x.y);
        for (size_t i = 0; i < R * T; i++)
            x.sign[i] = bs_rng_bits(rng) & 1 ? 1 : -1;
        for (int32_t i = 0; i < n; i++)
            x.length[i] = start[order[i] + 1] - start[order[i]];
        s = look(ctx, &x, err);
    }
    bs_free(x.y);
    bs_free(x.v);
    bs_free(x.sign);
    bs_free(x.length);
    return s;
}

basin_status bs_tag_probe_all(const bs_inquiry *q, int32_t words, bs_tag_probing look, void *ctx,
                              basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(q->data);
    const int32_t    every = c->tokens > words ? (c->tokens + words - 1) / words : 1;
    bs_batches      *f = NULL;
    bs_rng           rng = bs_rng_make(0, 0, 0);
    int32_t          sentences = 0, n = 0;
    int32_t         *order = bs_calloc((size_t)c->sentences + 1, sizeof *order);
    basin_status s = order ? bs_by_length(c->start, c->sentences, order, err) : bs_fail_nomem(err);
    for (int32_t i = every / 2; i < c->sentences && !s; i += every)
        order[sentences++] = order[i];
    if (!s)
        s = bs_batches_tag_all(q->data, q->known, q->spec, BS_TAG_SENTENCES, &f, err);
    for (int32_t at = 0; at < sentences && !s; at += n) {
        n = f->fits(f, order + at, sentences - at);
        s = take_batch(q, f, order + at, n, &rng, look, ctx, err);
    }
    if (f)
        f->free(f);
    bs_free(order);
    return s;
}

basin_status bs_tag_interactions(const bs_inquiry *q, double *out, int64_t *places,
                                 basin_error *err)
{
    const size_t N = (size_t)bs_tag_labels(q->known);
    memset(out, 0, N * N * sizeof *out);
    *places = 0;
    basin_status s = bs_tag_probe_all(q, has_terms(q->spec) ? TOKENS : INT32_MAX, add_batch,
                                      &(interacting){q, out, places}, err);
    for (size_t i = 0; i < N * N; i++)
        out[i] /= *places > 0 ? -(double)*places * q->probes : 1;
    return s;
}

/* ---- the truth ---- */

basin_status bs_tag_follows(const bs_dataset *p, const bs_preprocess *k, double *count,
                            basin_error *err)
{
    const bs_corpus *c = bs_dataset_tag(p);
    const int32_t    N = bs_tag_labels(k);
    bs_tag_truth     truth = {0};
    basin_status     s = bs_tag_truth_make(c, &bs_preprocess_tag(k)->lexicon, &truth, err);
    memset(count, 0, (size_t)N * (size_t)N * sizeof *count);
    for (int32_t i = 0; i < c->sentences && !s; i++)
        for (int32_t t = c->start[i] + 1; t < c->start[i + 1]; t++) {
            const int32_t a = truth.gold[t - 1], b = truth.gold[t];
            if (a >= 0 && a < N && b >= 0 && b < N)
                count[(size_t)a * (size_t)N + (size_t)b] += 1;
        }
    bs_tag_truth_free(&truth);
    return s;
}

basin_status bs_interactions_tag(const bs_inquiry *q, double *out, double *together,
                                 basin_error *err)
{
    const size_t N = (size_t)bs_tag_labels(q->known);
    int64_t      places;
    basin_status s = bs_tag_interactions(q, out, &places, err);
    for (size_t i = 0; i < N * N && !s; i++)
        if (!isfinite(out[i]))
            s = bs_fail(err, BASIN_ENUMERIC,
                        "tags %zu and %zu: the derivative of the energy is not finite; the model's "
                        "weights are too large",
                        i / N, i % N);
    return s || !together ? s : bs_tag_follows(q->data, q->known, together, err);
}
