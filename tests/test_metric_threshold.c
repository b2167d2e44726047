/* test_metric_threshold.c -- applying thresholds, choosing them (against trying all), as text. */
#include "metric_case.h"

static void a_threshold_includes_its_value(void **state)
{
    (void)state;
    const float  scores[] = {.5f, .49999997f, NAN, 1, .2f};
    int32_t      out[5];
    bs_threshold t = bs_threshold_fixed(.5f);
    assert_int_equal(bs_threshold_apply(&t, scores, 5, out), 2);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 3);

    float per[] = {.6f, .1f, 0, 1, .2f};
    t = (bs_threshold){.kind = BS_THRESHOLD_LABEL, .labels = 5, .per_label = per};
    assert_int_equal(bs_threshold_apply(&t, scores, 5, out), 3);
    assert_int_equal(out[0], 1);
    assert_int_equal(out[1], 3);
    assert_int_equal(out[2], 4);
}

/* Is label l among the k best, by counting those before it? */
static bool in_top(const float *scores, int32_t L, int32_t k, int32_t l)
{
    int32_t before = 0;
    for (int32_t i = 0; i < L; i++)
        before += scores[i] > scores[l] || (scores[i] == scores[l] && i < l);
    return before < k;
}

static void top_k_takes_the_first_of_equals(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        metric_case c = case_random(seed, 1, 1 + (int32_t)(seed % CASE_LABELS), .3, 1);
        for (int32_t k = 0; k <= c.L + 1; k++) {
            int32_t      out[CASE_LABELS], n = 0;
            bs_threshold t = bs_threshold_top_k(k);
            int32_t      got = bs_threshold_apply(&t, c.scores, c.L, out);
            assert_int_equal(got, k < c.L ? k : c.L);
            for (int32_t l = 0; l < c.L; l++)
                if (in_top(c.scores, c.L, k, l))
                    assert_int_equal(out[n++], l);
            assert_int_equal(n, got);
        }
    }
    const float  odd[] = {NAN, .1f, NAN, .2f};
    int32_t      out[4];
    bs_threshold t = bs_threshold_top_k(3);
    assert_int_equal(bs_threshold_apply(&t, odd, 4, out), 2);
}

static double value_at(metric_case *c, int metric, int profile, float at)
{
    bs_csr            gold = case_gold(c);
    bs_metric_options o = {.profile = (bs_profile_id)profile, .want = UINT32_C(1) << metric};
    bs_threshold      t = bs_threshold_fixed(at);
    bs_metrics       *m;
    double            v[BS_METRIC_COUNT];
    assert_int_equal(bs_metrics_new(&o, c->L, &m, NULL), BASIN_OK);
    assert_int_equal(bs_metrics_add(m, &gold, c->scores, &t, NULL, NULL), BASIN_OK);
    assert_int_equal(bs_metrics_finish(m, v, NULL), BASIN_OK);
    bs_metrics_free(m);
    return v[metric];
}

static void check_tuned(metric_case *c, int metric, int profile)
{
    bs_csr       gold = case_gold(c);
    bs_threshold t;
    double       value;
    assert_int_equal(bs_threshold_tune(&gold, c->scores, metric, profile, &t, &value, NULL), 0);
    assert_int_equal(t.kind, BS_THRESHOLD_GLOBAL);
    const double sign = bs_metric_table[metric].higher ? 1 : -1;
    double       best = value_at(c, metric, profile, 2);
    for (int32_t i = 0; i < c->rows * c->L; i++)
        best = sign * fmax(sign * best, sign * value_at(c, metric, profile, c->scores[i]));
    ASSERT_NEAR(value, best, 1e-12);
    ASSERT_NEAR(value_at(c, metric, profile, t.global), best, 1e-12);
    /* Nothing better on offer than 0.5: then it is 0.5. */
    if (fabs(value_at(c, metric, profile, .5f) - best) < 1e-13)
        ASSERT_NEAR(t.global, .5, 0);
}

static void tuning_finds_the_best_of_all_cuts(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 24; seed++) {
        const int32_t rows = 1 + (int32_t)(seed % 7), L = 1 + (int32_t)(seed % 5) * 3;
        for (int metric = 0; metric < BS_METRIC_COUNT; metric++) {
            for (int p = 0; p < BS_PROFILE_COUNT; p++) {
                metric_case c = case_random(seed, rows, L, .3, 1 + (int)(seed % 3));
                c.gold[0] = 1; /* else nothing may be left under seal */
                if (bs_metric_table[metric].decided)
                    check_tuned(&c, metric, p);
            }
        }
    }
}

