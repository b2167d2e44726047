/* method_implicit_ssvm.c -- implicit training (Shankar and Piratla 2022) with the margin loss: the
 * energy is trained through the net that follows it. */
#include "method/implicit.h"

static bs_id primary(bs_loss_context *s)
{
    return bs_primary_margin(s, bs_net_output(s));
}

const bs_method bs_method_implicit_ssvm = {
    .name = "implicit-ssvm",
    .help = "energy trained through the net that follows it, by margins",
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
