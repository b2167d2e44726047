/* stats.c -- bootstrap, paired bootstrap and approximate randomisation.
 *
 * Replicate r of a run with seed s draws from the stream (s, r), so its value does not depend on
 * the number of replicates. */
#include "data/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/rng.h"

/* "boot", "side", "seed" */
enum { STREAM_ROWS = 0x626f6f74, STREAM_SIDES = 0x73696465, STREAM_SEEDS = 0x73656564 };

void bs_sampled_dense(const double *record, int32_t rows, size_t width, const float *weight,
                      double *sums)
{
    for (int32_t row = 0; row < rows; row++) {
        const double *r = record + (size_t)row * width;
        double        w[BS_LANES];
        for (int j = 0; j < BS_LANES; j++)
            w[j] = (double)weight[(size_t)row * BS_LANES + (size_t)j];
        for (size_t i = 0; i < width; i++) {
            if (r[i] == 0) /* as are most fields of most rows */
                continue;
            double *to = sums + i * BS_LANES;
            for (int j = 0; j < BS_LANES; j++)
                to[j] += r[i] * w[j];
        }
    }
}

/* ---- the mean of several sources ---- */

static void set_add(const void *self, const float *weight, double *sums)
{
    const bs_sampled_set *set = self;
    for (int i = 0; i < set->n; i++) {
        set->part[i].add(set->part[i].self, weight, sums);
        sums += set->part[i].width * BS_LANES;
    }
}

static void set_value(const void *self, const double *sums, double *out)
{
    const bs_sampled_set *set = self;
    const int             values = set->part[0].values;
    double                one[BS_VALUES_MAX];
    memset(out, 0, (size_t)values * sizeof *out);
    for (int i = 0; i < set->n; i++) {
        set->part[i].value(set->part[i].self, sums, one);
        for (int v = 0; v < values; v++)
            out[v] += one[v] / set->n;
        sums += set->part[i].width;
    }
}

basin_status bs_sampled_mean(const bs_sampled_set *set, bs_sampled *out, basin_error *err)
{
    if (set->n < 1)
        return bs_fail(err, BASIN_EARG, "the mean of no sources");
    *out = set->part[0];
    for (int i = 1; i < set->n; i++) {
        if (set->part[i].rows != out->rows || set->part[i].values != out->values)
            return bs_fail(err, BASIN_EARG, "sources of %d and %d rows have no mean", out->rows,
                           set->part[i].rows);
        out->fixed |= set->part[i].fixed;
        if (!bs_add_size(out->width, set->part[i].width, &out->width))
            return bs_fail_nomem(err);
    }
    out->self = set;
    out->add = set_add;
    out->value = set_value;
    return BASIN_OK;
}

/* ---- runs ---- */

/* What a run needs besides its sources. */
typedef struct {
    bs_arena arena;
    float   *weight;  /* [rows, BS_LANES] */
    float   *other;   /* [rows, BS_LANES]; 1 - weight, for randomisation */
    double  *sums[2]; /* [width, BS_LANES], one per system */
    double  *lane;    /* [width] */
    double  *value;   /* [values, replicates] */
    int      replicates, values;
    int32_t  rows;
    size_t   width;
} run;

static double *numbers(run *r, size_t n, size_t each)
{
    size_t bytes;
    return bs_mul_size(n, each * sizeof(double), &bytes) ? bs_arena_alloc(&r->arena, bytes) : NULL;
}

static basin_status run_new(const bs_sampled *s, int replicates, run *r, basin_error *err)
{
    *r = (run){.replicates = replicates, .values = s->values, .rows = s->rows, .width = s->width};
    if (s->rows < 1)
        return bs_fail(err, BASIN_EARG, "there are no rows to resample");
    if (replicates < 1)
        return bs_fail(err, BASIN_EARG, "%d replicates; there must be at least 1", replicates);
    if (s->values < 1 || s->values > BS_VALUES_MAX)
        return bs_fail(err, BASIN_EARG, "%d values to resample; there may be 1 to %d", s->values,
                       BS_VALUES_MAX);
    const size_t weights = (size_t)s->rows * BS_LANES;
    r->weight = bs_arena_alloc(&r->arena, weights * sizeof *r->weight);
    r->other = bs_arena_alloc(&r->arena, weights * sizeof *r->other);
    r->sums[0] = numbers(r, s->width, BS_LANES);
    r->sums[1] = numbers(r, s->width, BS_LANES);
    r->lane = numbers(r, s->width, 1);
    r->value = numbers(r, (size_t)s->values, (size_t)replicates);
    if (!r->weight || !r->other || !r->sums[0] || !r->sums[1] || !r->lane || !r->value)
        return bs_fail_nomem(err);
    return BASIN_OK;
}

