/* energy.h -- the energy of SPEN on label sets, for tests:
 *   E(x, y) = -<y, T(x) B> + v' softplus(y M + m),  T an MLP. */
#ifndef TEST_ENERGY_H
#define TEST_ENERGY_H

#include "nn/layers.h"
#include "tests/harness.h"

typedef struct {
    bs_nn nn;
    bs_id x;
    int   labels, hidden;
} energy;

static inline bs_id energy_of(bs_graph *g, void *ctx, bs_id y)
{
    energy      *e = ctx;
    bs_mlp_shape shape = {2, 7, BS_SOFTPLUS, 0, false, 1};
    bs_id        t = bs_mlp(&e->nn, "energy/T", e->x, &shape);
    bs_id local = bs_linear(&e->nn, "energy/B", t, e->labels, bs_init_xavier(7, e->labels), false);
    bs_id h =
        bs_linear(&e->nn, "energy/M", y, e->hidden, bs_init_xavier(e->labels, e->hidden), true);
    bs_id v = bs_param(g, e->nn.params, "energy/v", bs_shape2(e->hidden, 1), bs_init_normal(1));
    bs_push(g, "energy");
    bs_id global = bs_sum(g, bs_matmul(g, bs_softplus(g, h), v, false, false));
    bs_id total = bs_sub(g, global, bs_dot(g, y, local));
    bs_pop(g);
    return total;
}

/* K steps of gradient descent on the logits of y, as nodes of the same graph. */
static inline bs_id unroll(bs_graph *g, energy *e, bs_id z, int steps, double rate)
{
    for (int k = 0; k < steps; k++) {
        bs_id dz, total = energy_of(g, e, bs_sigmoid(g, z));
        bs_grad(g, total, &z, 1, &dz, false);
        z = bs_sub(g, z, bs_scale(g, dz, rate));
    }
    return z;
}

#endif
