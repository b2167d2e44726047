/* mlc.h -- nets over label sets, y in [0,1]^L.
 *
 * The task net of SEAL: logits = T(x) G, T a softplus MLP (dropout on its
 * hidden layers but the last), G a table of label vectors, no output bias. */
#ifndef BS_MLC_H
#define BS_MLC_H

#include "nn/layers.h"

typedef struct {
    int    features, labels;
    bool   sparse; /* x is csr, else real */
    int    layers, width;
    double dropout;
} bs_mlc_shape;

bs_id bs_mlc_input(bs_graph *g, const bs_mlc_shape *s, int rows);

/* Logits [rows, labels]; parameters net/... */
bs_id bs_mlc_net(bs_nn *nn, const bs_mlc_shape *s, bs_id x);

/* Binary cross-entropy from logits, summed over labels, mean over rows: [1]. */
bs_id bs_mlc_cross_entropy(bs_graph *g, bs_id logits, bs_id gold);

#endif
