/* score.c -- runs batches through nets or searches, padded to a few sizes, and averages the members
 * of an ensemble. */
#include "model/score.h"

#include <math.h>
#include <string.h>

#include "model/search.h"
#include "device/cache.h"

struct bs_scorer {
    bs_params         *params, *twin; /* on the device; the same if it is a copy, or NULL */
    const bs_net_spec *spec;
    bs_inference       how;
    bs_cache          *cache;
    bs_search         *search; /* of the energy; NULL for other ways of prediction */
    int32_t           *start;  /* [BS_SCORE_BLOCK + 1], a block's rows */
    real              *dense;  /* [rows of a block, features] */
    size_t             room;   /* of these */
    bs_search_record  *tape;   /* of a search whose points are recorded, or NULL */
    bool               replays;
    bs_energy_program *energies;  /* of all members, for decisions; or NULL */
    bs_posterior      *posterior; /* of the same, or NULL */
    bs_scorer         *next;      /* of the ensemble, or NULL */
    real              *mean;      /* mean over all members: y, potentials, energies of a batch */
    size_t             mean_room;
};

/* Results: y [rows, 1, labels], what it was computed from, and its energy if requested. */
static void build(bs_graph *g, void *ctx, bs_key key, bs_recipe *r)
{
    bs_scorer           *s = ctx;
    const bs_task_space *t = s->spec->graph;
    bs_output_space      v =
        bs_output_space_make(g, s->params, s->spec, (bs_size){key.v[0], key.v[1], key.v[2]},
                             s->how.how == BS_INFER_COST);
    bs_id y, z = 0;
    v.apart = true;
    bs_output_space_inputs(&v, r);
    if (s->search) {
        bs_search_build(s->search, &v, r);
        return;
    }
    if (s->how.how == BS_INFER_NET) {
        z = t->logits(&v, "net");
        y = t->relax(&v, z);
    } else if (s->how.how == BS_INFER_COST) {
        bs_id below = t->logits(&v, "net");
        if (!s->how.cost_logits)
            below = t->relax(&v, below);
        z = bs_cost_net_logits(&v, s->how.cost_net, below, s->how.cost_hidden);
        y = t->relax(&v, z);
    } else {
        y = t->marginals(&v);
        z = t->potentials(&v);
    }
    r->result[r->n_results++] = (bs_result){y, -1};
    r->result[r->n_results++] = (bs_result){z, -1};
    if (s->how.energies)
        r->result[r->n_results++] = (bs_result){t->energy(&v, y), -1};
}

basin_status bs_scorer_new(bs_workspace *w, bs_params *params, const bs_net_spec *spec,
                           const bs_inference *how, bs_scorer **out, basin_error *err)
{
    bs_scorer *s = bs_calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return bs_fail_nomem(err);
    s->spec = spec;
    s->how = *how;
    s->cache = bs_cache_new(w, build, s, BS_PLAN_APART);
    s->start = bs_calloc(BS_SCORE_BLOCK + 1, sizeof *s->start);
    const bool searches = how->how == BS_INFER_GBI || how->how == BS_INFER_REFINE;
    const bool remembers = searches && how->points > 0;
    if (searches)
        s->search = bs_search_new(spec, &s->how);
    if (remembers)
        s->tape = bs_search_record_new(how->points);
    basin_status status = bs_params_on(params, w->device, &s->params, err);
    s->twin = s->params == params ? NULL : s->params;
    if (!status && how->decide && bs_params_count(params, "energy/") > 0)
        status = bs_energy_program_new(w, params, spec, &s->energies, err);
    if (!status && how->decide && spec->graph->corner_energy)
        status = bs_posterior_new(s->energies, spec, how->decide_samples, &s->posterior, err);
    if (status) {
        bs_scorer_free(s);
        return status;
    }
    if (!s->cache || !s->start || (searches && !s->search) || (remembers && !s->tape)) {
        bs_scorer_free(s);
        return bs_fail_nomem(err);
    }
    *out = s;
    return BASIN_OK;
}

void bs_scorer_free(bs_scorer *s)
{
    if (!s)
        return;
    bs_cache_free(s->cache);
    bs_search_free(s->search);
    bs_posterior_free(s->posterior);
    bs_energy_program_free(s->energies);
    bs_free(s->start);
    bs_free(s->dense);
    bs_search_record_free(s->tape);
    bs_params_free(s->twin);
    bs_free(s->mean);
    bs_scorer_free(s->next);
    bs_free(s);
}

