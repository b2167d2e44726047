/* method_crf.c -- a conditional random field (Lafferty et al. 2001): the exact likelihood of the
 * energy, and the best sequence by the Viterbi algorithm. */
#include "method/loss.h"

/* -log p(y | x) = E(x, y) + log sum over y' of exp(-E(x, y')) */
static bs_id loss(bs_loss_context *s)
{
    bs_graph *g = s->v.g;
    bs_id     truth = s->t->truth_energy(&s->v);
    bs_id     rows = bs_add(g, truth, s->t->log_partition(&s->v));
    s->diagnostic[BS_DIAGNOSTIC_energy_truth] = bs_mean(g, truth);
    return bs_mean(g, rows);
}

const bs_method bs_method_crf = {
    .name = "crf",
    .help = "exact likelihood of a chain of tags; prediction by Viterbi's algorithm",
    .needs = BS_NEEDS_CHAIN,
    .defaults = "infer=viterbi",
    .own = {{"roles", "energy.kind=chain"}},
    .tunes = "lr.energy net.dropout decay.energy",
    .unweighed = true,
    .stage = {{"energy/", loss}},
    .phase = {{.name = "energy", .energy = true, .step = bs_step_energy}},
};
