/* chain.h -- small chains whose sequences can all be listed, for tests. */
#ifndef TEST_CHAIN_H
#define TEST_CHAIN_H

#include "tests/harness.h"

/* Sentences of up to T tokens with N tags; unary and transition are plain arrays of type real. */
typedef struct {
    int            B, T, N;
    const real    *unary;      /* [B, T, N] */
    const real    *transition; /* [N + 1, N + 1] */
    const int32_t *len;        /* [B] */
} chain;

/* How many sequences of `len` tags there are. */
static inline int chain_count(const chain *c, int len)
{
    int n = 1;
    for (int t = 0; t < len; t++)
        n *= c->N;
    return n;
}

/* Sequence number k: its tag at position t, the last position changing fastest. */
static inline int chain_tag(const chain *c, int len, int k, int t)
{
    for (int i = len - 1; i > t; i--)
        k /= c->N;
    return k % c->N;
}

static inline double chain_step(const chain *c, int from, int to)
{
    return (double)c->transition[from * (c->N + 1) + to];
}

/* The score of sequence k for sentence b, by definition. */
static inline double chain_value(const chain *c, int b, int k)
{
    double sum = 0;
    int    before = c->N;
    for (int t = 0; t < c->len[b]; t++) {
        int tag = chain_tag(c, c->len[b], k, t);
        sum += chain_step(c, before, tag) + (double)c->unary[(b * c->T + t) * c->N + tag];
        before = tag;
    }
    return c->len[b] ? sum + chain_step(c, before, c->N) : 0;
}

#endif
