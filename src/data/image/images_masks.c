/* images_masks.c -- from values in masks to classes: which values do not count, how many classes
 * there are, and their names. */
#include <string.h>

#include "data/image/images_part.h"

enum {
    LABEL_ROOM = 512,
    MANY_CLASSES = 64,
    OUTPUT_SHARE = 8, /* of image.max_mb: what the outputs of an evaluation may take */
};

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
    for (int v = 1; v < 255; v++)
        if (r->elsewhere[v])
            return false;
    return r->value[255] && r->o->ignore == 255 && !r->o->zero_ignored && !r->coloured &&
           !r->drawn && classes <= 2 && r->o->classes <= 2 && !has_values(r, 1, 254);
}

bool bs_images_in_doubt(const bs_image_reading *r)
{
    return r->part >= 0 && r->prior && !r->prior->own && !r->prior->binary &&
           strcmp(r->o->binary, "auto") == 0 && two_values(r);
}

/* For mask.binary=auto. Masks with soft edges are unmistakable; those of a model trained on 0 and
 * 255 are read like its own. */
static bool find_binary(const bs_image_reading *r)
{
    const bs_images_prior *p = r->prior;
    if (p && p->own)
        return p->binary;
    return two_values(r) || (p && p->binary && r->value[255] && has_values(r, 128, 254));
}

