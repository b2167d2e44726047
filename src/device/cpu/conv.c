/* conv.c -- convolutions of [batch, channels, height, width], and pooling.
 *
 * Most layers go to winograd.c or few.c; this file has what is left: photos of three channels,
 * kernels of one pixel, odd strides. It works by matrix products. A block of output rows of one
 * image needs, for each channel and each place (k, l) of the kernel, the pixels that meet it: a
 * matrix "columns" [channels * KH * KW, pixels]. With w as a matrix [O, channels * KH * KW] the
 * three members of the family are
 *
 *   conv     y       = w columns(x)
 *   conv_dx  columns = w' y, added up into the pixels of x they came from
 *   conv_dw  w       = sum over images of y columns(x)'
 *
 * Columns are made for a few channels at a time, so that they stay in the second-level cache, and
 * the products accumulate. A 1x1 kernel with stride 1 needs none: x is its own matrix. */
#include <string.h>

#include "device/cpu/conv.h"
#include "device/cpu/dense.h"

/* Sizes of one convolution, whichever of the three it is, and how it is cut. */
typedef struct {
    int     B, C, H, W, O, KH, KW, OH, OW, stride, pad;
    int     taps;     /* KH * KW */
    bool    direct;   /* x itself serves as the columns */
    int     rows;     /* output rows in a block; the last one may have fewer */
    int     channels; /* input channels in a block */
    int64_t row_blocks, channel_blocks;
} geometry;

/* Measured on 5x5 kernels: products of at least 256 pixels and 300 values of k run at full speed,
 * and columns beyond half of the cache cost more than they save. */
enum { BLOCK_PIXELS = 512, BLOCK_BYTES = 384 * 1024 };

static int clamp(int64_t value, int lo, int hi)
{
    return value < lo ? lo : value > hi ? hi : (int)value;
}

static geometry geometry_of(bs_shape x, bs_shape w, bs_shape y, const int32_t *attr)
{
    geometry g = {.B = x.d[0],
                  .C = x.d[1],
                  .H = x.d[2],
                  .W = x.d[3],
                  .O = w.d[0],
                  .KH = w.d[2],
                  .KW = w.d[3],
                  .OH = y.d[2],
                  .OW = y.d[3],
                  .stride = attr[0],
                  .pad = attr[1]};
    g.taps = g.KH * g.KW;
    g.direct = g.taps == 1 && g.stride == 1 && g.pad == 0;
    g.rows = g.direct ? g.OH : clamp(BLOCK_PIXELS / g.OW, 1, g.OH);
    g.row_blocks = (g.OH + g.rows - 1) / g.rows;
    int64_t bytes = (int64_t)g.taps * g.rows * g.OW * (int64_t)sizeof(real);
    g.channels = g.direct ? g.C : clamp(BLOCK_BYTES / bytes, 1, g.C);
    g.channel_blocks = (g.C + g.channels - 1) / g.channels;
    return g;
}

static size_t columns_bytes(const geometry *g)
{
    return g->direct ? 0 : (size_t)g->channels * g->taps * g->rows * g->OW * sizeof(real);
}

/* Measured: products at 80 GFLOP/s, 0.3 ns to write or add a column element, 0.05 to read one. */
static void cost_of(const geometry *g, bs_work *w)
{
    double columns = (double)g->B * g->C * g->taps * g->OH * g->OW;
    w->cost = columns * (2.0 * g->O / 80 + (g->direct ? 0.05 : 0.3)) + 1000.0 * (double)w->pieces;
    w->scratch = columns_bytes(g);
}

/* A part of one image: output rows i0 .. i0 + rows, input channels c0 .. c0 + channels. */
typedef struct {
    int i0, rows, c0, channels;
} part;

static part part_of(const geometry *g, int64_t row_block, int64_t channel_block)
{
    part p = {.i0 = (int)row_block * g->rows, .c0 = (int)channel_block * g->channels};
    p.rows = clamp(g->OH - p.i0, 0, g->rows);
    p.channels = clamp(g->C - p.c0, 0, g->channels);
    return p;
}

/* Output columns j whose pixel j stride + l - pad lies inside the image: *from .. *to. */
static void inside(const geometry *g, int l, int *from, int *to)
{
    int first = g->pad - l, last = g->W - 1 + g->pad - l;
    *from = clamp(first <= 0 ? 0 : (first + g->stride - 1) / g->stride, 0, g->OW);
    *to = clamp(last < 0 ? 0 : last / g->stride + 1, *from, g->OW);
}

static void copy_strided(real *out, const real *x, int stride, int n)
{
    if (stride == 1) {
        memcpy(out, x, (size_t)n * sizeof *out);
    } else if (stride == 2) {
        for (int j = 0; j < n; j++)
            out[j] = x[2 * j];
    } else {
        for (int j = 0; j < n; j++)
            out[j] = x[j * stride];
    }
}

