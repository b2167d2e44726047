/* test_metric_edges.c -- each convention of each profile, ties, empty things, refused input. */
#include "metric_case.h"

/* What a case with this gold, these decisions and scores gives under all four profiles. */
typedef struct {
    const char *what, *gold, *on;
    float       scores[8];
    int         metric;
    double      want[BS_PROFILE_COUNT]; /* sklearn, mulan, meka, seal */
} edge;

#define M(key) BS_METRIC_##key
static const edge edges[] = {
    {"both empty", "00", "00", {0}, M(example_f1), {0, 1, 0, NAN}},
    {"both empty", "00", "00", {0}, M(micro_f1), {0, 1, 0, NAN}},
    {"both empty", "00", "00", {0}, M(macro_f1), {0, 1, 0, NAN}},
    {"both empty", "00", "00", {0}, M(jaccard), {0, 1, 1, NAN}},
    {"both empty", "00", "00", {0}, M(subset_accuracy), {1, 1, 1, NAN}},
    {"both empty", "00", "00", {0}, M(hamming_loss), {0, 0, 0, NAN}},
    {"no gold", "00", "10", {0}, M(example_f1), {0, 0, 0, NAN}},
    {"no gold", "00", "10", {0}, M(jaccard), {0, 0, 0, NAN}},
    {"no prediction", "10", "00", {0}, M(example_f1), {0, 0, 0, 0}},
    {"an absent label", "10", "10", {0}, M(macro_f1), {.5, 1, .5, .5}},
    {"an empty row beside a right one", "00 10", "00 10", {0}, M(example_f1), {.5, 1, .5, 1}},

    /* The first label is right, and all scores are equal. */
    {"ties", "100", "000", {1, 1, 1}, M(lrap), {1. / 3, 1. / 3, 1. / 3, 1. / 3}},
    {"ties", "001", "000", {1, 1, 1}, M(lrap), {1. / 3, 1, 1. / 3, 1. / 3}},
    {"ties", "100", "000", {1, 1, 1}, M(ranking_loss), {1, 1, 1, 1}},
    {"ties", "010", "000", {1, 1, 1}, M(ranking_loss), {1, .5, .5, 1}},
    {"ties", "001", "000", {1, 1, 1}, M(ranking_loss), {1, 0, 0, 1}},
    {"ties", "100", "000", {1, 1, 1}, M(coverage), {3, 2, 3, 3}},
    {"ties", "001", "000", {1, 1, 1}, M(coverage), {3, 0, 3, 3}},
    {"ties", "100", "000", {1, 1, 1}, M(one_error), {0, 1, 0, 0}},
    {"ties", "001", "000", {1, 1, 1}, M(one_error), {1, 0, 1, 1}},
    {"ties", "100", "000", {1, 1, 1}, M(p_at_1), {1, 0, 1, 1}},
    {"ties below", "0100", "0000", {1, .5f, .5f, .5f}, M(p_at_3), {1. / 3, 0, 1. / 3, 1. / 3}},
    {"minus zero is zero", "10", "00", {0, -0.f}, M(ranking_loss), {1, 1, 1, 1}},

    {"no gold", "000", "000", {.3f, .2f, .1f}, M(lrap), {1, NAN, 1, NAN}},
    {"no gold", "000", "000", {.3f, .2f, .1f}, M(map_example), {0, NAN, 0, NAN}},
    {"no gold", "000", "000", {.3f, .2f, .1f}, M(map_label), {0, NAN, 0, NAN}},
    {"no gold", "000", "000", {.3f, .2f, .1f}, M(ranking_loss), {0, 0, 0, NAN}},
    {"no gold", "000", "000", {.3f, .2f, .1f}, M(coverage), {0, 0, 0, NAN}},
    {"no gold", "000", "000", {.3f, .2f, .1f}, M(one_error), {1, 1, 1, NAN}},
    {"no gold", "000", "000", {.3f, .2f, .1f}, M(p_at_1), {0, 0, 0, NAN}},
    {"all gold", "111", "000", {.3f, .2f, .1f}, M(lrap), {1, 1, 1, 1}},
    {"all gold", "111", "000", {.3f, .2f, .1f}, M(ranking_loss), {0, 0, 0, 0}},
    {"all gold", "111", "000", {.3f, .2f, .1f}, M(coverage), {3, 2, 3, 3}},
    {"an empty row", "00 10", "00 00", {.2f, .1f, .2f, .1f}, M(lrap), {1, 1, 1, 1}},
    {"an empty row", "00 01", "00 00", {.2f, .1f, .2f, .1f}, M(lrap), {.75, .5, .75, .5}},
    {"an empty row", "00 10", "00 00", {.2f, .1f, .2f, .1f}, M(map_example), {.5, 1, .5, 1}},
    {"P@5 of two labels", "11", "00", {1, 1}, M(p_at_5), {.4, .4, .4, .4}},

    /* Two rows tie on the first label, which is on in the second; the other never is. */
    {"tied rows", "00 10", "00 00", {1, 0, 1, 0}, M(map_label), {.25, .5, .25, .5}},
    {"tied rows", "10 00", "00 00", {1, 0, 1, 0}, M(map_label), {.25, 1, .25, .5}},
};

