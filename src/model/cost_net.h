/* cost_net.h -- the cost-augmented net of InfNet+ (Tu et al. 2020, section 3.1), which looks for
 * outputs of low energy and high cost while the other net is trained. */
#ifndef BS_COST_NET_H
#define BS_COST_NET_H

#include "model/view.h"

typedef enum {
    BS_COST_NET_NONE,      /* infnet.form=single: one net does both */
    BS_COST_NET_SEPARATED, /* a separate net */
    BS_COST_NET_SHARED,    /* a second head on the features of the net */
    BS_COST_NET_STACKED,   /* a layer over the net's output and the truth */
} bs_cost_net;

bs_cost_net bs_cost_net_named(const char *form); /* a value of infnet.form */

/* Its logits, for forms other than none; `below` is what the stacked form reads of the net. */
bs_id bs_cost_net_logits(bs_output_space *v, bs_cost_net form, bs_id below, int hidden);

#endif
