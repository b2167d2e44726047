/* layer_norm.c -- lines that are normalised: three passes over a line in the first-level cache.
 *
 * Sums are kept in interleaved partial sums, in an order that depends on the length alone. */
#include <math.h>

#include "device/cpu/vec.h"

enum { PARTS = 64 };

static real fold(real part[PARTS])
{
    for (int half = PARTS / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            part[k] += part[k + half];
    return part[0];
}

/* The sum of an expression in i over 0 .. n. */
#define SUM(result, n, expression)             \
    do {                                       \
        real part[PARTS] = {0};                \
        int  at = 0;                           \
        for (; at + PARTS <= (n); at += PARTS) \
            for (int k = 0; k < PARTS; k++) {  \
                const int i = at + k;          \
                part[k] += (expression);       \
            }                                  \
        for (int i = at; i < (n); i++)         \
            part[i - at] += (expression);      \
        (result) = fold(part);                 \
    } while (0)

static void moments(const real *x, int n, double eps, real *mean, real *r)
{
    real sum, squares;
    SUM(sum, n, x[i]);
    const real m = *mean = sum / (real)n;
    SUM(squares, n, (x[i] - m) * (x[i] - m));
    *r = (real)(1 / sqrt((double)squares / n + eps));
}

static void forward(real *out, const real *x, const real *gain, const real *bias, double eps, int n)
{
    real mean, r;
    moments(x, n, eps, &mean, &r);
#pragma omp simd
    for (int i = 0; i < n; i++)
        out[i] = (x[i] - mean) * r * gain[i] + bias[i];
}

static void back(real *out, const real *x, const real *gain, const real *dy, double eps, int n)
{
    real mean, r, sum, by_u;
    moments(x, n, eps, &mean, &r);
    SUM(sum, n, gain[i] * dy[i]);
    SUM(by_u, n, gain[i] * dy[i] * ((x[i] - mean) * r));
    sum /= (real)n;
    by_u /= (real)n;
#pragma omp simd
    for (int i = 0; i < n; i++)
        out[i] = r * (gain[i] * dy[i] - sum - (x[i] - mean) * r * by_u);
}

static void sums(real *by_u, real *all, const real *x, const real *dy, double eps, int n, int from,
                 int to)
{
    real mean, r;
    moments(x, n, eps, &mean, &r);
#pragma omp simd
    for (int i = from; i < to; i++) {
        by_u[i] += dy[i] * ((x[i] - mean) * r);
        all[i] += dy[i];
    }
}

extern const bs_vec_layer_norm BS_V(bs_vec_layer_norm);
const bs_vec_layer_norm        BS_V(bs_vec_layer_norm) = {forward, back, sums};
