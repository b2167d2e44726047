/* bits.c -- products with packed binary samples.
 *
 * Their cost follows the set bits: a set bit adds one row of M. Three routes
 * give the same sums in the same order, hence the same bits, so they are
 * chosen freely, by how full the words are:
 *
 *   few bits    row by row over the whole matrix, which streams from L2;
 *   many bits   64 labels of M at a time for 64 samples, which stay near;
 *   backward    64 x 64 bits are transposed, and a row of the gradient is
 *               summed in registers instead of added to in memory.
 *
 * Expanding to a dense matrix for BLAS loses to the second route at any
 * density met: 2560 samples, 983 labels, 200 columns take 11.5 ms, against 4
 * with 250 labels set and 7 with 490 (one Zen 4 core, AVX-512). */
#include <string.h>

#include "device/cpu/kernel.h"

enum {
    ROWS = 8,        /* samples in a piece, forward */
    TILE = 64,       /* samples for which 64 rows of M are kept near */
    PIECES = 64,     /* of a gradient */
    GROUP = 16,      /* labels its borders are multiples of */
    CHUNK_WORDS = 8, /* x 64 samples, whose rows of dy fit in L2 */
};

/* Set bits per word, in tenths, from which on a route pays; by measurement. */
enum { DENSE = 50, WORTH_TRANSPOSING = 6 };

static const uint64_t *bits_row(const bs_call *c, int64_t r)
{
    return (const uint64_t *)c->args.in[0] + r * bs_bits_words(c->args.in_shape[0].d[3]);
}

/* Set bits of each 16 of a word, in as many bits. */
static uint64_t count_by_group(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (x + (x >> 8)) & 0x00ff00ff00ff00ffu;
}

/* Tenths of a set bit per word in rows r0 .. r1, judged by at most eight of them. */
static int64_t fullness(const bs_call *c, int64_t r0, int64_t r1)
{
    const int words = bs_bits_words(c->args.in_shape[0].d[3]);
    int64_t   set = 0, seen = 0;
    for (int64_t r = r0; r < r1; r += bs_divide_up(r1 - r0, 8), seen += words)
        for (int i = 0; i < words; i++)
            set += (int64_t)((count_by_group(bits_row(c, r)[i]) * 0x0001000100010001u) >> 48);
    return 10 * set / seen;
}

/* Not known before the samples are drawn: one label in sixteen, at most 40. */
static double guess_set(bs_shape s)
{
    return (double)s.d[2] * (s.d[3] < 640 ? 1 + s.d[3] / 16.0 : 40);
}

/* ---- bits_sample ---- */

static void bits_sample_measure(const bs_call *c, bs_work *w)
{
    w->pieces = c->args.in_shape[0].d[2];
    w->cost = (double)bs_shape_count(c->args.in_shape[0]) * 2 + guess_set(c->args.node->shape) * 3;
}

static void bits_sample_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_args *a = &c->args;
    const int64_t  K = a->node->attr[0], L = a->node->shape.d[3], words = bs_bits_words((int)L);
    (void)scratch;
    for (int64_t b = begin; b < end; b++)
        c->vec->random->bits((uint64_t *)a->out + b * K * words, (const real *)a->in[0] + b * L,
                             a->run, (uint32_t)a->node->attr[1], b, a->in_shape[0].d[2], (int)K,
                             (int)L);
}

const bs_kernel bs_kernel_bits_sample = {.measure = bits_sample_measure, .run = bits_sample_run};

/* ---- bits_matmul ---- */

static void bits_matmul_measure(const bs_call *c, bs_work *w)
{
    w->pieces = bs_divide_up(c->args.node->shape.d[2], ROWS);
    w->cost = guess_set(c->args.in_shape[0]) * (2 + 0.035 * c->args.node->shape.d[3]);
}

static void bits_matmul_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const int64_t N = c->args.node->shape.d[2], H = c->args.node->shape.d[3];
    const int     words = bs_bits_words(c->args.in_shape[0].d[3]);
    const real   *m = c->args.in[1];
    const int64_t last = end * ROWS < N ? end * ROWS : N;
    (void)scratch;
    for (int64_t r0 = begin * ROWS; r0 < last; r0 += TILE) {
        int64_t r1 = r0 + TILE < last ? r0 + TILE : last;
        int     step = fullness(c, r0, r1) < DENSE ? words : 1;
        for (int i = 0; i < words; i += step)
            for (int64_t r = r0; r < r1; r++)
                c->vec->sparse->gather_bits((real *)c->args.out + r * H, m + 64 * i * H, H, 0, H,
                                            bits_row(c, r) + i, step, i > 0 || c->args.accumulate);
    }
}

