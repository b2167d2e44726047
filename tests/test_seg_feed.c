/* test_seg_feed.c -- windows of photos as batches for training: where they lie, what of them
 * counts, their light. */
#include "seg_feed.h"

/* The windows of an epoch by photo: pixels, what counts, gold. */
typedef struct {
    real photo[IMAGES][3 * WINDOW * WINDOW], there[IMAGES][WINDOW * WINDOW],
        gold[IMAGES][3 * WINDOW * WINDOW];
} epoch;

static epoch *epoch_of(fed *f, int number)
{
    epoch        *e = calloc(1, sizeof *e);
    int32_t       order[IMAGES];
    bs_rng        rng = bs_rng_make(7, (uint64_t)number, 3);
    const int32_t most = f->s.train.batch;
    const size_t  cells = WINDOW * WINDOW;
    const size_t  C = (size_t)bs_preprocess_seg(&f->known)->channels,
                 P = (size_t)bs_seg_planes(bs_net_spec_seg(&f->spec));
    f->feed->order(f->feed, &rng, order);
    for (int32_t at = 0, n; at < IMAGES; at += n) {
        n = f->feed->fits(f->feed, order + at, IMAGES - at < most ? IMAGES - at : most);
        assert_true(n >= 1 && n <= most);
        const bs_batch *b = f->feed->rows(f->feed, order + at, n);
        assert_int_equal(b->size.rows, n);
        assert_int_equal(b->size.length, WINDOW);
        assert_int_equal(b->size.width, WINDOW);
        for (int32_t i = 0; i < n; i++) {
            const size_t k = (size_t)i;
            memcpy(e->photo[order[at + i]], (const real *)b->x[0] + k * C * cells,
                   C * cells * sizeof(real));
            memcpy(e->there[order[at + i]], (const real *)b->x[1] + k * cells,
                   cells * sizeof(real));
            memcpy(e->gold[order[at + i]], (const real *)b->gold + k * P * cells,
                   P * cells * sizeof(real));
        }
    }
    return e;
}

static void windows_do_not_depend_on_batches(void **state)
{
    (void)state;
    bs_images *im = made("");
    epoch     *first = NULL;
    for (int batch = 1; batch <= 8; batch += 3)
        for (int number = 1; number <= 2; number++) {
            fed   *f = feed_of(im, "seg.flip=yes", batch);
            epoch *e = epoch_of(f, number);
            if (!first) {
                first = e;
            } else {
                int same = memcmp(e, first, sizeof *e) == 0;
                assert_int_equal(same, number == 1);
                free(e);
            }
            fed_free(f);
        }
    free(first);
    bs_images_free(im);
}

/* Whether the window of an epoch is that of the photo at this place. */
static bool lies_at(const bs_images *im, const epoch *e, int i, int x, int y, bool flip)
{
    for (int k = 0; k < WINDOW * WINDOW; k++) {
        int col = x + (flip ? WINDOW - 1 - k % WINDOW : k % WINDOW), row = y + k / WINDOW;
        int at = row * SIZE + col;
        for (int c = 0; c < im->channels; c++)
            if (fabs((double)e->photo[i][c * WINDOW * WINDOW + k] -
                     im->pixels[i][c * SIZE * SIZE + at] / 255.0) > 1e-6)
                return false;
        if (e->there[i][k] != (im->mask[i][at] != BS_IGNORE) ||
            e->gold[i][k] != (im->mask[i][at] == 1))
            return false;
    }
    return true;
}

static void windows_are_pieces_of_the_photos(void **state)
{
    (void)state;
    bs_images *im = made("channels=3");
    int        flipped = 0, places = 0;
    for (int i = 0; i < IMAGES; i++)
        im->mask[i][5 * SIZE + 5] = BS_IGNORE; /* in every window */
    fed   *f = feed_of(im, "seg.flip=yes", 6);
    epoch *e = epoch_of(f, 1);
    assert_int_equal(bs_preprocess_seg(&f->known)->width, WINDOW);
    for (int i = 0; i < IMAGES; i++) {
        bool found = false;
        for (int k = 0; k < 2 * 25 && !found; k++) {
            found = lies_at(im, e, i, k / 2 % 5, k / 10, k % 2);
            flipped += found && k % 2;
            places |= found ? 1 << k / 2 : 0;
        }
        assert_true(found);
    }
    assert_true(flipped > 3 && flipped < 17);
    assert_true(__builtin_popcount((unsigned)places) > 5);
    free(e);
    fed_free(f);
    bs_images_free(im);
}

