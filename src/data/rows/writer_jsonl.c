/* writer_jsonl.c -- one object per row; sparse rows omit features that are zero. */
#include <math.h>
#include <string.h>

#include "data/rows/write.h"

static void put_value(bs_writing *w, float v)
{
    if (isnan(v))
        bs_put(w, "null");
    else
        bs_put_float(w, v);
}

/* Columns of a table: every row has all of them, including zeros and missing values. */
static void put_columns(const bs_rows *ds, int32_t r, bs_writing *w)
{
    const bs_schema *s = &ds->schema;
    const char      *comma = "";
    bs_put(w, "\"features\":{");
    for (int32_t f = 0, e = ds->x.start[r], end = ds->x.start[r + 1]; f < s->n_features;) {
        const bs_feature *name = &s->feature[f];
        bool              there = e < end && ds->x.index[e] == f;
        bs_put(w, comma);
        bs_put_json(w, name->attribute);
        bs_put(w, ":");
        comma = ",";
        if (name->kind != BS_FEATURE_ONEHOT) {
            put_value(w, !there ? 0 : ds->x.value ? ds->x.value[e] : 1);
            e += there;
            f++;
            continue;
        }
        /* the values of a category are adjacent */
        const char *value = NULL;
        for (; f < s->n_features && s->feature[f].kind == BS_FEATURE_ONEHOT &&
               strcmp(s->feature[f].attribute, name->attribute) == 0;
             f++)
            if (e < end && ds->x.index[e] == f) {
                value = s->feature[f].value;
                e++;
            }
        if (value)
            bs_put_json(w, value);
        else
            bs_put(w, "null");
    }
    bs_put(w, "}");
}

/* Numbered features of a dense file stay a list. */
static void put_list(const bs_rows *ds, int32_t r, bs_writing *w)
{
    bs_put(w, "\"features\":[");
    for (int32_t f = 0, e = ds->x.start[r]; f < ds->schema.n_features; f++) {
        const bool there = e < ds->x.start[r + 1] && ds->x.index[e] == f;
        bs_put(w, f ? "," : "");
        put_value(w, !there ? 0 : ds->x.value ? ds->x.value[e] : 1);
        e += there;
    }
    bs_put(w, "]");
}

/* What is not zero, by names, or numbers as names. */
static void put_features(const bs_rows *ds, int32_t r, bs_writing *w)
{
    bs_put(w, "\"features\":{");
    for (int32_t e = ds->x.start[r]; e < ds->x.start[r + 1]; e++) {
        char              scratch[24];
        const int32_t     f = ds->x.index[e];
        const bs_feature *name = ds->schema.feature ? &ds->schema.feature[f] : NULL;
        const bool        category = name && name->kind == BS_FEATURE_ONEHOT && name->value;
        bs_put(w, e > ds->x.start[r] ? "," : "");
        bs_put_json(w, category ? name->attribute : bs_feature_name(ds, f, scratch));
        bs_put(w, ":");
        if (category)
            bs_put_json(w, name->value);
        else
            put_value(w, ds->x.value ? ds->x.value[e] : 1);
    }
    bs_put(w, "}");
}

static void put_labels(const bs_rows *ds, int32_t r, bs_writing *w)
{
    bool        open = ds->unknown.start && ds->unknown.start[r] < ds->unknown.start[r + 1];
    const char *comma = "";
    bs_put(w, open ? ",\"labels\":{" : ",\"labels\":[");
    for (int32_t e = ds->y.start[r]; e < ds->y.start[r + 1]; e++, comma = ",") {
        bs_put(w, comma);
        bs_put_json(w, ds->schema.label[ds->y.index[e]]);
        bs_put(w, open ? ":true" : "");
    }
    for (int32_t e = open ? ds->unknown.start[r] : 0; open && e < ds->unknown.start[r + 1];
         e++, comma = ",") {
        bs_put(w, comma);
        bs_put_json(w, ds->schema.label[ds->unknown.index[e]]);
        bs_put(w, ":null");
    }
    bs_put(w, open ? "}" : "]");
}

/* Values of a category are adjacent; in several files read as one they may not be. */
static bool side_by_side(const bs_schema *s)
{
    for (int32_t f = 1; f < s->n_features; f++) {
        const bs_feature *now = &s->feature[f];
        if (now->kind != BS_FEATURE_ONEHOT || strcmp(now->attribute, now[-1].attribute) == 0)
            continue;
        for (int32_t k = 0; k + 1 < f; k++)
            if (s->feature[k].kind == BS_FEATURE_ONEHOT &&
                strcmp(s->feature[k].attribute, now->attribute) == 0)
                return false;
    }
    return true;
}

static void put_inputs(const bs_rows *ds, int32_t r, bool columns, bs_writing *w)
{
    if (ds->document) {
        bs_put_json(w, bs_text_column(ds));
        bs_put(w, ":");
        bs_put_json(w, ds->document[r].bytes);
        if (ds->schema.n_features == 0)
            return;
        bs_put(w, ",");
    }
    if (columns)
        put_columns(ds, r, w);
    else if (!ds->schema.feature && ds->schema.dense)
        put_list(ds, r, w);
    else
        put_features(ds, r, w);
}

static void write_jsonl(const bs_rows *ds, bs_writing *w)
{
    const bool columns =
        ds->schema.feature && ds->schema.dense && !ds->schema.open && side_by_side(&ds->schema);
    for (int32_t r = 0; r < ds->rows && !w->status; r++) {
        bs_put(w, "{");
        if (ds->row_id) {
            bs_put(w, "\"id\":");
            bs_put_json(w, ds->row_id[r]);
            bs_put(w, ",");
        }
        put_inputs(ds, r, columns, w);
        if (ds->labelled)
            put_labels(ds, r, w);
        bs_put(w, "}\n");
    }
}

const bs_writer bs_writer_jsonl = {
    .name = "jsonl",
    .help = "one JSON object per row: id, text, features, labels",
    .extensions = ".jsonl .ndjson",
    .keeps = BS_KEEPS_NAMES | BS_KEEPS_IDS | BS_KEEPS_TEXTS,
    .write = write_jsonl,
};