basin_status bs_scorer_join(bs_scorer *s, bs_workspace *w, bs_params *params, basin_error *err)
{
    bs_inference how = s->how;
    basin_status status =
        s->energies ? bs_energy_program_join(s->energies, w, params, err) : BASIN_OK;
    how.decide = 0; /* the first does, for all */
    while (s->next)
        s = s->next;
    return status ? status : bs_scorer_new(w, params, s->spec, &how, &s->next, err);
}

bs_posterior *bs_scorer_posterior(bs_scorer *s)
{
    return s->posterior;
}

bs_energy_program *bs_scorer_energy_program(bs_scorer *s)
{
    return s->energies;
}

const bs_scorer *bs_scorer_next(const bs_scorer *s)
{
    return s->next;
}

/* 1, 2, 4, ... up to a block: at most nine programs. */
int bs_scorer_padded(int32_t rows)
{
    int size = 1;
    while (size < rows)
        size *= 2;
    return size;
}

const bs_inference *bs_scorer_inference(const bs_scorer *s)
{
    return &s->how;
}

const bs_params *bs_scorer_params(const bs_scorer *s)
{
    return s->params;
}

const bs_net_spec *bs_scorer_spec(const bs_scorer *s)
{
    return s->spec;
}

void bs_scorer_replay(bs_scorer *s, int point)
{
    s->replays = true;
    bs_search_record_rewind(s->tape, point);
}

static basin_status run_one(bs_scorer *s, const bs_batch *b, bs_scored *out, basin_error *err)
{
    bs_entry *entry;
    bool      fresh;
    *out = (bs_scored){.y = NULL};
    if (s->replays)
        return bs_search_record_read(s->tape, (size_t)b->size.rows, &out->y, &out->energy, err);
    bs_key       key = {{b->size.rows, b->size.length, b->size.width}};
    basin_status status = bs_cache_get(s->cache, key, &entry, &fresh, err);
    if (status)
        return status;
    if (fresh)
        bs_params_bind(s->params, entry->program);
    bs_batch_bind(b, entry);
    if (s->search)
        return bs_search_run(s->search, entry, b->size, s->tape, out, err);
    status = bs_program_run(entry->program, &(bs_run){0, 0}, err);
    if (!status)
        status = bs_fetch(entry->program, 0, &out->y, err);
    if (!status)
        status = bs_fetch(entry->program, 1, &out->logits, err);
    if (!status && s->how.energies)
        status = bs_fetch(entry->program, 2, &out->energy, err);
    if (s->how.how == BS_INFER_VITERBI)
        out->potentials = out->logits;
    return status;
}

/* ---- ensembles ---- */

static void add_part(const real *from, size_t n, real *to, const real **out)
{
    for (size_t i = 0; from && i < n; i++)
        to[i] += from[i];
    *out = from ? to : NULL;
}

/* Sums are in the order of the models, so that the bits are always the same. */
static basin_status run_all(bs_scorer *s, const bs_batch *b, bs_scored *out, basin_error *err)
{
    const size_t rows = (size_t)b->size.rows,
                 cells = rows * s->spec->graph->parts(s->spec, b->size);
    const size_t room = 2 * cells + rows;
    int          n = 0;
    if (room > s->mean_room) {
        bs_free(s->mean);
        s->mean = bs_alloc(room * sizeof *s->mean);
        s->mean_room = s->mean ? room : 0;
    }
    if (!s->mean)
        return bs_fail_nomem(err);
    memset(s->mean, 0, room * sizeof *s->mean);
    *out = (bs_scored){.y = NULL};
    for (bs_scorer *one = s; one; one = one->next, n++) {
        bs_scored    found;
        basin_status status = run_one(one, b, &found, err);
        if (status)
            return status;
        add_part(found.y, cells, s->mean, &out->y);
        add_part(found.potentials, cells, s->mean + cells, &out->potentials);
        add_part(found.energy, rows, s->mean + 2 * cells, &out->energy);
    }
    for (size_t i = 0; i < room; i++)
        s->mean[i] /= (real)n;
    return BASIN_OK;
}

basin_status bs_scorer_batch(bs_scorer *s, const bs_batch *b, bs_scored *out, basin_error *err)
{
    if (bs_event_stopped(s->how.log))
        return bs_fail(err, BASIN_EINTERRUPTED, "interrupted");
    return s->next && !s->replays ? run_all(s, b, out, err) : run_one(s, b, out, err);
}

static bool all_finite(const real *x, size_t n)
{
    int bad = 0;
#pragma omp simd reduction(| : bad)
    for (size_t i = 0; i < n; i++)
        bad |= !isfinite(x[i]);
    return !bad;
}

