/* test_metric_golden.c -- the vectors A, B and C, computed once with scikit-learn 1.2.1 and, where
 * it has no such metric or another convention is meant, by hand. */
#include "metric_case.h"

static const double six = 5e-7; /* the vectors are given with six digits */

static const char *const gold_a = "000 000 100 110 111";
static const char *const pred_a = "000 100 000 100 111";
static const char *const gold_b = "1010 0000 1111 0100 0001";
static const float       scores_b[] = {.9f, .4f, .3f, .2f, .6f, .1f, .2f, .3f, .8f, .7f,
                                       .6f, .2f, .5f, .5f, .5f, .1f, .2f, .3f, .1f, .4f};

static metric_case make_b(void)
{
    metric_case c = case_make(gold_b, NULL, scores_b);
    for (int i = 0; i < 20; i++)
        c.on[i] = c.scores[i] >= 0.5f;
    return c;
}

static void vector_a_sets(void **state)
{
    (void)state;
    metric_case c = case_make(gold_a, pred_a, NULL);
    double      v[BS_METRIC_COUNT];
    case_values(&c, BS_PROFILE_SKLEARN, v);
    ASSERT_NEAR(v[BS_METRIC_example_f1], 1.0 / 3, six);
    ASSERT_NEAR(v[BS_METRIC_micro_f1], .727273, six);
    ASSERT_NEAR(v[BS_METRIC_macro_f1], .777778, six);
    ASSERT_NEAR(v[BS_METRIC_jaccard], .3, six);
    ASSERT_NEAR(v[BS_METRIC_subset_accuracy], .4, six);
    ASSERT_NEAR(v[BS_METRIC_hamming_loss], .2, six);

    case_values(&c, BS_PROFILE_MULAN, v);
    ASSERT_NEAR(v[BS_METRIC_example_f1], .533333, six);
    ASSERT_NEAR(v[BS_METRIC_jaccard], .5, six);

    case_values(&c, BS_PROFILE_MEKA, v);
    ASSERT_NEAR(v[BS_METRIC_example_f1], 1.0 / 3, six);
    ASSERT_NEAR(v[BS_METRIC_jaccard], .5, six);

    /* Without its two empty rows: (0 + 2/3 + 1) / 3. */
    case_values(&c, BS_PROFILE_SEAL, v);
    ASSERT_NEAR(v[BS_METRIC_example_f1], 5.0 / 9, 1e-15);
    ASSERT_NEAR(v[BS_METRIC_subset_accuracy], 1.0 / 3, 1e-15);
    ASSERT_NEAR(v[BS_METRIC_hamming_loss], 2.0 / 9, 1e-15);
}

static void vector_a_ranking(void **state)
{
    (void)state;
    metric_case c = case_make(gold_a, pred_a, NULL);
    double      v[BS_METRIC_COUNT];
    for (int i = 0; i < 15; i++)
        c.scores[i] = 0.5f;
    case_values(&c, BS_PROFILE_SKLEARN, v);
    ASSERT_NEAR(v[BS_METRIC_lrap], .8, six);
    ASSERT_NEAR(v[BS_METRIC_ranking_loss], .4, six);
    ASSERT_NEAR(v[BS_METRIC_coverage], 1.8, six);

    for (int i = 0; i < 15; i++)
        c.scores[i] = (float)(i % 3 + 1) / 10;
    case_values(&c, BS_PROFILE_SKLEARN, v);
    ASSERT_NEAR(v[BS_METRIC_lrap], .783333, six);
    ASSERT_NEAR(v[BS_METRIC_ranking_loss], .4, six);
    ASSERT_NEAR(v[BS_METRIC_coverage], 1.8, six);

    /* MULAN counts from 0 and skips the two empty rows of its average precision. */
    case_values(&c, BS_PROFILE_MULAN, v);
    ASSERT_NEAR(v[BS_METRIC_coverage], 6.0 / 5, 1e-15);
    ASSERT_NEAR(v[BS_METRIC_lrap], (1.0 / 3 + (2.0 / 3 + 1.0 / 2) / 2 + 1) / 3, 1e-15);
}

