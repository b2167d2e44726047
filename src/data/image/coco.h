/* coco.h -- annotations in COCO's format: outlines of objects in one JSON file.
 *
 *     {"images": [{"id": 7, "file_name": "a.jpg", "width": 640, "height": 480}, ...],
 *      "categories": [{"id": 3, "name": "cat"}, ...],
 *      "annotations": [{"id": 1, "image_id": 7, "category_id": 3, "iscrowd": 0,
 *                       "segmentation": [[x, y, x, y, x, y, ...], ...]}, ...]}
 *
 * Outlines are polygons, or runs of pixels down the columns, as numbers or packed into a text. What
 * is kept of a file is their numbers alone, in a fraction of its size. */
#ifndef BS_IMAGE_COCO_H
#define BS_IMAGE_COCO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "data/names.h"

enum { BS_COCO_CROWD = 255 }; /* in drawings: pixels of a crowd, which do not count */

typedef struct {
    int64_t     id;
    const char *name;
    int class; /* set later; -1: its objects are not drawn */
} bs_coco_category;

typedef struct {
    int64_t     id;
    const char *file;          /* of the photo, with / between folders */
    int32_t     width, height; /* 0: unknown */
    size_t      first, n;      /* its objects */
} bs_coco_image;

typedef struct {
    int64_t id, image_id; /* of the annotation; becomes the image's index after reading */
    int32_t category;
    bool    crowd, runs;
    int32_t width, height; /* of runs */
    size_t  at, n;         /* in words: runs; or polygons, each preceded by its number of corners */
} bs_coco_object;

typedef struct {
    const char       *label; /* of the file, for messages */
    bs_arena          arena;
    bs_coco_category *category;
    bs_coco_image    *image;
    bs_coco_object   *object; /* sorted by image, otherwise in file order */
    uint32_t         *word;   /* lengths of runs; coordinates, as floats */
    size_t            n_categories, n_images, n_objects, n_words;
    size_t            cap_categories, cap_images, cap_objects, cap_words;
    size_t            boxes; /* annotations without an outline, which are ignored */
} bs_coco;

/* Whether text, possibly truncated, starts like such a file. */
bool bs_coco_sniff(const char *text, size_t n);
/* The caller releases *out, also after an error. */
basin_status bs_coco_read(const char *label, const char *text, size_t n, bs_coco *out,
                          basin_error *err);
void         bs_coco_free(bs_coco *c);

/* Draws an image's objects. A pixel belongs to a polygon if its centre is inside by the even-odd
 * rule; left and upper edges are inside, right and lower ones outside. Several polygons of an
 * object are united. Objects with more pixels come first, so that smaller ones are drawn over them;
 * of equal ones the last is on top. Crowds are below all others. */
typedef struct {
    int32_t beyond;  /* objects that reach beyond the photo by more than a pixel */
    int32_t nothing; /* objects that contain no pixel centre */
    int32_t crowds;
} bs_coco_tally;
basin_status bs_coco_draw(const bs_coco *c, int32_t image, int width, int height, uint8_t *mask,
                          bs_coco_tally *tally, basin_error *err);

#endif
