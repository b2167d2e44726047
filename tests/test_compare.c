/* test_compare.c -- the tests of a comparison with several seeds, against doing it the slow
 * way: every replicate written out as rows and evaluated from the start. And what a whole
 * comparison says: that its JSON adds up and its page is well formed. */
#include <jansson.h>

#include "metric_case.h"
#include "runs/jobs.h"
#include "runs/runset.h"
#include "tests/api_folder.h"
#include "tests/html_check.h"

enum { STREAM_ROWS = 0x626f6f74, STREAM_SIDES = 0x73696465 }; /* of stats.c */
enum { SEEDS = 3, ROWS = 12, LABELS = 5, REPLICATES = 37 };

/* A method: the predictions of several trainings for the same gold. */
typedef struct {
    metric_case    seed[SEEDS];
    bs_metrics    *metrics[SEEDS];
    bs_sampled     part[SEEDS];
    bs_sampled_set set;
    bs_sampled     mean;
} method;

/* Noise decides how often a training is wrong. */
static void method_make(method *m, const metric_case *gold, uint64_t number, double noise)
{
    for (int k = 0; k < SEEDS; k++) {
        metric_case *c = &m->seed[k];
        bs_rng       r = bs_rng_make(number, (uint64_t)k, 1);
        *c = *gold;
        for (int i = 0; i < ROWS * LABELS; i++) {
            c->on[i] = bs_rng_bernoulli(&r, noise) ? !c->gold[i] : c->gold[i];
            c->scores[i] = (float)(.5 * bs_rng_uniform(&r) + (c->on[i] ? .5 : 0));
        }
        m->metrics[k] = case_metrics(c, (bs_metric_options){.keep_rows = true}, 5);
        assert_int_equal(bs_metrics_sampled(m->metrics[k], &m->part[k], NULL), BASIN_OK);
    }
    m->set = (bs_sampled_set){m->part, SEEDS};
    assert_int_equal(bs_sampled_mean(&m->set, &m->mean, NULL), BASIN_OK);
}

static void method_free(method *m)
{
    for (int k = 0; k < SEEDS; k++)
        bs_metrics_free(m->metrics[k]);
}

static void copy_row(const metric_case *from, int row, metric_case *to, int at)
{
    memcpy(to->gold + at * LABELS, from->gold + row * LABELS, LABELS);
    memcpy(to->on + at * LABELS, from->on + row * LABELS, LABELS);
    memcpy(to->scores + at * LABELS, from->scores + row * LABELS, LABELS * sizeof(float));
}

static double mean_of(metric_case *c, bs_metric_id id)
{
    double sum = 0, v[BS_METRIC_COUNT];
    for (int k = 0; k < SEEDS; k++) {
        case_values(&c[k], BS_PROFILE_SKLEARN, v);
        sum += v[id];
    }
    return sum / SEEDS;
}

static double difference(const method *a, const method *b, bs_metric_id id)
{
    metric_case x[SEEDS], y[SEEDS];
    memcpy(x, a->seed, sizeof x);
    memcpy(y, b->seed, sizeof y);
    return mean_of(y, id) - mean_of(x, id);
}

/* Replicate r of the bootstrap: the same drawn rows for all seeds of both methods. */
static double drawn(const method *a, const method *b, uint64_t seed, int r, bs_metric_id id)
{
    static metric_case x[SEEDS], y[SEEDS];
    bs_rng             rng = bs_rng_make(seed, (uint64_t)r, STREAM_ROWS);
    memcpy(x, a->seed, sizeof x);
    memcpy(y, b->seed, sizeof y);
    for (int i = 0; i < ROWS; i++) {
        int row = (int)bs_rng_below(&rng, ROWS);
        for (int k = 0; k < SEEDS; k++) {
            copy_row(&a->seed[k], row, &x[k], i);
            copy_row(&b->seed[k], row, &y[k], i);
        }
    }
    return mean_of(y, id) - mean_of(x, id);
}

