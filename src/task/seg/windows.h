/* windows.h -- parts of photos: batches of windows of one size, and tiles of a prediction. */
#ifndef BS_TASK_SEG_WINDOWS_H
#define BS_TASK_SEG_WINDOWS_H

#include "data/image/crop.h"
#include "task/seg/data.h"

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
