/* writer_jsonl.c -- one object per row; features that are zero are left out. */
#include <math.h>

#include "data/write.h"

static void put_value(bs_writing *w, float v)
{
    if (isnan(v))
        bs_put(w, "null");
    else
        bs_put_float(w, v);
}

/* Numbered features of a dense file stay a list; else names, or numbers as names. */
static void put_features(const bs_dataset *ds, int32_t r, bs_writing *w)
{
    const bs_schema *s = &ds->schema;
    bool             list = !s->feature && s->dense;
    const char      *comma = "";
    bs_put(w, list ? "\"features\":[" : "\"features\":{");
    for (int32_t e = ds->x.start[r], f = 0; e < ds->x.start[r + 1]; e++, comma = ",") {
        char scratch[24];
        for (; list && f < ds->x.index[e]; f++)
            bs_put(w, f ? ",0" : "0");
        if (list && f > 0)
            comma = ",";
        f = ds->x.index[e] + 1;
        bs_put(w, comma);
        const bs_feature *name = s->feature ? &s->feature[ds->x.index[e]] : NULL;
        bool              category = name && name->kind == BS_FEATURE_ONEHOT && name->value;
        if (!list) {
            bs_put_json(w,
                        category ? name->attribute : bs_feature_name(ds, ds->x.index[e], scratch));
            bs_put(w, ":");
        }
        if (category)
            bs_put_json(w, name->value);
        else
            put_value(w, ds->x.value ? ds->x.value[e] : 1);
        if (list && e + 1 == ds->x.start[r + 1])
            for (; f < s->n_features; f++)
                bs_put(w, ",0");
    }
    for (int32_t f = 0; list && ds->x.start[r] == ds->x.start[r + 1] && f < s->n_features; f++)
        bs_put(w, f ? ",0" : "0");
    bs_put(w, list ? "]" : "}");
}

static void put_labels(const bs_dataset *ds, int32_t r, bs_writing *w)
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

static void write_jsonl(const bs_dataset *ds, bs_writing *w)
{
    for (int32_t r = 0; r < ds->rows && !w->status; r++) {
        bs_put(w, "{");
        if (ds->row_id) {
            bs_put(w, "\"id\":");
            bs_put_json(w, ds->row_id[r]);
            bs_put(w, ",");
        }
        put_features(ds, r, w);
        if (ds->labelled)
            put_labels(ds, r, w);
        bs_put(w, "}\n");
    }
}

const bs_writer bs_writer_jsonl = {
    .name = "jsonl",
    .help = "one JSON object per row: id, features, labels",
    .extensions = ".jsonl .ndjson",
    .keeps = BS_KEEPS_NAMES | BS_KEEPS_IDS,
    .write = write_jsonl,
};
