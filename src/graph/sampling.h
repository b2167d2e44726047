/* sampling.h -- how K binary samples of a row of probabilities are drawn.
 *
 * In a row with many frequent labels, every label of every sample takes one random number. In other
 * rows only frequent labels do; a rare label takes one number per gap between samples that have it:
 * v in [0, 1) skips the next n samples where v < (1 - p)^n. So a label that no sample has, as most
 * do not, takes one number, however many samples there are.
 *
 * Comparisons and products only: every build draws the same samples. */
#ifndef BS_SAMPLING_H
#define BS_SAMPLING_H

#include "base/rng.h"
#include "graph/real.h"

#define BS_RARE BS_REAL(0.015625) /* below it, gaps are cheaper than single draws */

/* Ordinary streams have smaller numbers; draws of rows that are not full use streams of their
 * own. */
#define BS_STREAM_SINGLE 0x40000000u
#define BS_STREAM_GAP    0x80000000u

static inline bool bs_is_full(int often, int L)
{
    return often > L / 4;
}

static inline real bs_unit(uint32_t word)
{
    return (real)(int32_t)(word >> 8) * BS_REAL(5.9604644775390625e-8); /* 2^-24 */
}

static inline real bs_power(real q, int n)
{
    real product = 1;
    for (; n > 0; n >>= 1, q *= q)
        product *= n & 1 ? q : 1;
    return product;
}

/* The largest n up to `most` with v < q^n. */
static inline int bs_gap(real v, real q, int most)
{
    real power[32], product = 1;
    int  top = 0, n = 0;
    for (power[0] = q; 2 << top <= most; top++)
        power[top + 1] = power[top] * power[top];
    for (int i = top; i >= 0; i--)
        if (n + (1 << i) <= most && v < product * power[i]) {
            product *= power[i];
            n += 1 << i;
        }
    return n;
}

/* Element of BS_STREAM_GAP: gap number `draw` of label l in row b; ... */
static inline uint64_t bs_gap_element(int64_t draw, int64_t rows, int64_t b, int L, int l)
{
    return (uint64_t)((draw * rows + b) * ((L + 63) / 64 * 64) + l);
}

/* ... of BS_STREAM_SINGLE: the draw for sample k; ... of the plain stream, for a full row. */
static inline uint64_t bs_single_element(int64_t b, int L, int l, int K, int k)
{
    return (uint64_t)((b * L + l) * ((K + 3) / 4 * 4) + k);
}

static inline uint64_t bs_full_element(int64_t b, int L, int l, int K, int k)
{
    return (uint64_t)((b * K + k) * L + l);
}

/* Samples k, k + 1, ... of a rare label: sets k to the next sample that has it and returns true, or
 * false if none has. `v` is the number of this gap. */
static inline bool bs_next_sample(real v, real p, int K, int *k)
{
    const int left = K - *k;
    if (left <= 0 || v < bs_power(1 - p, left))
        return false;
    *k += bs_gap(v, 1 - p, left - 1);
    return true;
}

#endif
