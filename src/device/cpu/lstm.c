/* lstm.c -- an LSTM direction over a whole sequence, in blocks of sequences.
 *
 * A block of ROWS sequences runs through all steps by itself: the recurrent weights, read again at
 * every step, stay in the second-level cache, and blocks need not wait for each other. A block does
 * at each step only the span of its rows from the first to the last that is not past its
 * end; with sequences sorted by length that is no row too many. */
#include <string.h>

#include "device/cpu/dense.h"
#include "device/cpu/kernel.h"

/* Measured with H = 100 and 128 on [rows, H] x [H, 4H], by OpenBLAS without packing: 8 rows at 110
 * GFLOP/s, 16 at 64, 32 at 78. */
enum { ROWS = 8 };

typedef struct {
    int            T, B, H;
    bool           reverse;
    const int32_t *len;
} sequences;

/* Rows r0 .. r0 + rows of a block, of which from .. to (counted from r0) hold all the
 * sequences that have a step t. */
typedef struct {
    int r0, rows, from, to;
} span;

static span span_at(const sequences *s, int64_t piece, int t)
{
    span p = {.r0 = (int)piece * ROWS};
    p.rows = s->B - p.r0 < ROWS ? s->B - p.r0 : ROWS;
    p.to = p.rows;
    while (p.from < p.to && t >= s->len[p.r0 + p.from])
        p.from++;
    while (p.to > p.from && t >= s->len[p.r0 + p.to - 1])
        p.to--;
    return p;
}

static sequences sequences_of(const bs_args *a, bs_shape cells)
{
    return (sequences){cells.d[1], cells.d[2], cells.d[3], a->node->attr[0], a->in[2]};
}

/* scratch_rows: reals of scratch for each element of a block */
static void measure(bs_shape cells, int64_t scratch_rows, bs_work *w)
{
    double elements = (double)cells.d[1] * cells.d[2] * cells.d[3];
    w->pieces = (cells.d[2] + ROWS - 1) / ROWS;
    w->cost = elements * (8 * cells.d[3] * 0.01 + 2.0) + 500.0 * cells.d[1] * (double)w->pieces;
    w->scratch = (size_t)(ROWS * scratch_rows * cells.d[3]) * sizeof(real);
}

/* Threads share sequences, eight or more each. With many, two at a time would only put more into
 * the caches: 32 sentences are 2 % slower on one thread. */
enum { FEW_SEQUENCES = 16 };

static bool few_sequences(const bs_node *n, const bs_shape in[4])
{
    (void)in;
    return n->shape.d[2] <= FEW_SEQUENCES;
}

/* lstm_cells: operands xp, wh, len ------------------------------------------------- */

static void cells_measure(const bs_call *c, bs_work *w)
{
    measure(c->args.node->shape, 4, w);
    w->scratch += c->apart ? BS_APART_ROOM * sizeof(real) : 0;
}

/* One step of one block. at and before: offsets of row r0 in a plane; before < 0 = zeros. */
static void cells_step(const bs_call *c, const sequences *s, span p, int t, int64_t before, real *z)
{
    const int     H = s->H;
    const int64_t plane = (int64_t)s->T * s->B * H, at = ((int64_t)t * s->B + p.r0) * H;
    const real   *xp = (const real *)c->args.in[0] + 4 * at;
    real         *cells = c->args.out;
    memcpy(z + p.from * 4 * H, xp + p.from * 4 * H, (size_t)(p.to - p.from) * 4 * H * sizeof *z);
    if (before >= 0 && c->apart)
        bs_gemm_apart(c->vec, false, p.to - p.from, 4 * H, H, cells + before + p.from * H, H,
                      c->args.in[1], 4 * H, 1, z + p.from * 4 * H, 4 * H, z + ROWS * 4 * H);
    else if (before >= 0 && p.to > p.from)
        bs_gemm(false, false, p.to - p.from, 4 * H, H, cells + before + p.from * H, H,
                c->args.in[1], 4 * H, 1, z + p.from * 4 * H, 4 * H);
    for (int r = 0; r < p.rows; r++) {
        real *h = cells + at + (int64_t)r * H;
        if (t < s->len[p.r0 + r]) {
            const real *old = before >= 0 ? cells + plane + before + (int64_t)r * H : NULL;
            c->vec->lstm->forward(z + r * 4 * H, old, h, h + plane, h + 2 * plane, h + 3 * plane,
                                  h + 4 * plane, h + 5 * plane, H);
        } else {
            for (int q = 0; q < 6; q++)
                memset(h + q * plane, 0, (size_t)H * sizeof *h);
        }
    }
}