/* Replicate r of the randomisation: a row changes sides for all seeds or for none. */
static double swapped(const method *a, const method *b, uint64_t seed, int r, bs_metric_id id)
{
    static metric_case x[SEEDS], y[SEEDS];
    memcpy(x, a->seed, sizeof x);
    memcpy(y, b->seed, sizeof y);
    for (int i = 0; i < ROWS; i++) {
        uint32_t bits = bs_rng_at(seed, (uint64_t)r, STREAM_SIDES, (uint64_t)(i / 32));
        for (int k = 0; k < SEEDS && !(bits >> (i % 32) & 1); k++) {
            copy_row(&b->seed[k], i, &x[k], i);
            copy_row(&a->seed[k], i, &y[k], i);
        }
    }
    return mean_of(y, id) - mean_of(x, id);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check_bootstrap(const method *a, const method *b, uint64_t seed, bs_metric_id id)
{
    bs_paired out[BS_METRIC_COUNT];
    double    d[REPLICATES];
    int       below = 0, above = 0;
    assert_int_equal(bs_paired_bootstrap(&a->mean, &b->mean, seed, REPLICATES, .9, out, NULL),
                     BASIN_OK);
    for (int r = 0; r < REPLICATES; r++) {
        d[r] = drawn(a, b, seed, r, id);
        below += d[r] <= 0;
        above += d[r] >= 0;
    }
    qsort(d, REPLICATES, sizeof *d, ascending);
    const int less = below < above ? below : above;
    ASSERT_NEAR(out[id].difference, difference(a, b, id), 1e-12);
    ASSERT_NEAR(out[id].lo, bs_stats_quantile(d, REPLICATES, .05), 1e-12);
    ASSERT_NEAR(out[id].hi, bs_stats_quantile(d, REPLICATES, .95), 1e-12);
    ASSERT_NEAR(out[id].p, fmin(1, 2 * (less + 1.0) / (REPLICATES + 1.0)), 1e-12);
}

static void check_randomisation(const method *a, const method *b, uint64_t seed, bs_metric_id id)
{
    bs_paired    out[BS_METRIC_COUNT];
    const double limit = fabs(difference(a, b, id)) * (1 - 1e-9);
    int          far = 0;
    assert_int_equal(bs_randomisation(&a->mean, &b->mean, seed, REPLICATES, out, NULL), BASIN_OK);
    for (int r = 0; r < REPLICATES; r++)
        far += fabs(swapped(a, b, seed, r, id)) >= limit;
    ASSERT_NEAR(out[id].p, (far + 1.0) / (REPLICATES + 1.0), 1e-12);
}

/* A mean over rows, a ratio of sums over rows, a mean over labels, a mean of ranks. */
static void tests_of_several_seeds(void **state)
{
    static const bs_metric_id ids[] = {BS_METRIC_example_f1, BS_METRIC_micro_f1, BS_METRIC_macro_f1,
                                       BS_METRIC_lrap};
    static method             a, b;
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        metric_case gold = case_random(seed, ROWS, LABELS, .4, 1);
        method_make(&a, &gold, 2 * seed, .3);
        method_make(&b, &gold, 2 * seed + 1, .15);
        for (int i = 0; i < 4; i++) {
            check_bootstrap(&a, &b, seed, ids[i]);
            check_randomisation(&a, &b, seed, ids[i]);
        }
        method_free(&a);
        method_free(&b);
    }
}

/* Three times the same training is as sure as one: seeds are not rows. */
static void equal_seeds_add_nothing(void **state)
{
    static method a, b;
    bs_paired     one[BS_METRIC_COUNT], all[BS_METRIC_COUNT];
    (void)state;
    metric_case gold = case_random(9, ROWS, LABELS, .4, 1);
    method_make(&a, &gold, 1, .3);
    method_make(&b, &gold, 2, .2);
    for (int k = 1; k < SEEDS; k++) {
        a.part[k] = a.part[0];
        b.part[k] = b.part[0];
    }
    assert_int_equal(bs_paired_bootstrap(&a.part[0], &b.part[0], 4, 200, .95, one, NULL), 0);
    assert_int_equal(bs_paired_bootstrap(&a.mean, &b.mean, 4, 200, .95, all, NULL), 0);
    for (int i = 0; i < BS_METRIC_COUNT; i++) {
        ASSERT_NEAR(one[i].difference, all[i].difference, 1e-12);
        ASSERT_NEAR(one[i].lo, all[i].lo, 1e-12);
        ASSERT_NEAR(one[i].hi, all[i].hi, 1e-12);
    }
    method_free(&a);
    method_free(&b);
}

