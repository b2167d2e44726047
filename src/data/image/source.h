/* source.h -- the files of a folder, an archive or a list, one after the other.
 *
 * Whoever visits says which files it wants by name and gets their bytes. Archives are
 * tar and zip, packed or not; nothing is ever written to the disk, so what a name inside
 * says about where to go does not matter. */
#ifndef BS_IMAGE_SOURCE_H
#define BS_IMAGE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef enum {
    BS_SOURCE_NONE,    /* not there, or nothing of the below */
    BS_SOURCE_FOLDER,  /* all files below it, in the order of their names */
    BS_SOURCE_ARCHIVE, /* in the order of the archive */
    BS_SOURCE_FILES,   /* those that `file` names, below `path` */
    BS_SOURCE_PICTURE, /* one PNG or JPEG file */
    BS_SOURCE_TEXT,    /* another file that begins like text: a table of pairs, perhaps */
} bs_source_kind;

typedef struct {
    bs_source_kind     kind;
    const char        *path;  /* borrowed */
    const void        *bytes; /* archive or picture in memory instead; path is then its name */
    size_t             n_bytes;
    const char *const *file; /* [n_files], BS_SOURCE_FILES */
    size_t             n_files;
} bs_source;

typedef struct {
    void *self;
    /* The name is relative, with '/' between its parts. */
    bool (*wants)(void *self, const char *name);
    basin_status (*take)(void *self, const char *name, const uint8_t *bytes, size_t n,
                         basin_error *err);
    size_t max_files; /* more of them are an error; 0 = no limit */
    size_t max_bytes; /* of one wanted file; 0 = 1 GiB */
    int    max_mb;    /* of all that is unpacked, as bs_input_limit */
    bool   enough;    /* set by the visitor: the walk ends */
    size_t links;     /* counted by the walk: links in archives, which are not followed */
    char   link[256]; /* ... and the first one */
} bs_visitor;

/* By looking at the path and the beginning of the file. */
basin_status bs_source_sniff(const char *path, bs_source_kind *out, basin_error *err);

/* The same by the beginning alone: picture, archive, text or none. */
bs_source_kind bs_source_of_bytes(const void *head, size_t n);

/* Hidden files and folders (.name, __MACOSX) are passed over, and so are links in archives: the
 * bytes they stand for may lie anywhere in it, or outside. */
basin_status bs_source_walk(const bs_source *s, bs_visitor *v, basin_error *err);

#endif
