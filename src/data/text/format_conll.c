/* format_conll.c -- columns: word, features, tag. corpus_read.c reads them. */
#include <string.h>

#include "data/text/tags_out.h"

static bool has_blanks(const char *text, size_t len)
{
    return len == 0 || memchr(text, ' ', len);
}

bool bs_needs_tabs(const bs_tags_out *t)
{
    const bs_corpus *c = t->c;
    for (int k = -1; k < c->columns; k++) {
        const bs_names *names = k < 0 ? &c->words : &c->value[k];
        for (int32_t i = 0; i < names->n; i++)
            if (has_blanks(names->item[i].text, names->item[i].len))
                return true;
    }
    for (int32_t i = 0; t->names && i < c->tokens; i++)
        if (t->tag[i] >= 0 && has_blanks(t->names[t->tag[i]], strlen(t->names[t->tag[i]])))
            return true;
    return false;
}

static void put_sentence(const bs_tags_out *t, int32_t s, const char *gap, bs_writing *w)
{
    const bs_corpus *c = t->c;
    bool             mark = s > 0 && c->document[s] != c->document[s - 1];
    mark = mark || (s == 0 && c->document[0] > 0);
    if (mark) {
        bs_put(w, "-DOCSTART-");
        for (int k = 0; k < c->columns; k++) {
            bs_put(w, gap);
            bs_put(w, "-X-");
        }
        bs_put(w, t->names ? gap : "");
        bs_put(w, t->names ? "O\n\n" : "\n\n");
    }
    for (int32_t i = c->start[s]; i < c->start[s + 1]; i++) {
        bs_put_name(w, &c->words, c->word[i]);
        for (int k = 0; k < c->columns; k++) {
            bs_put(w, gap);
            bs_put_name(w, &c->value[k], c->feature[k][i]);
        }
        if (t->names) {
            bs_put(w, gap);
            bs_put(w, t->tag[i] < 0 ? "_" : t->names[t->tag[i]]);
        }
        bs_put(w, "\n");
    }
    bs_put(w, "\n");
}

static void write_conll(const bs_tags_out *t, bs_writing *w)
{
    const char *gap = bs_needs_tabs(t) ? "\t" : " ";
    for (int32_t s = 0; s < t->c->sentences && !w->status; s++)
        put_sentence(t, s, gap, w);
}

const bs_corpus_format bs_corpus_format_conll = {
    .name = "conll",
    .help = "columns between blanks or tabs, one word per line, an empty line after a sentence",
    .ending = ".conll",
    .unit = 's',
    .write = write_conll,
};
