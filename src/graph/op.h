/* op.h -- what an op consists of; for op_*.c, grad and backends. */
#ifndef BS_OP_H
#define BS_OP_H

#include "base/rng.h"
#include "graph/graph.h"

/* What a run supplies for the random leaves. */
typedef struct {
    uint64_t seed, step;
} bs_run;

/* What a kernel receives: resolved pointers, shapes and the node's constants. */
typedef struct {
    const bs_node *node;
    void          *out;
    const void    *in[4]; /* a bs_csr* for operands of that type */
    bs_shape       in_shape[4];
    bool           accumulate; /* add to out instead of writing it (BS_OP_ACCUMULATE only) */
    /* spmm_t and scatter only; NULL = write every row. Otherwise one byte per row of out: the
     * kernel sets 1 if it wrote the row, 0 if the gradient is zero and it did not. */
    uint8_t      *touched;
    const bs_run *run;
} bs_args;

enum {
    BS_OP_ELEMENTWISE = 1, /* each output element depends on the operands' elements at its place */
    BS_OP_ALIAS = 2,       /* the value is src[0]'s bytes, from an attr-dependent offset on */
    BS_OP_ONCE = 4,        /* has a derivative, which has none */
    BS_OP_LEAF = 8,        /* bound from outside */
    BS_OP_GENERATED = 16,  /* no operands; computed inside every group that uses it */
    BS_OP_CAN_ADD = 32,    /* the kernel can accumulate */
    BS_OP_CONSTANT = 64,   /* piecewise constant: its derivative is zero everywhere */
    BS_OP_RANDOM = 128,    /* depends on seed and step of the run */
};

typedef struct bs_example bs_example;

typedef struct {
    const char *name;
    const char *in; /* operand types: r real, i int, c csr, b bits */
    unsigned    flags;
    /* Sets n->shape and n->type from the operands; NULL, or what is wrong with them. */
    const char *(*shape)(const bs_graph *g, bs_node *n);
    /* dx[i] = adjoint of operand i, or 0. The caller undoes broadcasting. */
    void (*vjp)(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4]);
    /* Elementwise ops: one element, in double. Others: the whole value, plain C. */
    double (*scalar)(double a, double b, double c, const double *value);
    void (*eval)(const bs_args *a);
    /* Makes the op on random operands; variant 0 .. examples - 1 cover its cases. */
    bs_id (*example)(bs_graph *g, bs_example *ex, int variant);
    int examples;
    /* BS_OP_ALIAS: is it contiguous, and where does it start (in elements)? */
    bool (*view)(const bs_graph *g, const bs_node *n, int64_t *offset);
} bs_op;

extern const bs_op *const bs_ops[BS_OP_COUNT];

/* Bytes of a value of this type and shape; 0 for CSR, which is bound. */
size_t bs_value_bytes(bs_type type, bs_shape s);

/* Words per row of BS_T_BITS. */
static inline int bs_bits_words(int labels)
{
    return (labels + 63) / 64;
}

/* Shape as [outer, n, inner] around an axis. */
typedef struct {
    int64_t outer, n, inner;
} bs_axis_view;
bs_axis_view bs_around_axis(bs_shape s, int axis); /* axis 0..3 from the front */

/* Result of broadcasting; false when dimensions differ and neither is 1. */
bool bs_broadcast(bs_shape a, bs_shape b, bs_shape *out);

/* A node with op and operands, the rest zero. */
bs_node bs_make_node(bs_op_id op, bs_id a, bs_id b, bs_id c, bs_id d);

/* 0..3 from a user's axis -4..-1, or -1 with the graph's error set. */
int bs_axis_index(bs_graph *g, int axis);

/* --- random operands for op examples (example.c) --- */
struct bs_example {
    bs_arena arena;
    bs_rng   rng;
    int      n;
    struct {
        bs_id id;
        void *data; /* real[], int32_t[] or bs_csr* */
        bool  differentiable;
    } leaf[16];
};
void  bs_example_init(bs_example *ex, uint64_t seed);
void  bs_example_free(bs_example *ex);
bs_id bs_example_real(bs_graph *g, bs_example *ex, bs_shape s, double lo, double hi);
/* 0 .. below-1, plus a few out of range when `wild` (gather treats them as padding) */
bs_id bs_example_int(bs_graph *g, bs_example *ex, bs_shape s, int below, bool wild);
bs_id bs_example_csr(bs_graph *g, bs_example *ex, int rows, int cols, bool with_values);

#endif
