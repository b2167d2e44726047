/* reduce.c -- sums over any dimensions, and maxima and exponentials along one.
 *
 * Pieces are outputs: no sum is ever shared between threads, so its order is
 * that of the shape. A sum of everything is therefore serial; it runs at the
 * speed of memory anyway. */
#include <string.h>

#include "device/cpu/kernel.h"

enum {
    WORK = 4096,   /* elements read in a piece, about a microsecond */
    LINES = 16,    /* neighbouring lines copied together when an axis is not the last */
    SEGMENT = 1024 /* outputs added up at a time: they stay in L1 */
};

static int64_t at_least_one(int64_t a)
{
    return a < 1 ? 1 : a;
}

/* ---- sum_to ---- */

/* The operand after neighbouring dimensions that are both kept or both summed were merged: an
 * innermost one of length n, around it at most two kept and two summed. */
typedef struct {
    bool    line; /* the innermost one is summed */
    int64_t n;
    int64_t keep[2], keep_stride[2], sum[2], sum_stride[2];
    int64_t outputs, terms; /* how many, and elements added for each */
} layout;

static layout layout_of(const bs_call *c)
{
    const bs_shape from = c->args.in_shape[0], to = c->args.node->shape;
    int64_t        size[4] = {1, 1, 1, 1}, stride = 1;
    bool           summed[4] = {false};
    int            rank = 0;
    layout         y = {.keep = {1, 1}, .sum = {1, 1}, .outputs = bs_shape_count(to)};
    if (c->apart &&
        from.d[3] == 1) /* rows that may be inside do not make a line when there is one */
        rank = 1;
    for (int i = 3; i >= 0; i--) {
        bool s = to.d[i] == 1;
        if (from.d[i] == 1)
            continue;
        if (rank == 0 || summed[rank - 1] != s)
            summed[rank++] = s;
        size[rank - 1] *= from.d[i];
    }
    y.line = summed[0];
    y.n = stride = size[0];
    y.terms = at_least_one(bs_shape_count(from) / at_least_one(y.outputs));
    for (int i = 1, kept = 1, left = 1; i < rank; i++) {
        int at = summed[i] ? left-- : kept--;
        (summed[i] ? y.sum : y.keep)[at] = size[i];
        (summed[i] ? y.sum_stride : y.keep_stride)[at] = stride;
        stride *= size[i];
    }
    return y;
}

/* Outputs in a piece: enough work, and whole cache lines unless lines are long. */
static int64_t outputs_per_piece(const layout *y)
{
    int64_t enough = at_least_one(WORK / y->terms);
    return y->line && enough < 16 ? enough : bs_divide_up(enough, 16) * 16;
}

static void sum_to_measure(const bs_call *c, bs_work *w)
{
    layout y = layout_of(c);
    w->pieces = bs_divide_up(y.outputs, outputs_per_piece(&y));
    w->cost = (double)bs_shape_count(c->args.in_shape[0]) * 0.08 + (double)y.outputs;
}

static real sum_lines(const bs_call *c, const layout *y, const real *x)
{
    real (*sum)(const real *, int64_t) = c->apart ? c->vec->reduce->sum_apart : c->vec->reduce->sum;
    real total = 0;
    for (int64_t i = 0; i < y->sum[0]; i++)
        for (int64_t j = 0; j < y->sum[1]; j++)
            total += sum(x + i * y->sum_stride[0] + j * y->sum_stride[1], y->n);
    return total;
}

/* out[0 .. m) = sum of the rows at x */
static void sum_columns(const bs_vec_reduce *v, const layout *y, real *out, const real *x,
                        int64_t m)
{
    memcpy(out, x, (size_t)m * sizeof *out);
    for (int64_t i = 0; i < y->sum[0]; i++)
        for (int64_t j = i == 0; j < y->sum[1]; j++)
            v->add(out, x + i * y->sum_stride[0] + j * y->sum_stride[1], m);
}

static void sum_to_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const layout  y = layout_of(c);
    const int64_t per = outputs_per_piece(&y), width = y.line ? 1 : y.n;
    const int64_t last = end * per < y.outputs ? end * per : y.outputs;
    real         *out = c->args.out;
    (void)scratch;
    for (int64_t o = begin * per; o < last;) {
        int64_t     row = o / width, h = o % width, m = width - h < SEGMENT ? width - h : SEGMENT;
        const real *x = (const real *)c->args.in[0] + row / y.keep[1] * y.keep_stride[0] +
                        row % y.keep[1] * y.keep_stride[1];
        m = m < last - o ? m : last - o;
        if (y.line)
            out[o] = sum_lines(c, &y, x);
        else
            sum_columns(c->vec->reduce, &y, out + o, x + h, m);
        o += m;
    }
}

const bs_kernel bs_kernel_sum_to = {.measure = sum_to_measure, .run = sum_to_run};

/* ---- along an axis ---- */

/* Lines along the last axis are contiguous and go by several; others go LINES at a time. */
static int64_t lines_per_piece(bs_axis_view v)
{
    return v.inner == 1 ? at_least_one(WORK / 4 / v.n) : LINES;
}

