/* resize.h -- other sizes for photos, masks and probability maps.
 *
 * Planes are row-major, one after the other: [channels][height][width]. No function keeps the
 * aspect ratio; pixels are areas, so corners meet corners. */
#ifndef BS_IMAGE_RESIZE_H
#define BS_IMAGE_RESIZE_H

#include <stdint.h>

#include "base/err.h"

/* Photos: every new pixel is the mean of the area it covers, weighting pixels by overlap, rounded
 * to nearest; exact in integers. Enlarging gives visible steps. */
basin_status bs_resize_area(const uint8_t *from, int channels, int w, int h, uint8_t *to, int W,
                            int H, basin_error *err);

/* Interpolates between the centres of the four nearest pixels; beyond the outer centres the
 * border's value is repeated. For enlarging photos, and for probabilities. */
void bs_resize_bilinear(const uint8_t *from, int channels, int w, int h, uint8_t *to, int W, int H);
void bs_resize_bilinear_float(const float *from, int channels, int w, int h, float *to, int W,
                              int H);

/* Masks: the class at the centre of the new pixel. */
void bs_resize_nearest(const uint8_t *from, int w, int h, uint8_t *to, int W, int H);

/* Masks: the value with the largest area under the new pixel, the smallest of equal ones; so of two
 * classes 1 wins with more than half. For shrinking masks. */
basin_status bs_resize_majority(const uint8_t *from, int w, int h, uint8_t *to, int W, int H,
                                basin_error *err);

/* The right choice: area and majority if a side shrinks, else bilinear and nearest. */
basin_status bs_resize_photo(const uint8_t *from, int channels, int w, int h, uint8_t *to, int W,
                             int H, basin_error *err);
basin_status bs_resize_mask(const uint8_t *from, int w, int h, uint8_t *to, int W, int H,
                            basin_error *err);

#endif
