/* op_shape.c -- the same numbers arranged differently.
 *
 * reshape and stop are views, and so is a slice along the leading axis: the planner gives them no
 * memory of their own. slice and pad are adjoint. */
#include <string.h>

#include "graph/op.h"

static void copy_bytes(const bs_args *a)
{
    memcpy(a->out, a->in[0], bs_value_bytes((bs_type)a->node->type, a->node->shape));
}

/* reshape, stop ------------------------------------------------------------- */

static const char *reshape_shape(const bs_graph *g, bs_node *n)
{
    n->type = BS_T_REAL;
    if (bs_shape_count(n->shape) != bs_shape_count(bs_shape_of(g, n->src[0])))
        return "the new shape has another number of elements";
    return NULL;
}

static void reshape_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[0] = bs_reshape(g, dy, bs_shape_of(g, n->src[0]));
}

static bool whole_view(const bs_graph *g, const bs_node *n, int64_t *offset)
{
    (void)g, (void)n;
    *offset = 0;
    return true;
}

static bs_id reshape_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_shape to = variant ? bs_shape1(15) : bs_shape3(3, 1, 5);
    return bs_reshape(g, bs_example_real(g, ex, bs_shape2(5, 3), -1, 1), to);
}

const bs_op bs_op_reshape = {.name = "reshape",
                             .in = "r",
                             .flags = BS_OP_ALIAS,
                             .shape = reshape_shape,
                             .vjp = reshape_vjp,
                             .eval = copy_bytes,
                             .view = whole_view,
                             .example = reshape_example,
                             .examples = 2};

bs_id bs_reshape(bs_graph *g, bs_id a, bs_shape s)
{
    const bs_node *from = bs_graph_node(g, a);
    if (bs_shape_equal(from->shape, s))
        return a;
    if (from->op == BS_OP_reshape)
        return bs_reshape(g, from->src[0], s);
    if (from->op == BS_OP_fill && bs_shape_count(s) == bs_shape_count(from->shape))
        return bs_fill(g, from->value[0], s);
    bs_node n = bs_make_node(BS_OP_reshape, a, 0, 0, 0);
    n.shape = s;
    return bs_emit(g, n);
}

static const char *stop_shape(const bs_graph *g, bs_node *n)
{
    n->type = BS_T_REAL;
    n->shape = bs_shape_of(g, n->src[0]);
    return NULL;
}

static bs_id stop_example(bs_graph *g, bs_example *ex, int variant)
{
    (void)variant;
    return bs_stop(g, bs_example_real(g, ex, bs_shape2(5, 3), -1, 1));
}

const bs_op bs_op_stop = {.name = "stop",
                          .in = "r",
                          .flags = BS_OP_ALIAS | BS_OP_CONSTANT,
                          .shape = stop_shape,
                          .eval = copy_bytes,
                          .view = whole_view,
                          .example = stop_example,
                          .examples = 1};

bs_id bs_stop(bs_graph *g, bs_id a)
{
    return bs_emit(g, bs_make_node(BS_OP_stop, a, 0, 0, 0));
}

/* slice: attr = axis, start ---------------------------------------------------- */

static const char *slice_shape(const bs_graph *g, bs_node *n)
{
    bs_shape from = bs_shape_of(g, n->src[0]);
    int      axis = n->attr[0], len = n->attr[2];
    if (n->attr[1] < 0 || len < 1 || n->attr[1] > from.d[axis] - len)
        return "the slice leaves the axis";
    n->type = BS_T_REAL;
    n->shape = from;
    n->shape.d[axis] = len;
    return NULL;
}

static void slice_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    int axis = n->attr[0];
    (void)y;
    dx[0] = bs_pad(g, dy, axis - 4, n->attr[1], bs_shape_of(g, n->src[0]).d[axis]);
}

static void slice_eval(const bs_args *a)
{
    bs_axis_view v = bs_around_axis(a->in_shape[0], a->node->attr[0]);
    int64_t      len = a->node->attr[2] * v.inner, start = a->node->attr[1] * v.inner;
    const real  *x = a->in[0];
    for (int64_t o = 0; o < v.outer; o++)
        memcpy((real *)a->out + o * len, x + o * v.n * v.inner + start, (size_t)len * sizeof(real));
}

