/* make.h -- images of shapes whose masks cannot be read off pixel by pixel, and how well they can
 * be predicted at best. */
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

/* What predictors achieve that know the generator exactly. The probability of every shape given an
 * image is exact, by enumeration, and so are expectations over it; the mean is over the first
 * images (Monte Carlo, so it has an error of its own). */
typedef struct {
    double  best;     /* expected IoU of the better of: the most probable shape, and the pixels'
                         probabilities at 19 thresholds. No predictor is known to be better, and
                         none can be much better */
    double  error;    /* standard error of `best` */
    double  reached;  /* IoU of these masks with the true ones: differs from `best` by chance */
    double  likely;   /* ... of the most probable shape */
    double  pixels;   /* ... of the pixels with probability >= 0.5 */
    double  accuracy; /* expected pixel accuracy of that: exactly the best possible */
    double  window;   /* IoU of deciding every pixel from the evidence in the 7 x 7 around it, given
                         the colours of figure and ground */
    double  local;    /* ... from its own value and place alone, at the best threshold */
    int32_t images;   /* how many the figures are averaged over */
} bs_make_seg_truth;

/* Sets parts (train, valid, test) and names classes. truth may be NULL. */
basin_status bs_make_seg(const bs_make_seg_options *o, bs_images **out, bs_make_seg_truth *truth,
                         basin_error *err);

#endif
