/* memory.c -- photos and masks in a program's memory. They are treated like pictures in files: the
 * same options, checks and notes, so that they give the same model. */
#include <string.h>

#include "data/image/images_part.h"
#include "data/image/picture_part.h"

enum { NAME = 24 };

/* Adds a file without a place on disk, as which a photo or a mask appears in messages. */
static basin_status add_file(bs_image_reading *r, const char *what, int32_t i)
{
    const basin_images *x = r->given;
    char                name[NAME];
    bs_print(name, sizeof name, "%s %d", what, (int)i);
    basin_status s = bs_catalogue_file(&r->cat, name, 0, r->err);
    if (s)
        return s;
    bs_file *f = &r->cat.file[r->cat.n_files - 1];
    f->width = x->width[i];
    f->height = x->height[i];
    f->channels = x->channels ? x->channels[i] : 3;
    return BASIN_OK;
}

static basin_status check_image(const bs_image_reading *r, int32_t i)
{
    const basin_images     *x = r->given;
    const bs_picture_limits limits = {r->o->max_side, r->o->max_pixels};
    char                    label[64];
    bs_print(label, sizeof label, "%s: photo %d", r->source->path, (int)i);
    if (!x->pixels[i])
        return bs_fail(r->err, BASIN_EARG, "%s: its pixels are NULL", label);
    if (x->width[i] < 1 || x->height[i] < 1)
        return bs_fail(r->err, BASIN_EARG, "%s: %d x %d pixels", label, (int)x->width[i],
                       (int)x->height[i]);
    if (x->channels && x->channels[i] != 1 && x->channels[i] != 3)
        return bs_fail(r->err, BASIN_EARG, "%s: %d channels; there are 1 (grey) or 3 (RGB)", label,
                       (int)x->channels[i]);
    return bs_picture_check(label, &limits, (uint32_t)x->width[i], (uint32_t)x->height[i], r->err);
}

static basin_status take_names(bs_image_reading *r)
{
    const basin_images *x = r->given;
    const char         *path = r->source->path;
    if (x->classes < 0 || x->classes > BS_IGNORE || (x->class_names && x->classes < 2))
        return bs_fail(r->err, BASIN_EARG, "%s: %d classes; there are 2 to %d, or 0 if unknown",
                       path, (int)x->classes, BS_IGNORE);
    r->cat.n_classes = x->classes;
    r->cat.classes_from = "the number of classes";
    for (int32_t k = 0; x->class_names && k < x->classes; k++) {
        const char *name = x->class_names[k];
        if (!name || !*name)
            return bs_fail(r->err, BASIN_EARG, "%s: class %d has no name", path, (int)k);
        for (int32_t i = 0; i < k; i++)
            if (strcmp(name, x->class_names[i]) == 0)
                return bs_fail(r->err, BASIN_EARG, "%s: classes %d and %d are both named '%.60s'",
                               path, (int)i, (int)k, name);
        r->cat.class[k].name = name;
    }
    return BASIN_OK;
}

basin_status bs_images_given_pairs(bs_image_reading *r)
{
    const basin_images *x = r->given;
    int32_t             bare = 0;
    basin_status        s = BASIN_OK;
    if (x->n < 0 || (x->n > 0 && (!x->width || !x->height || !x->pixels)))
        return bs_fail(r->err, BASIN_EARG, "%s: %d photos, and width, height or pixels is NULL",
                       r->source->path, (int)x->n);
    for (int32_t i = 0; i < x->n && !s; i++) {
        const bool masked = x->masks && x->masks[i];
        char       name[NAME];
        bs_print(name, sizeof name, "%d", (int)i);
        s = check_image(r, i);
        bare += !masked;
        if (s || (!masked && r->o->need))
            continue;
        bs_pair pair = {.image = (int32_t)r->cat.n_files, .mask = -1, .order = i};
        pair.name = bs_arena_copy(&r->cat.arena, name, strlen(name));
        s = pair.name ? add_file(r, "photo", i) : bs_fail_nomem(r->err);
        if (!s && masked) {
            pair.mask = (int32_t)r->cat.n_files;
            s = add_file(r, "mask", i);
        }
        if (!s)
            s = bs_catalogue_push(&r->cat, pair, r->err);
    }
    if (!s && r->cat.n_pairs == 0)
        s = bs_fail(r->err, BASIN_EDATA, "%s: no photos%s", r->source->path,
                    bare ? " with masks" : "");
    if (!s && bare)
        bs_notes_add(r->notes, "unpaired", "%d photos have no mask: %s", (int)bare,
                     r->o->need ? "left out (mask.need=no keeps them)" : "kept without one");
    r->parts[BS_PART_NONE] = (int32_t)r->cat.n_pairs;
    return s ? s : take_names(r);
}

basin_status bs_images_given_decode(bs_image_reading *r)
{
    const basin_images *x = r->given;
    basin_status        s = BASIN_OK;
    for (int32_t k = 0; k < (int32_t)r->cat.n_files && !s; k++) {
        const bs_file *f = &r->cat.file[k];
        const bool     mask = r->user[k] & 1;
        if (r->user[k] < 0)
            continue;
        const int32_t i = r->cat.pair[r->picked[r->user[k] / 2]].order;
        const size_t  n = (size_t)f->width * (size_t)f->height;
        bs_picture p = {.width = f->width, .height = f->height, .channels = mask ? 1 : f->channels};
        char       label[64];
        if (!(p.pixels = bs_alloc(n * (size_t)p.channels)))
            return bs_fail_nomem(r->err);
        memcpy(p.pixels, mask ? x->masks[i] : x->pixels[i], n * (size_t)p.channels);
        s = bs_images_put(r, k, bs_images_label(r, 0, f->name, label, sizeof label), &p);
    }
    return s;
}
