/* images_decode.c -- decodes pictures into the planes of a data set, at the right sizes. */
#include <string.h>

#include "data/names.h"
#include "data/image/images_part.h"
#include "data/image/picture.h"
#include "data/image/resize.h"

enum { LABEL_ROOM = 512 };

/* --- photos ---------------------------------------------------------------- */

static void to_planes(const bs_picture *p, uint8_t *to)
{
    const size_t n = (size_t)p->width * (size_t)p->height, C = (size_t)p->channels;
    for (size_t c = 0; c < C; c++)
        for (size_t i = 0; i < n; i++)
            to[c * n + i] = p->pixels[i * C + c];
}

static void to_grey(bs_picture *p)
{
    const size_t n = (size_t)p->width * (size_t)p->height;
    for (size_t i = 0; p->channels == 3 && i < n; i++)
        p->pixels[i] = bs_picture_grey(p->pixels + 3 * i);
    p->channels = 1;
}

/* In colour, even if the net sees grey. */
static basin_status put_original(bs_image_reading *r, int32_t i, const bs_picture *p)
{
    const size_t n = (size_t)p->width * (size_t)p->height;
    uint8_t     *to = bs_images_room(r->im, 3 * n, r->err);
    if (!to)
        return r->err->status;
    to_planes(p, to);
    for (size_t c = (size_t)p->channels; c < 3; c++)
        memcpy(to + c * n, to, n);
    r->im->original[i] = to;
    return BASIN_OK;
}

static basin_status put_photo(bs_image_reading *r, int32_t i, bs_picture *p)
{
    bs_images *im = r->im;
    r->transparent += p->channels == 4;
    bs_picture_flatten(p);
    if (im->original && put_original(r, i, p))
        return r->err->status;
    if (r->channels == 1)
        to_grey(p);
    const size_t size = (size_t)p->width * (size_t)p->height;
    const int    W = r->W ? r->W : p->width, H = r->H ? r->H : p->height;
    const int    C = p->channels;
    uint8_t     *plane = bs_alloc(size * (size_t)C);
    if (!plane)
        return bs_fail_nomem(r->err);
    to_planes(p, plane);
    im->width[i] = W;
    im->height[i] = H;
    im->resized = im->resized || W != p->width || H != p->height;
    r->planes[i] = (uint8_t)C;
    r->photo_w[i] = p->width;
    r->photo_h[i] = p->height;
    im->pixels[i] = bs_images_room(im, (size_t)W * (size_t)H * (size_t)C, r->err);
    basin_status s =
        im->pixels[i] ? bs_resize_photo(plane, C, p->width, p->height, im->pixels[i], W, H, r->err)
                      : r->err->status;
    bs_free(plane);
    return s;
}

/* --- masks ----------------------------------------------------------------- */

static int class_of_colour(const bs_catalogue *c, const uint8_t rgb[3])
{
    for (int k = 0; k < c->n_classes; k++)
        if (c->class[k].coloured && memcmp(c->class[k].rgb, rgb, 3) == 0)
            return k;
    return -1;
}

/* A mask in colours, translated by the list of classes. */
static basin_status uncolour(bs_image_reading *r, const char *label, bs_picture *p)
{
    const bs_catalogue *c = &r->cat;
    const size_t        n = (size_t)p->width * (size_t)p->height;
    bool                coloured = false;
    int                 last = -1;
    uint8_t             rgb[3] = {0};
    for (int k = 0; k < c->n_classes; k++)
        coloured = coloured || c->class[k].coloured;
    if (!coloured && r->prior && r->prior->model)
        return bs_fail(r->err, BASIN_EDATA,
                       "%s: a mask in colours, and the model knows none; a file classes.txt with "
                       "lines 'R G B name' beside the pictures says which class a colour is",
                       label);
    if (!coloured)
        return bs_fail(r->err, BASIN_EDATA,
                       "%s: a mask in colours; mask.names=FILE with lines 'R G B name' says "
                       "which class a colour is",
                       label);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *v = p->pixels + 3 * i;
        if (last < 0 || memcmp(v, rgb, 3) != 0) {
            memcpy(rgb, v, 3);
            last = class_of_colour(c, rgb);
        }
        if (last < 0)
            return bs_fail(r->err, BASIN_EDATA,
                           "%s: the colour %d %d %d at column %zu, row %zu is not a class of %s",
                           label, rgb[0], rgb[1], rgb[2], i % (size_t)p->width + 1,
                           i / (size_t)p->width + 1, c->classes_from);
        p->pixels[i] = (uint8_t)last;
    }
    p->channels = 1;
    r->coloured++;
    return BASIN_OK;
}

