/* method_infnetplus.c -- joint training of inference networks (Tu et al. 2020): one for the
 * cost-augmented output, one for prediction, and the compound loss. */
#include "method/loss.h"

const bs_method bs_method_infnetplus = {
    .name = "infnet+",
    .help = "margin and perceptron losses; a cost-augmented net beside it",
    .needs = BS_NEEDS_ENERGY,
    .defaults = "pretrain.epochs=0 inner=net steps.net=5 cost=l1 infnet.form=stacked",
    .own = {{"tag", "steps.net=1 infnet.ce_both=yes energy.weight=0.1"},
            {"seg", "cost=f1 energy.weight=0.1 steps.net=1"}},
    .untuned = BS_UNTUNED_BY_TURNS,
    .tunes = BS_TUNES_BY_TURNS "steps.net perceptron",
    .stage = {{"energy/", bs_loss_compound}, {"net/", bs_loss_infnet}, BS_STAGE_PRETRAINING},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_BY_TURNS},
};
