/* energy_deep.c -- v . softplus(N softplus(h) + n): a second hidden layer over the labels, the
 * "deeper" label energy of the first SPEN program. */
#include <math.h>

#include "task/mlc/energy.h"

static bs_id top(bs_nn *nn, int hidden, bs_id h)
{
    bs_graph *g = nn->g;
    bs_id     second =
        bs_linear(nn, "energy/N", bs_softplus(g, h), hidden, bs_init_kaiming(hidden), true);
    bs_id v = bs_param(g, nn->params, "energy/v", bs_shape2(hidden, 1),
                       bs_init_normal(sqrt(2.0 / hidden)));
    return bs_matmul(g, bs_softplus(g, second), v, false, false);
}

const bs_energy bs_energy_deep = {
    .name = "deep",
    .help = "the same with two hidden layers over the labels",
    .top = top,
};
