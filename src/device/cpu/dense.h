/* dense.h -- products of dense matrices, by a library. Internal to cpu/. */
#ifndef BS_CPU_DENSE_H
#define BS_CPU_DENSE_H

#include "device/cpu/vec.h"

/* c = a b + beta c, all by rows; ta, tb: an operand is stored transposed. c is m x n, and k the
 * inner length. How it is computed, and so its last bits, depends on sizes and machine alone. */
void bs_gemm(bool ta, bool tb, int m, int n, int k, const real *a, int64_t lda, const real *b,
             int64_t ldb, real beta, real *c, int64_t ldc);

/* y = a x + beta y for a of m rows and n columns, or of its transpose. */
void bs_gemv(bool ta, int m, int n, const real *a, int64_t lda, const real *x, real beta, real *y);

/* The same for a that is not transposed, and beta 0 or 1; the bits of a row of c do not depend on m
 * or on other rows of a. room: BS_APART_ROOM reals. */
enum { BS_APART_ROWS = 16, BS_APART_PART = 384, BS_APART_ROOM = 2 * BS_APART_ROWS * BS_APART_PART };
void bs_gemm_apart(const bs_vec *v, bool tb, int m, int n, int k, const real *a, int64_t lda,
                   const real *b, int64_t ldb, real beta, real *c, int64_t ldc, real *room);
/* Before the first of these; false: out of memory. */
bool bs_apart_prepare(const bs_vec *v);
/* Whether its columns may be cut anywhere, too; otherwise only rows may be, at multiples of
 * BS_APART_ROWS. */
bool bs_apart_any_cut(const bs_vec *v);

/* A thread's products of one run lie between these: what they need of the thread (signals.h) is
 * then set up once. A product outside of them does so for itself. */
void bs_products_begin(void);
bool bs_products_end(void); /* false: a library found no memory, so that results are missing */

/* "OpenBLAS 0.3.21 for Haswell, oneDNN 2.6.0 isa 7": what else last bits depend on. */
const char *bs_dense_libraries(void);

/* Whether OpenBLAS has code for this processor that multiplies small matrices where they lie; by
 * the name that OpenBLAS has for it. */
bool bs_blas_unpacked(const char *core);

#endif
