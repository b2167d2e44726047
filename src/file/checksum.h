/* checksum.h -- what a file's checksum covers; docs/format.md defines it. */
#ifndef BS_CHECKSUM_H
#define BS_CHECKSUM_H

#include "file/safetensors.h"

/* XXH64 with seed 0, as published: `xxhsum -H64` prints the same number. */
uint64_t bs_hash64(const void *bytes, size_t n);

#define BS_CHECKSUM_TEXT 23 /* "xxh64:", 16 hexadecimal digits, NUL */

/* The checksum of the content: names, types, shapes and data of the tensors, keys and values of the
 * metadata, whatever their order in the file. Sorts both lists by strcmp(); skips BS_CHECKSUM_KEY
 * itself. */
basin_status bs_checksum(const bs_tensor *const *t, int n, const bs_meta *const *meta, int n_meta,
                         char out[BS_CHECKSUM_TEXT], basin_error *err);

/* For qsort() of these lists of pointers. */
int bs_tensor_by_name(const void *a, const void *b);
int bs_meta_by_key(const void *a, const void *b);

#endif