static void conventions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        const edge *e = &edges[i];
        for (int p = 0; p < BS_PROFILE_COUNT; p++) {
            metric_case c = case_make(e->gold, e->on, NULL);
            double      v[BS_METRIC_COUNT];
            memcpy(c.scores, e->scores, sizeof e->scores);
            case_values(&c, (bs_profile_id)p, v);
            const double got = v[e->metric], want = e->want[p];
            if (!(fabs(got - want) < 1e-15) && !(isnan(got) && isnan(want)))
                fail_msg("%s, %s, gold %s: %s is %g, expected %g", bs_profile_name(p), e->what,
                         e->gold, bs_metric_table[e->metric].name, got, want);
        }
    }
}

/* In the seal column of "tied rows" above the empty row is gone; here is where it went. */
static void dropped_rows_are_counted(void **state)
{
    (void)state;
    metric_case      c = case_make("00 10 00", "00 00 11", NULL);
    bs_metrics      *m = case_metrics(&c, (bs_metric_options){.profile = BS_PROFILE_SEAL}, 1);
    bs_metric_counts n = bs_metrics_counts(m);
    assert_int_equal(n.rows, 1);
    assert_int_equal(n.dropped, 2);
    assert_int_equal(n.empty_gold, 2);
    assert_int_equal(n.empty_pred, 1);
    bs_metrics_free(m);

    m = case_metrics(&c, (bs_metric_options){0}, 1);
    n = bs_metrics_counts(m);
    assert_int_equal(n.rows, 3);
    assert_int_equal(n.dropped, 0);
    assert_int_equal(n.empty_pred, 2);
    ASSERT_NEAR(n.gold, 1, 0);
    ASSERT_NEAR(n.pred, 2, 0);
    bs_metrics_free(m);
}

static void log_loss_conventions(void **state)
{
    (void)state;
    static const float scores[] = {0, 1, .25f, 1};
    metric_case        c = case_make("1001", "0000", scores);
    const double       f = 1.1920928955078125e-7, quarter = -log(.75);
    double             v[BS_METRIC_COUNT];
    case_values(&c, BS_PROFILE_SKLEARN, v);
    ASSERT_NEAR(v[BS_METRIC_log_loss], (-2 * log(f) + quarter - log(1 - f)) / 4, 1e-12);
    case_values(&c, BS_PROFILE_MULAN, v);
    ASSERT_NEAR(v[BS_METRIC_log_loss], -2 * log(1e-8) + quarter - log(1 - 1e-8), 1e-7);
    case_values(&c, BS_PROFILE_MEKA, v);
    ASSERT_NEAR(v[BS_METRIC_log_loss], (2 * log(4) + quarter) / 4, 1e-12);
}

static void calibration_bins(void **state)
{
    (void)state;
    /* 1/15 belongs to the first bin, a little more to the second: no error cancels another. */
    const float edge15 = (float)(1.0 / 15);
    const float scores[] = {0, edge15, nextafterf(edge15, 1), 1};
    metric_case c = case_make("1001", "0000", scores);
    double      v[BS_METRIC_COUNT];
    case_values(&c, BS_PROFILE_SKLEARN, v);
    ASSERT_NEAR(v[BS_METRIC_ece], (1 - 1.0 / 15 + 1.0 / 15) / 4, 1e-7);
    /* Scores outside [0, 1] are moved to its ends. */
    c.scores[3] = 7;
    c.scores[0] = -3;
    case_values(&c, BS_PROFILE_SKLEARN, v);
    ASSERT_NEAR(v[BS_METRIC_ece], (1 - 1.0 / 15 + 1.0 / 15) / 4, 1e-7);
    assert_true(isfinite(v[BS_METRIC_log_loss]));
}

static void what_is_missing_is_nan(void **state)
{
    (void)state;
    metric_case c = case_make("10 01", "10 11", NULL);
    bs_csr      gold = case_gold(&c);
    bs_metrics *m;
    double      v[BS_METRIC_COUNT];
    assert_int_equal(bs_metrics_new(&(bs_metric_options){0}, 2, &m, NULL), BASIN_OK);
    assert_int_equal(bs_metrics_finish(m, v, NULL), BASIN_OK);
    for (int i = 0; i < BS_METRIC_COUNT; i++)
        assert_true(isnan(v[i])); /* no rows */

    assert_int_equal(bs_metrics_add(m, &gold, NULL, NULL, c.on, NULL), BASIN_OK);
    assert_int_equal(bs_metrics_finish(m, v, NULL), BASIN_OK);
    for (int i = 0; i < BS_METRIC_COUNT; i++)
        assert_int_equal(isnan(v[i]), !bs_metric_table[i].decided);

    bs_metrics_clear(m);
    assert_int_equal(bs_metrics_add(m, &gold, c.scores, NULL, NULL, NULL), BASIN_OK);
    assert_int_equal(bs_metrics_finish(m, v, NULL), BASIN_OK);
    for (int i = 0; i < BS_METRIC_COUNT; i++)
        assert_int_equal(isnan(v[i]), bs_metric_table[i].decided);
    bs_metrics_free(m);

    bs_metric_options o = {.want = BS_METRIC_BIT(micro_f1)};
    m = case_metrics(&c, o, 1);
    assert_int_equal(bs_metrics_finish(m, v, NULL), BASIN_OK);
    for (int i = 0; i < BS_METRIC_COUNT; i++)
        assert_int_equal(isnan(v[i]), i != BS_METRIC_micro_f1);
    bs_metrics_free(m);
}

