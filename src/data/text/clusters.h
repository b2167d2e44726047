/* clusters.h -- Brown clusters: words as leaves of a binary tree, written as paths of bits.
 *
 * Words whose paths share a prefix are used similarly, so prefixes are features: short ones are
 * coarse classes, the whole path is the cluster. */
#ifndef BS_CLUSTERS_H
#define BS_CLUSTERS_H

#include "base/io.h"
#include "data/names.h"
#include "data/notes.h"

enum { BS_PATH_MAX = 128 }; /* maximum length of a path in bits */

/* Must not be moved: the names point to the arena. */
typedef struct {
    int32_t  n;
    bs_names words; /* [n] */
    bs_names paths; /* the clusters as texts of 0 and 1 */
    int32_t *path;  /* [n], index into paths */
    size_t   cap;   /* of path */
    bs_arena arena;
} bs_clusters;

/* Lines "path word count" (the count is optional) or "word path", separated by tabs or else blanks;
 * compressed or not. Keeps the words in `wanted`, all if it is NULL. For repeated words the first
 * line counts, with a note (notes may be NULL). On failure *out is empty; bs_clusters_free() is
 * always allowed. */
basin_status bs_clusters_read(const char *path, int max_mb, const bs_names *wanted,
                              bs_clusters *out, bs_notes *notes, basin_error *err);
basin_status bs_clusters_read_input(bs_input *in, const bs_names *wanted, bs_clusters *out,
                                    bs_notes *notes, basin_error *err);
void         bs_clusters_free(bs_clusters *c);

/* For callers that fill one themselves. */
void bs_clusters_init(bs_clusters *c);
/* False when memory runs out; *fresh: the word is new. */
bool bs_clusters_add(bs_clusters *c, const char *word, size_t len, const char *path,
                     size_t path_len, bool *fresh);
bool bs_is_path(const char *text, size_t len);

#endif
