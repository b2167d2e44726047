/* images.c -- data sets of images in memory: freeing, selecting, copying. */
#include "data/image/images.h"

#include <string.h>

#include "data/image/catalogue.h"
#include "data/image/images_part.h"

void bs_images_free(bs_images *im)
{
    if (!im)
        return;
    bs_arena_free(&im->arena);
    bs_free(im);
}

static void *copy_of(bs_images *to, const void *from, size_t n)
{
    void *p = bs_arena_alloc(&to->arena, n);
    if (p && n)
        memcpy(p, from, n);
    return p;
}

static bool copy_classes(bs_images *to, const bs_images *from)
{
    if (from->class_colour &&
        !(to->class_colour =
              copy_of(to, from->class_colour, (size_t)from->classes * sizeof *from->class_colour)))
        return false;
    if (!from->class_name)
        return true;
    const char **name = bs_arena_alloc(&to->arena, (size_t)from->classes * sizeof *name);
    for (int k = 0; name && k < from->classes; k++) {
        name[k] = bs_arena_copy(&to->arena, from->class_name[k], strlen(from->class_name[k]));
        if (!name[k])
            return false;
    }
    to->class_name = name;
    return name != NULL;
}

static bool copy_image(bs_images *to, const char **name, int32_t at, const bs_images *from,
                       int32_t row)
{
    const size_t n = (size_t)from->width[row] * (size_t)from->height[row];
    const size_t full = (size_t)from->mask_width[row] * (size_t)from->mask_height[row];
    to->width[at] = from->width[row];
    to->height[at] = from->height[row];
    to->mask_width[at] = from->mask_width[row];
    to->mask_height[at] = from->mask_height[row];
    to->part[at] = from->part[row];
    to->parts[from->part[row]]++;
    to->equal = to->equal && to->width[at] == to->width[0] && to->height[at] == to->height[0];
    name[at] = bs_arena_copy(&to->arena, from->name[row], strlen(from->name[row]));
    to->pixels[at] = copy_of(to, from->pixels[row], n * (size_t)from->channels);
    if (from->mask[row])
        to->mask[at] = copy_of(to, from->mask[row], n);
    if (from->full_mask[row])
        to->full_mask[at] = copy_of(to, from->full_mask[row], full);
    if (from->original && !(to->original[at] = copy_of(to, from->original[row], 3 * full)))
        return false;
    return name[at] && to->pixels[at] && (to->mask[at] || !from->mask[row]) &&
           (to->full_mask[at] || !from->full_mask[row]);
}

static bool copy_rows(const bs_images *from, const int32_t *rows, int32_t n, bs_images *to)
{
    const size_t m = (size_t)n;
    const char **name = bs_arena_alloc(&to->arena, m * sizeof *name);
    to->width = bs_arena_alloc(&to->arena, m * sizeof *to->width);
    to->height = bs_arena_alloc(&to->arena, m * sizeof *to->height);
    to->mask_width = bs_arena_alloc(&to->arena, m * sizeof *to->mask_width);
    to->mask_height = bs_arena_alloc(&to->arena, m * sizeof *to->mask_height);
    to->pixels = bs_arena_alloc(&to->arena, m * sizeof *to->pixels);
    to->mask = bs_arena_alloc(&to->arena, m * sizeof *to->mask);
    to->full_mask = bs_arena_alloc(&to->arena, m * sizeof *to->full_mask);
    to->part = bs_arena_alloc(&to->arena, m);
    if (!name || !to->width || !to->height || !to->mask_width || !to->mask_height || !to->pixels ||
        !to->mask || !to->full_mask || !to->part || !copy_classes(to, from))
        return false;
    if (from->original && !(to->original = bs_arena_alloc(&to->arena, m * sizeof *to->original)))
        return false;
    for (int32_t i = 0; i < n; i++)
        if (!copy_image(to, name, i, from, rows[i]))
            return false;
    to->name = name;
    to->hash = bs_images_hash(to);
    return true;
}

basin_status bs_images_select(const bs_images *im, const int32_t *rows, int32_t n, bs_images **out,
                              basin_error *err)
{
    *out = NULL;
    for (int32_t i = 0; i < n; i++)
        if (rows[i] < 0 || rows[i] >= im->n)
            return bs_fail(err, BASIN_EARG, "image %d of %d does not exist", (int)rows[i],
                           (int)im->n);
    bs_images *to = bs_calloc(1, sizeof *to);
    if (!to)
        return bs_fail_nomem(err);
    bs_arena_init(&to->arena, 0);
    to->n = n;
    to->channels = im->channels;
    to->classes = im->classes;
    to->binary = im->binary;
    to->resized = im->resized;
    to->equal = true;
    if (!copy_rows(im, rows, n, to)) {
        bs_images_free(to);
        return bs_fail_nomem(err);
    }
    *out = to;
    return BASIN_OK;
}