static void too_many_scores_give_up_map_label_only(void **state)
{
    (void)state;
    metric_case       c = case_random(3, 20, 10, .3, 3);
    bs_metric_options o = {.ap_bytes = 10 * 10 * sizeof(float)};
    bs_metrics       *m = case_metrics(&c, o, 7);
    double            v[BS_METRIC_COUNT];
    bs_label_score    table[10];
    assert_true(bs_metrics_counts(m).ap_gave_up);
    assert_int_equal(bs_metrics_finish(m, v, NULL), BASIN_OK);
    for (int i = 0; i < BS_METRIC_COUNT; i++)
        assert_int_equal(isnan(v[i]), i == BS_METRIC_map_label);
    assert_int_equal(bs_metrics_labels(m, table, NULL), BASIN_OK);
    assert_true(isnan(table[0].ap));
    bs_metrics_free(m);
}

static void refused(bs_metrics *m, const bs_csr *gold, const float *scores, const bs_threshold *t,
                    basin_status want, const char *message)
{
    basin_error err = {0};
    assert_int_equal(bs_metrics_add(m, gold, scores, t, NULL, &err), want);
    assert_string_equal(err.msg, message);
    assert_int_equal(bs_metrics_counts(m).rows, 0);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    basin_error   err;
    bs_metrics   *m;
    const int32_t start[] = {0, 1, 3}, backwards[] = {0, 2, 1}, high[] = {0, 1, 3};
    float         scores[6] = {0};
    bs_csr        gold = {.rows = 2, .cols = 3, .start = start, .index = backwards};
    assert_int_equal(bs_metrics_new(&(bs_metric_options){0}, 3, &m, NULL), BASIN_OK);
    refused(m, &gold, scores, NULL, BASIN_EDATA,
            "row 1: gold label 1 after 2; must increase and be below 3");
    gold.index = high;
    refused(m, &gold, scores, NULL, BASIN_EDATA,
            "row 1: gold label 3 after 1; must increase and be below 3");
    gold.index = (const int32_t[]){0, 1, 2};
    scores[4] = NAN;
    refused(m, &gold, scores, NULL, BASIN_ENUMERIC,
            "row 1, label 1: the score is not a finite number");
    scores[4] = 0;
    bs_threshold t = {.kind = BS_THRESHOLD_LABEL, .labels = 2};
    refused(m, &gold, scores, &t, BASIN_EARG, "thresholds for 2 labels, the metrics have 3");
    gold.cols = 4;
    refused(m, &gold, scores, NULL, BASIN_EARG, "gold has 4 labels, the metrics have 3");
    bs_metrics_free(m);

    assert_int_equal(bs_metrics_new(&(bs_metric_options){0}, 0, &m, &err), BASIN_EARG);
    assert_null(m);
    assert_int_equal(bs_metrics_new(&(bs_metric_options){.ece_bins = 101}, 2, &m, &err),
                     BASIN_EARG);
    assert_null(m);
}

static void names(void **state)
{
    (void)state;
    basin_error   err;
    bs_metric_id  id;
    bs_profile_id profile;
    for (int i = 0; i < BS_METRIC_COUNT; i++) {
        assert_int_equal(bs_metric_parse(bs_metric_table[i].name, &id, &err), BASIN_OK);
        assert_int_equal(id, i);
    }
    assert_int_equal(bs_metric_parse("exmple_f1", &id, &err), BASIN_EARG);
    assert_string_equal(err.msg, "no metric is called 'exmple_f1'; did you mean 'example_f1'?");
    assert_int_equal(bs_profile_parse("mulan", &profile, &err), BASIN_OK);
    assert_int_equal(profile, BS_PROFILE_MULAN);
    assert_int_equal(bs_profile_parse("quite else", &profile, &err), BASIN_EARG);
    assert_string_equal(err.msg,
                        "no metric profile is called 'quite else'; there are sklearn, mulan, meka, "
                        "seal");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conventions),
        cmocka_unit_test(dropped_rows_are_counted),
        cmocka_unit_test(log_loss_conventions),
        cmocka_unit_test(calibration_bins),
        cmocka_unit_test(what_is_missing_is_nan),
        cmocka_unit_test(too_many_scores_give_up_map_label_only),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
