/* anneal.c -- annealed importance sampling with moves that leave P0 as it is. */
#include "model/anneal.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum { MOVES = 8, LAST_MOVES = 32, MOST_STEPS = 100, STREAM = 7001 };
#define EFFECTIVE 0.5 /* share of the samples that a step leaves */

typedef struct {
    const bs_annealing *how;
    bs_annealed        *a;
    int32_t            *tried; /* [samples, parts] */
    double             *u, *v; /* [samples] U of samples, of what is tried */
    double             *logs;  /* [samples] log weights */
    double              b;
} annealing;

basin_status bs_annealed_new(int samples, int parts, bs_annealed *out, basin_error *err)
{
    const size_t K = (size_t)samples, L = (size_t)parts;
    *out = (bs_annealed){.y = bs_calloc(K * L + 1, sizeof *out->y),
                         .weight = bs_calloc(K, sizeof *out->weight),
                         .best = bs_calloc(L + 1, sizeof *out->best),
                         .lowest = INFINITY};
    if (out->y && out->weight && out->best)
        return BASIN_OK;
    bs_annealed_free(out);
    return bs_fail_nomem(err);
}

void bs_annealed_free(bs_annealed *a)
{
    bs_free(a->y);
    bs_free(a->weight);
    bs_free(a->best);
    *a = (bs_annealed){0};
}

bool bs_annealed_look(const bs_annealing *how, bs_annealed *a, const int32_t *y, const double *u,
                      int n)
{
    const size_t L = (size_t)how->parts;
    bool         found = false;
    for (int k = 0; k < n; k++) {
        const double e = (u ? u[k] : 0) - how->base(how->ctx, y + (size_t)k * L);
        if (!(e < a->lowest))
            continue;
        a->lowest = e;
        memcpy(a->best, y + (size_t)k * L, L * sizeof *y);
        found = true;
    }
    return found;
}

/* Log weights if exp(-U) counted `more` more, as weights; returns the effective number. */
static double weigh(const annealing *s, double more, double *weight)
{
    const int K = s->how->samples;
    double    top = -INFINITY, sum = 0, squares = 0;
    for (int k = 0; k < K; k++)
        top = fmax(top, s->logs[k] - more * s->u[k]);
    for (int k = 0; k < K; k++)
        sum += weight[k] = exp(s->logs[k] - more * s->u[k] - top);
    for (int k = 0; k < K; k++) {
        weight[k] /= sum;
        squares += weight[k] * weight[k];
    }
    return 1 / squares;
}

/* Evenly spaced points of the cumulated weights. */
static void resample(annealing *s, int step)
{
    const size_t K = (size_t)s->how->samples, L = (size_t)s->how->parts;
    bs_rng       rng = bs_rng_make(0, (uint64_t)step, STREAM);
    const double at = bs_rng_uniform(&rng);
    double       sum = s->a->weight[0];
    size_t       from = 0;
    memcpy(s->tried, s->a->y, K * L * sizeof *s->tried);
    memcpy(s->v, s->u, K * sizeof *s->v);
    for (size_t k = 0; k < K; k++) {
        while ((double)k + at > sum * (double)K && from + 1 < K)
            sum += s->a->weight[++from];
        memcpy(s->a->y + k * L, s->tried + from * L, L * sizeof *s->tried);
        s->u[k] = s->v[from];
    }
    memset(s->logs, 0, K * sizeof *s->logs);
}

static basin_status move(annealing *s, uint64_t round, basin_error *err)
{
    const bs_annealing *how = s->how;
    const size_t        K = (size_t)how->samples, L = (size_t)how->parts;
    memcpy(s->tried, s->a->y, K * L * sizeof *s->tried);
    for (size_t k = 0; k < K; k++) {
        bs_rng rng = bs_rng_make(0, round * K + k, STREAM + 1);
        how->redraw(how->ctx, s->tried + k * L, &rng);
    }
    basin_status status = how->terms(how->ctx, s->tried, s->v, err);
    if (status)
        return status;
    bs_annealed_look(how, s->a, s->tried, s->v, how->samples);
    for (size_t k = 0; k < K; k++) {
        bs_rng rng = bs_rng_make(0, round * K + k, STREAM + 2);
        if (bs_rng_uniform(&rng) >= exp(-s->b * (s->v[k] - s->u[k])))
            continue;
        memcpy(s->a->y + k * L, s->tried + k * L, L * sizeof *s->tried);
        s->u[k] = s->v[k];
    }
    return BASIN_OK;
}

/* As much of what is left of exp(-U) as leaves enough samples effective. */
static double next_step(const annealing *s, bool all)
{
    const double enough = EFFECTIVE * s->how->samples;
    double       least = 0, most = 1 - s->b, more = most;
    if (all || weigh(s, more, s->v) >= enough)
        return more;
    for (int i = 0; i < 40; i++) {
        more = (least + most) / 2;
        *(weigh(s, more, s->v) < enough ? &most : &least) = more;
    }
    return more;
}

static basin_status by_degrees(annealing *s, basin_error *err)
{
    const int    K = s->how->samples;
    uint64_t     round = 0;
    basin_status status = BASIN_OK;
    s->a->effective = weigh(s, 1, s->a->weight) / K;
    if (s->a->effective >= EFFECTIVE)
        return BASIN_OK;
    for (int step = 0; s->b < 1 && !status; step++) {
        const double more = next_step(s, step + 1 == MOST_STEPS);
        weigh(s, more, s->a->weight);
        s->b = s->b + more > 1 - 1e-9 ? 1 : s->b + more;
        resample(s, step);
        for (int i = 0; i < (s->b < 1 ? MOVES : LAST_MOVES) && !status; i++)
            status = move(s, round++, err);
    }
    for (int k = 0; k < K; k++)
        s->a->weight[k] = 1.0 / K;
    return status;
}

basin_status bs_anneal(const bs_annealing *how, bs_annealed *a, basin_error *err)
{
    const size_t K = (size_t)how->samples, L = (size_t)how->parts;
    annealing    s = {.how = how,
                      .a = a,
                      .tried = bs_alloc((K * L + 1) * sizeof *s.tried),
                      .u = bs_calloc(3 * K, sizeof *s.u)};
    basin_status status = s.tried && s.u ? BASIN_OK : bs_fail_nomem(err);
    s.v = s.u + K;
    s.logs = s.v + K;
    a->effective = 1;
    for (size_t k = 0; k < K; k++)
        a->weight[k] = 1.0 / (double)K;
    if (!status && how->terms)
        status = how->terms(how->ctx, a->y, s.u, err);
    if (!status)
        bs_annealed_look(how, a, a->y, s.u, how->samples);
    if (!status && how->terms)
        status = by_degrees(&s, err);
    bs_free(s.tried);
    bs_free(s.u);
    return status;
}
