/* test_metric_stats.c -- intervals and tests by resampling, against doing it the slow way. */
#include "metric_case.h"

enum { STREAM_ROWS = 0x626f6f74 }; /* of stats.c; changing it changes every interval */

static void simple_statistics(void **state)
{
    (void)state;
    const double x[] = {1, 2, 4, 9};
    ASSERT_NEAR(bs_stats_mean(x, 4), 4, 0);
    ASSERT_NEAR(bs_stats_sd(x, 4), sqrt(38.0 / 3), 1e-15);
    ASSERT_NEAR(bs_stats_sd(x, 1), 0, 0);
    assert_true(isnan(bs_stats_mean(x, 0)) && isnan(bs_stats_sd(x, 0)));
    ASSERT_NEAR(bs_stats_quantile(x, 4, 0), 1, 0);
    ASSERT_NEAR(bs_stats_quantile(x, 4, 1), 9, 0);
    ASSERT_NEAR(bs_stats_quantile(x, 4, .5), 3, 0);
    ASSERT_NEAR(bs_stats_quantile(x, 4, .9), 4 + .7 * 5, 1e-15);
    assert_true(isnan(bs_stats_quantile(x, 0, .5)));
}

/* The rows that replicate 0 of this seed draws, written out. */
static metric_case resampled(const metric_case *c, uint64_t seed)
{
    metric_case d = {.rows = c->rows, .L = c->L};
    bs_rng      r = bs_rng_make(seed, 0, STREAM_ROWS);
    for (int32_t row = 0; row < c->rows; row++) {
        const int32_t from = (int32_t)bs_rng_below(&r, (uint32_t)c->rows) * c->L;
        for (int32_t l = 0; l < c->L; l++) {
            d.gold[row * c->L + l] = c->gold[from + l];
            d.on[row * c->L + l] = c->on[from + l];
            d.scores[row * c->L + l] = c->scores[from + l];
        }
    }
    return d;
}

/* With one replicate, value + bias is what it gave. */
static void a_replicate_is_an_evaluation_of_drawn_rows(void **state)
{
    (void)state;
    static const bs_profile_id profiles[] = {BS_PROFILE_SKLEARN, BS_PROFILE_MEKA, BS_PROFILE_SEAL};
    for (uint64_t seed = 1; seed < 30; seed++) {
        for (int p = 0; p < 3; p++) {
            metric_case c = case_random(seed, 30, 12, .15, 1);
            for (int32_t row = 0; row < 30; row++)
                c.gold[row * 12 + row % 12] = 1; /* seal leaves no row out before drawing */
            bs_metric_options o = {.profile = profiles[p], .keep_rows = true};
            bs_metrics       *m = case_metrics(&c, o, 4);
            bs_interval       got[BS_METRIC_COUNT];
            double            want[BS_METRIC_COUNT], value[BS_METRIC_COUNT];
            assert_int_equal(bs_metrics_finish(m, value, NULL), BASIN_OK);
            assert_int_equal(case_intervals(m, seed, 1, .95, got, NULL), BASIN_OK);
            metric_case d = resampled(&c, seed);
            case_values(&d, profiles[p], want);
            for (int i = 0; i < BS_METRIC_COUNT; i++) {
                ASSERT_NEAR(got[i].value, value[i], 1e-12);
                ASSERT_NEAR(got[i].value + got[i].bias, want[i], 1e-12);
                ASSERT_NEAR(got[i].lo, value[i], 1e-12);
                ASSERT_NEAR(got[i].hi, value[i], 1e-12);
            }
            bs_metrics_free(m);
        }
    }
}

