/* dense.c -- which library multiplies, and in which parts.
 *
 * OpenBLAS multiplies small matrices where they lie, without packing, if it knows the processor as
 * one with AVX-512; large ones go to oneDNN where the build has it: training steps are about a
 * tenth faster. On any other processor, and on new ones that it takes for a Prescott, OpenBLAS
 * packs everything: 8 x 800 x 200 at 25 GFLOP/s (44 for a Haswell) where oneDNN has 170 (78 with
 * AVX2). There oneDNN multiplies all, at the price of the 20 to 30 ms that it takes to prepare its
 * first product (docs/speed.md). */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/utf8.h"
#include "device/cpu/blas.h"
#include "device/cpu/dense.h"
#include "device/cpu/program.h"
#include "device/cpu/signals.h"

#ifdef BS_DOUBLE
#define blas_gemm bs_blas.dgemm
#define blas_gemv bs_blas.dgemv
#else
#define blas_gemm bs_blas.sgemm
#define blas_gemv bs_blas.sgemv
#endif

#define TRANSPOSE(yes) ((yes) ? CblasTrans : CblasNoTrans)

/* Products that even the code for small matrices packs into a buffer, and vectors that do not fit
 * beside OpenBLAS's own on the stack. */
#define PACKS(ta, tb) (sizeof(real) > 4 || ((tb) && !(ta)))
enum { ON_STACK = (2048 - 128) / sizeof(real) };

/* UNPACKED: what OpenBLAS multiplies where it lies, m n k. Parts of it are as fast as oneDNN for
 * 8 rows and more, 1.05 to 1.25 times as fast for fewer and for FEW rows times transposed weights,
 * 1.8 times for 17 columns; beyond LITTLE it no longer matters. Without oneDNN, parts are better
 * than packing whenever they are possible. */
enum { UNPACKED = 1000000, NARROW = 32, FEW = 8, ALIGN = 16 };
#if defined BS_DNNL && !defined BS_DOUBLE
enum { LITTLE = 2000000 };
#else
enum { LITTLE = INT_MAX };
#endif

