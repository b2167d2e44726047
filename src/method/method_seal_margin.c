/* method_seal_margin.c -- SEAL-dynamic (Lee et al. 2022): net and energy in turns, the energy
 * trained by margins at the net's output (eq. 6), the net by cross-entropy and energy (eq. 1). */
#include "method/loss.h"

const bs_method bs_method_seal_margin = {
    .name = "seal-margin",
    .help = "net and energy in turns; the energy learns by margins",
    .needs = BS_NEEDS_ENERGY,
    .defaults = "pretrain.epochs=0",
    .own = {{"seg", "energy.weight=0.1"}},
    .untuned = BS_UNTUNED_BY_TURNS,
    .tunes = BS_TUNES_BY_TURNS "steps.energy",
    .stage = {{"energy/", bs_loss_margin}, {"net/", bs_loss_net}, BS_STAGE_PRETRAINING},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_BY_TURNS},
};
