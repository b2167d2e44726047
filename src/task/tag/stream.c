/* stream.c -- sentences that arrive line by line: plain text and JSON rows.
 *
 * Whatever has arrived is read like a file, in the format that was found first. Columns are not
 * cut: a sentence ends at a blank line, which only the next line tells. */
#include <string.h>

#include "task/tag/data.h"

enum { MOST_BYTES = 1 << 30, PIECE_BYTES = 32 << 20 };

typedef struct {
    bs_stream         base;
    bs_read_request   wish;
    bs_corpus_options o;
    bs_input         *in;
    bs_buf            text;
    int32_t           rows;         /* most lines in a piece */
    bool              lines, ended; /* it is cut into lines; everything was read */
    bool              begun;
    long              last; /* number of the last line read */
} tag_stream;

static bool is_line_format(const char *name)
{
    return strcmp(name, "text") == 0 || strcmp(name, "raw") == 0 || strcmp(name, "tokens") == 0 ||
           strcmp(name, "spans") == 0;
}

/* Whether the first non-blank line is a JSON row or words: with as many cells as the training data
 * has columns, it could also be a token. */
static bool begins_with_words(const char *p, const char *end, int columns)
{
    int cells = 0;
    while (p < end && strchr(" \t\r\n", *p))
        p++;
    if (p < end && (*p == '{' || *p == '[')) /* a list of rows may span many lines */
        return *p == '{';
    for (bool in = false; p < end && *p != '\n'; p++) {
        if (*p == '\t')
            return false;
        cells += *p != ' ' && !in;
        in = *p != ' ';
    }
    return cells > 0 && cells != columns && columns > 0;
}

static basin_status look(tag_stream *s, basin_error *err)
{
    const char  *head;
    size_t       n;
    basin_status status = bs_input_peek_lines(s->in, (size_t)64 << 10, &head, &n, err);
    if (!status)
        s->lines = is_line_format(s->o.format) || (strcmp(s->o.format, "auto") == 0 &&
                                                   begins_with_words(head, head + n, s->o.columns));
    return status;
}

/* Collects the lines that have arrived, at least one of them non-blank. */
static basin_status gather(tag_stream *s, bool *some, basin_error *err)
{
    const size_t ceiling = (size_t)s->o.max_line_mb << 20;
    basin_status status = BASIN_OK;
    bool         more = true;
    *some = false;
    bs_buf_clear(&s->text);
    s->o.lines_before = s->last;
    for (int32_t i = 0; !status && i < s->rows && s->text.len < PIECE_BYTES; i++) {
        bs_line line;
        if (*some && bs_input_waits(s->in))
            break;
        status = bs_input_line(s->in, ceiling, &line, &more, err);
        s->ended = !more;
        if (status || !more)
            break;
        s->last = line.number;
        *some |= line.text[strspn(line.text, " \t")] != '\0';
        bs_buf_add(&s->text, line.text, line.len);
        bs_buf_text(&s->text, "\n");
    }
    return !status && s->text.failed ? bs_fail_nomem(err) : status;
}

static basin_status read_text(tag_stream *s, bs_notes *notes, bs_corpus **out, basin_error *err)
{
    bs_input    *in;
    basin_status status = bs_input_memory(bs_input_name(s->in), s->text.data ? s->text.data : "",
                                          s->text.len, &in, err);
    if (status)
        return status;
    s->o.piece = s->lines;
    status = bs_corpus_read_input(in, &s->o, out, notes, err);
    bs_input_close(in);
    return status;
}

/* Columns after all: a piece may end within a sentence, the whole does not. */
static basin_status read_rest(tag_stream *s, bs_notes *notes, bs_corpus **out, basin_error *err)
{
    bs_corpus_free(*out);
    *out = NULL;
    s->ended = true;
    s->lines = false;
    basin_status status = bs_input_rest(s->in, &s->text, err);
    return status ? status : read_text(s, notes, out, err);
}

static basin_status read_some(tag_stream *s, bs_notes *notes, bs_corpus **out, basin_error *err)
{
    bool         some = false;
    basin_status status = BASIN_OK;
    *out = NULL;
    if (!s->lines) {
        s->ended = true;
        return bs_corpus_read_input(s->in, &s->o, out, notes, err);
    }
    while (!status && !some && !s->ended)
        status = gather(s, &some, err);
    if (status || (!some && s->begun))
        return status;
    status = read_text(s, notes, out, err);
    if (!status && !is_line_format((*out)->format))
        status = read_rest(s, notes, out, err);
    if (!status && s->lines)
        bs_print(s->o.format, sizeof s->o.format, "%s", (*out)->format);
    return status;
}

static basin_status next(bs_stream *base, bs_notes *notes, bs_dataset *out, bool *more,
                         basin_error *err)
{
    tag_stream  *s = (tag_stream *)base;
    bs_corpus   *c = NULL;
    basin_status status = s->ended && s->begun ? BASIN_OK : read_some(s, notes, &c, err);
    *out = (bs_dataset){0};
    *more = !status && c;
    s->begun = true;
    return status || !c ? status : bs_tag_adopt(&s->wish, c, out, err);
}

static void stream_free(bs_stream *base)
{
    tag_stream *s = (tag_stream *)base;
    bs_input_close(s->in);
    bs_buf_free(&s->text);
    bs_free(s);
}

basin_status bs_stream_tag(const bs_settings *given, const bs_read_request *w, int32_t rows,
                           bs_stream **out, basin_error *err)
{
    tag_stream *s = bs_calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return bs_fail_nomem(err);
    *s = (tag_stream){.base = {.next = next, .free = stream_free},
                      .wish = *w,
                      .o = bs_tag_reading(given, w),
                      .rows = rows};
    bs_buf_init(&s->text, MOST_BYTES);
    basin_status status = bs_input_open_most(w->file[0], s->o.max_mb, &s->in, err);
    if (!status)
        status = look(s, err);
    if (status)
        stream_free(&s->base);
    else
        *out = &s->base;
    return status;
}
