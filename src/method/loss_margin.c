/* loss_margin.c -- structured hinge losses of the energy.
 *
 *   [ cost(y', y) - E(x, y') + E(x, y) ]_+      (Belanger and McCallum 2016; SEAL, eq. 6)
 *
 * with y' found by search (SPEN), or the output of the net (SEAL-margin, InfNet). The authors'
 * programs differ (mode=code): SPEN's y' goes through a second sigmoid (or whatever relaxes
 * logits), and its search ignores the cost. */
#include <string.h>

#include "method/loss.h"

static bool as_code(const bs_loss_context *s)
{
    return strcmp(s->o->mode, "code") == 0;
}

bs_id bs_primary_margin(bs_loss_context *s, bs_id y)
{
    bs_graph *g = s->v.g;
    bs_id     truth = s->t->truth_energy(&s->v), output = s->t->energy(&s->v, y);
    bs_id     cost = s->t->cost(&s->v, bs_cost_named(s->o->cost), y);
    bs_see_energies(s, truth, output);
    bs_id loss = bs_hinge(s, bs_add(g, bs_sub(g, cost, output), truth));
    return bs_with_l2(s, loss, bs_concat(g, truth, output, -2));
}

bs_id bs_loss_margin(bs_loss_context *s)
{
    return bs_primary_margin(s, bs_stop(s->v.g, bs_net_output(s)));
}

/* E - cost: its minimum is the output that violates the margin most. */
static bs_id augmented(bs_output_space *v, void *ctx, bs_id y)
{
    bs_loss_context *s = ctx;
    bs_id            seen = as_code(s) ? s->t->relax(v, y) : y;
    bs_id            cost = s->t->cost(v, bs_cost_named(s->o->cost), seen);
    return bs_sub(v->g, s->t->energy(v, seen), as_code(s) ? bs_stop(v->g, cost) : cost);
}

bs_id bs_loss_margin_search(bs_loss_context *s)
{
    bs_graph *g = s->v.g;
    bs_gbi    o = bs_options_gbi(s->o, false);
    bs_found  found =
        bs_gbi_search(&s->v, &o, augmented, s, bs_gbi_begin(&s->v, &o, BS_STREAM_START));
    bs_id y = bs_stop(g, found.y);
    bs_see_search(s, &found);
    return bs_primary_margin(s, as_code(s) ? s->t->relax(&s->v, y) : y);
}
