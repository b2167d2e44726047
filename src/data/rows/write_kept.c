/* write_kept.c -- writes rows as they are in the file they come from.
 *
 * A data set holds what was understood of a file: a category is one-hot, an identifier is gone.
 * Files written from it would look different from the original. */
#include <string.h>

#include "data/rows/write.h"

typedef struct {
    const bs_rows *ds;
    const int32_t *rows;
    int32_t        n;
} kept;

const char *bs_rows_not_kept(const bs_rows *ds)
{
    if (strcmp(ds->format, "xmc") == 0)
        return "the first line has the number of rows";
    if (strcmp(ds->format, "npy") == 0)
        return "its rows are not lines";
    if (ds->source.paired)
        return "labels are in a file of their own";
    if (ds->source.recoded)
        return "it is UTF-16";
    if (!ds->row_text)
        return "rows without labels were left out";
    for (int32_t i = 0; i < ds->rows; i++)
        if (!ds->row_text[i].bytes)
            return "blank lines are rows there";
    return NULL;
}

/* Labels may come from an option; the parts should be readable without it. */
static const char *list_labels(const bs_rows *ds, bs_buf *out)
{
    const bs_writer *writer = bs_writer_find(ds->format);
    const bool       classes = strncmp(ds->source.labels_from, "hierarchical", 12) == 0;
    if (strcmp(ds->format, "arff") == 0 && ds->schema.n_labels && !classes)
        writer->side(ds, out);
    if (strcmp(ds->format, "libsvm") == 0 && !ds->open_labels)
        bs_list_labels(ds, out);
    return writer ? writer->side_extension : NULL;
}

static basin_status put(bs_output *out, const char *bytes, size_t n, basin_error *err)
{
    return n ? bs_output_write(out, bytes, n, err) : BASIN_OK;
}

static basin_status fill(const void *what, bs_output *out, basin_error *err)
{
    const kept    *k = what;
    const bs_rows *ds = k->ds;
    basin_status   s = put(out, "\xef\xbb\xbf", ds->source.marked ? 3 : 0, err);
    if (!s && ds->head_text)
        s = put(out, ds->head_text, strlen(ds->head_text), err);
    for (int32_t i = 0; i < k->n && !s; i++) {
        const bs_row_text *row = &ds->row_text[k->rows[i]];
        s = put(out, row->bytes, row->n, err);
        /* The last line of a file may lack an end, but here another row follows it. */
        if (!s && row->bytes[row->n - 1] != '\n')
            s = put(out, "\n", 1, err);
    }
    return s;
}

basin_status bs_rows_write_kept(const bs_rows *ds, const int32_t *rows, int32_t n, const char *path,
                                bs_notes *notes, basin_error *err)
{
    const kept k = {ds, rows, n};
    bs_buf     labels;
    bs_buf_init(&labels, (size_t)1 << 31);
    const char  *extension = list_labels(ds, &labels);
    basin_status s = labels.failed ? bs_fail_nomem(err)
                                   : bs_write_pair(path, fill, &k, extension, &labels, notes, err);
    bs_buf_free(&labels);
    return s;
}
