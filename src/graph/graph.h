/* graph.h -- expressions over tensors, and their derivatives as expressions.
 *
 * A graph is an array of nodes in creation order; an operand always has a smaller id, so
 * topological order, liveness and the reverse sweep are `for` loops. Equal nodes are interned:
 * building the same expression twice gives the same id, which is what lets K unrolled steps share
 * everything that does not depend on y. A graph is pure: no node has a side effect, and nothing
 * here runs anything (see plan/ and device/).
 *
 * Builders return an id. The first failure is stored in the graph with the label stack and the
 * shapes; id 0 flows through the rest, and bs_graph_check or the planner reports it. So expressions
 * need no error checks. */
#ifndef BS_GRAPH_H
#define BS_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/csr.h"
#include "base/err.h"
#include "base/mem.h"
#include "graph/real.h"

typedef int32_t bs_id; /* 0 = no node */

/* Always four dimensions, row-major, contiguous; missing leading ones are 1. A vector of n is
 * [1,1,1,n], and broadcasting compares dimension by dimension. Axes are counted from the end: -1 is
 * the last, -4 the first. */
typedef struct {
    int32_t d[4];
} bs_shape;

typedef enum {
    BS_T_REAL, /* real */
    BS_T_INT,  /* int32_t */
    BS_T_CSR,  /* a sparse matrix bound from outside: bs_csr */
    BS_T_BITS, /* packed rows of 0/1, ceil(L / 64) words a row */
} bs_type;

typedef enum {
    BS_OP_NONE,
#define OP(name) BS_OP_##name,
#include "graph/ops.def"
#undef OP
    BS_OP_COUNT
} bs_op_id;

typedef struct {
    uint16_t op;   /* bs_op_id */
    uint16_t type; /* bs_type of the value */
    uint32_t salt; /* keeps copies of an expression apart; see bs_graph_salt */
    bs_shape shape;
    bs_id    src[4];
    int32_t  attr[4];  /* meaning: see each op */
    double   value[2]; /* constants: scale factor, bounds, slope */
} bs_node;

typedef struct bs_graph bs_graph;

bs_graph *bs_graph_new(void); /* NULL when memory runs out */
void      bs_graph_free(bs_graph *g);

/* BASIN_OK, or the first failure. */
basin_status   bs_graph_check(const bs_graph *g, basin_error *err);
int            bs_graph_size(const bs_graph *g); /* ids are 1 .. size - 1 */
const bs_node *bs_graph_node(const bs_graph *g, bs_id id);
const char    *bs_graph_label(const bs_graph *g, bs_id id); /* "energy/global"; "" if none */
bs_shape       bs_shape_of(const bs_graph *g, bs_id id);

