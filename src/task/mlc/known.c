/* known.c -- what a model remembers of its data: columns, scales, n-grams, an encoder. Found in the
 * training rows, written to its file, and kept when training goes on with other rows. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "run/from.h"
#include "task/mlc/data.h"
#include "task/weights.h"

bool bs_mlc_is_sparse(const bs_schema *schema)
{
    return !schema->mean && (!schema->dense || schema->binary);
}

static bool wants_standardising(const bs_settings *s, const bs_schema *schema)
{
    if (strcmp(s->train.standardise, "auto") != 0)
        return strcmp(s->train.standardise, "yes") == 0;
    return schema->dense && !schema->binary;
}

/* A table of features: the model's values or, for features that it lacks, those computed here. */
static const float *kept(const float *was, const float *is, const int32_t *from, int32_t n,
                         bs_arena *arena, bool *ok)
{
    float *out = is ? bs_arena_alloc(arena, ((size_t)n + 1) * sizeof *out) : NULL;
    *ok = *ok && (out || !is);
    for (int32_t i = 0; i < n && out; i++)
        out[i] = was && from[i] >= 0 ? was[from[i]] : is[i];
    return out;
}

/* Features that the model knows are scaled as there, so that its parameters keep their meaning. */
static basin_status keep_scales(bs_preprocess *k, basin_error *err)
{
    const bs_schema *was = bs_columns_mlc(k->like);
    bs_schema       *is = bs_columns_mlc(k);
    const int32_t    n = is->n_features;
    int32_t         *from = bs_calloc((size_t)n + 1, sizeof *from);
    bool             ok = true;
    basin_status     s =
        from ? bs_units_relate(k->like, was->n_features, k, n, 0, from, err) : bs_fail_nomem(err);
    if (!s) {
        is->fill = kept(was->fill, is->fill, from, n, &k->arena, &ok);
        is->mean = kept(was->mean, is->mean, from, n, &k->arena, &ok);
        is->scale = kept(was->scale, is->scale, from, n, &k->arena, &ok);
    }
    bs_free(from);
    return s || ok ? s : bs_fail_nomem(err);
}

/* As if every label had been seen half a time more, both on and off. */
static const float *log_odds_of(const bs_rows *train, bs_arena *arena)
{
    const int32_t L = train->schema.n_labels;
    float        *out = bs_arena_alloc(arena, (size_t)L * sizeof *out);
    if (!out)
        return NULL;
    memset(out, 0, (size_t)L * sizeof *out);
    for (int32_t i = 0; i < train->y.start[train->rows]; i++)
        out[train->y.index[i]]++;
    for (int32_t i = 0; i < L; i++)
        out[i] = (float)log((out[i] + 0.5) / ((double)train->rows - (double)out[i] + 0.5));
    return out;
}

static const char *label_name(const void *of, int i)
{
    return ((const bs_schema *)of)->label[i];
}

static basin_status fit_weights(const bs_settings *s, const bs_rows *train, bs_logger *log,
                                bs_preprocess *out, basin_error *err)
{
    const int32_t L = train->schema.n_labels;
    double       *count = bs_calloc((size_t)L, sizeof *count);
    if (!count)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < train->y.start[train->rows]; i++)
        count[train->y.index[i]]++;
    const bs_weighed w = {L, label_name, &train->schema, "label", count, train->rows};
    basin_status     status = bs_weights_fit(&s->train, &w, log, out, err);
    bs_free(count);
    return status;
}

basin_status bs_mlc_fit(const bs_settings *s, bs_dataset *part, int n, bs_logger *log,
                        bs_preprocess *out, basin_error *err)
{
    const bs_rows *train = bs_dataset_mlc(&part[0]);
    bs_mlc_known  *k = bs_preprocess_begin(out, &bs_task_mlc, sizeof *k);
    if (!k)
        return bs_fail_nomem(err);
    out->deciding = BS_METRIC_example_f1;
    if (train->schema.n_labels == 0)
        return bs_fail(err, BASIN_EDATA,
                       "the training data has no labels; --labels selects their columns");
    basin_status status = bs_schema_copy(&train->schema, &out->arena, &k->columns, err);
    if (status)
        return status;
    const bs_schema *like = out->like ? bs_columns_mlc(out->like) : NULL;
    bs_schema_judge(train, &k->columns);
    if (like) {
        k->columns.dense = like->dense;
        k->columns.binary = like->binary;
    }
    const bool standardise = like ? like->mean != NULL : wants_standardising(s, &k->columns);
    status = bs_schema_fit(train, standardise, &out->arena, &k->columns, err);
    k->schema = k->columns; /* names for what follows */
    if (!status && like)
        status = keep_scales(out, err);
    if (!status)
        status = bs_mlc_fit_texts(s, part, n, out, err);
    if (status)
        return status;
    if (standardise)
        bs_log_say(log, BS_INFO,
                   "features are standardised by the training rows; "
                   "--set standardise=no leaves them as they are");
    for (int i = 0; i < n; i++)
        if (bs_dataset_mlc(&part[i]) && bs_dataset_mlc(&part[i])->n_missing > 0 &&
            bs_mlc_is_sparse(&k->schema))
            bs_rows_fill(bs_dataset_mlc(&part[i]), &k->schema);
    if (!(k->log_odds = log_odds_of(train, &out->arena)))
        return bs_fail_nomem(err);
    if ((status = fit_weights(s, train, log, out, err)))
        return status;
    if (s->train.net_bins == 0 || bs_mlc_is_sparse(&k->schema))
        return BASIN_OK;
    return bs_bins_fit(train, &k->schema, s->train.net_bins, &out->arena, &k->bins, err);
}

