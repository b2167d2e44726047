/* cache.h -- one program per shape, built on first use.
 *
 * Shapes are constants of a program. Short last batches, sequence lengths and sample counts give a
 * handful of keys; building a program takes well under a millisecond, and all share the
 * workspace. */
#ifndef BS_CACHE_H
#define BS_CACHE_H

#include "device/device.h"

enum { BS_MOST_INPUTS = 32, BS_CACHE_RESULTS = 2048 };

typedef struct {
    int v[6]; /* meaning up to the builder: mode, batch, length, samples */
} bs_key;

/* Leaves in the order in which they are bound; 0: a place that this program does not use. */
typedef struct {
    bs_id id[BS_MOST_INPUTS];
    int   n;
} bs_inputs;

/* Appends a leaf, and returns it; the graph refuses one too many. */
bs_id bs_inputs_add(bs_graph *g, bs_inputs *list, bs_id leaf);

/* What a builder fills in: the inputs to bind, those that only its caller knows of, and the
 * results. */
typedef struct {
    bs_inputs input, more;
    bs_result result[BS_CACHE_RESULTS];
    int       n_results, second; /* second: the first result of the second turn, if any */
} bs_recipe;

/* Errors stick to the graph; a builder need not check them. */
typedef void (*bs_build_fn)(bs_graph *g, void *ctx, bs_key key, bs_recipe *recipe);

typedef struct {
    bs_key      key;
    bs_program *program;
    bs_inputs   input, more;
    int         second;
} bs_entry;

typedef struct bs_cache bs_cache;

/* NULL when memory runs out. */
bs_cache *bs_cache_new(bs_workspace *w, bs_build_fn build, void *ctx, unsigned plan_flags);
void      bs_cache_free(bs_cache *c);

/* The program for a key; *fresh (may be NULL) tells whether it was just built and its parameters
 * still need binding. */
basin_status bs_cache_get(bs_cache *c, bs_key key, bs_entry **out, bool *fresh, basin_error *err);

/* The i-th of a list, if the program uses it. */
static inline void bs_entry_bind(const bs_entry *e, const bs_inputs *list, int i, const void *data)
{
    if (i < list->n && list->id[i])
        bs_bind_input(e->program, list->id[i], data);
}

#endif
