/* format_raw.c -- plain text whose lines are split into words by rule (tokenise.h), so that spans
 * come back as characters of the line. */
#include <string.h>

#include "data/text/making.h"
#include "data/text/tags_out.h"
#include "data/text/tokenise.h"

static basin_status read_raw(bs_corpus_reading *r)
{
    static const char *const heading[] = {"word"};
    const char              *p = r->c->text, *end = p + r->c->text_len;
    bs_corpus_builder        m;
    bs_corpus_builder_begin(&m, r);
    for (long line = 1; p < end; line++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
        const char *last = stop > p && stop[-1] == '\r' ? stop - 1 : stop;
        bs_corpus_builder_record(&m, p, (size_t)(last - p), NULL, NULL, line);
        bs_corpus_builder_text(&m, p, (size_t)(last - p), false, NULL, -1);
        p = nl ? nl + 1 : end;
    }
    return bs_corpus_builder_end(&m, BASIN_OK, heading, 1);
}

static void write_raw(const bs_tags_out *t, bs_writing *w)
{
    bs_passage p = {0};
    while (!w->status && bs_passage_next(t->c, false, &p)) {
        bs_put_bytes(w, p.text, p.len);
        bs_put(w, "\n");
    }
    if (p.made.failed && !w->status)
        w->status = bs_fail_nomem(w->err);
    bs_passage_free(&p);
}

const bs_corpus_format bs_corpus_format_raw = {
    .name = "raw",
    .help = "plain text without tags: one text per line, cut into words, numbers and punctuation",
    .ending = ".txt",
    .unit = 'l',
    .text = true,
    .read = read_raw,
    .write = write_raw,
};
