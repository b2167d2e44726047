/* method_seal_regression.c -- SEAL-dynamic (Lee et al. 2022): net and energy in turns, the energy
 * trained by regression to the score of the net's output, the net by cross-entropy and the
 * energy. */
#include "method/loss.h"

const bs_method bs_method_seal_regression = {
    .name = "seal-regression",
    .help = "net and energy in turns; the energy learns the F1 of outputs",
    .needs = BS_NEEDS_ENERGY,
    .defaults = "pretrain.epochs=0 net.loss=value energy.weight=15 lr.energy=0.0005",
    .own = {{"seg", "energy.weight=1 lr.energy=0.001"}},
    .untuned = BS_UNTUNED_BY_TURNS "energy.weight=1",
    .tunes = BS_TUNES_BY_TURNS "steps.energy",
    .stage = {{"energy/", bs_loss_regression}, {"net/", bs_loss_net}, BS_STAGE_PRETRAINING},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_BY_TURNS},
};