static basin_status put_mask(bs_image_reading *r, int32_t i, const char *label, bs_picture *p)
{
    bs_images   *im = r->im;
    basin_status s = p->channels == 3 ? uncolour(r, label, p) : BASIN_OK;
    if (s)
        return s;
    const size_t size = (size_t)p->width * (size_t)p->height;
    const int    W = r->W ? r->W : p->width, H = r->H ? r->H : p->height;
    const bool   same = W == p->width && H == p->height;
    r->masks++;
    r->voc += bs_voc_palette(p);
    for (size_t k = 0; k < size; k++) {
        uint8_t v = p->pixels[k];
        r->value[v]++;
        if (v != r->o->ignore && v > r->largest[i])
            r->largest[i] = v;
    }
    im->mask_width[i] = p->width;
    im->mask_height[i] = p->height;
    im->mask[i] = bs_images_room(im, (size_t)W * (size_t)H, r->err);
    if (!im->mask[i])
        return r->err->status;
    if (!same && r->o->full) {
        im->full_mask[i] = bs_images_room(im, size, r->err);
        if (!im->full_mask[i])
            return r->err->status;
        memcpy(im->full_mask[i], p->pixels, size);
    }
    if (same)
        memcpy(im->mask[i], p->pixels, size);
    return same ? BASIN_OK
                : bs_resize_mask(p->pixels, p->width, p->height, im->mask[i], W, H, r->err);
}

static basin_status draw_mask(bs_image_reading *r, int32_t i)
{
    const bs_pair       *pair = &r->cat.pair[r->picked[i]];
    const bs_coco_image *image = &pair->outlines->image[pair->entry];
    bs_picture           p = {.width = r->photo_w[i], .height = r->photo_h[i], .channels = 1};
    if ((image->width && image->width != p.width) || (image->height && image->height != p.height))
        return bs_fail(r->err, BASIN_EDATA,
                       "%s: image %lld is %d x %d pixels there, the photo '%.120s' is %d x %d",
                       pair->outlines->label, (long long)image->id, (int)image->width,
                       (int)image->height, image->file, p.width, p.height);
    p.pixels = bs_alloc((size_t)p.width * (size_t)p.height);
    if (!p.pixels)
        return bs_fail_nomem(r->err);
    basin_status s =
        bs_coco_draw(pair->outlines, pair->entry, p.width, p.height, p.pixels, &r->tally, r->err);
    if (!s)
        s = put_mask(r, i, pair->outlines->label, &p);
    r->drawn++;
    bs_picture_free(&p);
    return s;
}

static basin_status check_sizes(const bs_image_reading *r, int32_t i)
{
    const bs_images *im = r->im;
    if (!r->photo_w[i] || !im->mask[i] ||
        (im->mask_width[i] == r->photo_w[i] && im->mask_height[i] == r->photo_h[i]))
        return BASIN_OK;
    const bs_pair *p = &r->cat.pair[r->picked[i]];
    const bs_file *a = &r->cat.file[p->image], *b = &r->cat.file[p->mask];
    char           label[LABEL_ROOM];
    bs_images_label(r, a->source, a->name, label, sizeof label);
    return bs_fail(r->err, BASIN_EDATA,
                   "%.200s: the photo is %d x %d pixels, its mask %.60s is %d x %d%s", label,
                   (int)r->photo_w[i], (int)r->photo_h[i], b->name, (int)im->mask_width[i],
                   (int)im->mask_height[i],
                   im->mask_width[i] == r->photo_h[i] && im->mask_height[i] == r->photo_w[i]
                       ? "; is the photo turned by its EXIF data?"
                       : "");
}

