/* layer_norm.c -- kernels of normalised lines (graph/op_layer_norm.c). */
#include <string.h>

#include "device/cpu/kernel.h"

enum { LINES = 16 }; /* of a piece */

static int64_t lines_of(bs_shape s)
{
    return bs_shape_count(s) / s.d[3];
}

static void by_lines(const bs_call *c, bs_work *w)
{
    w->pieces = bs_divide_up(lines_of(c->args.in_shape[0]), LINES);
    w->cost = (double)bs_shape_count(c->args.in_shape[0]) * 0.3;
}

static void forward_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const int64_t lines = lines_of(c->args.in_shape[0]);
    const int     n = c->args.in_shape[0].d[3];
    const real   *x = c->args.in[0];
    (void)scratch;
    for (int64_t i = begin * LINES; i < end * LINES && i < lines; i++)
        c->vec->layer_norm->forward((real *)c->args.out + i * n, x + i * n, c->args.in[1],
                                    c->args.in[2], c->args.node->value[0], n);
}

const bs_kernel bs_kernel_layer_norm = {.measure = by_lines, .run = forward_run};

static void back_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const int64_t lines = lines_of(c->args.in_shape[0]);
    const int     n = c->args.in_shape[0].d[3];
    const real   *x = c->args.in[0], *dy = c->args.in[2];
    (void)scratch;
    for (int64_t i = begin * LINES; i < end * LINES && i < lines; i++)
        c->vec->layer_norm->back((real *)c->args.out + i * n, x + i * n, c->args.in[1], dy + i * n,
                                 c->args.node->value[0], n);
}

const bs_kernel bs_kernel_layer_norm_back = {.measure = by_lines, .run = back_run};

/* ---- sums over all lines ----
 *
 * A piece sums some columns over all lines, in order. Each has to find the moments of every line
 * again, so there are few pieces: of SHARE columns or more. Lines are added by blocks, and these in
 * double. */

enum { SHARES = 4, SHARE = 64, BLOCK = 64 };

static int shares_of(int n)
{
    return n / SHARE < 1 ? 1 : n / SHARE < SHARES ? n / SHARE : SHARES;
}

static void sums_measure(const bs_call *c, bs_work *w)
{
    const int n = c->args.in_shape[0].d[3];
    w->pieces = shares_of(n);
    w->cost = (double)bs_shape_count(c->args.in_shape[0]) * (0.2 + 0.2 * (double)w->pieces);
    w->scratch = 2 * (size_t)n * (sizeof(real) + sizeof(double));
}

static void sum_columns(const bs_call *c, int from, int to, void *scratch)
{
    const int64_t lines = lines_of(c->args.in_shape[0]);
    const int     n = c->args.in_shape[0].d[3];
    const real   *x = c->args.in[0], *dy = c->args.in[1];
    double       *total = scratch;
    real         *part = (real *)(total + 2 * n), *out = c->args.out;
    memset(total, 0, 2 * (size_t)n * sizeof *total);
    for (int64_t i = 0; i < lines; i++) {
        if (i % BLOCK == 0)
            memset(part, 0, 2 * (size_t)n * sizeof *part);
        c->vec->layer_norm->sums(part, part + n, x + i * n, dy + i * n, c->args.node->value[0], n,
                                 from, to);
        for (int k = from; k < to && (i % BLOCK == BLOCK - 1 || i == lines - 1); k++) {
            total[k] += (double)part[k];
            total[n + k] += (double)part[n + k];
        }
    }
    for (int k = from; k < to; k++) {
        out[k] = (real)total[k];
        out[n + k] = (real)total[n + k];
    }
}

static void sums_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const int n = c->args.in_shape[0].d[3], shares = shares_of(n);
    for (int64_t i = begin; i < end; i++)
        sum_columns(c, (int)(n * i / shares), (int)(n * (i + 1) / shares), scratch);
}

const bs_kernel bs_kernel_layer_norm_sums = {.measure = sums_measure, .run = sums_run};