/* How often each row was drawn, for replicates first, first + 1, ... */
static void draw_rows(run *r, uint64_t seed, int first)
{
    const size_t cells = (size_t)r->rows * BS_LANES;
    memset(r->weight, 0, cells * sizeof *r->weight);
    for (int j = 0; j < BS_LANES && first + j < r->replicates; j++) {
        bs_rng rng = bs_rng_make(seed, (uint64_t)first + (uint64_t)j, STREAM_ROWS);
        for (int32_t i = 0; i < r->rows; i++) {
            const size_t row = bs_rng_below(&rng, (uint32_t)r->rows);
            r->weight[row * BS_LANES + (size_t)j] += 1;
        }
    }
}

static void draw_sides(run *r, uint64_t seed, int first)
{
    for (int j = 0; j < BS_LANES && first + j < r->replicates; j++) {
        for (int32_t i = 0; i < r->rows; i++) {
            const size_t   at = (size_t)i * BS_LANES + (size_t)j;
            const uint32_t bits =
                bs_rng_at(seed, (uint64_t)first + (uint64_t)j, STREAM_SIDES, (uint64_t)(i / 32));
            r->weight[at] = (float)(bits >> (i % 32) & 1);
            r->other[at] = 1 - r->weight[at];
        }
    }
}

static void sum_up(const run *r, const bs_sampled *s, const float *weight, double *sums, bool fresh)
{
    if (fresh)
        memset(sums, 0, r->width * BS_LANES * sizeof *sums);
    s->add(s->self, weight, sums);
}

static void values_of(run *r, const bs_sampled *s, const double *sums, int lane, double *out)
{
    for (size_t i = 0; i < r->width; i++)
        r->lane[i] = sums[i * BS_LANES + (size_t)lane];
    s->value(s->self, r->lane, out);
}

/* The values with every row counted once. */
static void observe(run *r, const bs_sampled *s, double *out)
{
    const size_t cells = (size_t)r->rows * BS_LANES;
    for (size_t i = 0; i < cells; i++)
        r->weight[i] = 1;
    sum_up(r, s, r->weight, r->sums[0], true);
    values_of(r, s, r->sums[0], 0, out);
}

/* Sorts the replicates of value v that are numbers to the front; returns how many. */
static int sort_value(run *r, int v, double **out)
{
    double *x = r->value + (size_t)v * (size_t)r->replicates;
    int     n = 0;
    for (int i = 0; i < r->replicates; i++)
        if (!isnan(x[i]))
            x[n++] = x[i];
    qsort(x, (size_t)n, sizeof *x, bs_by_double);
    *out = x;
    return n;
}

static void store(run *r, int replicate, const double *values, const double *minus)
{
    for (int v = 0; v < r->values; v++)
        r->value[(size_t)v * (size_t)r->replicates + (size_t)replicate] =
            minus ? values[v] - minus[v] : values[v];
}

static basin_status check_level(double level, basin_error *err)
{
    if (!(level > 0 && level < 1))
        return bs_fail(err, BASIN_EARG, "confidence level %g; must lie between 0 and 1", level);
    return BASIN_OK;
}

