/* overlay.h -- masks drawn over their photos, as PNG files. */
#ifndef BS_IMAGE_OVERLAY_H
#define BS_IMAGE_OVERLAY_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* photo: planar, 1 or 3 channels; mask [height][width] of classes, 255 is hatched; NULL = only the
 * photo. Every pixel becomes scale x scale; 0: the longer side gets 256. Appends a PNG file to
 * `png`. */
basin_status bs_overlay(const uint8_t *photo, int channels, int width, int height,
                        const uint8_t *mask, int scale, bs_buf *png, basin_error *err);

/* Photo, gold and prediction side by side; for two classes the last panel shows what is right
 * (green), missing (blue) and wrongly added (red). gold may be NULL. */
basin_status bs_overlay_compare(const uint8_t *photo, int channels, int width, int height,
                                const uint8_t *gold, const uint8_t *predicted, int classes,
                                int scale, bs_buf *png, basin_error *err);

/* A mask as an indexed PNG file whose values are the classes; 255 stays 255. */
basin_status bs_mask_png(const uint8_t *mask, int width, int height, int classes, bs_buf *png,
                         basin_error *err);

#endif
