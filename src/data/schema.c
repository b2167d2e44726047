/* schema.c -- what training computes from its data (fill, mean, scale), and how it is applied. */
#include <math.h>
#include <string.h>

#include "data/dataset.h"

static const float *copy_floats(bs_arena *arena, const float *from, int32_t n, bool *ok)
{
    if (!from)
        return NULL;
    float *to = bs_arena_alloc(arena, ((size_t)n + 1) * sizeof *to);
    if (to)
        memcpy(to, from, (size_t)n * sizeof *to);
    else
        *ok = false;
    return to;
}

static const char *copy_text(bs_arena *arena, const char *text, bool *ok)
{
    if (!text)
        return NULL;
    const char *copy = bs_arena_copy(arena, text, strlen(text));
    *ok = *ok && copy;
    return copy;
}

basin_status bs_schema_copy(const bs_schema *from, bs_arena *arena, bs_schema *out,
                            basin_error *err)
{
    size_t       nf = (size_t)from->n_features, nl = (size_t)from->n_labels;
    bool         ok = true;
    bs_schema    to = *from;
    const char **label = bs_arena_alloc(arena, (nl + 1) * sizeof *label);
    bs_feature  *feature = NULL;
    if (from->feature)
        feature = bs_arena_alloc(arena, (nf + 1) * sizeof *feature);
    ok = label && (feature || !from->feature);
    for (size_t i = 0; ok && i < nl; i++)
        label[i] = copy_text(arena, from->label[i], &ok);
    for (size_t i = 0; ok && feature && i < nf; i++) {
        const bs_feature *f = &from->feature[i];
        feature[i].kind = f->kind;
        feature[i].name = copy_text(arena, f->name, &ok);
        /* One-hot features of one attribute share its name. */
        if (f->attribute == f->name)
            feature[i].attribute = feature[i].name;
        else if (i && f->attribute == from->feature[i - 1].attribute)
            feature[i].attribute = feature[i - 1].attribute;
        else
            feature[i].attribute = copy_text(arena, f->attribute, &ok);
        feature[i].value = copy_text(arena, f->value, &ok);
    }
    to.label = label;
    to.feature = feature;
    const char **text = bs_arena_alloc(arena, ((size_t)from->n_texts + 1) * sizeof *text);
    ok = ok && text;
    for (int32_t i = 0; ok && i < from->n_texts; i++)
        text[i] = copy_text(arena, from->text[i], &ok);
    to.text = text;
    to.fill = copy_floats(arena, from->fill, from->n_features, &ok);
    to.mean = copy_floats(arena, from->mean, from->n_features, &ok);
    to.scale = copy_floats(arena, from->scale, from->n_features, &ok);
    if (!ok)
        return bs_fail_nomem(err);
    *out = to;
    return BASIN_OK;
}

const bs_feature *bs_schema_attribute(const bs_schema *s, const char *attribute, int32_t *hint)
{
    const int32_t n = s && s->feature ? s->n_features : 0;
    for (int32_t k = 0; k < n; k++) {
        int32_t i = *hint + k < n ? *hint + k : *hint + k - n;
        if (strcmp(s->feature[i].attribute, attribute) == 0) {
            *hint = i;
            return &s->feature[i];
        }
    }
    return NULL;
}

/* --- fitting ------------------------------------------------------------- */

static bool is_number(const bs_schema *s, int32_t i)
{
    return !s->feature || s->feature[i].kind == BS_FEATURE_NUMERIC;
}

/* By the values alone: the same rows must give the same model whatever file they come from.
 * Categories are excluded, since a column of many values says nothing about the numbers. */
void bs_schema_judge(const bs_rows *train, bs_schema *schema)
{
    const int32_t D = schema->n_features, n = train->x.start[train->rows];
    int64_t       numbers = 0, stored = 0;
    schema->binary = true;
    for (int32_t e = 0; e < n; e++) {
        float v = train->x.value ? train->x.value[e] : 1;
        schema->binary = schema->binary && (v == 1 || isnan(v));
        stored += is_number(schema, train->x.index[e]);
    }
    for (int32_t i = 0; i < D; i++)
        numbers += is_number(schema, i);
    schema->dense = numbers && 4 * stored >= numbers * train->rows;
}

