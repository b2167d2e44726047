/* test_cpu_sparse.c -- the fast kernels of device/cpu/sparse.c, bits.c, reduce.c and move.c.
 *
 * Each is compared with the plain eval of its op, in all instruction sets the
 * machine has. Run piece by piece, backwards or in two halves, a kernel must
 * write the same bits as in one go; what a piece may not rely on (old values of
 * the output, scratch memory) is filled with NaN before. */
#include "tests/check.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "device/cpu/kernel.h"

extern const bs_kernel bs_kernel_spmm, bs_kernel_spmm_t, bs_kernel_gather, bs_kernel_scatter;
extern const bs_kernel bs_kernel_bits_sample, bs_kernel_bits_matmul, bs_kernel_bits_matmul_t;
extern const bs_kernel bs_kernel_bits_dot, bs_kernel_bits_dot_t;
extern const bs_kernel bs_kernel_sum_to, bs_kernel_argmax, bs_kernel_logsumexp, bs_kernel_softmax;
extern const bs_kernel bs_kernel_log_softmax, bs_kernel_slice, bs_kernel_pad, bs_kernel_concat;
extern const bs_kernel bs_kernel_permute, bs_kernel_take, bs_kernel_put;

static bs_graph    *g;
static bs_arena     arena;
static bs_rng       rng;
static const bs_run run = {.seed = 11, .step = 5};

static int setup(void **state)
{
    (void)state;
    g = bs_graph_new();
    bs_arena_init(&arena, 0);
    rng = bs_rng_make(3, 1, 4);
    return g ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    bs_graph_free(g);
    bs_arena_free(&arena);
    return 0;
}

static void *need(size_t bytes)
{
    void *p = bs_arena_alloc(&arena, bytes);
    assert_non_null(p);
    return p;
}

