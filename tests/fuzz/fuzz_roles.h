/* fuzz_roles.h -- any bytes are read as semantic roles or refused; what was read can be written,
 * and says the same when it is read again. */
#ifndef FUZZ_ROLES_H
#define FUZZ_ROLES_H

#include "data/text/roles.h"
#include "fuzz/fuzz_sentences.h"

static inline basin_status fuzz_read_roles(const char *text, size_t n, const bs_corpus_options *o,
                                           bs_corpus **c)
{
    bs_notes    notes;
    bs_input   *in;
    basin_error err = {0};
    *c = NULL;
    bs_notes_init(&notes);
    basin_status s = bs_input_memory("fuzz", text, n, &in, &err);
    if (!s) {
        s = bs_corpus_read_input(in, o, c, &notes, &err);
        bs_input_close(in);
    }
    bs_notes_free(&notes);
    if (!s == !*c || (s && !err.msg[0]))
        abort();
    return s;
}

static inline void fuzz_same_roles(const bs_corpus *a, const bs_corpus *b)
{
    if (a->sentences != b->sentences || a->tokens != b->tokens || a->labelled != b->labelled)
        abort();
    for (int32_t t = 0; t < a->tokens; t++)
        if (strcmp(a->words.item[a->word[t]].text, b->words.item[b->word[t]].text) != 0 ||
            (a->tag[t] >= 0 &&
             strcmp(a->tags.item[a->tag[t]].text, b->tags.item[b->tag[t]].text) != 0))
            abort();
}

/* The first byte chooses among options, the rest is the file. */
static inline void fuzz_roles(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"auto", "props", "predicates", "auto"};
    bs_corpus               *c, *again, *last;
    basin_error              err;
    bs_role_facts            facts;
    bs_buf                   out;
    if (size == 0)
        return;
    bs_corpus_options o = bs_corpus_options_default();
    o.roles = true;
    o.label_free = data[0] & 8;
    strcpy(o.format, formats[data[0] & 3]);
    strcpy(o.predicate_column, data[0] & 16 ? "2" : "auto");
    o.word_column = data[0] & 32 ? 1 : 0;
    bs_roles_sniff((const char *)data + 1, size - 1, "");
    bs_buf_init(&out, 1 << 26);
    if (!fuzz_read_roles((const char *)data + 1, size - 1, &o, &c)) {
        fuzz_sound(c);
        fuzz_places(c);
        if (bs_role_count(c, &facts, &err) || facts.rows != c->sentences ||
            bs_corpus_convert(c, "props", fuzz_sink, &out, &err))
            abort();
        bs_buf_clear(&out);
        if (bs_corpus_convert(c, "predicates", fuzz_sink, &out, &err))
            abort();
        o.label_free = true;
        strcpy(o.format, "predicates");
        if (fuzz_read_roles(out.data, out.len, &o, &again))
            abort();
        fuzz_same_roles(c, again);
        const int32_t row = again->sentences - 1;
        if (bs_corpus_select(again, &row, 1, &last, &err))
            abort();
        fuzz_sound(last);
        bs_corpus_free(last);
        bs_corpus_free(again);
    }
    bs_corpus_free(c);
    bs_buf_free(&out);
    if (bs_mem_live() != 0)
        abort();
}

#endif
