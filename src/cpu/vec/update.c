/* update.c -- optimiser steps: one pass over parameters, gradient and state.
 *
 * This is the largest cost of a small batch on a wide input, and it is bound
 * by memory: every value is read once and written once. A NULL gradient means
 * zeros that were never written. */
#include "cpu/vec.h"
#include "graph/vecmath.h"
#include "plan/backend.h"

/* Polyak's momentum: m = mu m + g, p -= rate m, with coupled decay. */
static void sgd(const bs_update *u, real *p, const real *g, real *m, real decay, real rate,
                int64_t n)
{
    const real mu = (real)u->momentum, scale = (real)u->scale;
    for (int64_t i = 0; i < n; i++) {
        real d = (g ? g[i] * scale : 0) + decay * p[i];
        m[i] = mu * m[i] + d;
        p[i] -= rate * m[i];
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
    double fix1 = 1, fix2 = 1, t = (double)u->step;
    fix1 -= pow(u->beta1, t);
    fix2 -= pow(u->beta2, t);
    bool decoupled = u->rule == BS_UPDATE_ADAMW;
    return (adam_constants){
        .b1 = (real)u->beta1,
        .b2 = (real)u->beta2,
        .c1 = (real)(1 - u->beta1),
        .c2 = (real)(1 - u->beta2),
        .scale = (real)u->scale,
        .rate = (real)((double)rate * sqrt(fix2) / fix1),
        .eps = (real)(u->eps * sqrt(fix2)),
        .coupled = decoupled ? 0 : decay,
        .shrink = decoupled ? 1 - rate * decay : 1,
    };
}

static void adam(adam_constants k, real *p, const real *g, real *m, real *v, int64_t n)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        real d = g[i] * k.scale + k.coupled * p[i];
        real a = k.b1 * m[i] + k.c1 * d;
        real b = k.b2 * v[i] + k.c2 * d * d;
        m[i] = a;
        v[i] = b;
        p[i] = k.shrink * p[i] - k.rate * a / (bs_vsqrt(b) + k.eps);
    }
}

static void adam_untouched(adam_constants k, real *p, real *m, real *v, int64_t n)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        real d = k.coupled * p[i];
        real a = k.b1 * m[i] + k.c1 * d;
        real b = k.b2 * v[i] + k.c2 * d * d;
        m[i] = a;
        v[i] = b;
        p[i] = k.shrink * p[i] - k.rate * a / (bs_vsqrt(b) + k.eps);
    }
}

static void apply(const bs_update *u, real *p, const real *g, real *m, real *v, real decay,
                  real rate, int64_t n)
{
    if (u->rule == BS_UPDATE_SGD) {
        sgd(u, p, g, m, decay, rate, n);
        return;
    }
    adam_constants k = adam_prepare(u, decay, rate);
    if (g)
        adam(k, p, g, m, v, n);
    else
        adam_untouched(k, p, m, v, n);
}

/* Eight partial sums in double: the order is fixed by n alone. */
static double square_sum(const real *x, int64_t n)
{
    double  part[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            part[k] += (double)x[i + k] * (double)x[i + k];
    for (; i < n; i++)
        part[i % 8] += (double)x[i] * (double)x[i];
    return ((part[0] + part[1]) + (part[2] + part[3])) +
           ((part[4] + part[5]) + (part[6] + part[7]));
}

extern const bs_vec_update BS_V(bs_vec_update);
const bs_vec_update        BS_V(bs_vec_update) = {apply, square_sum};
