/* reader_lines.c -- lines of text: with labels as fastText writes them, or without.
 *
 *     __label__sports __label__news Two goals in the last minute
 *
 * Every word that begins with __label__ is a label of its line, the rest is the text. Plain text,
 * one document per line, is read where a model needs no labels. */
#include <string.h>

#include "data/rows/documents.h"
#include "data/scan.h"

static const char PREFIX[] = "__label__";
enum { PREFIX_LEN = sizeof PREFIX - 1 };

typedef struct {
    bs_reading     *r;
    bs_text_columns texts;
    bs_buf          rest; /* of a line without its labels */
    bool            labelled;
} lines;

static bool is_label(const char *word, size_t len)
{
    return len > PREFIX_LEN && strncmp(word, PREFIX, PREFIX_LEN) == 0;
}

static int sniff_fasttext(const char *head, size_t n, const char *path)
{
    (void)path;
    size_t i = 0;
    while (i < n && (bs_is_blank(head[i]) || head[i] == '\n' || head[i] == '\r'))
        i++;
    return n - i > PREFIX_LEN && strncmp(head + i, PREFIX, PREFIX_LEN) == 0 ? 95 : 0;
}

static basin_status add_label(lines *x, const bs_line *line, const char *name, size_t len)
{
    bool    latin1;
    int32_t k;
    if (memchr(name, '\0', len))
        return bs_error_at(x->r, line->number, 0, "a NUL byte in a label");
    if (!bs_is_utf8(name, len)) {
        name = bs_to_utf8(&x->r->b->ds->arena, name, len, &latin1);
        len = name ? strlen(name) : 0;
    }
    x->labelled = true;
    basin_status s =
        name ? bs_add_listed_label(x->r, line->number, name, len, &k) : bs_fail_nomem(x->r->err);
    return !s && !bs_push_y(x->r->b, k) ? bs_fail_nomem(x->r->err) : s;
}

static bool blank_line(const bs_line *line)
{
    return line->len == strspn(line->text, " \t\r");
}

static basin_status end_line(lines *x, const bs_line *line, const char *text, size_t len)
{
    if (!bs_build_document(x->r->b, text, len))
        return bs_fail_nomem(x->r->err);
    return bs_reading_row(x->r, line->number);
}

/* Blanks between words of the text stay as they are. */
static basin_status fasttext_line(void *self, bs_line *line)
{
    lines       *x = self;
    const char  *p = line->text, *end = p + line->len, *kept = p;
    basin_status s = BASIN_OK;
    if (blank_line(line))
        return BASIN_OK;
    bs_buf_clear(&x->rest);
    while (!s && p < end) {
        const char *word = p;
        while (p < end && !strchr(" \t\r", *p ? *p : 'x'))
            p++;
        const size_t len = (size_t)(p - word);
        while (p < end && strchr(" \t\r", *p ? *p : 'x'))
            p++;
        if (!is_label(word, len))
            continue;
        bs_buf_add(&x->rest, kept, (size_t)(word - kept));
        kept = p;
        s = add_label(x, line, word + PREFIX_LEN, len - PREFIX_LEN);
    }
    bs_buf_add(&x->rest, kept, (size_t)(end - kept));
    if (!s && x->rest.failed)
        s = bs_fail_nomem(x->r->err);
    if (s)
        return s;
    const char *text = bs_skip_blanks(x->rest.data);
    return end_line(x, line, text, bs_trim(text, (size_t)(x->rest.data + x->rest.len - text)));
}

static basin_status plain_line(void *self, bs_line *line)
{
    return end_line(self, line, line->text, line->len);
}

static basin_status read_block(bs_reading *r, bs_line_reader one)
{
    lines        x = {.r = r};
    bs_rows     *ds = r->b->ds;
    basin_status s = BASIN_OK;
    bs_buf_init(&x.rest, (size_t)1 << 31);
    bs_arena_init(&x.texts.arena, 0);
    x.texts.seen = 1;
    s = bs_text_add(&x.texts, r, r->o->like && r->o->like->n_texts ? r->o->like->text[0] : "text");
    if (!s)
        s = bs_reading_lines(r, &x, one);
    if (!s && !bs_reading_over(r)) {
        ds->labelled = x.labelled;
        ds->open_labels = true;
        ds->by_name = true;
        bs_print(ds->source.labels_from, sizeof ds->source.labels_from, "%s...", PREFIX);
        ds->source.texts = 1;
        if (!x.labelled && !r->o->label_free)
            s = bs_error_at(r, 0, 0, "no line has labels; %sNAME before the text is one", PREFIX);
        if (!s)
            s = bs_text_finish(&x.texts, r);
        if (!s)
            s = bs_build_finish(r->b, -1, -1, r->err);
    }
    bs_text_columns_free(&x.texts);
    bs_buf_free(&x.rest);
    return s;
}

static basin_status next_fasttext(bs_reading *r)
{
    return read_block(r, fasttext_line);
}

static basin_status next_plain(bs_reading *r)
{
    return read_block(r, plain_line);
}

/* Only a model says that lines are texts. */
static int sniff_plain(const char *head, size_t n, const char *path)
{
    (void)head;
    (void)n;
    (void)path;
    return 0;
}

const bs_reader bs_reader_fasttext = {
    .name = "fasttext",
    .help = "lines of __label__NAME and text",
    .extensions = ".ft",
    .uses = "data.label_names",
    .sniff = sniff_fasttext,
    .next = next_fasttext,
};

const bs_reader bs_reader_plain = {
    .name = "plain",
    .help = "one text per line, for predictions of models of texts",
    .extensions = ".txt",
    .uses = "",
    .sniff = sniff_plain,
    .next = next_plain,
};
