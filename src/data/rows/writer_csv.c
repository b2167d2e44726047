/* writer_csv.c -- one column per feature, then one 0/1 column per label. */
#include <string.h>

#include "data/scan.h"
#include "data/rows/write.h"

static void put_quoted(bs_writing *w, const char *text)
{
    bs_put(w, "\"");
    for (const char *p = text; *p; p++)
        bs_put_bytes(w, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
    bs_put(w, "\"");
}

static void put_cell(bs_writing *w, const char *text)
{
    size_t n = strlen(text);
    if (strpbrk(text, ",\"\n\r") || *text == ' ' || *text == '\t' || bs_trim(text, n) != n)
        put_quoted(w, text);
    else
        bs_put(w, text);
}

/* An unquoted number in the first line would mean that it holds no names. */
static void put_name(bs_writing *w, const char *text)
{
    double      v;
    const char *end = bs_scan_double(text, &v);
    if ((end && !*end) || bs_is_missing(text, strlen(text)))
        put_quoted(w, text);
    else
        put_cell(w, text);
}

static void put_header(const bs_rows *ds, bs_writing *w)
{
    char scratch[24];
    if (ds->row_id) {
        bs_put(w, bs_id_column(ds));
        bs_put(w, ",");
    }
    if (ds->document)
        bs_put(w, bs_text_column(ds));
    for (int32_t i = 0; i < ds->schema.n_features; i++) {
        bs_put(w, i || ds->document ? "," : "");
        put_name(w, bs_feature_name(ds, i, scratch));
    }
    for (int32_t i = 0; i < ds->schema.n_labels; i++) {
        bs_put(w, ",");
        put_name(w, ds->schema.label[i]);
    }
    bs_put(w, "\n");
}

static void write_csv(const bs_rows *ds, bs_writing *w)
{
    put_header(ds, w);
    for (int32_t r = 0; r < ds->rows && !w->status; r++) {
        if (ds->row_id) {
            put_cell(w, ds->row_id[r]);
            bs_put(w, ",");
        }
        if (ds->document) {
            put_cell(w, ds->document[r].bytes);
            bs_put(w, ds->schema.n_features ? "," : "");
        }
        bs_put_row(w, ds, r, "");
    }
}

const bs_writer bs_writer_csv = {
    .name = "csv",
    .help = "comma-separated cells: features, then 0/1 labels (read with --labels last:N)",
    .extensions = ".csv",
    .keeps = BS_KEEPS_LABELS | BS_KEEPS_FEATURES | BS_KEEPS_NAMES | BS_KEEPS_IDS | BS_KEEPS_TEXTS,
    .columns = true,
    .write = write_csv,
};
