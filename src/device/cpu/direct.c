/* direct.c -- convolutions without any matrix of columns, for kernels that winograd.c refuses.
 *
 * With a border of zeros around the image, what a kernel meets from pixel (i, j) on lies at fixed
 * offsets from there: a block of neighbouring pixels times a panel of output channels is a small
 * matrix product whose left side is read in place. The same offsets serve the gradient by w, where
 * the sum runs over pixels. Worth it from half a panel of output channels on, also for the three
 * channels of a photograph; results are made pixel by pixel and transposed into planes. */
#include <string.h>

#include "device/cpu/conv.h"

enum {
    PANEL = BS_CONV_PANEL,
    BAND = 256, /* pixels of a piece of conv, about */
    TAPS = 32,  /* taps of a piece of conv_dw */
};

typedef struct {
    int B, C, H, W, O, KH, KW, OH, OW, stride, pad;
    int K, Op;        /* C KH KW; O in whole panels */
    int rows, bands;  /* output rows of a band, bands of an image */
    int height, cols; /* of the bordered input of a band (conv) or an image (conv_dw) */
} direct;

typedef struct {
    int32_t *offset; /* [K] */
    real    *x;      /* [C, height, cols] with its border */
    real    *w;      /* conv: [panels, K, PANEL]; conv_dw: sums [pieces, TAPS, PANEL] */
    real    *y;      /* [pixels, PANEL] */
    size_t   bytes;
} buffers;

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static bool direct_of(const bs_args *a, bs_conv_kind kind, direct *d)
{
    const bs_shape out = a->node->shape, *in = a->in_shape;
    const bs_shape x = in[0], w = kind == BS_CONV_DW ? out : in[1],
                   y = kind == BS_CONV_Y ? out : in[1];
    if (kind == BS_CONV_DX)
        return false;
    *d = (direct){.B = x.d[0],
                  .C = x.d[1],
                  .H = x.d[2],
                  .W = x.d[3],
                  .O = w.d[0],
                  .KH = w.d[2],
                  .KW = w.d[3],
                  .OH = y.d[2],
                  .OW = y.d[3],
                  .stride = a->node->attr[0],
                  .pad = a->node->attr[1]};
    d->K = d->C * d->KH * d->KW;
    d->Op = (d->O + PANEL - 1) / PANEL * PANEL;
    d->rows = kind == BS_CONV_DW ? d->OH : smaller(d->OH, d->OW > BAND ? 1 : BAND / d->OW);
    d->bands = (d->OH + d->rows - 1) / d->rows;
    d->height = (d->rows - 1) * d->stride + d->KH;
    d->cols = (d->OW - 1) * d->stride + d->KW;
    return d->stride <= 2 && d->O >= PANEL / 2 && d->KH * d->KW > 1 &&
           (int64_t)d->C * d->height * d->cols < INT32_MAX / 2;
}

static int64_t pieces_of(const direct *d, bs_conv_kind kind)
{
    return kind == BS_CONV_Y ? (int64_t)d->B * d->bands
                             : (int64_t)((d->K + TAPS - 1) / TAPS) * (d->Op / PANEL);
}

static buffers lay_out(const direct *d, bs_conv_kind kind, char *base)
{
    buffers s = {.bytes = 0};
    int64_t w = kind == BS_CONV_Y ? (int64_t)d->K * d->Op : pieces_of(d, kind) * TAPS * PANEL;
    s.offset = bs_conv_take(&s.bytes, base, (size_t)d->K * sizeof *s.offset);
    s.x = bs_conv_take(&s.bytes, base, (size_t)d->C * d->height * d->cols * sizeof *s.x);
    s.w = bs_conv_take(&s.bytes, base, (size_t)w * sizeof *s.w);
    s.y = bs_conv_take(&s.bytes, base, (size_t)d->rows * d->OW * PANEL * sizeof *s.y);
    return s;
}

static void find_offsets(const direct *d, int32_t *offset)
{
    for (int c = 0; c < d->C; c++)
        for (int k = 0; k < d->KH; k++)
            for (int l = 0; l < d->KW; l++)
                *offset++ = (c * d->height + k) * d->cols + l;
}

/* What the output rows from `row` on of image x meet, zeros outside it. */
static void add_border(const direct *d, const real *x, int row, real *out)
{
    const int top = row * d->stride - d->pad, from = smaller(d->pad, d->cols);
    const int n = smaller(d->W, d->cols - from);
    for (int c = 0; c < d->C; c++)
        for (int i = 0; i < d->height; i++, out += d->cols) {
            int r = top + i;
            if (r < 0 || r >= d->H || n <= 0) {
                memset(out, 0, (size_t)d->cols * sizeof *out);
                continue;
            }
            memset(out, 0, (size_t)from * sizeof *out);
            memcpy(out + from, x + ((int64_t)c * d->H + r) * d->W, (size_t)n * sizeof *out);
            memset(out + from + n, 0, (size_t)(d->cols - from - n) * sizeof *out);
        }
}

