/* loss_infnet.c -- inference networks: a net is trained to find what the energy's margin loss looks
 * for (Tu and Gimpel 2018), and another to find the minimum (Tu et al. 2020, eq. 6):
 *
 *   energy:  margin [cost(F) - E(F) + E(y)]_+ + perceptron [E(y) - E(A)]_+
 *   nets:    margin (E(F) - cost(F)) + perceptron E(A) + ce.weight (CE(A) [+ CE(F)])
 *
 * F the cost-augmented net, A the net that predicts. With infnet.form=single they are the same net,
 * and only the first term of each remains, or with margin=0 the second (eq. 4 of 2018 with
 * truncate=yes). CE(F) is an option (infnet.ce_both). Cutting the terms of the nets at zero like
 * that of the energy makes training of both nets fail without CE (Tu et al. 2020, section 4.1).
 *
 * mode=code: gradients of F flow into A. For seal-margin-compound (SEAL's program) also: the
 * cost-augmented output does not reach the energy's loss, A is relaxed twice (a sigmoid of a
 * sigmoid), and F reads logits. The energy terms of the nets are weighted by energy.weight. */
#include <string.h>

#include "model/cost_net.h"
#include "method/loss.h"

static bool is_single(const bs_loss_context *s)
{
    return bs_cost_net_named(s->o->infnet_form) == BS_COST_NET_NONE;
}

static bool as_code(const bs_loss_context *s)
{
    return strcmp(s->o->mode, "code") == 0;
}

bool bs_cost_net_reads_logits(const bs_train_options *o)
{
    return strcmp(o->mode, "code") == 0 && strcmp(o->method, "seal-margin-compound") == 0;
}

/* A single net is trained for one of the two losses. */
static bool has_margin(const bs_loss_context *s)
{
    return !is_single(s) || s->o->margin > 0;
}

static bool has_perceptron(const bs_loss_context *s)
{
    return !is_single(s) || !has_margin(s);
}

static bs_id cost_logits(bs_loss_context *s)
{
    const bs_cost_net form = bs_cost_net_named(s->o->infnet_form);
    bs_id             below = 0;
    if (is_single(s))
        return bs_net_logits(s);
    if (form == BS_COST_NET_STACKED) {
        below = bs_cost_net_reads_logits(s->o) ? bs_net_logits(s) : bs_net_output(s);
        below = as_code(s) ? below : bs_stop(s->v.g, below);
    }
    return bs_cost_net_logits(&s->v, form, below, s->o->infnet_hidden);
}

bs_id bs_cost_augmented(bs_loss_context *s)
{
    return s->t->relax(&s->v, cost_logits(s));
}

static bs_id cost_of(bs_loss_context *s, bs_id y)
{
    return s->t->cost(&s->v, bs_cost_named(s->o->cost), y);
}

/* The energy's loss as in SEAL's program. */
static bs_id compound_as_code(bs_loss_context *s)
{
    bs_graph *g = s->v.g;
    bs_id     y = s->t->relax(&s->v, bs_stop(g, bs_net_output(s)));
    bs_id     truth = s->t->truth_energy(&s->v), output = s->t->energy(&s->v, y);
    bs_see_energies(s, truth, output);
    bs_id margin = bs_scale(g, bs_hinge(s, bs_add(g, cost_of(s, y), truth)), s->o->margin);
    bs_id plain = bs_mean(g, bs_relu(g, bs_sub(g, truth, output)));
    bs_id loss = bs_add(g, margin, bs_scale(g, plain, s->o->perceptron));
    return bs_with_l2(s, loss, bs_concat(g, truth, output, -2));
}

