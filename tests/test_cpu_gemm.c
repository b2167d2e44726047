/* test_cpu_gemm.c -- products of all sizes against the plain one: small, narrow, in parts, in
 * blocks, transposed, added to what was there; pieces in any order give the same bits. */
#include "tests/check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "device/cpu/blas.h"
#include "device/cpu/dense.h"
#include "device/cpu/kernel.h"

static real *random_values(bs_rng *r, int64_t n)
{
    real *x = bs_alloc((size_t)n * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (real)(2 * bs_rng_uniform(r) - 1);
    return x;
}

static void run_kernel(bs_call *c, const real *before, real *out, size_t bytes, bool reversed)
{
    bs_work w = {1, 0, 0};
    c->kernel->measure(c, &w);
    assert_true(w.pieces >= 1 && w.cost > 0);
    char *scratch = bs_alloc(w.scratch + 1);
    assert_non_null(scratch);
    memcpy(out, before, bytes);
    c->args.out = out;
    for (int64_t i = 0; i < w.pieces && reversed; i++)
        c->kernel->run(c, w.pieces - 1 - i, w.pieces - i, scratch);
    if (!reversed)
        c->kernel->run(c, 0, w.pieces, scratch);
    bs_free(scratch);
}

/* Sums of k products of numbers below 1. */
static void compare(const real *want, const real *got, int64_t n, int k)
{
    for (int64_t i = 0; i < n; i++)
        if (!(fabs((double)want[i] - (double)got[i]) < 20 * sqrt(k) * (double)BS_REAL_EPS))
            fail_msg("element %d: %g, not %g", (int)i, (double)got[i], (double)want[i]);
}

static void check(int m, int n, int k, bool ta, bool tb, bool accumulate, bs_rng *r)
{
    bs_shape a = ta ? bs_shape2(k, m) : bs_shape2(m, k), b = tb ? bs_shape2(n, k) : bs_shape2(k, n);
    bs_node  node = {.op = BS_OP_matmul, .shape = bs_shape2(m, n), .attr = {ta, tb}};
    real    *va = random_values(r, bs_shape_count(a)), *vb = random_values(r, bs_shape_count(b));
    real    *before = random_values(r, (int64_t)m * n), *want = random_values(r, (int64_t)m * n);
    real    *got = random_values(r, (int64_t)m * n), *again = random_values(r, (int64_t)m * n);
    const size_t bytes = (size_t)m * (size_t)n * sizeof *want;
    bs_call      c = {.args = {.node = &node,
                               .in = {va, vb},
                               .in_shape = {a, b},
                               .out = want,
                               .accumulate = accumulate},
                      .kernel = bs_kernel_of(BS_OP_matmul),
                      .vec = bs_vec_choose(NULL)};
    memcpy(want, before, bytes);
    bs_ops[BS_OP_matmul]->eval(&c.args);
    run_kernel(&c, before, got, bytes, false);
    compare(want, got, (int64_t)m * n, k);
    run_kernel(&c, before, again, bytes, true);
    assert_memory_equal(got, again, bytes);
    real *all[] = {va, vb, before, want, got, again};
    for (int i = 0; i < 6; i++)
        bs_free(all[i]);
}

static void same_as_plain(void **state)
{
    /* m, n, k: one of each, a sentence, its tags, several parts, several blocks */
    static const int size[][3] = {{2, 2, 1},     {3, 40, 5},      {12, 512, 100}, {30, 512, 100},
                                  {900, 17, 64}, {300, 31, 128},  {64, 31, 900},  {130, 200, 70},
                                  {33, 16, 129}, {250, 300, 100}, {31, 1500, 33}, {8, 200, 800},
                                  {5, 96, 512}};
    static const int empty_block[][3] = {{50, 50, 13000}, {48, 50, 11000}};
    bs_rng           r = bs_rng_make(3, 0, 0);
    (void)state;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (int how = 0; how < 8; how++)
            check(size[i][0], size[i][1], size[i][2], how & 1, how & 2, how & 4, &r);
    for (int how = 0; how < 8; how++)
        check(empty_block[how & 1][0], empty_block[how & 1][1], empty_block[how & 1][2], how & 2,
              how & 4, false, &r);
}

/* Small products are left to OpenBLAS only where it has code for them. */
static void poor_code_is_known(void **state)
{
    (void)state;
    assert_true(bs_blas_unpacked("SkylakeX"));
    assert_true(bs_blas_unpacked("COOPERLAKE"));
    assert_false(bs_blas_unpacked("Prescott"));
    assert_false(bs_blas_unpacked("Haswell"));
    assert_false(bs_blas_unpacked(""));
}

/* Once more as a processor for which OpenBLAS has other code, if this one can run it: which library
 * multiplies is decided by that. */
static void run_as_another(char **argv)
{
    const bool unpacked = bs_blas_unpacked(bs_blas.core());
    if (getenv("OPENBLAS_CORETYPE") || !bs_vec_named("avx512"))
        return;
    setenv("OPENBLAS_CORETYPE", unpacked ? "Haswell" : "SkylakeX", 1);
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(poor_code_is_known),
                                       cmocka_unit_test(same_as_plain)};
    int                     failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)argc;
    if (!failed)
        run_as_another(argv);
    return failed;
}
