/* gemm.c -- dense products by a library, called on fixed blocks by our own threads.
 *
 * BLAS would cut the work by the number of threads, and the last bits with it;
 * here the cut depends on the shape alone. Vectors take the matrix-vector
 * routine, which streams the matrix once. Large products go to oneDNN where the
 * build has it: training steps are about a tenth faster than with OpenBLAS. Small
 * and narrow ones go to OpenBLAS in parts that it multiplies where they lie,
 * without packing; oneDNN also takes 20 ms to prepare its first (docs/speed.md). */
#include <cblas.h>

#include "cpu/kernel.h"

#ifdef BS_DOUBLE
#define blas_gemm cblas_dgemm
#define gemv      cblas_dgemv
#else
#define blas_gemm cblas_sgemm
#define gemv      cblas_sgemv
#endif

enum { BLOCK_ALIGN = 16 };

#if defined BS_DNNL && !defined BS_DOUBLE
#include <dnnl.h>

static void large_gemm(bool ta, bool tb, int m, int n, int k, const real *a, int lda, const real *b,
                       int ldb, real beta, real *c, int ldc)
{
    dnnl_sgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', m, n, k, 1, a, lda, b, ldb, beta, c, ldc);
}

/* UNPACKED: what OpenBLAS multiplies where it lies, m n k. Parts of it are as fast as oneDNN for
 * 8 rows and more, 1.05 to 1.25 times as fast for fewer, 1.8 times for 17 columns; beyond LITTLE
 * it no longer matters. */
enum { UNPACKED = 1000000, LITTLE = 2000000, NARROW = 32 };

/* Rows and columns of a part, or false where oneDNN is better. */
static bool unpacked(bool ta, bool tb, int m, int n, int k, int *rows, int *columns)
{
    *rows = m;
    *columns = n;
    if (tb && !ta)
        return n < NARROW && (int64_t)m * n * k <= UNPACKED;
    if (n < NARROW) {
        *rows = UNPACKED / n / k / BLOCK_ALIGN * BLOCK_ALIGN;
        return *rows > 0;
    }
    *columns = UNPACKED / m / k / BLOCK_ALIGN * BLOCK_ALIGN;
    return *columns > 0 && (int64_t)m * n * k <= LITTLE;
}

static void gemm(bool ta, bool tb, int m, int n, int k, const real *a, int lda, const real *b,
                 int ldb, real beta, real *c, int ldc)
{
    int rows, columns;
    if (!unpacked(ta, tb, m, n, k, &rows, &columns)) {
        large_gemm(ta, tb, m, n, k, a, lda, b, ldb, beta, c, ldc);
        return;
    }
    for (int i = 0; i < m; i += rows)
        for (int j = 0; j < n; j += columns)
            blas_gemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
                      m - i < rows ? m - i : rows, n - j < columns ? n - j : columns, k, 1,
                      a + (ta ? i : (int64_t)i * lda), lda, b + (tb ? (int64_t)j * ldb : j), ldb,
                      beta, c + (int64_t)i * ldc + j, ldc);
}
#else
static void gemm(bool ta, bool tb, int m, int n, int k, const real *a, int lda, const real *b,
                 int ldb, real beta, real *c, int ldc)
{
    blas_gemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n,
              k, 1, a, lda, b, ldb, beta, c, ldc);
}
#endif

/* How many blocks: few, since each block packs the shared operand anew, which costs up to a
 * fifth of the time; enough for the threads of an ordinary machine. By size alone. */
static int64_t blocks_for(int64_t flops)
{
    if (flops < 3000000) /* 30 microseconds */
        return 1;
    if (flops < 50000000)
        return 2;
    return flops < 400000000 ? 4 : flops < 4000000000 ? 8 : 16;
}

typedef struct {
    int  B, M, N, K;   /* batch and sizes of the product */
    bool ta, tb, rows; /* rows: blocks are cut along M, else along N */
    int  blocks;       /* per matrix */
} cut;

static bool is_vector(const cut *k)
{
    return k->M == 1 || k->N == 1;
}

