/* energy_pairs.c -- y' W y with a weight for every pair of labels, starting at zero: what each pair
 * is worth together, and each label alone (y_i y_i = y_i for a set). */
#include "task/mlc/nets.h"

static bs_id whole(bs_nn *nn, const bs_mlc_shape *s, bs_id y)
{
    bs_graph  *g = nn->g;
    const bool bits = bs_graph_node(g, y)->type == BS_T_BITS;
    bs_id      W =
        bs_param(g, nn->params, "energy/pairs", bs_shape2(s->labels, s->labels), bs_init_zero());
    if (bits)
        return bs_bits_dot(g, y, bs_bits_matmul(g, y, W));
    return bs_sum_axis(g, bs_mul(g, y, bs_matmul(g, y, W, false, false)), -1);
}

const bs_energy bs_energy_pairs = {
    .name = "pairs",
    .help = "b(x).y + y' W y: every pair of labels",
    .whole = whole,
};
