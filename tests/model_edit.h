/* model_edit.h -- a modified copy of a model: settings, what it knows about its data, weights. */
#ifndef TEST_MODEL_EDIT_H
#define TEST_MODEL_EDIT_H

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "file/safetensors.h"
#include "tests/api_folder.h"

/* path: "gbi.test_steps", a member of the JSON object in the metadata `key`, or, with a blank
 * between them, members of members: "image image.size". value: JSON. */
static inline void model_edit_member(bs_meta *m, const char *path, const char *value)
{
    json_t *all = json_loads(m->value, 0, NULL), *at = all;
    char    name[128];
    size_t  n;
    assert_non_null(all);
    for (; (n = strcspn(path, " ")), path[n]; path += n + 1) {
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        at = json_object_get(at, name);
        assert_non_null(at);
    }
    assert_non_null(json_object_get(at, path)); /* it must have such a member */
    json_object_set_new(at, path, json_loads(value, JSON_DECODE_ANY, NULL));
    m->value = json_dumps(all, 0);
    json_decref(all);
}

/* Of a model that is open: what was changed before is freed. */
static inline void model_edit_free(const bs_meta *m, const char *text)
{
    if (text != m->value)
        free((void *)(uintptr_t)text);
}

/* Numbers first, first + step, ... of the tensor with this name become `value`. */
typedef struct {
    const char *tensor;
    size_t      first, step;
    float       value;
} model_weight;

/* The changes: {key, path, value} until a key is NULL; weights until a tensor is NULL. */
typedef struct {
    const char *key, *path, *value;
} model_change;

static inline void model_edit(const char *from, const char *to, const model_change *change,
                              const model_weight *weight)
{
    enum { MOST = 256 };
    static bs_tensor t[MOST];
    static bs_meta   meta[MOST];
    bs_safetensors  *f;
    OK(bs_safetensors_open(from, &f, err));
    const int n = bs_safetensors_count(f), n_meta = bs_safetensors_meta_count(f);
    assert_true(n <= MOST && n_meta <= MOST);
    for (int i = 0; i < n; i++) {
        t[i] = *bs_safetensors_at(f, i);
        float *copy = malloc(t[i].bytes);
        memcpy(copy, t[i].data, t[i].bytes);
        for (const model_weight *w = weight; w && w->tensor; w++)
            for (size_t k = w->first; strcmp(w->tensor, t[i].name) == 0 && k * 4 < t[i].bytes;
                 k += w->step ? w->step : t[i].bytes)
                copy[k] = w->value;
        t[i].data = copy;
    }
    for (int i = 0; i < n_meta; i++) {
        meta[i] = *bs_safetensors_meta_at(f, i);
        for (const model_change *c = change; c && c->key; c++)
            if (strcmp(c->key, meta[i].key) == 0) {
                const char *before = meta[i].value;
                model_edit_member(&meta[i], c->path, c->value);
                model_edit_free(bs_safetensors_meta_at(f, i), before);
            }
    }
    OK(bs_safetensors_write(to, t, n, meta, n_meta, err));
    for (int i = 0; i < n; i++)
        free((void *)(uintptr_t)t[i].data);
    for (int i = 0; i < n_meta; i++)
        model_edit_free(bs_safetensors_meta_at(f, i), meta[i].value);
    bs_safetensors_close(f);
}

#endif
