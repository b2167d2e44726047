/* safetensors.h -- named arrays and text in one file, in the safetensors format.
 *
 * The container of models and checkpoints; it knows nothing about models. Any bytes either load or
 * are refused with a one-line reason. The format and the checksum are described in
 * docs/format.md. */
#ifndef BS_SAFETENSORS_H
#define BS_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define BS_TENSOR_DIMS  8
#define BS_CHECKSUM_KEY "basin.checksum"

typedef enum {
    BS_DTYPE_F32,
    BS_DTYPE_F64,
    BS_DTYPE_I32,
    BS_DTYPE_I64,
    BS_DTYPE_U8,
    BS_DTYPE_F16,  /* IEEE half precision */
    BS_DTYPE_BF16, /* the upper half of F32 */
    /* Of files of other programs. */
    BS_DTYPE_BOOL,
    BS_DTYPE_I8,
    BS_DTYPE_I16,
    BS_DTYPE_U16,
    BS_DTYPE_U32,
    BS_DTYPE_U64,
    BS_DTYPE_F8_E4M3,
    BS_DTYPE_F8_E5M2,
} bs_dtype;

size_t      bs_dtype_size(bs_dtype d); /* bytes of one element; 0 for no dtype */
const char *bs_dtype_name(bs_dtype d); /* "F32", as in the file; NULL for no dtype */

/* Row-major, little-endian. n_dims 0 is a scalar, any dim 0 an empty tensor. */
typedef struct {
    const char *name;
    bs_dtype    dtype;
    int         n_dims;
    int64_t     dim[BS_TENSOR_DIMS];
    const void *data;  /* aligned to its element size; NULL only when bytes is 0 */
    size_t      bytes; /* product of the dims times the element size */
} bs_tensor;

/* Elements first .. first + n of F32, F16 or BF16; false for another type. */
bool bs_tensor_floats(const bs_tensor *t, int64_t first, int64_t n, float *out);
/* As F16: the nearest one, of two the even one. False if a finite number became infinite. */
bool bs_halves_of(const float *x, int64_t n, uint16_t *out);

typedef struct {
    const char *key, *value; /* UTF-8 */
} bs_meta;

/* --- writing -----------------------------------------------------------------
 *
 * Tensors are laid out by falling element size, so that all are aligned, and in
 * the given order within a size. Metadata keeps its order; BS_CHECKSUM_KEY is
 * computed and comes first, one that is given is ignored. Equal input gives
 * equal bytes, and writing what was read gives the same file again. BASIN_EARG
 * for a tensor or key that the format cannot hold or that is there twice. */

/* Replaces `path` atomically: an older file stays until everything is on disk. */
basin_status bs_safetensors_write(const char *path, const bs_tensor *t, int n, const bs_meta *meta,
                                  int n_meta, basin_error *err);
/* Appends the same bytes to `out`, whose ceiling bounds them. */
basin_status bs_safetensors_format(const bs_tensor *t, int n, const bs_meta *meta, int n_meta,
                                   bs_buf *out, basin_error *err);

/* --- reading -----------------------------------------------------------------
 *
 * An open file is immutable and may be shared between threads; all pointers
 * below live until it is closed. */
typedef struct bs_safetensors bs_safetensors;

/* Maps a regular file. It may be replaced or removed while open, as bs_safetensors_write() does;
 * but if it is overwritten or truncated in place, the data changes or the process dies, so
 * long-running programs should copy what they need and close. A wrong checksum is an error; a
 * missing one is not: files of other programs have none. */
basin_status bs_safetensors_open(const char *path, bs_safetensors **out, basin_error *err);
/* Reads from memory; borrows `bytes` until closed. `name` starts the messages. */
basin_status bs_safetensors_memory(const char *name, const void *bytes, size_t n,
                                   bs_safetensors **out, basin_error *err);
void         bs_safetensors_close(bs_safetensors *f); /* accepts NULL */

/* Tensors in the order of their data; NULL for an index out of range. */
int              bs_safetensors_count(const bs_safetensors *f);
const bs_tensor *bs_safetensors_at(const bs_safetensors *f, int i);
const bs_tensor *bs_safetensors_find(const bs_safetensors *f, const char *name); /* NULL: none */

/* Metadata in the order of the file, the checksum included. */
int            bs_safetensors_meta_count(const bs_safetensors *f);
const bs_meta *bs_safetensors_meta_at(const bs_safetensors *f, int i);
const char    *bs_safetensors_meta(const bs_safetensors *f, const char *key); /* NULL: none */

#endif
