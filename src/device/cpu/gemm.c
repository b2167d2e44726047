/* gemm.c -- dense products by a library (dense.c), called on fixed blocks by our own threads.
 *
 * BLAS would cut the work by the number of threads, and the last bits with it;
 * here the cut depends on the shape alone. Vectors take the matrix-vector
 * routine, which streams the matrix once. */
#include "device/cpu/dense.h"
#include "device/cpu/kernel.h"

enum { BLOCK_ALIGN = 16 };

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
    bool apart;
    int  blocks; /* per matrix */
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
    k.apart = c->apart && !k.ta;
    k.rows = k.M >= k.N || (k.apart && !bs_apart_any_cut(c->vec));
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
    w->scratch = k.apart    ? BS_APART_ROOM * sizeof(real)
                 : k.M == 1 ? (size_t)k.K * sizeof(int32_t)
                            : 0;
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
        bs_gemv(!k->tb, k->tb ? n : k->K, k->tb ? k->K : n, w, ldb, a, beta, y);
    else if (k->N == 1)
        bs_gemv(k->ta, k->ta ? k->K : m, k->ta ? m : k->K, x, lda, b, beta, y);
    else
        bs_gemm(k->ta, k->tb, m, n, k->K, x, lda, w, ldb, beta, y, k->N);
}

/* The same where a row must not depend on others. */
static void product_apart(const bs_call *c, const cut *k, const real *a, const real *b, real *out,
                          int first, int size, void *room)
{
    const int   ldb = k->tb ? k->K : k->N, i0 = k->rows ? first : 0, j0 = k->rows ? 0 : first;
    const int   m = k->rows ? size : k->M, n = k->rows ? k->N : size;
    const real *x = a + (int64_t)i0 * k->K, *w = b + (k->tb ? (int64_t)j0 * k->K : j0);
    real       *y = out + (int64_t)i0 * k->N + j0;
    for (int i = 0; i < m && k->N == 1; i++)
        y[i] =
            (c->args.accumulate ? y[i] : 0) + c->vec->reduce->dot(x + (int64_t)i * k->K, b, k->K);
    if (k->N > 1)
        bs_gemm_apart(c->vec, k->tb, m, n, k->K, x, k->K, w, ldb, c->args.accumulate, y, k->N,
                      room);
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
        if (k.apart) {
            product_apart(c, &k, a, b, out, first, size, scratch);
            continue;
        }
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

/* Too small to be cut, and large enough for a thread of its own. */
static bool few_products(const bs_node *n, const bs_shape in[4])
{
    const double products = (double)bs_shape_count(n->shape) * in[0].d[n->attr[0] ? 2 : 3];
    return products > 200000 && products < 1500000;
}

const bs_kernel bs_kernel_matmul = {
    .measure = matmul_measure, .run = matmul_run, .hard_to_share = few_products};
