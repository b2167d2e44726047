/* op_leaf.c -- sources of values: bound from outside, constant, or random. */
#include <math.h>

#include "graph/op.h"

const bs_op bs_op_input = {.name = "input", .in = "", .flags = BS_OP_LEAF};
const bs_op bs_op_param = {.name = "param", .in = "", .flags = BS_OP_LEAF};

bs_id bs_param_leaf(bs_graph *g, int segment, bs_shape s)
{
    bs_node n = bs_make_node(BS_OP_param, 0, 0, 0, 0);
    n.shape = s;
    n.attr[0] = segment;
    return bs_emit(g, n);
}

/* fill: value[0] everywhere ------------------------------------------------ */

static void fill_eval(const bs_args *a)
{
    int64_t n = bs_shape_count(a->node->shape);
    for (int64_t i = 0; i < n; i++)
        ((real *)a->out)[i] = (real)a->node->value[0];
}

static bs_id fill_example(bs_graph *g, bs_example *ex, int variant)
{
    (void)ex;
    return bs_fill(g, variant + 0.5, bs_shape2(5, 3));
}

const bs_op bs_op_fill = {.name = "fill",
                          .in = "",
                          .flags = BS_OP_GENERATED | BS_OP_CONSTANT,
                          .eval = fill_eval,
                          .example = fill_example,
                          .examples = 2};

bs_id bs_fill(bs_graph *g, double value, bs_shape s)
{
    bs_node n = bs_make_node(BS_OP_fill, 0, 0, 0, 0);
    n.shape = s;
    n.value[0] = value;
    return bs_emit(g, n);
}

bs_id bs_const(bs_graph *g, double value)
{
    return bs_fill(g, value, bs_shape1(1));
}

/* uniform, normal: attr[0] is the stream; element i of the stream is element i of the value, so any
 * part can be computed anywhere, any number of times ---- */

static void uniform_eval(const bs_args *a)
{
    int64_t n = bs_shape_count(a->node->shape);
    for (int64_t i = 0; i < n; i++) {
        uint32_t w = bs_rng_at(a->run->seed, a->run->step, (uint32_t)a->node->attr[0], (uint64_t)i);
        /* 24 bits: exact in float, and never 1 */
        ((real *)a->out)[i] = (real)(w >> 8) * BS_REAL(5.9604644775390625e-8);
    }
}

/* Box-Muller: elements 2i and 2i + 1 are the cosine and the sine from words 2i and 2i + 1. */
static void normal_eval(const bs_args *a)
{
    const uint32_t stream = (uint32_t)a->node->attr[0];
    int64_t        n = bs_shape_count(a->node->shape);
    for (int64_t i = 0; i < n; i++) {
        uint64_t pair = (uint64_t)i / 2 * 2;
        uint32_t w0 = bs_rng_at(a->run->seed, a->run->step, stream, pair);
        uint32_t w1 = bs_rng_at(a->run->seed, a->run->step, stream, pair + 1);
        double   u = ((w0 >> 8) + 1) * 0x1p-24, v = (w1 >> 8) * 0x1p-24;
        double   angle = 2 * 3.14159265358979323846 * v;
        ((real *)a->out)[i] = (real)(sqrt(-2 * log(u)) * (i % 2 ? sin(angle) : cos(angle)));
    }
}

static bs_id uniform_example(bs_graph *g, bs_example *ex, int variant)
{
    (void)ex;
    return bs_uniform(g, (uint32_t)variant, bs_shape2(37, 41));
}

static bs_id normal_example(bs_graph *g, bs_example *ex, int variant)
{
    (void)ex;
    return bs_normal(g, (uint32_t)variant, bs_shape2(37, 41));
}

const bs_op bs_op_uniform = {.name = "uniform",
                             .in = "",
                             .flags = BS_OP_GENERATED | BS_OP_CONSTANT | BS_OP_RANDOM,
                             .eval = uniform_eval,
                             .example = uniform_example,
                             .examples = 2};
const bs_op bs_op_normal = {.name = "normal",
                            .in = "",
                            .flags = BS_OP_GENERATED | BS_OP_CONSTANT | BS_OP_RANDOM,
                            .eval = normal_eval,
                            .example = normal_example,
                            .examples = 2};

static bs_id leaf_of(bs_graph *g, bs_op_id op, uint32_t stream, bs_shape s)
{
    bs_node n = bs_make_node(op, 0, 0, 0, 0);
    n.shape = s;
    n.attr[0] = (int32_t)stream;
    return bs_emit(g, n);
}

bs_id bs_uniform(bs_graph *g, uint32_t stream, bs_shape s)
{
    return leaf_of(g, BS_OP_uniform, stream, s);
}

bs_id bs_normal(bs_graph *g, uint32_t stream, bs_shape s)
{
    return leaf_of(g, BS_OP_normal, stream, s);
}

/* positions: sines and cosines of the position at wavelengths from 2 pi to 10,000 times that, by
 * turns (Vaswani et al. 2017); the same for rows in front ---- */

static void positions_eval(const bs_args *a)
{
    const bs_shape s = a->node->shape;
    const int64_t  rows = bs_shape_count(s) / s.d[3];
    for (int64_t r = 0; r < rows; r++)
        for (int i = 0; i < s.d[3]; i++) {
            const double angle = (double)(r % s.d[2]) * pow(10000, -(double)(i / 2 * 2) / s.d[3]);
            ((real *)a->out)[r * s.d[3] + i] = (real)(i % 2 ? cos(angle) : sin(angle));
        }
}

static bs_id positions_example(bs_graph *g, bs_example *ex, int variant)
{
    (void)ex;
    return bs_positions(g, bs_shape2(9, 6 + variant));
}

const bs_op bs_op_positions = {.name = "positions",
                               .in = "",
                               .flags = BS_OP_CONSTANT,
                               .eval = positions_eval,
                               .example = positions_example,
                               .examples = 2};

bs_id bs_positions(bs_graph *g, bs_shape s)
{
    return leaf_of(g, BS_OP_positions, 0, s);
}

bs_id bs_bernoulli(bs_graph *g, bs_id p, uint32_t stream)
{
    return bs_less(g, bs_uniform(g, stream, bs_shape_of(g, p)), p);
}

bs_id bs_dropout(bs_graph *g, bs_id a, double rate, uint32_t stream)
{
    if (rate <= 0)
        return a;
    bs_id u = bs_uniform(g, stream, bs_shape_of(g, a));
    bs_id keep = bs_less(g, u, bs_const(g, 1 - rate));
    return bs_mul(g, a, bs_scale(g, keep, 1 / (1 - rate)));
}
