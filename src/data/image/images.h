/* images.h -- a data set of photos and their masks.
 *
 * Reads folders, tar and zip archives (compressed or not), single pictures and outlines. The role
 * of a file follows from its name (layout.c), its part from lists or folders. Every guess is a
 * note that names the option to change it. */
#ifndef BS_IMAGE_IMAGES_H
#define BS_IMAGE_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/opt.h"
#include "data/notes.h"

enum { BS_IGNORE = 255 }; /* mask pixels with this value do not count */

typedef struct {
    bs_arena           arena;
    int32_t            n;              /* images */
    int                channels;       /* 3 (grey photos are expanded), or 1 if all are grey */
    int                classes;        /* >= 2 */
    const char *const *class_name;     /* [classes], or NULL */
    const int32_t     *class_colour;   /* [classes] 0xRRGGBB in masks, -1 none; NULL: no colours */
    const char       **name;           /* [n] unique; the stems if those are */
    int32_t           *width, *height; /* [n] as used (after resizing) */
    int32_t           *mask_width, *mask_height; /* [n] original size of the mask, or else the
                                                    photo */
    uint8_t          **pixels;                   /* [n] planar: channels * height * width */
    uint8_t          **mask;      /* [n] class per pixel, 255 = ignore; NULL if there is none */
    uint8_t          **full_mask; /* [n] at the original size if that differs, else NULL */
    uint8_t          **original;  /* [n] photos in colour at original size; NULL: not requested */
    uint8_t           *part;      /* [n] 0 none, 1 train, 2 valid, 3 test */
    int32_t            parts[4];  /* images of each part in the data, read or not */
    bool               equal;     /* all images have one size */
    bool               resized;   /* some photo had another size */
    bool               binary;    /* masks were 0 and 255, or mask.binary said so */
    const char        *unseen;    /* classes that valid or test have but train lacks, or NULL */
    uint64_t           hash;      /* of names, pixels and masks */
} bs_images;

/* What is known before files are read: from the training part, or from a model. */
typedef struct {
    const char        *who;     /* whose masks: "the training data", "the model's training data" */
    bool               model;   /* it cannot be changed */
    int                classes; /* masks must not have others */
    bool               binary;  /* its masks were read as 0 and 255 */
    bool               own;     /* the files are another part of the same data set */
    const char *const *name;    /* [classes], or NULL */
    const int32_t     *colour;  /* [classes] as class_colour; NULL: lists in the data may tell */
    bool               label_free; /* masks are ignored: only photos count */
} bs_images_prior;

/* Paths that are asked more than once, for parts and for the pictures of several parts: an archive
 * of at most 64 MiB, without compression, is read once. */
typedef struct bs_image_set bs_image_set;
basin_status                bs_image_set_new(int paths, bs_image_set **out, basin_error *err);
void                        bs_image_set_free(bs_image_set *set); /* accepts NULL */

typedef struct {
    char          size[BS_OPTION_TEXT]; /* "auto", "keep", "WxH" */
    char          channels[BS_OPTION_TEXT];
    char          image_suffix[BS_OPTION_TEXT], mask_suffix[BS_OPTION_TEXT];
    char          names[BS_OPTION_TEXT];
    char          binary[BS_OPTION_TEXT];
    int           ignore, classes;
    bool          zero_ignored, need, full;
    int           max_side, max_pixels, max_images, max_window_mb, max_tile_mb, max_mb;
    int           unpack_mb; /* data.max_mb */
    bool          originals; /* also keep unscaled photos, to draw on them; not for users */
    bs_image_set *set;       /* of the same paths, or NULL; borrowed, not for users */
} bs_image_options;

/* One row per option above; to add one: a field and a row in image_options.c. */
extern const bs_option bs_image_rows[];
bs_image_options       bs_image_options_default(void);
/* "64x48", "64X48", "64": both sides at least 1. */
bool bs_image_size(const char *text, int *width, int *height);

/* How sure it is, 0 to 100, that the path is for bs_images_read(). Folders and archives without
 * pictures, and unsupported picture formats, get a low score: nothing else reads them, and its
 * message says what is wrong. Only fails without memory. */