bool bs_blas_unpacked(const char *core)
{
    static const char *const known[] = {"SkylakeX", "Cooperlake", "SapphireRapids"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (bs_same_word(core, strlen(core), known[i]))
            return true;
    return false;
}

/* The library is asked only once. */
static bool has_unpacked(void)
{
    enum { UNKNOWN, YES, NO };
    static atomic_int known;
    int               k = atomic_load_explicit(&known, memory_order_relaxed);
    if (k == UNKNOWN) {
        k = bs_blas_unpacked(bs_blas.core()) ? YES : NO;
        atomic_store_explicit(&known, k, memory_order_relaxed);
    }
    return k == YES;
}

/* Rows and columns of a part, or false where the product is better left whole. */
static bool parts(bool ta, bool tb, int m, int n, int k, int *rows, int *columns)
{
    const int64_t all = (int64_t)m * n * k;
    *rows = m;
    *columns = n;
    if (n < NARROW) {
        if (tb && !ta)
            return all <= UNPACKED;
        *rows = UNPACKED / n / k / ALIGN * ALIGN;
        return *rows > 0;
    }
    if (tb && !ta && m > FEW)
        return false;
    *columns = UNPACKED / m / k / ALIGN * ALIGN;
    return *columns > 0 && all <= LITTLE;
}

/* What a thread set up for its products. In a run, that is done by the first product that needs it
 * and undone at the end: two system calls a run and thread, none where oneDNN has no part in it. */
static _Thread_local struct {
    bool     run;     /* between bs_products_begin and bs_products_end */
    bool     failed;  /* a library got no memory: there is no result */
    bool     ticket;  /* for OpenBLAS */
    bool     blocked; /* signals are, and were so before: */
    uint64_t signals;
} mine;

void bs_products_begin(void)
{
    mine.run = true;
}

bool bs_products_end(void)
{
    const bool ok = !mine.failed;
    if (mine.ticket)
        bs_blas_leave();
    if (mine.blocked)
        bs_signals_restore(mine.signals);
    mine.run = mine.failed = mine.ticket = mine.blocked = false;
    return ok;
}

/* Before OpenBLAS needs a buffer. */
static bool take_ticket(void)
{
    if (!mine.ticket && !mine.failed) {
        mine.ticket = bs_blas_enter();
        mine.failed = !mine.ticket;
    }
    return mine.ticket;
}

#if defined BS_DNNL && !defined BS_DOUBLE
#include <dnnl.h>

/* oneDNN makes its code when the first products ask for it, which takes 18 MiB, and dies where that
 * is not to be had. So it is made here, after a look. The C library wants 128 MiB when a thread
 * first allocates, of which it keeps half; without, it takes a page for every little thing. */
static bool make_code(void)
{
    enum { LARGE = 160 << 20, SIZE = 16 };
    const float zero[SIZE * SIZE] = {0};
    float       out[SIZE * SIZE];
    return bs_can_map(LARGE, 1) &&
           !dnnl_sgemm('N', 'N', SIZE, SIZE, SIZE, 1, zero, SIZE, zero, SIZE, 0, out, SIZE) &&
           !dnnl_sgemm('N', 'T', 2, SIZE, SIZE, 1, zero, SIZE, zero, SIZE, 0, out, SIZE);
}

static bool has_code(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static atomic_bool     made;
    if (atomic_load_explicit(&made, memory_order_acquire))
        return true;
    pthread_mutex_lock(&lock);
    const bool ok = atomic_load(&made) || make_code();
    atomic_store_explicit(&made, ok, memory_order_release);
    pthread_mutex_unlock(&lock);
    return ok;
}

static void whole(bool ta, bool tb, int m, int n, int k, const real *a, int lda, const real *b,
                  int ldb, real beta, real *c, int ldc)
{
    if (!mine.blocked)
        mine.signals = bs_signals_block();
    mine.blocked = true;
    mine.failed |= !has_code() || dnnl_sgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', m, n, k, 1, a, lda, b,
                                             ldb, beta, c, ldc) != dnnl_success;
}

static void name_dnnl(char *out, size_t room)
{
    const dnnl_version_t *v = dnnl_version();
    bs_print(out, room, ", oneDNN %d.%d.%d isa %x", v->major, v->minor, v->patch,
             (unsigned)dnnl_get_effective_cpu_isa());
}
#else
static void whole(bool ta, bool tb, int m, int n, int k, const real *a, int lda, const real *b,
                  int ldb, real beta, real *c, int ldc)
{
    if (take_ticket())
        blas_gemm(CblasRowMajor, TRANSPOSE(ta), TRANSPOSE(tb), m, n, k, 1, a, lda, b, ldb, beta, c,
                  ldc);
}

static void name_dnnl(char *out, size_t room)
{
    if (room)
        *out = '\0';
}
#endif

/* Once: OpenBLAS puts the text of its configuration together anew each time, in one place. */
static char libraries[80];

static void name_libraries(void)
{
    const char *config = bs_blas.config(), *version = strchr(config, ' ');
    version = version ? version + 1 : config;
    const size_t len = strcspn(version, " ");
    const int    n = bs_print(libraries, sizeof libraries, "OpenBLAS %.*s for %.20s",
                           len < 16 ? (int)len : 16, version, bs_blas.core());
    name_dnnl(libraries + n, sizeof libraries - (size_t)n);
}

const char *bs_dense_libraries(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, name_libraries);
    return libraries;
}

