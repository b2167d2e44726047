/* method_ce.c -- cross-entropy: each label on its own, no energy. The baseline. */
#include <math.h>

#include "train/method.h"

enum { LOSS, NORM };

typedef struct {
    bs_cache *cache;
} ce_state;

static void build(bs_graph *g, void *ctx, bs_key key, bs_recipe *r)
{
    bs_learner *l = ctx;
    bs_nn       nn = {g, l->params, true, 1};
    int         rows = key.v[0];
    r->input[0] = bs_mlc_input(g, &l->shape, rows);
    r->input[1] = bs_leaf(g, "gold", BS_T_REAL, bs_shape2(rows, l->shape.labels));
    bs_id logits = bs_mlc_net(&nn, &l->shape, r->input[0]);
    bs_push(g, "loss");
    bs_id loss = bs_mlc_cross_entropy(g, logits, r->input[1]);
    bs_id theta[BS_CACHE_RESULTS], d[BS_CACHE_RESULTS];
    int   segment[BS_CACHE_RESULTS];
    int   n = bs_params_nodes(g, l->params, "net/", theta, segment, BS_CACHE_RESULTS - 1);
    bs_grad(g, loss, theta, n, d, false);
    r->result[r->n_results++] = (bs_result){loss, -1};
    for (int i = 0; i < n; i++)
        r->result[r->n_results++] = (bs_result){d[i], segment[i]};
    bs_pop(g);
}

static basin_status ce_program(bs_learner *l, int32_t rows, bs_entry **e, basin_error *err)
{
    ce_state    *s = l->state;
    bool         fresh;
    basin_status status = bs_cache_get(s->cache, (bs_key){{rows}}, e, &fresh, err);
    if (!status && fresh && l->params->value) {
        l->backend->bind_params((*e)->program, l->params->value, l->params->grad,
                                l->params->offset);
        bs_optim_use_rows(l->net, (*e)->program);
    }
    return status;
}

static basin_status ce_setup(bs_learner *l, basin_error *err)
{
    ce_state *s = bs_calloc(1, sizeof *s);
    bs_entry *e;
    l->state = s;
    if (!s || !(s->cache = bs_cache_new(l->backend, l->w, build, l, 0)))
        return bs_fail_nomem(err);
    basin_status status = ce_program(l, l->o->batch, &e, err); /* declares the parameters */
    if (!status)
        status = bs_params_allocate(l->params, (uint64_t)l->o->seed, err);
    if (!status)
        status = bs_learner_optim(l, "net/", l->o->lr_net, l->o->decay_net, &l->net, err);
    if (status)
        return status;
    l->backend->bind_params(e->program, l->params->value, l->params->grad, l->params->offset);
    bs_optim_use_rows(l->net, e->program);
    return BASIN_OK;
}

static basin_status ce_step(bs_learner *l, const bs_batch *b, basin_error *err)
{
    bs_entry    *e;
    double       norm;
    basin_status s = ce_program(l, b->rows, &e, err);
    if (s)
        return s;
    l->backend->bind_input(e->program, e->input[0], bs_batch_x(b));
    l->backend->bind_input(e->program, e->input[1], b->gold);
    s = l->backend->run(e->program, &(bs_run){(uint64_t)l->o->seed, ++l->step}, err);
    if (s)
        return s;
    double loss = (double)*(const real *)l->backend->result(e->program, 0);
    if (!isfinite(loss))
        return bs_fail(err, BASIN_ENUMERIC,
                       "the loss is no longer finite at step %llu; a lower lr.net (now %g) or clip "
                       "may help",
                       (unsigned long long)l->step, l->net->update.rate);
    l->sum[LOSS] += loss;
    s = bs_optim_step(l->net, &norm, err);
    l->sum[NORM] += norm;
    return s;
}

static void ce_free(bs_learner *l)
{
    ce_state *s = l->state;
    if (s)
        bs_cache_free(s->cache);
    bs_free(s);
}

const bs_method bs_method_ce = {
    .name = "ce",
    .help = "cross-entropy of each label on its own; no energy",
    .tasks = "mlc",
    .logged = {"loss", "grad_norm"},
    .setup = ce_setup,
    .step = ce_step,
    .free = ce_free,
};
