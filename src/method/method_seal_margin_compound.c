/* method_seal_margin_compound.c -- SEAL as its authors' program has it where the paper says margin:
 * the energy trained by the compound loss of InfNet+, with a cost-augmented net beside the net. */
#include "method/loss.h"

const bs_method bs_method_seal_margin_compound = {
    .name = "seal-margin-compound",
    .help = "the same with the losses and nets of infnet+",
    .needs = BS_NEEDS_ENERGY,
    .defaults =
        "pretrain.epochs=0 inner=net steps.net=2 infnet.form=stacked infnet.hidden=-1 perceptron=2 "
        "lr.energy=0.0003",
    .own = {{"seg", "cost=f1 energy.weight=0.1 steps.net=1"}},
    .untuned = BS_UNTUNED_BY_TURNS,
    .tunes = BS_TUNES_BY_TURNS "steps.net perceptron",
    .stage = {{"energy/", bs_loss_compound}, {"net/", bs_loss_infnet}, BS_STAGE_PRETRAINING},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_BY_TURNS},
};