basin_status bs_scored_check(const bs_scored *found, size_t row, size_t at, size_t n,
                             const char *unit, int64_t number, basin_error *err)
{
    /* a probability of 1 may come from an infinite logit; those of finite ones are finite */
    const real *from = found->logits ? found->logits : found->y;
    if (all_finite(from + at, n) && (!found->potentials || all_finite(found->y + at, n)) &&
        (!found->value || all_finite(found->value + row, 1)) &&
        (!found->energy || all_finite(found->energy + row, 1)))
        return BASIN_OK;
    return bs_fail(err, BASIN_ENUMERIC,
                   "%s %lld: what the model computes is not finite; the input or the model's "
                   "weights are too large",
                   unit, (long long)number);
}

float bs_tempered(float p, double temperature)
{
    if (!(p > 0 && p < 1))
        return p;
    return (float)(1 / (1 + exp(-log((double)p / (1 - (double)p)) / temperature)));
}

/* Numbers in a row's y. */
static size_t parts(const bs_scorer *s)
{
    return s->spec->graph->parts(s->spec, (bs_size){1, 1, 1});
}

static float score_of(const bs_scorer *s, real y)
{
    float p = (float)y;
    if (s->how.temperature > 0)
        p = bs_tempered(p, s->how.temperature);
    return s->how.map ? (float)bs_monotone_at(s->how.map, (double)p) : p;
}

basin_status bs_scorer_rows(bs_scorer *s, const bs_batch *b, int32_t n, const int32_t *index,
                            int64_t number, float *scores, float *energies, basin_error *err)
{
    const size_t L = parts(s);
    bs_scored    found;
    basin_status status = bs_scorer_batch(s, b, &found, err);
    for (int32_t i = 0; i < n && !status; i++)
        status = bs_scored_check(&found, (size_t)i, (size_t)i * L, L, "row",
                                 number + (index ? index[i] : i), err);
    for (int32_t i = 0; i < n && !status; i++) {
        const size_t row = (size_t)(index ? index[i] : i);
        for (size_t l = 0; l < L; l++)
            scores[row * L + l] = score_of(s, found.y[(size_t)i * L + l]);
        if (found.energy && energies)
            energies[row] = (float)found.energy[i];
    }
    return status;
}

static basin_status run_block(bs_scorer *s, const void *x, int32_t rows, int64_t number,
                              float *scores, float *energies, basin_error *err)
{
    const bs_batch b = {.size = {bs_scorer_padded(rows), 1, 1}, .x = {x}};
    return bs_scorer_rows(s, &b, rows, NULL, number, scores, energies, err);
}

basin_status bs_scorer_csr(bs_scorer *s, const bs_csr *x, int64_t number, float *scores,
                           float *energies, basin_error *err)
{
    for (int32_t first = 0; first < x->rows; first += BS_SCORE_BLOCK) {
        int32_t rows = x->rows - first < BS_SCORE_BLOCK ? x->rows - first : BS_SCORE_BLOCK;
        int     size = bs_scorer_padded(rows);
        memcpy(s->start, x->start + first, ((size_t)rows + 1) * sizeof *s->start);
        for (int i = rows + 1; i <= size; i++)
            s->start[i] = s->start[rows];
        bs_csr       block = {size, x->cols, s->start, x->index, x->value};
        basin_status status =
            run_block(s, &block, rows, number + first, scores + (size_t)first * parts(s),
                      energies ? energies + first : NULL, err);
        if (status)
            return status;
    }
    return BASIN_OK;
}

basin_status bs_scorer_dense(bs_scorer *s, const float *x, int32_t rows, int32_t cols,
                             int64_t number, float *scores, float *energies, basin_error *err)
{
    const size_t D = (size_t)cols;
    for (int32_t first = 0; first < rows; first += BS_SCORE_BLOCK) {
        int32_t n = rows - first < BS_SCORE_BLOCK ? rows - first : BS_SCORE_BLOCK;
        size_t  used = (size_t)n * D, all = (size_t)bs_scorer_padded(n) * D;
        if (all > s->room) {
            bs_free(s->dense);
            s->dense = bs_calloc(all, sizeof *s->dense);
            s->room = s->dense ? all : 0;
        }
        if (!s->dense)
            return bs_fail_nomem(err);
        for (size_t i = 0; i < used; i++)
            s->dense[i] = (real)x[(size_t)first * D + i];
        memset(s->dense + used, 0, (all - used) * sizeof *s->dense);
        basin_status status =
            run_block(s, s->dense, n, number + first, scores + (size_t)first * parts(s),
                      energies ? energies + first : NULL, err);
        if (status)
            return status;
    }
    return BASIN_OK;
}
