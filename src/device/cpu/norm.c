/* norm.c -- kernels of batch normalisation (graph/op_norm.c).
 *
 * A sum over a channel is a piece: planes in the order of the batch, each summed by itself and
 * added up in double. What is written is cut by planes. */
#include "device/cpu/kernel.h"

typedef struct {
    int64_t rows, channels, plane;
} layout;

static layout layout_of(bs_shape x)
{
    return (layout){x.d[0], x.d[1], (int64_t)x.d[2] * x.d[3]};
}

static void by_channel(const bs_call *c, bs_work *w)
{
    w->pieces = c->args.in_shape[0].d[1];
    w->cost = (double)bs_shape_count(c->args.in_shape[0]) * 0.15 + 20.0 * (double)w->pieces;
}

/* Two passes over a channel: variance needs the exact mean. */
static void moments_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const bs_vec_norm *v = c->vec->norm;
    const layout       l = layout_of(c->args.in_shape[0]);
    const double       n = (double)(l.rows * l.plane);
    real              *out = c->args.out;
    (void)scratch;
    for (int64_t ch = begin; ch < end; ch++) {
        const real *x = (const real *)c->args.in[0] + ch * l.plane;
        double      sum = 0, squares = 0;
        for (int64_t b = 0; b < l.rows; b++)
            sum += (double)c->vec->reduce->sum(x + b * l.channels * l.plane, l.plane);
        const real mean = (real)(sum / n);
        for (int64_t b = 0; b < l.rows; b++)
            squares += v->squares(x + b * l.channels * l.plane, mean, l.plane);
        out[ch] = mean;
        out[l.channels + ch] = (real)(squares / n);
    }
}

static void scaled_sums_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const layout l = layout_of(c->args.in_shape[0]);
    const real  *dy = c->args.in[0], *y = c->args.in[1], *x = c->args.in[2];
    real        *out = c->args.out;
    (void)scratch;
    for (int64_t ch = begin; ch < end; ch++) {
        double sum[2] = {0, 0};
        for (int64_t b = 0; b < l.rows; b++) {
            const int64_t at = (b * l.channels + ch) * l.plane;
            c->vec->norm->sums(dy + at, y + at, x + at, l.plane, sum);
        }
        out[ch] = (real)sum[0];
        out[l.channels + ch] = (real)sum[1];
    }
}

const bs_kernel bs_kernel_moments = {.measure = by_channel, .run = moments_run};
const bs_kernel bs_kernel_scaled_sums = {.measure = by_channel, .run = scaled_sums_run};

static void by_plane(const bs_call *c, bs_work *w)
{
    const layout l = layout_of(c->args.in_shape[0]);
    w->pieces = l.rows * l.channels;
    w->cost = (double)(w->pieces * l.plane) * 0.15;
}

static void scaled_relu_run(const bs_call *c, int64_t begin, int64_t end, void *scratch)
{
    const layout l = layout_of(c->args.in_shape[0]);
    const real  *s = c->args.in[1];
    (void)scratch;
    for (int64_t i = begin; i < end; i++)
        c->vec->norm->scaled_relu((real *)c->args.out + i * l.plane,
                                  (const real *)c->args.in[0] + i * l.plane, s[i % l.channels],
                                  s[l.channels + i % l.channels], l.plane);
}

const bs_kernel bs_kernel_scaled_relu = {.measure = by_plane, .run = scaled_relu_run};
