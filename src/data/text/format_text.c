/* format_text.c -- a sentence per line, words separated by blanks. corpus_read.c reads it. */
#include "data/text/tags_out.h"

static void write_text(const bs_tags_out *t, bs_writing *w)
{
    const bs_corpus *c = t->c;
    for (int32_t s = 0; s < c->sentences && !w->status; s++) {
        for (int32_t i = c->start[s]; i < c->start[s + 1]; i++) {
            bs_put(w, i > c->start[s] ? " " : "");
            bs_put_name(w, &c->words, c->word[i]);
        }
        bs_put(w, "\n");
    }
}

const bs_corpus_format bs_corpus_format_text = {
    .name = "text",
    .help = "plain text without tags: one sentence per line, words between blanks",
    .ending = ".txt",
    .unit = 'l',
    .write = write_text,
};
