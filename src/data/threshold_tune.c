/* threshold_tune.c -- choosing thresholds on validation data, by exact sweeps.
 *
 * All scores are sorted once and switched on from the highest down. Switching one cell on changes
 * the counts of one row and one label, so updating the metric takes O(1); between two distinct
 * scores it is the value of a possible threshold. 3M scores take 0.1 s on one core, half of it
 * sorting. */
#include "data/threshold.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "data/metric_part.h"
#include "data/metric_sort.h"

static const double same = 1e-12; /* values nearer than this count as equally good */
static const float  usual = 0.5f;

/* A threshold above `below` and at most `at`, separating two neighbouring scores: `wish` if it
 * does, else the middle. */
static float between(float below, float at, float wish)
{
    if (wish > below && wish <= at)
        return wish;
    if (below == -INFINITY)
        return at;
    if (at == INFINITY)
        return nextafterf(below, INFINITY);
    float middle = (float)(((double)below + (double)at) / 2);
    return middle > below && middle <= at ? middle : at;
}

static basin_status check(int32_t rows, int32_t L, const float *scores, basin_error *err)
{
    if (rows < 1 || L < 1)
        return bs_fail(err, BASIN_EARG, "tuning a threshold needs rows and labels; got %d and %d",
                       rows, L);
    const size_t cells = (size_t)rows * (size_t)L;
    if (cells > INT32_MAX)
        return bs_fail(err, BASIN_EUNSUPPORTED,
                       "%zu scores are too many to tune a threshold on; at most %d", cells,
                       INT32_MAX);
    return bs_check_scores(scores, rows, L, err);
}

static basin_status check_both(const bs_csr *gold, const float *scores, basin_error *err)
{
    basin_status s = check(gold->rows, gold->cols, scores, err);
    return s ? s : bs_check_gold(gold, err);
}

/* ---- one global value ---- */

typedef struct {
    double gold, pred, tp;
} tally;

typedef struct {
    int               metric;
    const bs_profile *p;
    int32_t           rows, L; /* rows that count */
    tally            *row;     /* [rows] */
    tally            *label;   /* [L] */
    tally             all;
    double            sum, lost; /* sum of the values of rows or labels, and what rounding has
                                    lost */
} sweep;

static double row_value(const sweep *s, const tally *t)
{
    const double fp = t->pred - t->tp, fn = t->gold - t->tp;
    switch (s->metric) {
    case BS_METRIC_subset_accuracy: return fp + fn == 0;
    case BS_METRIC_jaccard:
        return t->tp + fp + fn > 0 ? t->tp / (t->tp + fp + fn) : s->p->jaccard_empty;
    default: return bs_count_f1(t->tp, fp, fn, s->p->row_f1_empty);
    }
}

static double label_value(const sweep *s, const tally *t)
{
    return bs_count_f1(t->tp, t->pred - t->tp, t->gold - t->tp, s->p->label_f1_empty);
}

/* Neumaier summation: millions of small changes must not blur which threshold is best. */
static void change(sweep *s, double by)
{
    const double sum = s->sum + by;
    s->lost += fabs(s->sum) >= fabs(by) ? (s->sum - sum) + by : (by - sum) + s->sum;
    s->sum = sum;
}

static double sweep_value(const sweep *s)
{
    const tally *a = &s->all;
    switch (s->metric) {
    case BS_METRIC_micro_f1:
        return bs_count_f1(a->tp, a->pred - a->tp, a->gold - a->tp, s->p->label_f1_empty);
    case BS_METRIC_hamming_loss: return (a->pred + a->gold - 2 * a->tp) / ((double)s->rows * s->L);
    case BS_METRIC_macro_f1: return (s->sum + s->lost) / s->L;
    default: return (s->sum + s->lost) / s->rows;
    }
}

static void switch_on(sweep *s, uint32_t cell, bool gold)
{
    const double tp = gold;
    s->all.pred++;
    s->all.tp += tp;
    if (s->metric == BS_METRIC_micro_f1 || s->metric == BS_METRIC_hamming_loss)
        return;
    const bool by_label = s->metric == BS_METRIC_macro_f1;
    tally     *t = by_label ? &s->label[cell % (uint32_t)s->L] : &s->row[cell / (uint32_t)s->L];
    double     before = by_label ? label_value(s, t) : row_value(s, t);
    t->pred++;
    t->tp += tp;
    change(s, (by_label ? label_value(s, t) : row_value(s, t)) - before);
}

/* Makes keys of the rows that count, with cell number and gold bit below the score; returns how
 * many. */
