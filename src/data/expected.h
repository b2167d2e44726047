/* expected.h -- the set of labels with the best expected metric, given a distribution over sets. */
#ifndef BS_DATA_EXPECTED_H
#define BS_DATA_EXPECTED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* How scores or samples become a set of labels. */
typedef enum {
    BS_DECIDE_THRESHOLD, /* scores above a threshold (threshold.h) */
    BS_DECIDE_F1,        /* the set with the best expected F1, ... */
    BS_DECIDE_SUBSET,    /* ... the most probable set, ... */
    BS_DECIDE_HAMMING,   /* ... the one with the fewest wrong labels, ... */
    BS_DECIDE_JACCARD,   /* ... or the best expected Jaccard index */
    BS_DECISIONS
} bs_decision;

const char  *bs_decision_name(bs_decision d);
basin_status bs_decision_parse(const char *name, bs_decision *out, basin_error *err);

/* The set of labels with the greatest expected F1 (Dembczynski et al. 2011): p[j * W + t] is
 * P(y_j = 1 and t labels are on), t < W. choice [L] receives the set; returns its expected F1.
 * empty: what the empty set is worth. scratch and order have L elements. */
double bs_best_expected_f1(const double *p, int L, int W, double empty, uint8_t *choice,
                           double *scratch, int *order);
/* Expected F1 of a given set that is not empty. */
double bs_expected_f1(const double *p, int L, int W, const uint8_t *choice);

/* n sets with weights that add up to 1. */
typedef struct {
    const uint8_t *y; /* [n, L] */
    const double  *weight;
    int            n, L;
    double         empty; /* F1 and Jaccard index of two empty sets */
} bs_set_samples;

/* The set for any of the decisions but threshold; BS_DECIDE_SUBSET: the one with the greatest
 * weight. The Jaccard index has no such sum over labels: the best of the samples and of the sets of
 * likeliest labels is changed by one label or two as long as that helps. BASIN_ENOMEM. */
basin_status bs_decide_set(const bs_set_samples *s, bs_decision d, uint8_t *choice,
                           basin_error *err);

#endif
