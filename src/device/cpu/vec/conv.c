/* conv.c -- the arithmetic of Winograd's convolution F(4x4, 3x3), channels across vector lanes.
 *
 *   y = A' [ (G w G') * (B' x B) ] A    (Lavin and Gray 2016, points 0, 1, -1, 2, -2, infinity)
 *
 * computes 4x4 outputs of a 3x3 kernel from 6x6 inputs with 36 products instead of 144. Each
 * transform applies a small matrix to the columns and then to the rows of a tile whose
 * elements are vectors of channels. The products over channels, 36 independent matrix
 * products, run on panels that a block of registers holds. */
#include <string.h>

#include "device/cpu/conv.h"

#if defined(__AVX512F__)
enum { VECTOR_BYTES = 64, BLOCK = sizeof(real) == 4 ? 8 : 4 };
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32, BLOCK = sizeof(real) == 4 ? 3 : 1 };
#else
enum { VECTOR_BYTES = 16, BLOCK = 1 };
#endif
enum {
    PANEL = BS_CONV_PANEL,
    DEPTH = BS_CONV_DEPTH,
    LANES = VECTOR_BYTES / (int)sizeof(real),
    VECTORS = PANEL / LANES
};

typedef real vec __attribute__((vector_size(VECTOR_BYTES)));

static inline vec load(const real *x)
{
    vec v;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline void store(real *x, vec v)
{
    memcpy(x, &v, sizeof v);
}

/* ---- the matrices ---- */

static inline void times_Bt(const vec *d, vec *out) /* 6 to 6 */
{
    vec even = d[4] - 4 * d[2], odd = d[3] - 4 * d[1];
    vec far = d[4] - d[2], near = 2 * (d[3] - d[1]);
    out[0] = 4 * d[0] - 5 * d[2] + d[4];
    out[1] = even + odd;
    out[2] = even - odd;
    out[3] = far + near;
    out[4] = far - near;
    out[5] = 4 * d[1] - 5 * d[3] + d[5];
}

static inline void times_At(const vec *m, vec *out) /* 6 to 4 */
{
    vec s1 = m[1] + m[2], d1 = m[1] - m[2], s2 = m[3] + m[4], d2 = m[3] - m[4];
    out[0] = m[0] + s1 + s2;
    out[1] = d1 + 2 * d2;
    out[2] = s1 + 4 * s2;
    out[3] = d1 + 8 * d2 + m[5];
}

static inline void times_A(const vec *y, vec *out) /* 4 to 6 */
{
    vec s1 = y[0] + y[2], d1 = y[1] + y[3], s2 = y[0] + 4 * y[2], d2 = 2 * y[1] + 8 * y[3];
    out[0] = y[0];
    out[1] = s1 + d1;
    out[2] = s1 - d1;
    out[3] = s2 + d2;
    out[4] = s2 - d2;
    out[5] = y[3];
}

static inline void times_G(const vec *w, vec *out) /* 3 to 6 */
{
    vec s1 = (w[0] + w[2]) * BS_REAL(-1.0 / 6), d1 = w[1] * BS_REAL(-1.0 / 6);
    vec s2 = w[0] * BS_REAL(1.0 / 24) + w[2] * BS_REAL(1.0 / 6), d2 = w[1] * BS_REAL(1.0 / 12);
    out[0] = w[0] * BS_REAL(0.25);
    out[1] = s1 + d1;
    out[2] = s1 - d1;
    out[3] = s2 + d2;
    out[4] = s2 - d2;
    out[5] = w[2];
}

static inline void times_Gt(const vec *u, vec *out) /* 6 to 3 */
{
    vec s1 = u[1] + u[2], d1 = u[2] - u[1], s2 = u[3] + u[4], d2 = u[3] - u[4];
    vec sixth = s1 * BS_REAL(-1.0 / 6);
    out[0] = u[0] * BS_REAL(0.25) + sixth + s2 * BS_REAL(1.0 / 24);
    out[1] = d1 * BS_REAL(1.0 / 6) + d2 * BS_REAL(1.0 / 12);
    out[2] = sixth + s2 * BS_REAL(1.0 / 6) + u[5];
}

/* One tile of vectors: `times` on columns, then on rows. `from` elements a side become `to`;
 * element (i, j) is at in + i in_row + j in_col. Inlined, so that all of these are constants. */
static inline __attribute__((always_inline)) void both_sides(void (*times)(const vec *, vec *),
                                                             int from, int to, real *out,
                                                             int64_t out_row, int64_t out_col,
                                                             const real *in, int64_t in_row,
                                                             int64_t in_col)
{
    vec half[6][6], line[6], result[6];
    for (int j = 0; j < from; j++) {
        for (int i = 0; i < from; i++)
            line[i] = load(in + i * in_row + j * in_col);
        times(line, result);
        for (int i = 0; i < to; i++)
            half[i][j] = result[i];
    }
    for (int i = 0; i < to; i++) {
        times(half[i], result);
        for (int j = 0; j < to; j++)
            store(out + i * out_row + j * out_col, result[j]);
    }
}

static void input(real *dst, int64_t point, const real *src, int64_t row, int64_t col, int n)
{
    for (int c = 0; c < n; c += LANES)
        both_sides(times_Bt, 6, 6, dst + c, 6 * point, point, src + c, row, col);
}

static void output(real *dst, int64_t row, int64_t col, const real *src, int64_t point, int n)
{
    for (int c = 0; c < n; c += LANES)
        both_sides(times_At, 6, 4, dst + c, row, col, src + c, 6 * point, point);
}

static void output_t(real *dst, int64_t point, const real *src, int64_t row, int64_t col, int n)
{
    for (int c = 0; c < n; c += LANES)
        both_sides(times_A, 4, 6, dst + c, 6 * point, point, src + c, row, col);
}

static void weights(real *dst, int64_t point, const real *const tap[9], int n)
{
    real tile[9 * LANES];
    for (int c = 0; c < n; c += LANES) {
        for (int t = 0; t < 9; t++)
            store(tile + t * LANES, tap[t] ? load(tap[t] + c) : (vec){0});
        both_sides(times_G, 3, 6, dst + c, 6 * point, point, tile, 3 * LANES, LANES);
    }
}

static void weights_t(real *dst, const real *src, int64_t point, int n)
{
    for (int c = 0; c < n; c += LANES)
        both_sides(times_Gt, 6, 3, dst + c, 3 * PANEL, PANEL, src + c, 6 * point, point);
}

/* ---- products ---- */

/* `rows` rows of c at once, held in registers over the whole of k. Every element is summed in
 * the order of k, whatever the block, so cutting the rows otherwise changes no bit. */
static inline __attribute__((always_inline)) void block(real *c, const real *a, int row, int col,
                                                        const real *b, int rows, int k, bool add)
{
    vec sum[8][VECTORS];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < VECTORS; v++)
            sum[r][v] = add ? load(c + r * PANEL + v * LANES) : (vec){0};
    for (int q = 0; q < k; q++, a += col, b += PANEL)
        for (int r = 0; r < rows; r++)
            for (int v = 0; v < VECTORS; v++)
                sum[r][v] += a[r * row] * load(b + v * LANES);
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < VECTORS; v++)
            store(c + r * PANEL + v * LANES, sum[r][v]);
}

