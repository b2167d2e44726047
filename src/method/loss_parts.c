/* loss_parts.c -- pieces that several losses share. */
#include <string.h>

#include "method/loss.h"

bs_cost bs_cost_named(const char *name)
{
    static const char *const names[] = {"f1", "hamming", "l1", "squared"};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0)
            return (bs_cost)i;
    return BS_COST_F1;
}

bs_id bs_net_logits(bs_loss_context *s)
{
    return s->t->logits(&s->v, "net");
}

bs_id bs_net_members(bs_loss_context *s)
{
    return s->t->members ? s->t->members(&s->v, "net") : bs_net_logits(s);
}

bs_id bs_net_output(bs_loss_context *s)
{
    return s->t->relax(&s->v, bs_net_logits(s));
}

bs_id bs_value_of(bs_loss_context *s, bs_id energy)
{
    return s->t->value ? s->t->value(&s->v, energy) : bs_neg(s->v.g, energy);
}

bs_id bs_score_of(bs_loss_context *s, bs_id y)
{
    return bs_value_of(s, s->t->energy(&s->v, y));
}

/* -[t log p + (1 - t) log(1 - p)], p = sigmoid(score): softplus(score) - t score */
bs_id bs_value_loss(bs_loss_context *s, bs_id score, bs_id target)
{
    bs_graph *g = s->v.g;
    return bs_sub(g, bs_softplus(g, score), bs_mul(g, target, score));
}

bs_id bs_hinge(bs_loss_context *s, bs_id margin)
{
    bs_graph *g = s->v.g;
    s->diagnostic[BS_DIAGNOSTIC_zero_hinges] = bs_mean(g, bs_less(g, margin, bs_const(g, 1e-12)));
    return bs_mean(g, bs_relu(g, margin));
}

/* For some tasks the authors' programs use sums where the papers have means: this decides how often
 * clipping acts. */
bs_id bs_over_batch(bs_loss_context *s, bs_id rows)
{
    const bool sum = strcmp(s->o->mode, "code") == 0 && s->t->sums_rows;
    return sum ? bs_sum(s->v.g, rows) : bs_mean(s->v.g, rows);
}

bs_id bs_contrast(bs_loss_context *s, bs_id truth, bs_id others)
{
    bs_graph *g = s->v.g;
    bs_id     all = bs_logsumexp(g, bs_concat(g, truth, others, -2), -2);
    return bs_over_batch(s, bs_sub(g, all, truth));
}

bs_id bs_with_l2(bs_loss_context *s, bs_id loss, bs_id energies)
{
    bs_graph *g = s->v.g;
    if (s->o->energy_l2 == 0)
        return loss;
    return bs_add(g, loss, bs_scale(g, bs_mean(g, bs_square(g, energies)), s->o->energy_l2));
}

void bs_see_energies(bs_loss_context *s, bs_id truth, bs_id output)
{
    s->diagnostic[BS_DIAGNOSTIC_energy_truth] = bs_mean(s->v.g, truth);
    s->diagnostic[BS_DIAGNOSTIC_energy_output] = bs_mean(s->v.g, output);
}

void bs_see_search(bs_loss_context *s, const bs_found *found)
{
    bs_graph *g = s->v.g;
    s->diagnostic[BS_DIAGNOSTIC_search_steps] = found->steps;
    if (found->value && bs_shape_equal(bs_shape_of(g, found->first), bs_shape_of(g, found->value)))
        s->diagnostic[BS_DIAGNOSTIC_search_decrease] =
            bs_mean(g, bs_sub(g, found->first, found->value));
}