static real *random_reals(int64_t n)
{
    real *x = need((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (real)(2 * bs_rng_uniform(&rng) - 1);
    return x;
}

static bs_id input(bs_type type, bs_shape s)
{
    return bs_leaf(g, "x", type, s);
}

/* ---- the comparison ---- */

enum { SERIAL, HALVES, BACKWARDS, WAYS };

typedef struct {
    bs_call  call;
    size_t   bytes;   /* of the output */
    char    *before;  /* what it holds at first */
    uint8_t *touched; /* [WAYS][rows], or NULL */
    void    *scratch;
} trial;

static void spoil(void *p, size_t bytes)
{
    memset(p, 0xff, bytes); /* NaN as real, -1 as int */
}

static void run_way(const trial *t, int way, char *out)
{
    bs_call       c = t->call;
    const int64_t n = c.work.pieces, cut = n / 2;
    c.args.out = out;
    c.args.touched = t->touched ? t->touched + way * c.args.node->shape.d[2] : NULL;
    memcpy(out, t->before, t->bytes);
    for (int64_t i = 0; i < (way == SERIAL ? 1 : way == HALVES ? 2 : n); i++) {
        int64_t begin = way == SERIAL ? 0 : way == HALVES ? i * cut : n - 1 - i;
        int64_t end = way == SERIAL || (way == HALVES && i) ? n : way == HALVES ? cut : n - i;
        spoil(t->scratch, c.work.scratch);
        if (begin < end)
            c.kernel->run(&c, begin, end, t->scratch);
    }
}

static void compare(const trial *t, const char *want, const char *got, double tolerance)
{
    const bs_node *n = t->call.args.node;
    const int64_t  count = bs_shape_count(n->shape);
    if (n->type != BS_T_REAL) {
        assert_memory_equal(want, got, t->bytes);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        double  w = (double)((const real *)want)[i], v = (double)((const real *)got)[i];
        int64_t row = i / n->shape.d[3];
        if (t->touched && !t->touched[row])
            assert_memory_equal(t->before + i * (int64_t)sizeof(real),
                                got + i * (int64_t)sizeof(real), sizeof(real));
        else if (!(v == w || (isnan(v) && isnan(w)) || fabs(v - w) <= tolerance * (1 + fabs(w))))
            fail_msg("%s, %s, element %ld: %g instead of %g", t->call.vec->isa, bs_ops[n->op]->name,
                     (long)i, v, w);
    }
}

static trial make_trial(const bs_kernel *kernel, bs_id id, const void *const *in)
{
    const bs_node *n = bs_graph_node(g, id);
    trial          t = {.bytes = bs_value_bytes((bs_type)n->type, n->shape)};
    t.call.kernel = kernel;
    t.call.args = (bs_args){.node = n, .run = &run};
    for (int i = 0; i < 4 && n->src[i]; i++) {
        t.call.args.in[i] = in[i];
        t.call.args.in_shape[i] = bs_shape_of(g, n->src[i]);
    }
    t.before = need(t.bytes);
    spoil(t.before, t.bytes);
    return t;
}

/* All sets, all ways; the plain result is in `want`. */
static void check_trial(trial *t, const char *want, double tolerance)
{
    static const char *const isas[] = {"plain", "avx2", "avx512"};
    char                    *got[WAYS];
    for (int k = 0; k < WAYS; k++)
        got[k] = need(t->bytes);
    for (int s = 0; s < 3; s++) {
        t->call.vec = bs_vec_named(isas[s]);
        if (!t->call.vec)
            continue;
        t->call.work = (bs_work){1, 0, 0};
        t->call.kernel->measure(&t->call, &t->call.work);
        assert_true(t->call.work.pieces >= 1 && t->call.work.cost > 0);
        t->scratch = need(t->call.work.scratch + 1);
        for (int k = 0; k < WAYS; k++) {
            run_way(t, k, got[k]);
            assert_memory_equal(got[0], got[k], t->bytes);
        }
        compare(t, want, got[0], tolerance);
    }
}

/* A kernel against its op's eval, with the operands of node id at in[]. */
static void check(const bs_kernel *kernel, bs_id id, const void *const *in, bool accumulate)
{
    trial t = make_trial(kernel, id, in);
    char *want = need(t.bytes);
    if (accumulate)
        t.before = (char *)random_reals((int64_t)(t.bytes / sizeof(real)));
    memcpy(want, t.before, t.bytes);
    t.call.args.accumulate = accumulate;
    t.call.args.out = want;
    bs_ops[t.call.args.node->op]->eval(&t.call.args);
    check_trial(&t, want, 3e-5);
}

/* ---- sparse matrices ---- */

/* The second row and every fifth after it are empty. */
static bs_csr *random_csr(int rows, int cols, double density, bool values)
{
    bs_csr  *m = need(sizeof *m);
    int32_t *start = need(((size_t)rows + 1) * sizeof *start), n = 0;
    int32_t *index = need((size_t)rows * (size_t)cols * sizeof *index);
    float   *value = need((size_t)rows * (size_t)cols * sizeof *value);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols && i % 5 != 1; j++)
            if (bs_rng_bernoulli(&rng, density)) {
                index[n] = j;
                value[n++] = (float)(2 * bs_rng_uniform(&rng) - 1);
            }
        start[i + 1] = n;
    }
    *m = (bs_csr){rows, cols, start, index, values ? value : NULL};
    return m;
}

static const struct {
    int    rows, cols, H;
    double density;
} sizes[] = {
    {7, 40, 1, 0.3},   {32, 90, 400, 0.04}, {5, 300, 37, 0.02},  {9, 33, 129, 0.5},
    {1, 17, 215, 0.5}, {130, 20, 16, 0.9},  {400, 200, 19, 0.6}, /* more than one chunk */
};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void spmm_matches(void **state)
{
    (void)state;
    for (int i = 0; i < SIZES; i++)
        for (int variant = 0; variant < 4; variant++) {
            const int   B = sizes[i].rows, D = sizes[i].cols, H = sizes[i].H;
            bs_csr     *x = random_csr(B, D, sizes[i].density, variant & 1);
            bs_id       a = input(BS_T_CSR, bs_shape2(B, D));
            const void *forward[] = {x, random_reals((int64_t)D * H)};
            const void *back[] = {x, random_reals((int64_t)B * H)};
            bs_id       y = bs_spmm(g, a, input(BS_T_REAL, bs_shape2(D, H)));
            bs_id       dw = bs_spmm_t(g, a, input(BS_T_REAL, bs_shape2(B, H)));
            check(&bs_kernel_spmm, y, forward, variant & 2);
            check(&bs_kernel_spmm_t, dw, back, variant & 2);
        }
}