static void tuning_keeps_away_from_the_scores(void **state)
{
    (void)state;
    static const float apart[] = {.9f, .2f, .1f, .8f}, low[] = {.3f, .1f, .1f, .2f};
    metric_case        c = case_make("10 01", NULL, apart);
    bs_csr             gold = case_gold(&c);
    bs_threshold       t;
    double             value;
    assert_int_equal(bs_threshold_tune(&gold, c.scores, BS_METRIC_micro_f1, 0, &t, &value, NULL),
                     0);
    ASSERT_NEAR(t.global, .5, 0);
    ASSERT_NEAR(value, 1, 0);
    memcpy(c.scores, low, sizeof low);
    assert_int_equal(bs_threshold_tune(&gold, c.scores, BS_METRIC_micro_f1, 0, &t, NULL, NULL), 0);
    ASSERT_NEAR(t.global, .15, 1e-7);

    /* Best to predict nothing: above all scores. */
    c = case_make("00 00", NULL, apart);
    gold = case_gold(&c);
    assert_int_equal(
        bs_threshold_tune(&gold, c.scores, BS_METRIC_hamming_loss, 0, &t, &value, NULL), 0);
    assert_true(t.global > .9f);
    ASSERT_NEAR(value, 0, 0);
}

static double label_f1_at(const metric_case *c, int32_t l, float at)
{
    double tp = 0, size = 0;
    for (int32_t row = 0; row < c->rows; row++) {
        const bool on = c->scores[row * c->L + l] >= at, gold = c->gold[row * c->L + l];
        tp += on && gold;
        size += on + gold;
    }
    return size > 0 ? 2 * tp / size : 0;
}

static void labels_shrink_towards_the_global_value(void **state)
{
    (void)state;
    metric_case  c = case_random(8, 40, 11, .2, 2);
    const float  global = .4f;
    bs_threshold free_t, t;
    for (int32_t row = 0; row < c.rows; row++)
        c.gold[row * c.L + 3] = 0;
    bs_csr gold = case_gold(&c);
    assert_int_equal(bs_threshold_tune_labels(&gold, c.scores, 0, global, 0, &free_t, NULL), 0);
    assert_int_equal(bs_threshold_tune_labels(&gold, c.scores, 0, global, 10, &t, NULL), 0);
    assert_int_equal(t.kind, BS_THRESHOLD_LABEL);
    assert_int_equal(t.labels, c.L);
    for (int32_t l = 0; l < c.L; l++) {
        double positives = 0, best = 0;
        for (int32_t row = 0; row < c.rows; row++) {
            positives += c.gold[row * c.L + l];
            best = fmax(best, label_f1_at(&c, l, c.scores[row * c.L + l]));
        }
        if (positives > 0)
            ASSERT_NEAR(label_f1_at(&c, l, free_t.per_label[l]), best, 1e-12);
        const double trust = positives / (positives + 10);
        ASSERT_NEAR(t.per_label[l], global + trust * (free_t.per_label[l] - global), 1e-6);
    }
    ASSERT_NEAR(t.per_label[3], global, 0);
    ASSERT_NEAR(free_t.per_label[3], global, 0);
    bs_threshold_free(&t);
    bs_threshold_free(&free_t);
}

static double mean_on(const metric_case *c, float at)
{
    double n = 0;
    for (int32_t i = 0; i < c->rows * c->L; i++)
        n += c->scores[i] >= at;
    return n / c->rows;
}