bs_id bs_loss_compound(bs_loss_context *s)
{
    bs_graph *g = s->v.g;
    if (bs_cost_net_reads_logits(s->o) && !is_single(s))
        return compound_as_code(s);
    bs_id truth = s->t->truth_energy(&s->v), loss = bs_const(g, 0), found = truth;
    if (has_margin(s)) {
        bs_id wrong = bs_stop(g, bs_cost_augmented(s));
        found = s->t->energy(&s->v, wrong);
        bs_id margin = bs_hinge(s, bs_add(g, bs_sub(g, cost_of(s, wrong), found), truth));
        loss = bs_scale(g, margin, s->o->margin);
        bs_see_energies(s, truth, found);
    }
    if (has_perceptron(s)) {
        bs_id output = s->t->energy(&s->v, bs_stop(g, bs_net_output(s)));
        bs_id plain = bs_mean(g, bs_relu(g, bs_sub(g, truth, output)));
        loss = bs_add(g, loss, bs_scale(g, plain, s->o->perceptron));
        bs_see_energies(s, truth, output);
        found = has_margin(s) ? found : output;
    }
    return bs_with_l2(s, loss, bs_concat(g, truth, found, -2));
}

/* Tu and Gimpel 2018: pushes outputs towards the corners. */
static bs_id entropy_term(bs_loss_context *s)
{
    bs_graph *g = s->v.g;
    return bs_scale(g, bs_mean(g, s->t->entropy(&s->v, bs_net_output(s))), s->o->infnet_entropy);
}

/* Squared distance to the pre-trained net, whose parameters are anchor/... */
static bs_id stay_term(bs_loss_context *s)
{
    bs_graph  *g = s->v.g;
    bs_params *p = s->v.params;
    bs_id      sum = bs_const(g, 0);
    for (int i = 0, n = p->n; i < n; i++) {
        if (!bs_is_anchored(&p->segment[i]))
            continue;
        bs_id here = bs_param_leaf(g, i, p->segment[i].shape), anchor = bs_anchor(g, p, i);
        sum = bs_add(g, sum, bs_sum(g, bs_square(g, bs_sub(g, here, anchor))));
    }
    return bs_scale(g, sum, s->o->infnet_stay);
}

bs_id bs_loss_infnet(bs_loss_context *s)
{
    bs_graph *g = s->v.g;
    bs_id     truth = s->t->truth_energy(&s->v), loss = bs_const(g, 0);
    if (has_margin(s)) {
        bs_id wrong = bs_cost_augmented(s);
        bs_id found = bs_sub(g, cost_of(s, wrong), s->t->energy(&s->v, wrong));
        if (s->o->truncate)
            found = bs_relu(g, bs_add(g, found, truth));
        loss = bs_scale(g, bs_mean(g, found), -s->o->margin);
    }
    if (has_perceptron(s)) {
        bs_id output = s->t->energy(&s->v, bs_net_output(s));
        if (s->o->truncate)
            output = bs_neg(g, bs_relu(g, bs_sub(g, truth, output)));
        loss = bs_add(g, loss, bs_scale(g, bs_mean(g, output), s->o->perceptron));
    }
    loss = bs_scale(g, loss, s->o->energy_weight);
    bs_id ce = bs_loss_cross_entropy(s);
    s->diagnostic[BS_DIAGNOSTIC_cross_entropy] = ce;
    s->diagnostic[BS_DIAGNOSTIC_score_output] = bs_mean(g, s->t->score(&s->v, bs_net_output(s)));
    if (!is_single(s))
        s->diagnostic[BS_DIAGNOSTIC_score_augmented] =
            bs_mean(g, s->t->score(&s->v, bs_cost_augmented(s)));
    if (s->o->infnet_ce_both && !is_single(s))
        ce = bs_add(g, ce, bs_mean(g, s->t->cross_entropy(&s->v, cost_logits(s))));
    loss = bs_add(g, loss, bs_scale(g, ce, s->o->ce_weight));
    if (s->o->infnet_entropy > 0)
        loss = bs_add(g, loss, entropy_term(s));
    return s->o->infnet_stay > 0 ? bs_add(g, loss, stay_term(s)) : loss;
}
