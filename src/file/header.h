/* header.h -- shared by the writer and the reader of safetensors; for this folder only. */
#ifndef BS_HEADER_H
#define BS_HEADER_H

#include "base/mem.h"
#include "base/tree.h"
#include "file/safetensors.h"

enum {
    BS_HEADER_LEN = 8,                 /* bytes of the length before the header */
    BS_HEADER_MAX = 100 * 1000 * 1000, /* as in the reference library */
    BS_HEADER_ALIGN = 64,              /* the data starts at a multiple of this */
    BS_TENSORS_MAX = 1 << 16,
    BS_METAS_MAX = 1 << 16,
};

#define BS_META_NAME "__metadata__"

typedef struct {
    bs_tensor t;
    size_t    begin; /* offset in the data */
    int       place; /* position in the header */
} bs_placed;

/* An open file. */
struct bs_safetensors {
    const char       *path;    /* for messages while opening; not kept */
    json_t           *tree;    /* the header; names, keys and values point into it */
    bs_placed        *entries; /* in the order of the data */
    const bs_tensor **by_name;
    bs_meta          *metas; /* in the order of the file */
    const bs_meta   **by_key;
    int               n, n_meta;
    void             *map; /* NULL: the bytes are borrowed */
    size_t            map_size;
    bs_arena          copies; /* of tensors that are not aligned */
};

/* Fills everything but the data from a header of n bytes, for data_size bytes of data. After an
 * error f may only be closed. */
basin_status bs_header_read(bs_safetensors *f, const char *text, size_t n, size_t data_size,
                            basin_error *err);

/* The start of a foreign name, for messages: a long one must not push the reason off the line. Cuts
 * between UTF-8 characters. */
#define BS_SHOWN 72
const char *bs_shown(const char *name, char buf[BS_SHOWN]);

/* Bytes of a tensor by type and dims; false if they do not fit a size_t, even if only a dim of 0
 * hides that. */
bool bs_tensor_size(bs_dtype d, const int64_t *dim, int n_dims, size_t *out);

#endif
