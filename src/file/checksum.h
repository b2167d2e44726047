/* checksum.h -- what the checksum of a file is taken over; docs/format.md has the definition. */
#ifndef BS_CHECKSUM_H
#define BS_CHECKSUM_H

#include "file/safetensors.h"

/* XXH64 with seed 0, the published function: `xxhsum -H64` gives the same number. */
uint64_t bs_hash64(const void *bytes, size_t n);

#define BS_CHECKSUM_TEXT 23 /* "xxh64:", 16 hexadecimal digits, NUL */

/* The checksum of the content: names, types, shapes and data of the tensors,
 * keys and values of the metadata, whatever their order in the file. Both lists
 * are sorted by strcmp(); BS_CHECKSUM_KEY itself is passed over. */
basin_status bs_checksum(const bs_tensor *const *t, int n, const bs_meta *const *meta, int n_meta,
                         char out[BS_CHECKSUM_TEXT], basin_error *err);

/* qsort() comparisons for those lists of pointers. */
int bs_tensor_by_name(const void *a, const void *b);
int bs_meta_by_key(const void *a, const void *b);

#endif
