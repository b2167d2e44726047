/* few.c -- convolutions of stride 1 into few planes, or out of few: the score of a pixel, and the
 * gradient by an output mask.
 *
 * With a border of zeros an image is one long row of numbers in which whatever a kernel meets from
 * a pixel on lies at fixed offsets. So a plane of the result is a sum of shifted rows, each times
 * one weight, with pixels across vector lanes; what falls between the rows of the image is computed
 * and dropped. Matrices of columns, as in conv.c, would be most of the work here.
 *
 *   conv     y_o   = sum over c and taps of w x_c, shifted
 *   conv_dx  dx_c  = the same of dy_o with the taps turned round
 *   conv_dw  dw    = one product of two shifted rows a tap */
#include <string.h>

#include "device/cpu/conv.h"

enum {
    FEW = 16,
    CHANNELS = 8,     /* of a piece of conv_dw */
    TAIL = 64,        /* numbers beyond the last row that whole vectors may read or write */
    LARGEST = 4 << 20 /* numbers of all planes above which matrices of columns are better */
};

typedef struct {
    int     B, from, to;  /* images; planes that are read, and that come out */
    int     H, W, OH, OW; /* of these planes */
    int     KH, KW, taps; /* taps = KH KW */
    int     top, left;    /* border */
    int     rows, cols;   /* of a plane with its border */
    int     n;            /* numbers from the first pixel of the result to its last */
    int64_t plane;        /* rows cols */
} few;

typedef struct {
    int32_t *offset;
    real    *x, *y, *w;
    size_t   bytes;
} buffers;

static bool few_of(const bs_args *a, bs_conv_kind kind, few *f)
{
    const bs_shape out = a->node->shape, *in = a->in_shape;
    const bs_shape x = kind == BS_CONV_DX ? out : in[0], w = kind == BS_CONV_DW ? out : in[1];
    const bs_shape y = kind == BS_CONV_Y ? out : in[kind == BS_CONV_DX ? 0 : 1];
    const bs_shape s = kind == BS_CONV_DX ? y : x, r = kind == BS_CONV_DX ? x : y;
    const int      pad = a->node->attr[1];
    *f = (few){.B = x.d[0],
               .from = s.d[1],
               .to = r.d[1],
               .H = s.d[2],
               .W = s.d[3],
               .OH = r.d[2],
               .OW = r.d[3],
               .KH = w.d[2],
               .KW = w.d[3],
               .taps = w.d[2] * w.d[3],
               .top = kind == BS_CONV_DX ? w.d[2] - 1 - pad : pad,
               .left = kind == BS_CONV_DX ? w.d[3] - 1 - pad : pad};
    f->rows = f->OH + f->KH - 1;
    f->cols = f->OW + f->KW - 1;
    f->plane = (int64_t)f->rows * f->cols;
    f->n = f->plane < LARGEST ? (f->OH - 1) * f->cols + f->OW : 0;
    const bool small = w.d[0] < FEW || (kind == BS_CONV_DX && w.d[1] < FEW);
    return small && a->node->attr[0] == 1 && f->taps > 1 && f->top >= 0 && f->left >= 0 &&
           f->from * f->plane <= LARGEST;
}

static int64_t pieces_of(const few *f, bs_conv_kind kind)
{
    return kind == BS_CONV_DW ? (f->from + CHANNELS - 1) / CHANNELS : f->B;
}

static buffers lay_out(const few *f, bs_conv_kind kind, char *base)
{
    buffers   s = {.bytes = 0};
    const int planes = kind == BS_CONV_DW ? 1 : f->from;
    s.offset = bs_conv_take(&s.bytes, base, (size_t)planes * f->taps * sizeof *s.offset);
    s.x = bs_conv_take(&s.bytes, base, ((size_t)planes * f->plane + TAIL) * sizeof *s.x);
    s.y = bs_conv_take(&s.bytes, base, ((size_t)f->n + TAIL) * sizeof *s.y);
    if (kind == BS_CONV_DX)
        s.w = bs_conv_take(&s.bytes, base, (size_t)f->from * f->taps * sizeof *s.w);
    return s;
}

/* ---- rows ---- */

/* A plane with zeros around it. */
static void add_border(const few *f, const real *x, real *out)
{
    const int n = f->cols - f->left < f->W ? f->cols - f->left : f->W;
    memset(out, 0, (size_t)f->plane * sizeof *out);
    for (int i = 0; i < f->H && f->top + i < f->rows; i++)
        memcpy(out + (int64_t)(f->top + i) * f->cols + f->left, x + (int64_t)i * f->W,
               (size_t)n * sizeof *out);
}

static void find_offsets(const few *f, int planes, bool turned, int32_t *offset)
{
    for (int c = 0; c < planes; c++)
        for (int k = 0; k < f->KH; k++)
            for (int l = 0; l < f->KW; l++) {
                int row = turned ? f->KH - 1 - k : k, col = turned ? f->KW - 1 - l : l;
                *offset++ = (int32_t)(c * f->plane) + row * f->cols + col;
            }
}

