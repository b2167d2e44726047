/* method_seal_static_margin.c -- SEAL-static (Lee et al. 2022): an energy trained first, by the
 * margin loss of SPEN, then frozen as the loss of a new net. */
#include "method/loss.h"

const bs_method bs_method_seal_static_margin = {
    .name = "seal-static-margin",
    .help = "net with a frozen energy, from spen, in its loss",
    .needs = BS_NEEDS_ENERGY,
    .defaults = "gbi.start=net gbi.lr=0.01 energy.init=net lr.energy=0.0003 energy.weight=0.01",
    .own = {{"tag", "gbi.lr=1"}, {"seg", "gbi.lr=0.1"}},
    .untuned = BS_UNTUNED BS_UNTUNED_SEARCH,
    .tunes = "pretrain.lr lr.net net.dropout lr.energy decay.energy gbi.lr energy.weight",
    .stage = {BS_STAGE_PRETRAINING, {"energy/", bs_loss_margin_search}, {"net/", bs_loss_net}},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_ENERGY("gbi"), BS_PHASE_STATIC_NET},
};
