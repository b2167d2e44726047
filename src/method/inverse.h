/* inverse.h -- solves (H + damping I) p = g, where H is only known through products.
 *
 * Vectors are flat blocks of a device, laid out as the parameters, and only some ranges of
 * them take part (those of one net). */
#ifndef BS_INVERSE_H
#define BS_INVERSE_H

#include "base/err.h"
#include "device/device.h"

#include <stdbool.h>
#include <stdint.h>

/* A series diverges from rate * curvature = 2 on. */
#define BS_TOO_FAST 1.9

/* out <- H v */
typedef basin_status (*bs_product_fn)(void *ctx, bs_buffer *v, bs_buffer *out, basin_error *err);

typedef struct {
    const bs_range *range; /* [n] */
    int             n;
    bs_product_fn   product;
    void           *ctx;
    double          damping;
    double          enough;     /* series and conjugate gradients end at this residual; 0 = never */
    bs_buffer      *v, *hv, *r; /* working blocks; hv is what product fills */
} bs_inverse;

typedef struct {
    bool   finite;    /* false: p is unusable */
    bool   lowered;   /* the rate was too large for the series */
    double rate;      /* of the series, as finally used */
    double residual;  /* ||g - (H + damping) p|| / ||g|| */
    double curvature; /* largest ||(H + damping) v|| / ||v|| seen: at most the largest eigenvalue */
    double negative;  /* cg: the curvature that ended it, v (H + damping) v / v v, or 0 */
} bs_solved;

/* The largest eigenvalue in magnitude, from below, by at most `most` products, the first
 * with g: directions that g does not have cannot hurt a series that starts at g. */
basin_status bs_power_iteration(const bs_inverse *a, const bs_buffer *g, int most, double *out,
                                basin_error *err);

/* von Neumann: p = rate sum_{k=0..terms} (I - rate (H + damping))^k g, with one product a term.
 * A rate that proves too large is lowered, and the sum begun again. With a small rate terms
 * grow along directions of negative curvature; the sum ends before one that is longer than g.
 * The residual is that before the last term. */
basin_status bs_solve_series(const bs_inverse *a, const bs_buffer *g, double rate, int terms,
                             bs_buffer *p, bs_solved *out, basin_error *err);

/* Conjugate gradients; where the curvature is not positive it ends with what it has. */
basin_status bs_solve_cg(const bs_inverse *a, const bs_buffer *g, int terms, bs_buffer *p,
                         bs_solved *out, basin_error *err);

/* Hutchinson: the diagonal of H from products with random signs; p = g / (|diagonal| + damping). */
basin_status bs_solve_diagonal(const bs_inverse *a, const bs_buffer *g, int probes, uint64_t seed,
                               uint64_t step, bs_buffer *p, bs_solved *out, basin_error *err);

#endif
