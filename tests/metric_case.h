/* metric_case.h -- small matrices for tests of metrics and thresholds. */
#ifndef TESTS_METRIC_CASE_H
#define TESTS_METRIC_CASE_H

#include "tests/check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "data/metric.h"

enum { CASE_ROWS = 64, CASE_LABELS = 48, CASE_CELLS = CASE_ROWS * CASE_LABELS };

/* Gold and decisions as bytes, scores as floats, all [rows, L]; gold also as sparse rows. */
typedef struct {
    int32_t rows, L;
    uint8_t gold[CASE_CELLS], on[CASE_CELLS];
    float   scores[CASE_CELLS];
    int32_t start[CASE_ROWS + 1], index[CASE_CELLS];
} metric_case;

static inline bs_csr case_gold(metric_case *c)
{
    int32_t n = 0;
    for (int32_t row = 0; row < c->rows; row++) {
        c->start[row] = n;
        for (int32_t l = 0; l < c->L; l++)
            if (c->gold[row * c->L + l])
                c->index[n++] = l;
    }
    c->start[c->rows] = n;
    return (bs_csr){.rows = c->rows, .cols = c->L, .start = c->start, .index = c->index};
}

/* Fills a case from strings of 0 and 1, rows separated by a blank. */
static inline void case_bits(const char *text, int32_t *rows, int32_t *L, uint8_t *to)
{
    int32_t n = 0, row = 1;
    for (const char *p = text; *p; p++) {
        if (*p == ' ')
            row++;
        else
            to[n++] = *p == '1';
    }
    *rows = row;
    *L = n / row;
}

static inline metric_case case_make(const char *gold, const char *on, const float *scores)
{
    metric_case c = {0};
    case_bits(gold, &c.rows, &c.L, c.gold);
    int32_t rows, L;
    if (on) {
        case_bits(on, &rows, &L, c.on);
        assert_int_equal(rows, c.rows);
        assert_int_equal(L, c.L);
    }
    for (int32_t i = 0; scores && i < c.rows * c.L; i++)
        c.scores[i] = scores[i];
    return c;
}

/* A random case; `digits` rounds the scores, so that there are ties. */
static inline metric_case case_random(uint64_t seed, int32_t rows, int32_t L, double density,
                                      int digits)
{
    metric_case  c = {.rows = rows, .L = L};
    bs_rng       r = bs_rng_make(seed, 0, 77);
    const double unit = pow(10, digits);
    for (int32_t i = 0; i < rows * L; i++) {
        c.gold[i] = (uint8_t)bs_rng_bernoulli(&r, density);
        double s = 0.3 * c.gold[i] + 0.7 * bs_rng_uniform(&r);
        c.scores[i] = (float)(round(s * unit) / unit);
        c.on[i] = (uint8_t)(c.scores[i] >= 0.5f);
    }
    return c;
}

/* All metrics of the case and its decisions, in batches of `batch` rows. */
static inline bs_metrics *case_metrics(metric_case *c, bs_metric_options o, int32_t batch)
{
    bs_metrics *m = NULL;
    basin_error err = {0};
    bs_csr      gold = case_gold(c);
    assert_int_equal(bs_metrics_new(&o, c->L, &m, &err), BASIN_OK);
    for (int32_t row = 0; row < c->rows; row += batch) {
        bs_csr part = gold;
        part.start += row;
        part.rows = c->rows - row < batch ? c->rows - row : batch;
        assert_int_equal(
            bs_metrics_add(m, &part, c->scores + row * c->L, NULL, c->on + row * c->L, &err),
            BASIN_OK);
    }
    return m;
}

/* As an evaluation computes them: bounds stay within the range of the metric. */
static inline basin_status case_intervals(bs_metrics *m, uint64_t seed, int replicates,
                                          double level, bs_interval out[BS_METRIC_COUNT],
                                          basin_error *err)
{
    bs_sampled   source;
    basin_status s = bs_metrics_sampled(m, &source, err);
    if (!s)
        s = bs_bootstrap(&source, seed, replicates, level, out, err);
    for (int i = 0; i < BS_METRIC_COUNT && !s; i++) {
        if (isnan(out[i].value))
            continue;
        out[i].lo = fmax(out[i].lo, bs_metric_table[i].least);
        out[i].hi = fmin(out[i].hi, bs_metric_table[i].greatest);
    }
    return s;
}

static inline void case_values(metric_case *c, bs_profile_id profile, double *out)
{
    bs_metrics *m = case_metrics(c, (bs_metric_options){.profile = profile}, 2);
    assert_int_equal(bs_metrics_finish(m, out, NULL), BASIN_OK);
    bs_metrics_free(m);
}

#define ASSERT_NEAR(got, want, limit)                                           \
    do {                                                                        \
        double got_ = (got), want_ = (want);                                    \
        if (!(fabs(got_ - want_) <= (limit)) && !(isnan(got_) && isnan(want_))) \
            fail_msg("%s is %.12g, expected %.12g", #got, got_, want_);         \
    } while (0)

#endif
