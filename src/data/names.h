/* names.h -- a set of strings, numbered in the order of arrival and found by hash. */
#ifndef BS_NAMES_H
#define BS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

typedef struct {
    const char *text; /* NUL-terminated */
    uint32_t    len, hash;
} bs_name;

typedef struct {
    bs_arena *arena; /* borrowed; holds the texts; NULL: the texts are borrowed as they are */
    bs_name  *item;  /* [n] */
    int32_t  *slot;  /* [n_slots], -1 = free; n_slots is a power of two */
    size_t    n_slots, cap;
    int32_t   n;
} bs_names;

void bs_names_init(bs_names *names, bs_arena *arena);
void bs_names_free(bs_names *names); /* the texts stay in the arena */

/* Number of the text, or -1. */
int32_t bs_names_find(const bs_names *names, const char *text, size_t len);

/* Number of the text, which is copied if it is new; -1 when memory runs out. */
int32_t bs_names_add(bs_names *names, const char *text, size_t len, bool *fresh);

/* Those of `more` that it lacks, in their order; false when memory runs out. */
bool bs_names_add_all(bs_names *names, const bs_names *more);

/* A table that borrows these texts; false when memory runs out. Free it in any case. */
bool bs_names_of(bs_names *out, const char *const *text, int32_t n);

/* All texts as an array (bs_alloc); NULL when memory ran out. */
const char **bs_names_texts(const bs_names *names);

uint64_t bs_hash_bytes(const void *bytes, size_t n, uint64_t seed);

#endif
