/* method_implicit_cd.c -- implicit training (Shankar and Piratla 2022) with contrastive divergence:
 * the truth against samples of the net, each raised by its cost. */
#include "method/implicit.h"

static bs_id primary(bs_loss_context *s)
{
    return bs_primary_divergence(s, bs_net_logits(s));
}

const bs_method bs_method_implicit_cd = {
    .name = "implicit-cd",
    .help = "the same by contrast with samples of the net",
    .needs = BS_NEEDS_SAMPLES,
    .defaults = "pretrain.epochs=0 inner=net",
    /* samples of tags cost their errors */
    .own = {{"tag", "implicit.product=central cost=hamming"},
            {"seg", "energy.weight=0.1 samples=8"}},
    .untuned = BS_UNTUNED_BY_TURNS,
    .tunes = BS_TUNES_BY_TURNS "implicit.damping",
    .stage = {{"net/", bs_loss_net}, {"energy/", primary}, BS_STAGE_PRETRAINING},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_BOTH(bs_step_implicit)},
    .setup = bs_implicit_setup,
    .free = bs_implicit_free,
};
