/* op_reduce.c -- sums, maxima and the normalised exponentials over an axis.
 *
 * attr[0] is the axis, counted from the front. The reduced axis keeps length 1, so results
 * broadcast against their operands. */
#include <math.h>

#include "graph/op.h"

static const char *same_shape(const bs_graph *g, bs_node *n)
{
    n->shape = bs_shape_of(g, n->src[0]);
    n->type = BS_T_REAL;
    return NULL;
}

static const char *reduced_shape(const bs_graph *g, bs_node *n)
{
    n->shape = bs_shape_of(g, n->src[0]);
    n->shape.d[n->attr[0]] = 1;
    n->type = BS_T_REAL;
    return NULL;
}

static bs_id along_axis(bs_graph *g, bs_op_id op, bs_id a, int axis)
{
    bs_node n = bs_make_node(op, a, 0, 0, 0);
    n.attr[0] = bs_axis_index(g, axis);
    return n.attr[0] < 0 ? 0 : bs_emit(g, n);
}

static bs_id axis_example(bs_graph *g, bs_example *ex, int variant, bs_op_id op)
{
    bs_id a = bs_example_real(g, ex, bs_shape4(2, 3, 4, 5), -2, 2);
    return along_axis(g, op, a, variant - 4);
}

/* sum_to: sums the dimensions that are 1 in the requested shape; adjoint of expand */

static const char *sum_to_shape(const bs_graph *g, bs_node *n)
{
    bs_shape from = bs_shape_of(g, n->src[0]), joint;
    n->type = BS_T_REAL;
    if (!bs_broadcast(from, n->shape, &joint) || !bs_shape_equal(joint, from))
        return "cannot be summed to the shape asked for";
    return NULL;
}

static void sum_to_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[0] = bs_expand(g, dy, bs_shape_of(g, n->src[0]));
}

static void sum_to_eval(const bs_args *a)
{
    const bs_shape s = a->in_shape[0], t = a->node->shape;
    const real    *x = a->in[0];
    real          *out = a->out;
    for (int64_t i = 0; i < bs_shape_count(t); i++)
        out[i] = 0;
    int64_t at = 0;
    for (int i = 0; i < s.d[0]; i++)
        for (int j = 0; j < s.d[1]; j++)
            for (int k = 0; k < s.d[2]; k++)
                for (int l = 0; l < s.d[3]; l++) {
                    int64_t o = t.d[0] == 1 ? 0 : i;
                    o = o * t.d[1] + (t.d[1] == 1 ? 0 : j);
                    o = o * t.d[2] + (t.d[2] == 1 ? 0 : k);
                    o = o * t.d[3] + (t.d[3] == 1 ? 0 : l);
                    out[o] += x[at++];
                }
}

static bs_id sum_to_example(bs_graph *g, bs_example *ex, int variant)
{
    static const bs_shape to[] = {{{1, 1, 1, 1}}, {{1, 1, 1, 5}}, {{1, 3, 1, 1}}, {{2, 3, 4, 1}},
                                  {{1, 3, 4, 5}}, {{2, 1, 4, 1}}, {{2, 3, 1, 5}}};
    return bs_sum_to(g, bs_example_real(g, ex, bs_shape4(2, 3, 4, 5), -1, 1), to[variant]);
}

const bs_op bs_op_sum_to = {.name = "sum_to",
                            .in = "r",
                            .shape = sum_to_shape,
                            .vjp = sum_to_vjp,
                            .eval = sum_to_eval,
                            .example = sum_to_example,
                            .examples = 7};

bs_id bs_sum_to(bs_graph *g, bs_id a, bs_shape s)
{
    const bs_node *from = bs_graph_node(g, a);
    if (bs_shape_equal(from->shape, s))
        return a;
    if (from->op == BS_OP_fill)
        return bs_fill(
            g, from->value[0] * (double)bs_shape_count(from->shape) / (double)bs_shape_count(s), s);
    bs_node n = bs_make_node(BS_OP_sum_to, a, 0, 0, 0);
    n.shape = s;
    return bs_emit(g, n);
}

/* argmax ---------------------------------------------------------------------- */

static const char *argmax_shape(const bs_graph *g, bs_node *n)
{
    reduced_shape(g, n);
    n->type = BS_T_INT;
    return NULL;
}

static void argmax_eval(const bs_args *a)
{
    bs_axis_view v = bs_around_axis(a->in_shape[0], a->node->attr[0]);
    const real  *x = a->in[0];
    int32_t     *out = a->out;
    for (int64_t o = 0; o < v.outer; o++)
        for (int64_t i = 0; i < v.inner; i++) {
            const real *line = x + o * v.n * v.inner + i;
            int32_t     best = 0;
            for (int32_t k = 1; k < v.n; k++)
                if (line[k * v.inner] > line[best * v.inner])
                    best = k;
            out[o * v.inner + i] = best;
        }
}

static bs_id argmax_example(bs_graph *g, bs_example *ex, int variant)
{
    return axis_example(g, ex, variant, BS_OP_argmax);
}

const bs_op bs_op_argmax = {.name = "argmax",
                            .in = "r",
                            .flags = BS_OP_CONSTANT,
                            .shape = argmax_shape,
                            .eval = argmax_eval,
                            .example = argmax_example,
                            .examples = 4};