static void write_plane(const few *f, const real *y, real *out, bool add)
{
    for (int i = 0; i < f->OH; i++, y += f->cols, out += f->OW)
        if (add)
            for (int j = 0; j < f->OW; j++)
                out[j] += y[j];
        else
            memcpy(out, y, (size_t)f->OW * sizeof *out);
}

/* ---- conv and conv_dx: a piece is an image ---- */

/* Weights of plane o of the result, in the order of the offsets; w is [O, C, KH, KW]. */
static const real *weights_of(const few *f, bs_conv_kind kind, const real *w, int o, real *room)
{
    const int64_t one = f->taps;
    if (kind == BS_CONV_Y)
        return w + o * f->from * one;
    for (int c = 0; c < f->from; c++)
        memcpy(room + c * one, w + ((int64_t)c * f->to + o) * one, (size_t)one * sizeof *room);
    return room;
}

static void run_planes(const few *f, const bs_vec_conv *vec, const bs_args *a, bs_conv_kind kind,
                       const buffers *s, int64_t begin, int64_t end)
{
    const int64_t in = (int64_t)f->H * f->W, out = (int64_t)f->OH * f->OW;
    find_offsets(f, f->from, kind == BS_CONV_DX, s->offset);
    memset(s->x + f->from * f->plane, 0, TAIL * sizeof *s->x);
    for (int64_t b = begin; b < end; b++) {
        for (int c = 0; c < f->from; c++)
            add_border(f, (const real *)a->in[0] + (b * f->from + c) * in, s->x + c * f->plane);
        for (int o = 0; o < f->to; o++) {
            const real *w = weights_of(f, kind, a->in[1], o, s->w);
            vec->shifted(s->y, s->x, s->offset, w, f->n, f->from * f->taps);
            write_plane(f, s->y, (real *)a->out + (b * f->to + o) * out, a->accumulate);
        }
    }
}

/* ---- conv_dw: a piece is some channels of x, over all images in order ---- */

/* A plane of dy with gaps between its rows, as far apart as those of x with its border. */
static void spread_rows(const few *f, const real *dy, real *out)
{
    memset(out, 0, ((size_t)f->n + TAIL) * sizeof *out);
    for (int i = 0; i < f->OH; i++)
        memcpy(out + (int64_t)i * f->cols, dy + (int64_t)i * f->OW, (size_t)f->OW * sizeof *out);
}

static void run_dw(const few *f, const bs_vec_conv *vec, const bs_args *a, const buffers *s,
                   int64_t begin, int64_t end)
{
    const int64_t in = (int64_t)f->H * f->W, out = (int64_t)f->OH * f->OW;
    find_offsets(f, 1, false, s->offset);
    memset(s->x + f->plane, 0, TAIL * sizeof *s->x);
    for (int64_t piece = begin; piece < end; piece++) {
        const int c0 = (int)piece * CHANNELS, left = f->from - c0;
        const int c1 = c0 + (left < CHANNELS ? left : CHANNELS);
        for (int64_t b = 0; b < f->B; b++)
            for (int c = c0; c < c1; c++) {
                add_border(f, (const real *)a->in[0] + (b * f->from + c) * in, s->x);
                for (int o = 0; o < f->to; o++) {
                    real *dw = (real *)a->out + ((int64_t)o * f->from + c) * f->taps;
                    spread_rows(f, (const real *)a->in[1] + (b * f->to + o) * out, s->y);
                    if (b == 0 && !a->accumulate)
                        memset(dw, 0, (size_t)f->taps * sizeof *dw);
                    vec->dots(dw, s->x, s->offset, s->y, f->taps, f->n);
                }
            }
    }
}

/* ---- entry ---- */

bool bs_examples_measure(const bs_call *c, bs_conv_kind kind, bs_work *w)
{
    few f;
    if (!few_of(&c->args, kind, &f))
        return false;
    w->pieces = pieces_of(&f, kind);
    w->scratch = lay_out(&f, kind, NULL).bytes;
    w->cost =
        (double)f.B * f.from * f.n * (f.to * f.taps * 2.0 / 50 + 0.2) + 500.0 * (double)w->pieces;
    return true;
}

bool bs_examples_run(const bs_call *c, bs_conv_kind kind, int64_t begin, int64_t end, void *scratch)
{
    const bs_vec_conv *vec = bs_vec_conv_of(c->vec);
    few                f;
    if (!few_of(&c->args, kind, &f))
        return false;
    buffers s = lay_out(&f, kind, scratch);
    if (kind == BS_CONV_DW)
        run_dw(&f, vec, &c->args, &s, begin, end);
    else
        run_planes(&f, vec, &c->args, kind, &s, begin, end);
    return true;
}
