/* mlc.c -- see mlc.h. */
#include "model/mlc.h"

bs_id bs_mlc_input(bs_graph *g, const bs_mlc_shape *s, int rows)
{
    return bs_leaf(g, "x", s->sparse ? BS_T_CSR : BS_T_REAL, bs_shape2(rows, s->features));
}

bs_id bs_mlc_net(bs_nn *nn, const bs_mlc_shape *s, bs_id x)
{
    bs_mlp_shape mlp = {s->layers, s->width, BS_SOFTPLUS, s->dropout, false};
    bs_id        t = bs_mlp(nn, "net/T", x, &mlp);
    return bs_linear(nn, "net/labels", t, s->labels, bs_init_xavier(s->width, s->labels), false);
}

/* -[y log p + (1 - y) log(1 - p)] = softplus(z) - z y */
bs_id bs_mlc_cross_entropy(bs_graph *g, bs_id logits, bs_id gold)
{
    bs_id rows = bs_sub(g, bs_softplus(g, logits), bs_mul(g, logits, gold));
    return bs_scale(g, bs_sum(g, rows), 1.0 / bs_shape_of(g, logits).d[2]);
}
