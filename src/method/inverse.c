/* inverse.c -- power iteration, von Neumann series, conjugate gradients, diagonal estimate.
 *
 * Loops go in steps of eight with a partial sum each, so that a compiler can use vectors and the
 * order of every sum is fixed. */
#include "method/inverse.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

enum { W = BS_RANGE_STEP, MOST_LOWERINGS = 16, PROBE_STREAM = 0x9706e };

/* An eigenvalue has converged when it grows by less than this per product. */
#define SETTLED 0.02

static double total(const double s[W])
{
    return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

double bs_ranges_dot(const bs_range *range, int n, const real *a, const real *b)
{
    double s[W] = {0};
    for (int j = 0; j < n; j++) {
        const real *x = a + range[j].offset, *y = b + range[j].offset;
        for (int64_t i = 0; i < range[j].count; i += W)
            for (int k = 0; k < W; k++)
                s[k] += (double)x[i + k] * (double)y[i + k];
    }
    return total(s);
}

static double dot(const bs_inverse *a, const real *x, const real *y)
{
    return bs_ranges_dot(a->range, a->n, x, y);
}

/* out <- c x; they may be the same */
static void scaled(const bs_inverse *a, double c, const real *x, real *out)
{
    const real f = (real)c;
    for (int j = 0; j < a->n; j++) {
        const int64_t first = a->range[j].offset, end = first + a->range[j].count;
        for (int64_t i = first; i < end; i += W) {
            real y[W];
            for (int k = 0; k < W; k++)
                y[k] = f * x[i + k];
            memcpy(out + i, y, sizeof y);
        }
    }
}

static void copied(const bs_inverse *a, const real *x, real *out)
{
    for (int j = 0; j < a->n; j++)
        memcpy(out + a->range[j].offset, x + a->range[j].offset,
               (size_t)a->range[j].count * sizeof *out);
}

/* y <- b y + c x */
static void mixed(const bs_inverse *a, double b, real *y, double c, const real *x)
{
    const real f = (real)b, h = (real)c;
    for (int j = 0; j < a->n; j++) {
        const int64_t first = a->range[j].offset, end = first + a->range[j].count;
        for (int64_t i = first; i < end; i += W) {
            real z[W];
            for (int k = 0; k < W; k++)
                z[k] = f * y[i + k] + h * x[i + k];
            memcpy(y + i, z, sizeof z);
        }
    }
}

/* hv <- (H + damping) v */
static basin_status apply(const bs_inverse *a, basin_error *err)
{
    basin_status s = a->product(a->ctx, a->v, a->hv, err);
    if (!s && a->damping != 0)
        mixed(a, 1, a->hv, a->damping, a->v);
    return s;
}

basin_status bs_power_iteration(const bs_inverse *a, const real *g, int most, double *out,
                                basin_error *err)
{
    double length = sqrt(dot(a, g, g));
    *out = 0;
    if (!(length > 0) || !isfinite(length))
        return BASIN_OK;
    scaled(a, 1 / length, g, a->v);
    for (int i = 0; i < most; i++) {
        basin_status s = apply(a, err);
        if (s)
            return s;
        double before = *out;
        *out = sqrt(dot(a, a->hv, a->hv));
        if (!(*out > 0) || !isfinite(*out) || fabs(*out - before) < SETTLED * *out)
            return BASIN_OK;
        scaled(a, 1 / *out, a->hv, a->v);
    }
    return BASIN_OK;
}

/* ---- the series ---- */

typedef struct {
    double change, after; /* squared norms of (H + damping) v and the new v */
} term_norms;

/* v <- v - rate (hv + damping v), p <- p + v, and the norms needed, in one pass. */
static term_norms next_term(const bs_inverse *a, double rate, real *p)
{
    const real c = (real)rate, m = (real)a->damping;
    double     change[W] = {0}, after[W] = {0};
    for (int j = 0; j < a->n; j++) {
        const int64_t first = a->range[j].offset, end = first + a->range[j].count;
        for (int64_t i = first; i < end; i += W) {
            real d[W], y[W], sum[W];
            for (int k = 0; k < W; k++)
                d[k] = a->hv[i + k] + m * a->v[i + k];
            for (int k = 0; k < W; k++)
                y[k] = a->v[i + k] - c * d[k];
            for (int k = 0; k < W; k++)
                sum[k] = p[i + k] + y[k];
            memcpy(a->v + i, y, sizeof y);
            memcpy(p + i, sum, sizeof sum);
            for (int k = 0; k < W; k++)
                change[k] += (double)d[k] * (double)d[k];
            for (int k = 0; k < W; k++)
                after[k] += (double)y[k] * (double)y[k];
        }
    }
    return (term_norms){total(change), total(after)};
}

/* One attempt; *again requests another with the rate in `out`. */
static basin_status sum_series(const bs_inverse *a, const real *g, int terms, real *p,
                               bs_solved *out, bool *again, basin_error *err)
{
    const double first = dot(a, g, g);
    double       before = first;
    *again = false;
    copied(a, g, a->v);
    copied(a, g, p);
    out->residual = 1;
    for (int i = 0; i < terms && before > 0; i++) {
        basin_status s = a->product(a->ctx, a->v, a->hv, err);
        if (s)
            return s;
        term_norms n = next_term(a, out->rate, p);
        double     ratio = sqrt(n.change / before);
        if (!isfinite(ratio) || !isfinite(n.after)) {
            out->finite = false;
            return BASIN_OK;
        }
        out->curvature = ratio > out->curvature ? ratio : out->curvature;
        if (out->rate * ratio >= BS_TOO_FAST) {
            out->rate = 1 / ratio;
            out->lowered = *again = true;
            return BASIN_OK;
        }
        if (n.after >= first) {
            mixed(a, 1, p, -1, a->v);
            break;
        }
        before = n.after;
        out->residual = sqrt(before / first);
    }
    scaled(a, out->rate, p, p);
    return BASIN_OK;
}

basin_status bs_solve_series(const bs_inverse *a, const real *g, double rate, int terms, real *p,
                             bs_solved *out, basin_error *err)
{
    bool         again = true;
    basin_status s = BASIN_OK;
    *out = (bs_solved){.finite = true, .rate = rate};
    for (int i = 0; i < MOST_LOWERINGS && again && !s; i++)
        s = sum_series(a, g, terms, p, out, &again, err);
    out->finite &= !again;
    return s;
}

/* ---- conjugate gradients ---- */

basin_status bs_solve_cg(const bs_inverse *a, const real *g, int terms, real *p, bs_solved *out,
                         basin_error *err)
{
    const double first = dot(a, g, g);
    double       left = first; /* squared norm of the residual r */
    *out = (bs_solved){.finite = isfinite(first), .residual = 1};
    copied(a, g, a->r);
    copied(a, g, a->v);
    scaled(a, 0, g, p);
    for (int i = 0; i < terms && left > first * BS_REAL_EPS * BS_REAL_EPS; i++) {
        basin_status s = apply(a, err);
        if (s)
            return s;
        double along = dot(a, a->v, a->hv);
        double ratio = sqrt(dot(a, a->hv, a->hv) / dot(a, a->v, a->v));
        if (!isfinite(along) || !isfinite(ratio)) {
            out->finite = false;
            return BASIN_OK;
        }
        out->curvature = ratio > out->curvature ? ratio : out->curvature;
        if (along <= 0)
            break;
        mixed(a, 1, p, left / along, a->v);
        mixed(a, 1, a->r, -left / along, a->hv);
        double now = dot(a, a->r, a->r);
        mixed(a, now / left, a->v, 1, a->r);
        left = now;
        out->residual = sqrt(left / first);
    }
    return BASIN_OK;
}

/* ---- the diagonal ---- */

static void random_signs(const bs_inverse *a, bs_rng *rng, real *z)
{
    uint32_t bits = 0;
    int      left = 0;
    for (int j = 0; j < a->n; j++) {
        const int64_t first = a->range[j].offset, end = first + a->range[j].count;
        for (int64_t i = first; i < end; i += W, bits >>= W, left -= W) {
            if (left == 0) {
                bits = bs_rng_bits(rng);
                left = 32;
            }
            for (int k = 0; k < W; k++)
                z[i + k] = (real)((int)(bits >> k & 1) * 2 - 1);
        }
    }
}

/* r <- r + v * hv: signs times the product with them */
static void add_probe(const bs_inverse *a)
{
    for (int j = 0; j < a->n; j++) {
        const int64_t first = a->range[j].offset, end = first + a->range[j].count;
        for (int64_t i = first; i < end; i += W) {
            real z[W];
            for (int k = 0; k < W; k++)
                z[k] = a->r[i + k] + a->v[i + k] * a->hv[i + k];
            memcpy(a->r + i, z, sizeof z);
        }
    }
}

static void divide(const bs_inverse *a, const real *g, int probes, real *p)
{
    const real share = (real)(1.0 / probes), m = (real)a->damping;
    for (int j = 0; j < a->n; j++)
        for (int64_t i = a->range[j].offset; i < a->range[j].offset + a->range[j].count; i++)
            p[i] = g[i] == 0 ? 0 : g[i] / ((real)fabs((double)(a->r[i] * share)) + m);
}

/* ||g - (H + damping) p|| / ||g||, by a product */
static basin_status measure(const bs_inverse *a, const real *g, const real *p, bs_solved *out,
                            basin_error *err)
{
    copied(a, p, a->v);
    basin_status s = apply(a, err);
    if (s)
        return s;
    double length = sqrt(dot(a, g, g)), step = sqrt(dot(a, a->v, a->v));
    out->curvature = step > 0 ? sqrt(dot(a, a->hv, a->hv)) / step : 0;
    mixed(a, -1, a->hv, 1, g);
    out->residual = length > 0 ? sqrt(dot(a, a->hv, a->hv)) / length : 0;
    out->finite = isfinite(out->residual);
    return BASIN_OK;
}

basin_status bs_solve_diagonal(const bs_inverse *a, const real *g, int probes, uint64_t seed,
                               uint64_t step, real *p, bs_solved *out, basin_error *err)
{
    bs_rng rng = bs_rng_make(seed, step, PROBE_STREAM);
    probes = probes > 0 ? probes : 1;
    *out = (bs_solved){.finite = true};
    scaled(a, 0, g, a->r);
    for (int i = 0; i < probes; i++) {
        random_signs(a, &rng, a->v);
        basin_status s = a->product(a->ctx, a->v, a->hv, err);
        if (s)
            return s;
        add_probe(a);
    }
    divide(a, g, probes, p);
    return measure(a, g, p, out, err);
}
