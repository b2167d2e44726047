/* fuzz_text.h -- the bodies of the fuzz targets of src/data/text: any bytes are read or refused. */
#ifndef FUZZ_TEXT_H
#define FUZZ_TEXT_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/tree.h"
#include "data/text/lexicon.h"

#define MUST(condition)       \
    do {                      \
        if (!(condition))     \
            __builtin_trap(); \
    } while (0)

/* The first byte chooses whether all words are wanted. */
static inline bs_input *fuzz_open(const uint8_t *data, size_t size, bs_arena *arena,
                                  bs_names *wanted)
{
    static const char *const words[] = {"the", "new york", "1"};
    bs_input                *in = NULL;
    bs_arena_init(arena, 0);
    bs_names_init(wanted, arena);
    for (int i = 0; i < 3; i++) {
        bool fresh;
        MUST(bs_names_add(wanted, words[i], strlen(words[i]), &fresh) == i);
    }
    MUST(bs_input_memory("fuzz", data + 1, size - 1, &in, NULL) == BASIN_OK);
    return in;
}

static inline void fuzz_close(bs_input *in, bs_arena *arena, bs_names *wanted)
{
    bs_input_close(in);
    bs_names_free(wanted);
    bs_arena_free(arena);
}

static inline void fuzz_vectors(const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    long        live = bs_mem_live();
    bs_arena    arena;
    bs_names    wanted;
    bs_vectors  v;
    basin_error err = {0};
    bs_notes    notes;
    bs_input   *in = fuzz_open(data, size, &arena, &wanted);
    bs_notes_init(&notes);
    if (bs_vectors_read_input(in, data[0] & 1 ? &wanted : NULL, &v, &notes, &err)) {
        MUST(err.status && err.msg[0] && !v.value && v.n == 0);
    } else {
        MUST(v.dim > 0 && v.n == v.words.n && v.n <= v.in_file);
        for (int64_t i = 0; i < (int64_t)v.n * v.dim; i++)
            MUST(isfinite(v.value[i]));
        for (int32_t i = 0; i < v.n; i++)
            MUST(strlen(v.words.item[i].text) == v.words.item[i].len);
    }
    bs_vectors_free(&v);
    bs_notes_free(&notes);
    fuzz_close(in, &arena, &wanted);
    MUST(bs_mem_live() == live);
}

static inline void fuzz_clusters(const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    long        live = bs_mem_live();
    bs_arena    arena;
    bs_names    wanted;
    bs_clusters c;
    basin_error err = {0};
    bs_input   *in = fuzz_open(data, size, &arena, &wanted);
    if (bs_clusters_read_input(in, data[0] & 1 ? &wanted : NULL, &c, NULL, &err)) {
        MUST(err.status && err.msg[0] && !c.path && c.n == 0);
    } else {
        MUST(c.n == c.words.n);
        for (int32_t i = 0; i < c.n; i++)
            MUST(c.path[i] >= 0 && c.path[i] < c.paths.n);
        for (int32_t i = 0; i < c.paths.n; i++)
            MUST(bs_is_path(c.paths.item[i].text, c.paths.item[i].len));
    }
    bs_clusters_free(&c);
    fuzz_close(in, &arena, &wanted);
    MUST(bs_mem_live() == live);
}

/* Every number that texts become is within its table. */
static inline void fuzz_encode(const bs_lexicon *l)
{
    static const char *const texts[] = {
        "the",           "The",   "@x",
        "http://t.co/x", "<unk>", "1,5",
        "\xff",          "",      "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"};
    enum { N = sizeof texts / sizeof *texts };
    bs_arena arena;
    bs_names words;
    int32_t  id[N], length[N], *letters = bs_alloc(N * sizeof(int32_t) * (size_t)l->max_characters);
    bs_arena_init(&arena, 0);
    bs_names_init(&words, &arena);
    for (int i = 0; i < N; i++) {
        bool fresh;
        MUST(letters && bs_names_add(&words, texts[i], strlen(texts[i]), &fresh) == i);
    }
    bs_lexicon_words(l, &words, id);
    for (int i = 0; i < N; i++)
        MUST(id[i] >= 0 && id[i] < l->words.n);
    for (int c = 0; c < l->columns; c++) {
        bs_lexicon_column(l, c, &words, id);
        for (int i = 0; i < N; i++)
            MUST(id[i] >= 0 && id[i] < l->value[c].n);
    }
    bs_lexicon_characters(l, &words, letters, length);
    for (int i = 0; i < N; i++)
        MUST(length[i] >= 0 && length[i] <= l->max_characters);
    for (int i = 0; i < N * l->max_characters; i++)
        MUST(letters[i] >= 0 && letters[i] < l->characters.n);
    bs_free(letters);
    bs_names_free(&words);
    bs_arena_free(&arena);
}

static inline basin_status take_json(const char *json, size_t len, const char *where,
                                     bs_lexicon *out, basin_error *err)
{
    json_error_t why;
    json_t      *o = bs_tree_read(json, len, JSON_REJECT_DUPLICATES, &why);
    bs_lexicon_init(out);
    basin_status s =
        o ? bs_lexicon_take(o, where, out, err)
          : bs_fail(err, BASIN_EDATA, "%s: the lexicon is damaged: %s", where, why.text);
    json_decref(o);
    return s;
}

static inline void fuzz_lexicon(const uint8_t *data, size_t size)
{
    long        live = bs_mem_live();
    bs_lexicon  one, two;
    bs_buf      first, second;
    basin_error err = {0};
    bs_buf_init(&first, 1 << 24);
    bs_buf_init(&second, 1 << 24);
    if (take_json((const char *)data, size, "fuzz", &one, &err)) {
        MUST(err.status && err.msg[0] && one.words.n == 0);
    } else {
        fuzz_encode(&one);
        bs_lexicon_json(&one, &first);
        MUST(take_json(first.data, first.len, "again", &two, &err) == BASIN_OK);
        bs_lexicon_json(&two, &second);
        MUST(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
        bs_lexicon_free(&two);
    }
    bs_lexicon_free(&one);
    bs_buf_free(&first);
    bs_buf_free(&second);
    MUST(bs_mem_live() == live);
}

#endif
