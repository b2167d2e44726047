/* cache.c -- programs by key, in a short list that is searched from the front. */
#include "device/cache.h"

#include <string.h>

struct bs_cache {
    bs_workspace *w;
    bs_build_fn   build;
    void         *ctx;
    unsigned      flags;
    bs_entry    **entry; /* [n]; each its own block, so that pointers stay valid */
    int           n;
    size_t        cap;
};

bs_id bs_inputs_add(bs_graph *g, bs_inputs *list, bs_id leaf)
{
    if (list->n == BS_MOST_INPUTS)
        return bs_graph_refuse(g, "a program has at most %d inputs", (int)BS_MOST_INPUTS);
    return list->id[list->n++] = leaf;
}

bs_cache *bs_cache_new(bs_workspace *w, bs_build_fn build, void *ctx, unsigned plan_flags)
{
    bs_cache *c = bs_calloc(1, sizeof *c);
    if (c)
        *c = (bs_cache){.w = w, .build = build, .ctx = ctx, .flags = plan_flags};
    return c;
}

void bs_cache_free(bs_cache *c)
{
    if (!c)
        return;
    for (int i = 0; i < c->n; i++) {
        bs_program_free(c->entry[i]->program);
        bs_free(c->entry[i]);
    }
    bs_free(c->entry);
    bs_free(c);
}

static basin_status build_program(bs_cache *c, bs_key key, bs_entry *e, basin_error *err)
{
    bs_recipe   *r = bs_calloc(1, sizeof *r);
    bs_graph    *g = bs_graph_new();
    basin_status s = BASIN_ENOMEM;
    if (!r || !g) {
        bs_fail_nomem(err);
        goto done;
    }
    c->build(g, c->ctx, key, r);
    s = bs_program_make(c->w, g, r->result, r->n_results, c->flags, &e->program, err);
    e->key = key;
    e->second = r->second;
    e->input = r->input;
    e->more = r->more;
done:
    bs_graph_free(g);
    bs_free(r);
    return s;
}

basin_status bs_cache_get(bs_cache *c, bs_key key, bs_entry **out, bool *fresh, basin_error *err)
{
    *out = NULL;
    if (fresh)
        *fresh = false;
    for (int i = 0; i < c->n; i++)
        if (memcmp(&c->entry[i]->key, &key, sizeof key) == 0) {
            *out = c->entry[i];
            return BASIN_OK;
        }
    bs_entry *e = bs_calloc(1, sizeof *e);
    if (!e || !BS_GROW(c->entry, c->cap, (size_t)c->n + 1, 1 << 16)) {
        bs_free(e);
        return bs_fail_nomem(err);
    }
    basin_status s = build_program(c, key, e, err);
    if (s) {
        bs_free(e);
        return s;
    }
    c->entry[c->n++] = e;
    *out = e;
    if (fresh)
        *fresh = true;
    return BASIN_OK;
}
