/* test64_ops.c -- the op table in double precision: forward, first and second
 * derivatives of every example against central differences.
 *
 * The function differentiated is f = sum(c y + c y^2 / 2) with random c, so that
 * even linear ops have a second derivative; the second is checked along a
 * random direction v: the derivative of <df/dx, v>. */
#include "tests/ops_forward.h"

#include "nn/chain.h"

typedef bs_id (*builder)(bs_graph *g, bs_example *ex, int variant);

typedef struct {
    bs_graph  *g;
    bs_example ex;
    bs_id      f, wrt[8], weights[8];
    real      *data[8];
    int64_t    count[8];
    int        n;
} problem;

static problem problem_new(builder build, int variant, uint64_t seed)
{
    problem p = {.g = bs_graph_new()};
    bs_example_init(&p.ex, seed);
    bs_id y = build(p.g, &p.ex, variant);
    for (int i = 0; i < p.ex.n; i++)
        if (p.ex.leaf[i].differentiable) {
            p.wrt[p.n] = p.ex.leaf[i].id;
            p.data[p.n] = p.ex.leaf[i].data;
            p.count[p.n++] = bs_shape_count(bs_shape_of(p.g, p.ex.leaf[i].id));
        }
    bs_id c = bs_example_real(p.g, &p.ex, bs_shape_of(p.g, y), 0.5, 1.5);
    bs_id half = bs_scale(p.g, bs_square(p.g, y), 0.5);
    p.f = bs_dot(p.g, c, bs_add(p.g, y, half));
    return p;
}

static void problem_free(problem *p)
{
    bs_example_free(&p->ex);
    bs_graph_free(p->g);
}

/* Largest norm-wise error over the leaves of d target / d leaf against differences. */
static double derivative_error(problem *p, bs_id target)
{
    bs_result r[9] = {{target, -1}};
    bs_id     d[8];
    bs_grad(p->g, target, p->wrt, p->n, d, true);
    check_graph(p->g);
    for (int i = 0; i < p->n; i++)
        r[1 + i] = (bs_result){d[i], -1};
    machine m = machine_new(p->g, &p->ex, r, 1 + p->n, 0, 1);
    double  worst = 0;
    for (int i = 0; i < p->n; i++) {
        real *numeric = calloc((size_t)p->count[i], sizeof *numeric);
        for (int64_t k = 0; k < p->count[i]; k++) {
            const real at = p->data[i][k], h = 1e-5;
            double     f[2];
            for (int side = 0; side < 2; side++) {
                p->data[i][k] = side ? at + h : at - h;
                machine_run(&m, 5);
                f[side] = (double)machine_value(&m, 0)[0];
            }
            p->data[i][k] = at;
            numeric[k] = (real)((f[1] - f[0]) / (2 * (double)h));
        }
        machine_run(&m, 5);
        double e = distance(machine_value(&m, 1 + i), numeric, p->count[i], 1e-2);
        worst = e > worst ? e : worst;
        free(numeric);
    }
    machine_free(&m);
    return worst;
}

/* <df/dx, v> over all leaves, with random v */
static bs_id along_random_direction(problem *p)
{
    bs_id d[8], total = 0;
    bs_grad(p->g, p->f, p->wrt, p->n, d, true);
    for (int i = 0; i < p->n; i++) {
        bs_id v = bs_example_real(p->g, &p->ex, bs_shape_of(p->g, p->wrt[i]), -1, 1);
        bs_id dot = bs_dot(p->g, d[i], v);
        total = total ? bs_add(p->g, total, dot) : dot;
    }
    return total;
}

static void check_derivatives(const char *name, builder build, int variant, bool once)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        problem p = problem_new(build, variant, seed);
        double  e = derivative_error(&p, p.f);
        CHECK(e < 1e-7, "%s variant %d: first derivative off by %.3g", name, variant, e);
        if (!once) {
            e = derivative_error(&p, along_random_direction(&p));
            CHECK(e < 1e-6, "%s variant %d: second derivative off by %.3g", name, variant, e);
        }
        problem_free(&p);
    }
}

static void derivatives_of_every_op(void **state)
{
    (void)state;
    for (int i = 1; i < BS_OP_COUNT; i++)
        for (int v = 0; v < bs_ops[i]->examples && bs_ops[i]->vjp; v++)
            check_derivatives(bs_ops[i]->name, bs_ops[i]->example, v,
                              bs_ops[i]->flags & BS_OP_ONCE);
}