basin_status bs_images_sniff(const char *path, int *sure, basin_error *err);

/* part: "train", "valid", "test" (or val, dev, ...), or NULL for all. A part that the data lacks is
 * an error; out->parts of any part tells which exist. notes (may be NULL) is initialised by the
 * caller. On failure *out is NULL. */
basin_status bs_images_read(const char *const *paths, int n, const bs_image_options *o,
                            const char *part, bs_images **out, bs_notes *notes, basin_error *err);
/* The same with prior knowledge; prior may be NULL. mask.binary=auto looks at these masks only,
 * unless they are a part of the prior's data set: a part may lack the telling value. */
basin_status bs_images_read_as(const char *const *paths, int n, const bs_image_options *o,
                               const bs_images_prior *prior, const char *part, bs_images **out,
                               bs_notes *notes, basin_error *err);
/* An archive in memory, for tests and fuzzing. */
basin_status bs_images_read_memory(const char *name, const void *bytes, size_t n,
                                   const bs_image_options *o, const bs_images_prior *prior,
                                   const char *part, bs_images **out, bs_notes *notes,
                                   basin_error *err);
/* Photos and masks in a program's memory, which are copied. */
basin_status bs_images_from_memory(const basin_images *x, const bs_image_options *o,
                                   const bs_images_prior *prior, bs_images **out, bs_notes *notes,
                                   basin_error *err);
void         bs_images_free(bs_images *im); /* accepts NULL */

/* Images per part, without decoding any: count[0] belong to no part. */
basin_status bs_images_parts(const char *const *paths, int n, const bs_image_options *o,
                             int32_t count[4], basin_error *err);

/* Writes what was decided about photos (size, channels) into options, so that other data read with
 * them fits: for validation, test and prediction. */
void bs_images_settle(const bs_images *im, bs_image_options *o);
/* What a training part tells about the masks of others; borrows from it. */
bs_images_prior bs_images_prior_of(const bs_images *train);

/* Copies of names and colours of classes, either of which may be NULL; false: memory ran out. */
bool bs_classes_copy(bs_arena *arena, int classes, const char *const *name, const int32_t *colour,
                     const char *const **names, const int32_t **colours);

/* A copy of some images, in the given order. */
basin_status bs_images_select(const bs_images *im, const int32_t *rows, int32_t n, bs_images **out,
                              basin_error *err);

/* part[i] becomes the number of a part, 0 .. parts - 1, of relative size share[]. Every part gets
 * its share of masks with much and with little foreground; equal photos stay together. The same
 * seed gives the same parts. */
basin_status bs_images_split(const bs_images *im, const double *share, int parts, uint64_t seed,
                             int32_t *part, basin_error *err);

/* Two photos that are equal. */
typedef struct {
    int32_t a, b;   /* a < b */
    bool    across; /* they are in different parts */
} bs_twin;

/* Each equal photo with the one before it; *twins is a bs_alloc block. */
basin_status bs_images_twins(const bs_images *im, bs_twin **twins, size_t *n, basin_error *err);

/* For data inspect and check: a text table and a JSON object, either may be NULL. Notes (may be
 * NULL) are those of reading and end the table. *problem (may be NULL) is what would spoil
 * training, or NULL; it lives as long as im. */
basin_status bs_images_describe(const bs_images *im, const bs_notes *notes, bs_buf *table,
                                bs_buf *json, const char **problem, basin_error *err);

/* Whether a file of this name might be written outside of its folder, as a foreign one could. */
bool bs_leads_out(const char *name);

/* Writes images/NAME.png, masks/NAME.png (class numbers), lists in splits/ if there are parts,
 * classes.txt if classes have names, and about.json unless `about` is NULL. path: a folder, or an
 * archive if it ends in .tar, .tar.gz, .tgz, .tar.xz, .tar.zst or .zip. The same images give the
 * same bytes. A folder with other images, masks or lists is an error: both would be read as one
 * data set. */
basin_status bs_images_write(const bs_images *im, const char *path, const char *about,
                             basin_error *err);

#endif
