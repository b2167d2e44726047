/* shards.c -- gradients of shards, added in a fixed tree. */
#include "method/shards.h"

#include <string.h>

basin_status bs_shards_new(const bs_learner *l, bs_shards **out, basin_error *err)
{
    basin_status s = BASIN_OK;
    *out = NULL;
    if (l->o->shards <= 1)
        return BASIN_OK;
    if (!(*out = bs_calloc(1, sizeof **out)))
        return bs_fail_nomem(err);
    (*out)->n = l->o->shards;
    for (int k = 0; (1 << k) <= l->o->shards && !s; k++)
        s = bs_buffer_new(l->w->device, l->params->moving, true, &(*out)->level[k], err);
    return s;
}

void bs_shards_free(bs_shards *s)
{
    for (int k = 0; s && k < BS_SHARD_LEVELS; k++)
        bs_buffer_free(s->level[k]);
    bs_free(s);
}

/* ---- the tree: like the bits of a counter of the shards added so far ---- */

static void add_level(const bs_learner *l, const bs_shards *s, int k)
{
    const bs_range all = {0, l->params->moving};
    bs_buffer     *grad = l->params->block.grad;
    grad->device->axpby(&all, 1, 1, grad, 1, s->level[k]);
}

static void add_shard(const bs_learner *l, const bs_shards *s, int shard)
{
    bs_buffer *grad = l->params->block.grad;
    int        k = 0;
    for (; shard >> k & 1; k++)
        add_level(l, s, k);
    grad->device->copy(s->level[k], 0, grad, 0, l->params->moving);
}

/* What is left are the subtrees of the bits of the number of shards. */
static void add_rest(const bs_learner *l, const bs_shards *s)
{
    bs_buffer *grad = l->params->block.grad;
    int        k = 0;
    while (!(s->n >> k & 1))
        k++;
    grad->device->copy(grad, 0, s->level[k], 0, l->params->moving);
    for (k++; s->n >> k; k++)
        if (s->n >> k & 1)
            add_level(l, s, k);
}

/* ---- running ---- */

static basin_status see(bs_shards *s, int shard, const bs_entry *e, basin_error *err)
{
    basin_status status = BASIN_OK;
    for (int i = 0; i < 1 + BS_DIAGNOSTIC_COUNT && !status; i++) {
        const real *value;
        status = bs_fetch(e->program, i, &value, err);
        if (!status)
            s->seen[shard][i] = (double)*value;
    }
    return status;
}

static basin_status run_shard(bs_learner *l, int shard, bs_shard_run *run, const void *ctx,
                              basin_error *err)
{
    bs_shards     *s = l->shards;
    const bs_range all = {0, l->params->moving};
    bs_buffer     *grad = l->params->block.grad;
    bs_entry      *e;
    if (!s->batch[shard]) {
        grad->device->fill(grad, 0, l->params->moving, 0);
        add_shard(l, s, shard);
        return BASIN_OK;
    }
    basin_status status = run(l, s->batch[shard], ctx, &e, err);
    if (!status)
        status = see(s, shard, e, err);
    if (status)
        return status;
    grad->device->axpby(&all, 1, (double)s->rows[shard] / s->all, grad, 0, NULL);
    add_shard(l, s, shard);
    return BASIN_OK;
}

/* Means over the rows of the batch, in the order of shards. */
static void sum_up(bs_shards *s)
{
    double sum[1 + BS_DIAGNOSTIC_COUNT] = {0};
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < 1 + BS_DIAGNOSTIC_COUNT && s->batch[i]; k++)
            sum[k] += s->seen[i][k] * s->rows[i] / s->all;
    memcpy(s->seen[0], sum, sizeof sum);
}

basin_status bs_shards_run(bs_learner *l, bs_shard_run *run, const void *ctx, const double **loss,
                           basin_error *err)
{
    bs_shards     *s = l->shards;
    const uint64_t first = l->step;
    basin_status   status = BASIN_OK;
    for (int i = 0; i < s->n && !status; i++) {
        l->step = first + (uint64_t)i + 1; /* its own random numbers */
        status = run_shard(l, i, run, ctx, err);
    }
    l->step = first + (uint64_t)s->n;
    if (status)
        return status;
    add_rest(l, s);
    sum_up(s);
    *loss = s->seen[0];
    return BASIN_OK;
}
