/* test_cpu_conv.c -- the fast convolutions and pooling against the plain ones of the graph.
 *
 * Each case is run by all pieces at once and by single pieces in reverse order, which must give the
 * same bits; accumulating and not; with every instruction set this machine has. */
#include "tests/check.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "device/cpu/kernel.h"

/* Sizes of a convolution; the output follows from them. */
typedef struct {
    int B, C, H, W, O, KH, KW, stride, pad;
} sizes;

static const char *const sets[] = {"plain", "avx2", "avx512"};

static real *random_values(bs_rng *r, int64_t n)
{
    real *x = bs_alloc((size_t)n * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (real)(2 * bs_rng_uniform(r) - 1);
    return x;
}

static void compare(const real *want, const real *got, int64_t n, const char *what, sizes s)
{
    double error = 0, scale = 1;
    for (int64_t i = 0; i < n; i++) {
        assert_true(isfinite((double)got[i]));
        error = fmax(error, fabs((double)want[i] - (double)got[i]));
        scale = fmax(scale, fabs((double)want[i]));
    }
    if (error > 250 * (double)BS_REAL_EPS * scale)
        fail_msg("%s, %dx%dx%dx%d to %d, kernel %dx%d, stride %d, pad %d: error %g of %g", what,
                 s.B, s.C, s.H, s.W, s.O, s.KH, s.KW, s.stride, s.pad, error, scale);
}

/* Fills out with `start` and runs the kernel on it: at once, or piece by piece from the last. */
static void run_kernel(bs_call *c, void *out, const void *start, size_t bytes, bool reversed)
{
    bs_work w = {1, 0, 0};
    c->kernel->measure(c, &w);
    assert_true(w.pieces >= 1 && w.cost > 0);
    char *scratch = bs_alloc(w.scratch + 1);
    assert_non_null(scratch);
    memset(scratch, 0xff, w.scratch); /* NaN: nothing may be read before it is written */
    memcpy(out, start, bytes);
    c->args.out = out;
    if (reversed) {
        for (int64_t piece = w.pieces - 1; piece >= 0; piece--)
            c->kernel->run(c, piece, piece + 1, scratch);
    } else {
        c->kernel->run(c, 0, w.pieces, scratch);
    }
    bs_free(scratch);
}

/* One op on given operands, in all ways. */
static void check(bs_op_id op, bs_args args, bs_rng *r, sizes s)
{
    const int64_t n = bs_shape_count(args.node->shape);
    const size_t  bytes = (size_t)n * sizeof(real);
    real         *start = random_values(r, n), *want = random_values(r, n);
    real         *got = random_values(r, n), *again = random_values(r, n);
    for (int add = 0; add < 2; add++) {
        args.accumulate = add;
        args.out = want;
        memcpy(want, start, bytes);
        bs_ops[op]->eval(&args);
        for (int i = 0; i < 3; i++) {
            bs_call c = {.args = args, .kernel = bs_kernel_of(op), .vec = bs_vec_named(sets[i])};
            if (!c.vec)
                continue;
            run_kernel(&c, got, start, bytes, false);
            compare(want, got, n, bs_ops[op]->name, s);
            run_kernel(&c, again, start, bytes, true);
            assert_memory_equal(got, again, bytes);
        }
    }
    bs_free(start);
    bs_free(want);
    bs_free(got);
    bs_free(again);
}

/* The three members of the family on one geometry. */
static void check_family(sizes s, bs_rng *r)
{
    bs_shape x = bs_shape4(s.B, s.C, s.H, s.W), w = bs_shape4(s.O, s.C, s.KH, s.KW);
    bs_shape y = bs_shape4(s.B, s.O, (s.H + 2 * s.pad - s.KH) / s.stride + 1,
                           (s.W + 2 * s.pad - s.KW) / s.stride + 1);
    real    *vx = random_values(r, bs_shape_count(x)), *vw = random_values(r, bs_shape_count(w));
    real    *vy = random_values(r, bs_shape_count(y));
    bs_node  conv = {.op = BS_OP_conv, .shape = y, .attr = {s.stride, s.pad}};
    bs_node  dx = {.op = BS_OP_conv_dx, .shape = x, .attr = {s.stride, s.pad, s.H, s.W}};
    bs_node  dw = {.op = BS_OP_conv_dw, .shape = w, .attr = {s.stride, s.pad, s.KH, s.KW}};
    check(BS_OP_conv, (bs_args){.node = &conv, .in = {vx, vw}, .in_shape = {x, w}}, r, s);
    check(BS_OP_conv_dx, (bs_args){.node = &dx, .in = {vy, vw}, .in_shape = {y, w}}, r, s);
    check(BS_OP_conv_dw, (bs_args){.node = &dw, .in = {vx, vy}, .in_shape = {x, y}}, r, s);
    bs_free(vx);
    bs_free(vw);
    bs_free(vy);
}

static void check_all(const sizes *cases, size_t n, uint64_t seed)
{
    bs_rng r = bs_rng_make(seed, 0, 0);
    for (size_t i = 0; i < n; i++)
        check_family(cases[i], &r);
}

static void chosen_sizes(void **state)
{
    static const sizes cases[] = {
        {1, 1, 1, 1, 1, 1, 1, 1, 0},   {9, 3, 1, 1, 2, 3, 3, 1, 1},   {2, 3, 7, 9, 5, 1, 1, 1, 0},
        {1, 4, 6, 6, 1, 1, 1, 1, 0},   {2, 2, 6, 5, 3, 1, 1, 2, 0},   {1, 3, 8, 8, 4, 1, 1, 1, 1},
        {2, 3, 32, 32, 8, 5, 5, 1, 2}, {1, 2, 16, 16, 1, 4, 4, 2, 1}, {2, 1, 9, 11, 2, 4, 4, 2, 1},
        {9, 5, 12, 7, 6, 5, 5, 2, 2},  {1, 7, 13, 10, 9, 5, 5, 3, 2}, {2, 3, 5, 5, 4, 5, 5, 1, 0},
        {1, 3, 4, 4, 2, 4, 4, 3, 3},   {3, 2, 40, 3, 3, 3, 2, 1, 1},  {2, 4, 3, 70, 3, 2, 5, 2, 4},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases, 1);
}

/* Enough channels for the paths meant for large layers, with and without whole tiles. */
static void large_sizes(void **state)
{
    static const sizes cases[] = {
        {2, 64, 8, 8, 64, 5, 5, 2, 2},    {9, 32, 9, 10, 48, 5, 5, 2, 2},
        {1, 48, 11, 7, 33, 3, 3, 1, 1},   {3, 33, 10, 10, 64, 3, 3, 1, 0},
        {2, 64, 7, 13, 32, 4, 4, 2, 1},   {2, 40, 6, 6, 40, 5, 5, 1, 2},
        {1, 64, 12, 12, 32, 6, 6, 2, 2},  {2, 32, 9, 9, 32, 5, 3, 2, 1},
        {1, 128, 16, 16, 32, 5, 5, 2, 2},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases, 2);
}

/* Into few planes or out of few. */
static void few_planes(void **state)
{
    static const sizes cases[] = {
        {2, 64, 24, 24, 1, 5, 5, 1, 2}, {3, 35, 13, 9, 2, 5, 5, 1, 2},
        {2, 1, 20, 21, 64, 5, 5, 1, 2}, {1, 20, 7, 30, 15, 3, 3, 1, 0},
        {1, 9, 1, 5, 3, 2, 5, 1, 4},    {2, 17, 40, 3, 1, 1, 3, 1, 0},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases, 7);
}

/* More channels than the columns of one block hold: steps of three know no other path. */
static void several_blocks(void **state)
{
    static const sizes cases[] = {{1, 60, 40, 41, 18, 5, 5, 3, 2}, {2, 70, 37, 30, 3, 5, 5, 3, 1}};
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases, 8);
}

