/* method_seal_ranking.c -- SEAL-dynamic (Lee et al. 2022): net and energy in turns, the energy
 * trained to rank the truth above samples of the net, the net by cross-entropy and the energy. */
#include "method/loss.h"

const bs_method bs_method_seal_ranking = {
    .name = "seal-ranking",
    .help = "the same without the correction for the net's probabilities",
    .needs = BS_NEEDS_SAMPLES,
    .defaults = "pretrain.epochs=0 energy.weight=5 samples=40 lr.energy=0.0005",
    .own = {{"seg", "samples=8 energy.weight=0.1"}},
    .untuned = BS_UNTUNED_BY_TURNS "energy.weight=0.5",
    .tunes = BS_TUNES_BY_TURNS "steps.energy",
    .stage = {{"energy/", bs_loss_ranking}, {"net/", bs_loss_net}, BS_STAGE_PRETRAINING},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_BY_TURNS},
};
