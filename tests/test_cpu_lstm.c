/* test_cpu_lstm.c -- the fast LSTM kernels against the plain ones of the graph.
 *
 * Lengths from 0 to T, sorted or not; both directions; with every instruction set this machine has;
 * pieces run one by one in reverse order give the same bits as all at once. */
#include "tests/check.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "device/cpu/kernel.h"

typedef struct {
    int T, B, H;
} sizes;

static const char *const sets[] = {"plain", "avx2", "avx512"};

static real *random_values(bs_rng *r, int64_t n, double range)
{
    real *x = bs_alloc((size_t)n * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (real)(range * (2 * bs_rng_uniform(r) - 1));
    return x;
}

/* The result of the kernel in `out`, which held NaN before. */
static void run_kernel(bs_call *c, real *out, int64_t n, bool reversed)
{
    bs_work w = {1, 0, 0};
    c->kernel->measure(c, &w);
    assert_true(w.pieces >= 1 && w.cost > 0);
    char *scratch = bs_alloc(w.scratch + 1);
    assert_non_null(scratch);
    memset(scratch, 0xff, w.scratch);
    memset(out, 0xff, (size_t)n * sizeof *out);
    c->args.out = out;
    if (reversed) {
        for (int64_t piece = w.pieces - 1; piece >= 0; piece--)
            c->kernel->run(c, piece, piece + 1, scratch);
    } else {
        c->kernel->run(c, 0, w.pieces, scratch);
    }
    bs_free(scratch);
}

static void compare(const real *want, const real *got, int64_t n, const char *what, sizes s)
{
    double error = 0;
    for (int64_t i = 0; i < n; i++) {
        assert_true(isfinite((double)got[i]));
        /* outside a sequence nothing may be left */
        if (want[i] == 0 && got[i] != 0 && fabs((double)got[i]) > 1e-30)
            fail_msg("%s, T %d, B %d, H %d: not zero at %d", what, s.T, s.B, s.H, (int)i);
        error =
            fmax(error, fabs((double)want[i] - (double)got[i]) / fmax(1, fabs((double)want[i])));
    }
    if (error > 300 * (double)BS_REAL_EPS)
        fail_msg("%s, T %d, B %d, H %d: error %g", what, s.T, s.B, s.H, error);
}

/* The plain result stays in `want`. */
static void check(bs_op_id op, bs_args args, real *want, sizes s)
{
    const int64_t n = bs_shape_count(args.node->shape);
    const size_t  bytes = (size_t)n * sizeof(real);
    real         *got = bs_alloc(bytes), *again = bs_alloc(bytes);
    assert_true(got && again);
    args.out = want;
    bs_ops[op]->eval(&args);
    for (int i = 0; i < 3; i++) {
        bs_call c = {.args = args, .kernel = bs_kernel_of(op), .vec = bs_vec_named(sets[i])};
        if (!c.vec)
            continue;
        run_kernel(&c, got, n, false);
        compare(want, got, n, bs_ops[op]->name, s);
        run_kernel(&c, again, n, true);
        assert_memory_equal(got, again, bytes);
    }
    bs_free(got);
    bs_free(again);
}

/* order 0: random lengths; 1: the same sorted, longest first; 2: all full; 3: all empty */
static void check_lengths(sizes s, int order, bool reverse, bs_rng *r)
{
    bs_shape xp = bs_shape3(s.T, s.B, 4 * s.H), wh = bs_shape2(s.H, 4 * s.H);
    bs_shape lens = bs_shape1(s.B), h = bs_shape3(s.T, s.B, s.H);
    bs_node  cells = {.op = BS_OP_lstm_cells, .shape = bs_shape4(6, s.T, s.B, s.H)};
    bs_node  back = {.op = BS_OP_lstm_back, .shape = xp};
    real    *vxp = random_values(r, bs_shape_count(xp), 2), *vdh;
    real    *vwh = random_values(r, bs_shape_count(wh), 1 / sqrt((double)s.H));
    real    *planes = random_values(r, bs_shape_count(cells.shape), 1);
    real    *dz = random_values(r, bs_shape_count(xp), 1);
    int32_t *len = bs_alloc((size_t)s.B * sizeof *len);
    assert_non_null(len);
    for (int b = 0; b < s.B; b++) {
        int32_t n = (int32_t)bs_rng_below(r, (uint32_t)s.T + 1);
        len[b] = order == 2 ? s.T : order == 3 ? 0 : n;
        for (int k = b; k > 0 && order == 1 && len[k] > len[k - 1]; k--) {
            int32_t swap = len[k];
            len[k] = len[k - 1];
            len[k - 1] = swap;
        }
    }
    vdh = random_values(r, bs_shape_count(h), 1);
    cells.attr[0] = back.attr[0] = reverse;
    check(BS_OP_lstm_cells,
          (bs_args){.node = &cells, .in = {vxp, vwh, len}, .in_shape = {xp, wh, lens}}, planes, s);
    check(BS_OP_lstm_back,
          (bs_args){
              .node = &back, .in = {planes, vwh, len, vdh}, .in_shape = {cells.shape, wh, lens, h}},
          dz, s);
    bs_free(vxp);
    bs_free(vwh);
    bs_free(planes);
    bs_free(dz);
    bs_free(len);
    bs_free(vdh);
}

static void same_as_plain(void **state)
{
    static const sizes cases[] = {{1, 1, 1},   {5, 3, 3},    {4, 9, 1},    {7, 8, 17},  {3, 20, 16},
                                  {6, 33, 15}, {15, 1, 100}, {8, 12, 100}, {2, 5, 128}, {5, 2, 33}};
    bs_rng             r;
    (void)state;
    r = bs_rng_make(5, 0, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int order = 0; order < 4; order++)
            for (int reverse = 0; reverse < 2; reverse++)
                check_lengths(cases[i], order, reverse, &r);
}

/* Gates far into saturation stay finite and exact. */
static void saturated(void **state)
{
    enum { H = 20 };
    real z[4 * H], h[H], c[H], i[H], f[H], u[H], o[H];
    (void)state;
    for (int j = 0; j < 4 * H; j++)
        z[j] = (real)(j % 2 ? 200 : -200);
    for (int set = 0; set < 3; set++) {
        const bs_vec *v = bs_vec_named(sets[set]);
        if (!v)
            continue;
        v->lstm->forward(z, NULL, h, c, i, f, u, o, H);
        for (int j = 0; j < H; j++) {
            assert_true(fabs((double)i[j] - j % 2) < 1e-6);
            assert_true(fabs((double)u[j] - (j % 2 ? 1 : -1)) < 1e-6);
            assert_true(fabs((double)h[j] - (j % 2 ? tanh(1) : 0)) < 1e-6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_plain),
        cmocka_unit_test(saturated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
