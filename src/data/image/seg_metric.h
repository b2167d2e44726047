/* seg_metric.h -- how good predicted masks are.
 *
 *     bs_seg_metrics_new(&(bs_seg_metric_options){.keep_images = true}, classes, &m, err);
 *     for each image:  bs_seg_metrics_add(m, gold, predicted, pixels, err);
 *     bs_seg_metrics_finish(m, values);      values[BS_SEG_METRIC_mean_iou]
 *
 * The rules:
 *   - pixels whose gold is 255 are removed from gold and prediction before anything is
 *     counted; an image without other pixels is left out altogether;
 *   - with two classes, mean_iou and global_iou are of the foreground (class 1): the
 *     number of the Weizmann papers and the second column of ALEN's table;
 *   - with more classes, the IoU of an image is the mean over the classes that occur in
 *     its gold or its prediction, background included; global_iou adds up intersections
 *     and unions over all classes;
 *   - nothing in gold and nothing predicted is 1;
 *   - class_iou and mean_class_accuracy come from one confusion matrix over all images;
 *     classes with no pixel in gold or prediction (class_iou) or in gold (accuracy) are
 *     left out of the mean.
 * Decisions: p >= 0.5 for two classes, the first largest probability for more. */
#ifndef BS_IMAGE_SEG_METRIC_H
#define BS_IMAGE_SEG_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/stats.h"

typedef enum {
#define SEG_METRIC(key, ...) BS_SEG_METRIC_##key,
#include "data/image/seg_metrics.def"
#undef SEG_METRIC
    BS_SEG_METRIC_COUNT
} bs_seg_metric_id;

extern const bs_metric bs_seg_metric_table[BS_SEG_METRIC_COUNT];

typedef struct {
    bool keep_images; /* keep what each image contributed: for intervals and tests */
} bs_seg_metric_options;

typedef struct bs_seg_metrics bs_seg_metrics;

/* classes from 2 to 255 */
basin_status bs_seg_metrics_new(const bs_seg_metric_options *o, int classes, bs_seg_metrics **out,
                                basin_error *err);
void         bs_seg_metrics_free(bs_seg_metrics *m); /* accepts NULL */

/* Adds an image. Refuses values that are not classes (gold may be 255), and then adds nothing. */
basin_status bs_seg_metrics_add(bs_seg_metrics *m, const uint8_t *gold, const uint8_t *predicted,
                                int64_t pixels, basin_error *err);

/* The values so far; NaN if there are no images. More may be added later. */
void bs_seg_metrics_finish(const bs_seg_metrics *m, double out[BS_SEG_METRIC_COUNT]);

typedef struct {
    int64_t images;   /* that count */
    int64_t left_out; /* all their pixels are ignored */
} bs_seg_counts;

bs_seg_counts bs_seg_metrics_counts(const bs_seg_metrics *m);

/* A line of the table of classes; NaN for 0/0. */
typedef struct {
    int64_t gold, predicted, both; /* pixels */
    double  iou, precision, recall, f1;
} bs_class_score;

void bs_seg_metrics_classes(const bs_seg_metrics *m, bs_class_score *out /* [classes] */);

/* [gold * classes + predicted] pixels, valid until the next add. */
const int64_t *bs_seg_metrics_confusion(const bs_seg_metrics *m);

/* The IoU of the last image added, as in mean_iou; NaN if it was left out. */
double bs_seg_metrics_last(const bs_seg_metrics *m);

/* The images as a source for the tests of stats.h. Needs keep_images; borrows m, which
 * must not change meanwhile. */
basin_status bs_seg_metrics_sampled(const bs_seg_metrics *m, bs_sampled *out, basin_error *err);

/* Classes from probabilities, planar [classes][pixels]; a single plane is class 1. */
void bs_seg_decide(const float *p, int planes, int64_t pixels, uint8_t *out);

#endif
