/* expected_mask.h -- the mask of two classes with the best expected metric, given samples. */
#ifndef BS_IMAGE_EXPECTED_MASK_H
#define BS_IMAGE_EXPECTED_MASK_H

#include "data/expected.h"

/* y [n, pixels] of 0 and 1 with weights that add up to 1. BS_DECIDE_F1 and BS_DECIDE_JACCARD: the
 * best of the samples and of the sets of likeliest pixels, in which then single pixels change as
 * long as that helps; two empty masks are worth 1. BS_DECIDE_HAMMING: pixels with a probability of
 * more than 1/2. BASIN_ENOMEM. */
basin_status bs_decide_mask(const int32_t *y, const double *weight, int n, int pixels,
                            bs_decision by, uint8_t *mask, basin_error *err);

#endif
