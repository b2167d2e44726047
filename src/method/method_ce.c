/* method_ce.c -- cross-entropy: independent labels, no energy. The baseline.
 *
 * net.loss=ranking adds the ranking loss on the net itself, an ablation of SEAL. */
#include "method/loss.h"

#include <string.h>

static bs_id loss(bs_loss_context *s)
{
    if (strcmp(s->o->net_loss, "ranking") == 0)
        return bs_loss_net(s);
    return bs_loss_cross_entropy(s);
}

const bs_method bs_method_ce = {
    .name = "ce",
    .help = "cross-entropy of each label on its own; no energy",
    .tunes = "lr.net net.dropout decay.net",
    .stage = {{"net/", loss}},
    .phase = {{.name = "net", .net = true, .step = bs_step_net}},
};