/* contiguous if all outer dimensions are 1 */
static bool slice_view(const bs_graph *g, const bs_node *n, int64_t *offset)
{
    bs_axis_view v = bs_around_axis(bs_shape_of(g, n->src[0]), n->attr[0]);
    *offset = n->attr[1] * v.inner;
    return v.outer == 1;
}

static bs_id slice_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_id a = bs_example_real(g, ex, bs_shape4(3, 3, 4, 5), -1, 1);
    return bs_slice(g, a, variant - 4, 1, 2);
}

const bs_op bs_op_slice = {.name = "slice",
                           .in = "r",
                           .flags = BS_OP_ALIAS,
                           .shape = slice_shape,
                           .vjp = slice_vjp,
                           .eval = slice_eval,
                           .view = slice_view,
                           .example = slice_example,
                           .examples = 4};

bs_id bs_slice(bs_graph *g, bs_id a, int axis, int start, int len)
{
    int     i = bs_axis_index(g, axis);
    bs_node n = bs_make_node(BS_OP_slice, a, 0, 0, 0);
    if (i < 0)
        return 0;
    if (start == 0 && len == bs_shape_of(g, a).d[i])
        return a;
    n.attr[0] = i;
    n.attr[1] = start;
    n.attr[2] = len;
    return bs_emit(g, n);
}

/* pad: attr = axis, before, total ------------------------------------------------ */

static const char *pad_shape(const bs_graph *g, bs_node *n)
{
    bs_shape from = bs_shape_of(g, n->src[0]);
    int      axis = n->attr[0];
    if (n->attr[1] < 0 || n->attr[1] > n->attr[2] - from.d[axis])
        return "what is to be padded does not fit";
    n->type = BS_T_REAL;
    n->shape = from;
    n->shape.d[axis] = n->attr[2];
    return NULL;
}

static void pad_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    int axis = n->attr[0];
    (void)y;
    dx[0] = bs_slice(g, dy, axis - 4, n->attr[1], bs_shape_of(g, n->src[0]).d[axis]);
}

static void pad_eval(const bs_args *a)
{
    bs_axis_view v = bs_around_axis(a->in_shape[0], a->node->attr[0]);
    int64_t      len = v.n * v.inner, before = a->node->attr[1] * v.inner;
    int64_t      total = a->node->attr[2] * v.inner;
    real        *out = a->out;
    for (int64_t o = 0; o < v.outer; o++, out += total) {
        memset(out, 0, (size_t)before * sizeof(real));
        memcpy(out + before, (const real *)a->in[0] + o * len, (size_t)len * sizeof(real));
        memset(out + before + len, 0, (size_t)(total - before - len) * sizeof(real));
    }
}

static bs_id pad_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_id a = bs_example_real(g, ex, bs_shape4(2, 3, 2, 5), -1, 1);
    return bs_pad(g, a, variant - 4, variant, 8);
}

const bs_op bs_op_pad = {.name = "pad",
                         .in = "r",
                         .shape = pad_shape,
                         .vjp = pad_vjp,
                         .eval = pad_eval,
                         .example = pad_example,
                         .examples = 4};

bs_id bs_pad(bs_graph *g, bs_id a, int axis, int before, int total)
{
    int     i = bs_axis_index(g, axis);
    bs_node n = bs_make_node(BS_OP_pad, a, 0, 0, 0);
    if (i < 0)
        return 0;
    n.attr[0] = i;
    n.attr[1] = before;
    n.attr[2] = total;
    return bs_emit(g, n);
}

/* concat: attr = axis -------------------------------------------------------------- */

static const char *concat_shape(const bs_graph *g, bs_node *n)
{
    bs_shape a = bs_shape_of(g, n->src[0]), b = bs_shape_of(g, n->src[1]);
    for (int i = 0; i < 4; i++)
        if (i != n->attr[0] && a.d[i] != b.d[i])
            return "the operands differ in another axis than the one to be joined";
    n->type = BS_T_REAL;
    n->shape = a;
    n->shape.d[n->attr[0]] += b.d[n->attr[0]];
    return NULL;
}

static void concat_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    int axis = n->attr[0];
    int first = bs_shape_of(g, n->src[0]).d[axis], second = bs_shape_of(g, n->src[1]).d[axis];
    (void)y;
    dx[0] = bs_slice(g, dy, axis - 4, 0, first);
    dx[1] = bs_slice(g, dy, axis - 4, first, second);
}

