/* method_spen.c -- SPEN with a structured hinge loss (Belanger and McCallum 2016): searches of the
 * energy start from a pre-trained net, in training and prediction alike. */
#include "method/loss.h"

const bs_method bs_method_spen = {
    .name = "spen",
    .help = "energy with a margin loss, searched from a pre-trained net",
    .needs = BS_NEEDS_ENERGY,
    .defaults = "infer=gbi gbi.start=net gbi.lr=0.01 energy.init=net lr.energy=0.0003",
    .own = {{"tag", "gbi.lr=1"}, {"seg", "gbi.lr=0.1"}},
    .untuned = BS_UNTUNED BS_UNTUNED_SEARCH,
    .tunes = "pretrain.lr net.dropout lr.energy decay.energy gbi.lr",
    .unweighed = true,
    .stage = {BS_STAGE_PRETRAINING, {"energy/", bs_loss_margin_search}},
    .phase = {BS_PHASE_PRETRAINING, BS_PHASE_ENERGY(NULL)},
};
