/* method_dvn.c -- deep value networks (Gygli et al. 2017): the energy learns the score of outputs
 * found by searching it. */
#include "method/loss.h"

const bs_method bs_method_dvn = {
    .name = "dvn",
    .help = "energy learns the F1 of outputs; search from zeros predicts",
    .needs = BS_NEEDS_ENERGY,
    .defaults = "pretrain.epochs=0 infer=gbi gbi.test_steps=30 gbi.lr=0.03 lr.energy=0.0005 "
                "decay.energy=0.003",
    .own = {{"tag", "gbi.lr=1"}, {"seg", "gbi.lr=2 lr.energy=0.00015 decay.energy=1e-5 clip=0"}},
    .untuned = BS_UNTUNED "energy.init=net gbi.start=net gbi.space=logits gbi.lr=0.1",
    .tunes = "lr.energy decay.energy net.dropout gbi.lr",
    .unweighed = true,
    .stage = {{"energy/", bs_loss_value_search}, BS_STAGE_PRETRAINING},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_ENERGY(NULL)},
};
