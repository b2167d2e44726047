/* writer_libsvm.c -- LIBSVM rows, in which features count from 1, and the extreme-classification
 * format, which begins with a line "rows features labels" and counts from 0. Names of labels that
 * rows cannot have go to a file beside them. */
#include "base/opt.h"
#include "data/rows/write.h"

/* A name for every label that LIBSVM rows can have: a number. */
static bool numeric_names(const bs_rows *ds)
{
    long long n;
    for (int32_t i = 0; i < ds->schema.n_labels; i++)
        if (!bs_parse_int(ds->schema.label[i], &n) || ds->schema.label[i][0] == '+')
            return false;
    return true;
}

static void put_row(const bs_rows *ds, int32_t r, int base, bool names, bs_writing *w)
{
    for (int32_t e = ds->y.start[r]; e < ds->y.start[r + 1]; e++) {
        bs_put(w, e > ds->y.start[r] ? "," : "");
        if (names)
            bs_put(w, ds->schema.label[ds->y.index[e]]);
        else
            bs_put_int(w, ds->y.index[e]);
    }
    for (int32_t e = ds->x.start[r]; e < ds->x.start[r + 1]; e++) {
        bs_put(w, " ");
        bs_put_int(w, (long long)ds->x.index[e] + base);
        bs_put(w, ":");
        bs_put_float(w, ds->x.value ? ds->x.value[e] : 1);
    }
}

static void write_libsvm(const bs_rows *ds, bs_writing *w)
{
    const bool names = numeric_names(ds);
    for (int32_t r = 0; r < ds->rows && !w->status; r++) {
        put_row(ds, r, 1, names, w);
        /* A blank line at the end of a file is not a row; a zero makes it one. */
        bs_put(w, ds->x.start[r] == ds->x.start[r + 1] ? " 1:0\n" : "\n");
    }
}

static void write_xmc(const bs_rows *ds, bs_writing *w)
{
    bs_put_int(w, ds->rows);
    bs_put(w, " ");
    bs_put_int(w, ds->schema.n_features);
    bs_put(w, " ");
    bs_put_int(w, ds->schema.n_labels);
    bs_put(w, "\n");
    for (int32_t r = 0; r < ds->rows && !w->status; r++) {
        put_row(ds, r, 0, false, w);
        bs_put(w, "\n");
    }
}

static void names_of_libsvm(const bs_rows *ds, bs_buf *out)
{
    if (!numeric_names(ds))
        bs_list_labels(ds, out);
}

static void names_of_xmc(const bs_rows *ds, bs_buf *out)
{
    if (!bs_labels_are_positions(ds))
        bs_list_labels(ds, out);
}

static const char *refuse_libsvm(const bs_rows *ds)
{
    return ds->n_missing               ? "it has missing values"
           : ds->unknown.start         ? "it has open labels"
           : bs_labels_break_lines(ds) ? "the name of a label has a line break"
                                       : NULL;
}

static const char *refuse_xmc(const bs_rows *ds)
{
    const char *why = refuse_libsvm(ds);
    return why                          ? why
           : ds->schema.n_labels == 0   ? "there are no labels"
           : ds->schema.n_features == 0 ? "there are no features"
                                        : NULL;
}

const bs_writer bs_writer_libsvm = {
    .name = "libsvm",
    .help = "LIBSVM rows, features from 1; names of labels go to NAME.labels",
    .extensions = ".libsvm .svm .svmlight",
    .write = write_libsvm,
    .refuse = refuse_libsvm,
    .side_extension = ".labels",
    .side = names_of_libsvm,
};

const bs_writer bs_writer_xmc = {
    .name = "xmc",
    .help = "extreme-classification format, counting from 0; names of labels go to NAME.labels",
    .extensions = ".xmc",
    .keeps = BS_KEEPS_LABELS | BS_KEEPS_FEATURES,
    .write = write_xmc,
    .refuse = refuse_xmc,
    .side_extension = ".labels",
    .side = names_of_xmc,
};
