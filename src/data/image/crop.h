/* crop.h -- windows of images for training, and several per image for evaluation.
 *
 * The papers on 32 x 32 horses train on a random 24 x 24 window per image and epoch, and predict
 * with 36 of them, whose probabilities are pasted together and averaged. */
#ifndef BS_IMAGE_CROP_H
#define BS_IMAGE_CROP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rng.h"

/* A window of an image; x and y may be negative, and it may reach beyond the image. */
typedef struct {
    int  x, y;
    int  width, height;
    bool flip;   /* left to right */
    bool extend; /* outside, the nearest pixel inside is repeated, in photo and mask */
} bs_crop;

/* A random place inside the image; the centre if the window is larger than the image. Flipped with
 * probability `flip`. Always takes three numbers of the stream. */
bs_crop bs_crop_random(bs_rng *rng, int image_width, int image_height, int width, int height,
                       double flip);

/* Shifts by up to `share` of the window's sides, possibly beyond the image, which is extended; not
 * if the window is larger than the image. Takes two numbers of the stream. */
void bs_crop_shift(bs_rng *rng, double share, int image_width, int image_height, bs_crop *c);

/* Copies [channels][height][width] out of planes of image_height x image_width. Outside is 0, or
 * 255 (ignored) in a mask. */
void bs_crop_bytes(const uint8_t *from, int channels, int image_width, int image_height,
                   const bs_crop *c, uint8_t *to);
void bs_crop_mask(const uint8_t *from, int image_width, int image_height, const bs_crop *c,
                  uint8_t *to);
/* (value - mean[channel]) * scale[channel]; NULL = 0 and 1/255. Outside is the mean. */
void bs_crop_float(const uint8_t *from, int channels, int image_width, int image_height,
                   const bs_crop *c, const float *mean, const float *scale, float *to);

enum { BS_MOST_OFFSETS = 256 };

/* Offsets of windows along one side: (size - window) times {0, 2, 3, 4, 6, 8} / 8, rounded, without
 * repetition; for 24 in 32 the papers' 0, 2, 3, 4, 6, 8. On sides longer than three windows they
 * are evenly spaced instead, at most half a window apart. If the window is not smaller than the
 * side, the one offset that centres it. Returns how many, at most BS_MOST_OFFSETS. */
int bs_crop_offsets(int size, int window, int offset[BS_MOST_OFFSETS]);

/* Predictions for several windows of an image, averaged where they overlap. */
typedef struct {
    int    planes, width, height;
    float *sum;   /* [planes][height][width], a bs_alloc block */
    float *count; /* [height][width] */
} bs_paste;

basin_status bs_paste_new(int planes, int width, int height, bs_paste *out, basin_error *err);
void         bs_paste_free(bs_paste *p); /* accepts NULL */
void         bs_paste_clear(bs_paste *p);
/* p [planes][height][width] of the window, flipped back if it was flipped. */
void bs_paste_add(bs_paste *p, const bs_crop *c, const float *probability);
/* Means into out [planes][height][width]; `empty` where no window was. out may be sum. */
void bs_paste_mean(const bs_paste *p, float empty, float *out);

#endif
