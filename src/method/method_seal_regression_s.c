/* method_seal_regression_s.c -- SEAL-dynamic (Lee et al. 2022): net and energy in turns, the energy
 * trained by regression to the scores of outputs around the net's, the net by cross-entropy and the
 * energy. */
#include "method/loss.h"

const bs_method bs_method_seal_regression_s = {
    .name = "seal-regression-s",
    .help = "the same with samples around the net's output",
    .needs = BS_NEEDS_ENERGY,
    .defaults = "pretrain.epochs=0 net.loss=value samples=10 energy.weight=15 lr.energy=0.0005",
    .own = {{"seg", "energy.weight=1 lr.energy=0.001 samples=4"}},
    .untuned = BS_UNTUNED_BY_TURNS "energy.weight=1",
    .tunes = BS_TUNES_BY_TURNS "steps.energy samples.noise",
    .stage = {{"energy/", bs_loss_regression_s}, {"net/", bs_loss_net}, BS_STAGE_PRETRAINING},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_BY_TURNS},
};
