/* nets.h -- nets over label sets, y in [0,1]^L.
 *
 * The task net of SEAL: logits = T(x) G, T a softplus MLP (dropout on its hidden layers except the
 * last), G a table of label vectors, with a bias for each label or, as published, without. The
 * energy has its own features and label vectors of the same shapes, and a term over y alone
 * (energy.h).
 *
 * Numbers may enter as ramps between quantiles (piecewise-linear encoding, Gorishniy et al. 2022),
 * and the task net may have members that share its weights, except for factors on the units of each
 * layer, biases and label vectors (Wen et al. 2020; Gorishniy et al. 2025). */
#ifndef BS_MLC_H
#define BS_MLC_H

#include "task/mlc/energy.h"
#include "data/dataset.h"
#include "model/view.h"
#include "nn/encoder.h"
#include "nn/transformer.h"

struct bs_mlc_shape {
    int    features, labels;
    bool   sparse; /* x is csr, else real */
    int    layers, width;
    double dropout;
    bool   bias;    /* of labels, in net and energy */
    int    members; /* of the task net; 1: a plain net */
    int    bins;    /* ramps per feature; 0: features are used directly */

    const bs_encoder *net;
    const void       *own; /* options of the encoder */

    const bs_energy *energy;   /* the term over y */
    bool             shared;   /* it sees the features of the task net, and does not train them */
    int              hidden;   /* its units */
    double           scale;    /* its weight against the local term */
    bool             shift;    /* it sees 2 y - 1 instead of y */
    bool             corrects; /* its local scores are the net's logits and a correction */

    /* How texts of rows are read; NULL: there are none, or they are features already. */
    const bs_transformer_shape *text;
    bs_transformer_use          use; /* its rate is that in the net, and in an energy: */
    double                      energy_rate;
    bool found; /* what a fixed encoder finds is in the columns of x, after the features */
};

extern const bs_task_space bs_task_space_mlc;
_Static_assert(sizeof(bs_mlc_shape) <= BS_SPEC_ROOM, "a spec has no room for it");
static inline const bs_mlc_shape *bs_net_spec_mlc(const bs_net_spec *s)
{
    return (const void *)s->own.bytes;
}

/* Columns of x, and whether documents are read by the nets. */
int  bs_mlc_columns(const bs_mlc_shape *s);
bool bs_mlc_reads_text(const bs_mlc_shape *s);

/* The leaves of a batch, in the order of bs_batch.x: x (none without columns); for documents of
 * size.length pieces, in the order in which bs_packed has them, piece, position, start, pool. */
void bs_mlc_inputs(bs_graph *g, const bs_mlc_shape *s, bs_size size, bs_inputs *x);

/* What the encoder finds in the documents of a batch: [rows, width of the encoder]. */
bs_id bs_mlc_documents(bs_nn *nn, const char *name, const bs_mlc_shape *s, const bs_inputs *x);

/* T(x) [members, rows, width]; parameters NAME/T/..., NAME/encoder/...; of all nets bins/...,
 * encoder/... and found/... */
bs_id bs_mlc_features(bs_nn *nn, const char *name, const bs_mlc_shape *s, const bs_inputs *x);
/* Logits [rows, members, labels] from features; parameters NAME/labels/... */
bs_id bs_mlc_head(bs_nn *nn, const char *name, const bs_mlc_shape *s, bs_id features);
/* Both. */
bs_id bs_mlc_net(bs_nn *nn, const char *name, const bs_mlc_shape *s, const bs_inputs *x);

/* The energy's score of y alone, real [n, labels] or bits: [n, 1]. */
bs_id bs_mlc_over_labels(bs_nn *nn, const bs_mlc_shape *s, bs_id y);
/* Of energies with a top: M [labels, hidden], and scale * top(M y + m) from the product M y. */
bs_id bs_mlc_label_weights(bs_nn *nn, const bs_mlc_shape *s);
bs_id bs_mlc_over_product(bs_nn *nn, const bs_mlc_shape *s, bs_id product);

/* Of energy.kind=tree: whether some label is below another, or names are not known. */
bool bs_energy_tree_has_parents(const bs_schema *s);
/* Its tables: [i, l] is 1 if i is above l, or beside it. */
basin_status bs_energy_tree_fill(const bs_segment *at, bs_params *p, const bs_schema *s, bool above,
                                 basin_error *err);

#endif
