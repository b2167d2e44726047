/* random.c -- Philox 4x32-10 in lanes: the streams of base/rng.c, many blocks at once.
 *
 * Counter layout as in base/rng.c: block number, stream, step, high parts. A
 * block gives four words; LANES blocks are computed side by side. The rounds
 * need 32 x 32 -> 64 bit products, which gcc does not make of plain C, so with
 * AVX2 and AVX-512 they are spelled out: 2.1 ms instead of 6 for 2.5 million words. */
#include <string.h>

#include "device/cpu/vec.h"
#include "graph/sampling.h"
#include "graph/vecmath.h"

enum { LANES = 16, WORDS = 4 * LANES };

#if defined __AVX2__
#include <immintrin.h>
#ifdef __AVX512F__
enum { WIDE = 64 };
#define LOW_HALVES(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_HALVES(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define MUL_EVEN(a, b)    ((wide)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))
#else
enum { WIDE = 32 };
#define LOW_HALVES(a, b)  __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_HALVES(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define MUL_EVEN(a, b)    ((wide)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#endif

typedef uint64_t wide __attribute__((vector_size(WIDE)));
enum { STEP = WIDE / 8 };

/* Four words of STEP blocks; a 64-bit lane holds one 32-bit word. */
typedef struct {
    wide a, b, c, d;
} blocks;