static size_t collect(sweep *s, const bs_csr *gold, const float *scores, uint64_t *key)
{
    const size_t L = (size_t)s->L;
    size_t       n = 0;
    for (int32_t from = 0; from < gold->rows; from++) {
        tally  *row = &s->row[s->rows];
        int32_t i = gold->start[from];
        for (size_t l = 0; l < L; l++) {
            while (i < gold->start[from + 1] && (size_t)gold->index[i] < l)
                i++;
            const bool on = i < gold->start[from + 1] && (size_t)gold->index[i] == l &&
                            (!gold->value || gold->value[i] != 0);
            row->gold += on;
            const uint32_t cell = (uint32_t)((size_t)s->rows * L + l);
            key[n + l] = bs_score_key(scores[(size_t)from * L + l], cell << 1 | on);
            s->label[l].gold += on;
        }
        if (row->gold == 0 && s->p->drop_empty)
            continue;
        s->all.gold += row->gold;
        n += L;
        s->rows++;
    }
    return n;
}

static void start_values(sweep *s)
{
    if (s->metric == BS_METRIC_macro_f1)
        for (int32_t l = 0; l < s->L; l++)
            change(s, label_value(s, &s->label[l]));
    else
        for (int32_t row = 0; row < s->rows; row++)
            change(s, row_value(s, &s->row[row]));
}

/* Walks down the sorted scores and keeps the best threshold. */
static void find_cut(sweep *s, const uint64_t *key, size_t n, float *best_at, double *best)
{
    const double sign = bs_metric_table[s->metric].higher ? 1 : -1;
    *best_at = between(bs_key_score(key[0]), INFINITY, usual);
    *best = sweep_value(s);
    for (size_t i = 0; i < n; i++) {
        const uint32_t tag = (uint32_t)key[i];
        switch_on(s, tag >> 1, tag & 1);
        if (i + 1 < n && key[i + 1] >> 32 == key[i] >> 32)
            continue;
        const double gain = sign * (sweep_value(s) - *best);
        if (gain < -same)
            continue;
        const float below = i + 1 < n ? bs_key_score(key[i + 1]) : -INFINITY;
        const float at = between(below, bs_key_score(key[i]), usual);
        if (gain > same || fabsf(at - usual) < fabsf(*best_at - usual)) {
            *best_at = at;
            *best = sweep_value(s);
        }
    }
}

basin_status bs_threshold_tune(const bs_csr *gold, const float *scores, int metric, int profile,
                               bs_threshold *out, double *value, basin_error *err)
{
    *out = bs_threshold_fixed(usual);
    if (metric < 0 || metric >= BS_METRIC_COUNT || !bs_metric_table[metric].decided)
        return bs_fail(err, BASIN_EARG, "%s does not depend on a threshold; tune for example_f1",
                       metric >= 0 && metric < BS_METRIC_COUNT ? bs_metric_table[metric].name
                                                               : "this metric");
    if (profile < 0 || profile >= BS_PROFILE_COUNT)
        return bs_fail(err, BASIN_EARG, "metric profile %d does not exist", profile);
    basin_status status = check_both(gold, scores, err);
    if (status)
        return status;
    const size_t cells = (size_t)gold->rows * (size_t)gold->cols;
    sweep        s = {.metric = metric, .p = &bs_profile_table[profile], .L = gold->cols};
    bs_arena     room = {0};
    s.row = bs_arena_alloc(&room, (size_t)gold->rows * sizeof *s.row);
    s.label = bs_arena_alloc(&room, (size_t)gold->cols * sizeof *s.label);
    uint64_t *key = bs_arena_alloc(&room, cells * sizeof *key);
    uint64_t *spare = bs_arena_alloc(&room, cells * sizeof *spare);
    double    best = NAN;
    if (!s.row || !s.label || !key || !spare) {
        status = bs_fail_nomem(err);
    } else {
        const size_t n = collect(&s, gold, scores, key);
        bs_score_sort(key, n, spare);
        start_values(&s);
        out->kind = BS_THRESHOLD_GLOBAL;
        if (n)
            find_cut(&s, key, n, &out->global, &best);
        if (value)
            *value = best;
    }
    bs_arena_free(&room);
    return status;
}

/* ---- per label ---- */

/* The threshold with the best F1 among n sorted scores with the gold bit below them. */
static float best_f1_cut(const uint64_t *key, size_t n, double positives, float global)
{
    double best = -1, tp = 0;
    float  best_at = global;
    for (size_t i = 0; i < n; i++) {
        tp += (double)(key[i] & 1);
        if (i + 1 < n && key[i + 1] >> 32 == key[i] >> 32)
            continue;
        const double f1 = 2 * tp / ((double)(i + 1) + positives);
        if (f1 < best - same)
            continue;
        const float below = i + 1 < n ? bs_key_score(key[i + 1]) : -INFINITY;
        const float at = between(below, bs_key_score(key[i]), global);
        if (f1 > best + same || fabsf(at - global) < fabsf(best_at - global)) {
            best = f1;
            best_at = at;
        }
    }
    return best_at;
}

