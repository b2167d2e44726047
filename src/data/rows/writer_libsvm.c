/* writer_libsvm.c -- LIBSVM rows; features count from 1, labels are numbered. */
#include "data/rows/write.h"

#include "base/opt.h"

/* Names that are numbers are kept; others become positions. */
static bool numeric_names(const bs_rows *ds)
{
    long long n;
    for (int32_t i = 0; i < ds->schema.n_labels; i++)
        if (!bs_parse_int(ds->schema.label[i], &n) || ds->schema.label[i][0] == '+')
            return false;
    return true;
}

static void write_libsvm(const bs_rows *ds, bs_writing *w)
{
    bool names = numeric_names(ds);
    for (int32_t r = 0; r < ds->rows && !w->status; r++) {
        for (int32_t e = ds->y.start[r]; e < ds->y.start[r + 1]; e++) {
            bs_put(w, e > ds->y.start[r] ? "," : "");
            if (names)
                bs_put(w, ds->schema.label[ds->y.index[e]]);
            else
                bs_put_int(w, ds->y.index[e]);
        }
        for (int32_t e = ds->x.start[r]; e < ds->x.start[r + 1]; e++) {
            bs_put(w, " ");
            bs_put_int(w, (long long)ds->x.index[e] + 1);
            bs_put(w, ":");
            bs_put_float(w, ds->x.value ? ds->x.value[e] : 1);
        }
        /* A blank line at the end of a file is not a row; a zero makes it one. */
        if (ds->x.start[r] == ds->x.start[r + 1])
            bs_put(w, " 1:0");
        bs_put(w, "\n");
    }
}

static void write_names(const bs_rows *ds, bs_buf *out)
{
    if (!numeric_names(ds))
        bs_list_labels(ds, out);
}

static const char *refuse(const bs_rows *ds)
{
    return ds->n_missing               ? "it has missing values"
           : ds->unknown.start         ? "it has open labels"
           : bs_labels_break_lines(ds) ? "the name of a label has a line break"
                                       : NULL;
}

const bs_writer bs_writer_libsvm = {
    .name = "libsvm",
    .help = "LIBSVM rows, features from 1; names of labels go to NAME.labels",
    .extensions = ".libsvm .svm .svmlight",
    .write = write_libsvm,
    .refuse = refuse,
    .side_extension = ".labels",
    .side = write_names,
};
