/* memory.c -- memory of the CPU, which is that of the host: nothing is copied to be looked at.
 *
 * Loops over ranges go in steps of eight with a partial sum for each, so that a compiler can use
 * vectors and every sum has one order. */
#include <string.h>

#include "device/cpu/program.h"

enum { W = BS_RANGE_STEP };

static real *reals(const bs_buffer *b)
{
    return bs_cpu_data(b);
}

basin_status bs_cpu_alloc(const bs_device *d, size_t bytes, bool zero, bs_buffer **out,
                          basin_error *err)
{
    bs_cpu_buffer *b = bs_calloc(1, sizeof *b);
    *out = NULL;
    if (b)
        b->data = zero ? bs_calloc(bytes + 1, 1) : bs_alloc(bytes + 1);
    if (!b || !b->data) {
        bs_free(b);
        return bs_fail_nomem(err);
    }
    b->head = (bs_buffer){d, bytes};
    *out = &b->head;
    return BASIN_OK;
}

void bs_cpu_free(bs_buffer *b)
{
    bs_free(((bs_cpu_buffer *)b)->data);
    bs_free(b);
}

basin_status bs_cpu_map(const bs_buffer *b, size_t at, size_t bytes, bs_access access, void **out,
                        basin_error *err)
{
    (void)bytes, (void)access, (void)err;
    *out = (char *)bs_cpu_data(b) + at;
    return BASIN_OK;
}

void bs_cpu_unmap(const bs_buffer *b, size_t at, size_t bytes, bs_access access, void *mapped)
{
    (void)b, (void)at, (void)bytes, (void)access, (void)mapped;
}

void bs_cpu_copy(bs_buffer *to, int64_t to_at, const bs_buffer *from, int64_t from_at, int64_t n)
{
    memmove(reals(to) + to_at, reals(from) + from_at, (size_t)n * sizeof(real));
}

void bs_cpu_fill(bs_buffer *b, int64_t at, int64_t n, double value)
{
    real *x = reals(b) + at;
    if (value == 0)
        memset(x, 0, (size_t)n * sizeof *x);
    else
        for (int64_t i = 0; i < n; i++)
            x[i] = (real)value;
}

static void scale(real *y, double factor, const real *x, int64_t n)
{
    const real f = (real)factor;
    for (int64_t i = 0; i < n; i += W) {
        real z[W];
        for (int k = 0; k < W; k++)
            z[k] = f * x[i + k];
        memcpy(y + i, z, sizeof z);
    }
}

static void mix(double b, real *y, double a, const real *x, int64_t n)
{
    const real f = (real)b, h = (real)a;
    for (int64_t i = 0; i < n; i += W) {
        real z[W];
        for (int k = 0; k < W; k++)
            z[k] = f * y[i + k] + h * x[i + k];
        memcpy(y + i, z, sizeof z);
    }
}

void bs_cpu_axpby(const bs_range *range, int n, double b, bs_buffer *y, double a,
                  const bs_buffer *x)
{
    for (int j = 0; j < n; j++) {
        real         *to = reals(y) + range[j].offset;
        const real   *from = x ? reals(x) + range[j].offset : NULL;
        const int64_t count = range[j].count;
        if (a == 0)
            scale(to, b, to, count);
        else if (b == 0)
            scale(to, a, from, count);
        else
            mix(b, to, a, from, count);
    }
}

double bs_cpu_dot(const bs_range *range, int n, const bs_buffer *x, const bs_buffer *y)
{
    double s[W] = {0};
    for (int j = 0; j < n; j++) {
        const real *a = reals(x) + range[j].offset, *b = reals(y) + range[j].offset;
        for (int64_t i = 0; i < range[j].count; i += W)
            for (int k = 0; k < W; k++)
                s[k] += (double)a[i + k] * (double)b[i + k];
    }
    return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}
