/* attention.c -- small products whose operands lie anywhere, for attention, and what moves them.
 *
 * A block of ROWS rows and a few vectors of columns is summed in registers while the inner index
 * passes by, so every number is a chain in the order of that index, whatever the block: results of
 * a document do not depend on what is multiplied beside it. */
#include "device/cpu/vec.h"
#include "device/cpu/vec/pack.h"

#ifdef __AVX512F__
enum { MOST = 4 };
#else
enum { MOST = 2 };
#endif
enum { ROWS = 4 };

FIXED void block(const int rows, const int packs, real *c, const bs_product *p, const real *a,
                 const real *b)
{
    pack acc[ROWS][MOST];
    UNROLL
    for (int i = 0; i < rows; i++)
        UNROLL
    for (int j = 0; j < packs; j++)
        acc[i][j] = p->add ? (pack) * (const loose *)(c + i * p->ldc + j * LANES) : (pack){0};
    for (int k = 0; k < p->k; k++, a += p->inner, b += p->ldb) {
        UNROLL
        for (int j = 0; j < packs; j++) {
            const pack column = *(const loose *)(b + j * LANES);
            UNROLL
            for (int i = 0; i < rows; i++)
                acc[i][j] += a[i * p->outer] * column;
        }
    }
    UNROLL
    for (int i = 0; i < rows; i++)
        UNROLL
    for (int j = 0; j < packs; j++)
        *(loose *)(c + i * p->ldc + j * LANES) = acc[i][j];
}

/* One column, for what does not fill a vector. */
FIXED void column(const int rows, real *c, const bs_product *p, const real *a, const real *b)
{
    for (int i = 0; i < rows; i++) {
        real sum = p->add ? c[i * p->ldc] : 0;
        for (int k = 0; k < p->k; k++)
            sum += a[i * p->outer + k * p->inner] * b[k * p->ldb];
        c[i * p->ldc] = sum;
    }
}

FIXED void some_rows(const int rows, const bs_product *p, int i)
{
    const real *a = p->a + i * p->outer;
    real       *c = p->c + i * p->ldc;
    int         j = 0;
    for (; j + MOST * LANES <= p->n; j += MOST * LANES)
        block(rows, MOST, c + j, p, a, p->b + j);
#if defined __AVX512F__
    if (j + 2 * LANES <= p->n) {
        block(rows, 2, c + j, p, a, p->b + j);
        j += 2 * LANES;
    }
#endif
    if (j + LANES <= p->n) {
        block(rows, 1, c + j, p, a, p->b + j);
        j += LANES;
    }
    for (; j < p->n; j++)
        column(rows, c + j, p, a, p->b + j);
}

static void product(const bs_product *p)
{
    int i = 0;
    for (; i + ROWS <= p->m; i += ROWS)
        some_rows(ROWS, p, i);
    for (; i < p->m; i++)
        some_rows(1, p, i);
}

static void take(real *to, const real *from, int64_t stride, int n, int width, real factor)
{
    for (int i = 0; i < n; i++)
#pragma omp simd
        for (int c = 0; c < width; c++)
            to[i * width + c] = from[i * stride + c] * factor;
}

static void put(real *to, int64_t stride, const real *from, int n, int width, real factor)
{
    for (int i = 0; i < n; i++)
#pragma omp simd
        for (int c = 0; c < width; c++)
            to[i * stride + c] = from[i * width + c] * factor;
}

/* By squares, so that both sides stay in the cache. */
static void transpose(real *to, const real *from, int n, int width, int room)
{
    for (int i0 = 0; i0 < n; i0 += LANES)
        for (int c = 0; c < width; c++)
            for (int i = i0; i < i0 + LANES && i < n; i++)
                to[c * room + i] = from[i * width + c];
    for (int c = 0; c < width; c++)
        for (int i = n; i < room; i++)
            to[c * room + i] = 0;
}

static void slope(real *ds, const real *p, real mean, int n)
{
#pragma omp simd
    for (int j = 0; j < n; j++)
        ds[j] = p[j] * (ds[j] - mean);
}

extern const bs_vec_attention BS_V(bs_vec_attention);
const bs_vec_attention        BS_V(bs_vec_attention) = {product, take, put, transpose, slope};
