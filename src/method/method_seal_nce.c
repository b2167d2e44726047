/* method_seal_nce.c -- SEAL-dynamic (Lee et al. 2022): net and energy in turns, the energy trained
 * by noise contrast with samples of the net, the net by cross-entropy and the energy. */
#include "method/loss.h"

const bs_method bs_method_seal_nce = {
    .name = "seal-nce",
    .help = "net and energy in turns; it tells truth from the net's samples",
    .needs = BS_NEEDS_SAMPLES,
    .defaults = "pretrain.epochs=0 steps.energy=2 lr.energy=0.0005",
    .own = {{"seg", "samples=8 energy.weight=0.01 steps.energy=1"}},
    .untuned = BS_UNTUNED_BY_TURNS,
    .tunes = BS_TUNES_BY_TURNS "steps.energy",
    .stage = {{"energy/", bs_loss_nce}, {"net/", bs_loss_net}, BS_STAGE_PRETRAINING},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_BY_TURNS},
};
