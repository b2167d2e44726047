/* test_image_metric.c -- metrics of segmentation: by hand, by definition, at the edges. */
#include "tests/check.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "data/image/seg_metric.h"

static bs_seg_metrics *fresh(int classes)
{
    bs_seg_metrics       *m;
    bs_seg_metric_options o = {.keep_images = true};
    basin_error           err;
    assert_int_equal(bs_seg_metrics_new(&o, classes, &m, &err), BASIN_OK);
    return m;
}

static void add(bs_seg_metrics *m, const char *gold, const char *predicted)
{
    uint8_t     g[64], p[64];
    size_t      n = strlen(gold);
    basin_error err = {0};
    for (size_t i = 0; i < n; i++) {
        g[i] = gold[i] == '.' ? 255 : (uint8_t)(gold[i] - '0');
        p[i] = (uint8_t)(predicted[i] - '0');
    }
    if (bs_seg_metrics_add(m, g, p, (int64_t)n, &err))
        fail_msg("%s", err.msg);
}

static void near(double got, double want)
{
    if (!(fabs(got - want) < 1e-12))
        fail_msg("%.15g is not %.15g", got, want);
}

#define V(key) v[BS_SEG_METRIC_##key]

static void two_classes_by_hand(void **state)
{
    (void)state;
    double          v[BS_SEG_METRIC_COUNT];
    bs_seg_metrics *m = fresh(2);
    add(m, "1100", "1010"); /* IoU 1/3 */
    near(bs_seg_metrics_last(m), 1.0 / 3);
    add(m, "1111", "1110"); /* IoU 3/4 */
    bs_seg_metrics_finish(m, v);
    near(V(pixel_accuracy), 5.0 / 8);
    near(V(mean_iou), (1.0 / 3 + 3.0 / 4) / 2);
    near(V(global_iou), 4.0 / 7);
    near(V(class_iou), (4.0 / 7 + 1.0 / 4) / 2);
    near(V(mean_class_accuracy), (4.0 / 6 + 1.0 / 2) / 2);
    assert_memory_equal(bs_seg_metrics_confusion(m), ((int64_t[]){1, 1, 2, 4}),
                        4 * sizeof(int64_t));
    bs_class_score row[2];
    bs_seg_metrics_classes(m, row);
    assert_int_equal(row[1].gold, 6);
    near(row[1].precision, 4.0 / 5);
    near(row[1].recall, 4.0 / 6);
    near(row[1].f1, 8.0 / 11);
    near(row[0].iou, 1.0 / 4);
    bs_seg_metrics_free(m);
}

static void empty_and_ignored(void **state)
{
    (void)state;
    double          v[BS_SEG_METRIC_COUNT];
    bs_seg_metrics *m = fresh(2);
    bs_seg_metrics_finish(m, v);
    assert_true(isnan(V(mean_iou)) && isnan(V(pixel_accuracy)) && isnan(V(class_iou)));
    add(m, "0000", "0000"); /* nothing there, nothing found: 1 */
    bs_seg_metrics_finish(m, v);
    near(V(mean_iou), 1);
    near(V(global_iou), 1);
    near(V(class_iou), 1); /* class 1 occurs nowhere and is left out */
    near(V(mean_class_accuracy), 1);
    add(m, "0000", "0001");
    bs_seg_metrics_finish(m, v);
    near(V(mean_iou), 0.5);
    near(V(global_iou), 0);
    add(m, "....", "1111");
    assert_true(isnan(bs_seg_metrics_last(m)));
    add(m, "1..0", "1110"); /* ignored pixels are in neither */
    bs_seg_metrics_finish(m, v);
    near(V(mean_iou), 2.0 / 3);
    near(V(global_iou), 0.5);
    bs_seg_counts k = bs_seg_metrics_counts(m);
    assert_int_equal(k.images, 3);
    assert_int_equal(k.left_out, 1);
    bs_seg_metrics_free(m);
}

