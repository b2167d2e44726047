/* gp.c -- Gaussian process regression for a few hundred points (Rasmussen and Williams 2006).
 *
 *   k(a, b) = signal (1 + r + r^2 / 3) exp(-r),  r = sqrt(5 sum_i (a_i - b_i)^2 / length_i^2)
 *
 * the Matern kernel of 5/2 (eq. 4.17). Lengths, signal and noise maximise the likelihood of the
 * points (eq. 2.30) times priors, log-normal around a length of half the cube, by coordinate
 * search. Words of an option are at distance one from each other. */
#include <math.h>
#include <string.h>

#include "tune/search.h"

enum { MOST_PARAMETERS = BS_TUNE_MOST + 2, SWEEPS = 5 };

/* ---- covariance ---- */

static double distance(const bs_gp *g, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < g->space->n; i++) {
        double d = a[i] - b[i];
        if (g->space->at[i].n_words > 0)
            d = fabs(d) > 1e-9;
        d /= g->length[i];
        sum += d * d;
    }
    return sqrt(5 * sum);
}

static double kernel(const bs_gp *g, const double *a, const double *b)
{
    const double r = distance(g, a, b);
    return g->signal * (1 + r + r * r / 3) * exp(-r);
}

/* In place, the lower triangle; false if the matrix is not positive definite. */
static bool cholesky(double *a, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const double *x = a + (size_t)i * (size_t)n, *y = a + (size_t)j * (size_t)n;
            double        sum = x[j];
            for (int k = 0; k < j; k++)
                sum -= x[k] * y[k];
            if (i == j && !(sum > 0))
                return false;
            a[(size_t)i * (size_t)n + (size_t)j] = i == j ? sqrt(sum) : sum / y[j];
        }
    return true;
}

/* x := L^-1 x */
static void solve_lower(const double *L, int n, double *x)
{
    for (int i = 0; i < n; i++) {
        const double *row = L + (size_t)i * (size_t)n;
        for (int k = 0; k < i; k++)
            x[i] -= row[k] * x[k];
        x[i] /= row[i];
    }
}

/* x := L^-T x */
static void solve_upper(const double *L, int n, double *x)
{
    for (int i = n - 1; i >= 0; i--) {
        x[i] /= L[(size_t)i * (size_t)n + (size_t)i];
        for (int k = 0; k < i; k++)
            x[k] -= L[(size_t)i * (size_t)n + (size_t)k] * x[i];
    }
}

static bool factorise(bs_gp *g)
{
    const int n = g->n, D = g->space->n;
    for (int i = 0; i < n; i++) {
        double *row = g->factor + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++)
            row[j] = kernel(g, g->u + (size_t)i * (size_t)D, g->u + (size_t)j * (size_t)D);
        row[i] = g->signal + g->noise + g->extra[i] + 1e-8;
    }
    if (!cholesky(g->factor, n))
        return false;
    memcpy(g->weight, g->y, (size_t)n * sizeof *g->weight);
    solve_lower(g->factor, n, g->weight);
    solve_upper(g->factor, n, g->weight);
    return true;
}

/* ---- parameters ---- */

/* Logarithms: lengths, then signal, then noise. */
static void use_parameters(bs_gp *g, const double *p)
{
    const int D = g->space->n;
    for (int i = 0; i < D; i++)
        g->length[i] = exp(p[i]);
    g->signal = exp(p[D]);
    g->noise = exp(p[D + 1]);
}

static double normal_log(double x, double mean, double sd)
{
    const double z = (x - mean) / sd;
    return -z * z / 2;
}

/* log p(y | parameters) + log p(parameters), up to a constant. */
static double posterior(bs_gp *g, const double *p)
{
    const int D = g->space->n;
    double    value = 0;
    use_parameters(g, p);
    if (!factorise(g))
        return -INFINITY;
    for (int i = 0; i < g->n; i++)
        value -= g->y[i] * g->weight[i] / 2 + log(g->factor[(size_t)i * (size_t)g->n + (size_t)i]);
    for (int i = 0; i < D; i++)
        value += normal_log(p[i], log(0.5), 0.8);
    value += normal_log(p[D], 0, 1);
    return value + normal_log(p[D + 1], log(0.1), 1.2);
}

static void fit_parameters(bs_gp *g)
{
    const int D = g->space->n;
    double    p[MOST_PARAMETERS], step = 0.8;
    for (int i = 0; i < D; i++)
        p[i] = log(0.5);
    p[D] = 0;
    p[D + 1] = log(0.1);
    double best = posterior(g, p);
    for (int sweep = 0; sweep < SWEEPS; sweep++, step /= 2)
        for (int i = 0; i < D + 2; i++)
            for (int side = -1; side <= 1; side += 2) {
                double try[MOST_PARAMETERS];
                memcpy(try, p, sizeof try);
                try[i] += side * step;
                const double value = posterior(g, try);
                if (value > best) {
                    best = value;
                    memcpy(p, try, sizeof p);
                }
            }
    posterior(g, p); /* leaves factor and weights of the best point */
}

/* ---- making ---- */

static void standardise(bs_gp *g, const double *y, const double *extra)
{
    double mean = 0, square = 0;
    for (int i = 0; i < g->n; i++)
        mean += y[i] / g->n;
    for (int i = 0; i < g->n; i++)
        square += (y[i] - mean) * (y[i] - mean) / g->n;
    g->mean = mean;
    g->scale = square > 0 ? sqrt(square) : 1;
    for (int i = 0; i < g->n; i++) {
        g->y[i] = (y[i] - mean) / g->scale;
        g->extra[i] = extra ? extra[i] / (g->scale * g->scale) : 0;
    }
}

basin_status bs_gp_fit(const bs_space *space, const double *u, const double *y, const double *extra,
                       int n, bs_gp *out, basin_error *err)
{
    const size_t N = (size_t)n, D = (size_t)space->n;
    *out = (bs_gp){.space = space, .n = n};
    out->u = bs_calloc(N * D + 1, sizeof *out->u);
    out->y = bs_calloc(N + 1, sizeof *out->y);
    out->extra = bs_calloc(N + 1, sizeof *out->extra);
    out->factor = bs_calloc(N * N + 1, sizeof *out->factor);
    out->weight = bs_calloc(N + 1, sizeof *out->weight);
    if (!out->u || !out->y || !out->extra || !out->factor || !out->weight) {
        bs_gp_free(out);
        return bs_fail_nomem(err);
    }
    memcpy(out->u, u, N * D * sizeof *u);
    standardise(out, y, extra);
    fit_parameters(out);
    return BASIN_OK;
}

void bs_gp_free(bs_gp *g)
{
    bs_free(g->u);
    bs_free(g->y);
    bs_free(g->extra);
    bs_free(g->factor);
    bs_free(g->weight);
    *g = (bs_gp){0};
}

/* ---- asking ---- */

/* Eq. 2.25 and 2.26. */
double bs_gp_mean(const bs_gp *g, const double *u, double *sd, double *work)
{
    const int D = g->space->n;
    double    mean = 0, variance = g->signal;
    for (int i = 0; i < g->n; i++) {
        work[i] = kernel(g, u, g->u + (size_t)i * (size_t)D);
        mean += work[i] * g->weight[i];
    }
    if (sd) {
        solve_lower(g->factor, g->n, work);
        for (int i = 0; i < g->n; i++)
            variance -= work[i] * work[i];
        *sd = g->scale * sqrt(variance > 0 ? variance : 0);
    }
    return g->mean + g->scale * mean;
}
