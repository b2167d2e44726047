/* layers.h -- the usual layers as builders of graph nodes.
 *
 * Training and inference are different graphs: a layer given training = false emits no dropout.
 * Weights are [in, out], so that the forward product needs no transposition. */
#ifndef BS_LAYERS_H
#define BS_LAYERS_H

#include "nn/params.h"

/* What a graph is built for. Dropout streams count up from `stream`. */
typedef struct {
    bs_graph  *g;
    bs_params *params;
    bool       training;
    uint32_t   stream;
} bs_nn;

typedef enum { BS_SOFTPLUS, BS_RELU, BS_TANH, BS_SIGMOID, BS_GELU, BS_LINEAR } bs_activation;

bs_id bs_activate(bs_graph *g, bs_activation a, bs_id x);

/* x W (+ b): x is real [.., n, in] or csr [n, in]; the result has `out` columns.
 * Parameters NAME/W and NAME/b. */
bs_id bs_linear(bs_nn *nn, const char *name, bs_id x, int out, bs_init init, bool bias);

/* To `out` columns through one hidden softplus layer of `hidden` units (-1: as many as columns; 0:
 * without it): NAME/hidden, NAME/out. */
bs_id bs_one_hidden(bs_nn *nn, const char *name, bs_id x, int hidden, int out);

typedef struct {
    int           layers, width;
    bs_activation activation;
    double        dropout;
    bool          dropout_last; /* also after the last layer */
    int           members;      /* 0 or 1: a plain net */
} bs_mlp_shape;

/* Linear, activation, dropout, `layers` times; Kaiming-uniform, biases 0. With members M > 1 the
 * result is [M, n, width]: weights NAME/W are shared, but not biases and factors on outputs
 * (NAME/s) and inputs (NAME/r, not in the first layer: its product is the same for all). */
bs_id bs_mlp(bs_nn *nn, const char *name, bs_id x, const bs_mlp_shape *m);

/* Makes parameters TO... of a plain net copies of those of the first member of FROM...: the
 * factors, which a plain net lacks, are multiplied into the weights. */
basin_status bs_member_fold(bs_params *p, const char *from, const char *to, basin_error *err);

/* Rows of a table [rows, width] by index int [a, b]: [a, b, width]. */
bs_id bs_embedding(bs_nn *nn, const char *name, bs_id index, int rows, int width, bs_init init);

/* One direction of an LSTM over x [T, B, D], len int [B]: [T, B, H]. NAME/Wx, NAME/Wh, NAME/b. */
bs_id bs_lstm_layer(bs_nn *nn, const char *name, bs_id x, bs_id len, int H, bool reverse);

/* `layers` bidirectional LSTM layers over x [T, B, D], len int [B]: [T, B, 2 H].
 * Dropout is applied to the input of each layer and to the last output. */
bs_id bs_bilstm(bs_nn *nn, const char *name, bs_id x, bs_id len, int hidden, int layers,
                double dropout);

/* One convolution with bias and activation: NAME/W [out, in, k, k], NAME/b. */
bs_id bs_conv_layer(bs_nn *nn, const char *name, bs_id x, int out, int kernel, int stride, int pad,
                    bs_activation activation);

typedef struct {
    int           channels, kernel, stride, pad;
    bs_activation activation;
} bs_conv_shape;

/* Layers NAME/0, NAME/1, ...; keep[i] (may be NULL) receives the output of layer i. */
bs_id bs_conv_stack(bs_nn *nn, const char *name, bs_id x, const bs_conv_shape *layer, int n,
                    bs_id *keep);

#endif