static bs_axis_view view_of(const bs_call *c)
{
    return bs_around_axis(c->args.in_shape[0], c->args.node->attr[0]);
}

static void axis_measure(const bs_call *c, bs_work *w, double cost)
{
    bs_axis_view v = view_of(c);
    w->pieces = v.inner == 1 ? bs_divide_up(v.outer, lines_per_piece(v))
                             : v.outer * bs_divide_up(v.inner, LINES);
    w->cost = (double)bs_shape_count(c->args.in_shape[0]) * cost + (double)(v.outer * v.inner) * 8;
}

/* Piece of an axis that is not the last: lines i .. i + m of block o. */
static void strided_piece(bs_axis_view v, int64_t piece, int64_t *o, int64_t *i, int64_t *m)
{
    int64_t blocks = bs_divide_up(v.inner, LINES);
    *o = piece / blocks;
    *i = piece % blocks * LINES;
    *m = v.inner - *i < LINES ? v.inner - *i : LINES;
}

static void normalised_measure(const bs_call *c, bs_work *w)
{
    bs_axis_view v = view_of(c);
    axis_measure(c, w, v.inner == 1 ? 0.7 : 2);
    w->scratch = v.inner == 1 ? 0 : (size_t)v.n * LINES * sizeof(real);
}

/* Of one contiguous line; out is a line too, or for logsumexp one element. */
static void normalise(const bs_call *c, real *out, const real *x, int64_t n)
{
    if (c->args.node->op == BS_OP_logsumexp)
        *out = c->vec->reduce->logsumexp(x, n);
    else if (c->args.node->op == BS_OP_softmax)
        c->vec->reduce->softmax(out, x, n);
    else
        c->vec->reduce->log_softmax(out, x, n);
}

static void normalise_strided(const bs_call *c, bs_axis_view v, int64_t piece, real *line)
{
    const bool one = c->args.node->op == BS_OP_logsumexp;
    int64_t    o, i, m;
    strided_piece(v, piece, &o, &i, &m);
    const real *x = (const real *)c->args.in[0] + o * v.n * v.inner + i;
    real       *out = (real *)c->args.out + (one ? o : o * v.n) * v.inner + i;
    for (int64_t k = 0; k < v.n; k++)
        for (int64_t j = 0; j < m; j++)
            line[j * v.n + k] = x[k * v.inner + j];
    for (int64_t j = 0; j < m; j++)
        normalise(c, one ? out + j : line + j * v.n, line + j * v.n, v.n);
    for (int64_t k = 0; k < v.n && !one; k++)
        for (int64_t j = 0; j < m; j++)
            out[k * v.inner + j] = line[j * v.n + k];
}

static void normalised_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_axis_view v = view_of(c);
    const int64_t      per = lines_per_piece(v);
    const int64_t      width = c->args.node->op == BS_OP_logsumexp ? 1 : v.n;
    if (v.inner > 1)
        for (int64_t piece = begin; piece < end; piece++)
            normalise_strided(c, v, piece, scratch);
    else
        for (int64_t o = begin * per; o < end * per && o < v.outer; o++)
            normalise(c, (real *)c->args.out + o * width, (const real *)c->args.in[0] + o * v.n,
                      v.n);
}

const bs_kernel bs_kernel_logsumexp = {.measure = normalised_measure, .run = normalised_run};
const bs_kernel bs_kernel_softmax = {.measure = normalised_measure, .run = normalised_run};
const bs_kernel bs_kernel_log_softmax = {.measure = normalised_measure, .run = normalised_run};

/* ---- argmax ---- */

static void argmax_measure(const bs_call *c, bs_work *w)
{
    axis_measure(c, w, 1);
}

/* m lines beside each other, so that the operand is read in its order */
static void argmax_lines(int32_t *out, const real *x, int64_t n, int64_t stride, int64_t m)
{
    real best[LINES];
    for (int64_t j = 0; j < m; j++) {
        best[j] = x[j];
        out[j] = 0;
    }
    for (int32_t k = 1; k < n; k++)
        for (int64_t j = 0; j < m; j++)
            if (x[k * stride + j] > best[j]) {
                best[j] = x[k * stride + j];
                out[j] = k;
            }
}

static void argmax_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_axis_view v = view_of(c);
    const int64_t      per = lines_per_piece(v);
    const real        *x = c->args.in[0];
    int32_t           *out = c->args.out;
    (void)scratch;
    if (v.inner == 1) {
        for (int64_t o = begin * per; o < end * per && o < v.outer; o++)
            argmax_lines(out + o, x + o * v.n, v.n, 1, 1);
        return;
    }
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t o, i, m;
        strided_piece(v, piece, &o, &i, &m);
        argmax_lines(out + o * v.inner + i, x + o * v.n * v.inner + i, v.n, v.inner, m);
    }
}

const bs_kernel bs_kernel_argmax = {.measure = argmax_measure, .run = argmax_run};
