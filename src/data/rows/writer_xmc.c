/* writer_xmc.c -- the extreme-classification repository's one-file format; counts from 0. */
#include "data/rows/write.h"

static void write_xmc(const bs_rows *ds, bs_writing *w)
{
    bs_put_int(w, ds->rows);
    bs_put(w, " ");
    bs_put_int(w, ds->schema.n_features);
    bs_put(w, " ");
    bs_put_int(w, ds->schema.n_labels);
    bs_put(w, "\n");
    for (int32_t r = 0; r < ds->rows && !w->status; r++) {
        for (int32_t e = ds->y.start[r]; e < ds->y.start[r + 1]; e++) {
            bs_put(w, e > ds->y.start[r] ? "," : "");
            bs_put_int(w, ds->y.index[e]);
        }
        for (int32_t e = ds->x.start[r]; e < ds->x.start[r + 1]; e++) {
            bs_put(w, " ");
            bs_put_int(w, ds->x.index[e]);
            bs_put(w, ":");
            bs_put_float(w, ds->x.value ? ds->x.value[e] : 1);
        }
        bs_put(w, "\n");
    }
}

static void write_names(const bs_rows *ds, bs_buf *out)
{
    if (!bs_labels_are_positions(ds))
        bs_list_labels(ds, out);
}

static const char *refuse(const bs_rows *ds)
{
    return ds->n_missing                ? "it has missing values"
           : ds->unknown.start          ? "it has open labels"
           : bs_labels_break_lines(ds)  ? "the name of a label has a line break"
           : ds->schema.n_labels == 0   ? "there are no labels"
           : ds->schema.n_features == 0 ? "there are no features"
                                        : NULL;
}

const bs_writer bs_writer_xmc = {
    .name = "xmc",
    .help = "extreme-classification format, counting from 0; names of labels go to NAME.labels",
    .extensions = ".xmc",
    .keeps = BS_KEEPS_LABELS | BS_KEEPS_FEATURES,
    .write = write_xmc,
    .refuse = refuse,
    .side_extension = ".labels",
    .side = write_names,
};
