/* images_part.h -- shared by the files behind images.h. */
#ifndef BS_IMAGE_IMAGES_PART_H
#define BS_IMAGE_IMAGES_PART_H

#include "data/image/catalogue.h"
#include "data/image/images.h"
#include "data/image/picture.h"
#include "data/image/source.h"

enum { BS_NOT_WANTED = -1, BS_VALUES_ONLY = -2, BS_VOC_CLASSES = 21 };

/* What stays open between readings of the same paths. */
struct bs_image_set {
    bool    counted;
    int32_t count[4]; /* of bs_images_parts() */
    int     n;
    struct {
        bool           known; /* it was looked at */
        bs_source_kind kind;
        bs_buf         bytes; /* of an archive that is small enough, without compression */
    } path[];                 /* [n] */
};

/* What the paths of a data set stand for; close them, also after an error. */
typedef struct {
    bs_source   *source; /* [n] */
    const char **label;  /* [n] */
    bs_arena     arena;
    bs_coco     *coco; /* [n] annotations given as a path; label NULL: none */
    int          n;
} bs_image_sources;

/* set may be NULL. */
basin_status bs_images_open(bs_image_sources *z, bs_image_set *set, const char *const *paths, int n,
                            int max_mb, basin_error *err);
void         bs_images_close(bs_image_sources *z);

/* One reading of a data set. */
typedef struct {
    const bs_source        *source; /* [n] */
    const basin_images     *given;  /* or NULL: then source is only a name for messages */
    int                     n;
    const bs_image_options *o;
    const bs_images_prior  *prior; /* or NULL */
    bs_notes               *notes;
    basin_error            *err;
    bs_catalogue            cat;
    int32_t                 parts[BS_PARTS];
    int                     part;     /* wanted, -1 = all */
    int32_t                *picked;   /* [im->n] pairs; these lists are in its arena */
    int32_t                 W, H;     /* common size of all photos; 0 = each its own */
    int                     channels; /* requested; 0 = decided by the photos */

    bs_images    *im;
    int32_t      *user;              /* [files] 2 * image + is mask, or one of the values below 0 */
    int           at_source;         /* the source being walked */
    basin_status  failed;            /* while it was walked */
    int32_t       seen, foreign;     /* files of any kind; pictures of unsupported kinds */
    size_t        links;             /* in archives */
    char          example[256];      /* one of the latter */
    int32_t      *photo_w, *photo_h; /* [im->n] sizes in the files; 0: not seen yet */
    uint8_t      *planes;            /* [im->n] stored channels */
    uint8_t      *largest;           /* [im->n] largest class value in the mask */
    int64_t       value[256];        /* pixels with this value in all masks */
    bool          elsewhere[256];    /* values in masks of other parts, if those were examined */
    int32_t       coloured, turned, transparent, animated; /* pictures */
    int32_t       masks, voc; /* masks; those with the palette of Pascal VOC */
    int32_t       drawn;      /* masks drawn from outlines */
    bs_coco_tally tally;
} bs_image_reading;

/* Decodes one file of the catalogue into its place. */
basin_status bs_images_decode(bs_image_reading *r, int32_t file, const uint8_t *bytes, size_t n);
/* The same for one that is decoded; frees the picture. */
basin_status bs_images_put(bs_image_reading *r, int32_t file, const char *label, bs_picture *p);
/* Pairs and pixels of images in memory. */
basin_status bs_images_given_pairs(bs_image_reading *r);
basin_status bs_images_given_decode(bs_image_reading *r);
/* Whether this part's masks look like 0 and 255, those the model learned from did not, and the rest
 * of the data may decide. */
bool bs_images_in_doubt(const bs_image_reading *r);
/* After everything is decoded: values to classes, channels, names, hash. */
basin_status bs_images_settle_masks(bs_image_reading *r);
basin_status bs_images_unify(bs_image_reading *r);
uint64_t     bs_images_hash(const bs_images *im);

/* Whether a mask has the palette of Pascal VOC. */
bool bs_voc_palette(const bs_picture *p);
/* Its classes, if all masks have that palette and their values, up to `most`, fit. */
void bs_voc_classes(bs_image_reading *r, int most);

/* A file's name in messages: "folder/a.png", "data.tar: a.png". */
const char *bs_images_label(const bs_image_reading *r, int source, const char *name, char *to,
                            size_t room);

/* Arena memory within image.max_mb; reports if there is not enough. */
void *bs_images_room(bs_images *im, size_t bytes, basin_error *err);
/* The lists of im->n images. */
basin_status bs_images_rows(bs_images *im, bool originals, basin_error *err);

#endif
