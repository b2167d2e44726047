/* stats.h -- what a metric is, and how certain one is: intervals and tests by resampling rows.
 *
 * The unit is the row (sentence, image). A source computes the sums behind its values from weights
 * of its rows; a replicate is one choice of weights. Replicates are made BS_LANES at a time, so
 * that one pass over the rows serves many of them. Numbers depend on seed and replicate only, never
 * on threads. */
#ifndef BS_DATA_STATS_H
#define BS_DATA_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"

/* A row of the table of a task's metrics. */
typedef struct {
    const char *name, *help;
    bool        higher;  /* higher is better */
    bool        decided; /* computed from decisions, so a threshold changes it; else from scores */
    double      least, greatest;
} bs_metric;

enum { BS_LOWER, BS_HIGHER }; /* for these tables, where directions are LOWER and HIGHER */

#define BS_LANES      16
#define BS_VALUES_MAX 64

typedef struct {
    const void *self; /* borrowed, passed to the functions */
    int32_t     rows;
    size_t      width;  /* how many sums a replicate needs */
    int         values; /* how many numbers are computed from them, at most BS_VALUES_MAX */
    uint64_t    fixed;  /* bit v: value v is not a function of sums over rows, so rows of two
                           systems cannot be swapped (randomisation) */
    /* sums [width, BS_LANES] += contributions of the rows times weight [rows, BS_LANES] */
    void (*add)(const void *self, const float *weight, double *sums);
    /* the values of one replicate, from its sums [width] */
    void (*value)(const void *self, const double *sums, double *out);
    bs_logger *log; /* asked between replicates whether to stop; or NULL */
} bs_sampled;

/* sums += record [rows, width] times weight, row by row: the `add` of a dense source. */
void bs_sampled_dense(const double *record, int32_t rows, size_t width, const float *weight,
                      double *sums);

/* The mean, value by value, of several trainings of one method on the same rows. A replicate weighs
 * a row once for all of them, and a row that is swapped is swapped in all; part i is compared with
 * part i of the other system. */
typedef struct {
    const bs_sampled *part; /* [n], borrowed */
    int               n;
} bs_sampled_set;

/* Borrows the set for the lifetime of *out. */
basin_status bs_sampled_mean(const bs_sampled_set *set, bs_sampled *out, basin_error *err);

typedef struct {
    double value;  /* of the original rows */
    double lo, hi; /* percentiles of the replicates, minus bias */
    double sd;     /* of the replicates: the standard error of value */
    double bias;   /* mean of the replicates - value */
} bs_interval;

/* Percentile bootstrap, shifted by the bias. Means over rows have none, but a rare label is missing
 * from many replicates, which pulls averages over labels down until the plain interval no longer
 * contains the value itself. level such as 0.95; replicates >= 1. out [values]. */
basin_status bs_bootstrap(const bs_sampled *s, uint64_t seed, int replicates, double level,
                          bs_interval *out, basin_error *err);

typedef struct {
    double a, b, difference; /* b - a */
    double lo, hi;           /* percentile interval of the difference; NaN for randomisation */
    double p;                /* two-sided; never 0 */
} bs_paired;

/* The same resampled rows for both systems: the interval of the difference, and p = 2 min(P(d <=
 * 0), P(d >= 0)), each (count + 1) / (replicates + 1). */
basin_status bs_paired_bootstrap(const bs_sampled *a, const bs_sampled *b, uint64_t seed,
                                 int replicates, double level, bs_paired *out, basin_error *err);

/* The same for means over trainings: a replicate draws rows, the same for all trainings of both
 * systems, and separately trainings of each system, whose variance is multiplied by n / (n - 1)
 * because few of them understate it. A single training cannot be resampled: p is then about rows
 * alone. The systems may differ in numbers of trainings and in sums. */
basin_status bs_paired_seeds(const bs_sampled_set *a, const bs_sampled_set *b, uint64_t seed,
                             int replicates, double level, bs_paired *out, basin_error *err);

/* Approximate randomisation (Noreen 1989): each row is swapped with probability 1/2; p = (count of
 * |d*| >= |d| + 1) / (replicates + 1). NaN for values marked fixed. */
basin_status bs_randomisation(const bs_sampled *a, const bs_sampled *b, uint64_t seed,
                              int replicates, bs_paired *out, basin_error *err);

double bs_stats_mean(const double *x, int n); /* NaN when n = 0 */
double bs_stats_sd(const double *x, int n);   /* of a sample, n - 1; 0 when n = 1 */
double bs_stats_quantile(const double *sorted, int n, double q); /* linear interpolation */

#endif