/* ---- in a file ---- */

void bs_mlc_known_text(const bs_preprocess *k, bs_buf *out)
{
    const bs_mlc_known *own = bs_preprocess_mlc(k);
    if (own->text)
        bs_buf_printf(out, "texts, ");
    if (own->ngrams.n > 0 && own->columns.n_features > 0)
        bs_buf_printf(out, "%d columns and ", (int)own->columns.n_features);
    bs_buf_printf(out, "%d %s, %d labels",
                  (int)(own->ngrams.n > 0 ? own->ngrams.n : own->schema.n_features),
                  own->ngrams.n > 0 ? "n-grams" : "features", (int)own->schema.n_labels);
}

void bs_mlc_known_json(const bs_preprocess *k, bs_buf *out)
{
    const bs_mlc_known *own = bs_preprocess_mlc(k);
    bs_schema_json(&own->columns, out);
    if ((own->ngrams.n == 0 && !own->text) || out->failed)
        return;
    out->len--; /* one more member of the object */
    if (own->text)
        bs_mlc_text_json(own->text, out);
    else
        bs_ngrams_json(&own->ngrams, out);
    bs_json_close(out, '}');
}

basin_status bs_mlc_known_read(json_t *o, const char *where, bs_preprocess *out, basin_error *err)
{
    bs_mlc_known *k = bs_preprocess_begin(out, &bs_task_mlc, sizeof *k);
    if (!k)
        return bs_fail_nomem(err);
    out->deciding = BS_METRIC_example_f1;
    basin_status s = bs_schema_take(o, where, &out->arena, &k->columns, err);
    const bool   texts = k->columns.n_texts > 0;
    json_t      *ngrams = json_object_get(o, "ngrams"), *encoder = json_object_get(o, "encoder");
    k->schema = k->columns;
    if (!s && texts && encoder)
        s = bs_mlc_text_from_json(encoder, where, &k->text, err);
    else if (!s && texts && ngrams)
        s = bs_ngrams_from_json(ngrams, where, &out->arena, &k->ngrams, err);
    if (!s && k->ngrams.n > 0)
        s = bs_ngrams_schema(&k->ngrams, &k->columns, &out->arena, &k->schema, err);
    return s;
}

/* ---- going on with a model ---- */

/* 1 is YES in the model and NO in these rows, or a number there and a category here. */
static basin_status check_readings(const bs_schema *was, const bs_schema *is, basin_error *err)
{
    for (int32_t i = 0, hint = 0; is->feature && i < is->n_features; i++) {
        const bs_feature *b = &is->feature[i], *a = bs_schema_attribute(was, b->attribute, &hint);
        const bool        both = a && a->kind == BS_FEATURE_BINARY && b->kind == a->kind;
        if (a && ((a->kind == BS_FEATURE_ONEHOT) != (b->kind == BS_FEATURE_ONEHOT) ||
                  (both && a->value && b->value && strcmp(a->value, b->value) != 0)))
            return bs_fail(err, BASIN_EDATA,
                           "--from: column '%s' is read differently from the model (a number, "
                           "a category, or another value as 1)",
                           b->attribute);
    }
    return BASIN_OK;
}

static basin_status check_numbers(const bs_schema *was, const bs_schema *is, basin_error *err)
{
    if ((was->feature && is->feature) || is->open || was->n_features == is->n_features)
        return BASIN_OK;
    return bs_fail(err, BASIN_EDATA,
                   "--from: the model has %d features and this data %d, and without column names "
                   "it is unknown which are the same",
                   (int)was->n_features, (int)is->n_features);
}

/* Labels are kept, and so are categories of existing columns and, if rows list what they have,
 * features. Other columns that the data lacks are dropped. */
basin_status bs_mlc_widen(bs_dataset *train, const bs_preprocess *like, bs_logger *log,
                          basin_error *err)
{
    bs_rows         *d = bs_dataset_mlc(train);
    const bs_schema *was = bs_columns_mlc(like);
    const bs_rows    other = {.schema = *was, .open_labels = true, .by_name = d->by_name};
    const bool       open = d->open_labels;
    const int32_t    before = d->schema.n_labels, features = d->schema.n_features;
    if (before == 0)
        return BASIN_OK; /* fit decides what to do */
    basin_status s = BASIN_OK;
    if (was->n_texts && !d->document)
        s = bs_fail(err, BASIN_EDATA, "--from: the model reads texts, and these rows have none");
    if (!s)
        s = check_readings(was, &d->schema, err);
    if (!s)
        s = check_numbers(was, &d->schema, err);
    d->open_labels = true;
    if (!s)
        s = bs_rows_widen(d, &other, err);
    d->open_labels = open;
    if (!s && d->by_name)
        d->n_missing += (int64_t)(d->schema.n_features - features) * d->rows;
    if (!s && d->schema.n_labels > before)
        bs_log_say(log, BS_WARN,
                   "--from: %d of the model's labels do not occur in this data, such as '%s': "
                   "they are kept, and every row counts as one without them",
                   (int)(d->schema.n_labels - before), d->schema.label[before]);
    return s;
}
