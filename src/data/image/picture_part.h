/* picture_part.h -- shared by the files behind picture.h. */
#ifndef BS_IMAGE_PICTURE_PART_H
#define BS_IMAGE_PICTURE_PART_H

#include "data/image/picture.h"

/* EDATA if a side or the number of pixels is zero or beyond the limits. */
basin_status bs_picture_check(const char *name, const bs_picture_limits *limits, uint32_t width,
                              uint32_t height, basin_error *err);

/* Orientation in EXIF data (a TIFF header), 1 if there is no valid one. */
int bs_exif_orientation(const uint8_t *tiff, size_t n);

basin_status bs_png_probe(const char *name, const uint8_t *bytes, size_t n,
                          const bs_picture_limits *limits, bs_picture_info *out, basin_error *err);
basin_status bs_jpeg_probe(const char *name, const uint8_t *bytes, size_t n,
                           const bs_picture_limits *limits, bs_picture_info *out, basin_error *err);

/* Fill width, height, channels, pixels and palette; p->file was probed. The picture is as stored,
 * not yet turned. */
basin_status bs_png_decode(const char *name, const uint8_t *bytes, size_t n, bs_picture_use use,
                           bs_picture *p, basin_error *err);
basin_status bs_jpeg_decode(const char *name, const uint8_t *bytes, size_t n, bs_picture *p,
                            basin_error *err);

#endif