static void intervals_repeat_and_make_sense(void **state)
{
    (void)state;
    metric_case       c = case_random(2, 64, 20, .2, 3);
    bs_metric_options o = {.keep_rows = true};
    bs_metrics       *m = case_metrics(&c, o, 9);
    bs_interval       a[BS_METRIC_COUNT], b[BS_METRIC_COUNT], other[BS_METRIC_COUNT];
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    assert_int_equal(case_intervals(m, 7, 500, .95, a, NULL), BASIN_OK);
    assert_int_equal(case_intervals(m, 7, 500, .95, b, NULL), BASIN_OK);
    assert_memory_equal(a, b, sizeof a);
    assert_int_equal(case_intervals(m, 8, 500, .95, other, NULL), BASIN_OK);
    assert_true(a[0].lo != other[0].lo);
    for (int i = 0; i < BS_METRIC_COUNT; i++)
        assert_true(a[i].lo <= a[i].hi && a[i].sd >= 0);

    /* The standard error of a mean of rows is known: sd of the rows / sqrt(N). */
    double f1[64];
    for (int32_t row = 0; row < 64; row++) {
        metric_case one = {.rows = 1, .L = 20};
        memcpy(one.gold, c.gold + row * 20, 20);
        memcpy(one.on, c.on + row * 20, 20);
        double v[BS_METRIC_COUNT];
        case_values(&one, BS_PROFILE_SKLEARN, v);
        f1[row] = v[BS_METRIC_example_f1];
    }
    const double se = bs_stats_sd(f1, 64) / 8;
    assert_true(fabs(a[BS_METRIC_example_f1].sd / se - 1) < .15);
    assert_true(fabs((a[0].hi - a[0].lo) / (2 * 1.96 * se) - 1) < .2);
    bs_metrics_free(m);
}

/* Each label is on in one row only: in every third replicate it is not there at all. */
static void rare_labels_do_not_push_the_value_out(void **state)
{
    (void)state;
    metric_case c = {.rows = 40, .L = 40};
    for (int32_t i = 0; i < 40; i++) {
        c.gold[i * 40 + i] = 1;
        c.on[i * 40 + i] = i % 2 == 0;
        c.scores[i * 40 + i] = 1;
    }
    bs_metrics *m = case_metrics(&c, (bs_metric_options){.keep_rows = true}, 40);
    bs_interval out[BS_METRIC_COUNT];
    assert_int_equal(case_intervals(m, 1, 300, .95, out, NULL), BASIN_OK);
    assert_true(out[BS_METRIC_macro_f1].bias < -.1);
    assert_true(out[BS_METRIC_macro_f1].lo < .5 && out[BS_METRIC_macro_f1].hi > .5);
    ASSERT_NEAR(out[BS_METRIC_map_label].value, 1, 1e-15);
    assert_true(out[BS_METRIC_map_label].hi <= 1 && out[BS_METRIC_map_label].lo < 1);
    bs_metrics_free(m);
}

/* System b of the case repairs every n-th row of a. */
static void repair(const metric_case *a, metric_case *b, int every)
{
    *b = *a;
    for (int32_t row = 0; row < a->rows; row += every)
        for (int32_t i = row * a->L; i < (row + 1) * a->L; i++) {
            b->on[i] = a->gold[i];
            b->scores[i] = a->gold[i] ? .9f : .1f;
        }
}

