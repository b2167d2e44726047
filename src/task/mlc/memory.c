/* memory.c -- predicts label sets for rows in memory. */
#include <math.h>
#include <string.h>

#include "api/model.h"
#include "base/utf8.h"
#include "task/mlc/data.h"

/* NULL: the model belongs to another task. */
static const bs_schema *schema_of(const basin_model *m)
{
    const bool own = m && m->saved->task == &bs_task_mlc;
    return own ? bs_schema_mlc(&m->saved->known) : NULL;
}

static const bs_mlc_known *known_of(const basin_model *m)
{
    return schema_of(m) ? bs_preprocess_mlc(&m->saved->known) : NULL;
}

int basin_model_features(const basin_model *m)
{
    const bs_mlc_known *k = known_of(m);
    return k ? k->columns.n_features : 0;
}

int basin_model_texts(const basin_model *m)
{
    const bs_mlc_known *k = known_of(m);
    return k && (k->ngrams.n > 0 || k->text);
}

const char *basin_model_feature(const basin_model *m, int i)
{
    const bs_schema *s = schema_of(m);
    return s && s->feature && i >= 0 && i < basin_model_features(m) ? s->feature[i].name : NULL;
}

int basin_decide(const basin_model *m, const float *scores, int32_t *labels)
{
    const bs_schema *s = schema_of(m);
    if (!m || !scores || !labels)
        return -1;
    return bs_threshold_apply(&m->saved->threshold, scores, s ? s->n_labels : 0, labels);
}

basin_status basin_decide_rows(const basin_model *m, const float *scores, int32_t rows, uint8_t *on,
                               basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_status s = BS_NEED(err, {"model", m});
    if (!s)
        s = bs_task_memory_check(m, &bs_task_memory_mlc, err);
    if (!s && rows > 0)
        s = BS_NEED(err, {"scores", scores}, {"on", on});
    if (s || rows <= 0)
        return s;
    const size_t L = (size_t)schema_of(m)->n_labels;
    int32_t     *label = bs_alloc((L + 1) * sizeof *label);
    if (!label)
        return bs_fail_nomem(err);
    memset(on, 0, (size_t)rows * L);
    for (size_t i = 0; i < (size_t)rows; i++)
        for (int32_t k = basin_decide(m, scores + i * L, label) - 1; k >= 0; k--)
            on[i * L + (size_t)label[k]] = 1;
    bs_free(label);
    return BASIN_OK;
}

/* ---- predictor ---- */

basin_status basin_data_label_sets(const basin_label_sets *rows, basin_data **out, basin_error *err)
{
    BS_KEEP_ERRNO;
    return bs_data_new(&bs_task_mlc, "basin_label_sets", rows, sizeof *rows, out, err);
}

static basin_status infinite(int32_t row, int32_t feature, basin_error *err)
{
    return bs_fail(err, BASIN_EARG, "row %d: feature %d is infinite; NaN is for a missing value",
                   (int)row, (int)feature);
}

static basin_status check_rows(const basin_rows *x, int features, basin_error *err)
{
    if (x->rows < 0)
        return bs_fail(err, BASIN_EARG, "%d rows", (int)x->rows);
    if (x->cols > features)
        return bs_fail(err, BASIN_EARG, "%d columns, but the model has %d features", (int)x->cols,
                       features);
    if (x->rows > 0 && !x->start)
        return BS_NEED(err, {"start", x->start});
    if (x->rows > 0 && x->start[0] < 0)
        return bs_fail(err, BASIN_EARG, "row 0 starts at %d", (int)x->start[0]);
    const int32_t falls = x->rows > 0 ? bs_csr_falls(x->start, x->rows) : 0;
    if (falls < x->rows)
        return bs_fail(err, BASIN_EARG, "row %d ends before it starts", (int)falls);
    if (x->rows > 0 && x->start[x->rows] > x->start[0] && !x->index)
        return BS_NEED(err, {"index", x->index});
    for (int32_t i = 0; i < x->rows; i++) {
        for (int32_t k = x->start[i]; k < x->start[i + 1]; k++) {
            bool rising = k == x->start[i] || x->index[k] > x->index[k - 1];
            if (x->index[k] < 0 || x->index[k] >= features || !rising)
                return bs_fail(err, BASIN_EARG,
                               "row %d: feature %d is not in 0..%d or not in increasing order",
                               (int)i, (int)x->index[k], features - 1);
            if (x->value && isinf(x->value[k]))
                return infinite(i, x->index[k], err);
        }
    }
    return BASIN_OK;
}

