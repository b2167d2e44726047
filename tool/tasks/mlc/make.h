/* make.h -- multi-label data with planted dependencies and a known best score. */
#ifndef BS_MAKE_MLC_H
#define BS_MAKE_MLC_H

#include "base/opt.h"
#include "data/dataset.h"

typedef struct {
    int    rows, groups, words, noise, seed;
    double on, off;
    char   kinds[BS_OPTION_TEXT];
    bool   text;
} bs_make_mlc_options;

extern const bs_option bs_make_mlc_rows[];

/* Expected example F1 (0/0 = 0) and, at the end, subset accuracy of predictors that know the
 * generator exactly. */
typedef struct {
    double  best;            /* the best possible: maximal expected F1 of every row */
    double  marginal;        /* labels with P(y = 1 | x) >= 0.5 */
    double  local;           /* every label from its own words alone, at 0.5: no dependencies */
    double  subset;          /* the most probable set of every row ... */
    double  subset_marginal; /* ... and labels with P(y = 1 | x) >= 0.5 */
    int32_t words;           /* that there are, with and without a meaning */
    int32_t rows;            /* rows that the figures are averaged over (the first ones) */
} bs_make_mlc_truth;

/* truth may be NULL. */
basin_status bs_make_mlc(const bs_make_mlc_options *o, bs_rows **out, bs_make_mlc_truth *truth,
                         basin_error *err);

#endif
