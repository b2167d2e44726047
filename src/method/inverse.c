/* inverse.c -- power iteration, von Neumann series, conjugate gradients, diagonal estimate.
 *
 * Vectors are added and multiplied by the device; only the signs and the division of the diagonal
 * are left to the host. */
#include "method/inverse.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

enum { W = BS_RANGE_STEP, MOST_LOWERINGS = 16, PROBE_STREAM = 0x9706e };

/* An eigenvalue has converged when it grows by less than this per product. */
#define SETTLED 0.02

static double dot(const bs_inverse *a, const bs_buffer *x, const bs_buffer *y)
{
    return x->device->dot(a->range, a->n, x, y);
}

/* out <- c x */
static void scaled(const bs_inverse *a, double c, const bs_buffer *x, bs_buffer *out)
{
    out->device->axpby(a->range, a->n, 0, out, c, x);
}

static void copied(const bs_inverse *a, const bs_buffer *x, bs_buffer *out)
{
    for (int j = 0; j < a->n; j++)
        out->device->copy(out, a->range[j].offset, x, a->range[j].offset, a->range[j].count);
}

static void cleared(const bs_inverse *a, bs_buffer *x)
{
    for (int j = 0; j < a->n; j++)
        x->device->fill(x, a->range[j].offset, a->range[j].count, 0);
}

/* y <- b y + c x */
static void mixed(const bs_inverse *a, double b, bs_buffer *y, double c, const bs_buffer *x)
{
    y->device->axpby(a->range, a->n, b, y, c, x);
}

/* hv <- (H + damping) v */
static basin_status apply(const bs_inverse *a, basin_error *err)
{
    basin_status s = a->product(a->ctx, a->v, a->hv, err);
    if (!s && a->damping != 0)
        mixed(a, 1, a->hv, a->damping, a->v);
    return s;
}

basin_status bs_power_iteration(const bs_inverse *a, const bs_buffer *g, int most, double *out,
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
static term_norms next_term(const bs_inverse *a, double rate, bs_buffer *p)
{
    term_norms n;
    if (a->damping != 0)
        mixed(a, 1, a->hv, a->damping, a->v);
    n.change = dot(a, a->hv, a->hv);
    mixed(a, 1, a->v, -rate, a->hv);
    mixed(a, 1, p, 1, a->v);
    n.after = dot(a, a->v, a->v);
    return n;
}

/* One attempt; *again requests another with the rate in `out`. */
static basin_status sum_series(const bs_inverse *a, const bs_buffer *g, int terms, bs_buffer *p,
                               bs_solved *out, bool *again, basin_error *err)
{
    const double first = dot(a, g, g);
    double       before = first;
    *again = false;
    copied(a, g, a->v);
    copied(a, g, p);
    out->residual = 1;
    for (int i = 0; i < terms && before > 0 && out->residual > a->enough; i++) {
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
    mixed(a, out->rate, p, 0, NULL);
    return BASIN_OK;
}

basin_status bs_solve_series(const bs_inverse *a, const bs_buffer *g, double rate, int terms,
                             bs_buffer *p, bs_solved *out, basin_error *err)
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

basin_status bs_solve_cg(const bs_inverse *a, const bs_buffer *g, int terms, bs_buffer *p,
                         bs_solved *out, basin_error *err)
{
    const double first = dot(a, g, g);
    double       left = first; /* squared norm of the residual r */
    *out = (bs_solved){.finite = isfinite(first), .residual = 1};
    copied(a, g, a->r);
    copied(a, g, a->v);
    cleared(a, p);
    const double enough = fmax(a->enough, BS_REAL_EPS);
    for (int i = 0; i < terms && left > first * enough * enough; i++) {
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
        if (along <= 0) {
            out->negative = along / dot(a, a->v, a->v);
            break;
        }
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

/* All of a block for the host. */
static basin_status map(const bs_buffer *b, bs_access access, real **out, basin_error *err)
{
    return bs_map(b, 0, (int64_t)(b->bytes / sizeof(real)), access, out, err);
}

static void unmap(const bs_buffer *b, bs_access access, real *mapped)
{
    bs_unmap(b, 0, (int64_t)(b->bytes / sizeof(real)), access, mapped);
}

static basin_status random_signs(const bs_inverse *a, bs_rng *rng, bs_buffer *out, basin_error *err)
{
    uint32_t     bits = 0;
    int          left = 0;
    real        *z;
    basin_status s = map(out, BS_READ_WRITE, &z, err);
    for (int j = 0; j < a->n && !s; j++) {
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
    if (!s)
        unmap(out, BS_READ_WRITE, z);
    return s;
}

/* Of an element of r: v hv is added to it, or it becomes g / (|r / probes| + damping). */
typedef struct {
    const bs_inverse *a;
    int               probes;
} diagonal;

static void add_probe(const diagonal *d, real *r, const real *v, const real *hv, int64_t n)
{
    (void)d;
    for (int64_t i = 0; i < n; i++)
        r[i] += v[i] * hv[i];
}

static void divide(const diagonal *d, real *r, const real *g, const real *unused, int64_t n)
{
    const real share = (real)(1.0 / d->probes), m = (real)d->a->damping;
    (void)unused;
    for (int64_t i = 0; i < n; i++)
        r[i] = g[i] == 0 ? 0 : g[i] / ((real)fabs((double)(r[i] * share)) + m);
}

/* Such a function of r, x and y over the ranges. */
static basin_status by_host(const diagonal *d,
                            void (*f)(const diagonal *, real *, const real *, const real *,
                                      int64_t),
                            bs_buffer *r, const bs_buffer *x, const bs_buffer *y, basin_error *err)
{
    const bs_inverse *a = d->a;
    real             *at[3] = {NULL};
    basin_status      s = map(r, BS_READ_WRITE, &at[0], err);
    if (!s)
        s = map(x, BS_READ, &at[1], err);
    if (!s)
        s = map(y, BS_READ, &at[2], err);
    for (int j = 0; j < a->n && !s; j++) {
        const int64_t first = a->range[j].offset;
        f(d, at[0] + first, at[1] + first, at[2] + first, a->range[j].count);
    }
    if (at[2])
        unmap(y, BS_READ, at[2]);
    if (at[1])
        unmap(x, BS_READ, at[1]);
    if (at[0])
        unmap(r, BS_READ_WRITE, at[0]);
    return s;
}

/* ||g - (H + damping) p|| / ||g||, by a product */
static basin_status measure(const bs_inverse *a, const bs_buffer *g, const bs_buffer *p,
                            bs_solved *out, basin_error *err)
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

basin_status bs_solve_diagonal(const bs_inverse *a, const bs_buffer *g, int probes, uint64_t seed,
                               uint64_t step, bs_buffer *p, bs_solved *out, basin_error *err)
{
    bs_rng         rng = bs_rng_make(seed, step, PROBE_STREAM);
    const diagonal d = {a, probes > 0 ? probes : 1};
    basin_status   s = BASIN_OK;
    *out = (bs_solved){.finite = true};
    cleared(a, p);
    for (int i = 0; i < d.probes && !s; i++) {
        s = random_signs(a, &rng, a->v, err);
        if (!s)
            s = a->product(a->ctx, a->v, a->hv, err);
        if (!s)
            s = by_host(&d, add_probe, p, a->v, a->hv, err);
    }
    if (!s)
        s = by_host(&d, divide, p, g, g, err);
    return s ? s : measure(a, g, p, out, err);
}
