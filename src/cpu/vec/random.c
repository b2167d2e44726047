/* random.c -- Philox 4x32-10 in lanes: the streams of base/rng.c, many blocks at once.
 *
 * Counter layout as in base/rng.c: block number, stream, step, high parts. A
 * block gives four words; LANES blocks are computed side by side, word by
 * word, so that the rounds vectorise. */
#include <string.h>

#include "cpu/vec.h"
#include "graph/vecmath.h"

enum { LANES = 16, WORDS = 4 * LANES };

/* words first .. first + WORDS of the stream; first % 4 == 0 */
static void philox_lanes(uint32_t out[WORDS], const bs_run *run, uint32_t stream, uint64_t first)
{
    uint32_t c0[LANES], c1[LANES], c2[LANES], c3[LANES];
    uint32_t k0 = (uint32_t)run->seed, k1 = (uint32_t)(run->seed >> 32);
    for (int i = 0; i < LANES; i++) {
        uint64_t block = first / 4 + (uint64_t)i;
        c0[i] = (uint32_t)block;
        c1[i] = stream;
        c2[i] = (uint32_t)run->step;
        c3[i] = (uint32_t)(run->step >> 32) ^ (uint32_t)(block >> 32);
    }
    for (int round = 0; round < 10; round++) {
        #pragma omp simd
        for (int i = 0; i < LANES; i++) {
            uint64_t p0 = (uint64_t)0xD2511F53u * c0[i], p1 = (uint64_t)0xCD9E8D57u * c2[i];
            c0[i] = (uint32_t)(p1 >> 32) ^ c1[i] ^ k0;
            c2[i] = (uint32_t)(p0 >> 32) ^ c3[i] ^ k1;
            c1[i] = (uint32_t)p1;
            c3[i] = (uint32_t)p0;
        }
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    for (int i = 0; i < LANES; i++) {
        out[4 * i] = c0[i];
        out[4 * i + 1] = c1[i];
        out[4 * i + 2] = c2[i];
        out[4 * i + 3] = c3[i];
    }
}

static const real UNIT = BS_REAL(5.9604644775390625e-8); /* 2^-24 */

static void uniform(real *out, const bs_run *run, uint32_t stream, uint64_t first, int n)
{
    uint32_t words[WORDS];
    for (int i = 0; i < n; i += WORDS) {
        int m = n - i < WORDS ? n - i : WORDS;
        philox_lanes(words, run, stream, first + (uint64_t)i);
        #pragma omp simd
        for (int k = 0; k < m; k++)
            out[i + k] = (real)(int32_t)(words[k] >> 8) * UNIT;
    }
}

/* Box-Muller: element e from words 2e and 2e + 1. */
static void normal(real *out, const bs_run *run, uint32_t stream, uint64_t first, int n)
{
    uint32_t words[WORDS];
    for (int i = 0; i < n; i += WORDS / 2) {
        int m = n - i < WORDS / 2 ? n - i : WORDS / 2;
        philox_lanes(words, run, stream, 2 * (first + (uint64_t)i));
        #pragma omp simd
        for (int k = 0; k < m; k++) {
            real u = (real)(int32_t)((words[2 * k] >> 8) + 1) * UNIT;
            real v = (real)(int32_t)(words[2 * k + 1] >> 8) * UNIT;
            out[i + k] = bs_vsqrt(-2 * bs_vlog(u)) * bs_vcos2pi(v);
        }
    }
}

/* Rows begin anywhere in the stream, so the first word may be inside a block. */
static void bits(uint64_t *out, const real *p, const bs_run *run, uint32_t stream, uint64_t first,
                 int n)
{
    uint32_t words[WORDS];
    uint64_t start = first / 4 * 4;
    int      skip = (int)(first - start);
    memset(out, 0, (size_t)bs_bits_words(n) * sizeof *out);
    for (int i = -skip; i < n; i += WORDS) {
        uint8_t hit[WORDS];
        int     low = i < 0 ? -i : 0, high = n - i < WORDS ? n - i : WORDS;
        philox_lanes(words, run, stream, start + (uint64_t)(i + skip));
        #pragma omp simd
        for (int k = low; k < high; k++)
            hit[k] = (real)(int32_t)(words[k] >> 8) * UNIT < p[i + k];
        for (int k = low; k < high; k++)
            out[(i + k) / 64] |= (uint64_t)hit[k] << ((i + k) % 64);
    }
}

extern const bs_vec_random BS_V(bs_vec_random);
const bs_vec_random        BS_V(bs_vec_random) = {uniform, normal, bits};
