/* decide.c -- sets of labels that maximise an expected metric, from samples of the posterior. */
#include <string.h>

#include "task/mlc/data.h"

/* One block of rows. */
typedef struct {
    bs_scorer       *scorer;
    bs_posterior    *posterior;
    const bs_schema *schema;
    bs_batches      *feed;
    bs_decision      by;
    double           empty; /* what two empty sets are worth */
    int32_t         *index; /* [rows] */
    uint8_t         *y;     /* [samples, labels] */
    double           effective;
} deciding;

static basin_status decide_row(deciding *d, const bs_posterior_samples *s, int row, uint8_t *on,
                               basin_error *err)
{
    const size_t L = (size_t)d->schema->n_labels, K = (size_t)s->samples;
    if (d->by == BS_DECIDE_SUBSET) {
        for (size_t l = 0; l < L; l++)
            on[l] = s->best[(size_t)row * L + l] > 0;
        return BASIN_OK;
    }
    for (size_t i = 0; i < K * L; i++)
        d->y[i] = s->y[(size_t)row * K * L + i] > 0;
    const bs_set_samples sets = {d->y, s->weight + (size_t)row * K, s->samples, (int)L, d->empty};
    return bs_decide_set(&sets, d->by, on, err);
}

static basin_status draw(deciding *d, int32_t first, int32_t n, const bs_outputs *out,
                         bs_posterior_samples *s, basin_error *err)
{
    const float *scores = out->scores + (size_t)first * (size_t)d->schema->n_labels;
    for (int32_t i = 0; i < n; i++)
        d->index[i] = first + i;
    return bs_posterior_draw(d->posterior, d->feed->rows(d->feed, d->index, n), scores, (int)n,
                             d->by == BS_DECIDE_SUBSET, s, err);
}

/* Rows have the same samples alone: the first that fails then, too. */
static basin_status name_row(deciding *d, int32_t first, int32_t n, const bs_outputs *out,
                             basin_error *err)
{
    bs_posterior_samples s;
    basin_error          why = {0};
    int32_t              i = 0;
    while (i < n - 1 && draw(d, first + i, 1, out, &s, &why) != BASIN_ENUMERIC)
        i++;
    return bs_fail(err, BASIN_ENUMERIC,
                   "row %lld: an energy of a sampled label set is not finite; the input or the "
                   "model's weights are too large",
                   (long long)out->first + first + i + 1);
}

static basin_status decide_block(deciding *d, int32_t first, int32_t n, bs_outputs *out,
                                 basin_error *err)
{
    const size_t         L = (size_t)d->schema->n_labels;
    bs_posterior_samples s;
    basin_status         status = draw(d, first, n, out, &s, err);
    if (status == BASIN_ENUMERIC)
        return name_row(d, first, n, out, err);
    for (int32_t i = 0; i < n && !status; i++) {
        status = decide_row(d, &s, (int)i, out->on + ((size_t)first + (size_t)i) * L, err);
        d->effective += s.effective[i];
    }
    return status;
}

/* The mode of independent labels. */
static void decide_each(const deciding *d, int32_t rows, bs_outputs *out)
{
    const size_t cells = (size_t)rows * (size_t)d->schema->n_labels;
    for (size_t i = 0; i < cells; i++)
        out->on[i] = out->scores[i] >= 0.5f;
}

static basin_status decide_all(deciding *d, const bs_net_spec *spec, const bs_preprocess *k,
                               const bs_dataset *p, bs_outputs *out, basin_error *err)
{
    const int32_t block = bs_posterior_rows(d->posterior), rows = p->rows;
    const size_t  K = (size_t)bs_scorer_inference(d->scorer)->decide_samples;
    d->y = bs_calloc(K * (size_t)d->schema->n_labels, 1);
    d->index = bs_calloc((size_t)block, sizeof *d->index);
    basin_status s = d->y && d->index ? bs_batches_mlc_all(p, k, spec, block, &d->feed, err)
                                      : bs_fail_nomem(err);
    for (int32_t first = 0; first < rows && !s; first += block) {
        s = decide_block(d, first, rows - first < block ? rows - first : block, out, err);
        if (!s && bs_event_stopped(bs_scorer_inference(d->scorer)->log))
            s = bs_fail(err, BASIN_EINTERRUPTED, "interrupted");
    }
    if (d->feed)
        d->feed->free(d->feed);
    bs_free(d->y);
    bs_free(d->index);
    return s;
}

