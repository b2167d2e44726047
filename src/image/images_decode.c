/* images_decode.c -- pictures into their places: planes, sizes, classes. */
#include <stdio.h>
#include <string.h>

#include "data/names.h"
#include "image/images_part.h"
#include "image/picture.h"
#include "image/resize.h"

enum { LABEL_ROOM = 512, MANY_CLASSES = 64 };

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

static basin_status put_photo(bs_image_reading *r, int32_t i, bs_picture *p)
{
    bs_images *im = r->im;
    r->transparent += p->channels == 4;
    bs_picture_flatten(p);
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

/* A mask in colours: by the colours of the list of classes. */
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
                           "%s: the colour %d %d %d at column %zu, row %zu is no class of %s",
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

static basin_status check_sizes(const bs_image_reading *r, int32_t i)
{
    const bs_images *im = r->im;
    if (!r->photo_w[i] || !im->mask[i] ||
        (im->mask_width[i] == r->photo_w[i] && im->mask_height[i] == r->photo_h[i]))
        return BASIN_OK;
    const bs_pair *p = &r->cat.pair[r->picked[i]];
    const bs_file *a = &r->cat.file[p->image], *b = &r->cat.file[p->mask];
    return bs_fail(r->err, BASIN_EDATA,
                   "%.90s: the photo is %d x %d pixels, its mask %.60s is %d x %d%s", a->name,
                   (int)r->photo_w[i], (int)r->photo_h[i], b->name, (int)im->mask_width[i],
                   (int)im->mask_height[i],
                   im->mask_width[i] == r->photo_h[i] && im->mask_height[i] == r->photo_w[i]
                       ? "; is the photo turned by its EXIF data?"
                       : "");
}

basin_status bs_images_decode(bs_image_reading *r, int32_t file, const uint8_t *bytes, size_t n)
{
    const bs_file    *f = &r->cat.file[file];
    const int32_t     i = r->user[file] / 2;
    const bool        mask = r->user[file] & 1;
    bs_picture_limits limits = {r->o->max_side, r->o->max_pixels};
    bs_picture        p;
    char              label[LABEL_ROOM];
    bs_images_label(r, f->source, f->name, label, sizeof label);
    basin_status s = bs_picture_decode(label, bytes, n, mask ? BS_PICTURE_MASK : BS_PICTURE_PHOTO,
                                       &limits, &p, NULL, r->err);
    if (s)
        return s;
    r->animated += p.file.animated;
    r->turned += !mask && p.file.orientation > 1;
    s = mask ? put_mask(r, i, label, &p) : put_photo(r, i, &p);
    bs_picture_free(&p);
    return s ? s : check_sizes(r, i);
}

/* --- values to classes ----------------------------------------------------- */

static bool has_values(const bs_image_reading *r, int from, int to)
{
    for (int v = from; v <= to; v++)
        if (r->value[v])
            return true;
    return false;
}

static bool two_values(const bs_image_reading *r)
{
    const int classes = r->prior ? r->prior->classes : r->cat.n_classes;
    return r->value[255] && r->o->ignore == 255 && !r->o->zero_ignored && !r->coloured &&
           classes <= 2 && r->o->classes <= 2 && !has_values(r, 1, 254);
}

/* For mask.binary=auto. Masks with soft edges look like nothing else; those of a model that was
 * trained on 0 and 255 are read as these were. */
static bool find_binary(const bs_image_reading *r)
{
    const bs_images_prior *p = r->prior;
    if (p && p->own)
        return p->binary;
    return two_values(r) || (p && p->binary && r->value[255] && has_values(r, 128, 254));
}

/* What was guessed from values, above all where it is not what the other masks were. */
static void note_binary(const bs_image_reading *r, bool found)
{
    const bs_images_prior *p = r->prior;
    if (found && two_values(r))
        bs_notes_add(r->notes, "binary",
                     "mask values are 0 and 255: 255 is class 1 (mask.binary=no: it is ignored)");
    if (p && found && !p->binary)
        bs_notes_add(r->notes, "differs",
                     "the masks of %s hold numbers of classes, these hold 0 and 255: 255 is "
                     "class 1 here",
                     p->who);
    if (p && p->binary && !found && has_values(r, 1, 254))
        bs_notes_add(r->notes, "differs",
                     "the masks of %s hold 0 and 255, these hold numbers of classes: 1 is class 1 "
                     "here",
                     p->who);
    if (p && p->binary && found && has_values(r, 1, 254))
        bs_notes_add(r->notes, "differs",
                     "the masks of %s hold 0 and 255 alone, these others, too: 128 to 255 is "
                     "class 1 (mask.binary)",
                     p->who);
}

static int largest_value(const bs_image_reading *r, int32_t *whose)
{
    int most = -1;
    *whose = -1;
    for (int32_t i = 0; i < r->im->n; i++)
        if (r->im->mask[i] && (int)r->largest[i] > most) {
            most = r->largest[i];
            *whose = i;
        }
    return most;
}

static basin_status count_classes(bs_image_reading *r, int shift)
{
    bs_images *im = r->im;
    int32_t    whose;
    int        most = largest_value(r, &whose) - shift;
    int        given = r->o->classes ? r->o->classes : r->cat.n_classes, different = 0;
    if (r->prior)
        given = r->prior->classes;
    char a[LABEL_ROOM];
    for (int v = 0; v < 256; v++)
        different += r->value[v] > 0 && v != r->o->ignore;
    if (given && most >= given) {
        const bs_file *f = &r->cat.file[r->cat.pair[r->picked[whose]].mask];
        return bs_fail(r->err, BASIN_EDATA, "%s: the value %d; %d classes are given by %s",
                       bs_images_label(r, f->source, f->name, a, sizeof a), most + shift, given,
                       r->o->classes ? "mask.classes" : r->cat.classes_from);
    }
    if (!given && most >= MANY_CLASSES) {
        const bs_file *f = &r->cat.file[r->cat.pair[r->picked[whose]].mask];
        return bs_fail(
            r->err, BASIN_EDATA,
            "%s: the value %d, %d different ones in all masks; mask.binary=yes for masks "
            "of two classes, mask.classes=%d if they are classes",
            bs_images_label(r, f->source, f->name, a, sizeof a), most + shift, different, most + 1);
    }
    im->classes = given > most + 1 ? given : most + 1;
    im->classes = im->classes < 2 ? 2 : im->classes;
    return BASIN_OK;
}

static basin_status colour_classes(bs_image_reading *r)
{
    bs_images *im = r->im;
    bool       any = false;
    for (int k = 0; k < r->cat.n_classes; k++)
        any = any || r->cat.class[k].coloured;
    if (!any)
        return BASIN_OK;
    int32_t *colour = bs_images_room(im, (size_t)im->classes * sizeof *colour, r->err);
    for (int k = 0; colour && k < im->classes; k++) {
        const bs_class *c = &r->cat.class[k];
        colour[k] =
            k < r->cat.n_classes && c->coloured ? c->rgb[0] << 16 | c->rgb[1] << 8 | c->rgb[2] : -1;
    }
    im->class_colour = colour;
    return colour ? BASIN_OK : r->err->status;
}

static basin_status name_classes(bs_image_reading *r)
{
    bs_images   *im = r->im;
    const char **name;
    bool         all = r->cat.n_classes == im->classes;
    for (int k = 0; k < im->classes && all; k++)
        all = r->cat.class[k].name != NULL; /* a model may know colours alone */
    if (!all)
        return BASIN_OK;
    name = bs_images_room(im, (size_t)im->classes * sizeof *name, r->err);
    if (!name)
        return r->err->status;
    for (int k = 0; k < im->classes; k++) {
        name[k] = bs_arena_copy(&im->arena, r->cat.class[k].name, strlen(r->cat.class[k].name));
        if (!name[k])
            return bs_fail_nomem(r->err);
    }
    im->class_name = name;
    return BASIN_OK;
}

static void apply(bs_images *im, const uint8_t map[256])
{
    for (int32_t i = 0; i < im->n; i++) {
        size_t n = (size_t)im->width[i] * (size_t)im->height[i];
        for (size_t k = 0; im->mask[i] && k < n; k++)
            im->mask[i][k] = map[im->mask[i][k]];
        n = (size_t)im->mask_width[i] * (size_t)im->mask_height[i];
        for (size_t k = 0; im->full_mask[i] && k < n; k++)
            im->full_mask[i][k] = map[im->full_mask[i][k]];
    }
}

basin_status bs_images_settle_masks(bs_image_reading *r)
{
    bs_images   *im = r->im;
    uint8_t      map[256];
    int32_t      whose;
    basin_status s = BASIN_OK;
    const int    shift = r->o->zero_ignored;
    const bool   guess = strcmp(r->o->binary, "auto") == 0;
    for (int v = 0; v < 256; v++)
        map[v] = (uint8_t)v;
    im->binary = guess ? find_binary(r) : strcmp(r->o->binary, "yes") == 0;
    if (guess)
        note_binary(r, im->binary);
    if (im->binary) {
        bool wide = r->value[255] || largest_value(r, &whose) > 1;
        for (int v = 0; v < 256; v++)
            map[v] = wide ? v >= 128 : v > 0;
        im->classes = 2;
    } else {
        s = count_classes(r, shift);
        for (int v = 0; v < 256; v++)
            map[v] = v == r->o->ignore || v < shift ? BS_IGNORE : (uint8_t)(v - shift);
        if (r->value[255] && r->o->ignore == 255)
            bs_notes_add(r->notes, "ignore",
                         "%lld mask pixels have the value 255: ignored (mask.ignore)",
                         (long long)r->value[255]);
    }
    if (!s) {
        apply(im, map);
        s = name_classes(r);
    }
    if (!s)
        s = colour_classes(r);
    for (int32_t i = 0; i < im->n && !s; i++)
        if (!im->mask[i]) {
            im->mask_width[i] = r->photo_w[i];
            im->mask_height[i] = r->photo_h[i];
        }
    return s;
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
