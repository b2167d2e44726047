/* fuzz_text.h -- the bodies of the fuzz targets of src/text: any bytes are read or refused. */
#ifndef FUZZ_TEXT_H
#define FUZZ_TEXT_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/clusters.h"
#include "text/vectors.h"

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

#endif