/* ---- composites: what builders make of several ops ---- */

static bs_id c_log_sigmoid(bs_graph *g, bs_example *ex, int v)
{
    (void)v;
    return bs_log_sigmoid(g, bs_example_real(g, ex, bs_shape2(4, 3), -3, 3));
}

static bs_id c_gelu(bs_graph *g, bs_example *ex, int v)
{
    (void)v;
    return bs_gelu(g, bs_example_real(g, ex, bs_shape2(4, 3), -3, 3));
}

static bs_id c_dropout(bs_graph *g, bs_example *ex, int v)
{
    return bs_dropout(g, bs_example_real(g, ex, bs_shape2(4, 3), -3, 3), v ? 0.4 : 0, 11);
}

static bs_id c_layer_norm(bs_graph *g, bs_example *ex, int v)
{
    (void)v;
    bs_id x = bs_example_real(g, ex, bs_shape3(2, 3, 5), -1, 1);
    bs_id gain = bs_example_real(g, ex, bs_shape1(5), 0.5, 1.5);
    return bs_layer_norm(g, x, gain, bs_example_real(g, ex, bs_shape1(5), -1, 1), 1e-5);
}

static bs_id c_max_axis(bs_graph *g, bs_example *ex, int v)
{
    return bs_max_axis(g, bs_example_real(g, ex, bs_shape4(2, 3, 4, 5), -1, 1), v - 4);
}

static bs_id c_mean(bs_graph *g, bs_example *ex, int v)
{
    bs_id x = bs_example_real(g, ex, bs_shape4(2, 3, 4, 5), -1, 1);
    return v ? bs_mean_axis(g, x, -2) : bs_mean(g, x);
}

static bs_id c_max_pool(bs_graph *g, bs_example *ex, int v)
{
    return bs_max_pool(g, bs_example_real(g, ex, bs_shape4(2, 3, 6, 7), -1, 1), 2 + v, 2);
}

static bs_id c_conv_transposed(bs_graph *g, bs_example *ex, int v)
{
    bs_id x = bs_example_real(g, ex, bs_shape4(2, 3, 4, 5), -1, 1);
    bs_id w = bs_example_real(g, ex, bs_shape4(3, 2, 4, 4), -1, 1);
    return bs_conv_transposed(g, x, w, 2, v);
}

static bs_id c_safe(bs_graph *g, bs_example *ex, int v)
{
    bs_id x = bs_example_real(g, ex, bs_shape2(4, 3), 0.5, 2);
    bs_id y = bs_example_real(g, ex, bs_shape2(4, 3), 0.5, 2);
    return v == 0   ? bs_log_safe(g, x, 1e-6)
           : v == 1 ? bs_sqrt_safe(g, x, 1e-6)
                    : bs_div_safe(g, x, y, 1e-6);
}

static bs_id c_lstm_unrolled(bs_graph *g, bs_example *ex, int v)
{
    bs_id xp = bs_example_real(g, ex, bs_shape3(4, 3, 8), -1, 1);
    bs_id wh = bs_example_real(g, ex, bs_shape2(2, 8), -1, 1);
    bs_id u = bs_stop(g, bs_uniform(g, 3, bs_shape3(4, 3, 1)));
    return bs_lstm_unrolled(g, xp, wh, bs_less(g, u, bs_const(g, 0.7)), v);
}

static bs_id c_chain_score(bs_graph *g, bs_example *ex, int v)
{
    const int B = 3, K = 1 + v, T = v ? 4 : 1, N = 2;
    bs_id     unary = bs_example_real(g, ex, bs_shape3(B, T, N), -1, 1);
    bs_id     w = bs_example_real(g, ex, bs_shape2(N + 1, N + 1), -1, 1);
    bs_id     y = bs_example_real(g, ex, bs_shape4(B, K, T, N), 0, 1);
    bs_id     mask = bs_example_real(g, ex, bs_shape4(B, 1, T, 1), 0, 1);
    real     *m = ex->leaf[ex->n - 1].data;
    for (int i = 0; i < B * T; i++)
        m[i] = i % T < i / T + 1;
    ex->leaf[ex->n - 1].differentiable = false;
    return bs_chain_score(g, unary, w, y, mask);
}

