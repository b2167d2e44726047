/* test_image_resize.c -- other sizes: exact areas, majorities, interpolation. */
#include "tests/check.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "data/image/resize.h"

/* The same by its definition, in doubles. */
static double area_at(const uint8_t *from, int w, int h, int X, int Y, int W, int H)
{
    double sum = 0, x0 = (double)X * w / W, x1 = (double)(X + 1) * w / W;
    double y0 = (double)Y * h / H, y1 = (double)(Y + 1) * h / H;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double u = fmin(x1, x + 1) - fmax(x0, x), v = fmin(y1, y + 1) - fmax(y0, y);
            if (u > 0 && v > 0)
                sum += u * v * from[y * w + x];
        }
    return sum / ((x1 - x0) * (y1 - y0));
}

static void areas_are_exact(void **state)
{
    (void)state;
    static const int sizes[][4] = {{8, 8, 4, 4}, {7, 5, 3, 2}, {13, 9, 4, 9},
                                   {3, 3, 5, 7}, {1, 1, 4, 4}, {10, 1, 3, 1}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const int w = sizes[k][0], h = sizes[k][1], W = sizes[k][2], H = sizes[k][3];
        uint8_t   from[2 * 13 * 9], to[2 * 64];
        bs_rng    r = bs_rng_make(k, 0, 1);
        for (int i = 0; i < 2 * w * h; i++)
            from[i] = (uint8_t)bs_rng_below(&r, 256);
        assert_int_equal(bs_resize_area(from, 2, w, h, to, W, H, NULL), BASIN_OK);
        for (int c = 0; c < 2; c++)
            for (int i = 0; i < W * H; i++) {
                double want = area_at(from + c * w * h, w, h, i % W, i / W, W, H);
                assert_true(fabs(want - to[c * W * H + i]) < 0.5 + 1e-9);
            }
    }
    static const uint8_t half[] = {0, 1, 0, 1};
    uint8_t              one;
    assert_int_equal(bs_resize_area(half, 1, 2, 2, &one, 1, 1, NULL), BASIN_OK);
    assert_int_equal(one, 1); /* halves go up */
}

static void majorities(void **state)
{
    (void)state;
    static const uint8_t m[] = {0, 0, 3, 3, 0, 1, 3, 2, 5, 5, 1, 1, 4, 4, 2, 255};
    uint8_t              to[4], wide[24];
    assert_int_equal(bs_resize_majority(m, 4, 4, to, 2, 2, NULL), BASIN_OK);
    assert_memory_equal(to, ((uint8_t[]){0, 3, 4, 1}), 4); /* of equals the smallest */
    static const uint8_t three[] = {1, 0, 0, 1, 1, 0, 1, 1, 1};
    assert_int_equal(bs_resize_majority(three, 3, 3, to, 2, 2, NULL), BASIN_OK);
    /* Corners weigh 4/9, edges 2/9, the middle 1/9. */
    assert_memory_equal(to, ((uint8_t[]){1, 0, 1, 1}), 4);
    assert_int_equal(bs_resize_mask(to, 2, 2, wide, 4, 6, NULL), BASIN_OK);
    for (int i = 0; i < 24; i++)
        assert_int_equal(wide[i], to[i / 12 * 2 + i % 4 / 2]);
}

static void nearest_and_identity(void **state)
{
    (void)state;
    static const uint8_t m[] = {1, 2, 3, 4, 5, 6};
    uint8_t              to[6], big[24];
    bs_resize_nearest(m, 3, 2, to, 3, 2);
    assert_memory_equal(to, m, 6);
    bs_resize_nearest(m, 3, 2, to, 1, 1);
    assert_int_equal(to[0], 5);
    bs_resize_nearest(m, 3, 2, big, 6, 4);
    assert_memory_equal(big + 12, ((uint8_t[]){4, 4, 5, 5, 6, 6}), 6);
    assert_int_equal(bs_resize_photo(m, 2, 3, 1, to, 3, 1, NULL), BASIN_OK);
    assert_memory_equal(to, m, 6);
    bs_resize_bilinear(m, 1, 3, 2, to, 3, 2);
    assert_memory_equal(to, m, 6);
}

static void bilinear_is_linear(void **state)
{
    (void)state;
    float from[4 * 3], to[16 * 12];
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++)
            from[y * 4 + x] = (float)(2 * x + 5 * y);
    bs_resize_bilinear_float(from, 1, 4, 3, to, 16, 12);
    for (int Y = 0; Y < 12; Y++)
        for (int X = 0; X < 16; X++) {
            double x = fmin(fmax((X + 0.5) / 4 - 0.5, 0), 3),
                   y = fmin(fmax((Y + 0.5) / 4 - 0.5, 0), 2);
            assert_true(fabs((double)to[Y * 16 + X] - (2 * x + 5 * y)) < 1e-5);
        }
    float one = 7, many[4];
    bs_resize_bilinear_float(&one, 1, 1, 1, many, 2, 2);
    assert_true(many[0] == 7 && many[3] == 7);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    static const uint8_t m[16];
    uint8_t              to[4];
    basin_error          err;
    bs_mem_fail_at(1);
    assert_int_equal(bs_resize_photo(m, 1, 4, 4, to, 2, 2, &err), BASIN_ENOMEM);
    bs_mem_fail_at(1);
    assert_int_equal(bs_resize_mask(m, 4, 4, to, 2, 2, &err), BASIN_ENOMEM);
    bs_mem_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_are_exact),      cmocka_unit_test(majorities),
        cmocka_unit_test(nearest_and_identity), cmocka_unit_test(bilinear_is_linear),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
