/* norm.c -- loops over a plane of a channel for batch normalisation.
 *
 * Sums are kept in interleaved partial sums and folded in double, in an order that depends on the
 * length alone. */
#include "device/cpu/vec.h"

enum { PARTS = 64, BLOCK = 2048 };

static double fold(const real part[PARTS])
{
    double all[PARTS];
    for (int k = 0; k < PARTS; k++)
        all[k] = (double)part[k];
    for (int half = PARTS / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            all[k] += all[k + half];
    return all[0];
}

static double squares_block(const real *x, real mean, int64_t n)
{
    real    part[PARTS] = {0};
    int64_t i = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int k = 0; k < PARTS; k++)
            part[k] += (x[i + k] - mean) * (x[i + k] - mean);
    for (int k = 0; i < n; i++, k++)
        part[k] += (x[i] - mean) * (x[i] - mean);
    return fold(part);
}

static double squares(const real *x, real mean, int64_t n)
{
    double total = 0;
    for (int64_t i = 0; i < n; i += BLOCK)
        total += squares_block(x + i, mean, n - i < BLOCK ? n - i : BLOCK);
    return total;
}

static void sums_block(const real *dy, const real *y, const real *x, int64_t n, double sum[2])
{
    real    by_x[PARTS] = {0}, all[PARTS] = {0};
    int64_t i = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int k = 0; k < PARTS; k++) {
            real d = y[i + k] > 0 ? dy[i + k] : 0;
            by_x[k] += d * x[i + k];
            all[k] += d;
        }
    for (int k = 0; i < n; i++, k++) {
        real d = y[i] > 0 ? dy[i] : 0;
        by_x[k] += d * x[i];
        all[k] += d;
    }
    sum[0] += fold(by_x);
    sum[1] += fold(all);
}

static void sums(const real *dy, const real *y, const real *x, int64_t n, double sum[2])
{
    for (int64_t i = 0; i < n; i += BLOCK)
        sums_block(dy + i, y + i, x + i, n - i < BLOCK ? n - i : BLOCK, sum);
}

static void scaled_relu(real *y, const real *x, real factor, real term, int64_t n)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        real v = x[i] * factor + term;
        y[i] = v <= 0 ? 0 : v;
    }
}

extern const bs_vec_norm BS_V(bs_vec_norm);
const bs_vec_norm        BS_V(bs_vec_norm) = {squares, sums, scaled_relu};
