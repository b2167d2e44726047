/* op_elementwise.c -- arithmetic, comparison and selection, element by element.
 *
 * The scalar function of a row is the definition; the fast loops over tiles are in
 * device/cpu/vec/tile.c. Builders only make exact simplifications: x + 0, x * 1, --x, scale of
 * scale, and expand of a constant. */
#include <math.h>

#include "graph/op.h"
#include "graph/op_elementwise.h"

/* ---- shared by all elementwise rows ---- */

const char *bs_elementwise_shape(const bs_graph *g, bs_node *n)
{
    bs_shape s = {{1, 1, 1, 1}};
    for (int i = 0; i < 4 && n->src[i]; i++)
        if (!bs_broadcast(s, bs_shape_of(g, n->src[i]), &s))
            return "the shapes do not broadcast";
    n->shape = s;
    n->type = BS_T_REAL;
    return NULL;
}

bs_id bs_unary(bs_graph *g, bs_op_id op, bs_id a)
{
    return bs_emit(g, bs_make_node(op, a, 0, 0, 0));
}

static bs_id binary(bs_graph *g, bs_op_id op, bs_id a, bs_id b)
{
    return bs_emit(g, bs_make_node(op, a, b, 0, 0));
}

bs_id bs_unary_valued(bs_graph *g, bs_op_id op, bs_id a, double v0, double v1)
{
    bs_node n = bs_make_node(op, a, 0, 0, 0);
    n.value[0] = v0;
    n.value[1] = v1;
    return bs_emit(g, n);
}

static bool is_fill(const bs_graph *g, bs_id a, double value)
{
    const bs_node *n = bs_graph_node(g, a);
    return n->op == BS_OP_fill && n->value[0] == value;
}

/* Does `a` have the shape of an elementwise result of a and b, so that it may replace it? */
static bool covers(const bs_graph *g, bs_id a, bs_id b)
{
    bs_shape s;
    return bs_broadcast(bs_shape_of(g, a), bs_shape_of(g, b), &s) &&
           bs_shape_equal(s, bs_shape_of(g, a));
}

/* Broadcasting does the same as expand if the other operand has the full shape. */
static bs_id unexpanded(const bs_graph *g, bs_id a, bs_id other)
{
    const bs_node *n = bs_graph_node(g, a);
    if (n->op == BS_OP_expand && bs_shape_equal(n->shape, bs_shape_of(g, other)))
        return n->src[0];
    return a;
}

static bs_id binary_example(bs_graph *g, bs_example *ex, int variant, bs_op_id op)
{
    /* equal shapes, row, column, scalar, a middle dimension */
    static const bs_shape right[] = {
        {{1, 2, 5, 3}}, {{1, 1, 1, 3}}, {{1, 2, 5, 1}}, {{1, 1, 1, 1}}, {{1, 2, 1, 3}}};
    bs_id a = bs_example_real(g, ex, bs_shape3(2, 5, 3), 0.6, 1.6);
    bs_id b = bs_example_real(g, ex, right[variant], 1.7, 2.6);
    return variant % 2 ? binary(g, op, b, a) : binary(g, op, a, b);
}

#define BINARY_ROW(op, more)                                            \
    static bs_id op##_example(bs_graph *g, bs_example *ex, int variant) \
    {                                                                   \
        return binary_example(g, ex, variant, BS_OP_##op);              \
    }                                                                   \
    const bs_op bs_op_##op = {.name = #op,                              \
                              .in = "rr",                               \
                              .flags = BS_OP_ELEMENTWISE | (more),      \
                              .shape = bs_elementwise_shape,            \
                              .vjp = op##_vjp,                          \
                              .scalar = op##_scalar,                    \
                              .example = op##_example,                  \
                              .examples = 5}

/* add, sub, mul, div -------------------------------------------------------- */

static double add_scalar(double a, double b, double c, const double *value)
{
    (void)c, (void)value;
    return a + b;
}

static void add_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)g, (void)n, (void)y;
    dx[0] = dx[1] = dy;
}

BINARY_ROW(add, 0);

bs_id bs_add(bs_graph *g, bs_id a, bs_id b)
{
    if (is_fill(g, b, 0) && covers(g, a, b))
        return a;
    if (is_fill(g, a, 0) && covers(g, b, a))
        return b;
    bs_id left = unexpanded(g, a, b), right = unexpanded(g, b, left);
    return binary(g, BS_OP_add, left, right);
}

