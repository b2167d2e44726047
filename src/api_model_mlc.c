/* api_model_mlc.c -- label sets of rows from memory. */
#include <math.h>

#include "api_model.h"

int basin_model_features(const basin_model *m)
{
    return m->saved->known.mlc.n_features;
}

const char *basin_model_feature(const basin_model *m, int i)
{
    const bs_schema *s = &m->saved->known.mlc;
    return s->feature && i >= 0 && i < s->n_features ? s->feature[i].name : NULL;
}

int basin_decide(const basin_model *m, const float *scores, int32_t *labels)
{
    return bs_threshold_apply(&m->saved->threshold, scores, m->saved->known.mlc.n_labels, labels);
}

static int labels(const bs_known *k)
{
    return k->mlc.n_labels;
}

static const char *label(const bs_known *k, int i)
{
    return k->mlc.label[i];
}

/* ---- predictor ---- */

static basin_status start(basin_predictor *p, basin_error *err)
{
    const bs_mlc_shape *shape = &p->model->saved->spec.mlc;
    const size_t        cells = (size_t)BS_SCORE_BLOCK * (size_t)shape->features;
    if (!shape->sparse && !(p->block = bs_calloc(cells, sizeof *p->block)))
        return bs_fail_nomem(err);
    return BASIN_OK;
}

static void stop(basin_predictor *p)
{
    bs_free(p->block);
}

static basin_status check_rows(const basin_rows *x, int features, basin_error *err)
{
    if (x->rows < 0 || x->cols > features)
        return bs_fail(err, BASIN_EARG, "%d columns, but the model has %d features", (int)x->cols,
                       features);
    for (int32_t i = 0; i < x->rows; i++) {
        if (x->start[i + 1] < x->start[i])
            return bs_fail(err, BASIN_EARG, "row %d ends before it starts", (int)i);
        for (int32_t k = x->start[i]; k < x->start[i + 1]; k++) {
            bool rising = k == x->start[i] || x->index[k] > x->index[k - 1];
            if (x->index[k] < 0 || x->index[k] >= features || !rising)
                return bs_fail(err, BASIN_EARG,
                               "row %d: feature %d is not in 0..%d or not in increasing order",
                               (int)i, (int)x->index[k], features - 1);
            if (x->value && !isfinite(x->value[k]))
                return bs_fail(err, BASIN_EARG, "row %d: feature %d is not a finite number", (int)i,
                               (int)x->index[k]);
        }
    }
    return BASIN_OK;
}

/* What the model does to raw features before its first layer. */
static float prepared(const bs_schema *s, size_t feature, float value)
{
    if (!isfinite(value))
        value = s->fill ? s->fill[feature] : 0;
    return s->mean ? (value - s->mean[feature]) * s->scale[feature] : value;
}

basin_status basin_predict_dense(basin_predictor *p, const float *x, int32_t rows, float *scores,
                                 basin_error *err)
{
    const bs_schema *schema = &p->model->saved->known.mlc;
    const size_t     D = (size_t)schema->n_features, L = (size_t)schema->n_labels;
    basin_status     fits = bs_serving_check(p->model, &bs_serving_mlc, err);
    if (fits)
        return fits;
    if (p->model->saved->spec.mlc.sparse)
        return bs_fail(err, BASIN_EARG,
                       "this model was trained on sparse rows; use "
                       "basin_predict_csr");
    for (int32_t first = 0; first < rows; first += BS_SCORE_BLOCK) {
        int32_t n = rows - first < BS_SCORE_BLOCK ? rows - first : BS_SCORE_BLOCK;
        for (size_t i = 0; i < (size_t)n * D; i++)
            p->block[i] = prepared(schema, i % D, x[(size_t)first * D + i]);
        basin_status s =
            bs_scorer_dense(p->scorer, p->block, n, scores + (size_t)first * L, NULL, err);
        if (s)
            return s;
    }
    return BASIN_OK;
}

/* Sparse rows for a dense net: what is absent is zero before standardisation. */
static basin_status spread(basin_predictor *p, const basin_rows *x, float *scores, basin_error *err)
{
    const bs_schema *schema = &p->model->saved->known.mlc;
    const size_t     D = (size_t)schema->n_features, L = (size_t)schema->n_labels;
    for (int32_t first = 0; first < x->rows; first += BS_SCORE_BLOCK) {
        int32_t n = x->rows - first < BS_SCORE_BLOCK ? x->rows - first : BS_SCORE_BLOCK;
        for (size_t i = 0; i < (size_t)n * D; i++)
            p->block[i] = prepared(schema, i % D, 0);
        for (int32_t r = 0; r < n; r++)
            for (int32_t k = x->start[first + r]; k < x->start[first + r + 1]; k++) {
                size_t d = (size_t)x->index[k];
                p->block[(size_t)r * D + d] = prepared(schema, d, x->value ? x->value[k] : 1);
            }
        basin_status s =
            bs_scorer_dense(p->scorer, p->block, n, scores + (size_t)first * L, NULL, err);
        if (s)
            return s;
    }
    return BASIN_OK;
}

basin_status basin_predict_csr(basin_predictor *p, const basin_rows *x, float *scores,
                               basin_error *err)
{
    basin_status s = bs_serving_check(p->model, &bs_serving_mlc, err);
    if (!s)
        s = check_rows(x, p->model->saved->known.mlc.n_features, err);
    if (s)
        return s;
    if (!p->model->saved->spec.mlc.sparse)
        return spread(p, x, scores, err);
    bs_csr csr = {x->rows, p->model->saved->known.mlc.n_features, x->start, x->index, x->value};
    return bs_scorer_csr(p->scorer, &csr, scores, NULL, err);
}

const bs_serving bs_serving_mlc = {.task = "mlc",
                                   .what = "rows",
                                   .function = "basin_predict_csr",
                                   .labels = labels,
                                   .label = label,
                                   .start = start,
                                   .stop = stop};
