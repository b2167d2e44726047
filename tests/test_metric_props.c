/* test_metric_props.c -- what must hold for every metric of the table, on random cases. */
#include "metric_case.h"

static metric_case some_case(uint64_t seed)
{
    bs_rng        r = bs_rng_make(seed, 1, 5);
    const int32_t rows = 1 + (int32_t)bs_rng_below(&r, CASE_ROWS);
    const int32_t L = 1 + (int32_t)bs_rng_below(&r, CASE_LABELS);
    return case_random(seed, rows, L, bs_rng_uniform(&r), 1 + (int)bs_rng_below(&r, 5));
}

static void values_lie_in_their_range(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        for (int p = 0; p < BS_PROFILE_COUNT; p++) {
            metric_case c = some_case(seed);
            double      v[BS_METRIC_COUNT];
            case_values(&c, (bs_profile_id)p, v);
            for (int i = 0; i < BS_METRIC_COUNT; i++) {
                const bs_metric *m = &bs_metric_table[i];
                if (!isnan(v[i]) && !(v[i] >= m->least && v[i] <= m->greatest))
                    fail_msg("seed %d, %s: %s is %g", (int)seed, bs_profile_name(p), m->name, v[i]);
            }
        }
    }
}

/* Every row and every label is there, so that no convention about empty things plays a part. */
static metric_case full_case(int32_t rows, int32_t L)
{
    metric_case c = {.rows = rows, .L = L};
    for (int32_t row = 0; row < rows; row++)
        for (int32_t l = 0; l < L; l++)
            c.gold[row * L + l] = (uint8_t)((row + l) % 3 == 0);
    return c;
}

static void perfect_and_worst_predictions(void **state)
{
    (void)state;
    for (int p = 0; p < BS_PROFILE_COUNT; p++) {
        metric_case good = full_case(12, 9), bad = good;
        double      g[BS_METRIC_COUNT], b[BS_METRIC_COUNT];
        for (int32_t i = 0; i < 12 * 9; i++) {
            good.on[i] = good.gold[i];
            bad.on[i] = !good.gold[i];
            good.scores[i] = good.on[i];
            bad.scores[i] = bad.on[i];
        }
        case_values(&good, (bs_profile_id)p, g);
        case_values(&bad, (bs_profile_id)p, b);
        for (int i = 0; i < BS_METRIC_COUNT; i++) {
            const bs_metric *m = &bs_metric_table[i];
            if (m->higher ? g[i] <= b[i] : g[i] >= b[i])
                fail_msg("%s: perfect %g, worst %g", m->name, g[i], b[i]);
            /* Three labels per row: P@5 is 3/5 at best, coverage 3; log loss is clipped. */
            double best = m->higher ? 1 : 0;
            if (i == BS_METRIC_p_at_5)
                best = .6;
            if (i == BS_METRIC_coverage)
                best = p == BS_PROFILE_MULAN ? 2 : 3;
            ASSERT_NEAR(g[i], best, i == BS_METRIC_log_loss ? 1e-6 : 1e-15);
            if (m->decided || i == BS_METRIC_ranking_loss || i == BS_METRIC_one_error)
                ASSERT_NEAR(b[i], m->higher ? 0 : 1, 1e-15);
        }
    }
}

/* With distinct scores, the order of rows and of labels cannot matter. */
static void permutations_change_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        metric_case c = some_case(seed), d = {.rows = c.rows, .L = c.L};
        int32_t     row[CASE_ROWS], label[CASE_LABELS], cell[CASE_CELLS];
        bs_rng      r = bs_rng_make(seed, 2, 5);
        bs_rng_permutation(&r, row, c.rows);
        bs_rng_permutation(&r, label, c.L);
        bs_rng_permutation(&r, cell, c.rows * c.L);
        for (int32_t i = 0; i < c.rows * c.L; i++)
            c.scores[i] = (float)(cell[i] + 1) / 4096;
        for (int32_t i = 0; i < c.rows; i++)
            for (int32_t l = 0; l < c.L; l++) {
                const int32_t to = i * c.L + l, from = row[i] * c.L + label[l];
                d.gold[to] = c.gold[from];
                d.on[to] = c.on[from];
                d.scores[to] = c.scores[from];
            }
        for (int p = 0; p < BS_PROFILE_COUNT; p++) {
            double v[BS_METRIC_COUNT], w[BS_METRIC_COUNT];
            case_values(&c, (bs_profile_id)p, v);
            case_values(&d, (bs_profile_id)p, w);
            for (int i = 0; i < BS_METRIC_COUNT; i++)
                ASSERT_NEAR(v[i], w[i], 1e-12);
        }
    }
}

