/* make.h -- multi-label data with planted dependencies and a known best score. */
#ifndef BS_MAKE_MLC_H
#define BS_MAKE_MLC_H

#include "base/opt.h"
#include "data/dataset.h"

typedef struct {
    int    rows, groups, words, noise, seed;
    double on, off;
    char   kinds[BS_OPTION_TEXT];
} bs_make_mlc_options;

extern const bs_option bs_make_mlc_rows[];

/* Expected example F1 (0/0 = 0) of predictors that know the generator exactly. */
typedef struct {
    double  best;     /* the best possible: maximal expected F1 of every row */
    double  marginal; /* labels with P(y = 1 | x) >= 0.5 */
    double  local;    /* every label from its own words alone, at 0.5: no dependencies */
    int32_t rows;     /* rows that the figures are averaged over (the first ones) */
} bs_make_mlc_truth;

/* truth may be NULL. */
basin_status bs_make_mlc(const bs_make_mlc_options *o, bs_rows **out, bs_make_mlc_truth *truth,
                         basin_error *err);

/* The set of labels with the greatest expected F1 (Dembczynski et al. 2011): p[j * (L + 1) + t] is
 * P(y_j = 1 and t labels are on). choice[L] receives the set; returns its expected F1. scratch
 * holds L doubles and as many ints. */
double bs_best_expected_f1(const double *p, int L, uint8_t *choice, double *scratch, int *order);
/* Expected F1 of a given set. */
double bs_expected_f1(const double *p, int L, const uint8_t *choice);

#endif
