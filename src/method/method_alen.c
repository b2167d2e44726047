/* method_alen.c -- ALEN (Pan et al. 2020): net and energy in turns; the energy learns the scores of
 * the truth, of the net's output, and of that output refined by search. */
#include "method/loss.h"

const bs_method bs_method_alen = {
    .name = "alen",
    .help = "energy learns scores near the net's output; search refines it",
    .needs = BS_NEEDS_ENERGY,
    .defaults =
        "pretrain.epochs=0 infer=refine gbi.rule=normalised gbi.steps=6 gbi.lr=0.4 gbi.best=no "
        "optimiser.beta1=0.5 energy.weight=100 lr.energy=0.0005",
    .own = {{"seg", "energy.weight=1 gbi.lr=1"}},
    .untuned = BS_UNTUNED_BY_TURNS
    "energy.weight=1 gbi.start=net gbi.space=logits gbi.lr=0.5 optimiser.beta1=0.9",
    .tunes = BS_TUNES_BY_TURNS "gbi.lr",
    .stage = {{"energy/", bs_loss_least_squares}, {"net/", bs_loss_alen_net}, BS_STAGE_PRETRAINING},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_BY_TURNS},
};
