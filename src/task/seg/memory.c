/* memory.c -- predicts masks for photos in memory. */
#include <string.h>

#include "api/model.h"
#include "data/image/picture.h"
#include "data/image/resize.h"
#include "task/seg/data.h"

const bs_task_memory bs_task_memory_seg = {.what = "images", .function = "basin_predict_image"};

/* Converted like the training data: grey or colour, planar, its size. */
static basin_status prepare_photo(const bs_seg_known *k, const uint8_t *pixels, int width,
                                  int height, int channels, bs_images *im, uint8_t *planes,
                                  basin_error *err)
{
    const size_t n = (size_t)width * (size_t)height;
    for (size_t i = 0; i < n; i++, pixels += channels)
        for (int c = 0; c < k->channels; c++)
            planes[(size_t)c * n + i] = channels == k->channels ? pixels[c]
                                        : channels == 1         ? pixels[0]
                                                                : bs_picture_grey(pixels);
    if (im->width[0] == width && im->height[0] == height) {
        memcpy(im->pixels[0], planes, n * (size_t)k->channels);
        return BASIN_OK;
    }
    return bs_resize_photo(planes, k->channels, width, height, im->pixels[0], im->width[0],
                           im->height[0], err);
}

/* One photo as a data set. */
static basin_status predict_photo(basin_predictor *p, const uint8_t *pixels, int channels,
                                  bs_images *im, bs_outputs *y, basin_error *err)
{
    const bs_seg_known *k = bs_preprocess_seg(&p->model->saved->known);
    const size_t        C = (size_t)k->channels,
                 n = (size_t)im->mask_width[0] * (size_t)im->mask_height[0];
    uint8_t *planes = bs_alloc(n * C);
    im->pixels[0] = bs_alloc((size_t)im->width[0] * (size_t)im->height[0] * C);
    basin_status s = planes && im->pixels[0] ? BASIN_OK : bs_fail_nomem(err);
    bs_dataset   part = {.task = p->model->saved->task, .rows = 1, .own = im};
    if (!s)
        s = prepare_photo(k, pixels, im->mask_width[0], im->mask_height[0], channels, im, planes,
                          err);
    if (!s)
        s = part.task->outputs(&part, &p->model->saved->known, y, err);
    if (!s)
        s = part.task->predict(p->scorer, &p->model->saved->spec, &p->model->saved->known, &part, y,
                               err);
    bs_free(planes);
    bs_free(im->pixels[0]);
    return s;
}

basin_status basin_data_images(const basin_images *photos, basin_data **out, basin_error *err)
{
    BS_KEEP_ERRNO;
    return bs_data_new(&bs_task_seg, "basin_images", photos, sizeof *photos, out, err);
}

basin_status basin_predict_image(basin_predictor *p, const uint8_t *pixels, int width, int height,
                                 int channels, uint8_t *mask, float *probabilities,
                                 basin_error *err)
{
    BS_KEEP_ERRNO;
    bs_outputs   y = {0};
    int          W = width, H = height;
    basin_status s = BS_NEED(err, {"predictor", p}, {"pixels", pixels}, {"mask", mask});
    if (!s)
        s = bs_task_memory_check(p->model, &bs_task_memory_seg, err);
    if (s)
        return s;
    const bs_seg_known *k = bs_preprocess_seg(&p->model->saved->known);
    if (width < 1 || height < 1 || width > 1 << 16 || height > 1 << 16 ||
        (channels != 1 && channels != 3))
        return bs_fail(err, BASIN_EARG,
                       "an image of %d x %d pixels with %d channels; sides are 1 to 65536, "
                       "channels 1 or 3",
                       width, height, channels);
    if (strcmp(k->image.size, "keep") != 0 && !bs_image_size(k->image.size, &W, &H))
        return bs_fail(err, BASIN_EDATA, "the model's size of photos is '%.40s'", k->image.size);
    int32_t   w[2] = {W, width}, h[2] = {H, height};
    uint8_t  *photo[1] = {NULL}, *none[1] = {NULL};
    bs_images im = {.n = 1,
                    .channels = k->channels,
                    .classes = k->classes,
                    .width = w,
                    .height = h,
                    .mask_width = w + 1,
                    .mask_height = h + 1,
                    .pixels = photo,
                    .mask = none,
                    .full_mask = none};
    s = predict_photo(p, pixels, channels, &im, &y, err);
    if (!s) {
        const int planes = k->classes == 2 ? 1 : k->classes;
        bs_seg_decide(y.scores, planes, (int64_t)width * height, mask);
        if (probabilities) {
            memcpy(probabilities, y.scores, bs_starts_seg(&y)[1] * sizeof *probabilities);
            bs_scores_inside(probabilities, bs_starts_seg(&y)[1]);
        }
    }
    bs_outputs_free(&y);
    return s;
}
