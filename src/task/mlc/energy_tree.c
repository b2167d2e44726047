/* energy_tree.c -- sum_i y_i (a_i y_parent(i) + b_i siblings of i that are on), for labels with a
 * hierarchy, two weights each: what a label is worth with the one above it and beside others below
 * the same. It starts at zero; the hierarchy is a table that is not trained. */
#include "task/mlc/nets.h"

static bs_id weighed(bs_nn *nn, const char *table, const char *weight, int L, bs_id y)
{
    bs_graph  *g = nn->g;
    const bool bits = bs_graph_node(g, y)->type == BS_T_BITS;
    bs_id      t = bs_param_frozen(g, nn->params, table, bs_shape2(L, L), bs_init_zero());
    bs_id      w = bs_param(g, nn->params, weight, bs_shape2(1, L), bs_init_zero());
    bs_id      on = bits ? bs_bits_matmul(g, y, t) : bs_matmul(g, y, t, false, false);
    return bs_mul(g, on, w);
}

static bs_id whole(bs_nn *nn, const bs_mlc_shape *s, bs_id y)
{
    bs_graph *g = nn->g;
    bs_id     each = bs_add(g, weighed(nn, "energy/tree/above", "energy/tree/a", s->labels, y),
                            weighed(nn, "energy/tree/beside", "energy/tree/b", s->labels, y));
    return bs_graph_node(g, y)->type == BS_T_BITS ? bs_bits_dot(g, y, each)
                                                  : bs_sum_axis(g, bs_mul(g, y, each), -1);
}

const bs_energy bs_energy_tree = {
    .name = "tree",
    .help = "b(x).y + a weight for each label with its parent and with its siblings (names a/b/c)",
    .whole = whole,
};