static void add_strided(real *x, const real *in, int stride, int n)
{
    if (stride == 1) {
#pragma omp simd
        for (int j = 0; j < n; j++)
            x[j] += in[j];
    } else {
        for (int j = 0; j < n; j++)
            x[j * stride] += in[j];
    }
}

/* x is one image. columns [channels * taps, rows * J]. */
static void make_columns(const geometry *g, part p, const real *x, real *columns)
{
    for (int c = 0; c < p.channels; c++) {
        const real *plane = x + (int64_t)(p.c0 + c) * g->H * g->W;
        for (int t = 0; t < g->taps; t++) {
            int k = t / g->KW, l = t % g->KW, from, to;
            inside(g, l, &from, &to);
            for (int i = p.i0; i < p.i0 + p.rows; i++, columns += g->OW) {
                int r = i * g->stride + k - g->pad;
                if (r < 0 || r >= g->H || from == to) {
                    memset(columns, 0, (size_t)g->OW * sizeof *columns);
                    continue;
                }
                for (int j = 0; j < from; j++)
                    columns[j] = 0;
                copy_strided(columns + from, plane + r * g->W + from * g->stride + l - g->pad,
                             g->stride, to - from);
                for (int j = to; j < g->OW; j++)
                    columns[j] = 0;
            }
        }
    }
}

/* The adjoint: adds each column element to its pixel. */
static void add_columns(const geometry *g, part p, const real *columns, real *x)
{
    for (int c = 0; c < p.channels; c++) {
        real *plane = x + (int64_t)(p.c0 + c) * g->H * g->W;
        for (int t = 0; t < g->taps; t++) {
            int k = t / g->KW, l = t % g->KW, from, to;
            inside(g, l, &from, &to);
            for (int i = p.i0; i < p.i0 + p.rows; i++, columns += g->OW) {
                int r = i * g->stride + k - g->pad;
                if (r >= 0 && r < g->H && from < to)
                    add_strided(plane + r * g->W + from * g->stride + l - g->pad, columns + from,
                                g->stride, to - from);
            }
        }
    }
}

/* ---- which way ---- */

extern const bs_vec_conv bs_vec_conv_plain;
#ifndef BS_ONLY_PLAIN
extern const bs_vec_conv bs_vec_conv_avx2, bs_vec_conv_avx512;
#endif

const bs_vec_conv *bs_vec_conv_of(const bs_vec *vec)
{
#ifndef BS_ONLY_PLAIN
    if (strcmp(vec->isa, "avx512") == 0)
        return &bs_vec_conv_avx512;
    if (strcmp(vec->isa, "avx2") == 0)
        return &bs_vec_conv_avx2;
#else
    (void)vec;
#endif
    return &bs_vec_conv_plain;
}

static bool measure_better(const bs_call *c, bs_conv_kind kind, bs_work *w)
{
    return bs_winograd_measure(c, kind, w) || bs_examples_measure(c, kind, w);
}

static bool run_better(const bs_call *c, bs_conv_kind kind, int64_t begin, int64_t end,
                       void *scratch)
{
    return bs_winograd_run(c, kind, begin, end, scratch) ||
           bs_examples_run(c, kind, begin, end, scratch);
}

/* conv: a piece is a block of output rows of one image ----------------------------- */

static geometry conv_geometry(const bs_args *a)
{
    return geometry_of(a->in_shape[0], a->in_shape[1], a->node->shape, a->node->attr);
}

static void conv_measure(const bs_call *c, bs_work *w)
{
    if (measure_better(c, BS_CONV_Y, w))
        return;
    geometry g = conv_geometry(&c->args);
    w->pieces = g.B * g.row_blocks;
    cost_of(&g, w);
}

static void conv_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_args *a = &c->args;
    const geometry g = conv_geometry(a);
    const int64_t  K = (int64_t)g.C * g.taps, pixels = (int64_t)g.OH * g.OW;
    const real    *w = a->in[1];
    if (run_better(c, BS_CONV_Y, begin, end, scratch))
        return;
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t     b = piece / g.row_blocks;
        const real *x = (const real *)a->in[0] + b * g.C * g.H * g.W;
        for (int64_t block = 0; block < g.channel_blocks; block++) {
            part p = part_of(&g, piece % g.row_blocks, block);
            int  n = p.rows * g.OW;
            if (!g.direct)
                make_columns(&g, p, x, scratch);
            bs_gemm(false, false, g.O, n, p.channels * g.taps, w + (int64_t)p.c0 * g.taps, K,
                    g.direct ? x : scratch, n, a->accumulate || block > 0,
                    (real *)a->out + b * g.O * pixels + (int64_t)p.i0 * g.OW, pixels);
        }
    }
}

const bs_kernel bs_kernel_conv = {.measure = conv_measure, .run = conv_run};