/* Refuses on behalf of a builder; returns 0. Only the first message is kept. */
bs_id bs_graph_refuse(bs_graph *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

bs_id bs_graph_nomem(bs_graph *g); /* the same for memory that ran out */

/* Labels name the part of a model a node belongs to; they nest. They are not
 * part of a node's identity: an interned node keeps the label it was born with. */
void bs_push(bs_graph *g, const char *label);
void bs_pop(bs_graph *g);

/* With a new salt, later nodes differ from all earlier ones (to recompute instead of keep). Returns
 * the old salt, which restores sharing. */
uint32_t bs_graph_salt(bs_graph *g, uint32_t salt);

/* A graph may be run in turns, one after the other. This ends a turn: what is built from now on
 * runs later, when the segments with anew[n] = 1 have other values and random numbers belong to
 * another step; whatever depends on neither is shared with earlier turns. */
enum { BS_TURNS = 3 };
void bs_graph_turn(bs_graph *g, const uint8_t *anew, int n);
/* Ends a turn of a loop: the turns after the first run in any order and any number of times, with
 * only the inputs changing. They share what the first computed, which is kept, and nothing with
 * each other. */
void  bs_graph_loop(bs_graph *g);
bool  bs_graph_loops(const bs_graph *g);
int   bs_graph_turn_of(const bs_graph *g, bs_id id);    /* 0 .. BS_TURNS - 1 */
bs_id bs_graph_turn_begin(const bs_graph *g, int turn); /* its first id; past the end: none */

/* Records that a parameter without a gradient should move towards `value`, such as statistics of
 * the batch. For the trainer only: no node's value depends on it. */
void  bs_graph_follow(bs_graph *g, bs_id leaf, bs_id value);
bs_id bs_graph_followed(const bs_graph *g, bs_id leaf); /* 0: nothing */

/* Checks, interns and appends; all builders end here. */
bs_id bs_emit(bs_graph *g, bs_node n);

/* --- shapes --- */
bs_shape bs_shape1(int n);
bs_shape bs_shape2(int rows, int cols);
bs_shape bs_shape3(int a, int b, int c);
bs_shape bs_shape4(int a, int b, int c, int d);
bool     bs_shape_equal(bs_shape a, bs_shape b);
int64_t  bs_shape_count(bs_shape s); /* number of elements */
/* "[5, 3]", leading ones left out; into buf, returned. */
const char *bs_shape_text(bs_shape s, char buf[48]);

/* --- leaves --- */
bs_id bs_leaf(bs_graph *g, const char *name, bs_type type, bs_shape s);
/* A slice of the flat parameter block; `segment` is its number (nn/params.h). */
bs_id bs_param_leaf(bs_graph *g, int segment, bs_shape s);
bs_id bs_fill(bs_graph *g, double value, bs_shape s);
bs_id bs_const(bs_graph *g, double value); /* one element */
/* Random numbers of this stream at the run's (seed, step): [0, 1) and N(0, 1). */
bs_id bs_uniform(bs_graph *g, uint32_t stream, bs_shape s);
bs_id bs_normal(bs_graph *g, uint32_t stream, bs_shape s);
/* Sines and cosines of positions 0, 1, ... at falling frequencies, [positions, width]. */
bs_id bs_positions(bs_graph *g, bs_shape s);

/* --- elementwise; operands are broadcast against each other --- */
bs_id bs_add(bs_graph *g, bs_id a, bs_id b);
bs_id bs_sub(bs_graph *g, bs_id a, bs_id b);
bs_id bs_mul(bs_graph *g, bs_id a, bs_id b);
bs_id bs_div(bs_graph *g, bs_id a, bs_id b);
bs_id bs_minimum(bs_graph *g, bs_id a, bs_id b);
bs_id bs_maximum(bs_graph *g, bs_id a, bs_id b);
bs_id bs_less(bs_graph *g, bs_id a, bs_id b); /* 1 where a < b, else 0; no derivative */
/* a where c != 0, else b. Both arms are computed; if one could be infinite or NaN, use the safe
 * forms below, since a derivative would multiply it by 0. */
bs_id bs_where(bs_graph *g, bs_id c, bs_id a, bs_id b);
bs_id bs_neg(bs_graph *g, bs_id a);
bs_id bs_scale(bs_graph *g, bs_id a, double factor);
bs_id bs_offset(bs_graph *g, bs_id a, double term);
bs_id bs_exp(bs_graph *g, bs_id a);
bs_id bs_log(bs_graph *g, bs_id a);
bs_id bs_log1p(bs_graph *g, bs_id a);
bs_id bs_sqrt(bs_graph *g, bs_id a);
bs_id bs_abs(bs_graph *g, bs_id a);
bs_id bs_sign(bs_graph *g, bs_id a);
bs_id bs_clamp(bs_graph *g, bs_id a, double lo, double hi);
bs_id bs_relu(bs_graph *g, bs_id a);
bs_id bs_leaky_relu(bs_graph *g, bs_id a, double slope);
bs_id bs_softplus(bs_graph *g, bs_id a);
bs_id bs_sigmoid(bs_graph *g, bs_id a);
bs_id bs_tanh(bs_graph *g, bs_id a);
bs_id bs_erf(bs_graph *g, bs_id a);
bs_id bs_log_sigmoid(bs_graph *g, bs_id a); /* -softplus(-a) */
bs_id bs_gelu(bs_graph *g, bs_id a);        /* a (1 + erf(a / sqrt 2)) / 2 */
bs_id bs_square(bs_graph *g, bs_id a);
/* Finite with finite derivatives everywhere: log(max(a, tiny)), a / max(b, tiny)
 * for b >= 0, sqrt(max(a, tiny)). */
bs_id bs_log_safe(bs_graph *g, bs_id a, double tiny);
bs_id bs_div_safe(bs_graph *g, bs_id a, bs_id b, double tiny);
bs_id bs_sqrt_safe(bs_graph *g, bs_id a, double tiny);
/* 1 with probability p, else 0; no derivative. */
bs_id bs_bernoulli(bs_graph *g, bs_id p, uint32_t stream);
/* a * keep / (1 - rate), the inverted dropout; rate 0 emits nothing. */
bs_id bs_dropout(bs_graph *g, bs_id a, double rate, uint32_t stream);

/* --- reductions; the reduced axis stays with length 1 --- */
bs_id bs_expand(bs_graph *g, bs_id a, bs_shape s); /* repeats dimensions of length 1 */
bs_id bs_sum_to(bs_graph *g, bs_id a, bs_shape s); /* its adjoint: sums them away */
bs_id bs_sum(bs_graph *g, bs_id a);                /* of everything, [1] */
bs_id bs_mean(bs_graph *g, bs_id a);
bs_id bs_sum_axis(bs_graph *g, bs_id a, int axis);
bs_id bs_mean_axis(bs_graph *g, bs_id a, int axis);
bs_id bs_argmax(bs_graph *g, bs_id a, int axis); /* int; the first of equals */
bs_id bs_max_axis(bs_graph *g, bs_id a, int axis);
bs_id bs_logsumexp(bs_graph *g, bs_id a, int axis);
bs_id bs_softmax(bs_graph *g, bs_id a, int axis);
bs_id bs_log_softmax(bs_graph *g, bs_id a, int axis);
bs_id bs_dot(bs_graph *g, bs_id a, bs_id b); /* sum of a * b, [1] */
/* Along the last axis of n; gain and bias are [n]. */
bs_id bs_layer_norm(bs_graph *g, bs_id a, bs_id gain, bs_id bias, double eps);

/* --- shape --- */
bs_id bs_reshape(bs_graph *g, bs_id a, bs_shape s);
bs_id bs_stop(bs_graph *g, bs_id a); /* the same value, with no derivative */
bs_id bs_slice(bs_graph *g, bs_id a, int axis, int start, int len);
bs_id bs_pad(bs_graph *g, bs_id a, int axis, int before, int total); /* zeros around */
bs_id bs_concat(bs_graph *g, bs_id a, bs_id b, int axis);
bs_id bs_permute(bs_graph *g, bs_id a, int p0, int p1, int p2, int p3); /* out.d[i] = a.d[p_i] */
bs_id bs_transpose(bs_graph *g, bs_id a);                               /* last two dimensions */

/* --- products --- */
/* a [.., m, k] (or [.., k, m] when ta) times b [.., k, n] (or [.., n, k] when tb); the
 * two leading dimensions are a batch: equal, or 1 on one side. */
bs_id bs_matmul(bs_graph *g, bs_id a, bs_id b, bool ta, bool tb);
bs_id bs_spmm(bs_graph *g, bs_id csr, bs_id w);    /* [n, d] csr times [d, h] */
bs_id bs_spmm_t(bs_graph *g, bs_id csr, bs_id dy); /* its transpose times [n, h]: [d, h] */

/* --- indices --- */
bs_id bs_gather(bs_graph *g, bs_id table, bs_id index); /* rows of [v, d] by int [.., a, n]: */
                                                        /* [a, n, d]; outside 0..v-1: zeros */
bs_id bs_scatter(bs_graph *g, bs_id rows, bs_id index, int v); /* its adjoint: sums into [v, d] */
bs_id bs_take(bs_graph *g, bs_id a, bs_id index, int axis);    /* picks along one axis */
bs_id bs_put_back(bs_graph *g, bs_id a, bs_id index, int axis, int size); /* its adjoint */

/* --- binary label samples --- */
/* K Bernoulli samples of each row of p [b, l], as bits [b * K, l]; no derivative. */
bs_id bs_bits_sample(bs_graph *g, bs_id p, int K, uint32_t stream);
bs_id bs_bits_pack(bs_graph *g, bs_id a);               /* 1 where a [n, l] > 1/2; no derivative */
bs_id bs_bits_dense(bs_graph *g, bs_id bits);           /* as real [n, l]; for tests */
bs_id bs_bits_matmul(bs_graph *g, bs_id bits, bs_id m); /* [n, l] times [l, h] */
bs_id bs_bits_matmul_t(bs_graph *g, bs_id bits, bs_id dy); /* its adjoint: [l, h] */
/* row r of bits dotted with row r / (n / b) of a [b, l]: [n, 1]; and its adjoint [b, l] */
bs_id bs_bits_dot(bs_graph *g, bs_id bits, bs_id a);
bs_id bs_bits_dot_t(bs_graph *g, bs_id bits, bs_id dy, int b);

/* --- images, [batch, channels, height, width] --- */
/* w is [out, in, kh, kw]; each op's derivatives are the other two. */
bs_id bs_conv(bs_graph *g, bs_id x, bs_id w, int stride, int pad);
bs_id bs_conv_dx(bs_graph *g, bs_id dy, bs_id w, int stride, int pad, bs_shape x);
bs_id bs_conv_dw(bs_graph *g, bs_id x, bs_id dy, int stride, int pad, bs_shape w);
/* Transposed convolution: w is [in, out, kh, kw]; height' = (height - 1) stride - 2 pad + kh. */
bs_id bs_conv_transposed(bs_graph *g, bs_id x, bs_id w, int stride, int pad);
bs_id bs_max_pool(bs_graph *g, bs_id x, int size, int stride);
/* Mean and variance of each channel of x [B, C, H, W]: [2, C, 1, 1]; and the ReLU of x s0 + s1 with
 * a factor and an offset per channel in s [2, C, 1, 1]. */
bs_id bs_moments(bs_graph *g, bs_id x);
bs_id bs_scaled_relu(bs_graph *g, bs_id x, bs_id s);

/* --- sequences: time-major for lstm, sentence by sentence for crf --- */
/* One LSTM direction over a whole sequence. xp [T, B, 4H] is the input already multiplied by its
 * weights, plus bias, gates in the order i, f, g, o; wh is [H, 4H]; len int [B] (positions >= len
 * give zeros and keep the state). Returns h [T, B, H]. Fused: it can be differentiated once. */
bs_id bs_lstm(bs_graph *g, bs_id xp, bs_id wh, bs_id len, bool reverse);
/* The same from primitives: differentiable any number of times; also the test oracle. mask is real
 * [T, B, 1], 1 at positions < len. */
bs_id bs_lstm_unrolled(bs_graph *g, bs_id xp, bs_id wh, bs_id mask, bool reverse);

/* Log partition function of linear chains: unary real [B, T, N], transition real [N + 1, N + 1] as
 * in nn/chain.h, len int [B] (positions >= len do not count; length 0 gives 0): [B, 1]. Its
 * gradient is the token marginals and the expected transitions, by fused forward-backward; further
 * derivatives exist, but are made of primitives, dozens of nodes per position. */
bs_id bs_crf_log_z(bs_graph *g, bs_id unary, bs_id transition, bs_id len);
/* The probability of each tag at each position, [B, T, N]; zeros at padding. */
bs_id bs_crf_marginals(bs_graph *g, bs_id unary, bs_id transition, bs_id len);
/* bs_crf_log_z from primitives: its test oracle, and better if many derivatives are needed. */
bs_id bs_crf_log_z_unrolled(bs_graph *g, bs_id unary, bs_id transition, bs_id len);

/* --- documents, packed: end to end in the rows of one matrix --- */
/* Self-attention. qkv [N, 3 d] has queries, keys and values, each with d / heads columns for every
 * head; start int [documents + 1] are their first rows; rows after the last one give zeros. No
 * document has more than `longest` rows. [N, d]; fused, so that it can be differentiated once. */
bs_id bs_attention(bs_graph *g, bs_id qkv, bs_id start, int heads, int longest);
/* The same from primitives, all rows against all: its test oracle, and for further derivatives.
 * same [N, N] is 1 where two rows belong to one document, else 0. */
bs_id bs_attention_unrolled(bs_graph *g, bs_id qkv, bs_id same, int heads);

/* --- derivatives --- */
/* out[i] = d target / d wrt[i], as nodes of this graph; target is summed if it has more than one
 * element. A wrt[i] that target does not depend on is an error, or zeros with allow_unused. The
 * derivative by a reshape is that by the value under it. */
void bs_grad(bs_graph *g, bs_id target, const bs_id *wrt, int n, bs_id *out, bool allow_unused);

/* Hessian-vector products of a scalar function of y, in either of two ways. */
typedef bs_id (*bs_scalar_fn)(bs_graph *g, void *ctx, bs_id y);
typedef enum {
    BS_HVP_EXACT,   /* d/dy <df/dy, v> */
    BS_HVP_CENTRAL, /* (df/dy(y + e v) - df/dy(y - e v)) / 2e */
} bs_hvp_kind;
bs_id bs_hvp(bs_graph *g, bs_scalar_fn f, void *ctx, bs_id y, bs_id v, bs_hvp_kind kind,
             double eps);

/* --- looking at it --- */
void bs_graph_text(const bs_graph *g, bs_buf *out); /* one line a node */
void bs_graph_dot(const bs_graph *g, bs_buf *out);  /* Graphviz */

#endif
