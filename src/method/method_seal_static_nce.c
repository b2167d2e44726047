/* method_seal_static_nce.c -- SEAL-static (Lee et al. 2022): an energy trained first, by noise
 * contrast, then frozen as the loss of a new net. */
#include "method/loss.h"

const bs_method bs_method_seal_static_nce = {
    .name = "seal-static-nce",
    .help = "net with a frozen energy, from nce, in its loss",
    .needs = BS_NEEDS_SAMPLES,
    .defaults = "gbi.start=random gbi.restarts=3 samples=80 energy.weight=0.01",
    .own = {{"seg", "samples=8 gbi.lr=1"}},
    .untuned = BS_UNTUNED "energy.init=net gbi.start=net " BS_UNTUNED_SEARCH,
    .tunes = "pretrain.lr lr.net net.dropout lr.energy decay.energy energy.weight samples",
    .stage = {BS_STAGE_PRETRAINING, {"energy/", bs_loss_nce}, {"net/", bs_loss_net}},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_ENERGY("gbi"), BS_PHASE_STATIC_NET},
};
