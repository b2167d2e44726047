/* op_layer_norm.c -- normalisation of each line along the last axis.
 *
 *   layer_norm       u gain + bias, where u = (x - mean) / sqrt(variance + eps)
 *   layer_norm_back  r (t - mean t - u mean(t u)) for t = gain dy, r = 1 / sqrt(variance + eps):
 *                    the adjoint of x, which is the symmetric matrix J = du/dx times t
 *   layer_norm_sums  the sums over all lines of dy u and of dy, [2, n]: the adjoints of gain and
 *                    bias
 *
 * From elementary nodes it would be a dozen passes over memory. The derivatives are made of these
 * three again, so any order exists. value[0] is eps. */
#include <math.h>

#include "graph/op.h"

typedef struct {
    double mean, r;
} moments;

static moments moments_of(const real *x, int n, double eps)
{
    double mean = 0, square = 0;
    for (int i = 0; i < n; i++)
        mean += (double)x[i] / n;
    for (int i = 0; i < n; i++)
        square += ((double)x[i] - mean) * ((double)x[i] - mean) / n;
    return (moments){mean, 1 / sqrt(square + eps)};
}

static bool is_line(const bs_graph *g, bs_id a, int n)
{
    return bs_shape_equal(bs_shape_of(g, a), bs_shape1(n));
}

static bs_node make(bs_op_id op, bs_id a, bs_id b, bs_id c, double eps)
{
    bs_node n = bs_make_node(op, a, b, c, 0);
    n.value[0] = eps;
    return n;
}

static bs_id back(bs_graph *g, bs_id x, bs_id gain, bs_id dy, double eps)
{
    return bs_emit(g, make(BS_OP_layer_norm_back, x, gain, dy, eps));
}

static bs_id constant_line(bs_graph *g, bs_id like, double value)
{
    return bs_fill(g, value, bs_shape1(bs_shape_of(g, like).d[3]));
}

static bs_id unit(bs_graph *g, bs_id x, double eps)
{
    return bs_layer_norm(g, x, constant_line(g, x, 1), constant_line(g, x, 0), eps);
}

static bs_id half(bs_graph *g, bs_id pair, int which)
{
    return bs_reshape(g, bs_slice(g, pair, -2, which, 1), bs_shape1(bs_shape_of(g, pair).d[3]));
}

/* layer_norm: operands x, gain, bias ----------------------------------------------- */

static const char *layer_norm_shape(const bs_graph *g, bs_node *n)
{
    n->type = BS_T_REAL;
    n->shape = bs_shape_of(g, n->src[0]);
    if (!is_line(g, n->src[1], n->shape.d[3]) || !is_line(g, n->src[2], n->shape.d[3]))
        return "gain and bias are not one line as long as those of x";
    return NULL;
}

static void layer_norm_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id sums = bs_emit(g, make(BS_OP_layer_norm_sums, n->src[0], dy, 0, n->value[0]));
    (void)y;
    dx[0] = back(g, n->src[0], n->src[1], dy, n->value[0]);
    dx[1] = half(g, sums, 0);
    dx[2] = half(g, sums, 1);
}

static void layer_norm_eval(const bs_args *a)
{
    const int   n = a->node->shape.d[3];
    const real *x = a->in[0], *gain = a->in[1], *bias = a->in[2];
    real       *out = a->out;
    for (int64_t at = 0; at < bs_shape_count(a->node->shape); at += n) {
        moments m = moments_of(x + at, n, a->node->value[0]);
        for (int i = 0; i < n; i++)
            out[at + i] =
                (real)(((double)x[at + i] - m.mean) * m.r * (double)gain[i] + (double)bias[i]);
    }
}

/* Lines of less than a vector, of several, and a few more. */
static bs_shape example_shape(int variant)
{
    static const int length[] = {5, 64, 83};
    return bs_shape3(2, variant ? 40 : 3, length[variant]);
}

static bs_id layer_norm_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_shape s = variant ? bs_shape2(3, example_shape(variant).d[3]) : example_shape(variant);
    bs_id    x = bs_example_real(g, ex, s, -1, 2);
    bs_id    gain = bs_example_real(g, ex, bs_shape1(s.d[3]), 0.5, 1.5);
    return bs_layer_norm(g, x, gain, bs_example_real(g, ex, bs_shape1(s.d[3]), -1, 1), 1e-5);
}

const bs_op bs_op_layer_norm = {.name = "layer_norm",
                                .in = "rrr",
                                .shape = layer_norm_shape,
                                .vjp = layer_norm_vjp,
                                .eval = layer_norm_eval,
                                .example = layer_norm_example,
                                .examples = 3};

bs_id bs_layer_norm(bs_graph *g, bs_id x, bs_id gain, bs_id bias, double eps)
{
    return bs_emit(g, make(BS_OP_layer_norm, x, gain, bias, eps));
}

/* layer_norm_back: operands x, gain, dy ---------------------------------------------- */

static const char *layer_norm_back_shape(const bs_graph *g, bs_node *n)
{
    n->type = BS_T_REAL;
    n->shape = bs_shape_of(g, n->src[0]);
    if (!is_line(g, n->src[1], n->shape.d[3]) ||
        !bs_shape_equal(bs_shape_of(g, n->src[2]), n->shape))
        return "x, gain and adjoint do not agree";
    return NULL;
}