static void average_precision_cannot_be_mixed(void **state)
{
    static method a, b;
    bs_paired     out[BS_METRIC_COUNT];
    (void)state;
    metric_case gold = case_random(3, ROWS, LABELS, .4, 1);
    method_make(&a, &gold, 1, .3);
    method_make(&b, &gold, 2, .2);
    assert_int_equal(bs_randomisation(&a.mean, &b.mean, 1, 20, out, NULL), BASIN_OK);
    assert_true(isnan(out[BS_METRIC_map_label].p));
    check_bootstrap(&a, &b, 1, BS_METRIC_map_label);
    method_free(&a);
    method_free(&b);
}

static void what_does_not_fit_is_refused(void **state)
{
    static method a;
    basin_error   err = {0};
    bs_sampled    out;
    (void)state;
    metric_case gold = case_random(3, ROWS, LABELS, .4, 1);
    method_make(&a, &gold, 1, .3);
    a.part[1].rows--;
    assert_int_equal(bs_sampled_mean(&a.set, &out, &err), BASIN_EARG);
    assert_string_equal(err.msg, "sources of 12 and 11 rows have no mean");
    assert_int_equal(bs_sampled_mean(&(bs_sampled_set){a.part, 0}, &out, &err), BASIN_EARG);
    method_free(&a);
}

/* Of equals the first; what was not measured is neither. */
static void the_best_of_several_means(void **state)
{
    const double mean[] = {NAN, 0.5, 0.7, 0.7, 0.5};
    int          best, next;
    (void)state;
    bs_runset_best(mean, 5, true, &best, &next);
    assert_int_equal(best, 2);
    assert_int_equal(next, 3);
    bs_runset_best(mean, 5, false, &best, &next);
    assert_int_equal(best, 1);
    assert_int_equal(next, 4);
    bs_runset_best(mean, 2, true, &best, &next);
    assert_int_equal(best, 1);
    assert_int_equal(next, -1);
}

enum { WORKERS = 3 };

static void come(void *ctx, int worker)
{
    __atomic_add_fetch(&((int *)ctx)[worker], 1, __ATOMIC_SEQ_CST);
}

/* All have come when the call returns, each once. */
static void workers_work_together(void **state)
{
    int came[WORKERS + 1] = {0};
    (void)state;
    OK(bs_work_together(WORKERS, come, came, err));
    for (int i = 0; i <= WORKERS; i++)
        assert_int_equal(came[i], i < WORKERS);
}

/* ---- a whole comparison ---- */

static json_t *compare(const basin_compare_options *o, const char *folds)
{
    basin_config *c;
    basin_text    text;
    OK(basin_config_new(&c, err));
    OK(basin_config_set(c, "epochs", "3", err));
    OK(basin_config_set(c, "net.width", "16", err));
    OK(basin_config_set(c, "folds", folds, err));
    OK(basin_config_file(c, "train", "d.arff", err));
    OK(basin_compare(c, o, NULL, &text, err));
    json_t *json = json_loads(text.json, 0, NULL);
    assert_non_null(json);
    basin_text_free(&text);
    basin_config_free(c);
    return json;
}

static double number(const json_t *o, const char *part, const char *key)
{
    const json_t *v = json_object_get(json_object_get(o, part), key);
    assert_true(json_is_number(v));
    return json_number_value(v);
}

/* Mean and deviation of two runs, from the runs; of the first n parts. */
static void check_spread(const json_t *m, int n)
{
    static const char *const parts[] = {"valid", "valid_tuned", "test", "test_tuned"};
    const json_t            *mean = json_object_get(m, "mean"), *sd = json_object_get(m, "sd"),
                 *runs = json_object_get(m, "runs");
    assert_string_equal(json_string_value(json_object_get(m, "status")), "done");
    assert_int_equal(json_array_size(runs), 2);
    for (int p = 0; p < n; p++)
        for (int i = 0; i < BS_METRIC_COUNT; i++) {
            const char *key = bs_metric_table[i].name;
            double      x = number(json_array_get(runs, 0), parts[p], key);
            double      y = number(json_array_get(runs, 1), parts[p], key);
            ASSERT_NEAR(number(mean, parts[p], key), (x + y) / 2, 1e-9);
            ASSERT_NEAR(number(sd, parts[p], key), fabs(x - y) / sqrt(2), 1e-9);
        }
    double speed = 0;
    for (size_t k = 0; k < 2; k++) {
        const json_t *v = json_object_get(json_array_get(runs, k), "predict_rows_per_s");
        assert_true(json_is_number(v));
        speed += json_number_value(v) / 2;
    }
    ASSERT_NEAR(json_number_value(json_object_get(m, "predict_rows_per_s")) / speed, 1, 1e-6);
}

