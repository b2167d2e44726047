/* loss_contrast.c -- the true output against K samples of the net.
 *
 *   -log exp(s_0) / sum_{k=0..K} exp(s_k),   y_0 the truth
 *
 * NCE (Ma and Collins 2018; SEAL, eq. 8-9; the truth is part of the sum): s = -E - log P_net.
 * Ranking: s = -E. Contrastive divergence (Shankar and Piratla): s = -E + cost. */
#include "train/loss.h"

typedef struct {
    bs_id truth, others, logits, drawn; /* energies [rows, 1, 1] and [rows, K, 1] */
} drawn;

static drawn draw(bs_scene *s)
{
    bs_graph *g = s->v.g;
    const int K = s->o->samples;
    drawn     d;
    d.logits = bs_stop(g, bs_net_logits(s));
    d.drawn = s->t->sample(&s->v, d.logits, K, BS_STREAM_SAMPLE);
    d.truth = s->t->energy(&s->v, s->t->truth(&s->v));
    d.others = s->t->sample_energy(&s->v, d.drawn, K);
    s->seen[BS_SEEN_energy_truth] = bs_mean(g, d.truth);
    s->seen[BS_SEEN_energy_samples] = bs_mean(g, d.others);
    return d;
}

bs_id bs_loss_nce(bs_scene *s)
{
    bs_graph *g = s->v.g;
    drawn     d = draw(s);
    bs_id     noise = s->t->sample_log_prob(&s->v, d.drawn, s->o->samples, d.logits);
    bs_id     truth = bs_sub(g, s->t->cross_entropy(&s->v, d.logits), d.truth);
    bs_id     loss = bs_contrast(s, truth, bs_neg(g, bs_add(g, d.others, noise)));
    return bs_with_l2(s, loss, bs_concat(g, d.truth, d.others, -2));
}

bs_id bs_loss_ranking(bs_scene *s)
{
    bs_graph *g = s->v.g;
    drawn     d = draw(s);
    bs_id     loss = bs_contrast(s, bs_neg(g, d.truth), bs_neg(g, d.others));
    return bs_with_l2(s, loss, bs_concat(g, d.truth, d.others, -2));
}

/* Samples are constants, so that the implicit term comes from the net's own output, which is
 * one of the K + 1 others. */
bs_id bs_primary_divergence(bs_scene *s, bs_id logits)
{
    bs_graph *g = s->v.g;
    const int K = s->o->samples;
    bs_id     y = s->t->relax(&s->v, logits);
    bs_id     bits = s->t->sample(&s->v, bs_stop(g, logits), K, BS_STREAM_SAMPLE);
    bs_id     truth = s->t->energy(&s->v, s->t->truth(&s->v)), own = s->t->energy(&s->v, y);
    bs_id     others = s->t->sample_energy(&s->v, bits, K);
    bs_id     wrong = bs_offset(g, bs_neg(g, s->t->sample_score(&s->v, bits, K)), 1);
    bs_id     own_cost = s->t->cost(&s->v, bs_cost_named(s->o->cost), y);
    bs_see_energies(s, truth, own);
    bs_id all = bs_concat(g, bs_sub(g, own_cost, own), bs_sub(g, wrong, others), -2);
    bs_id loss = bs_contrast(s, bs_neg(g, truth), all);
    return bs_with_l2(s, loss, bs_concat(g, bs_concat(g, truth, own, -2), others, -2));
}