static void multiply(bool ta, bool tb, int m, int n, int k, const real *a, int64_t lda,
                     const real *b, int64_t ldb, real beta, real *c, int64_t ldc)
{
    int rows, columns;
    if (!has_unpacked() || !parts(ta, tb, m, n, k, &rows, &columns)) {
        whole(ta, tb, m, n, k, a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
        return;
    }
    if (PACKS(ta, tb) && !take_ticket())
        return;
    for (int i = 0; i < m; i += rows)
        for (int j = 0; j < n; j += columns)
            blas_gemm(CblasRowMajor, TRANSPOSE(ta), TRANSPOSE(tb), m - i < rows ? m - i : rows,
                      n - j < columns ? n - j : columns, k, 1, a + (ta ? i : i * lda), (int)lda,
                      b + (tb ? j * ldb : j), (int)ldb, beta, c + i * ldc + j, (int)ldc);
}

void bs_gemm(bool ta, bool tb, int m, int n, int k, const real *a, int64_t lda, const real *b,
             int64_t ldb, real beta, real *c, int64_t ldc)
{
    const bool     lonely = !mine.run;
    bs_thread_mode old = {0};
    if (m <= 0 || n <= 0) /* a block of a cut may be empty */
        return;
    if (lonely && bs_blas_load(NULL))
        return;
    if (lonely)
        old = bs_enter_kernels();
    multiply(ta, tb, m, n, k, a, lda, b, ldb, beta, c, ldc);
    if (lonely)
        bs_leave_kernels(old);
}

void bs_gemv(bool ta, int m, int n, const real *a, int64_t lda, const real *x, real beta, real *y)
{
    const bool     lonely = !mine.run;
    bs_thread_mode old = {0};
    if (lonely && bs_blas_load(NULL))
        return;
    if (lonely)
        old = bs_enter_kernels();
    if (m + n <= ON_STACK || take_ticket())
        blas_gemv(CblasRowMajor, TRANSPOSE(ta), m, n, 1, a, (int)lda, x, 1, beta, y, 1);
    if (lonely)
        bs_leave_kernels(old);
}

/* ---- rows apart ----
 *
 * A library chooses its loops by sizes, and with them the order in which a number of the result is
 * summed. oneDNN with AVX-512 happens to have one order, that of the inner index by one chain of
 * fused additions, for all sizes but few rows times transposed weights. If a trial confirms that,
 * products are its own where it keeps the order, and a single row, which it is slow at, is summed
 * in that order here. Otherwise all calls have the same shape, so that there is nothing to choose
 * by: that many rows, with zeros below the last. Long sums are cut into parts, whose sums libraries
 * add in turn. */

enum { ROWS = BS_APART_ROWS, PART = BS_APART_PART };

/* c = sums, or c += sums. */
static void put_sums(const real *sum, int n, real beta, real *c)
{
    for (int i = 0; i < n; i++)
        c[i] = beta != 0 ? c[i] + sum[i] : sum[i];
}

static void of_one_shape(bool tb, int m, int n, int k, const real *a, int64_t lda, const real *b,
                         int64_t ldb, real beta, real *c, int64_t ldc, real *room)
{
    real *x = room, *y = room + ROWS * PART;
    memset(x, 0, ROWS * PART * sizeof *x);
    for (int i = 0; i < m; i++)
        memcpy(x + i * PART, a + i * lda, (size_t)k * sizeof *x);
    for (int j = 0; j < n; j += PART) {
        const int width = n - j < PART ? n - j : PART;
        whole(false, tb, ROWS, width, k, x, PART, b + (tb ? j * ldb : j), (int)ldb, 0, y, PART);
        for (int i = 0; i < m; i++)
            put_sums(y + i * PART, width, beta, c + i * ldc + j);
    }
}

#ifndef BS_DOUBLE
static void in_order(const bs_vec *v, int n, int k, const real *a, const real *b, int64_t ldb,
                     real beta, real *c, real *room)
{
    int32_t number[PART];
    for (int i = 0; i < k; i++)
        number[i] = i;
    if (beta == 0) {
        v->sparse->gather_rows(c, b, ldb, 0, n, number, a, k, false);
        return;
    }
    for (int j = 0; j < n; j += BS_APART_ROOM) {
        const int width = n - j < BS_APART_ROOM ? n - j : BS_APART_ROOM;
        v->sparse->gather_rows(room, b + j, ldb, 0, width, number, a, k, false);
        put_sums(room, width, 1, c + j);
    }
}

enum { M = 48, N = 83, K = PART };

typedef struct {
    real a[M * K], b[K * N], t[N * K], c[M * N], want[N], room[BS_APART_ROOM];
} trial;

static real start_of(const trial *t, int row, int column)
{
    return t->b[row * N + column];
}

/* Whether the library sums a product of some sizes in order. */
static bool sums_in_order(const bs_vec *v, trial *t, bool tb, int m, int n, int k, real beta)
{
    for (int i = 0; i < M * N; i++)
        t->c[i] = start_of(t, i / N, i % N);
    whole(false, tb, m, n, k, t->a, K, tb ? t->t : t->b, tb ? K : N, beta, t->c, N);
    for (int r = 0; r < m; r++) {
        for (int j = 0; j < n; j++)
            t->want[j] = start_of(t, r, j);
        in_order(v, n, k, t->a + r * K, t->b, N, beta, t->want, t->room);
        if (memcmp(t->want, t->c + r * N, (size_t)n * sizeof *t->want) != 0)
            return false;
    }
    return true;
}

static bool keeps_order(const bs_vec *v, trial *t)
{
    static const int m[] = {2, 3, 5, 8, 16, 32, 47, M}, n[] = {8, 20, 64, N}, k[] = {4, 33, K};
    uint32_t         random = 1;
    bool             ok = true;
    for (int i = 0; i < M * K; i++)
        t->a[i] = (real)(int32_t)(random = random * 1664525 + 1013904223) / INT32_MAX;
    for (int i = 0; i < K * N; i++)
        t->b[i] = (real)(int32_t)(random = random * 1664525 + 1013904223) / INT32_MAX;
    for (int i = 0; i < K * N; i++)
        t->t[i % N * K + i / N] = t->b[i];
    for (int i = 0; i < 8 * 4 * 3 * 4 && ok; i++)
        if (i % 2 == 0 || m[i / 4 % 8] >= ROWS)
            ok = sums_in_order(v, t, i % 2, m[i / 4 % 8], n[i / 32 % 4], k[i / 128], i / 2 % 2);
    return ok;
}

static _Atomic(const bs_vec *) orderly, disorderly;

bool bs_apart_prepare(const bs_vec *v)
{
    if (atomic_load(&orderly) == v || atomic_load(&disorderly) == v)
        return true;
    trial *t = bs_alloc(sizeof *t);
    if (!t)
        return false;
    const bs_thread_mode old = bs_enter_kernels();
    const bool           ok = keeps_order(v, t);
    const bool           done = bs_leave_kernels(old);
    bs_free(t);
    if (done)
        atomic_store(ok ? &orderly : &disorderly, v);
    return done;
}

bool bs_apart_any_cut(const bs_vec *v)
{
    return atomic_load(&orderly) == v;
}
#else
bool bs_apart_prepare(const bs_vec *v)
{
    (void)v;
    return true;
}

bool bs_apart_any_cut(const bs_vec *v)
{
    (void)v;
    return false;
}
#endif

void bs_gemm_apart(const bs_vec *v, bool tb, int m, int n, int k, const real *a, int64_t lda,
                   const real *b, int64_t ldb, real beta, real *c, int64_t ldc, real *room)
{
    const bool ordered = bs_apart_any_cut(v);
    for (int at = 0; at < k && m > 0; at += PART, beta = 1) {
        const int   depth = k - at < PART ? k - at : PART;
        const real *x = a + at, *w = b + (tb ? at : at * ldb);
#ifndef BS_DOUBLE
        if (ordered && m == 1 && !tb) {
            in_order(v, n, depth, x, w, ldb, beta, c, room);
            continue;
        }
#endif
        if (ordered && (!tb || m >= ROWS)) {
            whole(false, tb, m, n, depth, x, (int)lda, w, (int)ldb, beta, c, (int)ldc);
            continue;
        }
        for (int i = 0; i < m; i += ROWS)
            of_one_shape(tb, m - i < ROWS ? m - i : ROWS, n, depth, x + i * lda, lda, w, ldb, beta,
                         c + i * ldc, ldc, room);
    }
}