static void product(real *c, const real *a, const real *b, int rows, int k, bool add)
{
    int r = 0;
    for (; r + BLOCK <= rows; r += BLOCK)
        block(c + r * PANEL, a + r * DEPTH, DEPTH, 1, b, BLOCK, k, add);
    for (; BLOCK > 4 && r + 4 <= rows; r += 4)
        block(c + r * PANEL, a + r * DEPTH, DEPTH, 1, b, 4, k, add);
    for (; r < rows; r++)
        block(c + r * PANEL, a + r * DEPTH, DEPTH, 1, b, 1, k, add);
}

static void product_t(real *c, const real *a, const real *b, int rows, int k, bool add)
{
    int r = 0;
    for (; r + BLOCK <= rows; r += BLOCK)
        block(c + r * PANEL, a + r, 1, PANEL, b, BLOCK, k, add);
    for (; r < rows; r++)
        block(c + r * PANEL, a + r, 1, PANEL, b, 1, k, add);
}

/* ---- pixels across lanes ---- */

static inline __attribute__((always_inline)) void shifted_block(real *y, const real *x,
                                                                const int32_t *offset,
                                                                const real *w, int vectors, int k)
{
    vec sum[8] = {{0}};
    for (int q = 0; q < k; q++)
        for (int v = 0; v < vectors; v++)
            sum[v] += w[q] * load(x + offset[q] + v * LANES);
    for (int v = 0; v < vectors; v++)
        store(y + v * LANES, sum[v]);
}

static void shifted(real *y, const real *x, const int32_t *offset, const real *w, int n, int k)
{
    int p = 0;
    for (; p + 7 * LANES < n; p += 8 * LANES)
        shifted_block(y + p, x + p, offset, w, 8, k);
    for (; p + 3 * LANES < n; p += 4 * LANES)
        shifted_block(y + p, x + p, offset, w, 4, k);
    for (; p < n; p += LANES)
        shifted_block(y + p, x + p, offset, w, 1, k);
}

static inline __attribute__((always_inline)) void dot_block(real *dw, const real *x,
                                                            const int32_t *offset, const real *dy,
                                                            int n, int length)
{
    vec sum[8] = {{0}};
    for (int p = 0; p < length; p += LANES) {
        const vec d = load(dy + p);
        for (int q = 0; q < n; q++)
            sum[q] += d * load(x + offset[q] + p);
    }
    for (int q = 0; q < n; q++) {
        real total = 0;
        for (int i = 0; i < LANES; i++)
            total += sum[q][i];
        dw[q] += total;
    }
}

