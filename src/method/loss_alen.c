/* loss_alen.c -- ALEN (Pan et al. 2020): least squares towards the score of an output.
 *
 * energy: (v(y) - s(y))^2 / 2 + alen.net (v(g) - s(g))^2 / 2 + alen.refined (v(r) - s(r))^2 / 2 (6)
 * net: CE + energy.weight (v(g) - 1)^2 / 2 (11)
 *
 * v = sigmoid(-E) (unspecified in the paper), g = net(x), r = g after a few steps of normalised
 * gradient ascent on v (12), s the soft F1. AEN is without r. */
#include <string.h>

#include "method/loss.h"

static bs_id value_of(bs_loss_context *s, bs_id y)
{
    bs_id score = bs_score_of(s, y);
    return strcmp(s->o->alen_value, "linear") == 0 ? score : bs_sigmoid(s->v.g, score);
}

static bs_id objective(bs_output_space *v, void *ctx, bs_id y)
{
    return bs_neg(v->g, value_of(ctx, y));
}

static bs_id half_square(bs_loss_context *s, bs_id value, bs_id target, double weight)
{
    bs_graph *g = s->v.g;
    return bs_scale(g, bs_mean(g, bs_square(g, bs_sub(g, value, target))), weight / 2);
}

static bs_id towards_score(bs_loss_context *s, bs_id y, double weight)
{
    return half_square(s, value_of(s, y), s->t->score(&s->v, y), weight);
}

/* A distribution, as produced by rules, does not score 1 against itself. */
static bs_id full_score(bs_loss_context *s, bs_id truth)
{
    return *s->o->rules_file ? s->t->score(&s->v, truth) : bs_const(s->v.g, 1);
}

bs_id bs_loss_adversarial(bs_loss_context *s)
{
    bs_graph *g = s->v.g;
    bs_id     truth = s->t->truth(&s->v), output = bs_stop(g, bs_net_output(s));
    bs_id     first = half_square(s, value_of(s, truth), full_score(s, truth), 1);
    bs_id     at_truth = s->t->energy(&s->v, truth), at_output = s->t->energy(&s->v, output);
    bs_see_energies(s, at_truth, at_output);
    return bs_with_l2(s, bs_add(g, first, towards_score(s, output, s->o->alen_net)),
                      bs_concat(g, at_truth, at_output, -2));
}

bs_id bs_loss_least_squares(bs_loss_context *s)
{
    bs_graph *g = s->v.g;
    bs_gbi    o = bs_options_gbi(s->o, false);
    bs_found  found = bs_gbi_search(&s->v, &o, objective, s, bs_stop(g, bs_net_output(s)));
    bs_see_search(s, &found);
    return bs_add(g, bs_loss_adversarial(s),
                  towards_score(s, bs_stop(g, found.y), s->o->alen_refined));
}

bs_id bs_loss_alen_net(bs_loss_context *s)
{
    bs_graph *g = s->v.g;
    bs_id     ce = bs_loss_cross_entropy(s);
    bs_id     pull = half_square(s, value_of(s, bs_net_output(s)), bs_const(g, 1), 1);
    s->diagnostic[BS_DIAGNOSTIC_cross_entropy] = ce;
    return bs_add(g, bs_scale(g, ce, s->o->ce_weight), bs_scale(g, pull, s->o->energy_weight));
}
