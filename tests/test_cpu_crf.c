/* test_cpu_crf.c -- the fast kernels of linear chains against the plain ones of the graph.
 *
 * Any number of tags, lengths from 0 to T and beyond, scores up to 1e3; with every instruction
 * set this machine has; pieces run one by one in reverse order give the same bits as all at
 * once; a sentence of 100,000 tokens loses no digits. */
#include "tests/check.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "device/cpu/kernel.h"

static const char *const sets[] = {"plain", "avx2", "avx512"};

typedef struct {
    int      B, T, N;
    double   range;
    bs_node  forward, posterior;
    bs_shape unary_shape, transition_shape, len_shape;
    real    *unary, *transition;
    int32_t *len;
} chains;

static void *new_block(int64_t n, size_t size)
{
    void *p = bs_alloc((size_t)n * size + 1);
    assert_non_null(p);
    return p;
}

static real *random_values(bs_rng *r, int64_t n, double range)
{
    real *x = new_block(n, sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (real)(range * (2 * bs_rng_uniform(r) - 1));
    return x;
}

static chains chains_new(int B, int T, int N, double range, bs_rng *r)
{
    const int64_t M = N + 1, tokens = (int64_t)B * T * N;
    chains        c = {.B = B, .T = T, .N = N, .range = range};
    c.unary_shape = bs_shape3(B, T, N);
    c.transition_shape = bs_shape2(N + 1, N + 1);
    c.len_shape = bs_shape1(B);
    c.forward = (bs_node){.op = BS_OP_crf_forward, .shape = bs_shape1((int)(B + tokens))};
    c.posterior =
        (bs_node){.op = BS_OP_crf_posterior, .shape = bs_shape1((int)(tokens + B * M * M))};
    c.unary = random_values(r, tokens, range);
    c.transition = random_values(r, M * M, range);
    c.len = new_block(B, sizeof *c.len);
    for (int b = 0; b < B; b++) /* a little outside of 0 .. T, too */
        c.len[b] = (int32_t)bs_rng_below(r, (uint32_t)T + 3) - 1;
    return c;
}

static void chains_free(chains *c)
{
    bs_free(c->unary);
    bs_free(c->transition);
    bs_free(c->len);
}

static bs_args forward_args(const chains *c, real *out)
{
    return (bs_args){.node = &c->forward,
                     .out = out,
                     .in = {c->unary, c->transition, c->len},
                     .in_shape = {c->unary_shape, c->transition_shape, c->len_shape}};
}

static bs_args posterior_args(const chains *c, const real *forward, real *out)
{
    return (bs_args){
        .node = &c->posterior,
        .out = out,
        .in = {forward, c->unary, c->transition, c->len},
        .in_shape = {c->forward.shape, c->unary_shape, c->transition_shape, c->len_shape}};
}

/* The result of the kernel, over memory full of NaN. */
static void run_kernel(bs_args args, const char *isa, bool reversed)
{
    bs_op_id op = (bs_op_id)args.node->op;
    bs_call  c = {.args = args, .kernel = bs_kernel_of(op), .vec = bs_vec_named(isa)};
    bs_work  w = {1, 0, 0};
    c.kernel->measure(&c, &w);
    assert_true(w.pieces >= 1 && w.cost > 0);
    char *scratch = new_block((int64_t)w.scratch, 1);
    memset(scratch, 0xff, w.scratch);
    memset(args.out, 0xff, bs_value_bytes(BS_T_REAL, args.node->shape));
    if (reversed)
        for (int64_t piece = w.pieces - 1; piece >= 0; piece--)
            c.kernel->run(&c, piece, piece + 1, scratch);
    else
        c.kernel->run(&c, 0, w.pieces, scratch);
    bs_free(scratch);
}

static double error_of(const real *want, const real *got, int64_t n)
{
    double worst = 0;
    for (int64_t i = 0; i < n; i++) {
        double size = fmax(1, fabs((double)want[i]));
        double e = fabs((double)want[i] - (double)got[i]) / size;
        worst = isfinite(e) ? fmax(worst, e) : INFINITY;
    }
    return worst;
}

/* Kernels against plain; scores of 1e3 have a rounding error of 3e-5, which is all there may be. */
static void check(const chains *c)
{
    const int64_t n = bs_shape_count(c->forward.shape), m = bs_shape_count(c->posterior.shape);
    const double  allowed = 3e-6 * fmax(1, c->range / 8);
    real         *out[6];
    for (int i = 0; i < 6; i++)
        out[i] = new_block(i < 3 ? n : m, sizeof(real));
    bs_args plain = forward_args(c, out[0]);
    bs_ops[BS_OP_crf_forward]->eval(&plain);
    plain = posterior_args(c, out[0], out[3]);
    bs_ops[BS_OP_crf_posterior]->eval(&plain);
    for (int i = 0; i < 3; i++) {
        if (!bs_vec_named(sets[i]))
            continue;
        for (int k = 0; k < 2; k++) {
            run_kernel(forward_args(c, out[1 + k]), sets[i], k);
            run_kernel(posterior_args(c, out[1 + k], out[4 + k]), sets[i], k);
        }
        assert_memory_equal(out[1], out[2], (size_t)n * sizeof(real));
        assert_memory_equal(out[4], out[5], (size_t)m * sizeof(real));
        double e = error_of(out[0], out[1], n), f = error_of(out[3], out[4], m);
        if (!(e < allowed && f < allowed))
            fail_msg("%s, B %d, T %d, N %d, range %g: errors %g and %g", sets[i], c->B, c->T, c->N,
                     c->range, e, f);
    }
    for (int i = 0; i < 6; i++)
        bs_free(out[i]);
}

static void same_as_plain(void **state)
{
    static const int    tags[] = {1, 2, 5, 15, 16, 17, 25, 32, 33, 60};
    static const double ranges[] = {1, 8, 60, 300, 1000};
    bs_rng              r = bs_rng_make(5, 0, 0);
    (void)state;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
            chains c = chains_new(5, 1 + (int)(i % 4) * 4, tags[i], ranges[k], &r);
            check(&c);
            chains_free(&c);
        }
}

