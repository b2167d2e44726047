/* energy_attention.c -- labels that are on attend to each other: u_i . softplus(c_i) for each of
 * them, where c_i is the mean of vectors V_j of the labels that are on, weighted by exp(Q_i . K_j),
 * and of zero, weighted by 1. The order of labels does not matter, and a pair can count differently
 * in different company. It starts at zero, through u. */
#include "task/mlc/nets.h"

enum { WIDTH = 8, MOST_CELLS = 1 << 20 }; /* of queries and keys; of labels x labels x units */

static bs_id attend(bs_graph *g, bs_id y, bs_id a)
{
    return bs_graph_node(g, y)->type == BS_T_BITS ? bs_bits_matmul(g, y, a)
                                                  : bs_matmul(g, y, a, false, false);
}

static bs_id whole(bs_nn *nn, const bs_mlc_shape *s, bs_id y)
{
    bs_graph  *g = nn->g;
    const int  L = s->labels, H = s->hidden, n = bs_shape_of(g, y).d[2];
    const bool bits = bs_graph_node(g, y)->type == BS_T_BITS;
    if ((int64_t)L * L * H > (int64_t)MOST_CELLS)
        return bs_graph_refuse(g,
                               "energy.kind: attention of %d labels with energy.hidden=%d is too "
                               "large; use at most %d units, or pairs",
                               L, H, MOST_CELLS / L / L);
    bs_init small = bs_init_normal(0.3), none = bs_init_zero();
    bs_id   Q = bs_param(g, nn->params, "energy/attention/Q", bs_shape2(L, WIDTH), small);
    bs_id   K = bs_param(g, nn->params, "energy/attention/K", bs_shape2(L, WIDTH), small);
    bs_id   V = bs_param(g, nn->params, "energy/attention/V", bs_shape2(L, H), bs_init_normal(1));
    bs_id   U = bs_param(g, nn->params, "energy/attention/u", bs_shape2(L, H), none);
    bs_id   a = bs_exp(g, bs_matmul(g, K, Q, false, true)); /* of label j for label i: [j, i] */
    bs_id   both =
        bs_mul(g, bs_reshape(g, a, bs_shape3(L, L, 1)), bs_reshape(g, V, bs_shape3(L, 1, H)));
    bs_id sum =
        bs_reshape(g, attend(g, y, bs_reshape(g, both, bs_shape2(L, L * H))), bs_shape3(n, L, H));
    bs_id all = bs_reshape(g, bs_offset(g, attend(g, y, a), 1), bs_shape3(n, L, 1));
    bs_id c = bs_softplus(g, bs_div(g, sum, all));
    bs_id each = bs_sum_axis(g, bs_mul(g, c, bs_reshape(g, U, bs_shape3(1, L, H))), -1);
    each = bs_reshape(g, each, bs_shape2(n, L));
    return bits ? bs_bits_dot(g, y, each) : bs_sum_axis(g, bs_mul(g, y, each), -1);
}

const bs_energy bs_energy_attention = {
    .name = "attention",
    .help = "b(x).y + attention among the labels that are on",
    .whole = whole,
};