static void concat_eval(const bs_args *a)
{
    bs_axis_view v = bs_around_axis(a->in_shape[0], a->node->attr[0]);
    bs_axis_view w = bs_around_axis(a->in_shape[1], a->node->attr[0]);
    int64_t      left = v.n * v.inner, right = w.n * w.inner;
    real        *out = a->out;
    for (int64_t o = 0; o < v.outer; o++, out += left + right) {
        memcpy(out, (const real *)a->in[0] + o * left, (size_t)left * sizeof(real));
        memcpy(out + left, (const real *)a->in[1] + o * right, (size_t)right * sizeof(real));
    }
}

static bs_id concat_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_shape s = bs_shape4(2, 3, 2, 5), t = s;
    t.d[variant] = 4;
    bs_id a = bs_example_real(g, ex, s, -1, 1);
    return bs_concat(g, a, bs_example_real(g, ex, t, -1, 1), variant - 4);
}

const bs_op bs_op_concat = {.name = "concat",
                            .in = "rr",
                            .shape = concat_shape,
                            .vjp = concat_vjp,
                            .eval = concat_eval,
                            .example = concat_example,
                            .examples = 4};

bs_id bs_concat(bs_graph *g, bs_id a, bs_id b, int axis)
{
    bs_node n = bs_make_node(BS_OP_concat, a, b, 0, 0);
    n.attr[0] = bs_axis_index(g, axis);
    return n.attr[0] < 0 ? 0 : bs_emit(g, n);
}

/* permute: attr[i] = which dimension of the operand becomes dimension i ---------------- */

static const char *permute_shape(const bs_graph *g, bs_node *n)
{
    bs_shape from = bs_shape_of(g, n->src[0]);
    int      seen = 0;
    for (int i = 0; i < 4; i++) {
        if (n->attr[i] < 0 || n->attr[i] > 3)
            return "the permutation is not one of 0..3";
        seen |= 1 << n->attr[i];
        n->shape.d[i] = from.d[n->attr[i]];
    }
    n->type = BS_T_REAL;
    return seen == 15 ? NULL : "the permutation is not one of 0..3";
}

static void permute_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    int inverse[4];
    for (int i = 0; i < 4; i++)
        inverse[n->attr[i]] = i;
    (void)y;
    dx[0] = bs_permute(g, dy, inverse[0], inverse[1], inverse[2], inverse[3]);
}

static void permute_eval(const bs_args *a)
{
    const bs_shape s = a->in_shape[0], t = a->node->shape;
    const int32_t *p = a->node->attr;
    int64_t stride[4] = {(int64_t)s.d[1] * s.d[2] * s.d[3], (int64_t)s.d[2] * s.d[3], s.d[3], 1};
    const real *x = a->in[0];
    real       *out = a->out;
    for (int i = 0; i < t.d[0]; i++)
        for (int j = 0; j < t.d[1]; j++)
            for (int k = 0; k < t.d[2]; k++)
                for (int l = 0; l < t.d[3]; l++)
                    *out++ = x[i * stride[p[0]] + j * stride[p[1]] + k * stride[p[2]] +
                               l * stride[p[3]]];
}

static bs_id permute_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_id a = bs_example_real(g, ex, bs_shape4(2, 3, 4, 5), -1, 1);
    switch (variant) {
    case 0: return bs_transpose(g, a);
    case 1: return bs_permute(g, a, 3, 0, 1, 2);
    default: return bs_permute(g, a, 0, 2, 1, 3);
    }
}

const bs_op bs_op_permute = {.name = "permute",
                             .in = "r",
                             .shape = permute_shape,
                             .vjp = permute_vjp,
                             .eval = permute_eval,
                             .example = permute_example,
                             .examples = 3};

bs_id bs_permute(bs_graph *g, bs_id a, int p0, int p1, int p2, int p3)
{
    bs_node n = bs_make_node(BS_OP_permute, a, 0, 0, 0);
    n.attr[0] = p0;
    n.attr[1] = p1;
    n.attr[2] = p2;
    n.attr[3] = p3;
    return bs_emit(g, n);
}

bs_id bs_transpose(bs_graph *g, bs_id a)
{
    return bs_permute(g, a, 0, 1, 3, 2);
}
