/* inverse.h -- solves (H + damping I) p = g, where H is only known through products.
 *
 * Vectors are flat blocks laid out like the parameters, of which only some ranges take part (those
 * of one net). All sums have a fixed order. */
#ifndef BS_INVERSE_H
#define BS_INVERSE_H

#include "base/err.h"
#include "graph/real.h"

#include <stdbool.h>
#include <stdint.h>

/* Elements of a block; a multiple of BS_RANGE_STEP, and padding is zero in every vector. */
typedef struct {
    int64_t offset, count;
} bs_range;

enum { BS_RANGE_STEP = 8 };

/* A series diverges from rate * curvature = 2 on. */
#define BS_TOO_FAST 1.9

/* out <- H v */
typedef basin_status (*bs_product_fn)(void *ctx, const real *v, real *out, basin_error *err);

typedef struct {
    const bs_range *range; /* [n] */
    int             n;
    bs_product_fn   product;
    void           *ctx;
    double          damping;
    real           *v, *hv, *r; /* working blocks; hv is what product fills */
} bs_inverse;

typedef struct {
    bool   finite;    /* false: p is unusable */
    bool   lowered;   /* the rate was too large for the series */
    double rate;      /* of the series, as finally used */
    double residual;  /* ||g - (H + damping) p|| / ||g|| */
    double curvature; /* largest ||(H + damping) v|| / ||v|| seen: at most the largest eigenvalue */
} bs_solved;

/* The largest eigenvalue in magnitude, from below, by at most `most` products, the first with g:
 * directions absent from g cannot hurt a series that starts at g. */
basin_status bs_power_iteration(const bs_inverse *a, const real *g, int most, double *out,
                                basin_error *err);

/* von Neumann: p = rate sum_{k=0..terms} (I - rate (H + damping))^k g, with one product per term. A
 * rate that proves too large is lowered and the sum restarted. With a small rate, terms grow along
 * directions of negative curvature; the sum ends before one that is longer than g. The residual is
 * that before the last term. */
basin_status bs_solve_series(const bs_inverse *a, const real *g, double rate, int terms, real *p,
                             bs_solved *out, basin_error *err);

/* Conjugate gradients; at non-positive curvature it ends with what it has. */
basin_status bs_solve_cg(const bs_inverse *a, const real *g, int terms, real *p, bs_solved *out,
                         basin_error *err);

/* Hutchinson: the diagonal of H from products with random signs; p = g / (|diagonal| + damping). */
basin_status bs_solve_diagonal(const bs_inverse *a, const real *g, int probes, uint64_t seed,
                               uint64_t step, real *p, bs_solved *out, basin_error *err);

/* sum of a * b over the ranges */
double bs_ranges_dot(const bs_range *range, int n, const real *a, const real *b);

#endif
