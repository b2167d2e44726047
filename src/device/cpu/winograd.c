/* winograd.c -- convolutions by Winograd's F(4x4, 3x3), for layers with many channels.
 *
 * A kernel that meets at most three pixels of each row and column residue modulo the stride is a
 * 3x3 kernel of stride 1 over stride * stride times as many channels: pixel i s + k - p of x is
 * pixel i + q of its phase a, where k - p = q s + a. So the 5x5 kernel of stride 2 becomes four
 * kernels of 3x3, 3x2, 2x3 and 2x2 taps, and with the transforms of vec/conv.c an output costs
 * 7.6 products a channel instead of 25. Points that the shorter kernels do not need are left out.
 *
 * The tiles of a group of images are transformed at once; then, one block of BS_CONV_DEPTH input
 * channels and one panel of output channels after the other, weights are transformed into the
 * cache and multiplied, point by point. Gradients by x are the same with dy for x, the kernel
 * turned round and the phases on the other side. Gradients by w multiply the transformed tiles
 * of x and dy.
 *
 * Measured on 64 channels of 32x32 pixels, 5x5, stride 2: errors of 1 to 3e-6 (root mean square,
 * relative), 3 to 5 times those of a plain sum in float. */
#include <string.h>

#include "device/cpu/conv.h"

enum {
    PANEL = BS_CONV_PANEL,
    DEPTH = BS_CONV_DEPTH,
    POINTS = 36,
    GROUP = 64, /* tiles at a time: few enough for the cache, many enough to use weights well */
    SKEW = 16,  /* keeps the points of a tile out of each other's cache sets */
    LARGEST = 256 << 20 /* bytes of scratch above which the matrices of conv.c are better */
};

typedef struct {
    int  B, KH, KW, taps, stride, pad;
    int  first;                      /* q of the first tap; the three are first .. first + 2 */
    bool turned;                     /* gradient by x: taps in reverse */
    int  C, H, W, S, corner;         /* transformed planes, their phases, pixel of the first tile */
    int  N, OH, OW, P;               /* planes that come out, and their phases */
    int  TI, TJ, rows, bands, tiles; /* tiles of an image; tile rows of a band; tiles of a group */
    int  Cp, Np;                     /* channels rounded up to whole vectors and panels */
    int  points;                     /* that are multiplied, of all phases together */
} winograd;

typedef struct {
    real  *weights, *window, *v, *u, *m, *y; /* see the functions that fill them */
    size_t bytes;
} buffers;

static int round_up(int n, int unit)
{
    return (n + unit - 1) / unit * unit;
}

