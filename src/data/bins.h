/* bins.h -- numbers as ramps between their quantiles (piecewise-linear encoding).
 *
 * Bin j of feature f holds clamp(x scale[f, j] + shift[f, j], 0, 1): how far x has come through the
 * bin. So a net sees where a number lies among those of the training rows, whatever their scale and
 * however extreme the outliers. */
#ifndef BS_BINS_H
#define BS_BINS_H

#include "data/dataset.h"

typedef struct {
    int          n;             /* bins per feature; those a feature does not need are always 0 */
    const float *scale, *shift; /* [features, n] */
} bs_bins;

/* From the rows made dense by the schema; memory from the arena. */
basin_status bs_bins_fit(const bs_rows *train, const bs_schema *schema, int bins, bs_arena *arena,
                         bs_bins *out, basin_error *err);

#endif