/* Forbids by minus infinity; tag 0 stays, so that some sequence is possible, unless all is true. */
static void forbid(chains *c, bs_rng *r, double rate, bool all)
{
    const int N = c->N, M = N + 1;
    for (int i = 0; i < M * M; i++)
        if (bs_rng_bernoulli(r, rate) && (all || (i % M && i % M != N) || (i / M && i / M != N)))
            c->transition[i] = (real)-INFINITY;
    for (int i = 0; i < c->B * c->T * N; i++)
        if (bs_rng_bernoulli(r, rate) && (all || i % N))
            c->unary[i] = (real)-INFINITY;
}

static void forbidden(void **state)
{
    bs_rng r = bs_rng_make(6, 0, 0);
    (void)state;
    for (int round = 0; round <= 20; round++) {
        chains c = chains_new(4, 6, 7, 3, &r);
        forbid(&c, &r, round / 20.0, false);
        check(&c);
        chains_free(&c);
    }
}

/* Where no sequence is possible there is no right answer, but a finite one. */
static void nothing_is_possible(void **state)
{
    bs_rng r = bs_rng_make(8, 0, 0);
    (void)state;
    for (int round = 0; round <= 20; round++) {
        chains        c = chains_new(4, 6, 7, 3, &r);
        const int64_t n = bs_shape_count(c.forward.shape), m = bs_shape_count(c.posterior.shape);
        real         *a = new_block(n, sizeof *a), *out = new_block(m, sizeof *out);
        forbid(&c, &r, round / 20.0, true);
        for (int i = 0; i < 3; i++)
            if (bs_vec_named(sets[i])) {
                run_kernel(forward_args(&c, a), sets[i], false);
                run_kernel(posterior_args(&c, a, out), sets[i], false);
                assert_true(error_of(a, a, n) == 0 && error_of(out, out, m) == 0);
            }
        bs_free(a);
        bs_free(out);
        chains_free(&c);
    }
}

/* One sentence of 100,000 tokens: what must add up does, though scores reach 1e8. */
static void long_sentence(void **state)
{
    enum { T = 100000, N = 5, M = N + 1 };
    bs_rng r = bs_rng_make(7, 0, 0);
    (void)state;
    for (int k = 0; k < 2; k++) {
        chains c = chains_new(1, T, N, k ? 1000 : 3, &r);
        real  *plain = new_block(1 + T * N, sizeof *plain), *a = new_block(1 + T * N, sizeof *a);
        real  *out = new_block(T * N + M * M, sizeof *out), *pair = out + T * N;
        double steps = 0;
        c.len[0] = T;
        bs_args args = forward_args(&c, plain);
        bs_ops[BS_OP_crf_forward]->eval(&args);
        run_kernel(forward_args(&c, a), bs_vec_choose(NULL)->isa, false);
        run_kernel(posterior_args(&c, a, out), bs_vec_choose(NULL)->isa, false);
        assert_true(fabs((double)a[0] / (double)plain[0] - 1) < 2e-7);
        for (int j = 0; j < N; j++) {
            double tokens = 0, into = 0;
            for (int t = 0; t < T; t++)
                tokens += (double)out[t * N + j];
            for (int i = 0; i < M; i++)
                into += (double)pair[i * M + j];
            steps += into;
            if (!(fabs(tokens - into) < 1e-6 * T))
                fail_msg("tag %d is met %g times, but entered %g times", j, tokens, into);
        }
        assert_true(fabs(steps - T) < 1e-6 * T);
        chains_free(&c);
        bs_free(plain);
        bs_free(a);
        bs_free(out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_plain),
        cmocka_unit_test(forbidden),
        cmocka_unit_test(nothing_is_possible),
        cmocka_unit_test(long_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
