/* images_driver.c -- facts about a data set of images for tests/real/images.sh.
 *
 *     images_driver FILE PART
 *
 * Prints "images train valid test twins across", then mean and global IoU of the mean
 * training mask, above one half, on PART. */
#include <stdio.h>
#include <stdlib.h>

#include "data/image/images.h"
#include "data/image/seg_metric.h"

static int failed(const basin_error *err)
{
    fprintf(stderr, "%s\n", err->msg);
    return 1;
}

static int count_twins(const bs_images *im, size_t *n, size_t *across, basin_error *err)
{
    bs_twin *twin;
    *across = 0;
    if (bs_images_twins(im, &twin, n, err))
        return failed(err);
    for (size_t i = 0; i < *n; i++)
        *across += twin[i].across;
    bs_free(twin);
    return 0;
}

int main(int argc, char **argv)
{
    basin_error      err = {0};
    bs_image_options o = bs_image_options_default();
    bs_images       *all, *train, *test;
    bs_seg_metrics  *m;
    double           v[BS_SEG_METRIC_COUNT];
    size_t           twins, across;
    const char      *path[] = {argc == 3 ? argv[1] : ""};
    if (argc != 3 || bs_images_read(path, 1, &o, NULL, &all, NULL, &err) ||
        count_twins(all, &twins, &across, &err) ||
        bs_images_read(path, 1, &o, "train", &train, NULL, &err) ||
        bs_images_read(path, 1, &o, argv[2], &test, NULL, &err))
        return failed(&err);
    printf("%d %d %d %d %zu %zu\n", (int)all->n, (int)all->parts[1], (int)all->parts[2],
           (int)all->parts[3], twins, across);

    const int n = all->width[0] * all->height[0];
    uint8_t  *mean = calloc((size_t)n, 1);
    if (!mean || bs_seg_metrics_new(&(bs_seg_metric_options){0}, 2, &m, &err))
        return 1;
    for (int k = 0; k < n; k++) {
        int on = 0;
        for (int32_t i = 0; i < train->n; i++)
            on += train->mask[i][k];
        mean[k] = 2 * on > train->n;
    }
    for (int32_t i = 0; i < test->n; i++)
        if (bs_seg_metrics_add(m, test->mask[i], mean, n, &err))
            return failed(&err);
    bs_seg_metrics_finish(m, v);
    printf("%.3f %.3f\n", v[BS_SEG_METRIC_mean_iou], v[BS_SEG_METRIC_global_iou]);
    bs_seg_metrics_free(m);
    bs_images_free(all);
    bs_images_free(train);
    bs_images_free(test);
    free(mean);
    return bs_mem_live() != 0;
}