static void more_classes_by_hand(void **state)
{
    (void)state;
    double          v[BS_SEG_METRIC_COUNT];
    bs_seg_metrics *m = fresh(5);
    add(m, "001122", "001222"); /* 1, 1/2, 2/3; classes 3 and 4 are absent */
    near(bs_seg_metrics_last(m), (1 + 0.5 + 2.0 / 3) / 3);
    add(m, "0000", "0003"); /* 3/4 and 0 for the class that is only predicted */
    near(bs_seg_metrics_last(m), 0.375);
    bs_seg_metrics_finish(m, v);
    near(V(mean_iou), ((1 + 0.5 + 2.0 / 3) / 3 + 0.375) / 2);
    near(V(pixel_accuracy), 8.0 / 10);
    near(V(global_iou), 8.0 / 12);
    near(V(class_iou), (5.0 / 6 + 0.5 + 2.0 / 3 + 0) / 4); /* four of five occur */
    near(V(mean_class_accuracy), (5.0 / 6 + 0.5 + 1) / 3);
    bs_class_score row[5];
    bs_seg_metrics_classes(m, row);
    assert_true(isnan(row[4].iou) && isnan(row[4].recall));
    bs_seg_metrics_free(m);
}

static void properties(void **state)
{
    (void)state;
    for (int seed = 0; seed < 50; seed++) {
        bs_rng          r = bs_rng_make((uint64_t)seed, 0, 9);
        const int       C = 2 + (int)bs_rng_below(&r, 4);
        bs_seg_metrics *m = fresh(C), *perfect = fresh(C);
        double          v[BS_SEG_METRIC_COUNT];
        for (int i = 0; i < 6; i++) {
            uint8_t g[40], p[40];
            for (int k = 0; k < 40; k++) {
                g[k] = (uint8_t)bs_rng_below(&r, (uint32_t)C);
                p[k] = (uint8_t)bs_rng_below(&r, (uint32_t)C);
            }
            assert_int_equal(bs_seg_metrics_add(m, g, p, 40, NULL), BASIN_OK);
            assert_int_equal(bs_seg_metrics_add(perfect, g, g, 40, NULL), BASIN_OK);
        }
        bs_seg_metrics_finish(m, v);
        for (int k = 0; k < BS_SEG_METRIC_COUNT; k++)
            assert_true(v[k] >= bs_seg_metric_table[k].least &&
                        v[k] <= bs_seg_metric_table[k].greatest);
        bs_seg_metrics_finish(perfect, v);
        for (int k = 0; k < BS_SEG_METRIC_COUNT; k++)
            near(v[k], 1);
        bs_seg_metrics_free(m);
        bs_seg_metrics_free(perfect);
    }
}

