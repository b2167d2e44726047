/* sparse.c -- sums of rows picked by index or by bit, and sums over set bits.
 *
 * A sum of rows is kept in registers for a block of columns while the picked
 * rows pass by, so the result is written once. Blocks are as wide as the
 * registers allow and the columns are divided evenly among them: a narrow rest
 * would cost as much as a full block, since its additions wait for each other.
 * Every column is summed in the order of its rows, whatever the block.
 *
 * Vectors are the compiler's own (vector_size), one source for all sets; with
 * AVX-512 the last one of a block is masked, otherwise what does not fill a
 * vector is done by the column. */
#include "device/cpu/vec.h"
#include "device/cpu/vec/pack.h"

#if defined __AVX512F__
#include <immintrin.h>
enum { MOST = 13 };
#else
enum { MOST = 12 };
#endif

/* With AVX-512 the first `valid` elements of a vector, the rest zero; else a whole vector. */
#define LOAD(p) ((pack) * (const loose *)(p))
#ifndef __AVX512F__
typedef int mask;
#define MASK(valid)         (valid)
#define LOAD_SOME(p, m)     ((void)(m), LOAD(p))
#define STORE_SOME(p, m, v) ((void)(m), *(loose *)(p) = (v))
#elif defined BS_DOUBLE
typedef __mmask8 mask;
#define MASK(valid)         ((mask)(0xffu >> (8 - (valid))))
#define LOAD_SOME(p, m)     ((pack)_mm512_maskz_loadu_pd(m, p))
#define STORE_SOME(p, m, v) _mm512_mask_storeu_pd(p, m, (__m512d)(v))
#else
typedef __mmask16 mask;
#define MASK(valid)         ((mask)(0xffffu >> (16 - (valid))))
#define LOAD_SOME(p, m)     ((pack)_mm512_maskz_loadu_ps(m, p))
#define STORE_SOME(p, m, v) _mm512_mask_storeu_ps(p, m, (__m512)(v))
#endif

/* Where the rows come from: index[n] with value, or the set bits of n words. */
typedef struct {
    const real     *w; /* at the block's first column */
    int64_t         H;
    const int32_t  *index;
    const float    *value;
    const uint64_t *bits;
    int             n;
} source;

enum { BY_INDEX, BY_VALUE, BY_BITS };

/* acc += v * row */
FIXED void add_row(const int packs, pack acc[MOST], const real *row, real v, mask m)
{
    UNROLL
    for (int j = 0; j < packs - 1; j++)
        acc[j] += v * LOAD(row + j * LANES);
    acc[packs - 1] += v * LOAD_SOME(row + (packs - 1) * LANES, m);
}

/* `packs` and `kind` are constants wherever this is inlined, and acc lives in registers. */
FIXED void block(const int packs, const int kind, real *out, const source *s, mask m,
                 bool accumulate)
{
    const int64_t H = s->H;
    const real   *w = s->w;
    pack          acc[MOST];
    UNROLL
    for (int j = 0; j < packs; j++)
        acc[j] = (pack){0};
    if (accumulate)
        add_row(packs, acc, out, 1, m);
    if (kind == BY_BITS)
        for (int i = 0; i < s->n; i++, w += 64 * H)
            for (uint64_t rest = s->bits[i]; rest; rest &= rest - 1)
                add_row(packs, acc, w + __builtin_ctzll(rest) * H, 1, m);
    else
        for (int k = 0; k < s->n; k++)
            add_row(packs, acc, w + s->index[k] * H, kind == BY_VALUE ? (real)s->value[k] : 1, m);
    UNROLL
    for (int j = 0; j < packs - 1; j++)
        *(loose *)(out + j * LANES) = acc[j];
    STORE_SOME(out + (packs - 1) * LANES, m, acc[packs - 1]);
}

