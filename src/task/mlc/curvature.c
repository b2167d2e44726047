/* curvature.c -- the mean Hessian of an energy over label sets, from a few Hessian products.
 *
 * Two programs: z = y M for a block of rows, and, for one direction v, the sum over rows of
 * (d2 E_global / dz2) v. The second runs once for each of the z. Of energies without a layer M, z
 * is y itself. */
#include <string.h>

#include "task/mlc/curvature.h"
#include "device/cache.h"

enum { BLOCK = 256 };

typedef enum { SEEN, PRODUCT } step;

struct bs_label_curvature {
    bs_params         *params, *twin; /* on the device; the same if it is a copy, or NULL */
    const bs_net_spec *spec;
    bs_cache          *cache;
    real              *y, *z, *v, *weight; /* [BLOCK, labels], [BLOCK, hidden], [hidden], [BLOCK] */
    double            *sum;                /* [hidden, hidden] */
    int64_t            rows;
};

static bool layered(const bs_mlc_shape *s)
{
    return s->energy->top;
}

static int units(const bs_mlc_shape *s)
{
    return layered(s) ? s->hidden : s->labels;
}

/* The energy is the negative of the score. */
static bs_id energy_of(bs_graph *g, void *ctx, bs_id z)
{
    bs_label_curvature *c = ctx;
    const bs_mlc_shape *s = bs_net_spec_mlc(c->spec);
    bs_nn               nn = {g, c->params, false, 0};
    return bs_neg(g, layered(s) ? bs_mlc_over_product(&nn, s, z) : bs_mlc_over_labels(&nn, s, z));
}

static void build(bs_graph *g, void *ctx, bs_key key, bs_recipe *r)
{
    bs_label_curvature *c = ctx;
    const bs_mlc_shape *s = bs_net_spec_mlc(c->spec);
    bs_nn               nn = {g, c->params, false, 0};
    const int           H = units(s);
    bs_id               out;
    if (key.v[0] == SEEN) {
        bs_id y =
            bs_inputs_add(g, &r->input, bs_leaf(g, "y", BS_T_REAL, bs_shape2(BLOCK, s->labels)));
        out = bs_matmul(g, y, bs_mlc_label_weights(&nn, s), false, false);
    } else {
        bs_id z = bs_inputs_add(g, &r->input, bs_leaf(g, "z", BS_T_REAL, bs_shape2(BLOCK, H)));
        bs_id v = bs_inputs_add(g, &r->input, bs_leaf(g, "v", BS_T_REAL, bs_shape2(1, H)));
        bs_id w = bs_inputs_add(g, &r->input, bs_leaf(g, "weight", BS_T_REAL, bs_shape2(BLOCK, 1)));
        bs_id all = bs_expand(g, v, bs_shape2(BLOCK, H));
        bs_id hv = bs_hvp(g, energy_of, c, z, all, BS_HVP_EXACT, 0);
        out = bs_sum_axis(g, bs_mul(g, hv, w), -2);
    }
    r->result[r->n_results++] = (bs_result){out, -1};
}

basin_status bs_label_curvature_new(bs_workspace *w, bs_params *params, const bs_net_spec *spec,
                                    bs_label_curvature **out, basin_error *err)
{
    const size_t H = (size_t)units(bs_net_spec_mlc(spec)),
                 L = (size_t)bs_net_spec_mlc(spec)->labels;
    bs_label_curvature *c = bs_calloc(1, sizeof *c);
    *out = NULL;
    if (!c)
        return bs_fail_nomem(err);
    *c = (bs_label_curvature){.spec = spec};
    basin_status s = bs_params_on(params, w->device, &c->params, err);
    c->twin = c->params == params ? NULL : c->params;
    c->cache = bs_cache_new(w, build, c, 0);
    c->y = bs_calloc(BLOCK * L, sizeof *c->y);
    c->z = bs_calloc(BLOCK * H, sizeof *c->z);
    c->v = bs_calloc(H, sizeof *c->v);
    c->weight = bs_calloc(BLOCK, sizeof *c->weight);
    c->sum = bs_calloc(H * H, sizeof *c->sum);
    if (s || !c->cache || !c->y || !c->z || !c->v || !c->weight || !c->sum) {
        bs_label_curvature_free(c);
        return bs_fail_nomem(err);
    }
    *out = c;
    return BASIN_OK;
}

void bs_label_curvature_free(bs_label_curvature *c)
{
    if (!c)
        return;
    bs_cache_free(c->cache);
    bs_params_free(c->twin);
    bs_free(c->y);
    bs_free(c->z);
    bs_free(c->v);
    bs_free(c->weight);
    bs_free(c->sum);
    bs_free(c);
}

