/* method_implicit_dvn.c -- implicit training (Shankar and Piratla 2022) with the value loss of deep
 * value networks, for the net's output and, as in their code, for the truth: an energy that sees
 * only bad outputs cannot tell where the good ones are. The paper does not print this loss.
 *
 * The score of the net's output is a target and hence constant: otherwise an energy that rates an
 * output low would be rewarded for making it worse. */
#include "method/implicit.h"

static bs_id primary(bs_loss_context *s)
{
    bs_id y = bs_net_output(s), truth = s->t->truth(&s->v);
    bs_id loss = bs_primary_value(s, bs_concat(s->v.g, y, truth, -2));
    bs_see_energies(s, s->t->truth_energy(&s->v), s->t->energy(&s->v, y));
    return loss;
}

const bs_method bs_method_implicit_dvn = {
    .name = "implicit-dvn",
    .help = "the same by regression to the F1 of the net's output",
    .needs = BS_NEEDS_ENERGY,
    .defaults = "pretrain.epochs=0 inner=net",
    .own = {{"tag", "implicit.product=central"}, {"seg", "energy.weight=0.1"}},
    .untuned = BS_UNTUNED_BY_TURNS,
    .tunes = BS_TUNES_BY_TURNS "implicit.damping",
    .stage = {{"net/", bs_loss_net}, {"energy/", primary}, BS_STAGE_PRETRAINING},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_BOTH(bs_step_implicit)},
    .setup = bs_implicit_setup,
    .free = bs_implicit_free,
};
