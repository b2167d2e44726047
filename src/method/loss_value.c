/* loss_value.c -- the energy as a value: sigmoid(-E) learns the score of an output.
 *
 *   -s log v - (1 - s) log(1 - v),  v = sigmoid(-E(x, y')),  s = score(y', y)
 *
 * (Gygli et al. 2017; SEAL, eq. 7, which prints 1 + v for 1 - v). DVN takes y' from
 * searches and the truth; SEAL-regression the output of the net; -s also samples
 * around it. */
#include <string.h>

#include "method/loss.h"

bs_id bs_primary_value(bs_loss_context *s, bs_id y)
{
    bs_graph *g = s->v.g;
    bs_id     energy = s->t->energy(&s->v, y), score = bs_value_of(s, energy);
    bs_id     target = bs_stop(g, s->t->score(&s->v, y));
    /* the first is what was found; samples, or the truth, may follow it */
    s->diagnostic[BS_DIAGNOSTIC_energy_output] = bs_mean(g, bs_slice(g, energy, -2, 0, 1));
    if (!s->without_energy)
        s->diagnostic[BS_DIAGNOSTIC_energy_truth] = bs_mean(g, s->t->truth_energy(&s->v));
    return bs_with_l2(s, bs_over_batch(s, bs_value_loss(s, score, target)), score);
}

bs_id bs_loss_regression(bs_loss_context *s)
{
    return bs_primary_value(s, bs_stop(s->v.g, bs_net_output(s)));
}

/* samples - 1 outputs with noise on their logits, and the one without. */
bs_id bs_loss_regression_s(bs_loss_context *s)
{
    bs_graph *g = s->v.g;
    bs_id     z = bs_stop(g, bs_net_logits(s));
    bs_shape  shape = bs_shape_of(g, z);
    const int K = s->o->samples - 1;
    if (K < 1)
        return bs_loss_regression(s);
    shape.d[2] = K;
    bs_id noise = bs_scale(g, bs_normal(g, BS_STREAM_SAMPLE, shape), s->o->noise);
    bs_id all = bs_concat(g, z, bs_add(g, noise, z), -2);
    return bs_primary_value(s, s->t->relax(&s->v, all));
}

/* ---- DVN ---- */

/* The output whose value is most wrong; the score is treated as constant. */
static bs_id adversarial_objective(bs_output_space *v, void *ctx, bs_id y)
{
    bs_loss_context *s = ctx;
    return bs_neg(v->g, bs_value_loss(s, bs_score_of(s, y), bs_stop(v->g, s->t->score(v, y))));
}

static bs_id append(bs_graph *g, bs_id all, bs_id y)
{
    return all ? bs_concat(g, all, y, -2) : y;
}

/* Where searches start: like those for prediction or, for some rows, at the truth, so that the
 * energy also learns what leads away from it. */
static bs_id beginning(bs_loss_context *s, const bs_gbi *o)
{
    bs_graph *g = s->v.g;
    bs_id     y = bs_gbi_begin(&s->v, o, BS_STREAM_START);
    if (s->o->dvn_from_truth <= 0)
        return y;
    bs_id    truth = s->t->truth(&s->v);
    bs_shape row = bs_shape_of(g, truth);
    row.d[2] = row.d[3] = 1; /* outputs per row, and their parts */
    bs_id u = bs_uniform(g, BS_STREAM_START + 1, row);
    return bs_stop(g, bs_where(g, bs_less(g, u, bs_const(g, s->o->dvn_from_truth)), truth, y));
}

bs_id bs_loss_value_search(bs_loss_context *s)
{
    bs_graph   *g = s->v.g;
    bs_gbi      o = bs_options_gbi(s->o, false);
    bs_id       start = beginning(s, &o), all = 0;
    const char *kinds = s->o->dvn_samples;
    if (strstr(kinds, "inference")) {
        bs_found found = bs_gbi_search(&s->v, &o, bs_energy_objective, NULL, start);
        bs_see_search(s, &found);
        all = append(g, all, bs_stop(g, found.y));
    }
    if (strstr(kinds, "adversarial")) {
        bs_found found = bs_gbi_search(&s->v, &o, adversarial_objective, s, start);
        all = append(g, all, bs_stop(g, found.y));
    }
    if (!all || strstr(kinds, "truth"))
        all = append(g, all, s->t->truth(&s->v));
    return bs_primary_value(s, all);
}
