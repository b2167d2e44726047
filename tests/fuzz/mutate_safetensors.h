/* mutate_safetensors.h -- changes to model files that leave them readable as such: the header
 * stays JSON of the stated length, what it says of types, shapes, places and metadata changes. */
#ifndef FUZZ_MUTATE_SAFETENSORS_H
#define FUZZ_MUTATE_SAFETENSORS_H

#include <jansson.h>

#include "file/safetensors.h"
#include "fuzz/mutate.h"

static inline json_t *fuzz_some_member(json_t *object, fuzz_dice *d, const char **key)
{
    const size_t n = json_object_size(object);
    if (n == 0)
        return NULL;
    void *at = json_object_iter(object);
    for (uint32_t skip = fuzz_roll(d, (uint32_t)n); skip > 0; skip--)
        at = json_object_iter_next(object, at);
    *key = json_object_iter_key(at);
    return json_object_iter_value(at);
}

static inline json_int_t fuzz_other_int(json_int_t x, fuzz_dice *d)
{
    static const json_int_t values[] = {0, 1, -1, 2, 4, 8, 65536, 2147483648, 4611686018427387904};
    switch (fuzz_roll(d, 4)) {
    case 0: return x + 1;
    case 1: return x - 1;
    case 2: return x > 1000000 || x < -1000000 ? 0 : 4 * x;
    default: return values[fuzz_roll(d, sizeof values / sizeof *values)];
    }
}

static inline void fuzz_change_list(json_t *list, fuzz_dice *d)
{
    const size_t n = json_array_size(list);
    if (n == 0 || fuzz_roll(d, 6) == 0)
        json_array_append_new(list, json_integer(fuzz_roll(d, 5)));
    else if (fuzz_roll(d, 8) == 0)
        json_array_remove(list, fuzz_roll(d, (uint32_t)n));
    else {
        const size_t i = fuzz_roll(d, (uint32_t)n);
        json_array_set_new(
            list, i, json_integer(fuzz_other_int(json_integer_value(json_array_get(list, i)), d)));
    }
}

static inline void fuzz_change_tensor(json_t *t, fuzz_dice *d)
{
    static const char *const types[] = {"F32", "F64", "F16", "I64", "I32", "U8", "BOOL", "F8_E4M3"};
    switch (fuzz_roll(d, 3)) {
    case 0: json_object_set_new(t, "dtype", json_string(types[fuzz_roll(d, 8)])); break;
    case 1: fuzz_change_list(json_object_get(t, "shape"), d); break;
    default: fuzz_change_list(json_object_get(t, "data_offsets"), d);
    }
}

/* Metadata are texts: of options, labels, thresholds. One of them is mutated as bytes. */
static inline void fuzz_change_meta(json_t *metas, fuzz_dice *d)
{
    const char *key, *value = json_string_value(fuzz_some_member(metas, d, &key));
    uint8_t     text[4096];
    size_t      n = value ? strlen(value) : sizeof text;
    if (n < sizeof text) {
        memcpy(text, value, n);
        n = LLVMFuzzerMutate(text, n, sizeof text);
        json_t *changed = json_stringn((char *)text, n); /* NULL: no longer UTF-8 */
        if (changed)
            json_object_set_new(metas, key, changed);
    }
}

static inline void fuzz_change_header(json_t *root, fuzz_dice *d)
{
    const char *key = NULL;
    json_t     *metas = json_object_get(root, "__metadata__");
    if (fuzz_roll(d, 4)) /* most files without, so that changes are not all caught by it */
        json_object_del(metas, BS_CHECKSUM_KEY);
    if (json_object_size(metas) > 0 && fuzz_roll(d, 2)) {
        fuzz_change_meta(metas, d);
        return;
    }
    json_t *t = fuzz_some_member(root, d, &key);
    if (!t || t == metas)
        return;
    switch (fuzz_roll(d, 6)) {
    case 0: json_object_del(root, key); break;
    case 1: json_object_set_new(root, "net/another", json_deep_copy(t)); break;
    default: fuzz_change_tensor(t, d);
    }
}

static inline size_t fuzz_mutate_safetensors(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    fuzz_dice d = {seed};
    uint64_t  n = 0;
    if (size > 8)
        memcpy(&n, data, 8);
    json_t *root = n > 0 && n <= size - 8
                       ? json_loadb((char *)data + 8, (size_t)n, JSON_REJECT_DUPLICATES, NULL)
                       : NULL;
    if (!json_is_object(root) || fuzz_roll(&d, 4) == 0) {
        json_decref(root);
        return LLVMFuzzerMutate(data, size, max);
    }
    fuzz_change_header(root, &d);
    char *text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    if (text) {
        const uint64_t length = strlen(text);
        const size_t   before = size;
        size = fuzz_splice(data, size, max, 8, 8 + (size_t)n, text, (size_t)length);
        if (size != before || length == n)
            memcpy(data, &length, 8);
    }
    free(text);
    return size;
}

#endif
