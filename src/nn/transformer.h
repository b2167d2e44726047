/* transformer.h -- transformer encoders of text (Devlin et al. 2019) as graph nodes.
 *
 * A batch is packed: the pieces of its documents lie end to end, so that nothing is computed for
 * padding. Parameters below a prefix, weights [in, out] as in layers.h:
 *
 *   word [vocabulary, width]    position [positions, width]    type [types, width]
 *   norm/gain norm/bias [width]                      of the sum of these three
 *   I/qkv/W [width, 3 width]    I/qkv/b [3 width]    layer I: columns of query, key and value
 *   I/mix/W [width, width]      I/mix/b              the heads joined
 *   I/mix/gain I/mix/bias                            of the sum with the layer's input
 *   I/up/W [width, inner]       I/up/b
 *   I/down/W [inner, width]     I/down/b
 *   I/down/gain I/down/bias                          of the sum with what "up" read
 *   pooler/W [width, width]     pooler/b             if there is one
 *
 * Head h has the columns from h width / heads on in each of the three parts of qkv. */
#ifndef BS_TRANSFORMER_H
#define BS_TRANSFORMER_H

#include "nn/layers.h"

typedef enum {
    BS_GATE_GELU,      /* x (1 + erf(x / sqrt 2)) / 2 */
    BS_GATE_GELU_TANH, /* its approximation by tanh: "gelu_new", "gelu_pytorch_tanh" */
    BS_GATE_RELU,
} bs_transformer_gate;

typedef struct {
    int  layers, width, heads, inner;
    int  vocabulary;
    int  positions;      /* rows of the table, including those before first_position */
    int  first_position; /* of the first piece: 0; 2 in RoBERTa */
    int  types;          /* rows of the table of segments; 0: there is no table (DistilBERT) */
    bool pooler;
    bs_transformer_gate gate;
    double              eps; /* of normalisation */
} bs_transformer_shape;

/* The most pieces a document may have. */
int bs_transformer_longest(const bs_transformer_shape *s);

typedef struct {
    char     name[32]; /* below the prefix */
    bs_shape shape;
} bs_transformer_param;

/* Parameter i in the order above; false past the last one. */
bool bs_transformer_param_at(const bs_transformer_shape *s, int i, bs_transformer_param *out);

#endif