const bs_kernel bs_kernel_bits_matmul = {.measure = bits_matmul_measure, .run = bits_matmul_run};

/* ---- bits_matmul_t ---- */

/* Swaps ever smaller squares across the diagonal; bit j of word i becomes bit i of word j. */
static void transpose64(uint64_t a[64])
{
    uint64_t mask = 0x00000000ffffffffu;
    for (int size = 32; size > 0; size /= 2, mask ^= mask << size)
        for (int first = 0; first < 64; first += 2 * size) {
#pragma omp simd
            for (int k = first; k < first + size; k++) {
                uint64_t both = (a[k] >> size ^ a[k + size]) & mask;
                a[k] ^= both << size;
                a[k + size] ^= both;
            }
        }
}

/* out[label] = bits of the samples r0 .. r1 that have label 64 word + ..., as `wide` words */
static void transpose_bits(const bs_call *c, int word, int64_t r0, int64_t r1, int wide,
                           uint64_t out[64][CHUNK_WORDS])
{
    for (int i = 0; i < wide; i++) {
        uint64_t square[64];
        for (int64_t k = 0; k < 64; k++)
            square[k] = r0 + 64 * i + k < r1 ? bits_row(c, r0 + 64 * i + k)[word] : 0;
        transpose64(square);
        for (int k = 0; k < 64; k++)
            out[k][i] = square[k];
    }
}

/* Samples r0 .. r1 into rows l0 .. l1; add: out holds a sum already. */
static void sum_transposed(const bs_call *c, int64_t r0, int64_t r1, int64_t l0, int64_t l1,
                           bool add)
{
    const int64_t H = c->args.node->shape.d[3];
    const int     wide = (int)bs_divide_up(r1 - r0, 64);
    uint64_t      by_label[64][CHUNK_WORDS];
    for (int64_t first = l0 / 64 * 64; first < l1; first += 64) {
        transpose_bits(c, (int)(first / 64), r0, r1, wide, by_label);
        for (int64_t l = first < l0 ? l0 : first; l < l1 && l < first + 64; l++)
            c->vec->sparse->gather_bits((real *)c->args.out + l * H,
                                        (const real *)c->args.in[1] + r0 * H, H, 0, H,
                                        by_label[l - first], wide, add);
    }
}

/* All samples into rows l0 .. l1, the bits of other rows masked out. */
static void scatter_all(const bs_call *c, int64_t l0, int64_t l1)
{
    const int64_t H = c->args.node->shape.d[3], N = c->args.in_shape[0].d[2];
    const int64_t w0 = l0 / 64, w1 = bs_divide_up(l1, 64);
    real         *out = c->args.out;
    uint64_t      part[64];
    if (!c->args.accumulate)
        memset(out + l0 * H, 0, (size_t)((l1 - l0) * H) * sizeof *out);
    for (int64_t r = 0; r < N; r++)
        for (int64_t w = w0; w < w1; w += 64) {
            int n = w1 - w < 64 ? (int)(w1 - w) : 64;
            memcpy(part, bits_row(c, r) + w, (size_t)n * sizeof *part);
            if (w == w0)
                part[0] &= UINT64_MAX << (l0 % 64);
            if (w + n == w1 && l1 % 64)
                part[n - 1] &= UINT64_MAX >> (64 - l1 % 64);
            c->vec->sparse->scatter_bits(out + 64 * w * H, (const real *)c->args.in[1] + r * H, H,
                                         0, H, part, n);
        }
}

static int64_t gradient_pieces(const bs_call *c)
{
    int64_t groups = bs_divide_up(c->args.node->shape.d[2], GROUP);
    return groups < PIECES ? groups : PIECES;
}

static void bits_matmul_t_measure(const bs_call *c, bs_work *w)
{
    const int words = bs_bits_words(c->args.node->shape.d[2]);
    w->pieces = gradient_pieces(c);
    w->cost = guess_set(c->args.in_shape[0]) * (3 + 0.045 * c->args.node->shape.d[3]);
    w->scratch = (size_t)words * (64 / GROUP) * sizeof(int64_t);
}