/* Differences come from the rows, means from the trainings: they must agree. */
static void check_against(const json_t *base, const json_t *m, const char *part, bool all)
{
    const json_t *against = json_object_get(json_object_get(m, "against_baseline"), part);
    for (int i = 0; i < BS_METRIC_COUNT; i++) {
        const char *key = bs_metric_table[i].name;
        if (!all && !bs_metric_table[i].decided) {
            assert_null(json_object_get(against, key));
            continue;
        }
        double d = number(json_object_get(m, "mean"), part, key) -
                   number(json_object_get(base, "mean"), part, key);
        ASSERT_NEAR(number(against, key, "difference"), d, 1e-6);
        assert_true(number(against, key, "lo") <= number(against, key, "hi"));
        assert_true(number(against, key, "p_bootstrap") > 0);
        const json_t *p = json_object_get(json_object_get(against, key), "p_randomisation");
        assert_true((p == NULL) == (i == BS_METRIC_map_label));
    }
}

/* Of two methods the better one is chosen from one other, for which p needs no correction. */
static void check_best(const json_t *all, const json_t *against)
{
    const char  *metric = json_string_value(json_object_get(all, "metric"));
    const double p = number(all, "best", "p");
    assert_true(p > 0 && p <= 1);
    ASSERT_NEAR(p, number(against, metric, "p_bootstrap"), 1e-9);
}

static void a_comparison_adds_up(void **state)
{
    (void)state;
    const basin_compare_options o = {
        .methods = "ce,seal-nce", .seeds = 2, .folder = "runs", .jobs = 2, .html = "page.html"};
    json_t       *all = compare(&o, "1");
    const json_t *list = json_object_get(all, "methods"), *ce = json_array_get(list, 0),
                 *other = json_array_get(list, 1);
    check_spread(ce, 4);
    check_spread(other, 4);
    assert_null(json_object_get(ce, "against_baseline"));
    check_against(ce, other, "test", true);
    check_against(ce, other, "test_tuned", false);
    check_best(all, json_object_get(json_object_get(other, "against_baseline"), "test_tuned"));
    json_decref(all);
}

/* Out-of-fold outputs are made again from the model files: values of the trainings and differences
 * of rows agree only if each row is judged by the models that have not seen it. */
static void a_comparison_of_folds_adds_up(void **state)
{
    (void)state;
    const basin_compare_options o = {
        .methods = "ce,seal-nce", .seeds = 2, .folder = "folds", .jobs = 2};
    json_t       *all = compare(&o, "3");
    const json_t *list = json_object_get(all, "methods"), *ce = json_array_get(list, 0),
                 *other = json_array_get(list, 1);
    assert_int_equal(json_integer_value(json_object_get(all, "folds")), 3);
    assert_string_equal(json_string_value(json_object_get(all, "part")), "valid");
    check_spread(ce, 2);
    check_spread(other, 2);
    check_against(ce, other, "valid", true);
    check_against(ce, other, "valid_tuned", false);
    json_decref(all);
}

static size_t read_page(const char *path, char *out, size_t size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(out, 1, size - 1, f);
    fclose(f);
    out[n] = '\0';
    return n;
}

static void the_page_is_well_formed(void **state)
{
    static char page[1 << 17];
    (void)state;
    assert_true(read_page("page.html", page, sizeof page) < sizeof page - 1);
    html_check_nesting(page);
    html_check_alone(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_of_several_seeds),
        cmocka_unit_test(equal_seeds_add_nothing),
        cmocka_unit_test(average_precision_cannot_be_mixed),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(the_best_of_several_means),
        cmocka_unit_test(workers_work_together),
        cmocka_unit_test(a_comparison_adds_up),
        cmocka_unit_test(a_comparison_of_folds_adds_up),
        cmocka_unit_test(the_page_is_well_formed),
    };
    return cmocka_run_group_tests(tests, in_temporary_folder, leave_folder);
}
