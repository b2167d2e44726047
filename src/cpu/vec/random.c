/* random.c -- Philox 4x32-10 in lanes: the streams of base/rng.c, many blocks at once.
 *
 * Counter layout as in base/rng.c: block number, stream, step, high parts. A
 * block gives four words; LANES blocks are computed side by side. The rounds
 * need 32 x 32 -> 64 bit products, which gcc does not make of plain C, so with
 * AVX2 and AVX-512 they are spelled out: 2.1 ms instead of 6 for 2.5 million words. */
#include <string.h>

#include "cpu/vec.h"
#include "graph/vecmath.h"

enum { LANES = 16, WORDS = 4 * LANES };

#if defined __AVX2__
#include <immintrin.h>
#ifdef __AVX512F__
enum { WIDE = 64 };
#define MUL_EVEN(a, b) ((wide)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))
#else
enum { WIDE = 32 };
#define MUL_EVEN(a, b) ((wide)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#endif

typedef uint64_t wide __attribute__((vector_size(WIDE)));
enum { STEP = WIDE / 8 };

/* Four words of STEP blocks; a 64-bit lane holds one 32-bit word. */
typedef struct {
    wide a, b, c, d;
} blocks;

static inline blocks blocks_at(const bs_run *run, uint32_t stream, uint64_t first)
{
    const wide low = (wide){0} + 0xffffffffu;
    wide       number;
    for (int i = 0; i < STEP; i++)
        number[i] = first + (uint64_t)i;
    return (blocks){number & low, (wide){0} + stream, (wide){0} + (uint32_t)run->step,
                    (number >> 32) ^ (uint32_t)(run->step >> 32)};
}

static inline blocks one_round(blocks x, uint32_t k0, uint32_t k1)
{
    const wide low = (wide){0} + 0xffffffffu;
    const wide m0 = (wide){0} + 0xD2511F53u, m1 = (wide){0} + 0xCD9E8D57u;
    wide       p0 = MUL_EVEN(x.a, m0), p1 = MUL_EVEN(x.c, m1);
    return (blocks){(p1 >> 32) ^ x.b ^ (uint64_t)k0, p1 & low, (p0 >> 32) ^ x.d ^ (uint64_t)k1,
                    p0 & low};
}

static inline void store(uint32_t *out, blocks x)
{
    wide ab = x.a | x.b << 32, cd = x.c | x.d << 32;
    for (int i = 0; i < STEP; i++) {
        uint64_t pair[2] = {ab[i], cd[i]};
        memcpy(out + 4 * i, pair, sizeof pair);
    }
}

/* words first .. first + WORDS of the stream; first % 4 == 0. Two sets of blocks
 * at a time hide the latency of the products. */
static void philox_lanes(uint32_t out[WORDS], const bs_run *run, uint32_t stream, uint64_t first)
{
    for (int g = 0; g < LANES; g += 2 * STEP) {
        uint32_t k0 = (uint32_t)run->seed, k1 = (uint32_t)(run->seed >> 32);
        blocks   x = blocks_at(run, stream, first / 4 + (uint64_t)g);
        blocks   y = blocks_at(run, stream, first / 4 + (uint64_t)(g + STEP));
        for (int round = 0; round < 10; round++) {
            x = one_round(x, k0, k1);
            y = one_round(y, k0, k1);
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        store(out + 4 * g, x);
        store(out + 4 * (g + STEP), y);
    }
}

#else

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

#endif

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

/* Eight bytes of 0 or 1 as eight bits. */
static inline uint64_t pack8(const uint8_t *hit)
{
    uint64_t x;
    memcpy(&x, hit, sizeof x);
    return (x * 0x0102040810204080u) >> 56;
}

static inline uint64_t pack64(const uint8_t hit[64])
{
    uint64_t word = 0;
    for (int k = 0; k < 8; k++)
        word |= pack8(hit + 8 * k) << (8 * k);
    return word;
}

/* A row begins anywhere in the stream, so that its words may straddle two batches. */
static void bits(uint64_t *out, const real *p, const bs_run *run, uint32_t stream, uint64_t first,
                 int n)
{
    const uint64_t start = first / 4 * 4;
    const int      skip = (int)(first - start);
    uint32_t       words[2 * WORDS];
    philox_lanes(words, run, stream, start);
    for (int i = 0; i < n; i += WORDS) {
        uint8_t         hit[WORDS] = {0};
        int             m = n - i < WORDS ? n - i : WORDS;
        const uint32_t *from = words + skip;
        if (skip + m > WORDS || i + WORDS < n)
            philox_lanes(words + WORDS, run, stream, start + (uint64_t)i + WORDS);
        #pragma omp simd
        for (int k = 0; k < m; k++)
            hit[k] = (real)(int32_t)(from[k] >> 8) * UNIT < p[i + k];
        out[i / 64] = pack64(hit);
        memcpy(words, words + WORDS, sizeof words / 2);
    }
}

extern const bs_vec_random BS_V(bs_vec_random);
const bs_vec_random        BS_V(bs_vec_random) = {uniform, normal, bits};
