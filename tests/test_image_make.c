/* test_image_make.c -- generated shapes: what is known about them, and writing them. */
#include <math.h>

#include "tasks/seg/make.h"
#include "data/image/seg_metric.h"
#include "image_set.h"

static bs_make_seg_options make_options(int images)
{
    bs_make_seg_options o;
    assert_int_equal(bs_options_default(bs_make_seg_rows, &o, NULL), BASIN_OK);
    o.images = images;
    return o;
}

static bs_images *made(const bs_make_seg_options *o, bs_make_seg_truth *t)
{
    bs_images  *im;
    basin_error err = {0};
    if (bs_make_seg(o, &im, t, &err))
        fail_msg("%s", err.msg);
    return im;
}

static void the_truth_is_plausible(void **state)
{
    (void)state;
    bs_make_seg_options o = make_options(60);
    bs_make_seg_truth   t, clear, blind;
    bs_images          *im = made(&o, &t);
    assert_int_equal(im->n, 60);
    assert_int_equal(im->parts[1] + 100 * im->parts[2] + 10000 * im->parts[3], 150936);
    assert_true(t.best >= t.likely && t.best >= t.pixels);
    assert_true(t.best > 0.9 && t.window < 0.75 && t.local < 0.45);
    assert_true(t.accuracy > 0.97 && t.accuracy <= 1);
    bs_images_free(im);
    /* What is expected comes true, also where much is uncertain. */
    o.images = 200;
    for (int k = 0; k < 3; k++) {
        o.noise = 40 + 40 * k;
        o.polarity = k != 1;
        bs_images_free(made(&o, &t));
        assert_true(fabs(t.best - t.reached) < 0.025);
    }
    o = make_options(60);
    o.noise = 2; /* nothing in the way: only holes can hide something */
    bs_images_free(made(&o, &clear));
    assert_true(clear.best > 0.98);
    o.contrast = 0; /* nothing to be seen: only the places of shapes are known */
    bs_images_free(made(&o, &blind));
    assert_true(blind.best < 0.45);
    assert_true(fabs(blind.best - blind.local) < 0.1);
}

/* The expected scores of the generator are those that masks reach. */
static void expectations_are_met(void **state)
{
    (void)state;
    bs_make_seg_options o = make_options(150);
    bs_make_seg_truth   t;
    o.polarity = false;
    o.holes = 0;
    o.noise = 3;
    bs_images      *im = made(&o, &t);
    bs_seg_metrics *m;
    double          v[BS_SEG_METRIC_COUNT];
    assert_int_equal(bs_seg_metrics_new(&(bs_seg_metric_options){0}, 2, &m, NULL), BASIN_OK);
    for (int32_t i = 0; i < im->n; i++) {
        uint8_t guess[32 * 32];
        for (int k = 0; k < 32 * 32; k++)
            guess[k] = im->pixels[i][k] + im->pixels[i][1024 + k] + im->pixels[i][2048 + k] > 384;
        assert_int_equal(bs_seg_metrics_add(m, im->mask[i], guess, 1024, NULL), BASIN_OK);
    }
    bs_seg_metrics_finish(m, v);
    assert_true(v[BS_SEG_METRIC_mean_iou] > 0.999 && t.local > 0.999 && t.best > 0.999999);
    bs_seg_metrics_free(m);
    bs_images_free(im);
}

static void seeds_and_sizes(void **state)
{
    (void)state;
    bs_make_seg_options o = make_options(5);
    bs_images          *a = made(&o, NULL), *b = made(&o, NULL);
    assert_true(a->hash == b->hash);
    bs_images_free(b);
    o.images = 3; /* more images do not change the first ones */
    b = made(&o, NULL);
    assert_memory_equal(a->pixels[2], b->pixels[2], 3 * 1024);
    bs_images_free(b);
    o.seed = 1;
    b = made(&o, NULL);
    assert_memory_not_equal(a->pixels[0], b->pixels[0], 3 * 1024);
    bs_images_free(a);
    bs_images_free(b);
    for (int size = 16; size <= 256; size += 40) {
        o = make_options(2);
        o.size = size;
        o.channels = 1;
        snprintf(o.kinds, sizeof o.kinds, "ring");
        a = made(&o, NULL);
        assert_int_equal(a->width[1], size);
        bs_images_free(a);
    }
    basin_error err;
    o.channels = 2;
    assert_int_equal(bs_make_seg(&o, &a, NULL, &err), BASIN_EARG);
    assert_null(a);
    o.channels = 1;
    o.test = 0.5;
    o.valid = 0.5;
    assert_int_equal(bs_make_seg(&o, &a, NULL, &err), BASIN_EARG);
}

