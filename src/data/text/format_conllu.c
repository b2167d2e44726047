/* format_conllu.c -- CoNLL-U with words and tags. corpus_read.c reads it. */
#include "data/text/tags_out.h"

static void put_tag(const bs_tags_out *t, int32_t i, bool here, bs_writing *w)
{
    bs_put(w, here && t->names && t->tag[i] >= 0 ? t->names[t->tag[i]] : "_");
}

static void put_sentence(const bs_tags_out *t, int32_t s, bs_writing *w)
{
    const bs_corpus *c = t->c;
    const bool       spans = c->scheme != BS_SCHEME_RAW;
    if (c->document[s] > 0 && (s == 0 || c->document[s] != c->document[s - 1])) {
        bs_put(w, "# newdoc id = ");
        bs_put_int(w, c->document[s]);
        bs_put(w, "\n");
    }
    bs_put(w, "# sent_id = ");
    bs_put_int(w, (long long)s + 1);
    bs_put(w, "\n");
    for (int32_t i = c->start[s]; i < c->start[s + 1]; i++) {
        bs_put_int(w, (long long)i - c->start[s] + 1);
        bs_put(w, "\t");
        bs_put_name(w, &c->words, c->word[i]);
        bs_put(w, "\t_\t");
        put_tag(t, i, !spans, w);
        bs_put(w, "\t_\t_\t_\t_\t_\t");
        if (spans && t->names && t->tag[i] >= 0)
            bs_put(w, BS_MISC_KEY);
        put_tag(t, i, spans, w);
        bs_put(w, "\n");
    }
    bs_put(w, "\n");
}

static void write_conllu(const bs_tags_out *t, bs_writing *w)
{
    for (int32_t s = 0; s < t->c->sentences && !w->status; s++)
        put_sentence(t, s, w);
}

const bs_corpus_format bs_corpus_format_conllu = {
    .name = "conllu",
    .help = "CoNLL-U: ten columns between tabs, comments, words of several parts",
    .ending = ".conllu",
    .unit = 's',
    .write = write_conllu,
};
