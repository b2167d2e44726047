/* fuzz_words.h -- the body of the fuzz target of n-grams: JSON as in a model and, after a NUL, a
 * text, whose features must be in range and finite. */
#ifndef FUZZ_WORDS_H
#define FUZZ_WORDS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "data/words/ngrams.h"

static inline void fuzz_text_of(const bs_ngrams *g, bs_arena *arena, const char *text, size_t len)
{
    const int32_t   none[2] = {0, 0};
    bs_row_text     document = {text, len};
    const bs_schema columns = {.n_features = 0};
    bs_schema       all;
    bs_rows         ds = {.rows = 1, .document = &document, .x = {1, 0, none, NULL, NULL}};
    int32_t         unknown;
    if (bs_ngrams_schema(g, &columns, arena, &all, NULL) ||
        bs_ngrams_apply(g, &columns, &all, &ds, &unknown, NULL))
        abort();
    for (int32_t e = 0; e < ds.x.start[1]; e++)
        if (ds.x.index[e] < 0 || ds.x.index[e] >= g->n || !isfinite(ds.x.value[e]) ||
            (e && ds.x.index[e] <= ds.x.index[e - 1]))
            abort();
    bs_free(ds.x_start);
    bs_free(ds.x_index);
    bs_free(ds.x_value);
}

static inline bool fuzz_ngrams_once(const char *json, size_t len, bs_arena *arena, bs_ngrams *out)
{
    json_t    *object = bs_tree_read(json, len, 0, NULL);
    const bool ok =
        object && !bs_ngrams_from_json(json_object_get(object, "ngrams"), "fuzz", arena, out, NULL);
    json_decref(object);
    return ok;
}

static inline void fuzz_ngrams(const uint8_t *data, size_t size)
{
    const char  *json = (const char *)data, *cut = size ? memchr(data, '\0', size) : NULL;
    const size_t len = cut ? (size_t)(cut - json) : size;
    const char  *text = cut ? cut + 1 : "";
    const size_t n = cut ? size - len - 1 : 0;
    bs_ngrams    g, again;
    bs_arena     arena;
    bs_buf       first, second;
    bs_arena_init(&arena, 0);
    bs_buf_init(&first, 1 << 24);
    bs_buf_init(&second, 1 << 24);
    if (fuzz_ngrams_once(json, len, &arena, &g)) {
        if (!memchr(text, '\0', n) && bs_is_utf8(text, n))
            fuzz_text_of(&g, &arena, text, n);
        bs_buf_text(&first, "{");
        bs_ngrams_json(&g, &first);
        bs_buf_text(&first, "}");
        if (!fuzz_ngrams_once(first.data, first.len, &arena, &again))
            abort();
        bs_buf_text(&second, "{");
        bs_ngrams_json(&again, &second);
        bs_buf_text(&second, "}");
        if (first.len != second.len || memcmp(first.data, second.data, first.len) != 0)
            abort();
    }
    bs_buf_free(&first);
    bs_buf_free(&second);
    bs_arena_free(&arena);
}

#endif
