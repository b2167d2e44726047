/* cost_net.c -- builds the cost-augmented net in the form of infnet.form, from the pieces that a
 * task's view offers. */
#include "model/cost_net.h"

#include <string.h>

static const char *const name = "net/cost";

bs_cost_net bs_cost_net_named(const char *form)
{
    static const char *const forms[] = {"single", "separated", "shared", "stacked"};
    for (int i = 0; i < 4; i++)
        if (strcmp(form, forms[i]) == 0)
            return (bs_cost_net)i;
    return BS_COST_NET_NONE;
}

bs_id bs_cost_net_logits(bs_output_space *v, bs_cost_net form, bs_id below, int hidden)
{
    const bs_task_space *t = v->spec->graph;
    switch (form) {
    case BS_COST_NET_SEPARATED: return t->logits(v, name);
    case BS_COST_NET_SHARED: return t->second_head(v, name);
    default: return t->stacked(v, name, below, hidden);
    }
}