/* Two passes over the entries: zeros that are not stored count, missing values do not. */
static void moments(const bs_rows *ds, double *mean, double *square, double *known)
{
    const int32_t D = ds->schema.n_features, n = ds->x.start[ds->rows];
    for (int32_t i = 0; i < D; i++)
        known[i] = ds->rows;
    for (int32_t e = 0; e < n; e++) {
        float v = ds->x.value ? ds->x.value[e] : 1;
        if (isnan(v))
            known[ds->x.index[e]]--;
        else
            mean[ds->x.index[e]] += v;
    }
    for (int32_t i = 0; i < D; i++) {
        mean[i] = known[i] > 0 ? mean[i] / known[i] : 0;
        square[i] = known[i] * mean[i] * mean[i];
    }
    for (int32_t e = 0; e < n; e++) {
        double v = ds->x.value ? (double)ds->x.value[e] : 1, m = mean[ds->x.index[e]];
        if (isnan(v))
            continue;
        square[ds->x.index[e]] += (v - m) * (v - m) - m * m;
    }
}

basin_status bs_schema_fit(const bs_rows *train, bool standardise, bs_arena *arena,
                           bs_schema *schema, basin_error *err)
{
    const int32_t D = train->schema.n_features;
    size_t        n = (size_t)D + 1;
    if (schema->n_features != D)
        return bs_fail(err, BASIN_EARG, "the schema has %d features, the data %d",
                       schema->n_features, D);
    double *sums = bs_calloc(3 * n, sizeof *sums);
    float  *fill = bs_arena_alloc(arena, n * sizeof *fill);
    float  *mean = standardise ? bs_arena_alloc(arena, n * sizeof *mean) : NULL;
    float  *scale = standardise ? bs_arena_alloc(arena, n * sizeof *scale) : NULL;
    if (!sums || !fill || (standardise && (!mean || !scale))) {
        bs_free(sums);
        return bs_fail_nomem(err);
    }
    moments(train, sums, sums + n, sums + 2 * n);
    for (int32_t i = 0; i < D; i++) {
        double known = sums[2 * n + (size_t)i], m = sums[i];
        double sd = known > 0 ? sqrt(fmax(sums[n + (size_t)i], 0) / known) : 0;
        fill[i] = (float)m;
        if (!standardise)
            continue;
        /* A deviation that is only rounding error means a constant. */
        bool use = is_number(&train->schema, i) && sd > 1e-7 * fabs(m) && 1 / sd < 1e30;
        mean[i] = use ? (float)m : 0;
        scale[i] = use ? (float)(1 / sd) : 1;
    }
    bs_free(sums);
    schema->fill = fill;
    schema->mean = mean;
    schema->scale = scale;
    return BASIN_OK;
}

/* --- use ----------------------------------------------------------------- */

static float filled(const bs_schema *s, int32_t feature, float v)
{
    if (!isnan(v))
        return v;
    return s->fill ? s->fill[feature] : 0;
}

void bs_rows_dense(const bs_rows *ds, const bs_schema *schema, const int32_t *index, int32_t first,
                   int32_t n, float *out)
{
    const int32_t D = schema->n_features;
    for (int32_t i = 0; i < n; i++) {
        float  *row = out + (size_t)i * (size_t)D;
        int32_t r = index ? index[i] : first + i;
        memset(row, 0, (size_t)D * sizeof *row);
        for (int32_t e = ds->x.start[r]; e < ds->x.start[r + 1]; e++) {
            int32_t f = ds->x.index[e];
            row[f] = filled(schema, f, ds->x.value ? ds->x.value[e] : 1);
        }
        for (int32_t f = 0; schema->mean && f < D; f++)
            row[f] = (row[f] - schema->mean[f]) * schema->scale[f];
    }
}

void bs_rows_fill(bs_rows *ds, const bs_schema *schema)
{
    for (int32_t e = 0; ds->x_value && e < ds->x_start[ds->rows]; e++)
        ds->x_value[e] = filled(schema, ds->x_index[e], ds->x_value[e]);
    ds->n_missing = 0;
}
