/* chain.h -- chains so small that all sequences can be listed, for tests. */
#ifndef TEST_CHAIN_H
#define TEST_CHAIN_H

#include "tests/harness.h"

/* Sentences of up to T tokens with N tags. Number k means sequence k modulo their number. */
typedef struct {
    int            B, T, N;
    const real    *unary;      /* [B, T, N] */
    const real    *transition; /* [N + 1, N + 1] */
    const int32_t *len;        /* [B] */
} chain;

/* How many sequences sentence b has. */
static inline int chain_count(const chain *c, int b)
{
    int n = 1;
    for (int t = 0; t < c->len[b]; t++)
        n *= c->N;
    return n;
}

/* Its sequence k at position t; the last position changes fastest. */
static inline int chain_tag(const chain *c, int b, int k, int t)
{
    for (int i = c->len[b] - 1; i > t; i--)
        k /= c->N;
    return k % c->N;
}

/* The score of its sequence k, by definition. */
static inline double chain_value(const chain *c, int b, int k)
{
    const int M = c->N + 1;
    double    sum = 0;
    int       before = c->N;
    for (int t = 0; t < c->len[b]; t++) {
        int tag = chain_tag(c, b, k, t);
        sum += (double)c->transition[before * M + tag];
        sum += (double)c->unary[(b * c->T + t) * c->N + tag];
        before = tag;
    }
    return c->len[b] ? sum + (double)c->transition[before * M + c->N] : 0;
}

#endif