static void batches_change_nothing(void **state)
{
    (void)state;
    metric_case c = case_random(9, 61, 37, .2, 2);
    double      want[BS_METRIC_COUNT], got[BS_METRIC_COUNT];
    bs_metrics *whole = case_metrics(&c, (bs_metric_options){0}, 61);
    assert_int_equal(bs_metrics_finish(whole, want, NULL), BASIN_OK);
    bs_metrics_free(whole);
    for (int32_t batch = 1; batch < 61; batch += 6) {
        bs_metrics *m = case_metrics(&c, (bs_metric_options){.keep_rows = batch % 2}, batch);
        /* Looking in between, and starting again, leave no trace. */
        assert_int_equal(bs_metrics_finish(m, got, NULL), BASIN_OK);
        assert_memory_equal(got, want, sizeof got);
        bs_csr gold = case_gold(&c);
        bs_metrics_clear(m);
        assert_int_equal(bs_metrics_finish(m, got, NULL), BASIN_OK);
        assert_true(isnan(got[0]));
        assert_int_equal(bs_metrics_add(m, &gold, c.scores, NULL, c.on, NULL), BASIN_OK);
        assert_int_equal(bs_metrics_finish(m, got, NULL), BASIN_OK);
        assert_memory_equal(got, want, sizeof got);
        bs_metrics_free(m);
    }
}

static void thresholds_and_decisions_agree(void **state)
{
    (void)state;
    metric_case  c = case_random(4, 50, 30, .1, 1);
    bs_csr       gold = case_gold(&c);
    bs_threshold t = bs_threshold_fixed(.5f);
    bs_metrics  *m;
    double       want[BS_METRIC_COUNT], got[BS_METRIC_COUNT];
    case_values(&c, BS_PROFILE_SKLEARN, want);
    assert_int_equal(bs_metrics_new(&(bs_metric_options){0}, c.L, &m, NULL), BASIN_OK);
    assert_int_equal(bs_metrics_add(m, &gold, c.scores, &t, NULL, NULL), BASIN_OK);
    assert_int_equal(bs_metrics_finish(m, got, NULL), BASIN_OK);
    assert_memory_equal(got, want, sizeof got);
    bs_metrics_free(m);
}

static void gold_values_of_zero_are_off(void **state)
{
    (void)state;
    metric_case   c = case_make("101 010", "101 010", NULL);
    bs_csr        gold = case_gold(&c);
    const int32_t start[] = {0, 3, 5}, index[] = {0, 1, 2, 0, 1};
    const float   value[] = {1, 0, 2, 0, 1};
    bs_csr        same = {.rows = 2, .cols = 3, .start = start, .index = index, .value = value};
    double        v[2][BS_METRIC_COUNT];
    for (int i = 0; i < 2; i++) {
        bs_metrics *m;
        assert_int_equal(bs_metrics_new(&(bs_metric_options){0}, 3, &m, NULL), BASIN_OK);
        assert_int_equal(bs_metrics_add(m, i ? &same : &gold, c.scores, NULL, c.on, NULL), 0);
        assert_int_equal(bs_metrics_finish(m, v[i], NULL), BASIN_OK);
        bs_metrics_free(m);
    }
    assert_memory_equal(v[0], v[1], sizeof v[0]);
    ASSERT_NEAR(v[0][BS_METRIC_example_f1], 1, 0);
}

/* Everything that allocates, with the n-th allocation failing. */
static basin_status whole_run(metric_case *c, const bs_csr *gold, bs_interval *out)
{
    basin_error       err;
    bs_metrics       *m;
    bs_metric_options o = {.keep_rows = true};
    bs_threshold      t, u = {0}, w;
    double            v[BS_METRIC_COUNT];
    basin_status      s = bs_metrics_new(&o, c->L, &m, &err);
    if (!s)
        s = bs_threshold_tune(gold, c->scores, BS_METRIC_example_f1, 0, &t, NULL, &err);
    if (!s)
        s = bs_threshold_cut(c->scores, c->rows, c->L, 1, &w, &err);
    if (!s)
        s = bs_threshold_tune_labels(gold, c->scores, 0, .5f, 10, &u, &err);
    if (!s)
        s = bs_metrics_add(m, gold, c->scores, &u, NULL, &err);
    if (!s)
        s = bs_metrics_finish(m, v, &err);
    if (!s)
        s = case_intervals(m, 1, 20, .9, out, &err);
    bs_threshold_free(&u);
    bs_metrics_free(m);
    return s;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    metric_case c = case_random(5, 12, 6, .3, 2);
    bs_csr      gold = case_gold(&c);
    bs_interval out[BS_METRIC_COUNT];
    const long  live = bs_mem_live();
    long        n = 1;
    for (;; n++) {
        bs_mem_fail_at(n);
        basin_status s = whole_run(&c, &gold, out);
        bs_mem_fail_at(0);
        assert_int_equal(bs_mem_live(), live);
        if (s == BASIN_OK)
            break;
        assert_int_equal(s, BASIN_ENOMEM);
        assert_true(n < 500);
    }
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_lie_in_their_range),
        cmocka_unit_test(perfect_and_worst_predictions),
        cmocka_unit_test(permutations_change_nothing),
        cmocka_unit_test(batches_change_nothing),
        cmocka_unit_test(thresholds_and_decisions_agree),
        cmocka_unit_test(gold_values_of_zero_are_off),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