/* A mask of another part: if it cannot be read, this part does not care. */
static basin_status look_at_values(bs_image_reading *r, const uint8_t *bytes, size_t n)
{
    bs_picture_limits limits = {r->o->max_side, r->o->max_pixels};
    bs_picture        p;
    basin_status      s = bs_picture_decode("", bytes, n, BS_PICTURE_MASK, &limits, &p, NULL);
    if (s)
        return s == BASIN_ENOMEM ? bs_fail_nomem(r->err) : BASIN_OK;
    for (size_t k = 0; p.channels == 1 && k < (size_t)p.width * (size_t)p.height; k++)
        r->elsewhere[p.pixels[k]] = true;
    bs_picture_free(&p);
    return BASIN_OK;
}

basin_status bs_images_decode(bs_image_reading *r, int32_t file, const uint8_t *bytes, size_t n)
{
    const bs_file    *f = &r->cat.file[file];
    const bool        mask = r->user[file] & 1;
    bs_picture_limits limits = {r->o->max_side, r->o->max_pixels};
    bs_picture        p;
    char              label[LABEL_ROOM];
    if (r->user[file] == BS_VALUES_ONLY)
        return look_at_values(r, bytes, n);
    bs_images_label(r, f->source, f->name, label, sizeof label);
    basin_status s = bs_picture_decode(label, bytes, n, mask ? BS_PICTURE_MASK : BS_PICTURE_PHOTO,
                                       &limits, &p, r->err);
    if (s)
        return s;
    r->animated += p.file.animated;
    r->turned += !mask && p.file.orientation > 1;
    return bs_images_put(r, file, label, &p);
}

basin_status bs_images_put(bs_image_reading *r, int32_t file, const char *label, bs_picture *p)
{
    const int32_t i = r->user[file] / 2;
    const bool    mask = r->user[file] & 1;
    basin_status  s = mask ? put_mask(r, i, label, p) : put_photo(r, i, p);
    bs_picture_free(p);
    if (!s && !mask && r->cat.pair[r->picked[i]].outlines && !(r->prior && r->prior->label_free))
        return draw_mask(r, i);
    return s ? s : check_sizes(r, i);
}

/* --- one number of channels, one size -------------------------------------- */

basin_status bs_images_unify(bs_image_reading *r)
{
    bs_images *im = r->im;
    im->channels = r->channels ? r->channels : 1;
    im->equal = true;
    for (int32_t i = 0; i < im->n; i++) {
        if (!r->channels && r->planes[i] == 3)
            im->channels = 3;
        im->equal = im->equal && im->width[i] == im->width[0] && im->height[i] == im->height[0];
    }
    for (int32_t i = 0; i < im->n; i++) {
        if (r->planes[i] == im->channels)
            continue;
        size_t   n = (size_t)im->width[i] * (size_t)im->height[i];
        uint8_t *to = bs_images_room(im, 3 * n, r->err);
        if (!to)
            return r->err->status;
        for (int c = 0; c < 3; c++)
            memcpy(to + (size_t)c * n, im->pixels[i], n);
        im->pixels[i] = to;
    }
    return BASIN_OK;
}

uint64_t bs_images_hash(const bs_images *im)
{
    int32_t  head[3] = {im->n, im->channels, im->classes};
    uint64_t h = bs_hash_bytes(head, sizeof head, 11);
    for (int32_t i = 0; i < im->n; i++) {
        int32_t size[2] = {im->width[i], im->height[i]};
        size_t  n = (size_t)size[0] * (size_t)size[1];
        h = bs_hash_bytes(im->name[i], strlen(im->name[i]), h);
        h = bs_hash_bytes(size, sizeof size, h);
        h = bs_hash_bytes(im->pixels[i], n * (size_t)im->channels, h);
        if (im->mask[i])
            h = bs_hash_bytes(im->mask[i], n, h);
    }
    return h;
}
