/* base.c -- the baseline for masks: the mean mask of the training photos. */
#include <math.h>

#include "tasks/seg/base.h"
#include "task/seg/data.h"

enum { SIDE = 64, PHOTOS = 2000 /* of the mean mask */ };

/* Masks of any size are sampled at SIDE x SIDE points. */
static size_t point_of(int cell, int width, int height)
{
    const int64_t x = (2 * (cell % SIDE) + 1) * (int64_t)width / (2 * SIDE);
    const int64_t y = (2 * (cell / SIDE) + 1) * (int64_t)height / (2 * SIDE);
    return (size_t)(y * width + x);
}

/* share [classes, SIDE * SIDE] of the training photos. */
static void mean_mask(const bs_images *im, int classes, float *share)
{
    const int32_t n = im->n < PHOTOS ? im->n : PHOTOS;
    for (int cell = 0; cell < SIDE * SIDE; cell++) {
        float all = 0;
        for (int32_t i = 0; i < n; i++) {
            const uint8_t *m = bs_gold_mask(im, i);
            const int v = m ? m[point_of(cell, im->mask_width[i], im->mask_height[i])] : BS_IGNORE;
            if (v >= classes)
                continue;
            share[v * SIDE * SIDE + cell] += 1;
            all += 1;
        }
        for (int k = 0; k < classes && all > 0; k++)
            share[k * SIDE * SIDE + cell] /= all;
    }
}

/* Mean IoU of the training photos, if the foreground is where it occurs in more than this share. */
static double iou_at(const bs_images *im, const float *share, float cut)
{
    const int32_t n = im->n < PHOTOS ? im->n : PHOTOS;
    double        sum = 0;
    for (int32_t i = 0; i < n; i++) {
        const uint8_t *m = bs_gold_mask(im, i);
        int            both = 0, either = 0;
        for (int cell = 0; m && cell < SIDE * SIDE; cell++) {
            const int v = m[point_of(cell, im->mask_width[i], im->mask_height[i])];
            if (v == BS_IGNORE)
                continue;
            both += v == 1 && share[cell] >= cut;
            either += v == 1 || share[cell] >= cut;
        }
        sum += either > 0 ? (double)both / either : 1;
    }
    return sum;
}

/* Two classes: the threshold that does best on the training photos. */
static float best_cut(const bs_images *im, const float *share)
{
    double most = -1;
    float  best = 0.5f;
    for (int i = 1; i < 20; i++) {
        const double iou = iou_at(im, share, (float)i / 20);
        if (iou > most) {
            most = iou;
            best = (float)i / 20;
        }
    }
    return best;
}

basin_status bs_base_guess_seg(const bs_lesson *t, const bs_dataset *p, bs_outputs *y,
                               basin_error *err)
{
    const int    classes = bs_preprocess_seg(t->known)->classes, planes = bs_known_planes(t->known);
    float       *share = bs_calloc((size_t)classes * SIDE * SIDE, sizeof *share);
    const float *shown = share ? share + (classes == 2 ? SIDE * SIDE : 0) : NULL;
    if (!share)
        return bs_fail_nomem(err);
    mean_mask(bs_dataset_seg(t->train), classes, share);
    /* decisions are made at 0.5 */
    const float shift = classes == 2 ? 0.5f - best_cut(bs_dataset_seg(t->train), shown) : 0;
    for (int32_t i = 0; i < bs_dataset_seg(p)->n; i++) {
        const int W = bs_dataset_seg(p)->mask_width[i], H = bs_dataset_seg(p)->mask_height[i];
        float    *to = y->scores + bs_starts_seg(y)[i];
        for (int k = 0; k < planes; k++)
            for (int at = 0; at < W * H; at++) {
                const int cell = (int)((int64_t)(at / W) * SIDE / H) * SIDE +
                                 (int)((int64_t)(at % W) * SIDE / W);
                *to++ = fminf(fmaxf(shown[k * SIDE * SIDE + cell] + shift, 0), 1);
            }
    }
    bs_free(share);
    return BASIN_OK;
}
