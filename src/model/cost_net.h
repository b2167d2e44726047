/* cost_net.h -- the cost-augmented net of InfNet+ (Tu et al. 2020, section 3.1), which looks for
 * outputs of low energy and high cost while the other one is trained. */
#ifndef BS_COST_NET_H
#define BS_COST_NET_H

#include "model/view.h"

typedef enum {
    BS_COST_NET_NONE,      /* infnet.form=single: one net does both */
    BS_COST_NET_SEPARATED, /* a net of its own */
    BS_COST_NET_SHARED,    /* a head of its own on the features of the net */
    BS_COST_NET_STACKED,   /* a layer over the net's output and the truth */
} bs_cost_net;

bs_cost_net bs_cost_net_named(const char *form); /* a value of infnet.form */

/* Its logits, of forms other than none; `below` is what the stacked one reads of the net. */
bs_id bs_cost_net_logits(bs_view *v, bs_cost_net form, bs_id below, int hidden);

#endif
