/* data.h -- shared by the files of the task of images and masks. */
#ifndef BS_TASK_SEG_H
#define BS_TASK_SEG_H

#include "data/image/crop.h"
#include "data/image/seg_metric.h"
#include "task/task.h"
#include "task/seg/nets.h"

extern const bs_task               bs_task_seg;
extern const struct bs_task_eval   bs_task_eval_seg;   /* eval.c */
extern const struct bs_task_write  bs_task_write_seg;  /* write.c */
extern const struct bs_task_memory bs_task_memory_seg; /* memory.c */

/* What a model remembers of images. */
typedef struct {
    bs_image_options   image; /* how files of the task are read */
    int                channels, classes;
    bool               binary;        /* masks of the training data were 0 and 255 */
    const char *const *name;          /* [classes], or NULL */
    const int32_t     *colour;        /* [classes] 0xRRGGBB in masks, -1: none; or NULL */
    int                width, height; /* of a window */
    int                crops;         /* most windows of a photo that is predicted */
    float              mean[3];       /* of the channels, 0 to 255, that is subtracted */
} bs_seg_known;

static inline bs_images *bs_dataset_seg(const bs_dataset *p)
{
    return p->own;
}

static inline bs_seg_known *bs_preprocess_seg(const bs_preprocess *k)
{
    return k->own;
}

/* Of scores: one for two classes, which is the probability of class 1, else one for each. */
static inline int bs_known_planes(const bs_preprocess *k)
{
    return bs_preprocess_seg(k)->classes == 2 ? 1 : bs_preprocess_seg(k)->classes;
}

/* The name of a class, or its number. */
const char *bs_seg_label(const bs_preprocess *k, int i);

/* The mask that an image is compared with, of mask_width x mask_height pixels; NULL: none. */
static inline const uint8_t *bs_gold_mask(const bs_images *im, int32_t i)
{
    return im->full_mask[i] ? im->full_mask[i] : im->mask[i];
}

static inline size_t bs_gold_pixels(const bs_images *im, int32_t i)
{
    return (size_t)im->mask_width[i] * (size_t)im->mask_height[i];
}

/* Scores of photo r are [planes, pixels], at the size of its mask, from start[r] on; start is [rows
 * + 1]. */
static inline size_t *bs_starts_seg(const bs_outputs *y)
{
    return y->own;
}

static inline bs_seg_metrics *bs_measurement_seg(const bs_measurement *c)
{
    return c->own;
}

/* Room for a batch of windows of one size. */
typedef struct {
    const bs_seg_known *known;
    int                 width, height, planes;
    int32_t             most;
    bs_batch            batch;
    real               *photo, *there, *gold; /* [most, ...] in the layout of the task's leaves */
    float              *colours;              /* one window */
    uint8_t            *mask;
} bs_windows;

basin_status bs_windows_make(const bs_seg_known *k, int width, int height, int planes, int32_t most,
                             bs_windows *out, basin_error *err);
void         bs_windows_free(bs_windows *w); /* also after a failed make */
/* How a photo is seen: (value - mean) * scale, per channel. */
typedef struct {
    float mean[3], scale[3];
} bs_light;

/* Puts a window of a photo into a row of the batch; all its pixels inside the photo count. `light`
 * is NULL for the unaltered photo. */
void bs_windows_put(bs_windows *w, const bs_images *im, int32_t image, const bs_crop *c,
                    const bs_light *light, int32_t row);
/* What only training knows: the mask. Pixels that it ignores do not count, nor do any of a photo
 * without a mask. Not for prediction, which would learn where they are. */
void bs_windows_put_truth(bs_windows *w, const bs_images *im, int32_t image, const bs_crop *c,
                          int32_t row);
/* The batch of the first n rows. */
const bs_batch *bs_windows_take(bs_windows *w, int32_t n);

basin_status bs_batches_seg(const bs_dataset *p, const bs_preprocess *k, const bs_net_spec *spec,
                            const bs_train_options *o, bs_batches **out, basin_error *err);

/* windows.c: see bs_task.energies, which here are means over windows, and bs_task.predict. */
basin_status bs_energies_seg(bs_energy_probe *probe, const bs_net_spec *spec,
                             const bs_preprocess *k, const bs_dataset *p, double *energy,
                             basin_error *err);
basin_status bs_predict_seg(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                            const bs_dataset *p, bs_outputs *out, basin_error *err);

/* interactions.c: see bs_task. */
basin_status bs_interactions_seg(const bs_inquiry *q, double *out, double *together,
                                 basin_error *err);

/* decide.c: the masks of all photos, whose scores are known, if the scorer's inference asks for it;
 * otherwise there are none. */
basin_status bs_seg_decide_all(bs_scorer *s, const bs_preprocess *k, const bs_dataset *p,
                               bs_outputs *out, basin_error *err);
/* The mask of a photo: as it was decided, or by scores. */
void bs_seg_mask(const bs_outputs *y, int32_t image, int planes, size_t pixels, uint8_t *mask);

/* A photo predicted as a whole, or in overlapping tiles. Each tile decides only its part of the
 * photo, and sees at least so much around it: all that a pixel of a net depends on. */
enum { BS_TILE_MARGIN = 56 };
typedef struct {
    int width, height; /* of a tile */
    int across, down;  /* how many */
} bs_tiles;
/* Tiles of at most `most` pixels, as far as margins allow. */
bs_tiles bs_tiles_make(int width, int height, int64_t pixels);
/* The i-th tile of a photo of this size, and the part that it decides. */
void bs_tiles_at(const bs_tiles *t, int width, int height, int64_t i, bs_crop *tile, bs_crop *part);

/* Windows for a photo of this size, unless it is predicted as a whole; returns how many. Calls
 * visit for each until it fails; visit and status may be NULL. */
int64_t bs_seg_windows(const bs_seg_known *k, int width, int height,
                       basin_status (*visit)(void *ctx, const bs_crop *c), void *ctx,
                       basin_status *status);

#endif
