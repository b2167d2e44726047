/* method_implicit_dvn.c -- implicit training (Shankar and Piratla 2023) with the value loss. The
 * score of the net's output is a target and so a constant: were it not, an energy that
 * thinks little of an output would be rewarded for making it worse. */
#include "train/implicit.h"

static bs_id primary(bs_scene *s)
{
    return bs_primary_value(s, bs_net_output(s));
}

const bs_method bs_method_implicit_dvn = {
    .name = "implicit-dvn",
    .help = "the same by regression to the F1 of the net's output",
    .tasks = "mlc",
    .defaults = "inner=net",
    .stage = {{"net/", bs_loss_net}, {"energy/", primary}},
    .phase = {{.name = "net and energy", .net = true, .energy = true, .step = bs_step_implicit}},
    .setup = bs_implicit_setup,
    .free = bs_implicit_free,
};
