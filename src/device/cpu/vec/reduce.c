/* reduce.c -- sums and normalised exponentials of a contiguous line.
 *
 * Sums are kept in interleaved partial sums and folded pairwise: the order
 * depends on the length alone, never on the address, and the rounding error
 * stays small. Long sums go by blocks whose sums are added in double.
 *
 * The last step of a line overlaps the one before: single exponentials at the
 * end would cost more than the rest of a short line. */
#include <math.h>
#include <string.h>

#include "device/cpu/vec.h"
#include "device/cpu/vec/pack.h"
#include "graph/vecmath.h"

enum { PARTS = 32, PACKS = PARTS / LANES, BLOCK = 4096 };
enum { STEP = 16, BUFFER = 512 };

/* Sum of x[0 .. 2 width), which is overwritten. */
static inline real fold(real *x, int width)
{
    for (; width > 0; width /= 2)
        for (int j = 0; j < width; j++)
            x[j] += x[j + width];
    return x[0];
}

static real sum_block(const real *x, int64_t n)
{
    pack    acc[PACKS];
    real    part[PARTS], rest = 0;
    int64_t i = 0, whole = n / LANES * LANES;
    UNROLL
    for (int j = 0; j < PACKS; j++)
        acc[j] = (pack){0};
    for (; i + PARTS <= n; i += PARTS) {
        UNROLL
        for (int j = 0; j < PACKS; j++)
            acc[j] += *(const loose *)(x + i + j * LANES);
    }
    UNROLL
    for (int j = 0; j < PACKS - 1; j++)
        if (i + (j + 1) * LANES <= n)
            acc[j] += *(const loose *)(x + i + j * LANES);
    for (i = whole; i < n; i++)
        rest += x[i];
    UNROLL
    for (int j = 0; j < PACKS; j++)
        *(loose *)(part + j * LANES) = acc[j];
    return fold(part, PARTS / 2) + rest;
}

static real sum(const real *x, int64_t n)
{
    double total = 0;
    if (n < PARTS / 2) {
        real few = 0;
        for (int64_t i = 0; i < n; i++)
            few += x[i];
        return few;
    }
    if (n <= BLOCK)
        return sum_block(x, n);
    for (int64_t i = 0; i < n; i += BLOCK)
        total += (double)sum_block(x + i, n - i < BLOCK ? n - i : BLOCK);
    return (real)total;
}

static void add(real *y, const real *x, int64_t n)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        y[i] += x[i];
}

static inline void raise_to(real part[STEP], const real *x)
{
#pragma omp simd
    for (int j = 0; j < STEP; j++)
        part[j] = bs_vmax(x[j], part[j]);
}

/* As the plain loop `if (x[k] > top) top = x[k]`: a NaN in front stays, others are passed over. */
static real maximum(const real *x, int64_t n)
{
    real part[STEP], top = x[0];
    if (n < STEP) {
        for (int64_t i = 1; i < n; i++)
            top = bs_vmax(x[i], top);
        return top;
    }
    for (int j = 0; j < STEP; j++)
        part[j] = top;
    for (int64_t i = 0; i + STEP <= n; i += STEP)
        raise_to(part, x + i);
    raise_to(part, x + n - STEP);
    for (int width = STEP / 2; width > 0; width /= 2)
        for (int j = 0; j < width; j++)
            part[j] = bs_vmax(part[j + width], part[j]);
    return part[0];
}

