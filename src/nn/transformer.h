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

/* Which parameters are trained, and how. Those that are not have the prefix "encoder", so that
 * several nets share them and compute once what depends on them alone; the others, NAME/encoder. */
typedef struct {
    int    trained;     /* layers at the top; all of them: the tables, too. The pooler always is */
    bool   fixed;       /* nothing is, not even the pooler */
    int    adapter;     /* width of adapters (Pfeiffer et al. 2021) in each layer; 0: none */
    double dropout;     /* in what is trained */
    double rate, decay; /* factors on the optimiser's rate: of all of it, and for each layer below
                           the top one once more; there is no weight decay on vectors */
    bool   closed;      /* attention from primitives, for second derivatives: needs `same` */
} bs_transformer_use;

typedef struct {
    bs_id piece, position; /* int [N]; -1 where there is none */
    bs_id start;           /* int [documents + 1]: their first rows */
    bs_id same;            /* real [N, N], 1 within a document; or 0 */
} bs_transformer_input;

/* What the top layer gives: [N, width]. All pieces have the first type. */
bs_id bs_transformer(bs_nn *nn, const char *name, const bs_transformer_shape *s,
                     const bs_transformer_use *u, const bs_transformer_input *in);

/* Declares all parameters as frozen ones, without computing anything. */
void bs_transformer_declare(bs_nn *nn, const bs_transformer_shape *s);

/* One line for each document: sums of rows with the weights of csr [documents, N], which are means
 * or pick the first piece; then the pooler, if there is one. [documents, width] */
bs_id bs_transformer_pool(bs_nn *nn, const char *name, const bs_transformer_shape *s,
                          const bs_transformer_use *u, bs_id hidden, bs_id csr);

#endif
