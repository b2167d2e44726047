/* method_seal_static_regression.c -- SEAL-static (Lee et al. 2022): an energy trained first, by
 * the regression of DVN, then frozen as the loss of a new net. */
#include "method/loss.h"

const bs_method bs_method_seal_static_regression = {
    .name = "seal-static-regression",
    .help = "net with a frozen energy, from dvn, in its loss",
    .needs = BS_NEEDS_ENERGY,
    .defaults = "pretrain.epochs=0 net.loss=value gbi.test_steps=30 gbi.lr=0.03 lr.energy=0.0005 "
                "decay.energy=0.003 energy.weight=10",
    .own = {{"tag", "gbi.lr=1"},
            {"seg", "energy.weight=1 gbi.lr=2 lr.energy=0.00015 decay.energy=1e-5 clip=5"}},
    .untuned =
        BS_UNTUNED "energy.init=net gbi.start=net gbi.space=logits gbi.lr=0.1 energy.weight=1",
    .tunes = "lr.net net.dropout lr.energy decay.energy gbi.lr energy.weight",
    .stage = {{"energy/", bs_loss_value_search}, {"net/", bs_loss_net}, BS_STAGE_PRETRAINING},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_ENERGY("gbi"), BS_PHASE_STATIC_NET},
};