/* Columns 0 .. width of out, w and the rows; whole vectors, with AVX-512 any width. */
FIXED void blocks(const int kind, real *out, const source *from, int64_t width, bool accumulate)
{
    source  s = *from;
    int64_t packs = (width + LANES - 1) / LANES, left = (packs + MOST - 1) / MOST;
    for (int64_t done = 0; packs > 0; left--) {
        int64_t n = (packs + left - 1) / left, end = done + n * LANES;
        mask    m = MASK(width < end ? LANES - (int)(end - width) : LANES);
        s.w = from->w + done;
        switch (n) {
#define BLOCK(packs_) \
    case packs_: block(packs_, kind, out + done, &s, m, accumulate); break;
            BLOCK(1)
            BLOCK(2)
            BLOCK(3)
            BLOCK(4) BLOCK(5) BLOCK(6) BLOCK(7) BLOCK(8) BLOCK(9) BLOCK(10) BLOCK(11) BLOCK(12)
#ifdef __AVX512F__
                BLOCK(13)
#endif
#undef BLOCK
        }
        done = end;
        packs -= n;
    }
}

static void sum_rows(real *out, const source *s, int64_t width, bool accumulate)
{
#ifndef __AVX512F__
    /* columns that do not fill a vector; never more than seven */
    for (; width % LANES; width--) {
        const real *w = s->w + width - 1;
        real        sum = accumulate ? out[width - 1] : 0;
        if (s->bits)
            for (int i = 0; i < s->n; i++)
                for (uint64_t rest = s->bits[i]; rest; rest &= rest - 1)
                    sum += w[(64 * i + __builtin_ctzll(rest)) * s->H];
        else
            for (int k = 0; k < s->n; k++)
                sum += (s->value ? (real)s->value[k] : 1) * w[s->index[k] * s->H];
        out[width - 1] = sum;
    }
#endif
    if (s->bits)
        blocks(BY_BITS, out, s, width, accumulate);
    else if (s->value)
        blocks(BY_VALUE, out, s, width, accumulate);
    else
        blocks(BY_INDEX, out, s, width, accumulate);
}

static void gather_rows(real *out, const real *w, int64_t H, int64_t h0, int64_t h1,
                        const int32_t *index, const float *value, int n, bool accumulate)
{
    source s = {.w = w + h0, .H = H, .index = index, .value = value, .n = n};
    sum_rows(out + h0, &s, h1 - h0, accumulate);
}

static void gather_bits(real *out, const real *w, int64_t H, int64_t h0, int64_t h1,
                        const uint64_t *bits, int words, bool accumulate)
{
    source s = {.w = w + h0, .H = H, .bits = bits, .n = words};
    sum_rows(out + h0, &s, h1 - h0, accumulate);
}

/* Bound by stores, and rows are often odd multiples of 32 bytes: wider vectors would lie across
 * two cache lines every other time (20 bits of 983, 200 columns: 0.85 ms against 0.90). */
enum { HALF_BYTES = PACK_BYTES < 32 ? PACK_BYTES : 32, HALF_LANES = HALF_BYTES / sizeof(real) };
typedef real half __attribute__((vector_size(HALF_BYTES), aligned(sizeof(real)), may_alias));

static inline void add_to(real *to, const real *row, int64_t n)
{
    int64_t h = 0;
    for (; h + 4 * HALF_LANES <= n; h += 4 * HALF_LANES) {
        UNROLL
        for (int j = 0; j < 4; j++)
            *(half *)(to + h + j * HALF_LANES) += *(const half *)(row + h + j * HALF_LANES);
    }
    for (; h + HALF_LANES <= n; h += HALF_LANES)
        *(half *)(to + h) += *(const half *)(row + h);
    for (; h < n; h++)
        to[h] += row[h];
}

static void scatter_bits(real *w, const real *row, int64_t H, int64_t h0, int64_t h1,
                         const uint64_t *bits, int words)
{
    for (int i = 0; i < words; i++)
        for (uint64_t rest = bits[i]; rest; rest &= rest - 1)
            add_to(w + (64 * (int64_t)i + __builtin_ctzll(rest)) * H + h0, row + h0, h1 - h0);
}

/* ---- sums over set bits ---- */

#ifdef __AVX512F__

