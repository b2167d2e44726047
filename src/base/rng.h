/* rng.h -- counter-based random numbers (Philox 4x32-10, Salmon et al. 2011).
 *
 * A number is a pure function of (seed, step, stream, element), so any thread can compute any part
 * of a stream, with the same result. */
#ifndef BS_RNG_H
#define BS_RNG_H

#include <stdint.h>

/* out = philox4x32-10(counter, key) */
void bs_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* Where a stream of numbers comes from. Streams with different numbers are independent. */
typedef struct {
    uint64_t seed, step;
    uint32_t stream;
    uint64_t next; /* next element that the sequential functions below read */
} bs_rng;

bs_rng bs_rng_make(uint64_t seed, uint64_t step, uint32_t stream);

/* The 32 bits at `element` of the stream; word element % 4 of block element / 4. */
uint32_t bs_rng_at(uint64_t seed, uint64_t step, uint32_t stream, uint64_t element);

/* Sequential reading, for host code. */
uint32_t bs_rng_bits(bs_rng *r);
double   bs_rng_uniform(bs_rng *r);                              /* [0, 1), 32 random bits */
double   bs_rng_normal(bs_rng *r);                               /* Box-Muller, two words each */
int      bs_rng_bernoulli(bs_rng *r, double p);                  /* 1 with probability p */
uint32_t bs_rng_below(bs_rng *r, uint32_t n);                    /* 0 .. n-1, unbiased; n >= 1 */
void     bs_rng_permutation(bs_rng *r, int32_t *out, int32_t n); /* of 0 .. n-1 */

#endif
