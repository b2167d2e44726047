/* update.c -- optimiser steps: one pass over parameters, gradient and state.
 *
 * This is the largest cost of a small batch on a wide input, and it is bound
 * by memory: every value is read once and written once. A NULL gradient means
 * zeros that were never written. */
#include "device/cpu/vec.h"
#include "graph/vecmath.h"
#include "device/device.h"

/* Polyak's momentum: m = mu m + g, p -= rate m, with coupled decay. */
static inline void sgd_one(real *p, real g, real *m, real mu, real decay, real rate)
{
    *m = mu * *m + g + decay * *p;
    *p -= rate * *m;
}

/* g == NULL: zeros */
static void sgd(const bs_update *u, real *p, const real *g, real *m, real decay, real rate,
                int64_t n)
{
    const real mu = (real)u->momentum, scale = (real)u->scale;
    if (g) {
#pragma omp simd
        for (int64_t i = 0; i < n; i++)
            sgd_one(p + i, g[i] * scale, m + i, mu, decay, rate);
    } else {
#pragma omp simd
        for (int64_t i = 0; i < n; i++)
            sgd_one(p + i, 0, m + i, mu, decay, rate);
    }
}

/* Kingma and Ba (2015); with AdamW the decay bypasses the moments (Loshchilov and
 * Hutter 2019). The bias corrections are folded into rate and eps:
 * rate mhat / (sqrt(vhat) + eps) = rate' m / (sqrt(v) + eps'). */
typedef struct {
    real b1, b2, c1, c2, scale, rate, eps, coupled, shrink;
} adam_constants;

static adam_constants adam_prepare(const bs_update *u, real decay, real rate)
{
    bool decoupled = u->rule == BS_UPDATE_ADAMW;
    return (adam_constants){
        .b1 = (real)u->beta1,
        .b2 = (real)u->beta2,
        .c1 = (real)(1 - u->beta1),
        .c2 = (real)(1 - u->beta2),
        .scale = (real)u->scale,
        .rate = (real)((double)rate * sqrt(u->fix2) / u->fix1),
        .eps = (real)(u->eps * sqrt(u->fix2)),
        .coupled = decoupled ? 0 : decay,
        .shrink = decoupled ? 1 - rate * decay : 1,
    };
}

static inline void adam_one(adam_constants k, real *p, real g, real *m, real *v)
{
    real d = g + k.coupled * *p;
    real a = k.b1 * *m + k.c1 * d;
    real b = k.b2 * *v + k.c2 * d * d;
    *m = a;
    *v = b;
    *p = k.shrink * *p - k.rate * a / (bs_vsqrt(b) + k.eps);
}

/* g == NULL: zeros */
static void adam(adam_constants k, real *p, const real *g, real *m, real *v, int64_t n)
{
    if (g) {
#pragma omp simd
        for (int64_t i = 0; i < n; i++)
            adam_one(k, p + i, g[i] * k.scale, m + i, v + i);
    } else {
#pragma omp simd
        for (int64_t i = 0; i < n; i++)
            adam_one(k, p + i, 0, m + i, v + i);
    }
}

static void apply(const bs_update *u, real *p, const real *g, real *m, real *v, real decay,
                  real rate, int64_t n)
{
    if (u->rule == BS_UPDATE_SGD) {
        sgd(u, p, g, m, decay, rate, n);
        return;
    }
    adam(adam_prepare(u, decay, rate), p, g, m, v, n);
}

/* Partial sums in double, enough of them that additions need not wait for each other; the
 * order is fixed by n alone. */
enum { PARTS = 32 };

static double square_sum(const real *x, int64_t n)
{
    double  part[PARTS] = {0};
    int64_t i = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int k = 0; k < PARTS; k++)
            part[k] += (double)x[i + k] * (double)x[i + k];
    for (; i < n; i++)
        part[i % PARTS] += (double)x[i] * (double)x[i];
    for (int half = PARTS / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            part[k] += part[k + half];
    return part[0];
}

extern const bs_vec_update BS_V(bs_vec_update);
const bs_vec_update        BS_V(bs_vec_update) = {apply, square_sum};