static double sub_scalar(double a, double b, double c, const double *value)
{
    (void)c, (void)value;
    return a - b;
}

static void sub_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)n, (void)y;
    dx[0] = dy;
    dx[1] = bs_neg(g, dy);
}

BINARY_ROW(sub, 0);

bs_id bs_sub(bs_graph *g, bs_id a, bs_id b)
{
    if (is_fill(g, b, 0) && covers(g, a, b))
        return a;
    bs_id left = unexpanded(g, a, b), right = unexpanded(g, b, left);
    return binary(g, BS_OP_sub, left, right);
}

static double mul_scalar(double a, double b, double c, const double *value)
{
    (void)c, (void)value;
    return a * b;
}

static void mul_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[0] = bs_mul(g, dy, n->src[1]);
    dx[1] = bs_mul(g, dy, n->src[0]);
}

BINARY_ROW(mul, 0);

bs_id bs_mul(bs_graph *g, bs_id a, bs_id b)
{
    bs_shape joint;
    if (!bs_broadcast(bs_shape_of(g, a), bs_shape_of(g, b), &joint))
        return binary(g, BS_OP_mul, a, b); /* which reports the error */
    const bs_node *nb = bs_graph_node(g, b), *na = bs_graph_node(g, a);
    if (nb->op == BS_OP_fill)
        return bs_expand(g, bs_scale(g, a, nb->value[0]), joint);
    if (na->op == BS_OP_fill)
        return bs_expand(g, bs_scale(g, b, na->value[0]), joint);
    bs_id left = unexpanded(g, a, b), right = unexpanded(g, b, left);
    return binary(g, BS_OP_mul, left, right);
}

static double div_scalar(double a, double b, double c, const double *value)
{
    (void)c, (void)value;
    return a / b;
}

static void div_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    dx[0] = bs_div(g, dy, n->src[1]);
    dx[1] = bs_neg(g, bs_mul(g, dx[0], y));
}

BINARY_ROW(div, 0);

bs_id bs_div(bs_graph *g, bs_id a, bs_id b)
{
    bs_id left = unexpanded(g, a, b), right = unexpanded(g, b, left);
    return binary(g, BS_OP_div, left, right);
}

/* minimum, maximum: on a tie the first operand gets the whole derivative ---- */

static double minimum_scalar(double a, double b, double c, const double *value)
{
    (void)c, (void)value;
    return b < a ? b : a;
}

static void minimum_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id second = bs_less(g, n->src[1], n->src[0]), zero = bs_const(g, 0);
    (void)y;
    dx[0] = bs_where(g, second, zero, dy);
    dx[1] = bs_where(g, second, dy, zero);
}

BINARY_ROW(minimum, 0);

bs_id bs_minimum(bs_graph *g, bs_id a, bs_id b)
{
    return binary(g, BS_OP_minimum, a, b);
}

static double maximum_scalar(double a, double b, double c, const double *value)
{
    (void)c, (void)value;
    return a < b ? b : a;
}

static void maximum_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id second = bs_less(g, n->src[0], n->src[1]), zero = bs_const(g, 0);
    (void)y;
    dx[0] = bs_where(g, second, zero, dy);
    dx[1] = bs_where(g, second, dy, zero);
}

BINARY_ROW(maximum, 0);

bs_id bs_maximum(bs_graph *g, bs_id a, bs_id b)
{
    return binary(g, BS_OP_maximum, a, b);
}

/* less ----------------------------------------------------------------------- */

static double less_scalar(double a, double b, double c, const double *value)
{
    (void)c, (void)value;
    return a < b ? 1 : 0;
}

#define less_vjp NULL
BINARY_ROW(less, BS_OP_CONSTANT);

bs_id bs_less(bs_graph *g, bs_id a, bs_id b)
{
    return binary(g, BS_OP_less, a, b);
}

/* where ---------------------------------------------------------------------- */

static double where_scalar(double a, double b, double c, const double *value)
{
    (void)value;
    return a != 0 ? b : c;
}

static void where_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id zero = bs_const(g, 0);
    (void)y;
    dx[1] = bs_where(g, n->src[0], dy, zero);
    dx[2] = bs_where(g, n->src[0], zero, dy);
}