static int floor_div(int a, int b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Which tap of the kernel's K is number t of 3 in this phase; -1 = none. */
static int tap_of(const winograd *w, int K, int phase, int t)
{
    int k = w->stride * ((w->turned ? 2 - t : t) + w->first) + phase + w->pad;
    return k >= 0 && k < K ? k : -1;
}

/* Is point i of 6 zero in this phase because an outer tap is missing? */
static bool absent(const winograd *w, int K, int phase, int i)
{
    return (i == 0 && tap_of(w, K, phase, 0) < 0) || (i == 5 && tap_of(w, K, phase, 2) < 0);
}

static bool used(const winograd *w, int phase, int point)
{
    return !absent(w, w->KH, phase / w->stride, point / 6) &&
           !absent(w, w->KW, phase % w->stride, point % 6);
}

static bool fits(const winograd *w, int K)
{
    return K >= w->stride && floor_div(K - 1 - w->pad, w->stride) - w->first < 3;
}

/* False when this method does not apply or does not pay. */
static bool winograd_of(const bs_args *a, bs_conv_kind kind, winograd *w)
{
    const bs_shape out = a->node->shape, *in = a->in_shape;
    const bs_shape x = kind == BS_CONV_DX ? out : in[0], k = kind == BS_CONV_DW ? out : in[1];
    const bs_shape y = kind == BS_CONV_Y ? out : in[kind == BS_CONV_DX ? 0 : 1];
    *w = (winograd){.B = x.d[0],
                    .KH = k.d[2],
                    .KW = k.d[3],
                    .taps = k.d[2] * k.d[3],
                    .stride = a->node->attr[0],
                    .pad = a->node->attr[1]};
    w->first = floor_div(-w->pad, w->stride);
    if (w->stride > 2 || !fits(w, w->KH) || !fits(w, w->KW) || k.d[0] < 16 || k.d[1] < 16)
        return false;
    bs_shape from = kind == BS_CONV_DX ? y : x, to = kind == BS_CONV_DX ? x : y;
    w->turned = kind == BS_CONV_DX;
    w->S = w->turned ? 1 : w->stride;
    w->P = w->turned ? w->stride : 1;
    w->corner = w->turned ? -(w->first + 2) : w->first * w->stride;
    w->C = from.d[1], w->H = from.d[2], w->W = from.d[3];
    w->N = to.d[1], w->OH = to.d[2], w->OW = to.d[3];
    w->TI = (w->OH + 4 * w->P - 1) / (4 * w->P);
    w->TJ = (w->OW + 4 * w->P - 1) / (4 * w->P);
    w->rows = smaller(w->TI, w->TJ > GROUP ? 1 : GROUP / w->TJ);
    w->bands = (w->TI + w->rows - 1) / w->rows;
    int64_t all = (int64_t)w->B * w->bands * w->rows * w->TJ;
    w->tiles = w->TJ > GROUP ? w->TJ : all < GROUP ? (int)all : GROUP;
    w->Cp = round_up(w->C, 16);
    w->Np = round_up(w->N, PANEL);
    for (int phase = 0; phase < w->stride * w->stride; phase++)
        for (int p = 0; p < POINTS; p++)
            w->points += used(w, phase, p);
    /* transforms cost up to a third of the products; tiles may reach far beyond small images */
    return 1.3 * w->points * w->TI * w->TJ < (double)w->taps * y.d[2] * y.d[3];
}

/* ---- transforming tiles ---- */

/* A band: some tile rows of one image. */
typedef struct {
    int b, row, rows;
} band;

static band band_of(const winograd *w, int64_t i)
{
    int row = (int)(i % w->bands) * w->rows;
    return (band){(int)(i / w->bands), row, smaller(w->rows, w->TI - row)};
}

/* Pixels from (top, left) on of `channels` planes, pixel by pixel: dst [rows, cols, ld]; zeros
 * outside the planes. */
static void pack(const bs_vec_conv *vec, real *dst, int rows, int cols, int ld, const real *src,
                 int channels, int H, int W, int top, int left)
{
    int from = left < 0 ? smaller(-left, cols) : 0, to = smaller(cols, W - left);
    to = to < from ? from : to;
    for (int i = 0; i < rows; i++, dst += (int64_t)cols * ld) {
        int r = top + i;
        if (r < 0 || r >= H) {
            memset(dst, 0, (size_t)cols * ld * sizeof *dst);
            continue;
        }
        memset(dst, 0, (size_t)from * ld * sizeof *dst);
        vec->transpose(dst + from * ld, ld, src + (int64_t)r * W + left + from, (int64_t)H * W,
                       channels, to - from, false);
        memset(dst + to * ld, 0, (size_t)(cols - to) * ld * sizeof *dst);
    }
}

/* The tiles of a band to v, where they are number t on. v is [blocks, POINTS, tiles, depth],
 * a block being one phase of up to depth channels; c0 .. c0 + n are done. */
static void transform_band(const winograd *w, const bs_vec_conv *vec, const real *x, band q, int c0,
                           int n, int depth, real *window, real *v, int t)
{
    const int     cols = (4 * w->TJ + 2) * w->S, np = round_up(n, 16);
    const int64_t point = (int64_t)w->tiles * depth + SKEW;
    pack(vec, window, (4 * q.rows + 2) * w->S, cols, np,
         x + ((int64_t)q.b * w->C + c0) * w->H * w->W, n, w->H, w->W, 4 * q.row * w->S + w->corner,
         w->corner);
    for (int phase = 0; phase < w->S * w->S; phase++)
        for (int c = 0; c < n; c += depth, v += POINTS * point)
            for (int k = 0; k < q.rows * w->TJ; k++) {
                int i = 4 * (k / w->TJ) * w->S + phase / w->S;
                int j = 4 * (k % w->TJ) * w->S + phase % w->S;
                vec->input(v + (int64_t)(t + k) * depth, point,
                           window + ((int64_t)i * cols + j) * np + c, (int64_t)w->S * cols * np,
                           (int64_t)w->S * np, smaller(depth, np - c));
            }
}

/* ---- conv and conv_dx ---- */

/* Weights as [C, taps, Np]: the outputs of a tap side by side. */
static void arrange_weights(const winograd *w, const bs_vec_conv *vec, const real *weights,
                            real *out)
{
    if (!w->turned) {
        vec->transpose(out, w->Np, weights, (int64_t)w->C * w->taps, w->N, w->C * w->taps, false);
        return;
    }
    for (int c = 0; c < w->C; c++)
        vec->transpose(out + (int64_t)c * w->taps * w->Np, w->Np,
                       weights + (int64_t)c * w->N * w->taps, w->taps, w->N, w->taps, false);
}

/* u [POINTS, n, PANEL]: channels c0 .. c0 + n and outputs n0 .. n0 + PANEL of one phase. */
static void transform_weights(const winograd *w, const bs_vec_conv *vec, const real *weights,
                              int phase, int c0, int n, int n0, real *u)
{
    for (int c = 0; c < n; c++) {
        const real *tap[9];
        for (int t = 0; t < 9; t++) {
            int k = tap_of(w, w->KH, phase / w->stride, t / 3);
            int l = tap_of(w, w->KW, phase % w->stride, t % 3);
            tap[t] = k < 0 || l < 0
                         ? NULL
                         : weights + ((int64_t)(c0 + c) * w->taps + k * w->KW + l) * w->Np + n0;
        }
        vec->weights(u + c * PANEL, DEPTH * PANEL + SKEW, tap, PANEL);
    }
}

/* m [POINTS, tiles, PANEL]: the sums over channels for one panel and output phase. */
static void multiply(const winograd *w, const bs_vec_conv *vec, const buffers *s, int tiles, int n0,
                     int out_phase)
{
    const int64_t v_point = (int64_t)w->tiles * DEPTH + SKEW, u_point = DEPTH * PANEL + SKEW;
    const int64_t m_point = (int64_t)w->tiles * PANEL + SKEW;
    const real   *v = s->v;
    bool          started[POINTS] = {false};
    for (int in_phase = 0; in_phase < w->S * w->S; in_phase++)
        for (int c = 0; c < w->C; c += DEPTH, v += POINTS * v_point) {
            int phase = w->turned ? out_phase : in_phase, n = smaller(DEPTH, w->C - c);
            transform_weights(w, vec, s->weights, phase, c, n, n0, s->u);
            for (int p = 0; p < POINTS; p++) {
                if (!used(w, phase, p))
                    continue;
                vec->product(s->m + p * m_point, v + p * v_point, s->u + p * u_point, tiles, n,
                             started[p]);
                started[p] = true;
            }
        }
    for (int p = 0; p < POINTS; p++)
        if (!started[p])
            memset(s->m + p * m_point, 0, (size_t)tiles * PANEL * sizeof *s->m);
}

/* The tiles of a band, from number t on, to y [4 rows P, 4 TJ P, PANEL] at their phase. */
static void finish_band(const winograd *w, const bs_vec_conv *vec, const buffers *s, band q, int t,
                        int phase, real *y)
{
    const int64_t col = (int64_t)w->P * PANEL, row = 4 * w->TJ * w->P * col;
    for (int k = 0; k < q.rows * w->TJ; k++) {
        int64_t i = 4 * (k / w->TJ) * w->P + phase / w->P,
                j = 4 * (k % w->TJ) * w->P + phase % w->P;
        vec->output(y + (i * 4 * w->TJ * w->P + j) * PANEL, row, col,
                    s->m + (int64_t)(t + k) * PANEL, (int64_t)w->tiles * PANEL + SKEW, PANEL);
    }
}

static void write_band(const winograd *w, const bs_vec_conv *vec, band q, int n0, const real *y,
                       real *out, bool add)
{
    const int top = 4 * q.row * w->P, rows = smaller(4 * q.rows * w->P, w->OH - top);
    real     *plane = out + ((int64_t)q.b * w->N + n0) * w->OH * w->OW;
    for (int i = 0; i < rows; i++)
        vec->transpose(plane + (int64_t)(top + i) * w->OW, (int64_t)w->OH * w->OW,
                       y + (int64_t)i * 4 * w->TJ * w->P * PANEL, PANEL, w->OW,
                       smaller(PANEL, w->N - n0), add);
}

/* Bands begin .. end, which have at most w->tiles tiles together. */
static void run_group(const winograd *w, const bs_vec_conv *vec, const bs_args *a, const buffers *s,
                      int64_t begin, int64_t end)
{
    const int64_t size = (int64_t)4 * w->rows * w->P * 4 * w->TJ * w->P * PANEL; /* of y a band */
    int           tiles = 0;
    for (int64_t i = begin; i < end; i++) {
        band q = band_of(w, i);
        transform_band(w, vec, a->in[0], q, 0, w->C, DEPTH, s->window, s->v, tiles);
        tiles += q.rows * w->TJ;
    }
    for (int n0 = 0; n0 < w->N; n0 += PANEL) {
        for (int phase = 0; phase < w->P * w->P; phase++) {
            multiply(w, vec, s, tiles, n0, phase);
            for (int64_t i = begin, t = 0; i < end; i++) {
                band q = band_of(w, i);
                finish_band(w, vec, s, q, (int)t, phase, s->y + (i - begin) * size);
                t += q.rows * w->TJ;
            }
        }
        for (int64_t i = begin; i < end; i++)
            write_band(w, vec, band_of(w, i), n0, s->y + (i - begin) * size, a->out, a->accumulate);
    }
}

/* ---- memory ---- */

static real *take(buffers *s, char *base, int64_t count)
{
    return bs_conv_take(&s->bytes, base, (size_t)count * sizeof(real));
}

static int64_t bands_at_once(const winograd *w)
{
    int64_t n = w->tiles / (w->rows * w->TJ);
    return n < 1 ? 1 : n;
}

static int64_t dw_pieces(const winograd *w)
{
    return (int64_t)((w->C + PANEL - 1) / PANEL) * (w->Np / PANEL);
}

static buffers lay_out(const winograd *w, bs_conv_kind kind, char *base)
{
    buffers   s = {.bytes = 0};
    const int phases = w->S * w->S, window = (4 * w->rows + 2) * w->S * (4 * w->TJ + 2) * w->S;
    if (kind == BS_CONV_DW) {
        int64_t point = (int64_t)w->tiles * PANEL + SKEW;
        s.window = take(&s, base, (int64_t)window * PANEL);
        s.v = take(&s, base, phases * POINTS * point);
        s.y = take(&s, base, w->Np / PANEL * POINTS * point);
        s.u = take(&s, base, dw_pieces(w) * phases * POINTS * (PANEL * PANEL + SKEW));
        s.m = take(&s, base, (int64_t)(PANEL * w->taps + 9) * PANEL);
        return s;
    }
    int blocks = phases * ((w->C + DEPTH - 1) / DEPTH);
    s.weights = take(&s, base, (int64_t)w->C * w->taps * w->Np);
    s.window = take(&s, base, (int64_t)window * w->Cp);
    s.v = take(&s, base, (int64_t)blocks * POINTS * (w->tiles * DEPTH + SKEW));
    s.u = take(&s, base, POINTS * (DEPTH * PANEL + SKEW));
    s.m = take(&s, base, (int64_t)POINTS * (w->tiles * PANEL + SKEW));
    s.y = take(&s, base, bands_at_once(w) * 16 * w->rows * w->TJ * w->P * w->P * PANEL);
    return s;
}

/* ---- conv_dw: a piece is a block of PANEL channels and a panel of outputs ---- */

/* The tiles of dy of a band to y [POINTS, tiles, PANEL] for one panel, from number t on. */
static void transform_dy(const winograd *w, const bs_vec_conv *vec, const real *dy, band q, int n0,
                         real *window, real *y, int t)
{
    const int cols = 4 * w->TJ;
    pack(vec, window, 4 * q.rows, cols, PANEL, dy + ((int64_t)q.b * w->N + n0) * w->OH * w->OW,
         smaller(PANEL, w->N - n0), w->OH, w->OW, 4 * q.row, 0);
    for (int k = 0; k < q.rows * w->TJ; k++)
        vec->output_t(y + (int64_t)(t + k) * PANEL, (int64_t)w->tiles * PANEL + SKEW,
                      window + (4 * (k / w->TJ) * cols + 4 * (k % w->TJ)) * PANEL,
                      (int64_t)cols * PANEL, PANEL, PANEL);
}

/* Adds a group of bands to the sums of the pieces: u [pieces, phases, POINTS, PANEL, PANEL]. */
static void add_group(const winograd *w, const bs_vec_conv *vec, const bs_args *a, const buffers *s,
                      int64_t begin, int64_t end, int64_t from, int64_t to)
{
    const int64_t panels = w->Np / PANEL, point = (int64_t)w->tiles * PANEL + SKEW;
    const int64_t u_point = PANEL * PANEL + SKEW;
    const bool    one_block = begin / panels == (end - 1) / panels;
    const int64_t first = one_block ? begin % panels : 0;
    const int64_t last = one_block ? (end - 1) % panels : panels - 1;
    int           tiles = 0;
    for (int64_t i = from; i < to; i++) {
        band q = band_of(w, i);
        for (int64_t n = first; n <= last; n++)
            transform_dy(w, vec, a->in[1], q, (int)n * PANEL, s->window, s->y + n * POINTS * point,
                         tiles);
        tiles += q.rows * w->TJ;
    }
    for (int64_t piece = begin; piece < end; piece++) {
        const int c0 = (int)(piece / panels) * PANEL, n = smaller(PANEL, w->C - c0);
        for (int64_t i = from, t = 0; i < to && (piece == begin || piece % panels == 0); i++) {
            band q = band_of(w, i);
            transform_band(w, vec, a->in[0], q, c0, n, PANEL, s->window, s->v, (int)t);
            t += q.rows * w->TJ;
        }
        for (int phase = 0; phase < w->S * w->S; phase++)
            for (int p = 0; p < POINTS; p++)
                if (used(w, phase, p))
                    vec->product_t(
                        s->u + (((piece - begin) * w->S * w->S + phase) * POINTS + p) * u_point,
                        s->v + (phase * POINTS + p) * point,
                        s->y + (piece % panels * POINTS + p) * point, n, tiles, from > 0);
    }
}

/* From the points of one piece back to its taps, and these to dw. Points left out hold anything:
 * they count for missing taps only. */
static void write_piece(const winograd *w, const bs_vec_conv *vec, const bs_args *a,
                        const buffers *s, int64_t piece, const real *u)
{
    const int64_t panels = w->Np / PANEL, u_point = PANEL * PANEL + SKEW;
    const int     c0 = (int)(piece / panels) * PANEL, n = smaller(PANEL, w->C - c0);
    const int     n0 = (int)(piece % panels) * PANEL;
    real         *taps = s->m + PANEL * w->taps * PANEL;
    for (int phase = 0; phase < w->S * w->S; phase++, u += POINTS * u_point)
        for (int c = 0; c < n; c++) {
            vec->weights_t(taps, u + c * PANEL, u_point, PANEL);
            for (int t = 0; t < 9; t++) {
                int k = tap_of(w, w->KH, phase / w->stride, t / 3);
                int l = tap_of(w, w->KW, phase % w->stride, t % 3);
                if (k >= 0 && l >= 0)
                    memcpy(s->m + (int64_t)(c * w->taps + k * w->KW + l) * PANEL, taps + t * PANEL,
                           PANEL * sizeof *taps);
            }
        }
    vec->transpose((real *)a->out + ((int64_t)n0 * w->C + c0) * w->taps, (int64_t)w->C * w->taps,
                   s->m, PANEL, n * w->taps, smaller(PANEL, w->N - n0), a->accumulate);
}

static void run_dw(const winograd *w, const bs_vec_conv *vec, const bs_args *a, const buffers *s,
                   int64_t begin, int64_t end)
{
    const int64_t all = (int64_t)w->B * w->bands, step = bands_at_once(w);
    const int64_t size = (int64_t)w->S * w->S * POINTS * (PANEL * PANEL + SKEW);
    for (int64_t from = 0; from < all; from += step)
        add_group(w, vec, a, s, begin, end, from, from + step < all ? from + step : all);
    for (int64_t piece = begin; piece < end; piece++)
        write_piece(w, vec, a, s, piece, s->u + (piece - begin) * size);
}

/* ---- entry ---- */

bool bs_winograd_measure(const bs_call *c, bs_conv_kind kind, bs_work *work)
{
    winograd w;
    if (!winograd_of(&c->args, kind, &w))
        return false;
    size_t bytes = lay_out(&w, kind, NULL).bytes;
    if (bytes > LARGEST)
        return false;
    /* measured: products at 105 GFLOP/s, 0.12 ns to transform an element in, 0.08 ns out */
    double tiles = (double)w.B * w.TI * w.TJ, groups = tiles < GROUP ? 1 : tiles / GROUP;
    work->pieces = kind == BS_CONV_DW ? dw_pieces(&w) : (int64_t)w.B * w.bands;
    work->cost = tiles * w.points * 2.0 * w.C * w.Np / 105 +
                 tiles * POINTS * (0.12 * w.S * w.S * w.C + 0.08 * w.P * w.P * w.Np) +
                 groups * w.points * w.C * w.Np * 0.06 + 0.2 * w.C * w.N * w.taps;
    work->scratch = bytes;
    return true;
}

bool bs_winograd_run(const bs_call *c, bs_conv_kind kind, int64_t begin, int64_t end, void *scratch)
{
    const bs_args     *a = &c->args;
    const bs_vec_conv *vec = bs_vec_conv_of(c->vec);
    winograd           w;
    if (!winograd_of(a, kind, &w) || lay_out(&w, kind, NULL).bytes > LARGEST)
        return false;
    buffers s = lay_out(&w, kind, scratch);
    if (kind == BS_CONV_DW) {
        run_dw(&w, vec, a, &s, begin, end);
        return true;
    }
    arrange_weights(&w, vec, a->in[1], s.weights);
    for (int64_t step = bands_at_once(&w); begin < end; begin += step)
        run_group(&w, vec, a, &s, begin, begin + step < end ? begin + step : end);
    return true;
}