static void written_sets_read_back(void **state)
{
    (void)state;
    static const char *const ends[] = {"", ".tar", ".tar.gz", ".tar.xz", ".zip"};
    char                     folder[] = "/tmp/basin-shapes-XXXXXX", path[200], command[300];
    const char              *list[] = {path};
    bs_make_seg_options      o = make_options(8);
    bs_image_options         r = bs_image_options_default();
    bs_images               *im = made(&o, NULL), *again;
    basin_error              err = {0};
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(path, sizeof path, "%s/set%s", folder, ends[i]);
        if (bs_images_write(im, path, "{\"made\": true}\n", &err) ||
            bs_images_read(list, 1, &r, NULL, &again, NULL, &err))
            fail_msg("%s", err.msg);
        assert_true(again->hash == im->hash);
        assert_string_equal(again->class_name[1], "figure");
        assert_memory_equal(again->parts, im->parts, sizeof im->parts);
        bs_images_free(again);
    }
    /* The same bytes every time. */
    bs_buf one, two;
    bs_buf_init(&one, 1 << 22);
    bs_buf_init(&two, 1 << 22);
    snprintf(path, sizeof path, "%s/set.tar.gz", folder);
    assert_int_equal(bs_read_file(path, &one, &err), BASIN_OK);
    assert_int_equal(bs_images_write(im, path, "{\"made\": true}\n", &err), BASIN_OK);
    assert_int_equal(bs_read_file(path, &two, &err), BASIN_OK);
    assert_int_equal(one.len, two.len);
    assert_memory_equal(one.data, two.data, one.len);
    bs_buf_free(&one);
    bs_buf_free(&two);

    for (long at = 1, done = 0; !done; at++) {
        long live = bs_mem_live();
        snprintf(path, sizeof path, "%s/fails.tar", folder);
        bs_mem_fail_at(at);
        basin_status s = bs_images_write(im, path, NULL, &err);
        bs_mem_fail_at(0);
        assert_true(s == BASIN_OK || s == BASIN_ENOMEM);
        assert_int_equal(bs_mem_live(), live);
        done = s == BASIN_OK;
    }
    snprintf(path, sizeof path, "%s/absent/x.tar", folder);
    assert_int_equal(bs_images_write(im, path, NULL, &err), BASIN_EIO);
    const char  *bad[8] = {"a", "b", "c", "../d", "e", "f", "g", "h"};
    const char **keep = im->name;
    im->name = bad;
    assert_int_equal(bs_images_write(im, folder, NULL, &err), BASIN_EDATA);
    im->name = keep;
    bs_images_free(im);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    bs_make_seg_options o = make_options(2);
    o.size = 96; /* so large that arrays have blocks of their own */
    for (long at = 1, done = 0; !done; at++) {
        bs_images        *im;
        bs_make_seg_truth t;
        basin_error       err;
        long              live = bs_mem_live(), calls = bs_mem_calls();
        bs_mem_fail_at(at);
        basin_status s = bs_make_seg(&o, &im, &t, &err);
        bs_mem_fail_at(0);
        done = bs_mem_calls() - calls < at; /* none has failed */
        assert_true(done ? s == BASIN_OK : s == BASIN_ENOMEM && !im);
        bs_images_free(im);
        assert_int_equal(bs_mem_live(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_truth_is_plausible), cmocka_unit_test(expectations_are_met),
        cmocka_unit_test(seeds_and_sizes),        cmocka_unit_test(written_sets_read_back),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