static void the_cut_meets_the_cardinality(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        metric_case  c = case_random(seed, 20, 13, .2, 1 + (int)(seed % 4));
        const double want = (double)(seed % 14) * .93;
        bs_threshold t;
        assert_int_equal(bs_threshold_cut(c.scores, c.rows, c.L, want, &t, NULL), BASIN_OK);
        assert_int_equal(t.kind, BS_THRESHOLD_CARDINALITY);
        double best = want;
        for (int32_t i = 0; i < c.rows * c.L; i++)
            best = fmin(best, fabs(mean_on(&c, c.scores[i]) - want));
        ASSERT_NEAR(fabs(mean_on(&c, t.global) - want), best, 1e-12);
    }
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    metric_case  c = case_make("10 01", NULL, NULL);
    bs_csr       gold = case_gold(&c);
    basin_error  err;
    bs_threshold t;
    assert_int_equal(bs_threshold_tune(&gold, c.scores, BS_METRIC_lrap, 0, &t, NULL, &err),
                     BASIN_EARG);
    assert_string_equal(err.msg, "lrap does not depend on a threshold; tune for example_f1");
    for (int none = -1; none <= BS_PROFILE_COUNT; none += BS_PROFILE_COUNT + 1) {
        assert_int_equal(
            bs_threshold_tune(&gold, c.scores, BS_METRIC_jaccard, none, &t, NULL, &err),
            BASIN_EARG);
        assert_non_null(strstr(err.msg, "does not exist"));
    }
    assert_int_equal(bs_threshold_cut(c.scores, 2, 2, 2.5, &t, &err), BASIN_EARG);
    assert_string_equal(err.msg, "2.5 labels per row; there are 2 labels");
    assert_int_equal(bs_threshold_tune_labels(&gold, c.scores, 0, .5f, -1, &t, &err), BASIN_EARG);
    c.scores[3] = INFINITY;
    assert_int_equal(bs_threshold_tune(&gold, c.scores, BS_METRIC_jaccard, 0, &t, NULL, &err),
                     BASIN_ENUMERIC);
    c.scores[3] = 0;
    c.index[0] = 9;
    assert_int_equal(bs_threshold_tune_labels(&gold, c.scores, 0, .5f, 1, &t, &err), BASIN_EDATA);
    gold.rows = 0;
    assert_int_equal(bs_threshold_tune(&gold, c.scores, BS_METRIC_jaccard, 0, &t, NULL, &err),
                     BASIN_EARG);
}

static void text_reads_back(void **state)
{
    (void)state;
    bs_rng r = bs_rng_make(4, 0, 0);
    float  per[50];
    for (int i = 0; i < 50; i++)
        per[i] = i == 7 ? 0 : (float)pow(bs_rng_uniform(&r), i % 9 + 1);
    for (int kind = 0; kind < BS_THRESHOLD_KINDS; kind++) {
        bs_threshold t = {.kind = (bs_threshold_kind)kind, .global = .3f, .k = 4}, back;
        bs_buf       b;
        if (kind == BS_THRESHOLD_LABEL) {
            t.labels = 50;
            t.per_label = per;
        }
        bs_buf_init(&b, 10000);
        bs_threshold_write(&t, &b);
        assert_false(b.failed);
        if (kind == BS_THRESHOLD_GLOBAL)
            assert_string_equal(b.data, "global 0.3");
        if (kind == BS_THRESHOLD_TOP_K)
            assert_string_equal(b.data, "top_k 4");
        assert_int_equal(bs_threshold_read(b.data, &back, NULL), BASIN_OK);
        assert_int_equal(back.kind, kind);
        if (kind == BS_THRESHOLD_TOP_K)
            assert_int_equal(back.k, 4);
        else
            assert_memory_equal(&back.global, &t.global, sizeof t.global);
        assert_int_equal(back.labels, t.labels);
        if (t.labels)
            assert_memory_equal(back.per_label, per, sizeof per);
        bs_threshold_free(&back);
        bs_buf_free(&b);
    }
}

static void bad_text_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",           "fixed",       "fixed x",     "fixed 0.5 1",   "top_k 0",
        "top_k 2.5",  "label 0.5",   "label 0.5 :", "label 1 : 2 x", "other 1",
        "global inf", "global 1e60", "top_k 3 3",   "label 1 0.5 3", "label 0.5 : nan"};
    const long live = bs_mem_live();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        basin_error  err;
        bs_threshold t;
        if (bs_threshold_read(bad[i], &t, &err) != BASIN_EDATA)
            fail_msg("'%s' was taken", bad[i]);
        assert_null(t.per_label);
    }
    assert_int_equal(bs_mem_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_threshold_includes_its_value),
        cmocka_unit_test(top_k_takes_the_first_of_equals),
        cmocka_unit_test(tuning_finds_the_best_of_all_cuts),
        cmocka_unit_test(tuning_keeps_away_from_the_scores),
        cmocka_unit_test(labels_shrink_towards_the_global_value),
        cmocka_unit_test(the_cut_meets_the_cardinality),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(text_reads_back),
        cmocka_unit_test(bad_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
