/* example.c -- random operands for the example that every op supplies. */
#include "graph/op.h"

void bs_example_init(bs_example *ex, uint64_t seed)
{
    *ex = (bs_example){.rng = bs_rng_make(seed, 0, 0)};
    bs_arena_init(&ex->arena, 0);
}

void bs_example_free(bs_example *ex)
{
    bs_arena_free(&ex->arena);
}

static bs_id add_leaf(bs_graph *g, bs_example *ex, bs_type type, bs_shape s, void *data)
{
    bs_id id = bs_leaf(g, "example", type, s);
    if (!data)
        return bs_graph_nomem(g);
    if (ex->n == (int)(sizeof ex->leaf / sizeof ex->leaf[0]))
        return bs_graph_refuse(g, "an example has too many leaves");
    ex->leaf[ex->n].id = id;
    ex->leaf[ex->n].data = data;
    ex->leaf[ex->n].differentiable = type == BS_T_REAL;
    ex->n++;
    return id;
}

bs_id bs_example_real(bs_graph *g, bs_example *ex, bs_shape s, double lo, double hi)
{
    size_t n = (size_t)bs_shape_count(s);
    real  *x = bs_arena_alloc(&ex->arena, n * sizeof *x);
    for (size_t i = 0; x && i < n; i++)
        x[i] = (real)(lo + (hi - lo) * bs_rng_uniform(&ex->rng));
    return add_leaf(g, ex, BS_T_REAL, s, x);
}

bs_id bs_example_int(bs_graph *g, bs_example *ex, bs_shape s, int below, bool wild)
{
    size_t   n = (size_t)bs_shape_count(s);
    int32_t *x = bs_arena_alloc(&ex->arena, n * sizeof *x);
    for (size_t i = 0; x && i < n; i++) {
        x[i] = (int32_t)bs_rng_below(&ex->rng, (uint32_t)below);
        if (wild && i % 4 == 3)
            x[i] = i % 8 == 3 ? -1 : below;
    }
    return add_leaf(g, ex, BS_T_INT, s, x);
}

bs_id bs_example_csr(bs_graph *g, bs_example *ex, int rows, int cols, bool with_values)
{
    size_t   most = (size_t)rows * (size_t)cols;
    bs_csr  *m = bs_arena_alloc(&ex->arena, sizeof *m);
    int32_t *start = bs_arena_alloc(&ex->arena, ((size_t)rows + 1) * sizeof *start);
    int32_t *index = bs_arena_alloc(&ex->arena, most * sizeof *index);
    float   *value = bs_arena_alloc(&ex->arena, most * sizeof *value);
    if (!m || !start || !index || !value)
        return bs_graph_nomem(g);
    int n = 0;
    for (int i = 0; i < rows; i++) {
        /* the second row stays empty */
        for (int j = 0; j < cols && i != 1; j++)
            if (bs_rng_bernoulli(&ex->rng, 0.4)) {
                index[n] = j;
                value[n++] = (float)(2 * bs_rng_uniform(&ex->rng) - 1);
            }
        start[i + 1] = n;
    }
    *m = (bs_csr){rows, cols, start, index, with_values ? value : NULL};
    return add_leaf(g, ex, BS_T_CSR, bs_shape2(rows, cols), m);
}
