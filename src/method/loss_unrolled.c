/* loss_unrolled.c -- SPEN end to end (Belanger et al. 2017): cross-entropy of what the search
 * finds, differentiated through all of its steps. */
#include "method/loss.h"

bs_id bs_loss_unrolled(bs_loss_context *s)
{
    bs_gbi o = bs_options_gbi(s->o, false);
    o.best = false; /* the choice of an iterate is not differentiable */
    bs_id    start = bs_stop(s->v.g, bs_gbi_begin(&s->v, &o, BS_STREAM_START));
    bs_found found = bs_gbi_search(&s->v, &o, bs_energy_objective, NULL, start);
    bs_id    truth = s->t->truth_energy(&s->v);
    bs_see_energies(s, truth, s->t->energy(&s->v, found.y));
    bs_see_search(s, &found);
    return bs_with_l2(s, bs_mean(s->v.g, s->t->cross_entropy(&s->v, s->t->unrelax(&s->v, found.y))),
                      truth);
}
