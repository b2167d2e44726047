/* files.c -- files of rows, read whole or some rows at a time, for training or for a model. What a
 * model knows, or the first of several files, says which columns the others have to have. */
#include <string.h>

#include "data/rows/csv.h"
#include "task/mlc/data.h"

int bs_mlc_sniff(const char *path, const char *head, size_t n)
{
    int best = 1; /* nothing better fits, and the reader's message says more than ours */
    if (head && bs_is_sheet(head, n))
        return 100; /* not an archive of pictures */
    for (int i = 0; bs_readers[i] && head; i++) {
        int sure = bs_readers[i]->sniff(head, n, path);
        best = sure > best ? sure : best;
    }
    return best;
}

static basin_status take(bs_rows *d, bs_dataset *out)
{
    *out = (bs_dataset){.task = &bs_task_mlc, .rows = d->rows, .hash = d->hash, .own = d};
    return BASIN_OK;
}

static bs_read_options reading_of(const bs_settings *s, const bs_read_request *w)
{
    bs_read_options o = s->read;
    o.like = w->known   ? bs_columns_mlc(w->known)
             : w->first ? &bs_dataset_mlc(w->first)->schema
                        : NULL;
    o.label_free = w->label_free;
    o.keep_text = w->keep_text;
    if (w->known)
        o.drop_unlabelled = false;
    return o;
}

/* Columns known by position cannot be told apart when one of them is absent. */
static bool has_names(const bs_schema *like)
{
    return like->feature && like->n_features > 0 && !bs_csv_headless(like);
}

/* Matches what was read to the required schema. Takes d in any case. */
static basin_status adopt(const bs_read_request *w, const bs_schema *like, bs_rows *d,
                          const char *file, bs_notes *notes, bs_dataset *out, basin_error *err)
{
    basin_status status = BASIN_OK;
    if (w->label_free) { /* whatever they are: they are not needed */
        bs_rows_forget_labels(d);
        d->lenient = like && has_names(like) && strcmp(d->format, "npy") != 0;
    } else if (like)
        status = bs_rows_known_labels(like, d, file, notes, err);
    if (!status && like)
        status = bs_rows_match(like, d, file, notes, err);
    if (!status && w->known && bs_preprocess_mlc(w->known)->ngrams.n > 0)
        status = bs_mlc_read_texts(w->known, d, notes, err);
    else if (!status && w->known && bs_mlc_is_sparse(like) && d->n_missing > 0)
        bs_rows_fill(d, like);
    if (!status)
        return take(d, out);
    bs_rows_free(d);
    return status;
}

/* Adds the rows of `more`, which match the same schema. */
static basin_status append(bs_dataset *all, const bs_dataset *more, basin_error *err)
{
    bs_rows     *a = bs_dataset_mlc(all);
    basin_status status = bs_rows_append(a, bs_dataset_mlc(more), err);
    if (!status && !bs_coverage_add(&a->met, &bs_dataset_mlc(more)->met, a->schema.n_features))
        status = bs_fail_nomem(err);
    return status ? status : take(a, all);
}

/* Files are matched to a schema one by one: what the first lacks, the second may have. */
basin_status bs_mlc_read(const bs_settings *s, const bs_read_request *w, bs_notes *notes,
                         bs_dataset *out, basin_error *err)
{
    const bs_read_options o = reading_of(s, w);
    basin_status          status = BASIN_OK;
    for (int i = 0, used = w->n; i < w->n && !status; i += used) {
        bs_dataset more = {0};
        bs_rows   *d = NULL;
        if (w->given)
            status = bs_rows_from_memory(w->given, &o, &d, notes, err);
        else
            status = o.like ? bs_rows_read_next(w->file + i, w->n - i, &o, &used, &d, notes, err)
                            : bs_rows_read(w->file, w->n, &o, &d, notes, err);
        if (!status)
            status = adopt(w, o.like, d, w->file[i], notes, i ? &more : out, err);
        if (!status && i)
            status = append(out, &more, err);
        bs_dataset_free(&more);
    }
    if (status)
        bs_dataset_free(out);
    return status;
}

/* ---- some rows at a time ---- */

typedef struct {
    bs_stream       base;
    bs_read_request wish;
    bs_read_options o;
    bs_reading     *file;              /* the one being read, or NULL */
    int             next;              /* file */
    char            x[BS_OPTION_TEXT]; /* its name, if labels are in a second file */
    int32_t         rows;
    bs_coverage     met; /* of all rows so far */
} mlc_stream;

/* The Y of "X.csv+Y.csv" is not needed. */
static const char *without_labels(const char *path, char x[BS_OPTION_TEXT])
{
    char y[BS_OPTION_TEXT];
    return bs_pair_path(path, x, y) ? x : path;
}

static basin_status stream_next(bs_stream *base, bs_notes *notes, bs_dataset *out, bool *more,
                                basin_error *err)
{
    mlc_stream  *s = (mlc_stream *)base;
    basin_status status = BASIN_OK;
    bs_rows     *d = NULL;
    *out = (bs_dataset){0};
    *more = false;
    while (!status && !d) {
        if (!s->file && s->next == s->wish.n)
            return BASIN_OK;
        if (!s->file)
            status =
                bs_rows_open(without_labels(s->wish.file[s->next++], s->x), &s->o, &s->file, err);
        if (!status)
            status = bs_rows_next(s->file, s->rows, &d, notes, err);
        if (!status && !d) {
            bs_rows_close(s->file);
            s->file = NULL;
        }
    }
    *more = !status;
    if (!status)
        status = adopt(&s->wish, s->o.like, d, s->wish.file[s->next - 1], notes, out, err);
    if (!status && !bs_coverage_add(&s->met, &bs_dataset_mlc(out)->met, s->o.like->n_features))
        status = bs_fail_nomem(err);
    return status;
}

static void stream_remark(bs_stream *base, bs_logger *log)
{
    const mlc_stream *s = (const mlc_stream *)base;
    bs_mlc_strange(&s->met, s->o.like, true, log);
}

static void stream_free(bs_stream *base)
{
    mlc_stream *s = (mlc_stream *)base;
    bs_rows_close(s->file);
    bs_coverage_free(&s->met);
    bs_free(s);
}

basin_status bs_mlc_stream(const bs_settings *s, const bs_read_request *w, int32_t rows,
                           bs_stream **out, basin_error *err)
{
    mlc_stream *new = bs_calloc(1, sizeof *new);
    *out = NULL;
    if (!new)
        return bs_fail_nomem(err);
    *new = (mlc_stream){.base = {stream_next, stream_remark, stream_free},
                        .wish = *w,
                        .o = reading_of(s, w),
                        .rows = rows};
    *out = &new->base;
    return BASIN_OK;
}

basin_status bs_mlc_select(const bs_dataset *p, const int32_t *rows, int32_t n, bs_dataset *out,
                           basin_error *err)
{
    bs_rows     *d = NULL;
    basin_status s = bs_rows_select(bs_dataset_mlc(p), rows, n, &d, err);
    return s ? s : take(d, out);
}
