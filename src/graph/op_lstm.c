/* op_lstm.c -- an LSTM direction over a whole sequence, fused, and from primitives.
 *
 *   z_t = xp_t + h_{t-1} Wh        split in i, f, g, o
 *   c_t = sig(f) c_{t-1} + sig(i) tanh(g),   h_t = sig(o) tanh(c_t)
 *
 * Three ops. lstm_cells computes six planes [6, T, B, H]: h, c and the four activated gates. lstm
 * is a view of plane 0 that knows the operands: its derivative is lstm_back, which gives dz [T, B,
 * 4H]; since xp enters z by addition, dz is the adjoint of xp, and that of Wh is the product of the
 * shifted h with dz, an ordinary matmul of views. lstm_back has no derivative: energies over y must
 * use bs_lstm_unrolled, encoders of x never need a second derivative. */
#include <math.h>
#include <string.h>

#include "graph/op.h"

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* lstm_cells: operands xp, wh, len; attr = reverse ------------------------------- */

static const char *lstm_cells_shape(const bs_graph *g, bs_node *n)
{
    bs_shape xp = bs_shape_of(g, n->src[0]), wh = bs_shape_of(g, n->src[1]);
    bs_shape len = bs_shape_of(g, n->src[2]);
    int      H = wh.d[2];
    n->type = BS_T_REAL;
    if (xp.d[0] != 1 || xp.d[3] != 4 * H || wh.d[3] != 4 * H || wh.d[0] != 1 || wh.d[1] != 1)
        return "the input is not [T, B, 4H] or the weights are not [H, 4H]";
    if (bs_shape_count(len) != xp.d[2])
        return "there is not one length per sequence";
    n->shape = bs_shape4(6, xp.d[1], xp.d[2], H);
    return NULL;
}

static void lstm_cells_eval(const bs_args *a)
{
    const int      T = a->node->shape.d[1], B = a->node->shape.d[2], H = a->node->shape.d[3];
    const bool     reverse = a->node->attr[0];
    const int64_t  plane = (int64_t)T * B * H;
    const real    *xp = a->in[0], *wh = a->in[1];
    const int32_t *len = a->in[2];
    real          *cells = a->out;
    memset(cells, 0, (size_t)plane * 6 * sizeof(real));
    for (int step = 0; step < T; step++) {
        int t = reverse ? T - 1 - step : step, before = reverse ? t + 1 : t - 1;
        for (int b = 0; b < B; b++) {
            if (t >= len[b])
                continue;
            for (int j = 0; j < H; j++) {
                double z[4];
                for (int q = 0; q < 4; q++) {
                    z[q] = (double)xp[((int64_t)t * B + b) * 4 * H + q * H + j];
                    for (int k = 0; k < H && step > 0; k++)
                        z[q] += (double)cells[((int64_t)before * B + b) * H + k] *
                                (double)wh[(int64_t)k * 4 * H + q * H + j];
                }
                int64_t at = ((int64_t)t * B + b) * H + j;
                int64_t prev = ((int64_t)before * B + b) * H + j;
                double  i = sigmoid(z[0]), f = sigmoid(z[1]), u = tanh(z[2]), o = sigmoid(z[3]);
                double  c = f * (step > 0 ? (double)cells[plane + prev] : 0) + i * u;
                cells[at] = (real)(o * tanh(c));
                cells[plane + at] = (real)c;
                cells[2 * plane + at] = (real)i;
                cells[3 * plane + at] = (real)f;
                cells[4 * plane + at] = (real)u;
                cells[5 * plane + at] = (real)o;
            }
        }
    }
}

enum { EX_T = 4, EX_B = 3, EX_H = 2 };

static bs_id lstm_cells_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_node n = bs_make_node(BS_OP_lstm_cells,
                             bs_example_real(g, ex, bs_shape3(EX_T, EX_B, 4 * EX_H), -1, 1),
                             bs_example_real(g, ex, bs_shape2(EX_H, 4 * EX_H), -1, 1),
                             bs_example_int(g, ex, bs_shape1(EX_B), EX_T + 1, false), 0);
    n.attr[0] = variant;
    return bs_emit(g, n);
}

const bs_op bs_op_lstm_cells = {.name = "lstm_cells",
                                .in = "rri",
                                .shape = lstm_cells_shape,
                                .eval = lstm_cells_eval,
                                .example = lstm_cells_example,
                                .examples = 2};

/* lstm: operands cells, xp, wh, len ---------------------------------------------- */

