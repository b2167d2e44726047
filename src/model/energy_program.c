/* energy_program.c -- one program for each size of a batch, in two turns: x, then any outputs. */
#include "model/energy_program.h"

#include <math.h>
#include <string.h>

typedef struct member member;
struct member {
    bs_params         *params, *twin; /* on the device; the same if it is a copy, or NULL */
    const bs_net_spec *spec;
    bs_cache          *cache;
    bs_entry          *entry; /* for the batch at hand */
    member            *next;
};

struct bs_energy_program {
    member      first;
    bs_batch    batch;
    int         K;
    const real *y;
};

enum { TURN_X, TURN_ENERGY };

static void build(bs_graph *g, void *ctx, bs_key key, bs_recipe *r)
{
    member              *m = ctx;
    const bs_task_space *t = m->spec->graph;
    const int            K = key.v[3];
    const bs_size        size = {key.v[0], key.v[1], key.v[2]};
    bs_output_space      v = bs_output_space_make(g, m->params, m->spec, size, false);
    v.apart = true;
    bs_output_space_inputs(&v, r);
    r->result[r->n_results++] =
        (bs_result){t->potentials ? t->potentials(&v) : t->logits(&v, "net"), -1};
    bs_graph_loop(g);
    bs_shape shape = bs_shape3(size.rows, K, (int)t->parts(m->spec, size));
    bs_id    y = bs_inputs_add(g, &r->more, bs_leaf(g, "y", BS_T_REAL, shape));
    bs_id    e = t->corner_energy ? t->corner_energy(&v, y, K) : t->energy(&v, y);
    r->result[r->n_results++] = (bs_result){e, -1};
}

static basin_status member_init(member *m, bs_workspace *w, bs_params *params,
                                const bs_net_spec *spec, basin_error *err)
{
    m->spec = spec;
    m->cache = bs_cache_new(w, build, m, BS_PLAN_APART);
    basin_status s = m->cache ? bs_params_on(params, w->device, &m->params, err) : BASIN_ENOMEM;
    m->twin = m->params == params ? NULL : m->params;
    return s && !m->cache ? bs_fail_nomem(err) : s;
}

basin_status bs_energy_program_new(bs_workspace *w, bs_params *params, const bs_net_spec *spec,
                                   bs_energy_program **out, basin_error *err)
{
    bs_energy_program *e = *out = bs_calloc(1, sizeof *e);
    basin_status       s = e ? member_init(&e->first, w, params, spec, err) : bs_fail_nomem(err);
    if (s) {
        bs_energy_program_free(e);
        *out = NULL;
    }
    return s;
}

basin_status bs_energy_program_join(bs_energy_program *e, bs_workspace *w, bs_params *params,
                                    basin_error *err)
{
    member *last = &e->first;
    while (last->next)
        last = last->next;
    if (!(last->next = bs_calloc(1, sizeof *last->next)))
        return bs_fail_nomem(err);
    return member_init(last->next, w, params, e->first.spec, err);
}

void bs_energy_program_free(bs_energy_program *e)
{
    for (member *m = e ? &e->first : NULL, *next; m; m = next) {
        next = m->next;
        bs_cache_free(m->cache);
        bs_params_free(m->twin);
        if (m != &e->first)
            bs_free(m);
    }
    bs_free(e);
}

static basin_status start_member(const bs_energy_program *e, member *m, basin_error *err)
{
    const bs_batch *b = &e->batch;
    const bs_key    key = {{b->size.rows, b->size.length, b->size.width, e->K}};
    bool            fresh;
    basin_status    s = bs_cache_get(m->cache, key, &m->entry, &fresh, err);
    if (s)
        return s;
    if (fresh)
        bs_params_bind(m->params, m->entry->program);
    bs_batch_bind(b, m->entry);
    bs_entry_bind(m->entry, &m->entry->more, 0, e->y);
    return bs_program_turn(m->entry->program, &(bs_run){0, 0}, TURN_X, err);
}

basin_status bs_energy_program_start(bs_energy_program *e, const bs_batch *b, int K, const real *y,
                                     basin_error *err)
{
    e->batch = *b;
    e->K = K;
    e->y = y;
    return e->first.next ? BASIN_OK : start_member(e, &e->first, err);
}

/* Adds result `which` of every model. Programs of several models share their memory: what is known
 * of x is then computed again. */
static basin_status add_all(bs_energy_program *e, int which, size_t n, double *sum, int *models,
                            basin_error *err)
{
    basin_status s = BASIN_OK;
    *models = 0;
    for (member *m = &e->first; m && !s; m = m->next, ++*models) {
        const real *found;
        if (e->first.next && (s = start_member(e, m, err)))
            return s;
        if (which == TURN_ENERGY) /* y has changed */
            bs_entry_bind(m->entry, &m->entry->more, 0, e->y);
        if (which == TURN_ENERGY)
            s = bs_program_turn(m->entry->program, &(bs_run){0, 0}, TURN_ENERGY, err);
        if (!s)
            s = bs_fetch(m->entry->program, which, &found, err);
        for (size_t i = 0; i < n && !s; i++)
            sum[i] += (double)found[i];
    }
    return s;
}

basin_status bs_energy_program_run(bs_energy_program *e, int n, double *out, basin_error *err)
{
    int models;
    memset(out, 0, (size_t)n * sizeof *out);
    basin_status s = add_all(e, TURN_ENERGY, (size_t)n, out, &models, err);
    for (int i = 0; i < n && models > 1; i++)
        out[i] /= models;
    for (int i = 0; i < n && !s; i++)
        if (!isfinite(out[i]))
            s = bs_fail(err, BASIN_ENUMERIC,
                        "an energy of a sampled output is not finite; the model's weights are too "
                        "large");
    return s;
}

basin_status bs_energy_program_potentials(bs_energy_program *e, size_t n, float *out,
                                          basin_error *err)
{
    int          models;
    double      *sum = bs_calloc(n + 1, sizeof *sum);
    basin_status s = sum ? add_all(e, TURN_X, n, sum, &models, err) : bs_fail_nomem(err);
    for (size_t i = 0; i < n && !s; i++)
        out[i] = (float)(sum[i] / models);
    bs_free(sum);
    return s;
}