/* Images of several bands and batches of several groups: more than 64 tiles, 256 pixels. */
static void many_tiles(void **state)
{
    static const sizes cases[] = {
        {1, 16, 40, 44, 16, 3, 3, 1, 1}, {5, 16, 33, 30, 17, 3, 3, 1, 1},
        {9, 17, 24, 24, 20, 5, 5, 2, 2}, {3, 16, 37, 70, 16, 4, 4, 2, 1},
        {1, 16, 5, 270, 16, 3, 3, 1, 1}, {2, 3, 36, 34, 33, 5, 5, 1, 2},
        {1, 3, 5, 300, 16, 5, 5, 1, 2},  {2, 3, 41, 40, 40, 5, 5, 2, 2},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases, 6);
}

static int among(bs_rng *r, const int *choice, int n)
{
    return choice[bs_rng_below(r, (uint32_t)n)];
}

static void random_sizes(void **state)
{
    static const int kernels[] = {1, 3, 4, 5}, batches[] = {1, 2, 9};
    bs_rng           r;
    (void)state;
    r = bs_rng_make(3, 0, 0);
    for (int i = 0; i < 60; i++) {
        sizes s = {.B = among(&r, batches, 3),
                   .C = 1 + (int)bs_rng_below(&r, 20),
                   .H = 1 + (int)bs_rng_below(&r, 12),
                   .W = 1 + (int)bs_rng_below(&r, 12),
                   .O = 1 + (int)bs_rng_below(&r, 20),
                   .KH = among(&r, kernels, 4),
                   .KW = among(&r, kernels, 4),
                   .stride = 1 + (int)bs_rng_below(&r, 3),
                   .pad = (int)bs_rng_below(&r, 4)};
        if (s.H + 2 * s.pad >= s.KH && s.W + 2 * s.pad >= s.KW)
            check_family(s, &r);
    }
}

