/* vocabulary.c -- hash tables with linear probing, at most half full. */
#include "token/vocabulary.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"

static size_t slots_for(size_t n)
{
    size_t slots = 16;
    while (slots < 2 * n)
        slots *= 2;
    return slots;
}

void bs_vocabulary_free(bs_vocabulary *v)
{
    bs_buf_free(&v->text);
    bs_free(v->start);
    bs_free(v->slot[0]);
    bs_free(v->slot[1]);
    *v = (bs_vocabulary){0};
}

/* The slot of a text, or the empty one where it belongs. */
static bs_piece_slot *slot_of(const bs_vocabulary *v, const char *text, size_t len, bool inside)
{
    const uint64_t hash = XXH3_64bits(text, len);
    const uint32_t tag = (uint32_t)(hash >> 32);
    const size_t   skip = inside ? (size_t)v->joint : 0;
    size_t         i = (size_t)hash & v->mask;
    for (;; i = (i + 1) & v->mask) {
        bs_piece_slot *s = &v->slot[inside][i];
        if (s->id < 0)
            return s;
        if (s->tag != tag)
            continue;
        const uint32_t *at = &v->start[s->id];
        if (at[1] - at[0] - 1 == len + skip && !memcmp(v->text.data + at[0] + skip, text, len))
            return s;
    }
}

int32_t bs_vocabulary_find(const bs_vocabulary *v, const char *text, size_t len, bool inside)
{
    return slot_of(v, text, len, inside)->id;
}

static void insert(bs_vocabulary *v, int32_t id, bool inside)
{
    const size_t skip = inside ? (size_t)v->joint : 0;
    const char  *text = v->text.data + v->start[id] + skip;
    const size_t len = v->start[id + 1] - v->start[id] - 1 - skip;
    if (!len)
        return;
    *slot_of(v, text, len, inside) = (bs_piece_slot){(uint32_t)(XXH3_64bits(text, len) >> 32), id};
    if ((int32_t)len > v->longest[inside])
        v->longest[inside] = (int32_t)len;
}

basin_status bs_vocabulary_make(bs_vocabulary *v, const bs_piece_text *piece, int32_t n,
                                const char *joint, basin_error *err)
{
    const size_t slots = slots_for((size_t)n);
    *v = (bs_vocabulary){.n = n, .mask = slots - 1, .joint = (int32_t)strlen(joint)};
    bs_buf_init(&v->text, INT32_MAX);
    v->start = bs_calloc((size_t)n + 1, sizeof *v->start);
    v->slot[0] = bs_alloc(slots * sizeof *v->slot[0]);
    v->slot[1] = bs_alloc(slots * sizeof *v->slot[1]);
    for (int32_t i = 0; i < n && v->start; i++) {
        bs_buf_add(&v->text, piece[i].text ? piece[i].text : "", piece[i].text ? piece[i].len : 0);
        bs_buf_add(&v->text, "", 1);
        v->start[i + 1] = (uint32_t)v->text.len;
    }
    if (!v->start || !v->slot[0] || !v->slot[1] || v->text.failed) {
        bs_vocabulary_free(v);
        return bs_fail_nomem(err);
    }
    memset(v->slot[0], -1, slots * sizeof *v->slot[0]);
    memset(v->slot[1], -1, slots * sizeof *v->slot[1]);
    for (int32_t i = 0; i < n; i++) {
        insert(v, i, false);
        if (v->joint && !strncmp(v->text.data + v->start[i], joint, (size_t)v->joint))
            insert(v, i, true);
    }
    return BASIN_OK;
}

/* --- merges ------------------------------------------------------------------ */

void bs_merges_free(bs_merges *m)
{
    bs_free(m->merge);
    bs_free(m->slot);
    *m = (bs_merges){0};
}

static int32_t *merge_slot(const bs_merges *m, int32_t left, int32_t right)
{
    const int32_t pair[2] = {left, right};
    for (size_t i = (size_t)XXH3_64bits(pair, sizeof pair) & m->mask;; i = (i + 1) & m->mask) {
        const bs_merge *found = m->slot[i] < 0 ? NULL : &m->merge[m->slot[i]];
        if (!found || (found->left == left && found->right == right))
            return &m->slot[i];
    }
}

int32_t bs_merges_find(const bs_merges *m, int32_t left, int32_t right)
{
    return *merge_slot(m, left, right);
}

basin_status bs_merges_hash(bs_merges *m, basin_error *err)
{
    const size_t slots = slots_for((size_t)m->n);
    m->mask = slots - 1;
    m->slot = bs_alloc(slots * sizeof *m->slot);
    if (!m->slot)
        return bs_fail_nomem(err);
    memset(m->slot, -1, slots * sizeof *m->slot);
    for (int32_t i = 0; i < m->n; i++)
        *merge_slot(m, m->merge[i].left, m->merge[i].right) = i;
    return BASIN_OK;
}