/* conv: a piece is a band of output rows of one image ------------------------------- */

static void run_y(const direct *d, const bs_vec_conv *vec, const bs_args *a, const buffers *s,
                  int64_t begin, int64_t end)
{
    const int64_t pixels = (int64_t)d->OH * d->OW;
    for (int o = 0; o < d->O; o += PANEL)
        vec->transpose(s->w + (int64_t)o * d->K, PANEL, (const real *)a->in[1] + (int64_t)o * d->K,
                       d->K, smaller(PANEL, d->O - o), d->K, false);
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t b = piece / d->bands;
        int     row = (int)(piece % d->bands) * d->rows, rows = smaller(d->rows, d->OH - row);
        add_border(d, (const real *)a->in[0] + b * d->C * d->H * d->W, row, s->x);
        for (int o = 0; o < d->O; o += PANEL) {
            for (int i = 0; i < rows; i++)
                vec->pixels(s->y + (int64_t)i * d->OW * PANEL,
                            s->x + (int64_t)i * d->stride * d->cols, s->offset,
                            s->w + (int64_t)o * d->K, d->OW, d->stride, d->K);
            vec->transpose((real *)a->out + (b * d->O + o) * pixels + (int64_t)row * d->OW, pixels,
                           s->y, PANEL, rows * d->OW, smaller(PANEL, d->O - o), a->accumulate);
        }
    }
}

/* conv_dw: a piece is a block of TAPS rows of w' for one panel ------------------------ */

static void run_dw(const direct *d, const bs_vec_conv *vec, const bs_args *a, const buffers *s,
                   int64_t begin, int64_t end)
{
    const int64_t pixels = (int64_t)d->OH * d->OW, blocks = (d->K + TAPS - 1) / TAPS;
    memset(s->w, 0, (size_t)(end - begin) * TAPS * PANEL * sizeof *s->w);
    for (int64_t b = 0; b < d->B; b++) {
        add_border(d, (const real *)a->in[0] + b * d->C * d->H * d->W, 0, s->x);
        for (int64_t piece = begin; piece < end; piece++) {
            int64_t panel = piece / blocks;
            int     q = (int)(piece % blocks) * TAPS, o = (int)panel * PANEL;
            if (piece == begin || piece % blocks == 0)
                vec->transpose(s->y, PANEL, (const real *)a->in[1] + (b * d->O + o) * pixels,
                               pixels, smaller(PANEL, d->O - o), (int)pixels, false);
            vec->taps(s->w + (piece - begin) * TAPS * PANEL, s->x, s->offset + q, s->y,
                      smaller(TAPS, d->K - q), d->OH, d->OW, (int64_t)d->stride * d->cols,
                      d->stride);
        }
    }
    for (int64_t piece = begin; piece < end; piece++) {
        int q = (int)(piece % blocks) * TAPS, o = (int)(piece / blocks) * PANEL;
        vec->transpose((real *)a->out + (int64_t)o * d->K + q, d->K,
                       s->w + (piece - begin) * TAPS * PANEL, PANEL, smaller(TAPS, d->K - q),
                       smaller(PANEL, d->O - o), a->accumulate);
    }
}

/* ---- entry ---- */

bool bs_direct_measure(const bs_call *c, bs_conv_kind kind, bs_work *w)
{
    direct d;
    if (!direct_of(&c->args, kind, &d))
        return false;
    w->pieces = pieces_of(&d, kind);
    w->scratch = lay_out(&d, kind, NULL).bytes;
    w->cost =
        (double)d.B * d.OH * d.OW * d.Op * (2.0 * d.K / 100 + 0.2) + 500.0 * (double)w->pieces;
    return true;
}

bool bs_direct_run(const bs_call *c, bs_conv_kind kind, int64_t begin, int64_t end, void *scratch)
{
    direct d;
    if (!direct_of(&c->args, kind, &d))
        return false;
    buffers s = lay_out(&d, kind, scratch);
    find_offsets(&d, s.offset);
    if (kind == BS_CONV_Y)
        run_y(&d, bs_vec_conv_of(c->vec), &c->args, &s, begin, end);
    else
        run_dw(&d, bs_vec_conv_of(c->vec), &c->args, &s, begin, end);
    return true;
}