basin_status bs_bootstrap(const bs_sampled *s, uint64_t seed, int replicates, double level,
                          bs_interval *out, basin_error *err)
{
    run          r = {0};
    double       value[BS_VALUES_MAX];
    basin_status status = check_level(level, err);
    if (!status)
        status = run_new(s, replicates, &r, err);
    if (status) {
        bs_arena_free(&r.arena);
        return status;
    }
    observe(&r, s, value);
    for (int v = 0; v < r.values; v++)
        out[v].value = value[v];
    for (int first = 0; first < replicates; first += BS_LANES) {
        if (bs_event_stopped(s->log)) {
            bs_arena_free(&r.arena);
            return bs_fail(err, BASIN_EINTERRUPTED, "interrupted");
        }
        draw_rows(&r, seed, first);
        sum_up(&r, s, r.weight, r.sums[0], true);
        for (int j = 0; j < BS_LANES && first + j < replicates; j++) {
            values_of(&r, s, r.sums[0], j, value);
            store(&r, first + j, value, NULL);
        }
    }
    for (int v = 0; v < r.values; v++) {
        double *x;
        int     n = sort_value(&r, v, &x);
        out[v].bias = bs_stats_mean(x, n) - out[v].value;
        out[v].lo = bs_stats_quantile(x, n, (1 - level) / 2) - out[v].bias;
        out[v].hi = bs_stats_quantile(x, n, (1 + level) / 2) - out[v].bias;
        out[v].sd = bs_stats_sd(x, n);
    }
    bs_arena_free(&r.arena);
    return BASIN_OK;
}

static void judge_bootstrap(run *r, double level, bs_paired *out)
{
    for (int v = 0; v < r->values; v++) {
        double *x;
        int     n = sort_value(r, v, &x), below = 0, above = 0;
        for (int i = 0; i < n; i++) {
            below += x[i] <= 0;
            above += x[i] >= 0;
        }
        out[v].lo = bs_stats_quantile(x, n, (1 - level) / 2);
        out[v].hi = bs_stats_quantile(x, n, (1 + level) / 2);
        const int less = below < above ? below : above;
        out[v].p = n ? fmin(1, 2 * (less + 1.0) / (n + 1.0)) : (double)NAN;
    }
}

static void observe_pair(run *r, const bs_sampled *a, const bs_sampled *b, bs_paired *out)
{
    double x[BS_VALUES_MAX], y[BS_VALUES_MAX];
    observe(r, a, x);
    observe(r, b, y);
    for (int v = 0; v < r->values; v++)
        out[v] = (bs_paired){
            .a = x[v], .b = y[v], .difference = y[v] - x[v], .lo = NAN, .hi = NAN, .p = NAN};
}

/* The mean of a set of n, resampled n times: mean + sqrt(n / (n - 1)) (drawn - mean). */
static void draw_value(run *r, const bs_sampled_set *set, const double *sums, int lane, bs_rng *rng,
                       double *out)
{
    const double stretch = set->n > 1 ? sqrt(set->n / (set->n - 1.0)) : 0;
    double       mean[BS_VALUES_MAX] = {0}, drawn[BS_VALUES_MAX] = {0}, one[BS_VALUES_MAX];
    size_t       at = 0;
    /* n draws part by part: how many of the remaining ones fall on this part */
    uint32_t left = (uint32_t)set->n, todo = (uint32_t)set->n;
    for (int i = 0; i < set->n; i++, left--) {
        uint32_t times = 0;
        for (uint32_t k = 0; k < todo; k++)
            times += bs_rng_below(rng, left) == 0;
        todo -= times;
        for (size_t k = 0; k < set->part[i].width; k++)
            r->lane[k] = sums[(at + k) * BS_LANES + (size_t)lane];
        set->part[i].value(set->part[i].self, r->lane, one);
        at += set->part[i].width;
        for (int v = 0; v < r->values; v++) {
            mean[v] += one[v] / set->n;
            drawn[v] += times * one[v] / set->n;
        }
    }
    for (int v = 0; v < r->values; v++)
        out[v] = mean[v] + stretch * (drawn[v] - mean[v]);
}

/* The differences between a and b on `replicates` choices of rows, the same for both; with sets, of
 * trainings as well. Without sets, rows are swapped between a and b instead. */