/* A missing value is replaced as in a file. */
static float filled(const bs_schema *s, size_t feature, float value)
{
    return !isnan(value) ? value : s->fill ? s->fill[feature] : 0;
}

/* Refuses models of other tasks, and functions that give texts to one of numbers, or none to one of
 * texts. */
static basin_status check_predictor(const basin_predictor *p, bool texts, basin_error *err)
{
    basin_status s = BS_NEED(err, {"predictor", p});
    if (!s)
        s = bs_task_memory_check(p->model, &bs_task_memory_mlc, err);
    const bool reads = !s && basin_model_texts(p->model);
    if (s || reads == texts)
        return s;
    return bs_fail(err, BASIN_EARG,
                   reads ? "this model reads texts; use basin_predict_texts"
                         : "this model reads no texts; use basin_predict_csr");
}

basin_status basin_predict_dense(basin_predictor *p, const float *x, int32_t rows, float *scores,
                                 basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_status s = check_predictor(p, false, err);
    if (!s && rows > 0)
        s = BS_NEED(err, {"x", x}, {"scores", scores});
    if (s)
        return s;
    const bs_schema *schema = schema_of(p->model);
    const size_t     D = (size_t)schema->n_features, L = (size_t)schema->n_labels;
    const int32_t    block = rows < BS_SCORE_BLOCK ? rows : BS_SCORE_BLOCK;
    if (rows < 0)
        return bs_fail(err, BASIN_EARG, "%d rows", (int)rows);
    if (bs_net_spec_mlc(&p->model->saved->spec)->sparse)
        return bs_fail(err, BASIN_EARG,
                       "this model was trained on sparse rows; use "
                       "basin_predict_csr");
    for (size_t i = 0; i < (size_t)rows * D; i++)
        if (isinf(x[i]))
            return infinite((int32_t)(i / D), (int32_t)(i % D), err);
    float *to = bs_calloc((size_t)block * D + 1, sizeof *to);
    if (!to)
        return bs_fail_nomem(err);
    for (int32_t first = 0; first < rows && !s; first += block) {
        const int32_t n = rows - first < block ? rows - first : block;
        const float  *from = x + (size_t)first * D;
        for (size_t i = 0; i < (size_t)n * D; i++) {
            const float v = filled(schema, i % D, from[i]);
            to[i] = schema->mean ? (v - schema->mean[i % D]) * schema->scale[i % D] : v;
        }
        s = bs_scorer_dense(p->scorer, to, n, (int32_t)D, first, scores + (size_t)first * L, NULL,
                            err);
    }
    bs_free(to);
    if (!s)
        bs_scores_inside(scores, (size_t)rows * L);
    return s;
}

static bool has_missing(const basin_rows *x)
{
    for (int32_t k = x->start[0]; x->value && k < x->start[x->rows]; k++)
        if (isnan(x->value[k]))
            return true;
    return false;
}