/* out = e^(x - top); returns the sum. The end comes first, since out may be x. */
static real exp_block(real *out, const real *x, real top, int64_t n)
{
    const int64_t whole = n / STEP * STEP;
    real          part[STEP], end[STEP], few = 0;
    if (n < STEP) {
#pragma omp simd
        for (int64_t i = 0; i < n; i++)
            out[i] = bs_vexp(x[i] - top);
        for (int64_t i = 0; i < n; i++)
            few += out[i];
        return few;
    }
#pragma omp simd
    for (int j = 0; j < STEP; j++) {
        end[j] = bs_vexp(x[n - STEP + j] - top);
        part[j] = j >= STEP - (int)(n - whole) ? end[j] : 0;
    }
    for (int64_t i = 0; i < whole; i += STEP) {
#pragma omp simd
        for (int j = 0; j < STEP; j++) {
            out[i + j] = bs_vexp(x[i + j] - top);
            part[j] += out[i + j];
        }
    }
    memcpy(out + n - STEP, end, sizeof end);
    return fold(part, STEP / 2);
}

static real exp_sum(real *out, const real *x, real top, int64_t n)
{
    double total = 0;
    for (int64_t i = 0; i < n; i += BLOCK)
        total += (double)exp_block(out + i, x + i, top, n - i < BLOCK ? n - i : BLOCK);
    return (real)total;
}

static real log_sum(const real *x, real top, int64_t n)
{
    real   buffer[BUFFER];
    double total = 0;
    for (int64_t i = 0; i < n; i += BUFFER)
        total += (double)exp_block(buffer, x + i, top, n - i < BUFFER ? n - i : BUFFER);
    return bs_vlog((real)total);
}

/* An infinite maximum is the result: subtracting it would give NaN. */
static real logsumexp(const real *x, int64_t n)
{
    real top = maximum(x, n);
    return isinf(top) ? top : top + log_sum(x, top, n);
}

static void softmax(real *out, const real *x, int64_t n)
{
    real top = maximum(x, n), scale = 1 / exp_sum(out, x, top, n);
    /* 0 beside +inf, NaN at it, and NaN where all are -inf: what e^(x - logsumexp) gives */
    if (isinf(top))
        return;
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        out[i] *= scale;
}

static void log_softmax(real *out, const real *x, int64_t n)
{
    real top = maximum(x, n), rest = isinf(top) ? 0 : log_sum(x, top, n);
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        out[i] = (x[i] - top) - rest;
}

static real dot(const real *x, const real *y, int64_t n)
{
    pack    acc[PACKS];
    real    part[PARTS], rest = 0;
    int64_t i = 0;
    UNROLL
    for (int j = 0; j < PACKS; j++)
        acc[j] = (pack){0};
    for (; i + PARTS <= n; i += PARTS) {
        UNROLL
        for (int j = 0; j < PACKS; j++)
            acc[j] += *(const loose *)(x + i + j * LANES) * *(const loose *)(y + i + j * LANES);
    }
    for (; i < n; i++)
        rest += x[i] * y[i];
    UNROLL
    for (int j = 0; j < PACKS; j++)
        *(loose *)(part + j * LANES) = acc[j];
    return fold(part, PARTS / 2) + rest;
}

static real sum_apart(const real *x, int64_t n)
{
    double total = 0;
    for (int64_t at = 0; at < n; at += BLOCK) {
        const int64_t end = at + BLOCK < n ? at + BLOCK : n,
                      whole = at + (end - at) / PARTS * PARTS;
        real last[PARTS] = {0};
        pack acc[PACKS];
        memcpy(last, x + whole, (size_t)(end - whole) * sizeof *last);
        UNROLL
        for (int j = 0; j < PACKS; j++)
            acc[j] = (pack){0};
        for (int64_t i = at; i < end; i += PARTS) {
            const real *from = i < whole ? x + i : last;
            UNROLL
            for (int j = 0; j < PACKS; j++)
                acc[j] += *(const loose *)(from + j * LANES);
        }
        UNROLL
        for (int j = 0; j < PACKS; j++)
            *(loose *)(last + j * LANES) = acc[j];
        total += (double)fold(last, PARTS / 2);
    }
    return (real)total;
}

const bs_vec_reduce BS_V(bs_vec_reduce) = {sum,         add, logsumexp, softmax,
                                           log_softmax, dot, sum_apart};
