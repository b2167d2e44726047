/* mutate_safetensors.h -- changes to model files that leave them readable as such: the header
 * stays JSON of the stated length, what it says of types, shapes, places and metadata changes. */
#ifndef FUZZ_MUTATE_SAFETENSORS_H
#define FUZZ_MUTATE_SAFETENSORS_H

#include <float.h>
#include <jansson.h>
#include <stdbool.h>

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

/* A value of the same kind, such as options may have. */
static inline json_t *fuzz_other_value(const json_t *old, fuzz_dice *d)
{
    static const char *const words[] = {
        "net",      "gbi",   "refine",  "viterbi",   "zeros",     "uniform", "random",
        "plain",    "adam",  "mirror",  "momentum",  "logits",    "chain",   "lm",
        "lm-words", "label", "deep",    "map",       "quadratic", "value",   "fcn",
        "unet",     "fcn2",  "cnn",     "lstm",      "none",      "keep",    "normalised",
        "8x8",      "100x1", "stacked", "separated", "shared",    "auto",    ""};
    switch (json_typeof(old)) {
    case JSON_INTEGER: return json_integer(fuzz_other_int(json_integer_value(old), d));
    case JSON_REAL: return json_real(fuzz_roll(d, 2) ? json_real_value(old) * 1e6 : -1e-3);
    case JSON_TRUE: return json_false();
    case JSON_FALSE: return json_true();
    case JSON_STRING: return json_string(words[fuzz_roll(d, sizeof words / sizeof *words)]);
    default: return json_integer(fuzz_roll(d, 9));
    }
}

/* A member of a member of ... becomes another value; lists lose or repeat an element. */
static inline void fuzz_change_tree(json_t *t, fuzz_dice *d)
{
    const char *key = NULL;
    while (json_is_object(t) && json_object_size(t) > 0) {
        json_t *v = fuzz_some_member(t, d, &key);
        if (!json_is_object(v) && !json_is_array(v)) {
            json_object_set_new(t, key, fuzz_other_value(v, d));
            return;
        }
        t = v;
    }
    const size_t n = json_array_size(t);
    if (n == 0)
        return;
    const size_t i = fuzz_roll(d, (uint32_t)n);
    switch (fuzz_roll(d, 4)) {
    case 0: json_array_remove(t, i); break;
    case 1: json_array_append(t, json_array_get(t, i)); break;
    default: json_array_set_new(t, i, fuzz_other_value(json_array_get(t, i), d));
    }
}

/* Options and schema, as what they are. */
static inline bool fuzz_change_object(json_t *metas, const char *key, const char *value,
                                      fuzz_dice *d)
{
    json_t *t = json_loads(value, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(t)) {
        json_decref(t);
        return false;
    }
    for (uint32_t i = 1 + fuzz_roll(d, 3); i > 0; i--)
        fuzz_change_tree(t, d);
    char *text = json_dumps(t, JSON_COMPACT);
    if (text)
        json_object_set_new(metas, key, json_string(text));
    free(text);
    json_decref(t);
    return true;
}

/* Metadata are texts: of options, labels, thresholds. One of them is mutated, as the object that
 * it is or as bytes. */
static inline void fuzz_change_meta(json_t *metas, fuzz_dice *d)
{
    const char *key = NULL, *value = json_string_value(fuzz_some_member(metas, d, &key));
    uint8_t     text[4096];
    if (value && fuzz_roll(d, 4) && fuzz_change_object(metas, key, value, d))
        return;
    size_t n = value ? strlen(value) : sizeof text;
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

/* Some weights of models that stay what they are otherwise: overflow, cancel, vanish. */
static inline void fuzz_change_weights(uint8_t *data, size_t size, fuzz_dice *d)
{
    static const float values[] = {FLT_MAX, -FLT_MAX, 1e30F, -1e30F, 0, -0.0F, FLT_MIN, 1, -1};
    const size_t       n = size / sizeof(float);
    for (uint32_t i = 1 + fuzz_roll(d, 8); i > 0 && n > 0; i--)
        memcpy(data + sizeof(float) * fuzz_roll(d, (uint32_t)n),
               &values[fuzz_roll(d, sizeof values / sizeof *values)], sizeof(float));
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
    if (fuzz_roll(&d, 4) == 0)
        fuzz_change_weights(data + 8 + n, size - 8 - (size_t)n, &d);
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
