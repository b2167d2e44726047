/* npy.h -- arrays saved by numpy: one in a .npy file, several in a .npz archive. */
#ifndef BS_NPY_H
#define BS_NPY_H

#include "data/rows/read.h"

enum { BS_NPY_DIMS = 2 };

typedef struct {
    char           name[64]; /* of a member of an archive, without .npy; else "" */
    char           kind;     /* f, i, u or b; U for texts */
    int            size;     /* bytes of an element */
    bool           swap;     /* big-endian */
    bool           fortran;  /* stored by columns, not rows */
    int            dims;
    int64_t        dim[BS_NPY_DIMS];
    const uint8_t *data; /* borrowed: dim[0] * dim[1] elements */
} bs_npy;

bool bs_npy_is(const void *bytes, size_t n); /* the signature of .npy */

/* name is for messages: "X.npy", "d.npz: X". Accepts numbers in one or two dimensions, and texts in
 * one; refuses anything else by name. */
basin_status bs_npy_parse(const char *name, const void *bytes, size_t n, bs_npy *out,
                          basin_error *err);

/* The header alone: out->data is NULL, and *size is its length. */
basin_status bs_npy_begin(const char *name, const void *bytes, size_t n, bs_npy *out, size_t *size,
                          basin_error *err);
/* For an array with data for so many elements, which are not as many as announced. */
basin_status bs_npy_fail_size(const char *name, const bs_npy *a, uint64_t elements,
                              basin_error *err);

double bs_npy_number(const bs_npy *a, int64_t row, int64_t column);
/* An element of a text array; NULL when memory runs out or it is not a text. */
const char *bs_npy_text(const bs_npy *a, int64_t row, bs_arena *arena);

/* --- archives: npz.c ------------------------------------------------------ */

enum { BS_NPZ_MOST = 16 };

typedef struct {
    bs_npy array[BS_NPZ_MOST];
    bs_buf bytes[BS_NPZ_MOST];
    int    n;
} bs_npz;

/* All arrays of a zip archive in memory, up to `ceiling` bytes together; max_mb as in
 * bs_input_limit. */
basin_status  bs_npz_open(const char *name, const void *bytes, size_t n, size_t ceiling, int max_mb,
                          bs_npz *out, basin_error *err);
void          bs_npz_free(bs_npz *z);
const bs_npy *bs_npz_find(const bs_npz *z, const char *const *names); /* the first one present */
/* "X, y": for messages. */
const char *bs_npz_list(const bs_npz *z, char *out, size_t size);

#endif
