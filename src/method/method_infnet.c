/* method_infnet.c -- inference networks (Tu and Gimpel 2018): a pre-trained net learns to find the
 * cost-augmented output that the energy's margin loss needs (eq. 4, truncated), and at last follows
 * the energy alone, without the cost. */
#include "method/loss.h"

const bs_method bs_method_infnet = {
    .name = "infnet",
    .help = "net trained against the energy's margin loss",
    .needs = BS_NEEDS_ENERGY,
    .defaults = "inner=net infnet.form=single cost=squared energy.init=net infnet.stay=10 "
                "truncate=yes lr.net=0.001 finetune.epochs=10",
    .own = {{"tag", "cost=l1"}, {"seg", "cost=f1 energy.weight=0.1 infnet.stay=0.1"}},
    .untuned = BS_UNTUNED_BY_TURNS,
    .tunes = BS_TUNES_BY_TURNS "pretrain.lr infnet.stay",
    .stage = {BS_STAGE_PRETRAINING,
              {"energy/", bs_loss_compound},
              {"net/", bs_loss_infnet},
              {"net/", bs_loss_energy, BS_AFTER}},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_BY_TURNS, BS_PHASE_FINE_TUNING},
};
