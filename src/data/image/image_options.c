/* image_options.c -- the option table of image.* and mask.*. */
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "data/scan.h"
#include "data/image/images.h"

#define AT(field) offsetof(bs_image_options, field)

const bs_option bs_image_rows[] = {
    {"image.size", BS_TEXT, AT(size), "auto", NULL, NULL, NULL,
     "size of all photos: WxH, keep (unscaled), auto (unscaled if equal and at most 128 a side, "
     "else a common size up to that)",
     BS_OPTION_KEEP},
    {"image.channels", BS_NAME, AT(channels), "auto", NULL, NULL, "auto|1|3",
     "grey or colour; auto is grey when all photos are", BS_OPTION_KEEP},
    {"image.suffix", BS_TEXT, AT(image_suffix), "", NULL, NULL, NULL,
     "ending of the names of photos that masks do not have; empty = the usual ones",
     BS_OPTION_KEEP},
    {"mask.suffix", BS_TEXT, AT(mask_suffix), "", NULL, NULL, NULL,
     "ending of the names of masks that photos do not have; empty = _mask, _gt, _label, ...",
     BS_OPTION_KEEP},
    {"mask.names", BS_TEXT, AT(names), "", NULL, NULL, NULL,
     "file with the names of the classes, one per line, with R G B for masks in colours",
     BS_OPTION_FILE},
    {"mask.classes", BS_INT, AT(classes), "0", "0", "255", NULL,
     "number of classes; 0 = by the largest value in the masks", BS_OPTION_KEEP},
    {"mask.ignore", BS_INT, AT(ignore), "255", "-1", "255", NULL,
     "value of pixels that do not count; -1 = none", BS_OPTION_KEEP},
    {"mask.binary", BS_NAME, AT(binary), "auto", NULL, NULL, "auto|yes|no",
     "masks of two values: 128 to 255 is class 1; auto when all values are 0 and 255",
     BS_OPTION_KEEP},
    {"mask.zero_ignored", BS_BOOL, AT(zero_ignored), "no", NULL, NULL, NULL,
     "0 means that a pixel does not count, and class 0 is stored as 1", BS_OPTION_KEEP},
    {"mask.need", BS_BOOL, AT(need), "yes", NULL, NULL, NULL,
     "leave out photos without a mask where others have one", 0},
    {"mask.full", BS_BOOL, AT(full), "yes", NULL, NULL, NULL,
     "also keep masks at their own size, for evaluation at that size", 0},
    {"image.max_side", BS_INT, AT(max_side), "16384", "1", "65500", NULL,
     "refuse pictures with a longer side", 0},
    {"image.max_pixels", BS_INT, AT(max_pixels), "64000000", "1", "2000000000", NULL,
     "refuse pictures with more pixels", 0},
    {"image.max_images", BS_INT, AT(max_images), "1000000", "1", "100000000", NULL,
     "refuse data with more pictures", 0},
    {"image.max_window_mb", BS_INT, AT(max_window_mb), "256", "1", "1000000", NULL,
     "refuse models whose first layer needs more memory for a window, in MiB", 0},
    {"image.max_tile_mb", BS_INT, AT(max_tile_mb), "768", "16", "1000000", NULL,
     "photos that take more memory to predict, in MiB, are cut into overlapping tiles", 0},
    {"image.max_mb", BS_INT, AT(max_mb), "8192", "1", "1000000", NULL,
     "refuse data that needs more memory, in MiB", 0},
    {NULL, BS_INT, 0, NULL, NULL, NULL, NULL, NULL, 0},
};

bs_image_options bs_image_options_default(void)
{
    bs_image_options o = {.ignore = BS_IGNORE};
    bs_options_default(bs_image_rows, &o, NULL);
    return o;
}

bool bs_image_size(const char *text, int *width, int *height)
{
    int64_t     w = 0, h = 0;
    const char *p = bs_scan_index(text, &w);
    h = w;
    if (p && (*p == 'x' || *p == 'X'))
        p = bs_scan_index(p + 1, &h);
    if (!p || *p || w < 1 || h < 1 || w > INT_MAX || h > INT_MAX)
        return false;
    *width = (int)w;
    *height = (int)h;
    return true;
}

void bs_images_settle(const bs_images *im, bs_image_options *o)
{
    if (strcmp(o->size, "keep") != 0 && im->equal && im->n) /* future photos may differ */
        bs_print(o->size, sizeof o->size, "%dx%d", (int)im->width[0], (int)im->height[0]);
    else
        bs_print(o->size, sizeof o->size, "keep");
    bs_print(o->channels, sizeof o->channels, "%d", im->channels);
}

bs_images_prior bs_images_prior_of(const bs_images *train)
{
    return (bs_images_prior){.who = "the training data",
                             .classes = train->classes,
                             .binary = train->binary,
                             .name = train->class_name,
                             .colour = train->class_colour};
}