static void pooling(void **state)
{
    static const int cases[][5] = {
        {2, 6, 7, 2, 2}, {9, 5, 5, 3, 1}, {1, 1, 1, 1, 1}, {3, 8, 9, 3, 2}};
    bs_rng r;
    (void)state;
    r = bs_rng_make(4, 0, 0);
    for (int i = 0; i < 4; i++) {
        const int *d = cases[i];
        bs_shape   x = bs_shape4(2, d[0], d[1], d[2]);
        bs_node    node = {.op = BS_OP_pool_index, .attr = {d[3], d[4]}};
        int        windows = ((d[1] - d[3]) / d[4] + 1) * ((d[2] - d[3]) / d[4] + 1);
        node.shape = bs_shape3(2, d[0], windows);
        int64_t  n = bs_shape_count(node.shape);
        real    *vx = random_values(&r, bs_shape_count(x));
        int32_t *want = bs_calloc((size_t)n, sizeof *want),
                *got = bs_calloc((size_t)n, sizeof *got);
        bs_call c = {.args = {.node = &node, .in = {vx}, .in_shape = {x}},
                     .kernel = bs_kernel_of(BS_OP_pool_index),
                     .vec = bs_vec_named("plain")};
        vx[0] = vx[bs_shape_count(x) - 1]; /* equal values: the first one counts */
        c.args.out = want;
        bs_ops[BS_OP_pool_index]->eval(&c.args);
        for (int reversed = 0; reversed < 2; reversed++) {
            run_kernel(&c, got, want, 0, reversed);
            assert_memory_equal(got, want, (size_t)n * sizeof *want);
        }
        bs_free(vx);
        bs_free(want);
        bs_free(got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_sizes),   cmocka_unit_test(large_sizes),
        cmocka_unit_test(many_tiles),     cmocka_unit_test(few_planes),
        cmocka_unit_test(random_sizes),   cmocka_unit_test(pooling),
        cmocka_unit_test(several_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
