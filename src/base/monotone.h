/* monotone.h -- an increasing function from 0..1 to 0..1, linear between knots: what isotonic
 * regression finds, made invertible, so that nothing that was in order becomes equal. */
#ifndef BS_MONOTONE_H
#define BS_MONOTONE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

enum { BS_MOST_KNOTS = 10000 };

/* From (0, 0) through the knots to (1, 1); both increase. */
typedef struct {
    int     n;
    double *from, *to; /* [n], inside 0..1 */
} bs_monotone;

/* Numbers outside of 0..1, the ends and NaN stay. */
double      bs_monotone_at(const bs_monotone *m, double x);
bs_monotone bs_monotone_inverse(const bs_monotone *m);

/* Isotonic regression by pooling adjacent violators (Ayer et al. 1955) of truth, 0 or 1, on scores
 * in 0..1. A pool becomes a knot, at the mean of its scores. Sorts both lists. */
typedef struct {
    float score;
    bool  truth;
} bs_scored_truth;
basin_status bs_monotone_fit(bs_scored_truth *x, size_t n, bs_arena *a, bs_monotone *out,
                             basin_error *err);

/* "0.1 0.03 0.5 0.4": reads back exactly; false if it is not such a text. */
void bs_monotone_write(const bs_monotone *m, bs_buf *out);
bool bs_monotone_read(const char *text, bs_arena *a, bs_monotone *out);

#endif
