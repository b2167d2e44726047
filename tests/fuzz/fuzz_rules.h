/* fuzz_rules.h -- the body of the fuzz target of rules: any bytes are read or refused, and what was
 * read gives distributions. */
#ifndef FUZZ_RULES_H
#define FUZZ_RULES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "data/text/rules.h"

#define RULES_MUST(condition) \
    do {                      \
        if (!(condition))     \
            __builtin_trap(); \
    } while (0)

static inline bs_corpus *fuzz_rules_words(void)
{
    static const char text[] = "Smith\n,\nJ.\n1999\n\nIn\nProc\n.\n\nx\n";
    bs_corpus_options o = bs_corpus_options_default();
    bs_corpus        *c = NULL;
    bs_input         *in = NULL;
    memcpy(o.format, "conll", 6);
    memcpy(o.tag_column, "none", 5);
    o.label_free = true;
    RULES_MUST(bs_input_memory("words", text, sizeof text - 1, &in, NULL) == BASIN_OK);
    RULES_MUST(bs_corpus_read_input(in, &o, &c, NULL, NULL) == BASIN_OK);
    bs_input_close(in);
    return c;
}

/* Tags are those that the file declares, and A and B; at most a few, for speed. */
static inline void fuzz_rules_apply(const bs_rules *r)
{
    enum { TAGS = 8, TOKENS = 16 };
    bs_arena    arena;
    bs_names    tags;
    float       q[TAGS * TOKENS];
    bool        fresh;
    basin_error err = {0};
    bs_corpus  *c = fuzz_rules_words();
    bs_arena_init(&arena, 0);
    bs_names_init(&tags, &arena);
    bs_names_add(&tags, "A", 1, &fresh);
    bs_names_add(&tags, "B", 1, &fresh);
    for (int32_t i = 0; i < bs_rules_tags(r)->n && tags.n < TAGS; i++)
        bs_names_add(&tags, bs_rules_tags(r)->item[i].text, bs_rules_tags(r)->item[i].len, &fresh);
    bs_rules_how how = {&tags, BS_SCHEME_RAW, 0.5};
    if (bs_rules_apply(r, c, &how, q, NULL, &err)) {
        RULES_MUST(err.status && err.msg[0]);
    } else {
        for (int32_t i = 0; i < c->tokens; i++) {
            double sum = 0;
            for (int32_t k = 0; k < tags.n; k++)
                sum += (double)q[i * tags.n + k];
            RULES_MUST(fabs(sum - 1) < 1e-4);
        }
    }
    bs_names_free(&tags);
    bs_arena_free(&arena);
    bs_corpus_free(c);
}

static inline void fuzz_rules(const uint8_t *data, size_t size)
{
    long        live = bs_mem_live();
    bs_input   *in = NULL;
    bs_rules   *r;
    basin_error err = {0};
    RULES_MUST(bs_input_memory("fuzz", data, size, &in, NULL) == BASIN_OK);
    if (bs_rules_read_input(in, &r, &err)) {
        RULES_MUST(err.status && err.msg[0] && !r);
    } else {
        fuzz_rules_apply(r);
    }
    bs_rules_free(r);
    bs_input_close(in);
    RULES_MUST(bs_mem_live() == live);
}

#endif
