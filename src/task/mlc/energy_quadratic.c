/* energy_quadratic.c -- v . h^2: pairwise terms y' M diag(v) M' y of rank `hidden`. */
#include <math.h>

#include "task/mlc/energy.h"

static bs_id top(bs_nn *nn, int hidden, bs_id h)
{
    bs_id v = bs_param(nn->g, nn->params, "energy/v", bs_shape2(hidden, 1),
                       bs_init_normal(sqrt(2.0 / hidden)));
    return bs_matmul(nn->g, bs_square(nn->g, h), v, false, false);
}

const bs_energy bs_energy_quadratic = {
    .name = "quadratic",
    .help = "b(x).y + v.(M y + m)^2: pairs of labels, of low rank",
    .top = top,
};