static void what_is_outside_or_unknown_does_not_count(void **state)
{
    (void)state;
    bs_images *im = made("");
    im->mask[3] = NULL;
    im->width[4] = im->height[4] = 8; /* the window is around the photo */
    im->equal = false;
    fed   *f = feed_of(im, "seg.crop=12x12", 5);
    epoch *e = epoch_of(f, 1);
    for (int k = 0; k < WINDOW * WINDOW; k++) {
        assert_true(e->there[3][k] == 0);
        bool inside = k % WINDOW >= 2 && k % WINDOW < 10 && k / WINDOW >= 2 && k / WINDOW < 10;
        assert_true(e->there[4][k] == inside);
        assert_true(e->there[4][k] > 0 || (e->photo[4][k] == 0 && e->gold[4][k] == 0));
        assert_true(e->there[0][k] == 1);
    }
    free(e);
    fed_free(f);
    bs_images_free(im);
}

static void the_mean_colour_is_subtracted(void **state)
{
    (void)state;
    bs_images *im = made("channels=3");
    fed       *f = feed_of(im, "seg.mean=yes seg.crop=12", 5);
    epoch     *e = epoch_of(f, 1);
    double     sum = 0;
    for (int i = 0; i < IMAGES; i++)
        for (int k = 0; k < 3 * WINDOW * WINDOW; k++)
            sum += (double)e->photo[i][k];
    assert_true(bs_preprocess_seg(&f->known)->mean[0] > 100 &&
                bs_preprocess_seg(&f->known)->mean[0] < 156);
    assert_true(fabs(sum / (IMAGES * 3 * WINDOW * WINDOW)) < 0.02);
    free(e);
    fed_free(f);
    bs_images_free(im);
}

/* Every channel of a window is a line through its values: one slope a window, within the range
 * that was asked for; the line meets grey near grey. */
static void light_varies_from_window_to_window(void **state)
{
    (void)state;
    const double jitter = 0.4;
    const int    cells = WINDOW * WINDOW;
    bs_images   *im = made("channels=3");
    fed         *still = feed_of(im, "", 6), *varied = feed_of(im, "seg.jitter=0.4", 6);
    epoch       *a = epoch_of(still, 1), *b = epoch_of(varied, 1);
    double       least = 9, most = -9;
    for (int i = 0; i < IMAGES; i++) {
        double slope = 0;
        for (int c = 0; c < 3; c++) {
            const real *x = a->photo[i] + c * cells, *y = b->photo[i] + c * cells;
            int         low = 0, high = 0;
            for (int k = 1; k < cells; k++) {
                low = x[k] < x[low] ? k : low;
                high = x[k] > x[high] ? k : high;
            }
            double s = (double)(y[high] - y[low]) / (double)(x[high] - x[low]);
            for (int k = 0; k < cells; k++)
                assert_true(fabs((double)y[low] + s * (double)(x[k] - x[low]) - (double)y[k]) <
                            1e-4);
            assert_true(c == 0 || fabs(s - slope) < 1e-3);
            double grey = (double)y[low] + s * (0.5 - (double)x[low]) - 0.5;
            assert_true(fabs(grey) <= 0.75 * jitter + 1e-3);
            slope = s;
        }
        assert_true(fabs(slope - 1) <= jitter + 1e-3);
        least = slope < least ? slope : least;
        most = slope > most ? slope : most;
    }
    assert_true(most - least > jitter);
    free(a);
    free(b);
    fed_free(still);
    fed_free(varied);
    bs_images_free(im);
}

static void every_allocation_of_a_feed_may_fail(void **state)
{
    bs_images   *im = made("");
    fed         *f = feed_of(im, "", 4);
    basin_status s = BASIN_ENOMEM;
    (void)state;
    for (long n = 1; s; n++) {
        const long  live = bs_mem_live();
        bs_batches *feed = NULL;
        bs_mem_fail_at(n);
        s = bs_task_seg.feed(&f->part, &f->known, &f->spec, &f->s.train, &feed, NULL);
        bs_mem_fail_at(0);
        assert_int_equal(s, feed ? BASIN_OK : BASIN_ENOMEM);
        if (feed)
            feed->free(feed);
        assert_int_equal(bs_mem_live(), live);
    }
    fed_free(f);
    bs_images_free(im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_do_not_depend_on_batches),
        cmocka_unit_test(windows_are_pieces_of_the_photos),
        cmocka_unit_test(what_is_outside_or_unknown_does_not_count),
        cmocka_unit_test(the_mean_colour_is_subtracted),
        cmocka_unit_test(light_varies_from_window_to_window),
        cmocka_unit_test(every_allocation_of_a_feed_may_fail),
    };
    return cmocka_run_group_tests_name("windows of photos", tests, NULL, NULL);
}