/* Rows that get nothing keep what they had; the others are as without the map. */
static void check_touched(const bs_kernel *kernel, bs_id id, const void *const *in,
                          const uint8_t *expected)
{
    trial  t = make_trial(kernel, id, in);
    size_t rows = (size_t)t.call.args.node->shape.d[2];
    char  *want = need(t.bytes);
    t.touched = need(WAYS * rows);
    spoil(t.touched, WAYS * rows);
    t.call.args.out = want;
    bs_ops[t.call.args.node->op]->eval(&t.call.args);
    check_trial(&t, want, 3e-5);
    for (int k = 0; k < WAYS; k++)
        assert_memory_equal(t.touched + (size_t)k * rows, expected, rows);
}

static void only_touched_rows_are_written(void **state)
{
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        const int   B = sizes[i].rows, D = sizes[i].cols, H = sizes[i].H;
        bs_csr     *x = random_csr(B, D, sizes[i].density / 4, true);
        uint8_t    *expected = need((size_t)D);
        const void *in[] = {x, random_reals((int64_t)B * H)};
        for (int k = 0; k < x->start[B]; k++)
            expected[x->index[k]] = 1;
        check_touched(
            &bs_kernel_spmm_t,
            bs_spmm_t(g, input(BS_T_CSR, bs_shape2(B, D)), input(BS_T_REAL, bs_shape2(B, H))), in,
            expected);
    }
}

