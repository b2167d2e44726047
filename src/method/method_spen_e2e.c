/* method_spen_e2e.c -- SPEN end to end (Belanger et al. 2017): the energy is trained through the
 * steps of the search, so that they find the truth. */
#include "method/loss.h"

const bs_method bs_method_spen_e2e = {
    .name = "spen-e2e",
    .help = "energy trained through the unrolled search",
    .needs = BS_NEEDS_ENERGY,
    .defaults = "infer=gbi gbi.start=net gbi.space=logits gbi.rule=momentum gbi.steps=10 "
                "gbi.best=no energy.init=net gbi.entropy=1 gbi.lr=0.1 lr.energy=0.0003 clip=1",
    .own = {{"seg", "gbi.lr=1 gbi.steps=5"}},
    .untuned = BS_UNTUNED "clip=10",
    .tunes = "pretrain.lr net.dropout lr.energy decay.energy gbi.lr gbi.entropy",
    .stage = {BS_STAGE_PRETRAINING, {"energy/", bs_loss_unrolled}},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_ENERGY(NULL)},
};
