/* op_conv.c -- two-dimensional convolution as a closed triple, and pooling.
 *
 * y[b,o,i,j] = sum_{c,k,l} x[b, c, i s + k - p, j s + l - p] w[o,c,k,l] is bilinear in
 * x and w. conv, conv_dx and conv_dw are the three ways to contract x, w and y;
 * the derivatives of each are the other two. A transposed convolution is conv_dx.
 *
 * attr = stride, pad, then the two sizes that the operands do not determine:
 * height and width of x (conv_dx) or of the kernel (conv_dw). */
#include <string.h>

#include "graph/op.h"

/* Sizes of one convolution, for all three ops. */
typedef struct {
    int B, C, H, W, O, KH, KW, I, J, stride, pad;
} geometry;

static geometry geometry_of(bs_shape x, bs_shape w, bs_shape y, const int32_t *attr)
{
    return (geometry){x.d[0], x.d[1], x.d[2], x.d[3],  w.d[0], w.d[2],
                      w.d[3], y.d[2], y.d[3], attr[0], attr[1]};
}

typedef struct {
    const real *x, *w, *y;
    real       *dx, *dw, *dy;
} buffers;

/* Visits every product x * w that contributes to an output; exactly one of dy, dx, dw is
 * written. */
static void contract(geometry c, buffers t)
{
    for (int b = 0; b < c.B; b++)
        for (int o = 0; o < c.O; o++)
            for (int i = 0; i < c.I; i++)
                for (int j = 0; j < c.J; j++)
                    for (int ch = 0; ch < c.C; ch++)
                        for (int k = 0; k < c.KH; k++)
                            for (int l = 0; l < c.KW; l++) {
                                int r = i * c.stride + k - c.pad, s = j * c.stride + l - c.pad;
                                if (r < 0 || r >= c.H || s < 0 || s >= c.W)
                                    continue;
                                int64_t ix = (((int64_t)b * c.C + ch) * c.H + r) * c.W + s;
                                int64_t iw = (((int64_t)o * c.C + ch) * c.KH + k) * c.KW + l;
                                int64_t iy = (((int64_t)b * c.O + o) * c.I + i) * c.J + j;
                                if (t.dy)
                                    t.dy[iy] += t.x[ix] * t.w[iw];
                                else if (t.dx)
                                    t.dx[ix] += t.y[iy] * t.w[iw];
                                else
                                    t.dw[iw] += t.x[ix] * t.y[iy];
                            }
}

static void clear(const bs_args *a)
{
    if (!a->accumulate)
        memset(a->out, 0, bs_value_bytes(BS_T_REAL, a->node->shape));
}

static const char *check_geometry(bs_shape x, bs_shape w, bs_shape y, const int32_t *attr)
{
    int stride = attr[0], pad = attr[1];
    if (stride < 1 || pad < 0)
        return "the stride must be positive, the padding not negative";
    if (x.d[0] != y.d[0] || x.d[1] != w.d[1] || w.d[0] != y.d[1])
        return "batch or channels do not agree";
    for (int i = 2; i < 4; i++)
        if (x.d[i] + 2 * pad < w.d[i] || (x.d[i] + 2 * pad - w.d[i]) / stride + 1 != y.d[i])
            return "image, kernel, stride and padding do not agree";
    return NULL;
}

/* conv ------------------------------------------------------------------------- */

static const char *conv_shape(const bs_graph *g, bs_node *n)
{
    bs_shape x = bs_shape_of(g, n->src[0]), w = bs_shape_of(g, n->src[1]);
    if (n->attr[0] < 1)
        return "the stride must be positive";
    n->type = BS_T_REAL;
    n->shape = bs_shape4(x.d[0], w.d[0], (x.d[2] + 2 * n->attr[1] - w.d[2]) / n->attr[0] + 1,
                         (x.d[3] + 2 * n->attr[1] - w.d[3]) / n->attr[0] + 1);
    return check_geometry(x, w, n->shape, n->attr);
}

static void conv_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id x = n->src[0], w = n->src[1];
    (void)y;
    dx[0] = bs_conv_dx(g, dy, w, n->attr[0], n->attr[1], bs_shape_of(g, x));
    dx[1] = bs_conv_dw(g, x, dy, n->attr[0], n->attr[1], bs_shape_of(g, w));
}

static void conv_eval(const bs_args *a)
{
    clear(a);
    contract(geometry_of(a->in_shape[0], a->in_shape[1], a->node->shape, a->node->attr),
             (buffers){.x = a->in[0], .w = a->in[1], .dy = a->out});
}

