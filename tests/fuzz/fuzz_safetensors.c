/* fuzz_safetensors.c -- any bytes load or are refused; what loads means the same to a
 * general JSON parser, survives being written, and is then written the same again.
 *
 * Every input is tried twice: as a file, and as a header (up to the first NUL)
 * with data, for which the length is made up. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz/mutate_safetensors.h"

int    LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

#define MUST(condition)       \
    do {                      \
        if (!(condition))     \
            __builtin_trap(); \
    } while (0)

static void same_as_jansson(const bs_safetensors *f, const char *bytes)
{
    uint64_t n;
    memcpy(&n, bytes, sizeof n);
    json_t *root = json_loadb(bytes + 8, (size_t)n, JSON_REJECT_DUPLICATES, NULL);
    MUST(root && json_is_object(root));
    json_t *metas = json_object_get(root, "__metadata__");
    MUST(json_object_size(root) == (size_t)bs_safetensors_count(f) + (metas != NULL));
    MUST(json_object_size(metas) == (size_t)bs_safetensors_meta_count(f));
    for (int i = 0; i < bs_safetensors_meta_count(f); i++) {
        const bs_meta *m = bs_safetensors_meta_at(f, i);
        const json_t  *value = json_object_get(metas, m->key);
        MUST(value && strcmp(json_string_value(value), m->value) == 0);
        MUST(bs_safetensors_meta(f, m->key) == m->value);
    }
    for (int i = 0; i < bs_safetensors_count(f); i++) {
        const bs_tensor *t = bs_safetensors_at(f, i);
        const json_t    *o = json_object_get(root, t->name);
        const json_t    *shape = json_object_get(o, "shape");
        MUST(strcmp(json_string_value(json_object_get(o, "dtype")), bs_dtype_name(t->dtype)) == 0);
        MUST(json_array_size(shape) == (size_t)t->n_dims);
        for (int k = 0; k < t->n_dims; k++)
            MUST(json_integer_value(json_array_get(shape, (size_t)k)) == t->dim[k]);
        const json_t *begin = json_array_get(json_object_get(o, "data_offsets"), 0);
        MUST(t->bytes == 0 ||
             memcmp(t->data, bytes + 8 + n + json_integer_value(begin), t->bytes) == 0);
        MUST((uintptr_t)t->data % bs_dtype_size(t->dtype) == 0);
        MUST(bs_safetensors_find(f, t->name) == t);
    }
    json_decref(root);
}

static void write_again(const bs_safetensors *f, bs_buf *out)
{
    int        n = bs_safetensors_count(f), n_meta = bs_safetensors_meta_count(f);
    bs_tensor *t = bs_calloc((size_t)n, sizeof *t);
    bs_meta   *m = bs_calloc((size_t)n_meta, sizeof *m);
    for (int i = 0; i < n; i++)
        t[i] = *bs_safetensors_at(f, i);
    for (int i = 0; i < n_meta; i++)
        m[i] = *bs_safetensors_meta_at(f, i);
    bs_buf_init(out, (size_t)1 << 30);
    MUST(bs_safetensors_format(t, n, m, n_meta, out, NULL) == BASIN_OK);
    bs_free(t);
    bs_free(m);
}

static void try_bytes(const char *bytes, size_t n)
{
    long            live = bs_mem_live();
    bs_safetensors *f, *again;
    basin_error     err = {0};
    bs_buf          one, two;
    if (bs_safetensors_memory("fuzz", bytes, n, &f, &err)) {
        MUST(!f && err.status && err.msg[0] && !strchr(err.msg, '\n'));
    } else {
        same_as_jansson(f, bytes);
        write_again(f, &one);
        MUST(bs_safetensors_memory("again", one.data, one.len, &again, NULL) == BASIN_OK);
        MUST(bs_safetensors_meta(again, BS_CHECKSUM_KEY));
        MUST(bs_safetensors_count(again) == bs_safetensors_count(f));
        write_again(again, &two);
        MUST(one.len == two.len && memcmp(one.data, two.data, one.len) == 0);
        /* The checksum does not depend on where the header put things. */
        const char *stored = bs_safetensors_meta(f, BS_CHECKSUM_KEY);
        MUST(!stored || strcmp(stored, bs_safetensors_meta(again, BS_CHECKSUM_KEY)) == 0);
        bs_safetensors_close(again);
        bs_buf_free(&one);
        bs_buf_free(&two);
    }
    bs_safetensors_close(f);
    MUST(bs_mem_live() == live);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_bytes((const char *)data, size);

    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    uint64_t       header = nul ? (uint64_t)(nul - data) : size;
    size_t         rest = size - (size_t)header;
    char          *file = bs_alloc(8 + size);
    MUST(file);
    memcpy(file, &header, 8);
    if (header)
        memcpy(file + 8, data, (size_t)header);
    /* The NUL that ended the header is not data. */
    if (rest > 1)
        memcpy(file + 8 + header, data + header + 1, rest - 1);
    try_bytes(file, 8 + (size_t)header + (rest ? rest - 1 : 0));
    bs_free(file);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return fuzz_mutate_safetensors(data, size, max_size, seed);
}
