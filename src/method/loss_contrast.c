/* loss_contrast.c -- the true output against K samples of the net.
 *
 *   -log exp(s_0) / sum_{k=0..K} exp(s_k),   y_0 the truth
 *
 * NCE (Ma and Collins 2018; SEAL, eq. 8-9; the truth is part of the sum): s = -E - log P_net.
 * Ranking: s = -E. Contrastive divergence (Shankar and Piratla): s = -E + cost. */
#include "method/loss.h"

typedef struct {
    bs_id truth, others, logits, drawn; /* energies [rows, 1, 1] and [rows, K, 1] */
} drawn;

/* Samples that are drawn anew in a random share of their parts, the same ones for all samples of a
 * row, and have the others from the truth. What is learned is then how likely these parts are given
 * the others, by samples that are hard to tell from the truth; the probability of the others under
 * the net is the same for all, so that it cancels. */
static bs_id partly(bs_loss_context *s, bs_id logits)
{
    bs_graph *g = s->v.g;
    if (s->o->samples_share == 1)
        return logits;
    bs_id share = bs_fill(g, s->o->samples_share, bs_shape_of(g, logits));
    bs_id anew = bs_bernoulli(g, share, BS_STREAM_SAMPLE + 1);
    return bs_where(g, anew, logits, s->t->unrelax(&s->v, s->t->truth(&s->v)));
}

static drawn draw(bs_loss_context *s)
{
    bs_graph *g = s->v.g;
    const int K = s->o->samples;
    drawn     d;
    d.logits = bs_stop(g, bs_net_logits(s));
    d.drawn = s->t->sample(&s->v, partly(s, d.logits), K, BS_STREAM_SAMPLE);
    d.truth = s->t->truth_energy(&s->v);
    d.others = s->t->sample_energy(&s->v, d.drawn, K);
    s->diagnostic[BS_DIAGNOSTIC_energy_truth] = bs_mean(g, d.truth);
    s->diagnostic[BS_DIAGNOSTIC_energy_samples] = bs_mean(g, d.others);
    return d;
}

bs_id bs_loss_nce(bs_loss_context *s)
{
    bs_graph *g = s->v.g;
    drawn     d = draw(s);
    bs_id     noise = s->t->sample_log_prob(&s->v, d.drawn, s->o->samples, d.logits);
    bs_id     truth = bs_neg(g, bs_add(g, d.truth, s->t->truth_log_prob(&s->v, d.logits)));
    bs_id     loss = bs_contrast(s, truth, bs_neg(g, bs_add(g, d.others, noise)));
    return bs_with_l2(s, loss, bs_concat(g, d.truth, d.others, -2));
}

bs_id bs_loss_ranking(bs_loss_context *s)
{
    bs_graph *g = s->v.g;
    drawn     d = draw(s);
    bs_id     loss = bs_contrast(s, bs_neg(g, d.truth), bs_neg(g, d.others));
    return bs_with_l2(s, loss, bs_concat(g, d.truth, d.others, -2));
}

/* What the samples are also depends on the net, although a sample has no derivative. The sum over
 * them estimates K times a mean under the net's distribution P, and the derivative of such a mean
 * is that of P(sample) / P(sample as it was drawn): a factor whose value is 1. This returns its
 * logarithm, to be added to the scores. */
static bs_id drawn_from(bs_loss_context *s, bs_id bits, bs_id logits)
{
    bs_id log_prob = s->t->sample_log_prob(&s->v, bits, s->o->samples, logits);
    return bs_sub(s->v.g, log_prob, bs_stop(s->v.g, log_prob));
}

/* With implicit.own the net's own output, as it is, is one of the K + 1 others. */
bs_id bs_primary_divergence(bs_loss_context *s, bs_id logits)
{
    bs_graph *g = s->v.g;
    const int K = s->o->samples;
    bs_id     bits = s->t->sample(&s->v, bs_stop(g, logits), K, BS_STREAM_SAMPLE);
    bs_id     truth = s->t->truth_energy(&s->v), others = s->t->sample_energy(&s->v, bits, K);
    bs_id     wrong = bs_offset(g, bs_neg(g, s->t->sample_score(&s->v, bits, K)), 1);
    bs_id     ratio = drawn_from(s, bits, logits);
    bs_id     theirs = bs_add(g, bs_sub(g, wrong, others), ratio);
    bs_id     competing = bs_neg(g, truth), energies = truth;
    if (s->o->implicit_own) {
        bs_id y = s->t->relax(&s->v, logits), own = s->t->energy(&s->v, y);
        bs_id cost = s->t->cost(&s->v, bs_cost_named(s->o->cost), y);
        competing = bs_concat(g, competing, bs_sub(g, cost, own), -2);
        energies = bs_concat(g, energies, own, -2);
        bs_see_energies(s, truth, own);
    } else {
        s->diagnostic[BS_DIAGNOSTIC_energy_truth] = bs_mean(g, truth);
        s->diagnostic[BS_DIAGNOSTIC_energy_samples] = bs_mean(g, others);
    }
    bs_id total = bs_logsumexp(g, bs_concat(g, competing, theirs, -2), -2);
    /* a mean of shares in place of 0 makes the derivative by the net less noisy */
    bs_id share = bs_stop(g, bs_mean_axis(g, bs_exp(g, bs_sub(g, theirs, total)), -2));
    bs_id calmed = bs_sub(g, total, bs_mul(g, share, bs_sum_axis(g, ratio, -2)));
    bs_id loss = bs_mean(g, bs_add(g, calmed, truth));
    return bs_with_l2(s, loss, bs_concat(g, energies, others, -2));
}