/* kernel 3x2 and 4x4; stride 1 and 2; with and without padding */
static const struct {
    int height, width, kh, kw, stride, pad;
} cases[] = {{5, 6, 3, 2, 1, 0},
             {5, 6, 3, 3, 1, 1},
             {6, 5, 3, 3, 2, 1},
             {5, 5, 1, 1, 1, 0},
             {8, 7, 5, 5, 2, 2}};

enum { CASES = sizeof cases / sizeof cases[0] };

static bs_shape case_x(int v)
{
    return bs_shape4(2, 3, cases[v].height, cases[v].width);
}

static bs_shape case_w(int v)
{
    return bs_shape4(4, 3, cases[v].kh, cases[v].kw);
}

static bs_shape case_y(int v)
{
    return bs_shape4(2, 4, (cases[v].height + 2 * cases[v].pad - cases[v].kh) / cases[v].stride + 1,
                     (cases[v].width + 2 * cases[v].pad - cases[v].kw) / cases[v].stride + 1);
}

static bs_id conv_example(bs_graph *g, bs_example *ex, int v)
{
    bs_id x = bs_example_real(g, ex, case_x(v), -1, 1);
    return bs_conv(g, x, bs_example_real(g, ex, case_w(v), -1, 1), cases[v].stride, cases[v].pad);
}

const bs_op bs_op_conv = {.name = "conv",
                          .in = "rr",
                          .flags = BS_OP_CAN_ADD,
                          .shape = conv_shape,
                          .vjp = conv_vjp,
                          .eval = conv_eval,
                          .example = conv_example,
                          .examples = CASES};

static bs_id emit_conv(bs_graph *g, bs_op_id op, bs_id a, bs_id b, int stride, int pad, int h,
                       int w)
{
    bs_node n = bs_make_node(op, a, b, 0, 0);
    n.attr[0] = stride;
    n.attr[1] = pad;
    n.attr[2] = h;
    n.attr[3] = w;
    return bs_emit(g, n);
}

bs_id bs_conv(bs_graph *g, bs_id x, bs_id w, int stride, int pad)
{
    return emit_conv(g, BS_OP_conv, x, w, stride, pad, 0, 0);
}

/* conv_dx ------------------------------------------------------------------------- */

static const char *conv_dx_shape(const bs_graph *g, bs_node *n)
{
    bs_shape dy = bs_shape_of(g, n->src[0]), w = bs_shape_of(g, n->src[1]);
    n->type = BS_T_REAL;
    n->shape = bs_shape4(dy.d[0], w.d[1], n->attr[2], n->attr[3]);
    return check_geometry(n->shape, w, dy, n->attr);
}

static void conv_dx_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id out = n->src[0], w = n->src[1];
    (void)y;
    dx[0] = bs_conv(g, dy, w, n->attr[0], n->attr[1]);
    dx[1] = bs_conv_dw(g, dy, out, n->attr[0], n->attr[1], bs_shape_of(g, w));
}

static void conv_dx_eval(const bs_args *a)
{
    clear(a);
    contract(geometry_of(a->node->shape, a->in_shape[1], a->in_shape[0], a->node->attr),
             (buffers){.y = a->in[0], .w = a->in[1], .dx = a->out});
}

static bs_id conv_dx_example(bs_graph *g, bs_example *ex, int v)
{
    bs_id dy = bs_example_real(g, ex, case_y(v), -1, 1);
    bs_id w = bs_example_real(g, ex, case_w(v), -1, 1);
    return bs_conv_dx(g, dy, w, cases[v].stride, cases[v].pad, case_x(v));
}

const bs_op bs_op_conv_dx = {.name = "conv_dx",
                             .in = "rr",
                             .flags = BS_OP_CAN_ADD,
                             .shape = conv_dx_shape,
                             .vjp = conv_dx_vjp,
                             .eval = conv_dx_eval,
                             .example = conv_dx_example,
                             .examples = CASES};

bs_id bs_conv_dx(bs_graph *g, bs_id dy, bs_id w, int stride, int pad, bs_shape x)
{
    return emit_conv(g, BS_OP_conv_dx, dy, w, stride, pad, x.d[2], x.d[3]);
}

bs_id bs_conv_transposed(bs_graph *g, bs_id x, bs_id w, int stride, int pad)
{
    bs_shape s = bs_shape_of(g, x), k = bs_shape_of(g, w);
    s.d[2] = (s.d[2] - 1) * stride - 2 * pad + k.d[2];
    s.d[3] = (s.d[3] - 1) * stride - 2 * pad + k.d[3];
    return bs_conv_dx(g, x, w, stride, pad, s);
}

/* conv_dw -------------------------------------------------------------------------- */