static basin_status program(bs_label_curvature *c, step what, bs_entry **out, basin_error *err)
{
    bool         fresh;
    basin_status s = bs_cache_get(c->cache, (bs_key){{what}}, out, &fresh, err);
    if (!s && fresh)
        bs_params_bind(c->params, (*out)->program);
    return s;
}

static basin_status see(bs_label_curvature *c, basin_error *err)
{
    const bs_mlc_shape *shape = bs_net_spec_mlc(c->spec);
    const size_t        n = BLOCK * (size_t)units(shape);
    const real         *z = c->y;
    bs_entry           *e;
    basin_status        s = layered(shape) ? program(c, SEEN, &e, err) : BASIN_OK;
    if (s || !layered(shape)) {
        memcpy(c->z, z, n * sizeof *z);
        return s;
    }
    bs_entry_bind(e, &e->input, 0, c->y);
    s = bs_program_run(e->program, &(bs_run){0, 0}, err);
    if (!s)
        s = bs_fetch(e->program, 0, &z, err);
    if (!s)
        memcpy(c->z, z, n * sizeof *z);
    return s;
}

static basin_status add_products(bs_label_curvature *c, basin_error *err)
{
    const size_t H = (size_t)units(bs_net_spec_mlc(c->spec));
    bs_entry    *e;
    basin_status s = program(c, PRODUCT, &e, err);
    if (s)
        return s;
    bs_entry_bind(e, &e->input, 0, c->z);
    bs_entry_bind(e, &e->input, 2, c->weight);
    for (size_t k = 0; k < H && !s; k++) {
        const real *column;
        c->v[k] = 1;
        bs_entry_bind(e, &e->input, 1, c->v);
        s = bs_program_run(e->program, &(bs_run){0, 0}, err);
        c->v[k] = 0;
        if (!s)
            s = bs_fetch(e->program, 0, &column, err);
        for (size_t i = 0; i < H && !s; i++)
            c->sum[k * H + i] += (double)column[i];
    }
    return s;
}

basin_status bs_label_curvature_add(bs_label_curvature *c, const float *y, int32_t rows,
                                    basin_error *err)
{
    const size_t L = (size_t)bs_net_spec_mlc(c->spec)->labels;
    basin_status s = BASIN_OK;
    for (int32_t first = 0; first < rows && !s; first += BLOCK) {
        const int32_t n = rows - first < BLOCK ? rows - first : BLOCK;
        for (size_t i = 0; i < BLOCK * L; i++)
            c->y[i] = i < (size_t)n * L ? (real)y[(size_t)first * L + i] : 0;
        for (int32_t i = 0; i < BLOCK; i++)
            c->weight[i] = i < n;
        s = see(c, err);
        if (!s)
            s = add_products(c, err);
        c->rows += n;
    }
    return s;
}

/* out = M mean M', computing mean M' for one label at a time. */
basin_status bs_label_curvature_mean(const bs_label_curvature *c, double *out, basin_error *err)
{
    const size_t L = (size_t)bs_net_spec_mlc(c->spec)->labels,
                 H = (size_t)units(bs_net_spec_mlc(c->spec));
    const double rows = c->rows > 0 ? (double)c->rows : 1;
    if (!layered(bs_net_spec_mlc(c->spec))) {
        for (size_t i = 0; i < L * L; i++)
            out[i] = (c->sum[i] + c->sum[i % L * L + i / L]) / (2 * rows);
        return BASIN_OK;
    }
    const bs_segment *m = bs_params_find(c->params, "energy/M/W");
    double           *half = bs_calloc(H, sizeof *half);
    real             *M;
    basin_status      s = half ? bs_params_map(c->params, m, BS_READ, &M, err) : bs_fail_nomem(err);
    if (s) {
        bs_free(half);
        return s;
    }
    for (size_t j = 0; j < L; j++) {
        for (size_t a = 0; a < H; a++) {
            half[a] = 0;
            for (size_t b = 0; b < H; b++)
                half[a] += c->sum[a * H + b] * (double)M[j * H + b];
        }
        for (size_t i = 0; i <= j; i++) {
            double sum = 0;
            for (size_t a = 0; a < H; a++)
                sum += (double)M[i * H + a] * half[a];
            out[i * L + j] = out[j * L + i] = sum / rows;
        }
    }
    bs_params_unmap(c->params, m, BS_READ, M);
    bs_free(half);
    return BASIN_OK;
}