static basin_status replicate(run *r, const bs_sampled *a, const bs_sampled *b,
                              const bs_sampled_set *const *set, uint64_t seed, int replicates,
                              bs_paired *out, basin_error *err)
{
    basin_status s = run_new(b->width > a->width ? b : a, replicates, r, err);
    if (s)
        return s;
    observe_pair(r, a, b, out);
    for (int first = 0; first < replicates; first += BS_LANES) {
        if (set)
            draw_rows(r, seed, first);
        else
            draw_sides(r, seed, first);
        sum_up(r, a, r->weight, r->sums[0], true);
        sum_up(r, b, r->weight, r->sums[1], true);
        if (!set) {
            sum_up(r, b, r->other, r->sums[0], false);
            sum_up(r, a, r->other, r->sums[1], false);
        }
        for (int j = 0; j < BS_LANES && first + j < replicates; j++) {
            double x[BS_VALUES_MAX], y[BS_VALUES_MAX];
            bs_rng rng = bs_rng_make(seed, (uint64_t)first + (uint64_t)j, STREAM_SEEDS);
            if (set) {
                draw_value(r, set[0], r->sums[0], j, &rng, x);
                draw_value(r, set[1], r->sums[1], j, &rng, y);
            } else {
                values_of(r, a, r->sums[0], j, x);
                values_of(r, b, r->sums[1], j, y);
            }
            store(r, first + j, y, x);
        }
    }
    return BASIN_OK;
}

basin_status bs_paired_seeds(const bs_sampled_set *a, const bs_sampled_set *b, uint64_t seed,
                             int replicates, double level, bs_paired *out, basin_error *err)
{
    run          r = {0};
    bs_sampled   mean[2];
    basin_status status = bs_sampled_mean(a, &mean[0], err);
    if (!status)
        status = bs_sampled_mean(b, &mean[1], err);
    if (!status && (mean[0].rows != mean[1].rows || mean[0].values != mean[1].values))
        status = bs_fail(err, BASIN_EARG,
                         "the two systems cannot be compared: they are of %d and %d rows",
                         mean[0].rows, mean[1].rows);
    if (!status)
        status = check_level(level, err);
    if (!status)
        status = replicate(&r, &mean[0], &mean[1], (const bs_sampled_set *[]){a, b}, seed,
                           replicates, out, err);
    if (!status)
        judge_bootstrap(&r, level, out);
    bs_arena_free(&r.arena);
    return status;
}

basin_status bs_paired_bootstrap(const bs_sampled *a, const bs_sampled *b, uint64_t seed,
                                 int replicates, double level, bs_paired *out, basin_error *err)
{
    return bs_paired_seeds(&(bs_sampled_set){a, 1}, &(bs_sampled_set){b, 1}, seed, replicates,
                           level, out, err);
}

/* Counts differences at least as far from 0 as the observed one, allowing for rounding. */
static void judge_sides(run *r, uint64_t fixed, bs_paired *out)
{
    for (int v = 0; v < r->values; v++) {
        const double limit = fabs(out[v].difference) * (1 - 1e-12);
        double      *x;
        int          n = sort_value(r, v, &x), far = 0;
        if (fixed >> v & 1 || isnan(limit) || n == 0)
            continue;
        for (int i = 0; i < n; i++)
            far += fabs(x[i]) >= limit;
        out[v].p = (far + 1.0) / (n + 1.0);
    }
}

basin_status bs_randomisation(const bs_sampled *a, const bs_sampled *b, uint64_t seed,
                              int replicates, bs_paired *out, basin_error *err)
{
    run r = {0};
    if (a->rows != b->rows || a->width != b->width || a->values != b->values)
        return bs_fail(err, BASIN_EARG,
                       "the two systems cannot be compared: %d and %d rows, %zu and %zu sums",
                       a->rows, b->rows, a->width, b->width);
    basin_status status = replicate(&r, a, b, NULL, seed, replicates, out, err);
    if (!status)
        judge_sides(&r, a->fixed | b->fixed, out);
    bs_arena_free(&r.arena);
    return status;
}

double bs_stats_mean(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return n > 0 ? sum / n : (double)NAN;
}

double bs_stats_sd(const double *x, int n)
{
    if (n < 2)
        return n == 1 ? 0 : (double)NAN;
    const double mean = bs_stats_mean(x, n);
    double       sum = 0;
    for (int i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sqrt(sum / (n - 1));
}

double bs_stats_quantile(const double *sorted, int n, double q)
{
    if (n < 1)
        return NAN;
    const double at = q * (n - 1);
    int          i = (int)at;
    if (i < 0)
        i = 0;
    if (i >= n - 1)
        return sorted[n - 1];
    return sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]);
}