/* Labels [l0, l1) of the pieces [begin, end), and how full the words are. Some labels are set a
 * hundred times more often than others, so the borders follow a census of 128 samples; a row of
 * the gradient is summed in the same order whoever does it. */
static int64_t find_borders(const bs_call *c, int64_t begin, int64_t end, int64_t *weight,
                            int64_t *l0, int64_t *l1)
{
    const int64_t N = c->args.in_shape[0].d[2], L = c->args.node->shape.d[2];
    const int64_t words = bs_bits_words((int)L), groups = bs_divide_up(L, GROUP);
    const int64_t pieces = gradient_pieces(c), idle = 6; /* what a group costs without any bit */
    int64_t       set = 0, seen = 0, sum = 0, g = 0;
    memset(weight, 0, (size_t)(4 * words) * sizeof *weight);
    for (int64_t r = 0; r < N; r += bs_divide_up(N, 128), seen += words)
        for (int64_t i = 0; i < words; i++) {
            uint64_t counts = count_by_group(bits_row(c, r)[i]);
            for (int k = 0; k < 4; k++)
                weight[4 * i + k] += (int64_t)(counts >> (16 * k) & 0xffff);
        }
    for (int64_t i = 0; i < groups; i++)
        set += weight[i];
    const int64_t from = (set + idle * groups) * begin / pieces;
    const int64_t to = (set + idle * groups) * end / pieces;
    for (; g < groups && sum < from; g++)
        sum += weight[g] + idle;
    *l0 = g * GROUP;
    for (; g < groups && sum < to; g++)
        sum += weight[g] + idle;
    *l1 = g * GROUP < L ? g * GROUP : L;
    return 10 * set / seen;
}

static void bits_matmul_t_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const int64_t N = c->args.in_shape[0].d[2];
    int64_t       l0, l1, full = find_borders(c, begin, end, scratch, &l0, &l1);
    const int64_t step = full < DENSE ? 64 * CHUNK_WORDS : 64;
    if (l0 >= l1)
        return;
    if (full < WORTH_TRANSPOSING) {
        scatter_all(c, l0, l1);
        return;
    }
    for (int64_t r0 = 0; r0 < N; r0 += step)
        sum_transposed(c, r0, r0 + step < N ? r0 + step : N, l0, l1, r0 > 0 || c->args.accumulate);
}

const bs_kernel bs_kernel_bits_matmul_t = {.measure = bits_matmul_t_measure,
                                           .run = bits_matmul_t_run};

/* ---- bits_dot, bits_dot_t ---- */

static void bits_dot_measure(const bs_call *c, bs_work *w)
{
    w->pieces = bs_divide_up(c->args.in_shape[0].d[2], ROWS);
    w->cost = (double)bs_shape_count(c->args.in_shape[0]) * 0.06;
}

static void bits_dot_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const int64_t N = c->args.in_shape[0].d[2], L = c->args.in_shape[0].d[3];
    const int64_t K = N / c->args.in_shape[1].d[2];
    (void)scratch;
    for (int64_t r = begin * ROWS; r < end * ROWS && r < N; r++)
        ((real *)c->args.out)[r] = c->vec->sparse->dot_bits((const real *)c->args.in[1] + r / K * L,
                                                            bits_row(c, r), (int)L);
}

const bs_kernel bs_kernel_bits_dot = {.measure = bits_dot_measure, .run = bits_dot_run};

static void bits_dot_t_measure(const bs_call *c, bs_work *w)
{
    w->pieces = c->args.node->shape.d[2];
    w->cost = (double)bs_shape_count(c->args.in_shape[0]) * 0.06;
}

static void bits_dot_t_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const int64_t L = c->args.in_shape[0].d[3];
    const int64_t K = c->args.in_shape[0].d[2] / c->args.node->shape.d[2];
    const real   *dy = c->args.in[1];
    (void)scratch;
    for (int64_t b = begin; b < end; b++) {
        real *out = (real *)c->args.out + b * L;
        memset(out, 0, (size_t)L * sizeof *out);
        for (int64_t r = b * K; r < (b + 1) * K; r++)
            c->vec->sparse->add_bits(out, dy[r], bits_row(c, r), (int)L);
    }
}

const bs_kernel bs_kernel_bits_dot_t = {.measure = bits_dot_t_measure, .run = bits_dot_t_run};