static void intervals_and_tests(void **state)
{
    (void)state;
    bs_seg_metrics *a = fresh(2), *b = fresh(2);
    bs_rng          r = bs_rng_make(3, 0, 9);
    double          v[BS_SEG_METRIC_COUNT];
    bs_interval     out[BS_SEG_METRIC_COUNT];
    bs_paired       pair[BS_SEG_METRIC_COUNT];
    bs_sampled      x, y;
    basin_error     err = {0};
    for (int i = 0; i < 60; i++) {
        uint8_t g[50], p[50], q[50];
        for (int k = 0; k < 50; k++) {
            g[k] = (uint8_t)bs_rng_bernoulli(&r, 0.4);
            p[k] = (uint8_t)(g[k] ^ bs_rng_bernoulli(&r, 0.3));
            q[k] = (uint8_t)(g[k] ^ bs_rng_bernoulli(&r, 0.1));
        }
        assert_int_equal(bs_seg_metrics_add(a, g, p, 50, NULL), BASIN_OK);
        assert_int_equal(bs_seg_metrics_add(b, g, q, 50, NULL), BASIN_OK);
    }
    bs_seg_metrics_finish(a, v);
    assert_int_equal(bs_seg_metrics_sampled(a, &x, &err), BASIN_OK);
    assert_int_equal(bs_bootstrap(&x, 1, 400, 0.95, out, &err), BASIN_OK);
    for (int k = 0; k < BS_SEG_METRIC_COUNT; k++) {
        near(out[k].value, v[k]);
        assert_true(out[k].lo < v[k] && out[k].hi > v[k] && out[k].sd > 0);
    }
    assert_int_equal(bs_seg_metrics_sampled(b, &y, &err), BASIN_OK);
    assert_int_equal(bs_paired_bootstrap(&x, &y, 1, 400, 0.95, pair, &err), BASIN_OK);
    assert_true(pair[BS_SEG_METRIC_mean_iou].difference > 0.2 &&
                pair[BS_SEG_METRIC_mean_iou].p < 0.02);
    assert_int_equal(bs_randomisation(&x, &y, 1, 400, pair, &err), BASIN_OK);
    assert_true(pair[BS_SEG_METRIC_global_iou].p < 0.02);
    bs_seg_metrics_free(a);
    bs_seg_metrics_free(b);

    bs_seg_metric_options o = {.keep_images = false};
    assert_int_equal(bs_seg_metrics_new(&o, 2, &a, &err), BASIN_OK);
    assert_int_equal(bs_seg_metrics_sampled(a, &x, &err), BASIN_EARG);
    bs_seg_metrics_free(a);
}

static void refusals_and_names(void **state)
{
    (void)state;
    basin_error           err = {0};
    bs_seg_metrics       *m = fresh(2);
    bs_seg_metric_options o = {0};
    static const uint8_t  gold[] = {0, 1, 2}, fine[] = {0, 1, 1}, bad[] = {0, 1, 255};
    assert_int_equal(bs_seg_metrics_add(m, gold, fine, 3, &err), BASIN_EARG);
    assert_non_null(strstr(err.msg, "pixel 2 of the gold mask has the class 2 of 2"));
    assert_int_equal(bs_seg_metrics_add(m, fine, bad, 3, &err), BASIN_EARG);
    assert_int_equal(bs_seg_metrics_counts(m).images, 0);
    bs_seg_metrics_free(m);
    assert_int_equal(bs_seg_metrics_new(&o, 1, &m, &err), BASIN_EARG);
    assert_int_equal(bs_seg_metrics_new(&o, 256, &m, &err), BASIN_EARG);
    for (long at = 1, done = 0; !done; at++) {
        bs_mem_fail_at(at);
        m = NULL;
        basin_status s = bs_seg_metrics_new(&o, 2, &m, &err);
        if (!s)
            s = bs_seg_metrics_add(m, fine, fine, 3, &err);
        bs_mem_fail_at(0);
        bs_seg_metrics_free(m);
        done = s == BASIN_OK;
        assert_true(done || s == BASIN_ENOMEM);
    }
}

static void decisions(void **state)
{
    (void)state;
    static const float one[] = {0.5f, 0.4999f, 1}, two[] = {0.5f, 0.6f, 0.1f, 0.5f, 0.4f, 0.9f};
    static const float three[] = {0.2f, 0.4f, 0.4f, 0.4f, 0.4f, 0.2f};
    uint8_t            out[3];
    bs_seg_decide(one, 1, 3, out);
    assert_memory_equal(out, "\1\0\1", 3);
    bs_seg_decide(two, 2, 3, out);
    assert_memory_equal(out, "\1\0\1", 3);
    bs_seg_decide(three, 3, 2, out);
    assert_memory_equal(out, "\1\0", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes_by_hand),
        cmocka_unit_test(empty_and_ignored),
        cmocka_unit_test(more_classes_by_hand),
        cmocka_unit_test(properties),
        cmocka_unit_test(intervals_and_tests),
        cmocka_unit_test(refusals_and_names),
        cmocka_unit_test(decisions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
