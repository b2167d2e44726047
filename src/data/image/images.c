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

bool bs_classes_copy(bs_arena *arena, int classes, const char *const *name, const int32_t *colour,
                     const char *const **names, const int32_t **colours)
{
    const size_t n = (size_t)classes;
    const char **copy = name ? bs_arena_alloc(arena, n * sizeof *copy) : NULL;
    int32_t     *rgb = colour ? bs_arena_alloc(arena, n * sizeof *rgb) : NULL;
    if ((name && !copy) || (colour && !rgb))
        return false;
    for (size_t k = 0; k < n && name; k++)
        if (!(copy[k] = bs_arena_copy(arena, name[k], strlen(name[k]))))
            return false;
    if (colour)
        memcpy(rgb, colour, n * sizeof *rgb);
    *names = copy;
    *colours = rgb;
    return true;
}

static bool copy_image(bs_images *to, int32_t at, const bs_images *from, int32_t row)
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
    to->name[at] = bs_arena_copy(&to->arena, from->name[row], strlen(from->name[row]));
    to->pixels[at] = copy_of(to, from->pixels[row], n * (size_t)from->channels);
    if (from->mask[row])
        to->mask[at] = copy_of(to, from->mask[row], n);
    if (from->full_mask[row])
        to->full_mask[at] = copy_of(to, from->full_mask[row], full);
    if (from->original && !(to->original[at] = copy_of(to, from->original[row], 3 * full)))
        return false;
    return to->name[at] && to->pixels[at] && (to->mask[at] || !from->mask[row]) &&
           (to->full_mask[at] || !from->full_mask[row]);
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
    bool ok = bs_classes_copy(&to->arena, im->classes, im->class_name, im->class_colour,
                              &to->class_name, &to->class_colour) &&
              !bs_images_rows(to, im->original != NULL, NULL);
    for (int32_t i = 0; i < n && ok; i++)
        ok = copy_image(to, i, im, rows[i]);
    if (!ok) {
        bs_images_free(to);
        return bs_fail_nomem(err);
    }
    to->hash = bs_images_hash(to);
    *out = to;
    return BASIN_OK;
}
