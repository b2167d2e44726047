/* vec.h -- the inner loops, compiled once per instruction set.
 *
 * Each file in cpu/vec/ holds one family and is compiled as plain C, for
 * AVX2+FMA and for AVX-512, with BS_ISA naming the set; it defines one const
 * table, named with BS_V so that the three can live in one library. The best
 * set the machine has is chosen when a program is compiled; BASIN_ISA=plain,
 * avx2 or avx512 in the environment chooses a lesser one.
 *
 * Loops must give the same bits however a range is cut, as far as an element
 * or an output row is concerned: no loop sums over a range whose borders
 * depend on the number of threads. */
#ifndef BS_VEC_H
#define BS_VEC_H

#include "graph/op.h"

#define BS_V__(name, isa) name##_##isa
#define BS_V_(name, isa)  BS_V__(name, isa)
#define BS_V(name)        BS_V_(name, BS_ISA)

/* out[i] = op(a[i], b[i], c[i]); out may be a, b or c. NULL: use the op's scalar function. */
typedef void (*bs_tile_fn)(real *out, const real *a, const real *b, const real *c,
                           const double *value, int n);

typedef struct {
    bs_tile_fn op[BS_OP_COUNT];
} bs_vec_tile;

typedef struct {
    /* elements first .. first + n of the stream, as op_leaf.c defines them; first % 4 == 0 */
    void (*uniform)(real *out, const bs_run *run, uint32_t stream, uint64_t first, int n);
    void (*normal)(real *out, const bs_run *run, uint32_t stream, uint64_t first, int n);
    /* K samples of row b of `rows`: K rows of L bits in whole words; see graph/sampling.h */
    void (*bits)(uint64_t *out, const real *p, const bs_run *run, uint32_t stream, int64_t b,
                 int64_t rows, int K, int L);
} bs_vec_random;

typedef struct {
    real (*sum)(const real *x, int64_t n);
    void (*add)(real *y, const real *x, int64_t n); /* y += x */
    /* over a contiguous line; out may be x */
    real (*logsumexp)(const real *x, int64_t n);
    void (*softmax)(real *out, const real *x, int64_t n);
    void (*log_softmax)(real *out, const real *x, int64_t n);
    real (*dot)(const real *x, const real *y, int64_t n);
    real (*sum_apart)(const real *x, int64_t n); /* with the same bits if zeros follow */
} bs_vec_reduce;

/* Of n elements of one channel; sums are added to. */
typedef struct {
    double (*squares)(const real *x, real mean, int64_t n); /* sum of (x - mean)^2 */
    /* sum[0] += sum of d x, sum[1] += sum of d; d = dy where y > 0, else 0 */
    void (*sums)(const real *dy, const real *y, const real *x, int64_t n, double sum[2]);
    void (*scaled_relu)(real *y, const real *x, real factor, real term, int64_t n);
} bs_vec_norm;

typedef struct {
    /* out[h0..h1) (+)= sum over k of value[k] * w[index[k]][h0..h1); value NULL = ones */
    void (*gather_rows)(real *out, const real *w, int64_t H, int64_t h0, int64_t h1,
                        const int32_t *index, const float *value, int n, bool accumulate);
    /* the same over the set bits of a row of `words` words */
    void (*gather_bits)(real *out, const real *w, int64_t H, int64_t h0, int64_t h1,
                        const uint64_t *bits, int words, bool accumulate);
    /* w[l][h0..h1) += row[h0..h1) for every set bit l */
    void (*scatter_bits)(real *w, const real *row, int64_t H, int64_t h0, int64_t h1,
                         const uint64_t *bits, int words);
    real (*dot_bits)(const real *a, const uint64_t *bits, int L);       /* sum of a over set bits */
    void (*add_bits)(real *a, real value, const uint64_t *bits, int L); /* a[l] += value there */
} bs_vec_sparse;

typedef struct {
    /* One step of one sequence row. z [4H] holds xp + h Wh and is not kept; the
     * others are H long. before may be NULL (zero). Gates are written activated. */
    void (*forward)(const real *z, const real *before, real *h, real *c, real *i, real *f, real *u,
                    real *o, int H);
    /* dh [H] complete, dc [H] in and out, dz [4H] out. before may be NULL. */
    void (*backward)(const real *dh, real *dc, const real *before, const real *c, const real *i,
                     const real *f, const real *u, const real *o, real *dz, int H);
} bs_vec_lstm;

typedef struct bs_vec_crf bs_vec_crf; /* device/cpu/crf.h */

/* One line of n elements. */
typedef struct {
    void (*forward)(real *out, const real *x, const real *gain, const real *bias, double eps,
                    int n);
    void (*back)(real *out, const real *x, const real *gain, const real *dy, double eps, int n);
    /* adds columns from .. to of the line to the sums of dy u and of dy */
    void (*sums)(real *by_u, real *all, const real *x, const real *dy, double eps, int n, int from,
                 int to);
} bs_vec_layer_norm;

/* c [m, n] = or += a b, where element (i, l) of a is a[i outer + l inner]. */
typedef struct {
    int         m, n, k;
    const real *a;
    int64_t     outer, inner;
    const real *b;
    int64_t     ldb;
    real       *c;
    int64_t     ldc;
    bool        add;
} bs_product;

typedef struct {
    void (*product)(const bs_product *p);
    /* to [n, width] = rows of `from`, times a factor, and the other way */
    void (*take)(real *to, const real *from, int64_t stride, int n, int width, real factor);
    void (*put)(real *to, int64_t stride, const real *from, int n, int width, real factor);
    /* to [width, room] = the transpose of from [n, width], then zeros */
    void (*transpose)(real *to, const real *from, int n, int width, int room);
    void (*slope)(real *ds, const real *p, real mean, int n); /* ds = p (ds - mean) */
} bs_vec_attention;

/* One optimiser step over n parameters; see device/device.h for the rule. */
struct bs_update;
typedef struct {
    void (*apply)(const struct bs_update *u, real *p, const real *g, real *m, real *v, real decay,
                  real rate, int64_t n);
    double (*square_sum)(const real *x, int64_t n);
} bs_vec_update;

typedef struct {
    const char          *isa;
    const bs_vec_tile   *tile;
    const bs_vec_random *random;
    const bs_vec_reduce *reduce;
    const bs_vec_sparse *sparse;
    const bs_vec_lstm   *lstm;
    const bs_vec_norm   *norm;
    const bs_vec_crf    *crf;
    const bs_vec_update *update;

    const bs_vec_layer_norm *layer_norm;
    const bs_vec_attention  *attention;
} bs_vec;

/* The best this machine runs, or what BASIN_ISA asks for; NULL when that is not to be had: results
 * that somebody wanted of one set must not come from another. */
const bs_vec *bs_vec_choose(basin_error *err);
/* By name; NULL when the build or the machine lacks it. */
const bs_vec *bs_vec_named(const char *isa);

#endif
