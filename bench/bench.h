/* bench.h -- what the timing programs share: the step loop and one JSON line per measurement. */
#ifndef BENCH_H
#define BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/log.h"
#include "nn/layers.h"
#include "plan/cache.h"
#include "train/optim.h"

static inline void die(const basin_error *err)
{
    fprintf(stderr, "bench: %s\n", err->msg);
    exit(1);
}

#define TRY(call)      \
    do {               \
        if (call)      \
            die(&err); \
    } while (0)

static inline int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One epoch is timed `repeats` times; `seconds` bounds each. */
typedef struct {
    const char *workload, *method, *unit;
    int         k, batch, threads, repeats; /* k: samples; 0 = none */
    double      seconds;
} bench_case;

/* Runs the batch at position i (0 .. batches - 1 of this epoch); returns its loss. */
typedef double (*bench_step)(void *ctx, int epoch, int i);

static inline void bench_train(const bench_case *c, int batches, bench_step step, void *ctx,
                               int rows_per_batch)
{
    double rate[64], first = 0, last = 0;
    for (int i = 0; i < 5 && i < batches; i++) { /* as the peer warms up */
        double loss = step(ctx, 0, i);
        first = i == 0 ? loss : first;
    }
    int n = c->repeats < 64 ? c->repeats : 64;
    for (int r = 0; r < n; r++) {
        double start = bs_seconds(), seen = 0, now = start;
        for (int i = 0; i < batches && now - start < c->seconds; i++) {
            last = step(ctx, 1 + r, i);
            seen += rows_per_batch;
            now = bs_seconds();
        }
        rate[r] = seen / (now - start);
    }
    qsort(rate, (size_t)n, sizeof *rate, by_value);
    printf("{\"peer\":\"basin\",\"workload\":\"%s\",\"method\":\"%s\",\"k\":%d,\"batch\":%d,"
           "\"threads\":%d,\"measure\":\"train\",\"unit\":\"%s/s\",\"median\":%.6g,\"min\":%.6g,"
           "\"max\":%.6g,\"first_loss\":%.6g,\"last_loss\":%.6g}\n",
           c->workload, c->method, c->k, c->batch, c->threads, c->unit, rate[n / 2], rate[0],
           rate[n - 1], first, last);
    fflush(stdout);
}

/* A model being trained: programs by shape, parameters, one optimiser. */
typedef struct {
    bs_workspace *w;
    bs_params    *params;
    bs_cache     *cache;
    bs_optim     *optim;
    uint64_t      step;
} bench_model;

static inline bench_model bench_model_new(int threads, bs_build_fn build, void *ctx)
{
    basin_error err = {0};
    bench_model m = {.params = bs_params_new()};
    TRY(bs_backend_cpu.workspace_new(&(bs_backend_options){threads}, &m.w, &err));
    m.cache = bs_cache_new(&bs_backend_cpu, m.w, build, ctx, 0);
    return m;
}

/* The program for a key, ready to bind; the first call also makes parameters and optimiser. */
static inline bs_entry *bench_program(bench_model *m, bs_key key, const bs_optim_options *o)
{
    basin_error err = {0};
    bs_entry   *e;
    bool        fresh;
    TRY(bs_cache_get(m->cache, key, &e, &fresh, &err));
    if (!m->params->value) {
        TRY(bs_params_allocate(m->params, 1, &err));
        TRY(bs_optim_new(&bs_backend_cpu, m->w, m->params, "", o, &m->optim, &err));
    }
    if (fresh) {
        bs_backend_cpu.bind_params(e->program, m->params->value, m->params->grad,
                                   m->params->offset);
        bs_optim_use_rows(m->optim, e->program);
    }
    return e;
}

static inline double bench_run(bench_model *m, bs_entry *e)
{
    basin_error err = {0};
    TRY(bs_backend_cpu.run(e->program, &(bs_run){1, ++m->step}, &err));
    double loss = *(const real *)bs_backend_cpu.result(e->program, 0);
    TRY(bs_optim_step(m->optim, NULL, &err));
    return loss;
}

static inline void bench_model_free(bench_model *m)
{
    bs_optim_free(m->optim);
    bs_cache_free(m->cache);
    bs_params_free(m->params);
    bs_backend_cpu.workspace_free(m->w);
}

/* The gradient of `loss` by every parameter, as results. */
static inline void bench_gradients(bs_graph *g, const bs_params *p, bs_id loss, bs_recipe *r)
{
    bs_id ids[64], d[64];
    int   segment[64], n = bs_params_nodes(g, p, "", ids, segment, 64);
    bs_grad(g, loss, ids, n, d, false);
    r->result[r->n_results++] = (bs_result){loss, -1};
    for (int i = 0; i < n; i++)
        r->result[r->n_results++] = (bs_result){d[i], segment[i]};
}

static inline bs_optim_options bench_adam(double rate)
{
    bs_optim_options o;
    bs_options_default(bs_optim_rows, &o, NULL);
    o.rate = rate;
    return o;
}

/* Option value "--name X" of argv, or a default. */
static inline const char *bench_arg(int argc, char **argv, const char *name, const char *def)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return argv[i + 1];
    return def;
}

static inline int bench_int(int argc, char **argv, const char *name, const char *def)
{
    return (int)strtol(bench_arg(argc, argv, name, def), NULL, 10);
}

#endif
