/* op_index.c -- picking by integer index, and the adjoint sums.
 *
 * An index out of range picks zeros and receives nothing: -1 serves as padding, and a bad index
 * cannot read out of bounds. */
#include "graph/op.h"

/* gather rows of a table, scatter-add into one ---------------------------------- */

static const char *gather_shape(const bs_graph *g, bs_node *n)
{
    bs_shape table = bs_shape_of(g, n->src[0]), index = bs_shape_of(g, n->src[1]);
    n->type = BS_T_REAL;
    if (table.d[0] != 1 || table.d[1] != 1)
        return "the table is not a matrix";
    if (index.d[0] != 1)
        return "the index has more than three dimensions";
    n->shape = bs_shape4(index.d[1], index.d[2], index.d[3], table.d[3]);
    return NULL;
}

static void gather_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[0] = bs_scatter(g, dy, n->src[1], bs_shape_of(g, n->src[0]).d[2]);
}

static void gather_eval(const bs_args *a)
{
    const int      V = a->in_shape[0].d[2], D = a->in_shape[0].d[3];
    const real    *table = a->in[0];
    const int32_t *index = a->in[1];
    real          *out = a->out;
    for (int64_t i = 0; i < bs_shape_count(a->in_shape[1]); i++)
        for (int d = 0; d < D; d++)
            out[i * D + d] = index[i] >= 0 && index[i] < V ? table[index[i] * (int64_t)D + d] : 0;
}

static bs_id gather_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_id table = bs_example_real(g, ex, bs_shape2(7, 4), -1, 1);
    bs_id index = bs_example_int(g, ex, variant ? bs_shape2(3, 5) : bs_shape1(9), 7, variant);
    return bs_gather(g, table, index);
}

const bs_op bs_op_gather = {.name = "gather",
                            .in = "ri",
                            .shape = gather_shape,
                            .vjp = gather_vjp,
                            .eval = gather_eval,
                            .example = gather_example,
                            .examples = 2};

bs_id bs_gather(bs_graph *g, bs_id table, bs_id index)
{
    return bs_emit(g, bs_make_node(BS_OP_gather, table, index, 0, 0));
}

static const char *scatter_shape(const bs_graph *g, bs_node *n)
{
    bs_shape rows = bs_shape_of(g, n->src[0]), index = bs_shape_of(g, n->src[1]);
    n->type = BS_T_REAL;
    if (index.d[0] != 1 || rows.d[0] != index.d[1] || rows.d[1] != index.d[2] ||
        rows.d[2] != index.d[3])
        return "rows and index differ in number";
    n->shape = bs_shape2(n->attr[0], rows.d[3]);
    return NULL;
}

static void scatter_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[0] = bs_gather(g, dy, n->src[1]);
}

static void scatter_eval(const bs_args *a)
{
    const int      V = a->node->shape.d[2], D = a->node->shape.d[3];
    const real    *rows = a->in[0];
    const int32_t *index = a->in[1];
    real          *out = a->out;
    for (int64_t i = 0; i < (int64_t)V * D && !a->accumulate; i++)
        out[i] = 0;
    for (int64_t i = 0; i < bs_shape_count(a->in_shape[1]); i++)
        for (int d = 0; d < D && index[i] >= 0 && index[i] < V; d++)
            out[index[i] * (int64_t)D + d] += rows[i * D + d];
}

static bs_id scatter_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_id rows = bs_example_real(g, ex, variant ? bs_shape3(3, 5, 4) : bs_shape2(9, 4), -1, 1);
    bs_id index = bs_example_int(g, ex, variant ? bs_shape2(3, 5) : bs_shape1(9), 7, variant);
    return bs_scatter(g, rows, index, 7);
}

const bs_op bs_op_scatter = {.name = "scatter",
                             .in = "ri",
                             .flags = BS_OP_CAN_ADD,
                             .shape = scatter_shape,
                             .vjp = scatter_vjp,
                             .eval = scatter_eval,
                             .example = scatter_example,
                             .examples = 2};

bs_id bs_scatter(bs_graph *g, bs_id rows, bs_id index, int v)
{
    bs_node n = bs_make_node(BS_OP_scatter, rows, index, 0, 0);
    n.attr[0] = v;
    return bs_emit(g, n);
}

/* take along an axis, put along an axis: attr = axis, size ------------------------- */