basin_status bs_mlc_decide(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                           const bs_dataset *p, bs_outputs *out, basin_error *err)
{
    const bs_inference *how = bs_scorer_inference(s);
    const bs_schema    *schema = &bs_preprocess_mlc(k)->schema;
    const size_t        cells = (size_t)p->rows * (size_t)schema->n_labels;
    if (!how->decide) {
        bs_free(out->on);
        out->on = NULL;
        out->by = BS_DECIDE_THRESHOLD;
        return BASIN_OK;
    }
    if (!out->on && !(out->on = bs_calloc(cells + 1, 1)))
        return bs_fail_nomem(err);
    deciding   d = {.scorer = s,
                    .posterior = bs_scorer_posterior(s),
                    .schema = schema,
                    .by = out->by = (bs_decision)how->decide,
                    .empty = how->decide_empty};
    const bool independent = bs_params_count(bs_scorer_params(s), "energy/") == 0;
    if (independent && (d.by == BS_DECIDE_SUBSET || d.by == BS_DECIDE_HAMMING)) {
        decide_each(&d, p->rows, out);
        return BASIN_OK;
    }
    basin_status status = decide_all(&d, spec, k, p, out, err);
    if (!status && p->rows > 0 && !independent)
        bs_log_say(how->log, BS_DEBUG, "decide=%s: %.1f %% of the net's samples are effective",
                   bs_decision_name(d.by), 100 * d.effective / p->rows);
    return status;
}

/* ---- thresholds ---- */

static basin_status choose_threshold(const bs_train_options *o, const bs_dataset *train,
                                     const bs_dataset *valid, const bs_outputs *y,
                                     bs_threshold *out, basin_error *err)
{
    const bs_rows *v = bs_dataset_mlc(valid);
    const char    *kind = o->threshold;
    bs_metric_id   metric;
    bs_profile_id  profile = BS_PROFILE_SKLEARN;
    double         number;
    basin_status   s = bs_metric_parse(o->threshold_metric, &metric, err);
    if (!s)
        s = bs_profile_parse(o->profile, &profile, err);
    if (s)
        return s;
    if (bs_parse_double(kind, &number)) {
        *out = bs_threshold_fixed((float)number);
        return BASIN_OK;
    }
    if (strcmp(kind, "top-k") == 0) {
        *out = bs_threshold_top_k(o->threshold_k);
        return BASIN_OK;
    }
    if (strcmp(kind, "cardinality") == 0) {
        double labels = (double)bs_dataset_mlc(train)->y.start[train->rows];
        return bs_threshold_cut(y->scores, v->rows, v->schema.n_labels, labels / train->rows, out,
                                err);
    }
    s = bs_threshold_tune(&v->y, y->scores, (int)metric, (int)profile, out, NULL, err);
    if (s || strcmp(kind, "auto") == 0)
        return s;
    float global = out->global;
    bs_threshold_free(out);
    return bs_threshold_tune_labels(&v->y, y->scores, (int)profile, global, o->threshold_shrink,
                                    out, err);
}

basin_status bs_mlc_choose(const bs_train_options *o, const bs_dataset *train,
                           const bs_dataset *valid, const bs_outputs *y, bs_threshold *out,
                           basin_error *err)
{
    basin_status s = choose_threshold(o, train, valid, y, out, err);
    out->by = s ? BS_DECIDE_THRESHOLD : y->by;
    return s;
}
