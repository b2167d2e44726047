/* checksum.c -- the checksum of a file's content, by XXH64 of libxxhash.
 *
 * The content is first reduced to a list of 64-bit words, with one hash per text and per tensor's
 * data; the checksum is the hash of that list. It depends neither on how the header is written nor
 * on the layout of the data. */
#include "file/checksum.h"

#include <string.h>
#include <xxhash.h>

#include "base/mem.h"

/* Data is copied between file and memory unchanged. */
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "src/file needs a little-endian machine"
#endif

uint64_t bs_hash64(const void *bytes, size_t n)
{
    return XXH64(bytes, n, 0);
}

/* --- the content ------------------------------------------------------------- */

int bs_tensor_by_name(const void *a, const void *b)
{
    const bs_tensor *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

int bs_meta_by_key(const void *a, const void *b)
{
    const bs_meta *const *x = a, *const *y = b;
    return strcmp((*x)->key, (*y)->key);
}

static uint64_t hash_text(const char *text)
{
    return bs_hash64(text, strlen(text));
}

basin_status bs_checksum(const bs_tensor *const *t, int n, const bs_meta *const *meta, int n_meta,
                         char out[BS_CHECKSUM_TEXT], basin_error *err)
{
    size_t    most = 2 + (size_t)n * (4 + BS_TENSOR_DIMS) + (size_t)n_meta * 2;
    uint64_t *list = bs_calloc(most, sizeof *list);
    if (!list)
        return bs_fail_nomem(err);

    size_t k = 0;
    list[k++] = (uint64_t)n;
    for (int i = 0; i < n; i++) {
        list[k++] = hash_text(t[i]->name);
        list[k++] = hash_text(bs_dtype_name(t[i]->dtype));
        list[k++] = (uint64_t)t[i]->n_dims;
        for (int j = 0; j < t[i]->n_dims; j++)
            list[k++] = (uint64_t)t[i]->dim[j];
        list[k++] = bs_hash64(t[i]->data, t[i]->bytes);
    }
    size_t count = k++;
    for (int i = 0; i < n_meta; i++) {
        if (strcmp(meta[i]->key, BS_CHECKSUM_KEY) == 0)
            continue;
        list[k++] = hash_text(meta[i]->key);
        list[k++] = hash_text(meta[i]->value);
        list[count]++;
    }
    bs_print(out, BS_CHECKSUM_TEXT, "xxh64:%016llx",
             (unsigned long long)bs_hash64(list, k * sizeof *list));
    bs_free(list);
    return BASIN_OK;
}