static void dots(real *dw, const real *x, const int32_t *offset, const real *dy, int k, int n)
{
    int q = 0;
    for (; q + 8 <= k; q += 8)
        dot_block(dw + q, x, offset + q, dy, 8, n);
    for (; q < k; q++)
        dot_block(dw + q, x, offset + q, dy, 1, n);
}

/* ---- transposition ---- */

static inline void transpose_one(real *dst, int64_t ldd, const real *src, int64_t lds, int rows,
                                 int cols, bool add)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            dst[j * ldd + i] = src[i * lds + j] + (add ? dst[j * ldd + i] : 0);
}

#ifdef BS_DOUBLE
static inline void transpose_four(real *dst, int64_t ldd, const real *src, int64_t lds, bool add)
{
    transpose_one(dst, ldd, src, lds, 4, 4, add);
}
#else
typedef real quad __attribute__((vector_size(16)));

static inline void transpose_four(real *dst, int64_t ldd, const real *src, int64_t lds, bool add)
{
    quad r[4], t[4], old;
    for (int i = 0; i < 4; i++)
        memcpy(&r[i], src + i * lds, sizeof r[i]);
    t[0] = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    t[1] = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    t[2] = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    t[3] = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(t[0], t[2], 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(t[0], t[2], 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(t[1], t[3], 0, 1, 4, 5);
    r[3] = __builtin_shufflevector(t[1], t[3], 2, 3, 6, 7);
    for (int j = 0; j < 4; j++) {
        if (add) {
            memcpy(&old, dst + j * ldd, sizeof old);
            r[j] += old;
        }
        memcpy(dst + j * ldd, &r[j], sizeof r[j]);
    }
}
#endif

static void transpose_strip(real *dst, int64_t ldd, const real *src, int64_t lds, int rows,
                            int cols, bool add)
{
    int i = 0, fours = cols / 4 * 4;
    for (; i + 4 <= rows; i += 4) {
        for (int j = 0; j < fours; j += 4)
            transpose_four(dst + j * ldd + i, ldd, src + i * lds + j, lds, add);
        transpose_one(dst + fours * ldd + i, ldd, src + i * lds + fours, lds, 4, cols - fours, add);
    }
    transpose_one(dst + i, ldd, src + i * lds, lds, rows - i, cols, add);
}

#if defined(__AVX2__) && !defined(BS_DOUBLE)
typedef real oct __attribute__((vector_size(32)));

/* Pairs of elements, then pairs of pairs, then halves. */
static inline void transpose_eight(real *dst, int64_t ldd, const real *src, int64_t lds, bool add)
{
    oct r[8], t[8];
    for (int i = 0; i < 8; i++)
        memcpy(&r[i], src + i * lds, sizeof r[i]);
    for (int i = 0; i < 8; i += 2) {
        t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; k++) {
            oct a = t[i + k], b = t[i + k + 2];
            r[i + 2 * k] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
            r[i + 2 * k + 1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; i++) {
        t[i] = __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        t[i + 4] = __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (int j = 0; j < 8; j++) {
        if (add) {
            memcpy(&r[j], dst + j * ldd, sizeof r[j]);
            t[j] += r[j];
        }
        memcpy(dst + j * ldd, &t[j], sizeof t[j]);
    }
}

static void transpose_part(real *dst, int64_t ldd, const real *src, int64_t lds, int rows, int cols,
                           bool add)
{
    int i = 0, eights = cols / 8 * 8;
    for (; i + 8 <= rows; i += 8)
        for (int j = 0; j < eights; j += 8)
            transpose_eight(dst + j * ldd + i, ldd, src + i * lds + j, lds, add);
    if (i < rows)
        transpose_strip(dst + i, ldd, src + i * lds, lds, rows - i, eights, add);
    if (eights < cols)
        transpose_strip(dst + eights * ldd, ldd, src + eights, lds, rows, cols - eights, add);
}
#else
#define transpose_part transpose_strip
#endif

/* In strips, so that lines read or written in parts are still in the cache for the next part. The
 * planes of an image are often a power of two apart and then share a cache set: where they are
 * written, no more than eight at a time. */
static void transpose(real *dst, int64_t ldd, const real *src, int64_t lds, int rows, int cols,
                      bool add)
{
    const int strip = ldd > lds ? 8 : 32;
    for (int j = 0; j < cols; j += strip)
        transpose_part(dst + j * ldd, ldd, src + j, lds, rows, cols - j < strip ? cols - j : strip,
                       add);
}

extern const bs_vec_conv BS_V(bs_vec_conv);
const bs_vec_conv        BS_V(bs_vec_conv) = {transpose, shifted, dots,      input,   output,
                                              output_t,  weights, weights_t, product, product_t};