static const char *lstm_shape(const bs_graph *g, bs_node *n)
{
    bs_shape cells = bs_shape_of(g, n->src[0]);
    n->type = BS_T_REAL;
    n->shape = bs_shape3(cells.d[1], cells.d[2], cells.d[3]);
    return cells.d[0] == 6 ? NULL : "the first operand is not what lstm_cells gives";
}

/* h before step t, for all t but the first, times dz there: both are views */
static bs_id weight_adjoint(bs_graph *g, bs_id h, bs_id dz, bool reverse)
{
    bs_shape s = bs_shape_of(g, h);
    int      T = s.d[1], B = s.d[2], H = s.d[3];
    if (T == 1)
        return bs_fill(g, 0, bs_shape2(H, 4 * H));
    bs_id earlier = bs_slice(g, h, -3, reverse ? 1 : 0, T - 1);
    bs_id later = bs_slice(g, dz, -3, reverse ? 0 : 1, T - 1);
    return bs_matmul(g, bs_reshape(g, earlier, bs_shape2((T - 1) * B, H)),
                     bs_reshape(g, later, bs_shape2((T - 1) * B, 4 * H)), true, false);
}

static void lstm_vjp(bs_graph *g, const bs_node *n, bs_id y, bs_id dy, bs_id dx[4])
{
    bs_node back = bs_make_node(BS_OP_lstm_back, n->src[0], n->src[2], n->src[3], dy);
    back.attr[0] = n->attr[0];
    dx[1] = bs_emit(g, back);
    dx[2] = weight_adjoint(g, y, dx[1], n->attr[0]);
}

static void lstm_eval(const bs_args *a)
{
    memcpy(a->out, a->in[0], bs_value_bytes(BS_T_REAL, a->node->shape));
}

static bool lstm_view(const bs_graph *g, const bs_node *n, int64_t *offset)
{
    (void)g, (void)n;
    *offset = 0;
    return true;
}

static bs_id lstm_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_id xp = bs_example_real(g, ex, bs_shape3(EX_T, EX_B, 4 * EX_H), -1, 1);
    bs_id wh = bs_example_real(g, ex, bs_shape2(EX_H, 4 * EX_H), -1, 1);
    return bs_lstm(g, xp, wh, bs_example_int(g, ex, bs_shape1(EX_B), EX_T + 1, false), variant);
}

const bs_op bs_op_lstm = {.name = "lstm",
                          .in = "rrri",
                          .flags = BS_OP_ALIAS | BS_OP_ONCE,
                          .shape = lstm_shape,
                          .vjp = lstm_vjp,
                          .eval = lstm_eval,
                          .view = lstm_view,
                          .example = lstm_example,
                          .examples = 2};

bs_id bs_lstm(bs_graph *g, bs_id xp, bs_id wh, bs_id len, bool reverse)
{
    bs_node cells = bs_make_node(BS_OP_lstm_cells, xp, wh, len, 0);
    cells.attr[0] = reverse;
    bs_node h = bs_make_node(BS_OP_lstm, bs_emit(g, cells), xp, wh, len);
    h.attr[0] = reverse;
    return bs_emit(g, h);
}

/* lstm_back: operands cells, wh, len, dh; the adjoint of z ---------------------------- */

static const char *lstm_back_shape(const bs_graph *g, bs_node *n)
{
    bs_shape cells = bs_shape_of(g, n->src[0]), wh = bs_shape_of(g, n->src[1]);
    bs_shape dh = bs_shape_of(g, n->src[3]);
    n->type = BS_T_REAL;
    if (cells.d[0] != 6 || wh.d[2] != cells.d[3] || wh.d[3] != 4 * cells.d[3] ||
        !bs_shape_equal(dh, bs_shape3(cells.d[1], cells.d[2], cells.d[3])))
        return "cells, weights and adjoint do not agree";
    n->shape = bs_shape3(cells.d[1], cells.d[2], 4 * cells.d[3]);
    return NULL;
}

/* One sequence, one step: dz from the adjoints of h and of the cell. Writes dz[4H] and moves dc
 * from step t to the step before. */
static void step_back(const real *cells, int64_t plane, int64_t at, int64_t prev, int H,
                      const double *dh, double *dc, real *dz)
{
    for (int j = 0; j < H; j++) {
        double c = (double)cells[plane + at + j], i = (double)cells[2 * plane + at + j];
        double f = (double)cells[3 * plane + at + j], u = (double)cells[4 * plane + at + j];
        double o = (double)cells[5 * plane + at + j], tc = tanh(c);
        double before = prev >= 0 ? (double)cells[plane + prev + j] : 0;
        double d = dc[j] + dh[j] * o * (1 - tc * tc);
        dz[j] = (real)(d * u * i * (1 - i));
        dz[H + j] = (real)(d * before * f * (1 - f));
        dz[2 * H + j] = (real)(d * i * (1 - u * u));
        dz[3 * H + j] = (real)(dh[j] * tc * o * (1 - o));
        dc[j] = d * f;
    }
}

