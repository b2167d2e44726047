/* memory.c -- predicts masks for photos in memory. */
#include <string.h>

#include "api/model.h"
#include "task/seg/data.h"

static int32_t rows(const void *given)
{
    return ((const basin_images *)given)->n;
}

const bs_task_memory bs_task_memory_seg = {
    .what = "images", .function = "basin_predict_image", .rows = rows};

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
    bs_images   *im = NULL;
    basin_status s = BS_NEED(err, {"predictor", p}, {"pixels", pixels}, {"mask", mask});
    if (!s)
        s = bs_task_memory_check(p->model, &bs_task_memory_seg, err);
    if (s)
        return s;
    const bs_preprocess *known = &p->model->saved->known;
    const bs_seg_known  *k = bs_preprocess_seg(known);
    if (width < 1 || height < 1 || width > 1 << 16 || height > 1 << 16 ||
        (channels != 1 && channels != 3))
        return bs_fail(err, BASIN_EARG,
                       "an image of %d x %d pixels with %d channels; sides are 1 to 65536, "
                       "channels 1 or 3",
                       width, height, channels);
    /* Converted like the training data: grey or colour, its size. */
    const int32_t      W = width, H = height, C = channels;
    const basin_images x = {.n = 1, .width = &W, .height = &H, .channels = &C, .pixels = &pixels};
    const bs_images_prior prior = {.who = "the model's training data",
                                   .model = true,
                                   .classes = k->classes,
                                   .binary = k->binary,
                                   .label_free = true};
    bs_image_options      o = k->image;
    o.need = false;
    s = bs_images_from_memory(&x, &o, &prior, &im, NULL, err);
    bs_dataset part = {.task = p->model->saved->task, .rows = 1, .own = im};
    if (!s)
        s = part.task->outputs(&part, known, &y, err);
    if (!s)
        s = part.task->predict(p->scorer, &p->model->saved->spec, known, &part, &y, err);
    if (!s) {
        bs_seg_mask(&y, 0, bs_known_planes(known), (size_t)width * (size_t)height, mask);
        if (probabilities) {
            memcpy(probabilities, y.scores, bs_starts_seg(&y)[1] * sizeof *probabilities);
            bs_scores_inside(probabilities, bs_starts_seg(&y)[1]);
        }
    }
    bs_outputs_free(&y);
    bs_images_free(im);
    return s;
}