static bs_id c_chain_path_score(bs_graph *g, bs_example *ex, int v)
{
    const int B = 3, T = 4, N = 3;
    (void)v;
    bs_id    unary = bs_example_real(g, ex, bs_shape3(B, T, N), -1, 1);
    bs_id    w = bs_example_real(g, ex, bs_shape2(N + 1, N + 1), -1, 1);
    bs_id    tag = bs_example_int(g, ex, bs_shape3(B, T, 1), N, false);
    bs_id    pair = bs_example_int(g, ex, bs_shape2(B, T + 1), N, false);
    int32_t *tags = ex->leaf[2].data, *pairs = ex->leaf[3].data;
    for (int b = 0; b < B; b++)
        bs_chain_pairs(tags + b * T, T - b, T, N, pairs + b * (T + 1));
    return bs_chain_path_score(g, unary, w, tag, pair);
}

static bs_id c_crf_log_z_unrolled(bs_graph *g, bs_example *ex, int v)
{
    bs_id unary = bs_example_real(g, ex, bs_shape3(3, 4, 2 + v), -1, 1);
    bs_id w = bs_example_real(g, ex, bs_shape2(3 + v, 3 + v), -1, 1);
    return bs_crf_log_z_unrolled(g, unary, w, bs_example_int(g, ex, bs_shape1(3), 5, false));
}

static bs_id c_attention_unrolled(bs_graph *g, bs_example *ex, int v)
{
    enum { N = 5 };
    bs_id qkv = bs_example_real(g, ex, bs_shape2(N, 3 * 4), -1, 1);
    bs_id same = bs_example_real(g, ex, bs_shape2(N, N), 0, 1);
    real *s = ex->leaf[ex->n - 1].data;
    for (int i = 0; i < N * N; i++)
        s[i] = i / N < 4 && i % N < 4 && i / N / 2 == i % N / 2;
    ex->leaf[ex->n - 1].differentiable = false;
    return bs_attention_unrolled(g, qkv, same, 1 + v);
}

/* Soft F1 of SEAL: 2 sum min / (sum min + sum max). */
static bs_id c_soft_f1(bs_graph *g, bs_example *ex, int v)
{
    (void)v;
    bs_id y = bs_example_real(g, ex, bs_shape2(4, 6), 0.05, 0.45);
    bs_id t = bs_example_real(g, ex, bs_shape2(4, 6), 0.55, 0.95);
    bs_id low = bs_sum_axis(g, bs_minimum(g, y, t), -1);
    bs_id high = bs_sum_axis(g, bs_maximum(g, y, t), -1);
    return bs_div_safe(g, bs_scale(g, low, 2), bs_add(g, low, high), 1e-6);
}