static bool same_beside_axis(bs_shape a, bs_shape b, int axis)
{
    a.d[axis] = b.d[axis];
    return bs_shape_equal(a, b);
}

static const char *take_shape(const bs_graph *g, bs_node *n)
{
    bs_shape a = bs_shape_of(g, n->src[0]), index = bs_shape_of(g, n->src[1]);
    n->type = BS_T_REAL;
    n->shape = index;
    if (!same_beside_axis(a, index, n->attr[0]))
        return "the index differs in another axis than the one to pick from";
    return NULL;
}

static void take_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    int axis = n->attr[0];
    (void)y;
    dx[0] = bs_put_back(g, dy, n->src[1], axis - 4, bs_shape_of(g, n->src[0]).d[axis]);
}

static void take_eval(const bs_args *a)
{
    bs_axis_view   v = bs_around_axis(a->in_shape[0], a->node->attr[0]);
    const int64_t  m = a->node->shape.d[a->node->attr[0]];
    const real    *x = a->in[0];
    const int32_t *index = a->in[1];
    real          *out = a->out;
    for (int64_t o = 0; o < v.outer; o++)
        for (int64_t k = 0; k < m; k++)
            for (int64_t i = 0; i < v.inner; i++, index++)
                *out++ = *index >= 0 && *index < v.n ? x[(o * v.n + *index) * v.inner + i] : 0;
}

static bs_id take_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_shape s = bs_shape4(2, 3, 4, 5), t = s;
    t.d[variant] = variant == 2 ? 6 : 1;
    bs_id a = bs_example_real(g, ex, s, -1, 1);
    return bs_take(g, a, bs_example_int(g, ex, t, s.d[variant], true), variant - 4);
}

const bs_op bs_op_take = {.name = "take",
                          .in = "ri",
                          .shape = take_shape,
                          .vjp = take_vjp,
                          .eval = take_eval,
                          .example = take_example,
                          .examples = 4};

bs_id bs_take(bs_graph *g, bs_id a, bs_id index, int axis)
{
    bs_node n = bs_make_node(BS_OP_take, a, index, 0, 0);
    n.attr[0] = bs_axis_index(g, axis);
    return n.attr[0] < 0 ? 0 : bs_emit(g, n);
}

static const char *put_shape(const bs_graph *g, bs_node *n)
{
    n->type = BS_T_REAL;
    n->shape = bs_shape_of(g, n->src[0]);
    if (!bs_shape_equal(n->shape, bs_shape_of(g, n->src[1])))
        return "values and index differ in shape";
    n->shape.d[n->attr[0]] = n->attr[1];
    return NULL;
}

static void put_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[0] = bs_take(g, dy, n->src[1], n->attr[0] - 4);
}

static void put_eval(const bs_args *a)
{
    bs_axis_view   v = bs_around_axis(a->node->shape, a->node->attr[0]);
    const int64_t  m = a->in_shape[0].d[a->node->attr[0]];
    const real    *x = a->in[0];
    const int32_t *index = a->in[1];
    real          *out = a->out;
    for (int64_t i = 0; i < bs_shape_count(a->node->shape); i++)
        out[i] = 0;
    for (int64_t o = 0; o < v.outer; o++)
        for (int64_t k = 0; k < m; k++)
            for (int64_t i = 0; i < v.inner; i++, index++, x++)
                if (*index >= 0 && *index < v.n)
                    out[(o * v.n + *index) * v.inner + i] += *x;
}

static bs_id put_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_shape s = bs_shape4(2, 3, 4, 5);
    bs_id    a = bs_example_real(g, ex, s, -1, 1);
    return bs_put_back(g, a, bs_example_int(g, ex, s, 3, true), variant - 4, 3);
}

const bs_op bs_op_put = {.name = "put",
                         .in = "ri",
                         .shape = put_shape,
                         .vjp = put_vjp,
                         .eval = put_eval,
                         .example = put_example,
                         .examples = 4};

bs_id bs_put_back(bs_graph *g, bs_id a, bs_id index, int axis, int size)
{
    bs_node n = bs_make_node(BS_OP_put, a, index, 0, 0);
    n.attr[0] = bs_axis_index(g, axis);
    n.attr[1] = size;
    return n.attr[0] < 0 ? 0 : bs_emit(g, n);
}