static void vector_b_values(void **state)
{
    (void)state;
    metric_case c = make_b();
    double      v[BS_METRIC_COUNT];
    case_values(&c, BS_PROFILE_SKLEARN, v);
    ASSERT_NEAR(v[BS_METRIC_example_f1], .404762, six);
    ASSERT_NEAR(v[BS_METRIC_micro_f1], .625, six);
    ASSERT_NEAR(v[BS_METRIC_macro_f1], .541667, six);
    ASSERT_NEAR(v[BS_METRIC_subset_accuracy], 0, six);
    ASSERT_NEAR(v[BS_METRIC_hamming_loss], .3, six);
    ASSERT_NEAR(v[BS_METRIC_jaccard], .316667, six);
    ASSERT_NEAR(v[BS_METRIC_lrap], .833333, six);
    ASSERT_NEAR(v[BS_METRIC_ranking_loss], .183333, six);
    ASSERT_NEAR(v[BS_METRIC_coverage], 2.2, six);
    ASSERT_NEAR(v[BS_METRIC_one_error], .4, six);
    ASSERT_NEAR(v[BS_METRIC_p_at_1], .6, six);
    ASSERT_NEAR(v[BS_METRIC_p_at_3], .466667, six);
    ASSERT_NEAR(v[BS_METRIC_p_at_5], 8.0 / 25, six); /* all 8 labels, of 5 rows, over 5 */
    ASSERT_NEAR(v[BS_METRIC_map_label], .895833, six);
    ASSERT_NEAR(v[BS_METRIC_map_example], .633333, six);
    ASSERT_NEAR(v[BS_METRIC_log_loss], .506556, six);

    /* One row of five has no labels: one-error without it. */
    case_values(&c, BS_PROFILE_SEAL, v);
    ASSERT_NEAR(v[BS_METRIC_one_error], .25, six);
    ASSERT_NEAR(v[BS_METRIC_map_example], .633333 * 5 / 4, 1e-6);
}

static void vector_b_labels(void **state)
{
    (void)state;
    metric_case         c = make_b();
    bs_label_score      table[4];
    static const double f1[] = {.666667, 1, .5, 0}, ap[] = {1, 1, .833333, .75};
    static const int    tp[] = {2, 2, 1, 0}, fp[] = {2, 0, 1, 0}, fn[] = {0, 0, 1, 2};
    bs_metrics         *m = case_metrics(&c, (bs_metric_options){0}, 5);
    assert_int_equal(bs_metrics_labels(m, table, NULL), BASIN_OK);
    double precision = 0, recall = 0;
    for (int l = 0; l < 4; l++) {
        assert_int_equal(table[l].tp, tp[l]);
        assert_int_equal(table[l].fp, fp[l]);
        assert_int_equal(table[l].fn, fn[l]);
        assert_int_equal(table[l].tn, 5 - tp[l] - fp[l] - fn[l]);
        assert_int_equal(table[l].support, 2);
        ASSERT_NEAR(table[l].f1, f1[l], six);
        ASSERT_NEAR(table[l].ap, ap[l], six);
        precision += table[l].precision / 4;
        recall += table[l].recall / 4;
    }
    ASSERT_NEAR(precision, .5, six);
    ASSERT_NEAR(recall, .625, six);
    bs_metrics_free(m);
}

static void vector_b_calibration(void **state)
{
    (void)state;
    metric_case       c = make_b();
    bs_metric_options o = {.ece_bins = 10, .ece_left = true};
    bs_metrics       *m = case_metrics(&c, o, 3);
    double            v[BS_METRIC_COUNT];
    assert_int_equal(bs_metrics_finish(m, v, NULL), BASIN_OK);
    ASSERT_NEAR(v[BS_METRIC_ece], .105, 1e-7);
    bs_metrics_free(m);
}

static void vector_c_average_precision(void **state)
{
    (void)state;
    static const float half[] = {.5f, .5f, .5f, .5f};
    static const struct {
        const char *gold;
        double      row, column;
    } cases[] = {{"1010", .5, .5}, {"0000", 0, 0}, {"1111", 1, 1}};
    for (size_t i = 0; i < 3; i++) {
        metric_case c = case_make(cases[i].gold, cases[i].gold, half);
        double      v[BS_METRIC_COUNT];
        case_values(&c, BS_PROFILE_SKLEARN, v);
        ASSERT_NEAR(v[BS_METRIC_map_example], cases[i].row, 0);
        /* The same numbers as one column of four rows. */
        c.rows = 4;
        c.L = 1;
        case_values(&c, BS_PROFILE_SKLEARN, v);
        ASSERT_NEAR(v[BS_METRIC_map_label], cases[i].column, 0);
        assert_false(signbit(v[BS_METRIC_map_label]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_a_sets),        cmocka_unit_test(vector_a_ranking),
        cmocka_unit_test(vector_b_values),      cmocka_unit_test(vector_b_labels),
        cmocka_unit_test(vector_b_calibration), cmocka_unit_test(vector_c_average_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