enum { PLAIN_MAX_H = 1024 }; /* the plain kernel keeps two rows on the stack */

static void lstm_back_eval(const bs_args *a)
{
    const int      T = a->in_shape[0].d[1], B = a->in_shape[0].d[2], H = a->in_shape[0].d[3];
    const bool     reverse = a->node->attr[0];
    const real    *cells = a->in[0], *wh = a->in[1], *dy = a->in[3];
    const int32_t *len = a->in[2];
    real          *dz = a->out;
    double         dh[PLAIN_MAX_H], dc[PLAIN_MAX_H];
    memset(dz, 0, bs_value_bytes(BS_T_REAL, a->node->shape));
    for (int b = 0; b < B && H <= PLAIN_MAX_H; b++) {
        memset(dc, 0, sizeof dc);
        real *later = NULL;
        for (int step = T - 1; step >= 0; step--) {
            int t = reverse ? T - 1 - step : step, before = reverse ? t + 1 : t - 1;
            if (t >= len[b])
                continue;
            int64_t at = ((int64_t)t * B + b) * H;
            for (int j = 0; j < H; j++) {
                dh[j] = (double)dy[at + j];
                for (int q = 0; q < 4 * H && later; q++)
                    dh[j] += (double)later[q] * (double)wh[(int64_t)j * 4 * H + q];
            }
            later = dz + at * 4;
            step_back(cells, (int64_t)T * B * H, at, step > 0 ? ((int64_t)before * B + b) * H : -1,
                      H, dh, dc, later);
        }
    }
}

static bs_id lstm_back_example(bs_graph *g, bs_example *ex, int variant)
{
    bs_id   cells = lstm_cells_example(g, ex, variant);
    bs_node n = *bs_graph_node(g, cells);
    bs_id   dh = bs_example_real(g, ex, bs_shape3(EX_T, EX_B, EX_H), -1, 1);
    bs_node back = bs_make_node(BS_OP_lstm_back, cells, n.src[1], n.src[2], dh);
    back.attr[0] = variant;
    return bs_emit(g, back);
}

const bs_op bs_op_lstm_back = {.name = "lstm_back",
                               .in = "rrir",
                               .shape = lstm_back_shape,
                               .eval = lstm_back_eval,
                               .example = lstm_back_example,
                               .examples = 2};

/* ---- the same from primitives ---- */

static bs_id gate(bs_graph *g, bs_id z, int which, int H)
{
    return bs_slice(g, z, -1, which * H, H);
}

bs_id bs_lstm_unrolled(bs_graph *g, bs_id xp, bs_id wh, bs_id mask, bool reverse)
{
    bs_shape s = bs_shape_of(g, xp);
    int      T = s.d[1], B = s.d[2], H = s.d[3] / 4;
    bs_id    h = bs_fill(g, 0, bs_shape2(B, H)), c = h, all = 0;
    for (int step = 0; step < T; step++) {
        int   t = reverse ? T - 1 - step : step;
        bs_id x = bs_reshape(g, bs_slice(g, xp, -3, t, 1), bs_shape2(B, 4 * H));
        bs_id m = bs_reshape(g, bs_slice(g, mask, -3, t, 1), bs_shape2(B, 1));
        bs_id z = bs_add(g, x, bs_matmul(g, h, wh, false, false));
        bs_id i = bs_sigmoid(g, gate(g, z, 0, H)), f = bs_sigmoid(g, gate(g, z, 1, H));
        bs_id u = bs_tanh(g, gate(g, z, 2, H)), o = bs_sigmoid(g, gate(g, z, 3, H));
        /* outside the sequence the state is zero, as in lstm_cells */
        c = bs_mul(g, m, bs_add(g, bs_mul(g, f, c), bs_mul(g, i, u)));
        h = bs_mul(g, m, bs_mul(g, o, bs_tanh(g, c)));
        bs_id row = bs_reshape(g, h, bs_shape3(1, B, H));
        all = !all ? row : reverse ? bs_concat(g, row, all, -3) : bs_concat(g, all, row, -3);
    }
    return all;
}