/* A word of bits is the masks of a few vectors. */
#ifdef BS_DOUBLE
#define MASKED_ADD(acc, m, p) _mm512_mask_add_pd(acc, m, acc, _mm512_maskz_loadu_pd(m, p))
#define STORE_MASKED(p, m, v) _mm512_mask_storeu_pd(p, m, v)
#define REPEAT(x)             _mm512_set1_pd(x)
#define FOLD(a)               _mm512_reduce_add_pd(a)
typedef __m512d wide;
#else
#define MASKED_ADD(acc, m, p) _mm512_mask_add_ps(acc, m, acc, _mm512_maskz_loadu_ps(m, p))
#define STORE_MASKED(p, m, v) _mm512_mask_storeu_ps(p, m, v)
#define REPEAT(x)             _mm512_set1_ps(x)
#define FOLD(a)               _mm512_reduce_add_ps(a)
typedef __m512 wide;
#endif

/* Masked loads do not touch what is masked out, so the end of the row needs no care. */
static real dot_bits(const real *a, const uint64_t *bits, int L)
{
    wide acc[4] = {REPEAT(0), REPEAT(0), REPEAT(0), REPEAT(0)};
    for (int l = 0; l < L; l += 64) {
        uint64_t word = bits[l / 64];
        if (!word)
            continue;
        UNROLL
        for (int j = 0; j < 64 / LANES; j++)
            acc[j % 4] = MASKED_ADD(acc[j % 4], (mask)(word >> (j * LANES)), a + l + j * LANES);
    }
    return FOLD(acc[0] + acc[1] + (acc[2] + acc[3]));
}

static void add_bits(real *a, real value, const uint64_t *bits, int L)
{
    const wide v = REPEAT(value);
    for (int l = 0; l < L; l += 64) {
        uint64_t word = bits[l / 64];
        UNROLL
        for (int j = 0; j < 64 / LANES && word; j++) {
            mask m = (mask)(word >> (j * LANES));
            STORE_MASKED(a + l + j * LANES, m, MASKED_ADD(v, m, a + l + j * LANES));
        }
    }
}

#else

#ifdef BS_DOUBLE
typedef int64_t  lane;
#else
typedef int32_t lane;
#endif
typedef lane     lanes __attribute__((vector_size(PACK_BYTES)));

/* More than a few bits of a word are cheaper by the whole word. */
static inline bool has_many(uint64_t word)
{
    for (int i = 0; i < 4 && word; i++)
        word &= word - 1;
    return word != 0;
}

/* All ones in the lanes whose bit is set, from the lowest on. */
FIXED void spread(lanes *out, uint64_t word)
{
    lanes bit;
    UNROLL
    for (int i = 0; i < LANES; i++)
        bit[i] = (lane)1 << i;
    *out = (((lanes){0} + (lane)(word & ((1u << LANES) - 1))) & bit) == bit;
}

static void dot_word(pack acc[2], const real *a, uint64_t word)
{
    UNROLL
    for (int j = 0; j < 64 / LANES; j++) {
        lanes keep;
        spread(&keep, word >> (j * LANES));
        acc[j % 2] += (pack)((lanes)LOAD(a + j * LANES) & keep);
    }
}

static real dot_bits(const real *a, const uint64_t *bits, int L)
{
    pack acc[2] = {{0}, {0}};
    real sum = 0;
    for (int l = 0; l < L; l += 64) {
        uint64_t word = bits[l / 64];
        if (L - l >= 64 && has_many(word))
            dot_word(acc, a + l, word);
        else
            for (; word; word &= word - 1)
                sum += a[l + __builtin_ctzll(word)];
    }
    acc[0] += acc[1];
    for (int i = 0; i < LANES; i++)
        sum += acc[0][i];
    return sum;
}

static void add_bits(real *a, real value, const uint64_t *bits, int L)
{
    const pack v = (pack){0} + value;
    for (int l = 0; l < L; l += 64) {
        uint64_t word = bits[l / 64];
        if (L - l < 64 || !has_many(word)) {
            for (; word; word &= word - 1)
                a[l + __builtin_ctzll(word)] += value;
            continue;
        }
        UNROLL
        for (int j = 0; j < 64 / LANES; j++) {
            lanes keep;
            spread(&keep, word >> (j * LANES));
            *(loose *)(a + l + j * LANES) += (pack)((lanes)v & keep);
        }
    }
}

#endif

const bs_vec_sparse BS_V(bs_vec_sparse) = {gather_rows, gather_bits, scatter_bits, dot_bits,
                                           add_bits};
