/* voc.c -- Pascal VOC's classes: its masks do not name them, but all have its palette. */
#include <string.h>

#include "data/image/images_part.h"
#include "data/image/picture.h"

static const char *const voc_names[BS_VOC_CLASSES] = {
    "background", "aeroplane", "bicycle",     "bird",  "boat",        "bottle", "bus",
    "car",        "cat",       "chair",       "cow",   "diningtable", "dog",    "horse",
    "motorbike",  "person",    "pottedplant", "sheep", "sofa",        "train",  "tvmonitor",
};

bool bs_voc_palette(const bs_picture *p)
{
    for (int c = 0; c < p->colours && c < BS_VOC_CLASSES; c++) {
        uint8_t rgb[3];
        bs_voc_colour(c, rgb);
        if (memcmp(p->palette[c], rgb, 3) != 0)
            return false;
    }
    return p->colours > 1;
}

/* Other tools paint masks of their own classes with the same palette, but number them without
 * gaps. */
static bool numbers_fit(const bs_image_reading *r, int most)
{
    bool gaps = false;
    for (int v = 1; v < most; v++)
        gaps = gaps || r->value[v] == 0;
    return most == BS_VOC_CLASSES - 1 || (most < BS_VOC_CLASSES && gaps);
}

void bs_voc_classes(bs_image_reading *r, int most)
{
    if (r->masks == 0 || r->voc < r->masks || !numbers_fit(r, most))
        return;
    for (int c = 0; c < BS_VOC_CLASSES; c++) {
        r->cat.class[c] = (bs_class){.name = voc_names[c], .coloured = true};
        bs_voc_colour(c, r->cat.class[c].rgb);
    }
    r->cat.n_classes = BS_VOC_CLASSES;
    r->cat.classes_from = "the palette of Pascal VOC";
    bs_notes_add(r->notes, "classes",
                 "masks have the palette of Pascal VOC and numbers that fit: its %d classes "
                 "(mask.names=FILE says others)",
                 (int)BS_VOC_CLASSES);
}
