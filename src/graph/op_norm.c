/* op_norm.c -- batch normalisation and the ReLU after it.
 *
 * Built from elementary nodes it would pass over the channels a dozen times, as much work as the
 * convolutions in between. Instead it is three ops: two read a batch, two write one.
 *
 *   moments      m = mean and variance of each channel of x over rows and pixels
 *   scaled_relu  y = max(0, x s0 + s1), s0 and s1 of each channel
 *   scaled_sums  the sums of d x and of d, where d = dy [y > 0]: the adjoints of s0 and s1
 *
 * x is [rows, channels, height, width]; moments, s and sums are [2, channels, 1, 1]. The rest of
 * the derivatives is elementwise. */
#include "graph/op.h"

static bs_shape pairs(bs_shape x)
{
    return bs_shape4(2, x.d[1], 1, 1);
}

static bs_id half(bs_graph *g, bs_id pair, int which)
{
    return bs_slice(g, pair, -4, which, 1);
}

static bs_id positive(bs_graph *g, bs_id y)
{
    return bs_less(g, bs_const(g, 0), y);
}

/* Element i of channel c in x. */
static int64_t place(bs_shape s, int c, int64_t i)
{
    const int64_t plane = (int64_t)s.d[2] * s.d[3];
    return (i / plane * s.d[1] + c) * plane + i % plane;
}

static int64_t in_channel(bs_shape s)
{
    return bs_shape_count(s) / s.d[1];
}

/* moments ------------------------------------------------------------------------- */

static const char *moments_shape(const bs_graph *g, bs_node *n)
{
    n->type = BS_T_REAL;
    n->shape = pairs(bs_shape_of(g, n->src[0]));
    return NULL;
}

/* dmean / n + 2 (x - mean) dvariance / n */
static void moments_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id        x = n->src[0];
    const double count = (double)in_channel(bs_shape_of(g, x));
    bs_id        by_variance = bs_scale(g, half(g, dy, 1), 2 / count);
    bs_id        centred = bs_sub(g, x, half(g, y, 0));
    dx[0] = bs_add(g, bs_mul(g, centred, by_variance), bs_scale(g, half(g, dy, 0), 1 / count));
}

static void moments_eval(const bs_args *a)
{
    const bs_shape s = a->in_shape[0];
    const int64_t  n = in_channel(s);
    const real    *x = a->in[0];
    real          *out = a->out;
    for (int c = 0; c < s.d[1]; c++) {
        double mean = 0, square = 0;
        for (int64_t i = 0; i < n; i++)
            mean += (double)x[place(s, c, i)] / (double)n;
        for (int64_t i = 0; i < n; i++) {
            double d = (double)x[place(s, c, i)] - mean;
            square += d * d;
        }
        out[c] = (real)mean;
        out[s.d[1] + c] = (real)(square / (double)n);
    }
}

/* planes of one pixel, of less than a vector and of several */
static bs_shape example_shape(int variant)
{
    static const int side[] = {1, 3, 7};
    return bs_shape4(3, 2 + variant, side[variant], side[variant] + 1);
}

static bs_id moments_example(bs_graph *g, bs_example *ex, int variant)
{
    return bs_moments(g, bs_example_real(g, ex, example_shape(variant), -1, 2));
}

const bs_op bs_op_moments = {.name = "moments",
                             .in = "r",
                             .shape = moments_shape,
                             .vjp = moments_vjp,
                             .eval = moments_eval,
                             .example = moments_example,
                             .examples = 3};

bs_id bs_moments(bs_graph *g, bs_id x)
{
    return bs_emit(g, bs_make_node(BS_OP_moments, x, 0, 0, 0));
}

/* scaled_relu --------------------------------------------------------------------- */

static const char *scaled_relu_shape(const bs_graph *g, bs_node *n)
{
    n->type = BS_T_REAL;
    n->shape = bs_shape_of(g, n->src[0]);
    if (!bs_shape_equal(bs_shape_of(g, n->src[1]), pairs(n->shape)))
        return "a factor and a term of each channel are needed";
    return NULL;
}

static void scaled_relu_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id x = n->src[0], s = n->src[1];
    dx[0] = bs_mul(g, bs_mul(g, dy, positive(g, y)), half(g, s, 0));
    dx[1] = bs_emit(g, bs_make_node(BS_OP_scaled_sums, dy, y, x, 0));
}

