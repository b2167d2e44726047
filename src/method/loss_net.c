/* loss_net.c -- losses of the task net: cross-entropy, and the energy as a loss (SEAL, eq. 3). */
#include <string.h>

#include "method/loss.h"

bs_id bs_loss_cross_entropy(bs_loss_context *s)
{
    return bs_mean(s->v.g, s->t->cross_entropy(&s->v, bs_net_members(s)));
}

/* The ranking loss on the net itself, without an energy: an ablation of SEAL (section 5). */
static bs_id own_ranking(bs_loss_context *s, bs_id logits)
{
    bs_graph *g = s->v.g;
    const int K = s->o->samples;
    bs_id     drawn = s->t->sample(&s->v, bs_stop(g, logits), K, BS_STREAM_SAMPLE);
    bs_id     others = s->t->sample_log_prob(&s->v, drawn, K, logits);
    return bs_contrast(s, s->t->truth_log_prob(&s->v, logits), others);
}

static bs_id energy_term(bs_loss_context *s)
{
    bs_graph *g = s->v.g;
    if (strcmp(s->o->net_loss, "ranking") == 0)
        return own_ranking(s, bs_net_logits(s));
    bs_id y = s->t->relax(&s->v, bs_net_members(s)), e = s->t->energy(&s->v, y);
    s->diagnostic[BS_DIAGNOSTIC_energy_output] = bs_mean(g, e);
    if (strcmp(s->o->net_loss, "value") == 0)
        return bs_neg(g, bs_mean(g, bs_sigmoid(g, bs_value_of(s, e))));
    return bs_mean(g, e);
}

bs_id bs_loss_net(bs_loss_context *s)
{
    bs_graph *g = s->v.g;
    bs_id     ce = bs_loss_cross_entropy(s);
    s->diagnostic[BS_DIAGNOSTIC_cross_entropy] = ce;
    return bs_add(g, bs_scale(g, ce, s->o->ce_weight),
                  bs_scale(g, energy_term(s), s->o->energy_weight));
}

bs_id bs_loss_energy(bs_loss_context *s)
{
    bs_graph *g = s->v.g;
    bs_id     y = bs_net_output(s);
    s->diagnostic[BS_DIAGNOSTIC_score_output] = bs_mean(g, s->t->score(&s->v, y));
    return bs_mean(g, s->t->energy(&s->v, y));
}