bs_id bs_argmax(bs_graph *g, bs_id a, int axis)
{
    return along_axis(g, BS_OP_argmax, a, axis);
}

/* logsumexp, softmax, log_softmax: one plain kernel ---------------------------- */

static double line_logsumexp(const real *line, int64_t n, int64_t stride)
{
    double top = (double)line[0], sum = 0;
    for (int64_t k = 1; k < n; k++)
        if ((double)line[k * stride] > top)
            top = (double)line[k * stride];
    if (isinf(top))
        return top;
    for (int64_t k = 0; k < n; k++)
        sum += exp((double)line[k * stride] - top);
    return top + log(sum);
}

static void normalised_eval(const bs_args *a)
{
    bs_axis_view v = bs_around_axis(a->in_shape[0], a->node->attr[0]);
    const real  *x = a->in[0];
    real        *out = a->out;
    for (int64_t o = 0; o < v.outer; o++)
        for (int64_t i = 0; i < v.inner; i++) {
            int64_t start = o * v.n * v.inner + i;
            double  total = line_logsumexp(x + start, v.n, v.inner);
            if (a->node->op == BS_OP_logsumexp) {
                out[o * v.inner + i] = (real)total;
                continue;
            }
            for (int64_t k = 0; k < v.n; k++) {
                double d = (double)x[start + k * v.inner] - total;
                out[start + k * v.inner] = (real)(a->node->op == BS_OP_softmax ? exp(d) : d);
            }
        }
}

static void logsumexp_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[0] = bs_mul(g, dy, bs_softmax(g, n->src[0], n->attr[0] - 4));
}

/* y (dy - <dy, y>): written with y, so it can be differentiated again */
static void softmax_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id inner = bs_sum_axis(g, bs_mul(g, dy, y), n->attr[0] - 4);
    dx[0] = bs_mul(g, y, bs_sub(g, dy, inner));
}

static void log_softmax_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id total = bs_sum_axis(g, dy, n->attr[0] - 4);
    (void)y;
    dx[0] = bs_sub(g, dy, bs_mul(g, total, bs_softmax(g, n->src[0], n->attr[0] - 4)));
}

static bs_id logsumexp_example(bs_graph *g, bs_example *ex, int variant)
{
    return axis_example(g, ex, variant, BS_OP_logsumexp);
}

static bs_id softmax_example(bs_graph *g, bs_example *ex, int variant)
{
    return axis_example(g, ex, variant, BS_OP_softmax);
}

static bs_id log_softmax_example(bs_graph *g, bs_example *ex, int variant)
{
    return axis_example(g, ex, variant, BS_OP_log_softmax);
}

const bs_op bs_op_logsumexp = {.name = "logsumexp",
                               .in = "r",
                               .shape = reduced_shape,
                               .vjp = logsumexp_vjp,
                               .eval = normalised_eval,
                               .example = logsumexp_example,
                               .examples = 4};
const bs_op bs_op_softmax = {.name = "softmax",
                             .in = "r",
                             .shape = same_shape,
                             .vjp = softmax_vjp,
                             .eval = normalised_eval,
                             .example = softmax_example,
                             .examples = 4};
const bs_op bs_op_log_softmax = {.name = "log_softmax",
                                 .in = "r",
                                 .shape = same_shape,
                                 .vjp = log_softmax_vjp,
                                 .eval = normalised_eval,
                                 .example = log_softmax_example,
                                 .examples = 4};

bs_id bs_logsumexp(bs_graph *g, bs_id a, int axis)
{
    return along_axis(g, BS_OP_logsumexp, a, axis);
}

bs_id bs_softmax(bs_graph *g, bs_id a, int axis)
{
    return along_axis(g, BS_OP_softmax, a, axis);
}

bs_id bs_log_softmax(bs_graph *g, bs_id a, int axis)
{
    return along_axis(g, BS_OP_log_softmax, a, axis);
}

/* ---- composites ---- */

bs_id bs_sum(bs_graph *g, bs_id a)
{
    return bs_sum_to(g, a, bs_shape1(1));
}

bs_id bs_mean(bs_graph *g, bs_id a)
{
    return bs_scale(g, bs_sum(g, a), 1 / (double)bs_shape_count(bs_shape_of(g, a)));
}

bs_id bs_sum_axis(bs_graph *g, bs_id a, int axis)
{
    int i = bs_axis_index(g, axis);
    if (i < 0)
        return 0;
    bs_shape s = bs_shape_of(g, a);
    s.d[i] = 1;
    return bs_sum_to(g, a, s);
}

bs_id bs_mean_axis(bs_graph *g, bs_id a, int axis)
{
    int i = bs_axis_index(g, axis);
    if (i < 0)
        return 0;
    return bs_scale(g, bs_sum_axis(g, a, axis), 1 / (double)bs_shape_of(g, a).d[i]);
}

bs_id bs_max_axis(bs_graph *g, bs_id a, int axis)
{
    return bs_take(g, a, bs_argmax(g, a, axis), axis);
}

bs_id bs_dot(bs_graph *g, bs_id a, bs_id b)
{
    return bs_sum(g, bs_mul(g, a, b));
}
