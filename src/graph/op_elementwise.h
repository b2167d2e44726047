/* op_elementwise.h -- shared by the two files of elementwise ops. */
#ifndef BS_OP_ELEMENTWISE_H
#define BS_OP_ELEMENTWISE_H

#include "graph/op.h"

const char *bs_elementwise_shape(const bs_graph *g, bs_node *n);
bs_id       bs_unary(bs_graph *g, bs_op_id op, bs_id a);
bs_id       bs_unary_valued(bs_graph *g, bs_op_id op, bs_id a, double v0, double v1);

/* Operands of an example: an interval, or both signs with a gap around zero that avoids the kinks
 * of piecewise ops. */
#define BS_RANGE(lo, hi) bs_example_real(g, ex, bs_shape2(5, 3), lo, hi)
#define BS_SPLIT(lo, hi) BS_RANGE(variant ? -(hi) : (lo), variant ? -(lo) : (hi))

/* A row for a unary op without constants. */
#define UNARY_ROW(op, operand, more)                                    \
    static bs_id op##_example(bs_graph *g, bs_example *ex, int variant) \
    {                                                                   \
        (void)variant;                                                  \
        return bs_unary(g, BS_OP_##op, operand);                        \
    }                                                                   \
    const bs_op bs_op_##op = {.name = #op,                              \
                              .in = "r",                                \
                              .flags = BS_OP_ELEMENTWISE | (more),      \
                              .shape = bs_elementwise_shape,            \
                              .vjp = op##_vjp,                          \
                              .scalar = op##_scalar,                    \
                              .example = op##_example,                  \
                              .examples = 2}

#endif
