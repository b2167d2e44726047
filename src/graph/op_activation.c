/* op_activation.c -- exponentials and the functions networks are made of.
 *
 * Stability is semantics here, not optimisation: softplus and sigmoid are ops because log(1 +
 * exp(x)) overflows. Every derivative is written with elementwise ops, so all of these can be
 * differentiated as often as needed. */
#include <math.h>

#include "graph/op_elementwise.h"

/* exp, log, log1p ---------------------------------------------------------- */

static double exp_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c, (void)value;
    return exp(a);
}

static void exp_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)n;
    dx[0] = bs_mul(g, dy, y);
}

UNARY_ROW(exp, BS_RANGE(-2, 2), 0);

bs_id bs_exp(bs_graph *g, bs_id a)
{
    return bs_unary(g, BS_OP_exp, a);
}

static double log_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c, (void)value;
    return log(a);
}

static void log_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[0] = bs_div(g, dy, n->src[0]);
}

UNARY_ROW(log, BS_RANGE(0.5, 2), 0);

bs_id bs_log(bs_graph *g, bs_id a)
{
    return bs_unary(g, BS_OP_log, a);
}

static double log1p_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c, (void)value;
    return log1p(a);
}

static void log1p_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[0] = bs_div(g, dy, bs_offset(g, n->src[0], 1));
}

UNARY_ROW(log1p, BS_RANGE(-0.5, 2), 0);

bs_id bs_log1p(bs_graph *g, bs_id a)
{
    return bs_unary(g, BS_OP_log1p, a);
}

/* relu, leaky_relu; NaN stays NaN ----------------------------- */

static double relu_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c, (void)value;
    return a <= 0 ? 0 : a;
}

static void relu_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[0] = bs_mul(g, dy, bs_less(g, bs_const(g, 0), n->src[0]));
}

UNARY_ROW(relu, BS_SPLIT(0.1, 1), 0);

bs_id bs_relu(bs_graph *g, bs_id a)
{
    return bs_unary(g, BS_OP_relu, a);
}

static double leaky_relu_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c;
    return a > 0 ? a : a * (double)(real)value[0];
}

static void leaky_relu_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id positive = bs_less(g, bs_const(g, 0), n->src[0]);
    (void)y;
    dx[0] = bs_where(g, positive, dy, bs_scale(g, dy, n->value[0]));
}

static bs_id leaky_relu_example(bs_graph *g, bs_example *ex, int variant)
{
    return bs_leaky_relu(g, BS_SPLIT(0.1, 1), 0.1);
}

const bs_op bs_op_leaky_relu = {.name = "leaky_relu",
                                .in = "r",
                                .flags = BS_OP_ELEMENTWISE,
                                .shape = bs_elementwise_shape,
                                .vjp = leaky_relu_vjp,
                                .scalar = leaky_relu_scalar,
                                .example = leaky_relu_example,
                                .examples = 2};

bs_id bs_leaky_relu(bs_graph *g, bs_id a, double slope)
{
    return bs_unary_valued(g, BS_OP_leaky_relu, a, slope, 0);
}

/* softplus, sigmoid, tanh, erf -------------------------------------------------- */

static double softplus_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c, (void)value;
    return (a > 0 ? a : 0) + log1p(exp(-fabs(a)));
}

static void softplus_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[0] = bs_mul(g, dy, bs_sigmoid(g, n->src[0]));
}

UNARY_ROW(softplus, BS_RANGE(-4, 4), 0);

bs_id bs_softplus(bs_graph *g, bs_id a)
{
    return bs_unary(g, BS_OP_softplus, a);
}

static double sigmoid_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c, (void)value;
    return a >= 0 ? 1 / (1 + exp(-a)) : exp(a) / (1 + exp(a));
}

static void sigmoid_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)n;
    dx[0] = bs_mul(g, dy, bs_sub(g, y, bs_mul(g, y, y)));
}

UNARY_ROW(sigmoid, BS_RANGE(-4, 4), 0);

bs_id bs_sigmoid(bs_graph *g, bs_id a)
{
    return bs_unary(g, BS_OP_sigmoid, a);
}

static double tanh_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c, (void)value;
    return tanh(a);
}

static void tanh_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)n;
    dx[0] = bs_sub(g, dy, bs_mul(g, dy, bs_mul(g, y, y)));
}

UNARY_ROW(tanh, BS_RANGE(-2, 2), 0);

bs_id bs_tanh(bs_graph *g, bs_id a)
{
    return bs_unary(g, BS_OP_tanh, a);
}

static double erf_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c, (void)value;
    return erf(a);
}

/* erf'(x) = 2 / sqrt(pi) exp(-x^2) */
static void erf_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id bell = bs_exp(g, bs_neg(g, bs_square(g, n->src[0])));
    (void)y;
    dx[0] = bs_mul(g, dy, bs_scale(g, bell, 1.12837916709551257390));
}

UNARY_ROW(erf, BS_RANGE(-2, 2), 0);

bs_id bs_erf(bs_graph *g, bs_id a)
{
    return bs_unary(g, BS_OP_erf, a);
}

/* gelu, and its derivative gelu_slope ------------------------------------------------- */

#define ROOT_HALF     0.70710678118654752440 /* sqrt(1/2) */
#define NORMAL_HEIGHT 0.39894228040143267794 /* 1 / sqrt(2 pi) */

static double gelu_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c, (void)value;
    return a * (0.5 + 0.5 * erf(a * ROOT_HALF));
}

static void gelu_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    (void)y;
    dx[0] = bs_mul(g, dy, bs_unary(g, BS_OP_gelu_slope, n->src[0]));
}

UNARY_ROW(gelu, BS_RANGE(-3, 3), 0);

static double gelu_slope_scalar(double a, double b, double c, const double *value)
{
    (void)b, (void)c, (void)value;
    return 0.5 + 0.5 * erf(a * ROOT_HALF) + a * NORMAL_HEIGHT * exp(-0.5 * a * a);
}

/* (2 - a^2) times the normal density */
static void gelu_slope_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id square = bs_square(g, n->src[0]);
    bs_id density = bs_scale(g, bs_exp(g, bs_scale(g, square, -0.5)), NORMAL_HEIGHT);
    (void)y;
    dx[0] = bs_mul(g, dy, bs_mul(g, density, bs_offset(g, bs_neg(g, square), 2)));
}

UNARY_ROW(gelu_slope, BS_RANGE(-3, 3), 0);

bs_id bs_gelu(bs_graph *g, bs_id a)
{
    return bs_unary(g, BS_OP_gelu, a);
}

/* ---- composites ---- */

bs_id bs_log_sigmoid(bs_graph *g, bs_id a)
{
    return bs_neg(g, bs_softplus(g, bs_neg(g, a)));
}
