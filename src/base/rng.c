/* rng.c -- Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
 *
 * Element e of (seed, step, stream) is word e % 4 of philox(counter, key) with b = e / 4,
 *     counter = { lo32(b), stream, lo32(step), hi32(step) ^ hi32(b) }
 *     key     = { lo32(seed), hi32(seed) }
 * Vectorised generators must agree with this, bit for bit. */
#include "base/rng.h"

#include <math.h>

static const double two_pi = 6.283185307179586476925;
static const double unit = 1.0 / 4294967296.0; /* 2^-32 */

static uint32_t lo32(uint64_t x)
{
    return (uint32_t)(x & 0xffffffffu);
}

static uint32_t hi32(uint64_t x)
{
    return (uint32_t)(x >> 32);
}

void bs_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0;
        uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = hi32(p1) ^ c1 ^ k0;
        c1 = lo32(p1);
        c2 = hi32(p0) ^ c3 ^ k1;
        c3 = lo32(p0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* The four words of the block that holds `element`. */
static void block_at(uint64_t seed, uint64_t step, uint32_t stream, uint64_t element,
                     uint32_t out[4])
{
    uint64_t block = element / 4;
    uint32_t counter[4] = {lo32(block), stream, lo32(step), hi32(step) ^ hi32(block)};
    uint32_t key[2] = {lo32(seed), hi32(seed)};
    bs_philox(counter, key, out);
}

bs_rng bs_rng_make(uint64_t seed, uint64_t step, uint32_t stream)
{
    return (bs_rng){.seed = seed, .step = step, .stream = stream};
}

uint32_t bs_rng_at(uint64_t seed, uint64_t step, uint32_t stream, uint64_t element)
{
    uint32_t words[4];
    block_at(seed, step, stream, element, words);
    return words[element % 4];
}

uint32_t bs_rng_bits(bs_rng *r)
{
    return bs_rng_at(r->seed, r->step, r->stream, r->next++);
}

double bs_rng_uniform(bs_rng *r)
{
    return bs_rng_bits(r) * unit;
}

/* Normal i of a stream is made of words 2i and 2i + 1, so it does not need its predecessors; a
 * stream left at an odd word skips one. The second number that Box-Muller yields is dropped:
 * keeping it would be hidden state. */
double bs_rng_normal(bs_rng *r)
{
    uint64_t first = r->next + (r->next & 1);
    uint32_t words[4];
    block_at(r->seed, r->step, r->stream, first, words);
    r->next = first + 2;

    /* u1 lies in (0, 1]: the logarithm stays finite. */
    double u1 = ((double)words[first % 4] + 1.0) * unit;
    double u2 = words[first % 4 + 1] * unit;
    return sqrt(-2.0 * log(u1)) * cos(two_pi * u2);
}

int bs_rng_bernoulli(bs_rng *r, double p)
{
    return bs_rng_uniform(r) < p;
}

/* Lemire's method: the high half of bits * n is uniform once the few products whose low half is
 * below 2^32 mod n are redrawn. */
uint32_t bs_rng_below(bs_rng *r, uint32_t n)
{
    if (n <= 1)
        return 0;
    uint64_t product = (uint64_t)bs_rng_bits(r) * n;
    if (lo32(product) < n) {
        uint32_t reject = (0u - n) % n;
        while (lo32(product) < reject)
            product = (uint64_t)bs_rng_bits(r) * n;
    }
    return hi32(product);
}

void bs_rng_permutation(bs_rng *r, int32_t *out, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int32_t j = (int32_t)bs_rng_below(r, (uint32_t)i + 1);
        out[i] = i;
        int32_t moved = out[j];
        out[j] = i;
        out[i] = moved;
    }
}
