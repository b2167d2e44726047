/* names.c -- the hash table of names.h: open addressing with linear probing. */
#include "data/names.h"

#include <string.h>

#include "base/buf.h"

static uint64_t mix(uint64_t h)
{
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    h ^= h >> 29;
    return h;
}

/* Eight bytes at a time, as little-endian machines load them: src/file compiles on no others. */
uint64_t bs_hash_bytes(const void *bytes, size_t n, uint64_t seed)
{
    const unsigned char *p = bytes;
    uint64_t             h = mix(seed + 0x9e3779b97f4a7c15u * (n + 1)), w;
    for (; n >= sizeof w; n -= sizeof w, p += sizeof w) {
        memcpy(&w, p, sizeof w);
        h = mix(h ^ w) * 0x9fb21c651e98df25u;
    }
    w = 0;
    memcpy(&w, p, n);
    return mix(mix(h ^ w) * 0x9fb21c651e98df25u);
}

void bs_names_init(bs_names *names, bs_arena *arena)
{
    *names = (bs_names){.arena = arena};
}

void bs_names_free(bs_names *names)
{
    bs_free(names->item);
    bs_free(names->slot);
    bs_names_init(names, names->arena);
}

/* The slot that holds the text, or the free one where it would go. */
static size_t probe(const bs_names *names, const char *text, size_t len, uint32_t hash)
{
    size_t mask = names->n_slots - 1, i = hash & mask;
    for (;; i = (i + 1) & mask) {
        int32_t k = names->slot[i];
        if (k < 0)
            return i;
        const bs_name *name = &names->item[k];
        if (name->hash == hash && name->len == len && memcmp(name->text, text, len) == 0)
            return i;
    }
}

int32_t bs_names_find(const bs_names *names, const char *text, size_t len)
{
    if (names->n == 0)
        return -1;
    uint32_t hash = (uint32_t)bs_hash_bytes(text, len, 0);
    return names->slot[probe(names, text, len, hash)];
}

static bool grow_slots(bs_names *names)
{
    size_t   n = names->n_slots ? names->n_slots * 2 : 32;
    int32_t *slot = bs_alloc(n * sizeof *slot);
    if (!slot)
        return false;
    memset(slot, 0xff, n * sizeof *slot);
    for (int32_t k = 0; k < names->n; k++) {
        size_t i = names->item[k].hash & (n - 1);
        while (slot[i] >= 0)
            i = (i + 1) & (n - 1);
        slot[i] = k;
    }
    bs_free(names->slot);
    names->slot = slot;
    names->n_slots = n;
    return true;
}

int32_t bs_names_add(bs_names *names, const char *text, size_t len, bool *fresh)
{
    *fresh = false;
    if (((size_t)names->n + 1) * 2 > names->n_slots && !grow_slots(names))
        return -1;
    uint32_t hash = (uint32_t)bs_hash_bytes(text, len, 0);
    size_t   i = probe(names, text, len, hash);
    if (names->slot[i] >= 0)
        return names->slot[i];

    if (!BS_GROW(names->item, names->cap, (size_t)names->n + 1, INT32_MAX))
        return -1;
    const char *copy = names->arena ? bs_arena_copy(names->arena, text, len) : text;
    if (!copy || len >= UINT32_MAX)
        return -1;
    names->item[names->n] = (bs_name){.text = copy, .len = (uint32_t)len, .hash = hash};
    names->slot[i] = names->n;
    *fresh = true;
    return names->n++;
}

bool bs_names_add_all(bs_names *names, const bs_names *more)
{
    bool fresh, ok = true;
    for (int32_t i = 0; ok && i < more->n; i++)
        ok = bs_names_add(names, more->item[i].text, more->item[i].len, &fresh) >= 0;
    return ok;
}

bool bs_names_of(bs_names *out, const char *const *text, int32_t n)
{
    bool fresh, ok = true;
    bs_names_init(out, NULL);
    for (int32_t i = 0; ok && i < n; i++)
        ok = bs_names_add(out, text[i], strlen(text[i]), &fresh) >= 0;
    return ok;
}

const char **bs_names_texts(const bs_names *names)
{
    const char **text = bs_alloc(((size_t)names->n + 1) * sizeof *text);
    for (int32_t i = 0; text && i < names->n; i++)
        text[i] = names->item[i].text;
    return text;
}