static void pairs_are_judged(void **state)
{
    (void)state;
    metric_case       a = case_random(6, 60, 15, .2, 2), b, c = a;
    bs_metric_options o = {.keep_rows = true};
    repair(&a, &b, 3);
    bs_metrics *ma = case_metrics(&a, o, 60), *mb = case_metrics(&b, o, 60),
               *mc = case_metrics(&c, o, 60);
    bs_sampled sa, sb, sc;
    bs_paired  out[BS_METRIC_COUNT];
    assert_int_equal(bs_metrics_sampled(ma, &sa, NULL), BASIN_OK);
    assert_int_equal(bs_metrics_sampled(mb, &sb, NULL), BASIN_OK);
    assert_int_equal(bs_metrics_sampled(mc, &sc, NULL), BASIN_OK);

    assert_int_equal(bs_paired_bootstrap(&sa, &sb, 1, 400, .95, out, NULL), BASIN_OK);
    assert_true(out[BS_METRIC_example_f1].lo > 0 && out[BS_METRIC_example_f1].p < .01);
    assert_true(out[BS_METRIC_map_label].lo > 0 && out[BS_METRIC_map_label].p < .01);
    assert_true(out[BS_METRIC_hamming_loss].hi < 0 && out[BS_METRIC_hamming_loss].p < .01);
    assert_true(out[BS_METRIC_example_f1].p > 0);

    assert_int_equal(bs_randomisation(&sa, &sb, 1, 400, out, NULL), BASIN_OK);
    assert_true(out[BS_METRIC_example_f1].p < .01 && out[BS_METRIC_macro_f1].p < .01);
    assert_true(isnan(out[BS_METRIC_map_label].p));
    sb.fixed = 0; /* one of the two is enough */
    assert_int_equal(bs_randomisation(&sa, &sb, 1, 20, out, NULL), BASIN_OK);
    assert_true(isnan(out[BS_METRIC_map_label].p) && !isnan(out[BS_METRIC_macro_f1].p));
    ASSERT_NEAR(out[BS_METRIC_map_label].difference,
                out[BS_METRIC_map_label].b - out[BS_METRIC_map_label].a, 0);

    /* The same predictions twice: nothing to see. */
    assert_int_equal(bs_paired_bootstrap(&sa, &sc, 1, 100, .95, out, NULL), BASIN_OK);
    for (int i = 0; i < BS_METRIC_COUNT; i++)
        assert_true(out[i].lo == 0 && out[i].hi == 0 && out[i].p == 1);
    assert_int_equal(bs_randomisation(&sa, &sc, 1, 100, out, NULL), BASIN_OK);
    ASSERT_NEAR(out[BS_METRIC_micro_f1].p, 1, 0);
    bs_metrics_free(ma);
    bs_metrics_free(mb);
    bs_metrics_free(mc);
}

/* All 2^10 ways in which ten rows can change sides, for the mean of a column. */
static double exact_p(const double *a, const double *b)
{
    double seen = 0, far = 0;
    for (int i = 0; i < 10; i++)
        seen += b[i] - a[i];
    for (int ways = 0; ways < 1024; ways++) {
        double d = 0;
        for (int i = 0; i < 10; i++)
            d += ways >> i & 1 ? a[i] - b[i] : b[i] - a[i];
        far += fabs(d) >= fabs(seen) - 1e-12;
    }
    return far / 1024;
}

static void add_column(const void *self, const float *weight, double *sums)
{
    bs_sampled_dense(self, 10, 1, weight, sums);
}

static void mean_of_ten(const void *self, const double *sums, double *out)
{
    (void)self;
    *out = sums[0] / 10;
}

static void randomisation_approaches_the_exact_test(void **state)
{
    (void)state;
    bs_rng r = bs_rng_make(1, 0, 0);
    for (int turn = 0; turn < 5; turn++) {
        double a[10], b[10];
        for (int i = 0; i < 10; i++) {
            a[i] = bs_rng_normal(&r);
            b[i] = bs_rng_normal(&r) + .3 * turn;
        }
        bs_sampled x = {.self = a,
                        .rows = 10,
                        .width = 1,
                        .values = 1,
                        .add = add_column,
                        .value = mean_of_ten};
        bs_sampled y = x;
        y.self = b;
        bs_paired out;
        assert_int_equal(bs_randomisation(&x, &y, 3, 20000, &out, NULL), BASIN_OK);
        ASSERT_NEAR(out.p, exact_p(a, b), .015);
    }
}

/* Rows that are all alike leave the trainings alone: the deviation of a mean of n is that of one
 * divided by sqrt(n), and the interval is as wide as that says. */