static void cells_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const sequences s = sequences_of(&c->args, c->args.node->shape);
    for (int64_t piece = begin; piece < end; piece++)
        for (int step = 0; step < s.T; step++) {
            int  t = s.reverse ? s.T - 1 - step : step, before = s.reverse ? t + 1 : t - 1;
            span p = span_at(&s, piece, t);
            cells_step(c, &s, p, t, step > 0 ? ((int64_t)before * s.B + p.r0) * s.H : -1, scratch);
        }
}

const bs_kernel bs_kernel_lstm_cells = {
    .measure = cells_measure, .run = cells_run, .hard_to_share = few_sequences};

/* lstm_back: operands cells, wh, len, dh ------------------------------------------- */

static void back_measure(const bs_call *c, bs_work *w)
{
    measure(c->args.in_shape[0], 2, w);
    w->scratch += c->apart ? BS_APART_ROOM * sizeof(real) : 0;
}

/* One step of one block; dh and dc are [rows, H]. later: offset of row r0 in the steps done
 * before, whose dz is complete, or < 0. */
static void back_step(const bs_call *c, const sequences *s, span p, int t, int64_t before,
                      int64_t later, real *dh, real *dc)
{
    const int     H = s->H;
    const int64_t plane = (int64_t)s->T * s->B * H, at = ((int64_t)t * s->B + p.r0) * H;
    const real   *cells = c->args.in[0], *dy = c->args.in[3];
    real         *dz = c->args.out;
    memcpy(dh + p.from * H, dy + at + p.from * H, (size_t)(p.to - p.from) * H * sizeof *dh);
    if (later >= 0 && c->apart)
        bs_gemm_apart(c->vec, true, p.to - p.from, H, 4 * H, dz + 4 * later + p.from * 4 * H, 4 * H,
                      c->args.in[1], 4 * H, 1, dh + p.from * H, H, dc + ROWS * H);
    else if (later >= 0 && p.to > p.from)
        bs_gemm(false, true, p.to - p.from, H, 4 * H, dz + 4 * later + p.from * 4 * H, 4 * H,
                c->args.in[1], 4 * H, 1, dh + p.from * H, H);
    for (int r = 0; r < p.rows; r++) {
        const real *h = cells + at + (int64_t)r * H;
        real       *out = dz + 4 * (at + (int64_t)r * H);
        if (t < s->len[p.r0 + r]) {
            const real *old = before >= 0 ? cells + plane + before + (int64_t)r * H : NULL;
            c->vec->lstm->backward(dh + r * H, dc + r * H, old, h + plane, h + 2 * plane,
                                   h + 3 * plane, h + 4 * plane, h + 5 * plane, out, H);
        } else {
            memset(out, 0, (size_t)(4 * H) * sizeof *out);
        }
    }
}

static void back_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const sequences s = sequences_of(&c->args, c->args.in_shape[0]);
    real           *dh = scratch, *dc = dh + ROWS * s.H;
    for (int64_t piece = begin; piece < end; piece++) {
        memset(dc, 0, (size_t)(ROWS * s.H) * sizeof *dc);
        for (int step = s.T - 1; step >= 0; step--) {
            int     t = s.reverse ? s.T - 1 - step : step, sign = s.reverse ? -1 : 1;
            span    p = span_at(&s, piece, t);
            int64_t row = (int64_t)s.B * s.H, r0 = (int64_t)p.r0 * s.H;
            back_step(c, &s, p, t, step > 0 ? (t - sign) * row + r0 : -1,
                      step < s.T - 1 ? (t + sign) * row + r0 : -1, dh, dc);
        }
    }
}

const bs_kernel bs_kernel_lstm_back = {
    .measure = back_measure, .run = back_run, .hard_to_share = few_sequences};