static cut cut_of(const bs_call *c)
{
    const bs_shape a = c->args.in_shape[0], b = c->args.in_shape[1], u = c->args.node->shape;
    cut            k = {.ta = c->args.node->attr[0], .tb = c->args.node->attr[1]};
    k.B = u.d[0] * u.d[1];
    k.M = u.d[2];
    k.N = u.d[3];
    k.K = a.d[k.ta ? 2 : 3];
    /* one weight matrix for the whole batch: a single tall product */
    if (!k.ta && b.d[0] * b.d[1] == 1 && k.B > 1 && a.d[0] * a.d[1] == k.B) {
        k.M *= k.B;
        k.B = 1;
    }
    k.rows = k.M >= k.N;
    int     length = k.rows ? k.M : k.N;
    int64_t flops = 2 * (int64_t)k.M * k.N * k.K;
    int64_t most = (length + BLOCK_ALIGN - 1) / BLOCK_ALIGN, wish = blocks_for(flops);
    if (is_vector(&k)) /* bound by reading the matrix, not by arithmetic */
        wish = flops < 200000 ? 1 : flops < 20000000 ? 2 : 8;
    k.blocks = (int)(wish < most ? wish : most);
    return k;
}

/* Where block i starts: even shares, at whole vectors. */
static int block_start(const cut *k, int i)
{
    int     length = k->rows ? k->M : k->N;
    int64_t even = (int64_t)length * i / k->blocks;
    int64_t start = (even + BLOCK_ALIGN / 2) / BLOCK_ALIGN * BLOCK_ALIGN;
    return i == k->blocks || start > length ? length : (int)start;
}

static void matmul_measure(const bs_call *c, bs_work *w)
{
    cut k = cut_of(c);
    w->pieces = (int64_t)k.B * k.blocks;
    w->scratch = k.M == 1 ? (size_t)k.K * sizeof(int32_t) : 0;
    w->cost = 2.0 * k.B * k.M * k.N * k.K / (is_vector(&k) ? 25 : 80);
}

/* One block: rows i0 .. i0 + m of the result, columns j0 .. j0 + n. */
static void product(const cut *k, const real *a, const real *b, real *out, int i0, int m, int j0,
                    int n, real beta)
{
    const real *x = a + (k->ta ? i0 : (int64_t)i0 * k->K);
    const real *w = b + (k->tb ? (int64_t)j0 * k->K : j0);
    const int   lda = k->ta ? k->M : k->K, ldb = k->tb ? k->K : k->N;
    real       *y = out + (int64_t)i0 * k->N + j0;
    if (k->M == 1)
        gemv(CblasRowMajor, k->tb ? CblasNoTrans : CblasTrans, k->tb ? n : k->K, k->tb ? k->K : n,
             1, w, ldb, a, 1, beta, y, 1);
    else if (k->N == 1)
        gemv(CblasRowMajor, k->ta ? CblasTrans : CblasNoTrans, k->ta ? k->K : m, k->ta ? m : k->K,
             1, x, lda, b, 1, beta, y, 1);
    else
        gemm(k->ta, k->tb, m, n, k->K, x, lda, w, ldb, beta, y, k->N);
}

/* Where matrix `at` of the batch starts, when an operand may have a single one. */
static int64_t batch_index(bs_shape s, bs_shape u, int64_t at)
{
    int64_t i0 = at / u.d[1], i1 = at % u.d[1];
    return (s.d[0] == 1 ? 0 : i0) * s.d[1] + (s.d[1] == 1 ? 0 : i1);
}

#ifndef BS_DOUBLE
/* A row times a matrix: the rows of the matrix, weighted and summed in registers by the loop
 * of the sparse products, which reads the matrix faster than the library's routine: a row of
 * bibtex takes 9.8 us on two threads instead of 11.4. */
static void sum_rows(const bs_call *c, const cut *k, const real *a, const real *b, real *out,
                     int first, int size, int32_t *number)
{
    for (int i = 0; i < k->K; i++)
        number[i] = i;
    c->vec->sparse->gather_rows(out, b, k->N, first, first + size, number, a, k->K,
                                c->args.accumulate);
}
#endif

static void matmul_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_args *args = &c->args;
    const cut      k = cut_of(c);
    const real     beta = args->accumulate ? 1 : 0;
    (void)scratch;
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t     at = piece / k.blocks;
        int         block = (int)(piece % k.blocks);
        int         first = block_start(&k, block), size = block_start(&k, block + 1) - first;
        const real *a = args->in[0], *b = args->in[1];
        if (k.B > 1) {
            a += batch_index(args->in_shape[0], args->node->shape, at) * k.M * k.K;
            b += batch_index(args->in_shape[1], args->node->shape, at) * k.N * k.K;
        }
        real *out = (real *)args->out + at * k.M * k.N;
#ifndef BS_DOUBLE
        if (k.M == 1 && !k.tb) {
            sum_rows(c, &k, a, b, out, first, size, scratch);
            continue;
        }
#endif
        if (k.rows)
            product(&k, a, b, out, first, size, 0, k.N, beta);
        else
            product(&k, a, b, out, 0, k.M, first, size, beta);
    }
}

const bs_kernel bs_kernel_matmul = {matmul_measure, matmul_run};
