/* source.h -- the files of a folder, an archive or a list, one after the other.
 *
 * A visitor chooses files by name and receives their bytes. Archives are tar and zip, compressed or
 * not; nothing is ever written to disk, so paths inside an archive can do no harm. */
#ifndef BS_IMAGE_SOURCE_H
#define BS_IMAGE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef enum {
    BS_SOURCE_NONE,    /* does not exist, or none of the following */
    BS_SOURCE_FOLDER,  /* all files below it, sorted by name */
    BS_SOURCE_ARCHIVE, /* in the order of the archive */
    BS_SOURCE_FILES,   /* those named by `file`, below `path` */
    BS_SOURCE_PICTURE, /* one PNG or JPEG file */
    BS_SOURCE_TEXT,    /* another file that starts like text: perhaps annotations */
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
    size_t max_files; /* more are an error; 0 = no limit */
    size_t max_bytes; /* per wanted file; 0 = 1 GiB */
    int    max_mb;    /* for everything unpacked, as bs_input_limit */
    bool   enough;    /* set by the visitor: ends the walk */
    size_t links;     /* set by the walk: number of links in archives, which are not followed */
    char   link[256]; /* ... and the first one */
} bs_visitor;

/* By looking at the path and the beginning of the file. */
basin_status bs_source_sniff(const char *path, bs_source_kind *out, basin_error *err);

/* The same from the beginning only: picture, archive, text or none. */
bs_source_kind bs_source_of_bytes(const void *head, size_t n);

/* Skips hidden files and folders (.name, __MACOSX) and links in archives: the bytes they stand for
 * may be anywhere in the archive, or outside. */
basin_status bs_source_walk(const bs_source *s, bs_visitor *v, basin_error *err);

#endif
