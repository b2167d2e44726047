/* random_graph.h -- graphs of random ops on random operands, with gradients. */
#ifndef TEST_RANDOM_GRAPH_H
#define TEST_RANDOM_GRAPH_H

#include "tests/harness.h"

enum { RG_ROWS = 37, RG_COLS = 130, RG_POOL = 40 };

/* All values in the pool are [ROWS, COLS], [1, COLS], [ROWS, 1] or [COLS, COLS]. */
typedef struct {
    bs_graph  *g;
    bs_example ex;
    bs_id      full[RG_POOL], row, column, square;
    int        n;
} random_graph;

static inline bs_id rg_pick(random_graph *r)
{
    return r->full[bs_rng_below(&r->ex.rng, (uint32_t)r->n)];
}

static inline bs_id rg_step(random_graph *r)
{
    bs_graph *g = r->g;
    bs_id     a = rg_pick(r), b = rg_pick(r);
    switch (bs_rng_below(&r->ex.rng, 22)) {
    case 0: return bs_add(g, a, b);
    case 1: return bs_sub(g, a, b);
    case 2: return bs_mul(g, bs_tanh(g, a), b);
    case 3: return bs_softplus(g, a);
    case 4: return bs_sigmoid(g, a);
    case 5: return bs_tanh(g, bs_matmul(g, a, r->square, false, bs_rng_below(&r->ex.rng, 2)));
    case 6: return bs_add(g, a, r->row);
    case 7: return bs_mul(g, a, r->column);
    case 8: return bs_sub(g, a, bs_sum_axis(g, bs_scale(g, b, 0.01), -1));
    case 9: return bs_add(g, a, bs_mean_axis(g, b, -2));
    case 10: return bs_softmax(g, a, -1);
    case 11: return bs_where(g, bs_less(g, a, b), a, bs_scale(g, b, 0.5));
    case 12: return bs_dropout(g, a, 0.3, bs_rng_below(&r->ex.rng, 3));
    case 13:
        return bs_reshape(g, bs_exp(g, bs_reshape(g, bs_tanh(g, a), bs_shape2(RG_COLS, RG_ROWS))),
                          bs_shape2(RG_ROWS, RG_COLS));
    case 14:
        return bs_concat(g, bs_slice(g, a, -2, 5, 30), bs_slice(g, b, -2, 0, RG_ROWS - 30), -2);
    case 15:
        return bs_concat(g, bs_slice(g, a, -1, 7, 100), bs_slice(g, b, -1, 0, RG_COLS - 100), -1);
    case 16:
        return bs_add(g, bs_matmul(g, bs_tanh(g, a), r->square, false, false),
                      bs_matmul(g, bs_sigmoid(g, b), r->square, false, true));
    case 17: return bs_max_axis(g, a, -1), bs_sub(g, a, bs_max_axis(g, a, -1));
    case 18: return bs_clamp(g, a, -0.4, 0.4);
    case 19: return bs_add(g, bs_stop(g, a), b);
    case 20: return bs_minimum(g, a, b);
    default: return bs_sub(g, a, bs_logsumexp(g, a, -1));
    }
}

/* The graph; its results are its last values, a loss, and the loss's gradient by every leaf. */
static inline random_graph random_graph_new(uint64_t seed, int steps, bs_result *out, int *n_out)
{
    random_graph r = {.g = bs_graph_new()};
    bs_example_init(&r.ex, seed);
    bs_shape s = bs_shape2(RG_ROWS, RG_COLS);
    bs_id    leaf[5], d[5];
    leaf[0] = r.full[r.n++] = bs_example_real(r.g, &r.ex, s, -1, 1);
    leaf[1] = r.full[r.n++] = bs_example_real(r.g, &r.ex, s, -1, 1);
    leaf[2] = r.row = bs_example_real(r.g, &r.ex, bs_shape1(RG_COLS), -1, 1);
    leaf[3] = r.column = bs_example_real(r.g, &r.ex, bs_shape2(RG_ROWS, 1), -1, 1);
    leaf[4] = r.square = bs_example_real(r.g, &r.ex, bs_shape2(RG_COLS, RG_COLS), -0.1, 0.1);
    for (int i = 0; i < steps; i++) {
        bs_id id = rg_step(&r);
        r.full[r.n < RG_POOL ? r.n++ : (int)bs_rng_below(&r.ex.rng, RG_POOL)] = id;
    }
    bs_id loss = bs_mean(r.g, bs_square(r.g, bs_add(r.g, r.full[r.n - 1], rg_pick(&r))));
    bs_grad(r.g, loss, leaf, 5, d, true);
    check_graph(r.g);
    *n_out = 0;
    out[(*n_out)++] = (bs_result){loss, -1};
    out[(*n_out)++] = (bs_result){r.full[r.n - 1], -1};
    for (int i = 0; i < 5; i++)
        out[(*n_out)++] = (bs_result){d[i], -1};
    return r;
}

static inline void random_graph_free(random_graph *r)
{
    bs_example_free(&r->ex);
    bs_graph_free(r->g);
}

#endif
