/* energy_label.c -- v . softplus(h), the global energy of SPEN (Belanger and McCallum 2016, eq.
 * 4). */
#include <math.h>

#include "task/mlc/energy.h"

static bs_id top(bs_nn *nn, int hidden, bs_id h)
{
    bs_id v = bs_param(nn->g, nn->params, "energy/v", bs_shape2(hidden, 1),
                       bs_init_normal(sqrt(2.0 / hidden)));
    return bs_matmul(nn->g, bs_softplus(nn->g, h), v, false, false);
}

const bs_energy bs_energy_label = {
    .name = "label",
    .help = "b(x).y + v.softplus(M y + m): one hidden layer over the labels",
    .top = top,
};
