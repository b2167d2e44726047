/* probe.c -- programs that answer questions about an energy, one per question and batch size, made
 * on first use. */
#include "model/probe.h"

#include <math.h>

#include "device/cache.h"

/* For central differences: far above the rounding of a gradient, far below 1. */
#define STEP (sizeof(real) == 4 ? 0.02 : 1e-4)

typedef enum { ENERGY, TRUTH, GRADIENT, PRODUCT, POTENTIALS } question;

enum { MORE_Y, MORE_V };

struct bs_energy_probe {
    bs_params         *params, *twin; /* on the device; the same if it is a copy, or NULL */
    const bs_net_spec *spec;
    bs_hvp_kind        kind;
    bs_cache          *cache;
};

static bs_id energy_of(bs_graph *g, void *ctx, bs_id y)
{
    bs_output_space *v = ctx;
    (void)g;
    return v->spec->graph->energy(v, y);
}

static bs_id answer(bs_energy_probe *p, bs_output_space *v, question asked, bs_id y,
                    bs_id direction)
{
    bs_graph *g = v->g;
    bs_id     dy;
    if (asked == ENERGY)
        return energy_of(g, v, y);
    if (asked == PRODUCT)
        return bs_hvp(g, energy_of, v, y, direction, p->kind, STEP);
    bs_grad(g, energy_of(g, v, y), &y, 1, &dy, true);
    return dy;
}

static void build(bs_graph *g, void *ctx, bs_key key, bs_recipe *r)
{
    bs_energy_probe *p = ctx;
    const question   asked = (question)key.v[0];
    const bs_size    size = {key.v[1], key.v[2], key.v[3]};
    bs_output_space  v = bs_output_space_make(g, p->params, p->spec, size, asked == TRUTH);
    bs_shape         shape = bs_shape3(size.rows, 1, (int)p->spec->graph->parts(p->spec, size));
    bs_id            y = 0, direction = 0;
    bs_output_space_inputs(&v, r);
    if (asked == POTENTIALS || asked == TRUTH) {
        const bs_task_space *t = p->spec->graph;
        r->result[r->n_results++] =
            (bs_result){asked == TRUTH ? t->truth_energy(&v) : t->potentials(&v), -1};
        return;
    }
    y = bs_inputs_add(g, &r->more, bs_leaf(g, "y", BS_T_REAL, shape));
    if (asked == PRODUCT)
        direction = bs_inputs_add(g, &r->more, bs_leaf(g, "v", BS_T_REAL, shape));
    r->result[r->n_results++] = (bs_result){answer(p, &v, asked, y, direction), -1};
}

basin_status bs_energy_probe_new(bs_workspace *w, bs_params *params, const bs_net_spec *spec,
                                 bs_hvp_kind kind, bs_energy_probe **out, basin_error *err)
{
    bs_energy_probe *p = bs_calloc(1, sizeof *p);
    *out = NULL;
    if (!p)
        return bs_fail_nomem(err);
    *p = (bs_energy_probe){.spec = spec, .kind = kind};
    p->cache = bs_cache_new(w, build, p, BS_PLAN_APART);
    basin_status s = p->cache ? bs_params_on(params, w->device, &p->params, err) : BASIN_ENOMEM;
    p->twin = p->params == params ? NULL : p->params;
    if (s) {
        bs_energy_probe_free(p);
        return bs_fail_nomem(err);
    }
    *out = p;
    return BASIN_OK;
}

void bs_energy_probe_free(bs_energy_probe *p)
{
    if (!p)
        return;
    bs_cache_free(p->cache);
    bs_params_free(p->twin);
    bs_free(p);
}

static basin_status ask(bs_energy_probe *p, question asked, const bs_batch *b, const real *y,
                        const real *v, const real **out, basin_error *err)
{
    bs_entry    *e;
    bool         fresh;
    bs_key       key = {{asked, b->size.rows, b->size.length, b->size.width}};
    basin_status s = bs_cache_get(p->cache, key, &e, &fresh, err);
    if (s)
        return s;
    if (fresh)
        bs_params_bind(p->params, e->program);
    bs_truth_bind(p->spec, b, e);
    bs_entry_bind(e, &e->more, MORE_Y, y);
    bs_entry_bind(e, &e->more, MORE_V, v);
    s = bs_program_run(e->program, &(bs_run){0, 0}, err);
    if (!s)
        s = bs_fetch(e->program, 0, out, err);
    if (s)
        return s;
    const size_t n =
        asked == ENERGY || asked == TRUTH ? 1 : p->spec->graph->parts(p->spec, b->size);
    for (size_t i = 0; i < n * (size_t)b->size.rows; i++)
        if (!isfinite((double)(*out)[i]))
            return bs_fail(err, BASIN_ENUMERIC,
                           "an energy or a derivative of it is not finite; the input or the "
                           "model's weights are too large");
    return BASIN_OK;
}

basin_status bs_energy_probe_energy(bs_energy_probe *p, const bs_batch *b, const real *y,
                                    const real **out, basin_error *err)
{
    return ask(p, ENERGY, b, y, NULL, out, err);
}

basin_status bs_energy_probe_truth(bs_energy_probe *p, const bs_batch *b, const real **out,
                                   basin_error *err)
{
    return ask(p, TRUTH, b, NULL, NULL, out, err);
}

basin_status bs_energy_probe_gradient(bs_energy_probe *p, const bs_batch *b, const real *y,
                                      const real **out, basin_error *err)
{
    return ask(p, GRADIENT, b, y, NULL, out, err);
}

basin_status bs_energy_probe_product(bs_energy_probe *p, const bs_batch *b, const real *y,
                                     const real *v, const real **out, basin_error *err)
{
    return ask(p, PRODUCT, b, y, v, out, err);
}

basin_status bs_energy_probe_potentials(bs_energy_probe *p, const bs_batch *b, const real **out,
                                        basin_error *err)
{
    if (!p->spec->graph->potentials)
        return bs_fail(err, BASIN_EARG, "energies of this task are not made of local scores");
    return ask(p, POTENTIALS, b, NULL, NULL, out, err);
}
