/* fuzz_scheme.h -- the body of the fuzz target of tag schemes: words are tags, lines sentences.
 * Spans are the same after a conversion to any scheme, and well-formed there. */
#ifndef FUZZ_SCHEME_H
#define FUZZ_SCHEME_H

#include <stdint.h>
#include <string.h>

#include "data/text/scheme.h"

#define SCHEME_MUST(condition) \
    do {                       \
        if (!(condition))      \
            __builtin_trap();  \
    } while (0)

enum { SCHEME_TOKENS = 512, SCHEME_NAMES = 64, SCHEME_SENTENCES = 64 };

typedef struct {
    bs_arena arena;
    bs_names names;
    int32_t  tag[SCHEME_TOKENS], start[SCHEME_SENTENCES + 1];
    int32_t  tokens, sentences;
} scheme_text;

static inline void scheme_fill(scheme_text *t, const uint8_t *data, size_t size)
{
    char   word[24];
    size_t n = 0;
    bool   fresh;
    for (size_t i = 0; i <= size && t->tokens < SCHEME_TOKENS && t->sentences < SCHEME_SENTENCES;
         i++) {
        const char c = i < size ? (char)data[i] : '\n';
        if (c != ' ' && c != '\n' && c != '\0' && n + 1 < sizeof word) {
            word[n++] = c;
            continue;
        }
        if (n && t->names.n < SCHEME_NAMES)
            t->tag[t->tokens++] = bs_names_add(&t->names, word, n, &fresh);
        n = 0;
        if (c == '\n' && t->tokens > t->start[t->sentences])
            t->start[++t->sentences] = t->tokens;
    }
    if (t->tokens > t->start[t->sentences]) /* every tag that has a name occurs, as in a file */
        t->start[++t->sentences] = t->tokens;
}

/* The spans of all sentences, types by name, as a number. */
static inline uint64_t scheme_spans(const bs_tagset *s, const scheme_text *t, const int32_t *tag,
                                    int64_t *repaired)
{
    bs_span  span[SCHEME_TOKENS];
    uint64_t hash = 1;
    for (int32_t i = 0; i < t->sentences; i++) {
        const int32_t from = t->start[i];
        const int32_t n = bs_spans(s, tag + from, t->start[i + 1] - from, span, repaired);
        SCHEME_MUST(n >= 0 && n <= t->start[i + 1] - from);
        for (int32_t k = 0; k < n; k++) {
            SCHEME_MUST(span[k].first < span[k].end && span[k].end <= t->start[i + 1] - from);
            SCHEME_MUST(k == 0 || span[k].first >= span[k - 1].end);
            hash = hash * 1000003u + (uint64_t)(from + span[k].first);
            hash = hash * 1000003u + (uint64_t)(from + span[k].end);
            for (const char *p = s->types.item[span[k].type].text; *p; p++)
                hash = hash * 1000003u + (uint8_t)*p;
        }
    }
    return hash;
}

static inline void scheme_convert(const scheme_text *t, const bs_tagset *before, bs_scheme to)
{
    bs_arena  arena;
    bs_names  names;
    bs_tagset after;
    int32_t   tag[SCHEME_TOKENS];
    int64_t   first = 0, none = 0, met = 0;
    bs_arena_init(&arena, 0);
    bs_names_init(&names, &arena);
    const bs_tagged_text text = {&t->names, t->tag, t->start, t->sentences};
    SCHEME_MUST(bs_scheme_convert(&text, before->scheme, to, &names, tag, &met, NULL) == BASIN_OK);
    SCHEME_MUST(names.n <= 8 * SCHEME_NAMES);
    SCHEME_MUST(bs_tagset_make(&names, to, &after, NULL) == BASIN_OK);
    SCHEME_MUST(scheme_spans(before, t, t->tag, &first) == scheme_spans(&after, t, tag, &none));
    SCHEME_MUST(none == 0);
    for (int32_t i = 0; i < t->sentences; i++)
        for (int32_t k = t->start[i]; k <= t->start[i + 1]; k++)
            SCHEME_MUST(bs_tagset_follows(&after, k > t->start[i] ? tag[k - 1] : -1,
                                          k < t->start[i + 1] ? tag[k] : -1));
    bs_tagset_free(&after);
    bs_names_free(&names);
    bs_arena_free(&arena);
}

static inline void fuzz_scheme(const uint8_t *data, size_t size)
{
    static scheme_text t;
    bs_scheme          scheme, named;
    bs_tagset          tags;
    char               why[BS_SCHEME_WHY], name[24] = "";
    memset(&t, 0, sizeof t);
    bs_arena_init(&t.arena, 0);
    bs_names_init(&t.names, &t.arena);
    scheme_fill(&t, data, size);
    memcpy(name, data, size < sizeof name ? size : sizeof name - 1);
    if (bs_scheme_parse(name, &named, NULL) == BASIN_OK)
        SCHEME_MUST((int)named < BS_SCHEME_COUNT);
    const bs_tagged_text text = {&t.names, t.tag, t.start, t.sentences};
    SCHEME_MUST(bs_scheme_detect(&text, &scheme, why, NULL) == BASIN_OK);
    SCHEME_MUST(bs_tagset_make(&t.names, scheme, &tags, NULL) == BASIN_OK);
    for (int to = BS_SCHEME_IOB1; to < BS_SCHEME_COUNT && scheme != BS_SCHEME_RAW; to++)
        scheme_convert(&t, &tags, (bs_scheme)to);
    bs_tagset_free(&tags);
    bs_names_free(&t.names);
    bs_arena_free(&t.arena);
}

#endif
