/* make.h -- images of shapes whose masks cannot be read off pixel by pixel, and how
 * well they can be known. */
#ifndef BS_IMAGE_MAKE_SEG_H
#define BS_IMAGE_MAKE_SEG_H

#include "base/opt.h"
#include "data/image/images.h"

typedef struct {
    int    images, size, channels, holes, hole, seed;
    double contrast, noise, valid, test;
    bool   polarity;
    char   kinds[BS_OPTION_TEXT];
} bs_make_seg_options;

extern const bs_option bs_make_seg_rows[];

/* What predictors reach that know the generator exactly. The probability of every shape
 * given an image is exact, by enumeration; expectations over it are exact; the mean is
 * over the first images that were made (Monte Carlo, so it has an error of its own). */
typedef struct {
    double  best;     /* expected IoU of the best of: the most probable shape, and the
                       * probabilities of the pixels at 19 thresholds. No predictor is
                       * known to be better, and none can be much better */
    double  error;    /* standard error of `best` */
    double  reached;  /* IoU of these masks with the true ones: differs from `best` by chance */
    double  likely;   /* ... of the most probable shape */
    double  pixels;   /* ... of the pixels with probability >= 0.5 */
    double  accuracy; /* expected pixel accuracy of the same: the best possible, exactly */
    double  window;   /* IoU of deciding every pixel by the evidence of the 7 x 7 around it,
                       * with the colours of figure and ground given */
    double  local;    /* ... by its own value and place alone, at the best threshold */
    int32_t images;   /* the figures are means of */
} bs_make_seg_truth;

/* Parts are set (train, valid, test), classes named. truth may be NULL. */
basin_status bs_make_seg(const bs_make_seg_options *o, bs_images **out, bs_make_seg_truth *truth,
                         basin_error *err);

#endif