/* Gold as one byte per cell: a column is then as easy to read as a row. */
static uint8_t *dense_gold(const bs_csr *gold)
{
    uint8_t *on = bs_calloc((size_t)gold->rows, (size_t)gold->cols);
    for (int32_t row = 0; on && row < gold->rows; row++)
        for (int32_t i = gold->start[row]; i < gold->start[row + 1]; i++)
            on[(size_t)row * (size_t)gold->cols + (size_t)gold->index[i]] =
                !gold->value || gold->value[i] != 0;
    return on;
}

static bool row_counts(const bs_csr *gold, const bs_profile *p, const uint8_t *on, int32_t row)
{
    const size_t L = (size_t)gold->cols;
    return !p->drop_empty || memchr(on + (size_t)row * L, 1, L);
}

enum { COLUMNS = 16 }; /* read together: a cache line of scores */

static void tune_columns(const bs_csr *gold, const float *scores, const bs_profile *p,
                         const uint8_t *on, double strength, uint64_t *key, uint64_t *spare,
                         bs_threshold *t)
{
    const size_t L = (size_t)gold->cols, rows = (size_t)gold->rows;
    for (size_t first = 0; first < L; first += COLUMNS) {
        const size_t wide = L - first < COLUMNS ? L - first : COLUMNS;
        size_t       n = 0;
        double       positives[COLUMNS] = {0};
        for (int32_t row = 0; row < gold->rows; row++) {
            if (!row_counts(gold, p, on, row))
                continue;
            for (size_t c = 0; c < wide; c++) {
                const size_t at = (size_t)row * L + first + c;
                key[c * rows + n] = bs_score_key(scores[at], on[at]);
                positives[c] += on[at];
            }
            n++;
        }
        for (size_t c = 0; c < wide; c++) {
            t->per_label[first + c] = t->global;
            if (positives[c] == 0)
                continue;
            bs_score_sort(key + c * rows, n, spare);
            const double best = (double)best_f1_cut(key + c * rows, n, positives[c], t->global);
            const double trust = positives[c] / (positives[c] + strength);
            t->per_label[first + c] =
                (float)((double)t->global + trust * (best - (double)t->global));
        }
    }
}

basin_status bs_threshold_tune_labels(const bs_csr *gold, const float *scores, int profile,
                                      float global, double strength, bs_threshold *out,
                                      basin_error *err)
{
    *out = bs_threshold_fixed(global);
    if (!(strength >= 0 && strength <= DBL_MAX) || !isfinite(global))
        return bs_fail(err, BASIN_EARG, "shrinkage %g towards %g; must be finite and not negative",
                       strength, (double)global);
    if (profile < 0 || profile >= BS_PROFILE_COUNT)
        return bs_fail(err, BASIN_EARG, "metric profile %d does not exist", profile);
    basin_status status = check_both(gold, scores, err);
    if (status)
        return status;
    const size_t rows = (size_t)gold->rows;
    bs_threshold t = {.kind = BS_THRESHOLD_LABEL, .global = global, .labels = gold->cols};
    uint8_t     *on = dense_gold(gold);
    uint64_t    *key = bs_calloc(rows, COLUMNS * sizeof *key);
    uint64_t    *spare = bs_calloc(rows, sizeof *spare);
    t.per_label = bs_calloc((size_t)gold->cols, sizeof *t.per_label);
    if (on && key && spare && t.per_label) {
        tune_columns(gold, scores, &bs_profile_table[profile], on, strength, key, spare, &t);
        *out = t;
    } else {
        bs_threshold_free(&t);
        status = bs_fail_nomem(err);
    }
    bs_free(on);
    bs_free(key);
    bs_free(spare);
    return status;
}

/* ---- as many labels as in training ---- */

basin_status bs_threshold_cut(const float *scores, int32_t rows, int32_t L, double cardinality,
                              bs_threshold *out, basin_error *err)
{
    *out = bs_threshold_fixed(usual);
    if (!(cardinality >= 0 && cardinality <= L))
        return bs_fail(err, BASIN_EARG, "%g labels per row; there are %d labels", cardinality, L);
    basin_status status = check(rows, L, scores, err);
    if (status)
        return status;
    const size_t n = (size_t)rows * (size_t)L;
    uint64_t    *key = bs_calloc(2 * n, sizeof *key);
    if (!key)
        return bs_fail_nomem(err);
    for (size_t i = 0; i < n; i++)
        key[i] = bs_score_key(scores[i], 0);
    bs_score_sort(key, n, key + n);

    const double target = cardinality * rows;
    double       miss = target;
    float        at = between(bs_key_score(key[0]), INFINITY, usual);
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && key[i + 1] == key[i])
            continue;
        const double here = fabs((double)(i + 1) - target);
        if (here >= miss)
            continue;
        miss = here;
        at = between(i + 1 < n ? bs_key_score(key[i + 1]) : -INFINITY, bs_key_score(key[i]), usual);
    }
    bs_free(key);
    *out = (bs_threshold){.kind = BS_THRESHOLD_CARDINALITY, .global = at};
    return BASIN_OK;
}
