/* points.c -- a Sobol sequence, scrambled by the seed (Owen 1995).
 *
 * Of any 2^k consecutive points starting at a multiple of 2^k, every coordinate has one in each of
 * 2^k equal slices; scrambling keeps this and gives other points for other seeds. Direction numbers
 * are those of Joe and Kuo (2008); coordinates beyond the table are plain random numbers. */
#include "tune/search.h"

enum { BITS = 32, SCRAMBLED = 12, STREAM_SCRAMBLE = 0x6f77656e, STREAM_REST = 0x72657374 };

/* A primitive polynomial x^s + a_1 x^(s-1) + ... + 1, `a` its inner coefficients; first numbers. */
typedef struct {
    int      s;
    uint32_t a, m[7];
} direction;

/* For coordinate 1 onwards; coordinate 0 has all numbers 1. */
static const direction table[] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
};

enum { KNOWN = 1 + sizeof table / sizeof table[0] };

/* Bit i of a point's number turns on v[i]. */
static uint32_t sobol(uint32_t i, int coordinate)
{
    uint32_t         v[BITS], x = 0;
    const direction *d = coordinate > 0 ? &table[coordinate - 1] : NULL;
    for (int k = 0; k < BITS && i >> k; k++) {
        if (!d || k < d->s) {
            v[k] = (d ? d->m[k] : 1) << (BITS - 1 - k);
        } else {
            v[k] = v[k - d->s] ^ (v[k - d->s] >> d->s);
            for (int j = 1; j < d->s; j++)
                v[k] ^= (d->a >> (d->s - 1 - j) & 1) * v[k - j];
        }
        x ^= (i >> k & 1) * v[k];
    }
    return x;
}

/* Flips each of the first bits by a coin that depends on all bits before it; later bits are
 * random. */
static uint32_t scramble(uint32_t x, uint64_t seed, int coordinate, int point)
{
    uint32_t out = 0;
    for (int k = 0; k < SCRAMBLED; k++) {
        const uint64_t before = (UINT64_C(1) << k) + (k ? x >> (BITS - k) : 0);
        const uint32_t coin = bs_rng_at(seed, (uint64_t)coordinate, STREAM_SCRAMBLE, before) & 1;
        out |= ((x >> (BITS - 1 - k) & 1) ^ coin) << (BITS - 1 - k);
    }
    return out | bs_rng_at(seed, (uint64_t)coordinate, STREAM_REST, (uint64_t)point) >> SCRAMBLED;
}

void bs_tune_point(uint64_t seed, int i, int n, double *u)
{
    for (int k = 0; k < n; k++) {
        const uint32_t x = k < KNOWN ? scramble(sobol((uint32_t)i, k), seed, k, i)
                                     : bs_rng_at(seed, (uint64_t)k, STREAM_REST, (uint64_t)i);
        u[k] = x / 4294967296.0;
    }
}