static const char *conv_dw_shape(const bs_graph *g, bs_node *n)
{
    bs_shape x = bs_shape_of(g, n->src[0]), dy = bs_shape_of(g, n->src[1]);
    n->type = BS_T_REAL;
    n->shape = bs_shape4(dy.d[1], x.d[1], n->attr[2], n->attr[3]);
    return check_geometry(x, n->shape, dy, n->attr);
}

static void conv_dw_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_id x = n->src[0], out = n->src[1];
    (void)y;
    dx[0] = bs_conv_dx(g, out, dy, n->attr[0], n->attr[1], bs_shape_of(g, x));
    dx[1] = bs_conv(g, x, dy, n->attr[0], n->attr[1]);
}

static void conv_dw_eval(const bs_args *a)
{
    clear(a);
    contract(geometry_of(a->in_shape[0], a->node->shape, a->in_shape[1], a->node->attr),
             (buffers){.x = a->in[0], .y = a->in[1], .dw = a->out});
}

static bs_id conv_dw_example(bs_graph *g, bs_example *ex, int v)
{
    bs_id x = bs_example_real(g, ex, case_x(v), -1, 1);
    bs_id dy = bs_example_real(g, ex, case_y(v), -1, 1);
    return bs_conv_dw(g, x, dy, cases[v].stride, cases[v].pad, case_w(v));
}

const bs_op bs_op_conv_dw = {.name = "conv_dw",
                             .in = "rr",
                             .flags = BS_OP_CAN_ADD,
                             .shape = conv_dw_shape,
                             .vjp = conv_dw_vjp,
                             .eval = conv_dw_eval,
                             .example = conv_dw_example,
                             .examples = CASES};

bs_id bs_conv_dw(bs_graph *g, bs_id x, bs_id dy, int stride, int pad, bs_shape w)
{
    return emit_conv(g, BS_OP_conv_dw, x, dy, stride, pad, w.d[2], w.d[3]);
}

/* pool_index: which pixel of its window is largest; attr = size, stride. The result is
 * [B, C, windows], numbering the pixels of the plane, so that take() picks the value. */

static const char *pool_index_shape(const bs_graph *g, bs_node *n)
{
    bs_shape x = bs_shape_of(g, n->src[0]);
    int      size = n->attr[0], stride = n->attr[1];
    n->type = BS_T_INT;
    if (size < 1 || stride < 1 || size > x.d[2] || size > x.d[3])
        return "the window does not fit the image";
    int rows = (x.d[2] - size) / stride + 1, cols = (x.d[3] - size) / stride + 1;
    n->shape = bs_shape3(x.d[0], x.d[1], rows * cols);
    return NULL;
}

static void pool_index_eval(const bs_args *a)
{
    const int   H = a->in_shape[0].d[2], W = a->in_shape[0].d[3];
    const int   size = a->node->attr[0], stride = a->node->attr[1];
    const real *plane = a->in[0];
    int32_t    *out = a->out;
    for (int p = 0; p < a->in_shape[0].d[0] * a->in_shape[0].d[1]; p++, plane += H * W)
        for (int i = 0; i + size <= H; i += stride)
            for (int j = 0; j + size <= W; j += stride) {
                int32_t best = i * W + j;
                for (int k = 0; k < size; k++)
                    for (int l = 0; l < size; l++)
                        if (plane[(i + k) * W + j + l] > plane[best])
                            best = (i + k) * W + j + l;
                *out++ = best;
            }
}

static bs_id pool_index_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_node n = bs_make_node(BS_OP_pool_index, bs_example_real(g, ex, bs_shape4(2, 3, 6, 7), -1, 1),
                             0, 0, 0);
    n.attr[0] = 2 + variant;
    n.attr[1] = 2;
    return bs_emit(g, n);
}

const bs_op bs_op_pool_index = {.name = "pool_index",
                                .in = "r",
                                .flags = BS_OP_CONSTANT,
                                .shape = pool_index_shape,
                                .eval = pool_index_eval,
                                .example = pool_index_example,
                                .examples = 2};

bs_id bs_max_pool(bs_graph *g, bs_id x, int size, int stride)
{
    bs_shape s = bs_shape_of(g, x);
    bs_node  n = bs_make_node(BS_OP_pool_index, x, 0, 0, 0);
    n.attr[0] = size;
    n.attr[1] = stride;
    bs_id index = bs_emit(g, n);
    if (!index)
        return 0;
    bs_id planes = bs_reshape(g, x, bs_shape3(s.d[0], s.d[1], s.d[2] * s.d[3]));
    return bs_reshape(
        g, bs_take(g, planes, index, -1),
        bs_shape4(s.d[0], s.d[1], (s.d[2] - size) / stride + 1, (s.d[3] - size) / stride + 1));
}
