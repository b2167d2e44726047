/* text_case.h -- small tagged texts written as strings, for tests of schemes and metrics. */
#ifndef TESTS_TEXT_CASE_H
#define TESTS_TEXT_CASE_H

#include "tests/check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "data/text/scheme.h"

enum { CASE_TAGS = 64, CASE_TOKENS = 1024, CASE_SENTENCES = 128 };

typedef struct {
    char        text[CASE_TAGS][64];
    const char *tags[CASE_TAGS];
    int32_t     n_tags, sentences;
    int32_t     start[CASE_SENTENCES + 1];
} text_case;

/* The case holds pointers into itself, so it is filled in place and not copied. */
static inline void case_start(text_case *c)
{
    memset(c, 0, sizeof *c);
}

static inline int32_t case_tag(text_case *c, const char *text, size_t len)
{
    assert_true(len < sizeof c->text[0]);
    for (int32_t i = 0; i < c->n_tags; i++)
        if (strlen(c->tags[i]) == len && !memcmp(c->tags[i], text, len))
            return i;
    assert_true(c->n_tags < CASE_TAGS);
    memcpy(c->text[c->n_tags], text, len);
    c->text[c->n_tags][len] = '\0';
    c->tags[c->n_tags] = c->text[c->n_tags];
    return c->n_tags++;
}

/* Tags separated by blanks, sentences by " | ", "?" for unknown. Sets the sentences of the case,
 * which must be the same each time. */
static inline int32_t case_text(text_case *c, const char *text, int32_t *tag)
{
    int32_t n = 0, sentences = 0;
    c->start[0] = 0;
    for (const char *p = text; *p;) {
        const size_t len = strcspn(p, " ");
        if (len == 1 && *p == '|')
            c->start[++sentences] = n;
        else
            tag[n++] = len == 1 && *p == '?' ? -1 : case_tag(c, p, len);
        p += len + (p[len] == ' ');
    }
    c->start[++sentences] = n;
    assert_true(!c->sentences || c->sentences == sentences);
    c->sentences = sentences;
    return n;
}

/* The tags as names, until eight others have been asked for. */
static inline const bs_names *names_of(const char *const *tags, int32_t n)
{
    static bs_name  item[8][CASE_TAGS];
    static bs_names names[8];
    static int      turn;
    const int       k = turn++ % 8;
    assert_true(n <= CASE_TAGS);
    for (int32_t i = 0; i < n; i++)
        item[k][i] = (bs_name){tags[i], (uint32_t)strlen(tags[i]), 0};
    names[k] = (bs_names){.item = item[k], .n = n};
    return &names[k];
}

static inline bs_tagset case_set(const text_case *c, bs_scheme scheme)
{
    bs_tagset   set;
    basin_error err = {0};
    if (bs_tagset_make(names_of(c->tags, c->n_tags), scheme, &set, &err))
        fail_msg("%s", err.msg);
    return set;
}

/* A random well-formed text in BIOES with the types A, B-b and C, often adjacent. */
static inline int32_t case_random(text_case *c, uint64_t seed, int32_t sentences, int32_t *tag)
{
    static const char *const type[] = {"A", "B-b", "C"};
    bs_rng                   r = bs_rng_make(seed, 0, 99);
    int32_t                  n = 0;
    c->sentences = sentences;
    for (int32_t s = 0; s < sentences; s++) {
        c->start[s] = n;
        for (uint32_t pieces = bs_rng_below(&r, 6); pieces > 0; pieces--) {
            const int32_t len = 1 + (int32_t)bs_rng_below(&r, 3);
            const char   *name = type[bs_rng_below(&r, 3)];
            const bool    out = bs_rng_bernoulli(&r, .3);
            for (int32_t i = 0; i < len; i++) {
                char text[8];
                snprintf(text, sizeof text, out ? "O" : "%c-%s",
                         len == 1       ? 'S'
                         : i == 0       ? 'B'
                         : i == len - 1 ? 'E'
                                        : 'I',
                         name);
                tag[n++] = case_tag(c, text, strlen(text));
            }
        }
    }
    c->start[sentences] = n;
    return n;
}

#endif