/* Scores of rows that are the model's, from number `first`; on: sets, or NULL. */
static basin_status predict_known(basin_predictor *p, bs_rows *x, int32_t first, float *scores,
                                  uint8_t *on, basin_error *err)
{
    const bs_model_file *m = p->model->saved;
    bs_dataset           part = {.task = m->task, .rows = x->rows, .own = x};
    /* counted from 1 there, from 0 here */
    bs_outputs   y = {.task = m->task, .scores = scores, .on = on, .first = first - 1};
    basin_status s = bs_mlc_scores(p->scorer, &m->spec, &m->known, x, first, scores, NULL, err);
    if (!s && on && bs_scorer_inference(p->scorer)->decide)
        s = bs_mlc_decide(p->scorer, &m->spec, &m->known, &part, &y, err);
    else if (!s && on)
        s = basin_decide_rows(p->model, scores, x->rows, on, err);
    if (!s)
        bs_scores_inside(scores, (size_t)x->rows * (size_t)schema_of(p->model)->n_labels);
    return s;
}

static basin_status predict_rows(basin_predictor *p, const basin_rows *x, float *scores,
                                 uint8_t *on, basin_error *err)
{
    const bs_model_file *m = p->model->saved;
    const bs_schema     *schema = schema_of(p->model);
    bs_rows              view = {.rows = x->rows,
                                 .x = {x->rows, schema->n_features, x->start, x->index, x->value}};
    float               *value = NULL;
    basin_status         s;
    if (bs_net_spec_mlc(&m->spec)->sparse && has_missing(x)) { /* filled in a copy */
        if (!(value = bs_calloc((size_t)x->start[x->rows], sizeof *value)))
            return bs_fail_nomem(err);
        for (int32_t k = x->start[0]; k < x->start[x->rows]; k++)
            value[k] = filled(schema, (size_t)x->index[k], x->value[k]);
        view.x.value = value;
    }
    s = predict_known(p, &view, 0, scores, on, err);
    bs_free(value);
    return s;
}

static basin_status check_request(const basin_predictor *p, const basin_rows *x, const char *what,
                                  const void *out, basin_error *err)
{
    basin_status s = check_predictor(p, false, err);
    if (!s)
        s = BS_NEED(err, {"rows", x});
    if (!s)
        s = check_rows(x, schema_of(p->model)->n_features, err);
    return !s && x->rows > 0 ? BS_NEED(err, {what, out}) : s;
}

basin_status basin_predict_csr(basin_predictor *p, const basin_rows *x, float *scores,
                               basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_status s = check_request(p, x, "scores", scores, err);
    return s || x->rows == 0 ? s : predict_rows(p, x, scores, NULL, err);
}

basin_status basin_predict_sets(basin_predictor *p, const basin_rows *x, uint8_t *on,
                                basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_status s = check_request(p, x, "on", on, err);
    if (s || x->rows == 0)
        return s;
    const size_t L = (size_t)schema_of(p->model)->n_labels;
    float       *scores = bs_calloc((size_t)x->rows * L + 1, sizeof *scores);
    s = scores ? predict_rows(p, x, scores, on, err) : bs_fail_nomem(err);
    bs_free(scores);
    return s;
}

/* ---- texts ---- */

enum { BLOCK = 1024 };

static bool copy_columns(const basin_rows *x, int32_t first, int32_t n, bs_rows *to)
{
    const int32_t from = x ? x->start[first] : 0, size = x ? x->start[first + n] - from : 0;
    to->x_start = bs_calloc((size_t)n + 1, sizeof *to->x_start);
    to->x_index = bs_alloc(((size_t)size + 1) * sizeof *to->x_index);
    to->x_value = bs_alloc(((size_t)size + 1) * sizeof *to->x_value);
    if (!to->x_start || !to->x_index || !to->x_value)
        return false;
    for (int32_t i = 0; x && i <= n; i++)
        to->x_start[i] = x->start[first + i] - from;
    for (int32_t k = 0; k < size; k++) {
        to->x_index[k] = x->index[from + k];
        to->x_value[k] = x->value ? x->value[from + k] : 1;
    }
    to->x = (bs_csr){n, x ? x->cols : 0, to->x_start, to->x_index, to->x_value};
    return true;
}