static inline blocks blocks_at(const bs_run *run, uint32_t stream, wide number)
{
    const wide low = (wide){0} + 0xffffffffu;
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

/* Two sets of blocks at a time hide the latency of the products. */
static inline void all_rounds(blocks *x, blocks *y, const bs_run *run)
{
    uint32_t k0 = (uint32_t)run->seed, k1 = (uint32_t)(run->seed >> 32);
    for (int round = 0; round < 10; round++) {
        *x = one_round(*x, k0, k1);
        *y = one_round(*y, k0, k1);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

static inline void store(uint32_t *out, blocks x)
{
    wide ab = x.a | x.b << 32, cd = x.c | x.d << 32;
    wide in_order[2] = {LOW_HALVES(ab, cd), HIGH_HALVES(ab, cd)};
    memcpy(out, in_order, sizeof in_order);
}

/* words first .. first + WORDS of the stream; first % 4 == 0 */
static void philox_lanes(uint32_t out[WORDS], const bs_run *run, uint32_t stream, uint64_t first)
{
    for (int g = 0; g < LANES; g += 2 * STEP) {
        wide number;
        for (int i = 0; i < STEP; i++)
            number[i] = first / 4 + (uint64_t)(g + i);
        blocks x = blocks_at(run, stream, number), y = blocks_at(run, stream, number + STEP);
        all_rounds(&x, &y, run);
        store(out + 4 * g, x);
        store(out + 4 * (g + STEP), y);
    }
}

typedef uint32_t narrow __attribute__((vector_size(WIDE / 2)));

static inline void store_word(uint32_t *out, wide x, wide y)
{
    narrow low[2] = {__builtin_convertvector(x, narrow), __builtin_convertvector(y, narrow)};
    memcpy(out, low, sizeof low);
}

/* Blocks whose numbers are given: word w of block i goes to out[w][i]. */
static void philox_blocks(uint32_t out[4][LANES], const bs_run *run, uint32_t stream,
                          const uint64_t block[LANES])
{
    for (int g = 0; g < LANES; g += 2 * STEP) {
        wide number[2];
        memcpy(number, block + g, sizeof number);
        blocks x = blocks_at(run, stream, number[0]), y = blocks_at(run, stream, number[1]);
        all_rounds(&x, &y, run);
        store_word(out[0] + g, x.a, y.a);
        store_word(out[1] + g, x.b, y.b);
        store_word(out[2] + g, x.c, y.c);
        store_word(out[3] + g, x.d, y.d);
    }
}

#else

/* Blocks whose numbers are given: word w of block i goes to out[w][i]. */
static void philox_blocks(uint32_t out[4][LANES], const bs_run *run, uint32_t stream,
                          const uint64_t block[LANES])
{
    uint32_t k0 = (uint32_t)run->seed, k1 = (uint32_t)(run->seed >> 32);
    for (int i = 0; i < LANES; i++) {
        out[0][i] = (uint32_t)block[i];
        out[1][i] = stream;
        out[2][i] = (uint32_t)run->step;
        out[3][i] = (uint32_t)(run->step >> 32) ^ (uint32_t)(block[i] >> 32);
    }
    for (int round = 0; round < 10; round++) {
#pragma omp simd
        for (int i = 0; i < LANES; i++) {
            uint64_t p0 = (uint64_t)0xD2511F53u * out[0][i], p1 = (uint64_t)0xCD9E8D57u * out[2][i];
            out[0][i] = (uint32_t)(p1 >> 32) ^ out[1][i] ^ k0;
            out[2][i] = (uint32_t)(p0 >> 32) ^ out[3][i] ^ k1;
            out[1][i] = (uint32_t)p1;
            out[3][i] = (uint32_t)p0;
        }
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

/* words first .. first + WORDS of the stream; first % 4 == 0 */
static void philox_lanes(uint32_t out[WORDS], const bs_run *run, uint32_t stream, uint64_t first)
{
    uint64_t block[LANES];
    uint32_t word[4][LANES];
    for (int i = 0; i < LANES; i++)
        block[i] = first / 4 + (uint64_t)i;
    philox_blocks(word, run, stream, block);
    for (int i = 0; i < LANES; i++)
        for (int k = 0; k < 4; k++)
            out[4 * i + k] = word[k][i];
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

/* Box-Muller: a pair of words gives a pair of elements, by cosine and sine of the same angle. */
static void normal(real *out, const bs_run *run, uint32_t stream, uint64_t first, int n)
{
    uint32_t words[WORDS];
    real     both[WORDS];
    for (int i = 0; i < n; i += WORDS) {
        int m = n - i < WORDS ? n - i : WORDS;
        philox_lanes(words, run, stream, first + (uint64_t)i);
#pragma omp simd
        for (int k = 0; k < WORDS / 2; k++) {
            real u = (real)(int32_t)((words[2 * k] >> 8) + 1) * UNIT;
            real v = (real)(int32_t)(words[2 * k + 1] >> 8) * UNIT;
            real length = bs_vsqrt(-2 * bs_vlog(u));
            both[2 * k] = length * bs_vcos2pi(v);
            both[2 * k + 1] = length * bs_vcos2pi(bs_vabs(v - BS_REAL(0.25)));
        }
        memcpy(out + i, both, (size_t)m * sizeof *out);
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

/* ---- samples ---- */

typedef struct {
    uint64_t     *out;
    const real   *p;
    const bs_run *run;
    uint32_t      stream;
    int64_t       b, rows;
    int           K, L, words;

    /* single draws that wait until there are enough of them, four to a lane */
    uint64_t block[LANES], beyond; /* beyond: draws of no sample, when K is not a multiple of 4 */
    real     odds[LANES];
    int      label[LANES], sample[LANES]; /* sample: the first of the four */
    int      waiting;
} sampling;

static inline void set_bit(const sampling *s, int k, int l)
{
    s->out[(int64_t)k * s->words + l / 64] |= (uint64_t)1 << (l % 64);
}

static void draw_waiting(sampling *s)
{
    uint32_t word[4][LANES];
    real     odds[4][LANES];
    uint8_t  hit[WORDS];
    for (; s->waiting < LANES; s->waiting++)
        s->odds[s->waiting] = 0;
    philox_blocks(word, s->run, s->stream | BS_STREAM_SINGLE, s->block);
    for (int k = 0; k < 4; k++)
        memcpy(odds[k], s->odds, sizeof odds[k]);
    const uint32_t *w = word[0];
    const real     *p = odds[0];
#pragma omp simd
    for (int i = 0; i < WORDS; i++)
        hit[i] = (real)(int32_t)(w[i] >> 8) * UNIT < p[i];
    for (uint64_t rest = pack64(hit) & ~s->beyond; rest; rest &= rest - 1) {
        unsigned at = (unsigned)__builtin_ctzll(rest), i = at % LANES;
        set_bit(s, s->sample[i] + (int)(at / LANES), s->label[i]);
    }
    s->waiting = 0;
    s->beyond = 0;
}

static void draw_singly(sampling *s, int l)
{
    const uint64_t first = bs_single_element(s->b, s->L, l, s->K, 0) / 4;
    const int      fours = (s->K + 3) / 4;
    const real     p = s->p[l];
    for (int k = 0; k < fours;) {
        const int at = s->waiting, n = fours - k < LANES - at ? fours - k : LANES - at;
        for (int i = 0; i < n; i++) {
            s->block[at + i] = first + (uint64_t)(k + i);
            s->odds[at + i] = p;
            s->label[at + i] = l;
            s->sample[at + i] = 4 * (k + i);
        }
        k += n;
        s->waiting += n;
        for (int j = s->K % 4; j % 4 && k == fours; j++)
            s->beyond |= (uint64_t)1 << (j * LANES + s->waiting - 1);
        if (s->waiting == LANES)
            draw_waiting(s);
    }
}

/* `v`: the first number, which is known not to leave out all samples */
static void draw_gaps(const sampling *s, int l, real v)
{
    for (int k = 0, draw = 1; bs_next_sample(v, s->p[l], s->K, &k); k++, draw++) {
        set_bit(s, k, l);
        uint64_t e = bs_gap_element(draw, s->rows, s->b, s->L, l);
        v = bs_unit(bs_rng_at(s->run->seed, s->run->step, s->stream | BS_STREAM_GAP, e));
    }
}

/* Labels l0 .. l0 + 64: which are drawn singly, which are rare but on in some sample. */
static void draw_labels(sampling *s, int l0)
{
    const int  m = s->L - l0 < WORDS ? s->L - l0 : WORDS;
    const real rare = BS_RARE;
    uint32_t   words[WORDS];
    real       v[WORDS], q[WORDS], none[WORDS];
    uint8_t    often[WORDS] = {0}, some[WORDS] = {0};
    philox_lanes(words, s->run, s->stream | BS_STREAM_GAP,
                 bs_gap_element(0, s->rows, s->b, s->L, l0));
#pragma omp simd
    for (int i = 0; i < m; i++) {
        v[i] = (real)(int32_t)(words[i] >> 8) * UNIT;
        q[i] = 1 - s->p[l0 + i];
        none[i] = 1;
    }
    for (int n = s->K; n > 0; n >>= 1) { /* bs_power */
        const bool odd = n & 1;
#pragma omp simd
        for (int i = 0; i < m; i++) {
            none[i] *= odd ? q[i] : 1;
            q[i] *= q[i];
        }
    }
#pragma omp simd
    for (int i = 0; i < m; i++) {
        often[i] = s->p[l0 + i] >= rare;
        some[i] = (s->p[l0 + i] < rare) & !(v[i] < none[i]);
    }
    for (uint64_t rest = pack64(often); rest; rest &= rest - 1)
        draw_singly(s, l0 + __builtin_ctzll(rest));
    for (uint64_t rest = pack64(some); rest; rest &= rest - 1)
        draw_gaps(s, l0 + __builtin_ctzll(rest), v[__builtin_ctzll(rest)]);
}

/* A sample of a row where many labels are often on. It begins anywhere in the stream, so that
 * its words may straddle two batches. */
static void draw_sample(const sampling *s, int k)
{
    const uint64_t first = bs_full_element(s->b, s->L, 0, s->K, k), start = first / 4 * 4;
    const int      skip = (int)(first - start), n = s->L;
    uint32_t       words[2 * WORDS];
    philox_lanes(words, s->run, s->stream, start);
    for (int i = 0; i < n; i += WORDS) {
        uint8_t         hit[WORDS] = {0};
        int             m = n - i < WORDS ? n - i : WORDS;
        const uint32_t *from = words + skip;
        if (skip + m > WORDS || i + WORDS < n)
            philox_lanes(words + WORDS, s->run, s->stream, start + (uint64_t)i + WORDS);
#pragma omp simd
        for (int j = 0; j < m; j++)
            hit[j] = (real)(int32_t)(from[j] >> 8) * UNIT < s->p[i + j];
        s->out[(int64_t)k * s->words + i / 64] = pack64(hit);
        memcpy(words, words + WORDS, sizeof words / 2);
    }
}

static void bits(uint64_t *out, const real *p, const bs_run *run, uint32_t stream, int64_t b,
                 int64_t rows, int K, int L)
{
    const real rare = BS_RARE;
    int        often = 0;
    sampling   s = {.out = out,
                    .p = p,
                    .run = run,
                    .stream = stream,
                    .b = b,
                    .rows = rows,
                    .K = K,
                    .L = L,
                    .words = bs_bits_words(L)};
#pragma omp simd reduction(+ : often)
    for (int l = 0; l < L; l++)
        often += p[l] >= rare;
    if (bs_is_full(often, L)) {
        for (int k = 0; k < K; k++)
            draw_sample(&s, k);
        return;
    }
    memset(out, 0, (size_t)K * (size_t)s.words * sizeof *out);
    for (int l0 = 0; l0 < L; l0 += WORDS)
        draw_labels(&s, l0);
    if (s.waiting)
        draw_waiting(&s);
}

extern const bs_vec_random BS_V(bs_vec_random);
const bs_vec_random        BS_V(bs_vec_random) = {uniform, normal, bits};
