/* method_nce.c -- the energy as a density model: noise-contrastive estimation against samples of
 * a pre-trained net (Ma and Collins 2018). */
#include "method/loss.h"

const bs_method bs_method_nce = {
    .name = "nce",
    .help = "energy by noise contrast with samples of a pre-trained net",
    .needs = BS_NEEDS_SAMPLES,
    .defaults = "infer=gbi gbi.start=random gbi.restarts=3 samples=80",
    .own = {{"seg", "samples=8 gbi.lr=1"}},
    .untuned = BS_UNTUNED "energy.init=net gbi.start=net " BS_UNTUNED_SEARCH,
    .tunes = "pretrain.lr net.dropout lr.energy decay.energy gbi.lr samples",
    .unweighed = true,
    .stage = {BS_STAGE_PRETRAINING, {"energy/", bs_loss_nce}},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_ENERGY(NULL)},
};