static bs_id where_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_shape side = variant ? bs_shape1(3) : bs_shape2(5, 3);
    bs_id    c = bs_less(g, bs_uniform(g, 1, bs_shape2(5, 3)), bs_const(g, 0.5));
    bs_id    a = bs_example_real(g, ex, bs_shape2(5, 3), -1, 1);
    return bs_where(g, c, a, bs_example_real(g, ex, side, -1, 1));
}

const bs_op bs_op_where = {.name = "where",
                           .in = "rrr",
                           .flags = BS_OP_ELEMENTWISE,
                           .shape = bs_elementwise_shape,
                           .vjp = where_vjp,
                           .scalar = where_scalar,
                           .example = where_example,
                           .examples = 2};

bs_id bs_where(bs_graph *g, bs_id c, bs_id a, bs_id b)
{
    return bs_emit(g, bs_make_node(BS_OP_where, c, a, b, 0));
}

/* neg, scale, offset ---------------------------------------------------------- */

static double neg_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c, (void)value;
    return -a;
}

static void neg_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)n, (void)y;
    dx[0] = bs_neg(g, dy);
}

UNARY_ROW(neg, BS_RANGE(-1, 1), 0);

bs_id bs_neg(bs_graph *g, bs_id a)
{
    const bs_node *n = bs_graph_node(g, a);
    if (n->op == BS_OP_neg)
        return n->src[0];
    if (n->op == BS_OP_fill)
        return bs_fill(g, -n->value[0], n->shape);
    return bs_unary(g, BS_OP_neg, a);
}

static double scale_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c;
    return a * (double)(real)value[0];
}

static void scale_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[0] = bs_scale(g, dy, n->value[0]);
}

static bs_id scale_example(bs_graph *g, bs_example *ex, int variant)
{
    return bs_scale(g, bs_example_real(g, ex, bs_shape2(5, 3), -1, 1), 1.5 + variant);
}

const bs_op bs_op_scale = {.name = "scale",
                           .in = "r",
                           .flags = BS_OP_ELEMENTWISE,
                           .shape = bs_elementwise_shape,
                           .vjp = scale_vjp,
                           .scalar = scale_scalar,
                           .example = scale_example,
                           .examples = 1};

bs_id bs_scale(bs_graph *g, bs_id a, double factor)
{
    const bs_node *n = bs_graph_node(g, a);
    if (factor == 1)
        return a;
    if (factor == -1)
        return bs_neg(g, a);
    if (n->op == BS_OP_scale)
        return bs_scale(g, n->src[0], factor * n->value[0]);
    if (n->op == BS_OP_fill)
        return bs_fill(g, n->value[0] * factor, n->shape);
    return bs_unary_valued(g, BS_OP_scale, a, factor, 0);
}

static double offset_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c;
    return a + (double)(real)value[0];
}

static void offset_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)g, (void)n, (void)y;
    dx[0] = dy;
}

static bs_id offset_example(bs_graph *g, bs_example *ex, int variant)
{
    return bs_offset(g, bs_example_real(g, ex, bs_shape2(5, 3), -1, 1), 1.5 + variant);
}

const bs_op bs_op_offset = {.name = "offset",
                            .in = "r",
                            .flags = BS_OP_ELEMENTWISE,
                            .shape = bs_elementwise_shape,
                            .vjp = offset_vjp,
                            .scalar = offset_scalar,
                            .example = offset_example,
                            .examples = 1};

bs_id bs_offset(bs_graph *g, bs_id a, double term)
{
    return term == 0 ? a : bs_unary_valued(g, BS_OP_offset, a, term, 0);
}

/* abs, sign, sqrt, clamp --------------------------------------------------------- */

static double abs_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c, (void)value;
    return fabs(a);
}

static void abs_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[0] = bs_mul(g, dy, bs_sign(g, n->src[0]));
}

UNARY_ROW(abs, BS_SPLIT(0.1, 1), 0);

bs_id bs_abs(bs_graph *g, bs_id a)
{
    return bs_unary(g, BS_OP_abs, a);
}

static double sign_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c, (void)value;
    return a > 0 ? 1 : a < 0 ? -1 : 0;
}

#define sign_vjp NULL
UNARY_ROW(sign, BS_SPLIT(0.1, 1), BS_OP_CONSTANT);