static void scaled_relu_eval(const bs_args *a)
{
    const bs_shape x = a->in_shape[0];
    const real    *s = a->in[1], *in = a->in[0];
    real          *out = a->out;
    for (int c = 0; c < x.d[1]; c++)
        for (int64_t i = 0; i < in_channel(x); i++) {
            real v = in[place(x, c, i)] * s[c] + s[x.d[1] + c];
            out[place(x, c, i)] = v <= 0 ? 0 : v;
        }
}

/* Far enough from the kink. */
static bs_id example_scale(bs_graph *g, bs_example *ex, bs_shape x)
{
    bs_shape one = bs_shape4(1, x.d[1], 1, 1);
    return bs_concat(g, bs_example_real(g, ex, one, 0.5, 1), bs_example_real(g, ex, one, 0.1, 0.2),
                     -4);
}

/* Both signs, with a gap around 0. */
static bs_id split_example(bs_graph *g, bs_example *ex, bs_shape s)
{
    bs_id below = bs_example_real(g, ex, bs_shape4(1, s.d[1], s.d[2], s.d[3]), -2, -1);
    s.d[0]--;
    return bs_concat(g, below, bs_example_real(g, ex, s, 0.2, 1), -4);
}

static bs_id scaled_relu_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_shape s = example_shape(variant);
    bs_id    x = split_example(g, ex, s);
    return bs_scaled_relu(g, x, example_scale(g, ex, s));
}

const bs_op bs_op_scaled_relu = {.name = "scaled_relu",
                                 .in = "rr",
                                 .shape = scaled_relu_shape,
                                 .vjp = scaled_relu_vjp,
                                 .eval = scaled_relu_eval,
                                 .example = scaled_relu_example,
                                 .examples = 3};

bs_id bs_scaled_relu(bs_graph *g, bs_id x, bs_id s)
{
    return bs_emit(g, bs_make_node(BS_OP_scaled_relu, x, s, 0, 0));
}

/* scaled_sums --------------------------------------------------------------------- */

static const char *scaled_sums_shape(const bs_graph *g, bs_node *n)
{
    bs_shape x = bs_shape_of(g, n->src[0]);
    n->type = BS_T_REAL;
    n->shape = pairs(x);
    if (!bs_shape_equal(bs_shape_of(g, n->src[1]), x) ||
        !bs_shape_equal(bs_shape_of(g, n->src[2]), x))
        return "operands differ in shape";
    return NULL;
}

static void scaled_sums_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id d = n->src[0], on = positive(g, n->src[1]), x = n->src[2];
    (void)y;
    dx[0] = bs_mul(g, on, bs_add(g, bs_mul(g, x, half(g, dy, 0)), half(g, dy, 1)));
    dx[2] = bs_mul(g, bs_mul(g, on, d), half(g, dy, 0));
}

static void scaled_sums_eval(const bs_args *a)
{
    const bs_shape s = a->in_shape[0];
    const real    *d = a->in[0], *y = a->in[1], *x = a->in[2];
    real          *out = a->out;
    for (int c = 0; c < s.d[1]; c++) {
        double by_x = 0, all = 0;
        for (int64_t i = 0; i < in_channel(s); i++) {
            int64_t at = place(s, c, i);
            by_x += y[at] > 0 ? (double)d[at] * (double)x[at] : 0;
            all += y[at] > 0 ? (double)d[at] : 0;
        }
        out[c] = (real)by_x;
        out[s.d[1] + c] = (real)all;
    }
}

static bs_id scaled_sums_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_shape s = example_shape(variant);
    bs_id    d = bs_example_real(g, ex, s, -1, 1), y = bs_stop(g, split_example(g, ex, s));
    return bs_emit(g, bs_make_node(BS_OP_scaled_sums, d, y, bs_example_real(g, ex, s, -1, 1), 0));
}

const bs_op bs_op_scaled_sums = {.name = "scaled_sums",
                                 .in = "rrr",
                                 .shape = scaled_sums_shape,
                                 .vjp = scaled_sums_vjp,
                                 .eval = scaled_sums_eval,
                                 .example = scaled_sums_example,
                                 .examples = 3};
