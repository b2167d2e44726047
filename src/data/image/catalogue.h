/* catalogue.h -- which files of a data set are photos, which are masks, and how they pair up. For
 * images.c and its tests; works on names and small text files only. */
#ifndef BS_IMAGE_CATALOGUE_H
#define BS_IMAGE_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "data/image/coco.h"
#include "data/names.h"
#include "data/notes.h"

typedef enum { BS_PART_NONE, BS_PART_TRAIN, BS_PART_VALID, BS_PART_TEST, BS_PARTS } bs_image_part;

typedef enum { BS_ROLE_UNKNOWN, BS_ROLE_IMAGE, BS_ROLE_MASK, BS_ROLE_OTHER } bs_file_role;

/* A picture. bs_catalogue_pair() fills in everything after `source`. */
typedef struct {
    const char   *name; /* relative to its source */
    int           source;
    int32_t       width, height, channels; /* 0: unknown */
    bs_file_role  role;
    bs_image_part part;   /* by folder */
    const char   *folder; /* the folders, without words for roles */
    const char   *stem;   /* file name without extension */
    int32_t       partner;
} bs_file;

/* A list of the photos of a part, or of classes. */
typedef struct {
    const char *name;
    int         source;
    char       *text; /* lines are cut apart when it is read */
} bs_text_file;

typedef struct {
    int32_t       image, mask; /* files; mask -1: none */
    bs_image_part part;
    int32_t       order; /* position in the list of its part */
    const char   *name;  /* unique; the stem if that is */

    const bs_coco *outlines; /* NULL, or the outlines that the mask is drawn from: */
    int32_t        entry;    /* this image in them */
} bs_pair;

/* A file of annotations. */
typedef struct {
    bs_coco       coco;
    const char   *name; /* relative to its source */
    int           source;
    bool          given; /* given as a path, not found in a folder */
    bs_image_part part;
} bs_outlines;

typedef struct {
    const char *name; /* NULL: none given */
    uint8_t     rgb[3];
    bool        coloured;
} bs_class;

typedef struct {
    bs_arena           arena;
    const char *const *label; /* of the sources: treated as folders; NULL = one source; borrowed */
    const char *const *root;  /* of the sources: "folder/", "data.tar: "; NULL = ""; borrowed */
    bs_file           *file;
    size_t             n_files, cap_files;
    bs_text_file      *text;
    size_t             n_texts, cap_texts;
    bs_pair           *pair; /* [n_pairs], by part, then list or name */
    size_t             n_pairs, cap_pairs;
    bs_outlines       *outlines;
    size_t             n_outlines, cap_outlines;
    bs_class class[256];
    int         n_classes; /* 0: no list of classes */
    const char *classes_from;
    int32_t     lone_masks; /* that no photo has */
    bool        lists;      /* parts come from lists */
} bs_catalogue;

typedef struct {
    const char *image_suffix, *mask_suffix; /* "" = the usual endings */
    bool        need_mask;                  /* leave out photos without a mask if others have one */
    char *class_file; /* content of a list of classes given by the user; NULL = look for one */
    const char        *class_file_name;
    bool               classes_known; /* they are in the catalogue already */
    const char *const *known; /* [n_known] names of classes, which categories must have; NULL:
                                  any */
    int                n_known;
    const char        *who;        /* who knows them */
    bool               label_free; /* masks are recognised by name, and ignored */
} bs_pair_options;

void bs_catalogue_init(bs_catalogue *c);
void bs_catalogue_free(bs_catalogue *c);

/* Both copy the name (and the text). */
basin_status bs_catalogue_file(bs_catalogue *c, const char *name, int source, basin_error *err);
basin_status bs_catalogue_text(bs_catalogue *c, const char *name, int source, const char *text,
                               size_t len, basin_error *err);

bool bs_is_picture_name(const char *name);
bool bs_is_json_name(const char *name);
/* "TIFF", "GIF", ...: the kind of an unsupported picture, by its extension; NULL: none. */
const char *bs_foreign_picture(const char *name);

/* Skips the byte order mark that editors put before UTF-8. */
const char *bs_skip_mark(const char *text, size_t *len);
/* Text with two bytes per character, as some editors save it. */
bool bs_is_utf16(const char *text, size_t len);
/* By name: a list of the photos of a part, or of classes. */
bool bs_is_list_name(const char *name);

/* Takes what was read. */
basin_status bs_catalogue_outlines(bs_catalogue *c, const char *name, int source, bool given,
                                   bs_coco *coco, basin_error *err);

/* Finds the pairs. Errors: two photos of one name, a name in two parts. */
basin_status bs_catalogue_pair(bs_catalogue *c, const bs_pair_options *o, bs_notes *notes,
                               basin_error *err);

/* "train", "val", "validation", ...; BS_PART_NONE for any other word. */
bs_image_part bs_part_word(const char *text, size_t len);
const char   *bs_part_name(bs_image_part part); /* "train", "valid", "test", "" */

/* The prefix of file names in messages. */
const char *bs_catalogue_root(const bs_catalogue *c, int source);

/* The number of a file, or -1; after drop_repeats() has sorted them. */
int32_t bs_catalogue_find(const bs_catalogue *c, int source, const char *name);

/* For the parts of the catalogue. */
basin_status bs_catalogue_lists(bs_catalogue *c, bs_notes *notes, basin_error *err);
basin_status bs_catalogue_classes(bs_catalogue *c, const bs_pair_options *o, bs_notes *notes,
                                  basin_error *err);
basin_status bs_catalogue_push(bs_catalogue *c, bs_pair pair, basin_error *err);
/* Pairs photos with their outlines, where there are annotations and no masks. */
basin_status bs_catalogue_drawn(bs_catalogue *c, const bs_pair_options *o, bool *found,
                                bs_notes *notes, basin_error *err);
/* The part in the name of a list, BS_PART_NONE for none; several: trainval and the like. */
bs_image_part bs_part_of_list(const char *name, bool *several);
/* Finds folders, roles and stem in a file's name. */
basin_status bs_catalogue_place(bs_catalogue *c, bs_file *f, basin_error *err);

/* Files by the end of their paths, as lists and annotations name them. */
typedef struct {
    const bs_catalogue *c;
    bs_arena            arena;
    bs_names            stems;
    int32_t            *last; /* [stems] a file with that stem ... */
    int32_t            *next; /* [files] ... and another one; -1: no more */
} bs_photos;
/* How well a file fits that has the right name, below BS_PHOTO_FITS; 0: not at all. */
typedef int bs_photo_fit(const void *self, int32_t file);
enum { BS_PHOTO_FITS = 16 };

basin_status bs_photos_index(const bs_catalogue *c, bs_photos *p, basin_error *err);
void         bs_photos_free(bs_photos *p); /* also after an error */
/* The file whose path ends in the text, with or without an extension, or else in its last part. Of
 * several the one that fits best; the right extension comes first. -1: none, -2: several. */
int32_t bs_photos_find(const bs_photos *p, const char *text, bs_photo_fit *fit, const void *self);

#endif
