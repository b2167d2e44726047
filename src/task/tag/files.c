/* files.c -- sentences of files and of memory: read as a whole or some at a time, and selected. The
 * options that a model was trained with decide how later files are read. */
#include <string.h>

#include "task/tag/data.h"

static basin_status take(const bs_task *task, bs_corpus *c, bs_dataset *out)
{
    *out = (bs_dataset){.task = task, .rows = c->sentences, .hash = c->hash, .own = c};
    return BASIN_OK;
}

/* In the model's training file: at least the columns that it uses. */
static int columns_of(const bs_tag_known *k)
{
    long long most = k->text.word_column, number = 0;
    if (k->file_columns)
        return k->file_columns;
    if (bs_parse_int(k->text.tag_column, &number) && number > most)
        most = number;
    for (const char *at = k->text.feature_columns; *at; at += strcspn(at, ","), at += *at == ',') {
        char one[16];
        bs_print(one, sizeof one, "%.*s", (int)strcspn(at, ","), at);
        if (bs_parse_int(one, &number) && number > most)
            most = number;
    }
    return most > 0 && most <= BS_MOST_CELLS ? (int)most : 0;
}

static bs_corpus_options reading_of(const bs_settings *s, const bs_read_request *w)
{
    const bs_tag_known *k = w->known ? bs_preprocess_tag(w->known) : NULL;
    bs_corpus_options   o = k ? k->text : s->text;
    o.who = k ? "the model" : w->first ? "the training data" : NULL;
    o.roles = w->task != &bs_task_tag;
    if (w->first)
        bs_corpus_fix(bs_dataset_tag(w->first), &o);
    if (k) {
        o.columns = o.roles ? 0 : columns_of(k);
        o.spans = k->lexicon.scheme != BS_SCHEME_RAW;
        o.tags = &k->lexicon.tags;
    }
    o.label_free = w->label_free;
    o.max_mb = s->read.max_mb;
    o.max_line_mb = s->read.max_line_mb;
    if (w->unlabelled)
        bs_print(o.tag_column, sizeof o.tag_column, "none");
    return o;
}

static basin_status adopt(const bs_read_request *w, bs_corpus *c, bs_dataset *out, basin_error *err)
{
    const int columns =
        w->known ? bs_lexicon_columns(&bs_preprocess_tag(w->known)->lexicon) : c->columns;
    if (c->sentences == 0 || c->columns == columns)
        return take(w->task, c, out);
    basin_status status =
        bs_fail(err, BASIN_EARG, "--feature-columns: %d columns, but the model was trained with %d",
                c->columns, columns);
    bs_corpus_free(c);
    return status;
}

basin_status bs_tag_read(const bs_settings *s, const bs_read_request *w, bs_notes *notes,
                         bs_dataset *out, basin_error *err)
{
    const bs_corpus_options o = reading_of(s, w);
    bs_corpus              *c = NULL;
    basin_status            status = w->given ? bs_corpus_from_memory(w->given, &o, &c, notes, err)
                                              : bs_corpus_read(w->file, w->n, &o, &c, notes, err);
    return status ? status : adopt(w, c, out, err);
}

void *bs_tag_reading(bs_settings *s, bs_preprocess *k, const bs_option **rows)
{
    (void)s;
    *rows = bs_corpus_rows;
    return &bs_preprocess_tag(k)->text;
}

/* ---- some sentences at a time ---- */

typedef struct {
    bs_stream       base;
    bs_read_request wish;
    bs_corpus_file *file; /* the first of the request */
    int32_t         lines;
} tag_stream;

static basin_status stream_next(bs_stream *base, bs_notes *notes, bs_dataset *out, bool *more,
                                basin_error *err)
{
    tag_stream  *s = (tag_stream *)base;
    bs_corpus   *c = NULL;
    basin_status status = bs_corpus_next(s->file, s->lines, &c, notes, err);
    *out = (bs_dataset){0};
    *more = !status && c;
    return *more ? adopt(&s->wish, c, out, err) : status;
}

static void stream_free(bs_stream *base)
{
    tag_stream *s = (tag_stream *)base;
    bs_corpus_close(s->file);
    bs_free(s);
}

basin_status bs_tag_stream(const bs_settings *given, const bs_read_request *w, int32_t lines,
                           bs_stream **out, basin_error *err)
{
    const bs_corpus_options o = reading_of(given, w);
    tag_stream             *s = bs_calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return bs_fail_nomem(err);
    *s = (tag_stream){
        .base = {.next = stream_next, .free = stream_free}, .wish = *w, .lines = lines};
    basin_status status = bs_corpus_open(w->file[0], &o, &s->file, err);
    if (status)
        stream_free(&s->base);
    else
        *out = &s->base;
    return status;
}

void bs_tag_free(bs_dataset *p)
{
    bs_corpus_free(bs_dataset_tag(p));
}

basin_status bs_tag_select(const bs_dataset *p, const int32_t *rows, int32_t n, bs_dataset *out,
                           basin_error *err)
{
    bs_corpus   *c = NULL;
    basin_status s = bs_corpus_select(bs_dataset_tag(p), rows, n, &c, err);
    return s ? s : take(p->task, c, out);
}