/* Notes what was guessed from values, above all if it differs from the other masks. */
static void note_binary(const bs_image_reading *r, bool found)
{
    const bs_images_prior *p = r->prior;
    if (found && two_values(r))
        bs_notes_add(r->notes, "binary",
                     "mask values are 0 and 255: 255 is class 1 (mask.binary=no: it is ignored)");
    if (p && found && !p->binary)
        bs_notes_add(r->notes, BS_NOTE_WARNING,
                     "the masks of %s hold numbers of classes, these hold 0 and 255: 255 is "
                     "class 1 here",
                     p->who);
    if (p && p->binary && !found && has_values(r, 1, 254))
        bs_notes_add(r->notes, BS_NOTE_WARNING,
                     "the masks of %s hold 0 and 255, these hold numbers of classes: 1 is class 1 "
                     "here",
                     p->who);
    if (p && p->binary && found && has_values(r, 1, 254))
        bs_notes_add(r->notes, BS_NOTE_WARNING,
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

static const char *mask_label(const bs_image_reading *r, int32_t image, char *to, size_t room)
{
    const bs_pair *p = &r->cat.pair[r->picked[image]];
    const bs_file *f = &r->cat.file[p->outlines ? p->image : p->mask];
    return bs_images_label(r, f->source, f->name, to, room);
}

/* A class that does not fit, and why there is no room for it. */
static basin_status refuse_class(const bs_image_reading *r, int32_t image, int value, int class,
                                 int given)
{
    char        label[LABEL_ROOM];
    const char *a = mask_label(r, image, label, sizeof label);
    if (r->prior && r->prior->model)
        return bs_fail(r->err, BASIN_EDATA, "%s: the value %d; the model knows classes 0 to %d", a,
                       value, given - 1);
    if (r->prior && !r->o->classes)
        return bs_fail(r->err, BASIN_EDATA,
                       "%s: the value %d; %s has classes 0 to %d; --set mask.classes=%d makes room "
                       "for it",
                       a, value, r->prior->who, given - 1, class + 1);
    return bs_fail(r->err, BASIN_EDATA, "%s: the value %d; %d classes are given by %s", a, value,
                   given, r->o->classes ? "mask.classes" : r->cat.classes_from);
}

enum { SHOWN = 20, LIST_ROOM = 5 * SHOWN + 8 };

/* The numbers whose flag is set: "2, 5, 6". */
static int list_numbers(const bool flag[256], char to[LIST_ROOM])
{
    int n = 0, at = 0;
    to[0] = '\0';
    for (int v = 0; v < 256; v++)
        if (flag[v] && n++ < SHOWN)
            at += bs_print(to + at, LIST_ROOM - (size_t)at, "%s%d", at ? ", " : "", v);
    if (n > SHOWN)
        bs_print(to + at, LIST_ROOM - (size_t)at, ", ...");
    return n;
}

/* Values such as 0, 3 and 7 may be meant as three classes, but make eight. */
static void note_gaps(const bs_image_reading *r, int shift, int most)
{
    bool here[256] = {false}, gone[256] = {false};
    char values[LIST_ROOM], classes[LIST_ROOM];
    for (int v = 0; v < 256; v++)
        here[v] = r->value[v] > 0 && v != r->o->ignore && v >= shift;
    for (int k = 0; k < most; k++)
        gone[k] = !here[k + shift];
    list_numbers(here, values);
    if (list_numbers(gone, classes))
        bs_notes_add(r->notes, "gaps",
                     "mask values are %s, so there are %d classes, of which %s never occur "
                     "(mask.classes)",
                     values, r->im->classes, classes);
}

static basin_status count_classes(bs_image_reading *r, int shift)
{
    bs_images *im = r->im;
    int32_t    whose;
    int        most = largest_value(r, &whose) - shift;
    int        different = 0;
    char       label[LABEL_ROOM];
    if (!r->prior && !r->o->classes && !r->cat.n_classes && !shift)
        bs_voc_classes(r, most);
    int given = r->o->classes ? r->o->classes : r->cat.n_classes;
    if (r->prior)
        given = r->prior->classes;
    for (int v = 0; v < 256; v++)
        different += r->value[v] > 0 && v != r->o->ignore;
    if (given && most >= given)
        return refuse_class(r, whose, most + shift, most, given);
    if (!given && most >= MANY_CLASSES)
        return bs_fail(
            r->err, BASIN_EDATA,
            "%s: the value %d, %d different ones in all masks; mask.binary=yes for masks "
            "of two classes, mask.classes=%d if they are classes",
            mask_label(r, whose, label, sizeof label), most + shift, different, most + 1);
    im->classes = given > most + 1 ? given : most + 1;
    im->classes = im->classes < 2 ? 2 : im->classes;
    if (!given)
        note_gaps(r, shift, most);
    return BASIN_OK;
}

/* Names if all classes have one, colours if some do: a model may know only the latter. */
static basin_status name_classes(bs_image_reading *r)
{
    bs_images   *im = r->im;
    const int    n = im->classes, known = r->cat.n_classes;
    const char **name = bs_images_room(im, (size_t)n * sizeof *name, r->err);
    int32_t     *colour = name ? bs_images_room(im, (size_t)n * sizeof *colour, r->err) : NULL;
    bool         all = known == n, any = false;
    if (!colour)
        return r->err->status;
    for (int k = 0; k < known; k++)
        any = any || r->cat.class[k].coloured;
    for (int k = 0; k < n; k++) {
        const bs_class *c = &r->cat.class[k];
        colour[k] = k < known && c->coloured ? c->rgb[0] << 16 | c->rgb[1] << 8 | c->rgb[2] : -1;
        all = all && c->name;
        if (all && !(name[k] = bs_arena_copy(&im->arena, c->name, strlen(c->name))))
            return bs_fail_nomem(r->err);
    }
    im->class_name = all ? name : NULL;
    im->class_colour = any ? colour : NULL;
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

static void mark_classes(const bs_images *im, int32_t i, bool seen[256])
{
    const size_t n = (size_t)im->width[i] * (size_t)im->height[i];
    for (size_t k = 0; im->mask[i] && k < n; k++)
        seen[im->mask[i][k]] = true;
}

/* A class found in other parts only cannot be learned, and training leaves no room for it. If the
 * user gave the number of classes, it is intended. */
static basin_status find_unseen(bs_image_reading *r)
{
    bs_images *im = r->im;
    bool       trained[256] = {false}, tested[256] = {false};
    char       numbers[LIST_ROOM], text[2 * LIST_ROOM];
    if (r->prior || r->part >= 0 || r->o->classes || !r->parts[BS_PART_TRAIN])
        return BASIN_OK;
    for (int32_t i = 0; i < im->n; i++)
        if (im->part[i] != BS_PART_NONE)
            mark_classes(im, i, im->part[i] == BS_PART_TRAIN ? trained : tested);
    tested[BS_IGNORE] = false;
    for (int v = 0; v < 256; v++)
        tested[v] = tested[v] && !trained[v];
    const int n = list_numbers(tested, numbers);
    if (n == 0)
        return BASIN_OK;
    bs_print(text, sizeof text,
             "%s in valid or test, but not in train: %s; --set mask.classes=%d if that is meant",
             n == 1 ? "a class occurs" : "classes occur", numbers, im->classes);
    im->unseen = bs_arena_copy(&im->arena, text, strlen(text));
    return im->unseen ? BASIN_OK : bs_fail_nomem(r->err);
}

/* What an evaluation at the sizes of the masks would hold: probabilities of classes by pixel. */
static double output_bytes(const bs_images *im)
{
    const int planes = im->classes == 2 ? 1 : im->classes;
    double    pixels = 0;
    for (int32_t i = 0; i < im->n; i++)
        if (im->full_mask[i])
            pixels += (double)im->mask_width[i] * im->mask_height[i];
    return pixels * planes * (double)sizeof(float);
}

/* Masks that were resized with their photos are evaluated where there are no others, and where the
 * outputs at their own sizes would be too large. */
static void choose_sizes(const bs_image_reading *r)
{
    bs_images   *im = r->im;
    const double bytes = output_bytes(im);
    const bool   large = bytes > (double)((size_t)r->o->max_mb << 20) / OUTPUT_SHARE;
    for (int32_t i = 0; i < im->n; i++) {
        if (large)
            im->full_mask[i] = NULL;
        if (!im->mask[i] || im->full_mask[i])
            continue;
        im->mask_width[i] = im->width[i];
        im->mask_height[i] = im->height[i];
    }
    if (large)
        bs_notes_add(
            r->notes, "size",
            "masks are evaluated at the size of the resized photos: at their own sizes the "
            "probabilities of %d classes would need %.2f GiB (image.max_mb)",
            im->classes, bytes / (1 << 30));
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
        bool wide = !r->drawn && (r->value[255] || largest_value(r, &whose) > 1);
        for (int v = 0; v < 256; v++)
            map[v] = wide ? v >= 128 : v > 0;
        if (r->drawn)
            map[BS_COCO_CROWD] = BS_IGNORE;
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
        s = find_unseen(r);
    for (int32_t i = 0; i < im->n && !s; i++)
        if (!im->mask[i]) {
            im->mask_width[i] = r->photo_w[i];
            im->mask_height[i] = r->photo_h[i];
        }
    if (!s)
        choose_sizes(r);
    return s;
}