bs_id bs_sign(bs_graph *g, bs_id a)
{
    return bs_unary(g, BS_OP_sign, a);
}

static double sqrt_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c, (void)value;
    return sqrt(a);
}

static void sqrt_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)n;
    dx[0] = bs_scale(g, bs_div(g, dy, y), 0.5);
}

UNARY_ROW(sqrt, BS_RANGE(0.5, 2), 0);

bs_id bs_sqrt(bs_graph *g, bs_id a)
{
    return bs_unary(g, BS_OP_sqrt, a);
}

static double clamp_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c;
    double lo = (double)(real)value[0], hi = (double)(real)value[1];
    return a < lo ? lo : a > hi ? hi : a;
}

static void clamp_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id above = bs_less(g, bs_const(g, n->value[0]), n->src[0]);
    bs_id below = bs_less(g, n->src[0], bs_const(g, n->value[1]));
    (void)y;
    dx[0] = bs_mul(g, dy, bs_mul(g, above, below));
}

static bs_id clamp_example(bs_graph *g, bs_example *ex, int variant)
{
    /* all inside or all outside: there is no derivative at the kinks */
    double lo = variant ? 2 : -2;
    return bs_clamp(g, bs_example_real(g, ex, bs_shape2(5, 3), -1, 1), lo, lo + 4);
}

const bs_op bs_op_clamp = {.name = "clamp",
                           .in = "r",
                           .flags = BS_OP_ELEMENTWISE,
                           .shape = bs_elementwise_shape,
                           .vjp = clamp_vjp,
                           .scalar = clamp_scalar,
                           .example = clamp_example,
                           .examples = 2};

bs_id bs_clamp(bs_graph *g, bs_id a, double lo, double hi)
{
    return bs_unary_valued(g, BS_OP_clamp, a, lo, hi);
}

/* expand: a copy whose operand is broadcast ------------------------------------------ */

static const char *expand_shape(const bs_graph *g, bs_node *n)
{
    bs_shape from = bs_shape_of(g, n->src[0]), to = n->shape, joint;
    n->type = BS_T_REAL;
    if (!bs_broadcast(from, to, &joint) || !bs_shape_equal(joint, to))
        return "cannot be expanded to the shape asked for";
    return NULL;
}

static double expand_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c, (void)value;
    return a;
}

static void expand_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)g, (void)n, (void)y;
    dx[0] = dy; /* grad sums it to the operand's shape */
}

static bs_id expand_example(bs_graph *g, bs_example *ex, int variant)
{
    static const bs_shape from[] = {{{1, 1, 1, 3}}, {{1, 1, 5, 1}}, {{1, 1, 1, 1}}, {{1, 2, 1, 3}}};
    bs_shape              to = variant == 3 ? bs_shape3(2, 5, 3) : bs_shape2(5, 3);
    return bs_expand(g, bs_example_real(g, ex, from[variant], -1, 1), to);
}

const bs_op bs_op_expand = {.name = "expand",
                            .in = "r",
                            .flags = BS_OP_ELEMENTWISE,
                            .shape = expand_shape,
                            .vjp = expand_vjp,
                            .scalar = expand_scalar,
                            .example = expand_example,
                            .examples = 4};

bs_id bs_expand(bs_graph *g, bs_id a, bs_shape s)
{
    const bs_node *from = bs_graph_node(g, a);
    if (bs_shape_equal(from->shape, s))
        return a;
    if (from->op == BS_OP_fill)
        return bs_fill(g, from->value[0], s);
    bs_node n = bs_make_node(BS_OP_expand, a, 0, 0, 0);
    n.shape = s;
    return bs_emit(g, n);
}

/* ---- composites ---- */

bs_id bs_square(bs_graph *g, bs_id a)
{
    return bs_mul(g, a, a);
}

bs_id bs_log_safe(bs_graph *g, bs_id a, double tiny)
{
    return bs_log(g, bs_maximum(g, a, bs_const(g, tiny)));
}

bs_id bs_div_safe(bs_graph *g, bs_id a, bs_id b, double tiny)
{
    return bs_div(g, a, bs_maximum(g, b, bs_const(g, tiny)));
}

bs_id bs_sqrt_safe(bs_graph *g, bs_id a, double tiny)
{
    return bs_sqrt(g, bs_maximum(g, a, bs_const(g, tiny)));
}
