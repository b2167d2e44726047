/* interactions.h -- a window in the middle of a photo, and what an energy says about its pixels. */
#ifndef BS_TASK_SEG_INTERACTIONS_H
#define BS_TASK_SEG_INTERACTIONS_H

#include "task/seg/windows.h"

enum {
    BS_SEG_COPIES = 32,                  /* of the window in a batch */
    BS_SEG_REACH = (BASIN_SIDE - 1) / 2, /* distance in pixels up to which they are examined */
};

typedef struct {
    const bs_images *im;
    int32_t          image;
    int              W, H, planes;
    size_t           cells;
    bs_crop          crop;
    bs_windows       room;
    bs_scorer       *scorer;
    const bs_batch  *b;           /* BS_SEG_COPIES of the window */
    real            *y;           /* [BS_SEG_COPIES, planes, cells] */
    float           *found;       /* [planes, cells] the model's output */
    uint8_t         *mask, *gold; /* [cells]; gold is BS_IGNORE if unknown */
} bs_seg_window;

/* Borrows everything; p: the photos, which need not be those of the inquiry. */
basin_status bs_seg_window_make(const bs_inquiry *q, const bs_dataset *p, bs_seg_window *x,
                                basin_error *err);
void         bs_seg_window_free(bs_seg_window *x); /* also after a failed make */
/* Copies and predicts it. */
basin_status bs_seg_window_open(bs_seg_window *x, int32_t image, basin_error *err);
/* Pixel p of a row of y becomes class c; a row becomes the model's output. */
void bs_seg_put_pixel(const bs_seg_window *x, size_t row, size_t p, int c);
void bs_seg_put_found(const bs_seg_window *x, size_t row);

/* As basin_interactions_of, [BASIN_SIDE, BASIN_SIDE]; examined: how many pairs of pixels. */
basin_status bs_seg_interactions(const bs_inquiry *q, double *out, double *together,
                                 int64_t *examined, basin_error *err);

#endif