static void trainings_are_drawn(void **state)
{
    (void)state;
    enum { MOST = 8, REPLICATES = 4000 };
    static double column[2][MOST][10];
    bs_sampled    part[2][MOST];
    bs_paired     out[1], rows[1];
    const double  x[2][MOST] = {{5, 6, 7, 4, 5, 8, 3, 6}, {6, 9, 7, 8, 6, 7, 9, 8}};
    for (int i = 0; i < 2 * MOST; i++) {
        double *c = column[i / MOST][i % MOST];
        for (int k = 0; k < 10; k++)
            c[k] = x[i / MOST][i % MOST];
        part[i / MOST][i % MOST] = (bs_sampled){.self = c,
                                                .rows = 10,
                                                .width = 1,
                                                .values = 1,
                                                .add = add_column,
                                                .value = mean_of_ten};
    }
    for (int n = 2; n <= MOST; n += 6) {
        const bs_sampled_set a = {part[0], n}, b = {part[1], MOST};
        assert_int_equal(bs_paired_seeds(&a, &b, 3, REPLICATES, .95, out, NULL), BASIN_OK);
        const double sa = bs_stats_sd(x[0], n), sb = bs_stats_sd(x[1], MOST);
        const double sd = sqrt(sa * sa / n + sb * sb / MOST);
        ASSERT_NEAR(out->difference, bs_stats_mean(x[1], MOST) - bs_stats_mean(x[0], n), 1e-9);
        ASSERT_NEAR((out->hi - out->lo) / (2 * 1.96 * sd), 1, n == 2 ? .3 : .06);
    }
    /* one of each: other rows are all that there is, as without seeds */
    const bs_sampled_set a = {part[0], 1}, b = {part[1], 1};
    for (int k = 0; k < 10; k++)
        column[1][0][k] = k % 3 ? 9 : 3;
    assert_int_equal(bs_paired_seeds(&a, &b, 3, 200, .95, out, NULL), BASIN_OK);
    assert_int_equal(bs_paired_bootstrap(part[0], part[1], 3, 200, .95, rows, NULL), BASIN_OK);
    assert_memory_equal(out, rows, sizeof rows);
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    metric_case c = case_random(1, 8, 4, .3, 1), d = case_random(1, 7, 4, .3, 1);
    basin_error err;
    bs_interval out[BS_METRIC_COUNT];
    bs_paired   pair[BS_METRIC_COUNT];
    bs_sampled  sc, sd;
    bs_metrics *m = case_metrics(&c, (bs_metric_options){0}, 8);
    assert_int_equal(case_intervals(m, 1, 10, .9, out, &err), BASIN_EARG);
    assert_string_equal(err.msg, "resampling needs metrics made with keep_rows");
    bs_metrics_free(m);

    m = case_metrics(&c, (bs_metric_options){.keep_rows = true}, 8);
    bs_metrics *n = case_metrics(&d, (bs_metric_options){.keep_rows = true}, 8);
    assert_int_equal(bs_metrics_sampled(m, &sc, NULL), BASIN_OK);
    assert_int_equal(bs_metrics_sampled(n, &sd, NULL), BASIN_OK);
    assert_int_equal(bs_paired_bootstrap(&sc, &sd, 1, 10, .9, pair, &err), BASIN_EARG);
    assert_int_equal(bs_randomisation(&sc, &sd, 1, 10, pair, &err), BASIN_EARG);
    assert_int_equal(bs_bootstrap(&sc, 1, 10, 1, out, &err), BASIN_EARG);
    assert_int_equal(bs_bootstrap(&sc, 1, 0, .9, out, &err), BASIN_EARG);
    bs_metrics_clear(m);
    assert_int_equal(case_intervals(m, 1, 10, .9, out, &err), BASIN_EARG);
    assert_string_equal(err.msg, "there are no rows to resample");
    bs_metrics_free(m);
    bs_metrics_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_statistics),
        cmocka_unit_test(a_replicate_is_an_evaluation_of_drawn_rows),
        cmocka_unit_test(intervals_repeat_and_make_sense),
        cmocka_unit_test(rare_labels_do_not_push_the_value_out),
        cmocka_unit_test(pairs_are_judged),
        cmocka_unit_test(randomisation_approaches_the_exact_test),
        cmocka_unit_test(trainings_are_drawn),
        cmocka_unit_test(bad_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