/* conv_dx: a piece is a block of channels of one image ------------------------------- */

static geometry conv_dx_geometry(const bs_args *a)
{
    return geometry_of(a->node->shape, a->in_shape[1], a->in_shape[0], a->node->attr);
}

static void conv_dx_measure(const bs_call *c, bs_work *w)
{
    if (measure_better(c, BS_CONV_DX, w))
        return;
    geometry g = conv_dx_geometry(&c->args);
    w->pieces = g.B * g.channel_blocks;
    cost_of(&g, w);
}

static void conv_dx_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_args *a = &c->args;
    const geometry g = conv_dx_geometry(a);
    const int64_t  K = (int64_t)g.C * g.taps, pixels = (int64_t)g.OH * g.OW;
    const int64_t  plane = (int64_t)g.H * g.W;
    if (run_better(c, BS_CONV_DX, begin, end, scratch))
        return;
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t     b = piece / g.channel_blocks, block = piece % g.channel_blocks;
        part        all = part_of(&g, 0, block);
        const real *w = (const real *)a->in[1] + (int64_t)all.c0 * g.taps;
        const real *dy = (const real *)a->in[0] + b * g.O * pixels;
        real       *dx = (real *)a->out + b * g.C * plane;
        if (g.direct) {
            bs_gemm(true, false, g.C, (int)pixels, g.O, w, K, dy, pixels, a->accumulate, dx,
                    pixels);
            continue;
        }
        if (!a->accumulate)
            memset(dx + all.c0 * plane, 0, (size_t)(all.channels * plane) * sizeof *dx);
        for (int64_t rows = 0; rows < g.row_blocks; rows++) {
            part p = part_of(&g, rows, block);
            int  n = p.rows * g.OW;
            bs_gemm(true, false, p.channels * g.taps, n, g.O, w, K, dy + (int64_t)p.i0 * g.OW,
                    pixels, 0, scratch, n);
            add_columns(&g, p, scratch, dx);
        }
    }
}

const bs_kernel bs_kernel_conv_dx = {.measure = conv_dx_measure, .run = conv_dx_run};

/* conv_dw: a piece is a block of channels, over all images in order ------------------ */

static geometry conv_dw_geometry(const bs_args *a)
{
    return geometry_of(a->in_shape[0], a->node->shape, a->in_shape[1], a->node->attr);
}

static void conv_dw_measure(const bs_call *c, bs_work *w)
{
    if (measure_better(c, BS_CONV_DW, w))
        return;
    geometry g = conv_dw_geometry(&c->args);
    w->pieces = g.channel_blocks;
    cost_of(&g, w);
}

static void conv_dw_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_args *a = &c->args;
    const geometry g = conv_dw_geometry(a);
    const int64_t  K = (int64_t)g.C * g.taps, pixels = (int64_t)g.OH * g.OW;
    if (run_better(c, BS_CONV_DW, begin, end, scratch))
        return;
    for (int64_t piece = begin; piece < end; piece++) {
        real *dw = (real *)a->out + piece * g.channels * g.taps;
        for (int64_t step = 0; step < g.B * g.row_blocks; step++) {
            int64_t     b = step / g.row_blocks;
            part        p = part_of(&g, step % g.row_blocks, piece);
            int         n = p.rows * g.OW;
            const real *x = (const real *)a->in[0] + b * g.C * g.H * g.W;
            const real *dy = (const real *)a->in[1] + b * g.O * pixels + (int64_t)p.i0 * g.OW;
            if (!g.direct)
                make_columns(&g, p, x, scratch);
            bs_gemm(false, true, g.O, p.channels * g.taps, n, dy, pixels, g.direct ? x : scratch, n,
                    a->accumulate || step > 0, dw, K);
        }
    }
}

const bs_kernel bs_kernel_conv_dw = {.measure = conv_dw_measure, .run = conv_dw_run};

/* pool_index: a piece is one plane -------------------------------------------------- */

static void pool_index_measure(const bs_call *c, bs_work *w)
{
    const int32_t *d = c->args.in_shape[0].d, *attr = c->args.node->attr;
    w->pieces = (int64_t)d[0] * d[1];
    w->cost = (double)bs_shape_count(c->args.node->shape) * attr[0] * attr[0] * 1.2;
}

static void pool_index_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_args *a = &c->args;
    const int      H = a->in_shape[0].d[2], W = a->in_shape[0].d[3];
    const int      size = a->node->attr[0], stride = a->node->attr[1];
    const int64_t  windows = a->node->shape.d[3];
    (void)scratch;
    for (int64_t p = begin; p < end; p++) {
        const real *plane = (const real *)a->in[0] + p * H * W;
        int32_t    *out = (int32_t *)a->out + p * windows;
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
}

const bs_kernel bs_kernel_pool_index = {.measure = pool_index_measure, .run = pool_index_run};