/* Rows first to first + n - 1, in the form of rows of a file. */
static basin_status take_texts(const basin_model *m, const char *const *texts,
                               const basin_rows *columns, int32_t first, int32_t n, bs_rows *to,
                               basin_error *err)
{
    bs_row_text *document = bs_arena_alloc(&to->arena, ((size_t)n + 1) * sizeof *document);
    if (!document || !copy_columns(columns, first, n, to))
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < n; i++) {
        const char *text = texts[first + i];
        document[i] = (bs_row_text){text, text ? strlen(text) : 0};
        if (!text)
            return bs_fail(err, BASIN_EARG, "row %d has no text", (int)(first + i));
        if (!bs_is_utf8(text, document[i].n))
            return bs_fail(err, BASIN_EDATA, "row %d: its text is not UTF-8", (int)(first + i));
    }
    to->rows = n;
    to->document = document;
    return bs_mlc_read_texts(&m->saved->known, to, NULL, err);
}

static basin_status check_columns(const basin_model *m, const basin_rows *x, int32_t rows,
                                  basin_error *err)
{
    const int D = basin_model_features(m);
    if (rows < 0)
        return bs_fail(err, BASIN_EARG, "%d rows", (int)rows);
    if (!x && D > 0)
        return bs_fail(err, BASIN_EARG, "columns is NULL, but the model has %d besides texts", D);
    if (x && x->rows != rows)
        return bs_fail(err, BASIN_EARG, "%d texts, but %d rows of columns", (int)rows,
                       (int)x->rows);
    return x ? check_rows(x, D, err) : BASIN_OK;
}

/* One of scores and on is NULL. */
static basin_status predict_texts(basin_predictor *p, const char *const *texts, int32_t rows,
                                  const basin_rows *columns, float *scores, uint8_t *on,
                                  basin_error *err)
{
    basin_status s = check_predictor(p, true, err);
    if (!s)
        s = check_columns(p->model, columns, rows, err);
    if (s || rows == 0)
        return s;
    if (!texts)
        return BS_NEED(err, {"texts", texts});
    const size_t L = (size_t)schema_of(p->model)->n_labels;
    float       *own = on ? bs_alloc((size_t)BLOCK * L * sizeof *own) : NULL;
    if (on && !own)
        return bs_fail_nomem(err);
    for (int32_t first = 0; first < rows && !s; first += BLOCK) {
        const int32_t n = rows - first < BLOCK ? rows - first : BLOCK;
        const size_t  at = (size_t)first * L;
        bs_rows      *block = bs_calloc(1, sizeof *block);
        if (block)
            bs_arena_init(&block->arena, 0);
        s = block ? take_texts(p->model, texts, columns, first, n, block, err) : bs_fail_nomem(err);
        if (!s)
            s = predict_known(p, block, first, own ? own : scores + at, on ? on + at : NULL, err);
        bs_rows_free(block);
    }
    bs_free(own);
    return s;
}

basin_status basin_predict_texts(basin_predictor *p, const char *const *texts, int32_t rows,
                                 const basin_rows *columns, float *scores, basin_error *err)
{
    BS_KEEP_ERRNO;
    const basin_status s = rows > 0 ? BS_NEED(err, {"scores", scores}) : BASIN_OK;
    return s ? s : predict_texts(p, texts, rows, columns, scores, NULL, err);
}

basin_status basin_predict_text_sets(basin_predictor *p, const char *const *texts, int32_t rows,
                                     const basin_rows *columns, uint8_t *on, basin_error *err)
{
    BS_KEEP_ERRNO;
    const basin_status s = rows > 0 ? BS_NEED(err, {"on", on}) : BASIN_OK;
    return s ? s : predict_texts(p, texts, rows, columns, NULL, on, err);
}

static int32_t rows(const void *given)
{
    return ((const basin_label_sets *)given)->rows;
}

const bs_task_memory bs_task_memory_mlc = {
    .what = "rows", .function = "basin_predict_csr", .rows = rows};