/* With the adjoint v: <v, J t> = r n (mean(v t) - mean v mean t - a b), a = mean(v u), b = mean(t
 * u). By t it is J v; by x, since dr/dx = -r^2 u / n and da/dx = J v / n,
 *   -r^2 u (mean(v t) - mean v mean t - a b) - r (b J v + a J t). */
static void layer_norm_back_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id v, bs_id dx[4])
{
    const double eps = n->value[0];
    bs_id        x = n->src[0], u = unit(g, x, eps), t = bs_mul(g, n->src[1], n->src[2]);
    bs_id        jv = back(g, x, constant_line(g, x, 1), v, eps);
    bs_id        centred = bs_sub(g, x, bs_mean_axis(g, x, -1));
    bs_id        variance = bs_mean_axis(g, bs_square(g, centred), -1);
    bs_id        r = bs_div(g, bs_const(g, 1), bs_sqrt(g, bs_offset(g, variance, eps)));
    bs_id        a = bs_mean_axis(g, bs_mul(g, v, u), -1), b = bs_mean_axis(g, bs_mul(g, t, u), -1);
    bs_id        means = bs_mul(g, bs_mean_axis(g, v, -1), bs_mean_axis(g, t, -1));
    bs_id all = bs_sub(g, bs_sub(g, bs_mean_axis(g, bs_mul(g, v, t), -1), means), bs_mul(g, a, b));
    bs_id by_r = bs_mul(g, bs_mul(g, bs_square(g, r), all), u);
    bs_id by_u = bs_mul(g, r, bs_add(g, bs_mul(g, b, jv), bs_mul(g, a, y)));
    dx[0] = bs_neg(g, bs_add(g, by_r, by_u));
    dx[1] = bs_mul(g, n->src[2], jv);
    dx[2] = bs_mul(g, n->src[1], jv);
}

static void layer_norm_back_eval(const bs_args *a)
{
    const int   n = a->node->shape.d[3];
    const real *x = a->in[0], *gain = a->in[1], *dy = a->in[2];
    real       *out = a->out;
    for (int64_t at = 0; at < bs_shape_count(a->node->shape); at += n) {
        moments m = moments_of(x + at, n, a->node->value[0]);
        double  mean = 0, by_u = 0;
        for (int i = 0; i < n; i++) {
            double t = (double)gain[i] * (double)dy[at + i];
            mean += t / n;
            by_u += t * ((double)x[at + i] - m.mean) * m.r / n;
        }
        for (int i = 0; i < n; i++) {
            double t = (double)gain[i] * (double)dy[at + i];
            out[at + i] = (real)(m.r * (t - mean - ((double)x[at + i] - m.mean) * m.r * by_u));
        }
    }
}

static bs_id layer_norm_back_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_shape s = variant ? bs_shape2(3, example_shape(variant).d[3]) : example_shape(variant);
    bs_id    x = bs_example_real(g, ex, s, -1, 2);
    bs_id    gain = bs_example_real(g, ex, bs_shape1(s.d[3]), 0.5, 1.5);
    return back(g, x, gain, bs_example_real(g, ex, s, -1, 1), 1e-5);
}

const bs_op bs_op_layer_norm_back = {.name = "layer_norm_back",
                                     .in = "rrr",
                                     .shape = layer_norm_back_shape,
                                     .vjp = layer_norm_back_vjp,
                                     .eval = layer_norm_back_eval,
                                     .example = layer_norm_back_example,
                                     .examples = 3};

/* layer_norm_sums: operands x, dy ---------------------------------------------------- */

static const char *layer_norm_sums_shape(const bs_graph *g, bs_node *n)
{
    bs_shape x = bs_shape_of(g, n->src[0]);
    n->type = BS_T_REAL;
    n->shape = bs_shape2(2, x.d[3]);
    return bs_shape_equal(bs_shape_of(g, n->src[1]), x) ? NULL : "operands differ in shape";
}

static void layer_norm_sums_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id d, bs_id dx[4])
{
    bs_id by_u = half(g, d, 0);
    (void)y;
    dx[0] = back(g, n->src[0], by_u, n->src[1], n->value[0]);
    dx[1] = bs_layer_norm(g, n->src[0], by_u, half(g, d, 1), n->value[0]);
}

static void layer_norm_sums_eval(const bs_args *a)
{
    const int   n = a->node->shape.d[3];
    const real *x = a->in[0], *dy = a->in[1];
    real       *out = a->out;
    for (int i = 0; i < n; i++) {
        double by_u = 0, all = 0;
        for (int64_t at = 0; at < bs_shape_count(a->in_shape[0]); at += n) {
            moments m = moments_of(x + at, n, a->node->value[0]);
            by_u += (double)dy[at + i] * ((double)x[at + i] - m.mean) * m.r;
            all += (double)dy[at + i];
        }
        out[i] = (real)by_u;
        out[n + i] = (real)all;
    }
}

static bs_id layer_norm_sums_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_shape s = variant == 1 ? bs_shape2(70, 6) : example_shape(0);
    bs_id    x = bs_example_real(g, ex, s, -1, 2), dy = bs_example_real(g, ex, s, -1, 1);
    return bs_emit(g, make(BS_OP_layer_norm_sums, x, dy, 0, 1e-5));
}

const bs_op bs_op_layer_norm_sums = {.name = "layer_norm_sums",
                                     .in = "rr",
                                     .shape = layer_norm_sums_shape,
                                     .vjp = layer_norm_sums_vjp,
                                     .eval = layer_norm_sums_eval,
                                     .example = layer_norm_sums_example,
                                     .examples = 2};