static void derivatives_of_composites(void **state)
{
    static const struct {
        const char *name;
        builder     build;
        int         variants;
    } row[] = {{"log_sigmoid", c_log_sigmoid, 1},
               {"gelu", c_gelu, 1},
               {"dropout", c_dropout, 2},
               {"layer_norm", c_layer_norm, 1},
               {"max_axis", c_max_axis, 4},
               {"mean", c_mean, 2},
               {"max_pool", c_max_pool, 2},
               {"conv_transposed", c_conv_transposed, 2},
               {"safe", c_safe, 3},
               {"lstm_unrolled", c_lstm_unrolled, 2},
               {"chain_score", c_chain_score, 3},
               {"chain_path_score", c_chain_path_score, 1},
               {"crf_log_z_unrolled", c_crf_log_z_unrolled, 2},
               {"attention_unrolled", c_attention_unrolled, 2},
               {"soft_f1", c_soft_f1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        for (int v = 0; v < row[i].variants; v++)
            check_derivatives(row[i].name, row[i].build, v, false);
}

/* The fused LSTM against the one from primitives: value and both gradients. */
static void fused_lstm_equals_unrolled(void **state)
{
    enum { T = 5, B = 4, H = 3 };
    (void)state;
    for (int reverse = 0; reverse < 2; reverse++) {
        bs_graph  *g = bs_graph_new();
        bs_example ex;
        bs_example_init(&ex, 9);
        bs_id    xp = bs_example_real(g, &ex, bs_shape3(T, B, 4 * H), -1, 1);
        bs_id    wh = bs_example_real(g, &ex, bs_shape2(H, 4 * H), -1, 1);
        bs_id    len = bs_example_int(g, &ex, bs_shape1(B), T + 1, false);
        bs_id    mask = bs_example_real(g, &ex, bs_shape3(T, B, 1), 0, 1);
        bs_id    c = bs_example_real(g, &ex, bs_shape3(T, B, H), -1, 1);
        int32_t *lengths = ex.leaf[2].data;
        real    *m = ex.leaf[3].data;
        for (int t = 0; t < T; t++)
            for (int b = 0; b < B; b++)
                m[t * B + b] = t < lengths[b];
        bs_id h[2] = {bs_lstm(g, xp, wh, len, reverse), bs_lstm_unrolled(g, xp, wh, mask, reverse)};
        bs_id wrt[2] = {xp, wh}, d[2];
        bs_result r[6];
        for (int k = 0; k < 2; k++) {
            bs_grad(g, bs_dot(g, h[k], c), wrt, 2, d, false);
            r[3 * k] = (bs_result){h[k], -1};
            r[3 * k + 1] = (bs_result){d[0], -1};
            r[3 * k + 2] = (bs_result){d[1], -1};
        }
        check_graph(g);
        machine mc = machine_new(g, &ex, r, 6, 0, 1);
        machine_run(&mc, 0);
        for (int k = 0; k < 3; k++) {
            int64_t n = bs_shape_count(bs_shape_of(g, r[k].id));
            double  e = distance(machine_value(&mc, k), machine_value(&mc, 3 + k), n, 1e-3);
            CHECK(e < 1e-13, "result %d, reverse %d: off by %.3g", k, reverse, e);
        }
        machine_free(&mc);
        bs_example_free(&ex);
        bs_graph_free(g);
    }
}

/* The same of attention; documents of 3, 0 and 2 pieces, and one row of none. */
static void fused_attention_equals_unrolled(void **state)
{
    enum { N = 6, D = 4, HEADS = 2 };
    static const int32_t offset[] = {0, 3, 3, 5};
    (void)state;
    bs_graph  *g = bs_graph_new();
    bs_example ex;
    bs_example_init(&ex, 9);
    bs_id qkv = bs_example_real(g, &ex, bs_shape2(N, 3 * D), -1, 1);
    bs_id start = bs_example_int(g, &ex, bs_shape1(4), 1, false);
    bs_id same = bs_example_real(g, &ex, bs_shape2(N, N), 0, 1);
    bs_id c = bs_example_real(g, &ex, bs_shape2(N, D), -1, 1);
    memcpy(ex.leaf[1].data, offset, sizeof offset);
    for (int i = 0; i < N * N; i++)
        ((real *)ex.leaf[2].data)[i] = i / N < 5 && i % N < 5 && (i / N < 3) == (i % N < 3);
    bs_id     y[2] = {bs_attention(g, qkv, start, HEADS, 3),
                      bs_attention_unrolled(g, qkv, same, HEADS)};
    bs_result r[4];
    for (int k = 0; k < 2; k++) {
        bs_id d;
        bs_grad(g, bs_dot(g, y[k], c), &qkv, 1, &d, false);
        r[2 * k] = (bs_result){y[k], -1};
        r[2 * k + 1] = (bs_result){d, -1};
    }
    check_graph(g);
    machine mc = machine_new(g, &ex, r, 4, 0, 1);
    machine_run(&mc, 0);
    for (int k = 0; k < 2; k++) {
        int64_t n = bs_shape_count(bs_shape_of(g, r[k].id));
        double  e = distance(machine_value(&mc, k), machine_value(&mc, 2 + k), n, 1e-3);
        CHECK(e < 1e-13, "result %d: off by %.3g", k, e);
    }
    machine_free(&mc);
    bs_example_free(&ex);
    bs_graph_free(g);
}

/* A second derivative of a fused op is refused when the graph is built, by name. */
static void second_derivative_of_once_ops_is_refused(void **state)
{
    (void)state;
    problem     p = problem_new(bs_ops[BS_OP_lstm]->example, 0, 1);
    bs_id       d[8];
    basin_error err = {0};
    bs_grad(p.g, along_random_direction(&p), p.wrt, p.n, d, true);
    CHECK(bs_graph_check(p.g, &err) == BASIN_EARG && strstr(err.msg, "lstm_back") &&
              strstr(err.msg, "bs_lstm_unrolled"),
          "the message is: %s", err.msg);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OPS_FORWARD_TESTS,
        cmocka_unit_test(derivatives_of_every_op),
        cmocka_unit_test(derivatives_of_composites),
        cmocka_unit_test(fused_lstm_equals_unrolled),
        cmocka_unit_test(fused_attention_equals_unrolled),
        cmocka_unit_test(second_derivative_of_once_ops_is_refused),
    };
    return cmocka_run_group_tests_name("ops, double", tests, NULL, NULL);
}
