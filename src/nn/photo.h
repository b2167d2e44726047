/* photo.h -- pieces of encoders of photos.
 *
 * Convolutions read the photo at three scales, each with half the sides of the one before; a head
 * turns what they found into scores of every pixel. Energies read photo and masks together. Sides
 * may have any length: what a transposed convolution makes too much for odd ones is cut off. */
#ifndef BS_PHOTO_H
#define BS_PHOTO_H

#include "nn/encoder.h"

enum { BS_PHOTO_NAME = 96 }; /* room for the name of a layer */

/* Weights and biases start as in the published programs: uniform within 1 / sqrt(fan in). */
bs_init bs_photo_init(int fan_in);

/* A convolution NAME/W; sides are kept, or halved by a stride of 2. */
bs_id bs_photo_filter(bs_nn *nn, const char *name, bs_id x, int out, int kernel, int stride);
/* The same with a bias NAME/b. */
bs_id bs_photo_conv(bs_nn *nn, const char *name, bs_id x, int out, int kernel, int stride);
/* The first one, NAME/0, over photos and K masks of each: the share of the photo is computed once
 * for all K. */
bs_id bs_photo_first(bs_nn *nn, const char *name, const bs_encoder_input *in, int out, int kernel);
/* A 4 x 4 transposed convolution of stride 2, NAME/W, cut to the size of `like`: a side of n had
 * become (n + 1) / 2, which comes back as n or n + 1. */
bs_id bs_photo_enlarged(bs_nn *nn, const char *name, bs_id x, int out, bs_init init, bs_id like);
bs_id bs_photo_bias(bs_nn *nn, const char *name, int channels, bs_init init); /* NAME/b */

/* bs_encoder.features of several: three 5 x 5 convolutions NAME/0 to NAME/2 of width, 2 width and
 * 2 width channels. */
void bs_photo_features(bs_nn *nn, const char *name, const bs_encoder_shape *s,
                       const bs_encoder_input *in, bs_id found[BS_SCALES]);

#endif
