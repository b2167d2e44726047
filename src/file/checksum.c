/* checksum.c -- XXH64, and the checksum of a file's content.
 *
 * The content is first reduced to a list of 64-bit words, with one hash per text and per tensor's
 * data; the checksum is the hash of that list. It depends neither on how the header is written nor
 * on the layout of the data. */
#include "file/checksum.h"

#include <string.h>

#include "base/mem.h"

/* Data is copied between file and memory unchanged. */
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "src/file needs a little-endian machine"
#endif

/* --- XXH64 ------------------------------------------------------------------- */

static const uint64_t P1 = 0x9E3779B185EBCA87u, P2 = 0xC2B2AE3D27D4EB4Fu, P3 = 0x165667B19E3779F9u,
                      P4 = 0x85EBCA77C2B2AE63u, P5 = 0x27D4EB2F165667C5u;

static uint64_t rotate(uint64_t x, int r)
{
    return x << r | x >> (64 - r);
}

static uint64_t word(const unsigned char *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return w;
}

static uint64_t mix(uint64_t lane, uint64_t w)
{
    return rotate(lane + w * P2, 31) * P1;
}

/* Adds the last 0 to 31 bytes and mixes the bits of the result. */
static uint64_t finish(uint64_t h, const unsigned char *p, size_t n)
{
    for (; n >= 8; p += 8, n -= 8)
        h = rotate(h ^ mix(0, word(p)), 27) * P1 + P4;
    if (n >= 4) {
        uint32_t half;
        memcpy(&half, p, sizeof half);
        h = rotate(h ^ half * P1, 23) * P2 + P3;
        p += 4;
        n -= 4;
    }
    for (; n; p++, n--)
        h = rotate(h ^ *p * P5, 11) * P1;
    h = (h ^ h >> 33) * P2;
    h = (h ^ h >> 29) * P3;
    return h ^ h >> 32;
}

uint64_t bs_hash64(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    const uint64_t       total = n;
    if (n < 32)
        return finish(P5 + total, p, n);

    /* Four lanes, because a multiplication takes three or four cycles but a
     * new one can start in each. */
    uint64_t a = P1 + P2, b = P2, c = 0, d = 0 - P1;
    for (; n >= 32; p += 32, n -= 32) {
        a = mix(a, word(p));
        b = mix(b, word(p + 8));
        c = mix(c, word(p + 16));
        d = mix(d, word(p + 24));
    }
    uint64_t h = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
    h = (h ^ mix(0, a)) * P1 + P4;
    h = (h ^ mix(0, b)) * P1 + P4;
    h = (h ^ mix(0, c)) * P1 + P4;
    h = (h ^ mix(0, d)) * P1 + P4;
    return finish(h + total, p, n);
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