static int32_t *random_index(int64_t n, int below)
{
    int32_t *x = need((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (int32_t)bs_rng_below(&rng, (uint32_t)below + 2) - 1; /* some outside */
    return x;
}

static void gather_and_scatter_match(void **state)
{
    static const struct {
        int V, D, n;
    } cases[] = {{7, 4, 9}, {300, 33, 50}, {11, 100, 40000}, {1, 1, 3}, {40, 5000, 6}};
    (void)state;
    for (int i = 0; i < 5; i++) {
        const int   V = cases[i].V, D = cases[i].D, n = cases[i].n;
        bs_id       at = input(BS_T_INT, bs_shape2(1, n));
        int32_t    *index = random_index(n, V);
        uint8_t    *expected = need((size_t)V);
        const void *forward[] = {random_reals((int64_t)V * D), index};
        const void *back[] = {random_reals((int64_t)n * D), index};
        bs_id       rows = input(BS_T_REAL, bs_shape3(1, n, D));
        bs_id       sum = bs_scatter(g, rows, at, V);
        for (int k = 0; k < n; k++) {
            if (k >= 32768 && index[k] == 3)
                index[k] = 4; /* a row written by the first chunk only */
            if (index[k] >= 0 && index[k] < V)
                expected[index[k]] = 1;
        }
        check(&bs_kernel_gather, bs_gather(g, input(BS_T_REAL, bs_shape2(V, D)), at), forward,
              false);
        check(&bs_kernel_scatter, sum, back, false);
        check(&bs_kernel_scatter, sum, back, true);
        check_touched(&bs_kernel_scatter, sum, back, expected);
    }
}

/* ---- bits ---- */

static uint64_t *random_bits(int rows, int L, double density)
{
    const int words = bs_bits_words(L);
    uint64_t *x = need((size_t)rows * (size_t)words * sizeof *x);
    for (int r = 0; r < rows; r++)
        for (int l = 0; l < L && r % 7 != 2; l++)
            if (bs_rng_bernoulli(&rng, density))
                x[r * words + l / 64] |= (uint64_t)1 << (l % 64);
    return x;
}

static const int    label_counts[] = {1, 63, 64, 65, 159, 983};
static const double densities[] = {0.004, 0.03, 0.3, 1};

static void bit_products_match(void **state)
{
    static const int widths[] = {5, 200, 333};
    (void)state;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 12; k++) {
            const int   L = label_counts[i], H = widths[k % 3], N = k % 2 ? 70 : 600;
            uint64_t   *y = random_bits(N, L, densities[k / 3]);
            bs_id       bits = input(BS_T_BITS, bs_shape2(N, L));
            const void *forward[] = {y, random_reals((int64_t)L * H)};
            const void *back[] = {y, random_reals((int64_t)N * H)};
            if (N == 600 && H == 333 && L > 159)
                continue; /* the plain kernels would take seconds */
            check(&bs_kernel_bits_matmul,
                  bs_bits_matmul(g, bits, input(BS_T_REAL, bs_shape2(L, H))), forward, k & 1);
            check(&bs_kernel_bits_matmul_t,
                  bs_bits_matmul_t(g, bits, input(BS_T_REAL, bs_shape2(N, H))), back, k & 1);
        }
}

static void bit_dots_and_samples_match(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 4; k++) {
            const int   L = label_counts[i], B = 6, K = 1 + 6 * k;
            uint64_t   *y = random_bits(B * K, L, densities[k]);
            bs_id       bits = input(BS_T_BITS, bs_shape2(B * K, L));
            bs_id       rows = input(BS_T_REAL, bs_shape2(B, L));
            const void *forward[] = {y, random_reals(B * L)}, *back[] = {y, random_reals(B * K)};
            real       *p = random_reals(B * L);
            const void *odds[] = {p};
            for (int n = 0; n < B * L; n++) /* the last rows have few labels that are often on */
                p[n] = n / L > 2 && n % 7 ? p[n] * BS_REAL(0.02) : p[n];
            check(&bs_kernel_bits_dot, bs_bits_dot(g, bits, rows), forward, false);
            check(&bs_kernel_bits_dot_t,
                  bs_bits_dot_t(g, bits, input(BS_T_REAL, bs_shape2(B * K, 1)), B), back, false);
            check(&bs_kernel_bits_sample, bs_bits_sample(g, rows, K, 9), odds, false);
        }
}

/* ---- reductions ---- */

static const bs_shape shapes[] = {{{1, 1, 1, 1}},    {{1, 1, 1, 9001}}, {{2, 3, 4, 5}},
                                  {{1, 1, 32, 400}}, {{3, 5, 7, 33}},   {{1, 70, 3, 17}},
                                  {{4, 1, 1, 2500}}, {{1, 1, 2000, 3}}, {{6, 20, 1, 1}}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void sums_match(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++)
        for (int which = 1; which < 16; which++) {
            bs_shape    s = shapes[i], to = s;
            const void *in[] = {random_reals(bs_shape_count(s))};
            for (int k = 0; k < 4; k++)
                if (which >> k & 1)
                    to.d[k] = 1;
            if (!bs_shape_equal(s, to))
                check(&bs_kernel_sum_to, bs_sum_to(g, input(BS_T_REAL, s), to), in, false);
        }
}

/* kind 0 as they come, 1 with ties, 2.. with infinities and NaN in front or further back */
static real *line_values(int64_t n, int kind)
{
    real *x = random_reals(n);
    for (int64_t i = 0; i < n; i++) {
        if (kind == 1)
            x[i] = (real)(int)(4 * x[i]);
        if (kind == 2 && i % 3 != 1)
            x[i] = -INFINITY;
        if (kind == 3)
            x[i] = -INFINITY;
        if (kind == 4 && i % 11 == 5)
            x[i] = i % 2 ? INFINITY : NAN;
        if (kind == 5 && i % 7 == 0)
            x[i] = i % 14 ? NAN : 80 * x[i];
        if (kind == 6 && i % 5 == 0)
            x[i] = i % 2 ? INFINITY : NAN;
        if (kind == 7)
            x[i] *= 1000;
    }
    return x;
}

