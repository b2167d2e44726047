/* bench.h -- what the timing programs share: the step loop and one JSON line per measurement. */
#ifndef BENCH_H
#define BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/log.h"
#include "method/method.h"

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

/* Of methods that begin with a net alone: what comes after. */
static inline void bench_skip_pretraining(bs_learner *l)
{
    basin_error err = {0};
    for (int i = 1; i < BS_PHASES && l->method->phase[i].name; i++)
        if (!l->method->phase[i - 1].energy)
            TRY(bs_learner_enter(l, i, &err));
}

typedef basin_status (*bench_method)(bs_learner *l, const bs_batch *b, basin_error *err);

/* One step of the method, or another on its learner; returns its loss, the net's if there is one.
 * An epoch begins with i = 0. */
static inline double bench_method_step(bs_learner *l, bench_method step, bs_batches *feed,
                                       int32_t *order, int epoch, int i)
{
    basin_error          err = {0};
    const int            batch = l->o->batch;
    const bs_diagnostic *net = &l->diagnostic[BS_DIAGNOSTIC_loss_net],
                        *energy = &l->diagnostic[BS_DIAGNOSTIC_loss_energy];
    if (i == 0) {
        bs_rng rng = bs_rng_make(1, (uint64_t)epoch, 0);
        feed->order(feed, &rng, order);
        memset(l->diagnostic, 0, sizeof l->diagnostic);
    }
    const double    before[] = {net->sum, energy->sum};
    const bs_batch *b = feed->rows(feed, order + (int64_t)i * batch, batch);
    TRY((step ? step : l->method->phase[l->phase].step)(l, b, &err));
    return net->n ? net->sum - before[0] : energy->sum - before[1];
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