static void reductions_along_an_axis_match(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++)
        for (int axis = -4; axis < 0; axis++)
            for (int kind = 0; kind < 8; kind++) {
                bs_id       x = input(BS_T_REAL, shapes[i]);
                const void *in[] = {line_values(bs_shape_count(shapes[i]), kind)};
                check(&bs_kernel_argmax, bs_argmax(g, x, axis), in, false);
                check(&bs_kernel_logsumexp, bs_logsumexp(g, x, axis), in, false);
                check(&bs_kernel_softmax, bs_softmax(g, x, axis), in, false);
                check(&bs_kernel_log_softmax, bs_log_softmax(g, x, axis), in, false);
            }
}

static void lines_may_be_overwritten(void **state)
{
    static const char *const isas[] = {"plain", "avx2", "avx512"};
    (void)state;
    for (int s = 0; s < 3; s++) {
        const bs_vec *vec = bs_vec_named(isas[s]);
        for (int n = 1; n < 200 && vec; n += 13) {
            real *x = random_reals(n), *out = need((size_t)n * sizeof *out);
            vec->reduce->softmax(out, x, n);
            vec->reduce->softmax(x, x, n);
            assert_memory_equal(out, x, (size_t)n * sizeof *x);
            vec->reduce->log_softmax(out, x, n);
            vec->reduce->log_softmax(x, x, n);
            assert_memory_equal(out, x, (size_t)n * sizeof *x);
        }
    }
}

/* ---- moves ---- */

static void slices_and_joins_match(void **state)
{
    (void)state;
    for (int i = 2; i < SHAPES; i++)
        for (int axis = -4; axis < 0; axis++) {
            bs_shape s = shapes[i], t = s;
            int      n = s.d[axis + 4], size = 2;
            t.d[axis + 4] = 2;
            bs_id       x = input(BS_T_REAL, s), y = input(BS_T_REAL, t);
            const void *both[] = {random_reals(bs_shape_count(s)), random_reals(bs_shape_count(t))};
            const void *pick[] = {both[0], random_index(bs_shape_count(t), n)};
            const void *place[] = {both[1], pick[1]};
            bs_id       at = input(BS_T_INT, t);
            check(&bs_kernel_concat, bs_concat(g, x, y, axis), both, false);
            check(&bs_kernel_pad, bs_pad(g, x, axis, 1, n + 3), both, false);
            check(&bs_kernel_take, bs_take(g, x, at, axis), pick, false);
            check(&bs_kernel_put, bs_put_back(g, y, at, axis, n + size), place, false);
            if (n > 2)
                check(&bs_kernel_slice, bs_slice(g, x, axis, 1, n - 2), both, false);
        }
}

static void permutations_match(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++)
        for (int code = 0; code < 256; code++) {
            int p[4] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6};
            if ((1 << p[0] | 1 << p[1] | 1 << p[2] | 1 << p[3]) != 15)
                continue;
            const void *in[] = {random_reals(bs_shape_count(shapes[i]))};
            bs_id       x = input(BS_T_REAL, shapes[i]);
            check(&bs_kernel_permute, bs_permute(g, x, p[0], p[1], p[2], p[3]), in, false);
        }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(spmm_matches),
        TEST(only_touched_rows_are_written),
        TEST(gather_and_scatter_match),
        TEST(bit_products_match),
        TEST(bit_dots_and_samples_match),
        TEST(sums_match),
        TEST(reductions_along_an_axis_match),
        TEST(lines_may_be_overwritten),
        TEST(slices_and_joins_match),
        TEST(permutations_match),
    };
    return cmocka_run_group_tests_name("cpu sparse", tests, NULL, NULL);
}
