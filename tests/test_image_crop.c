/* test_image_crop.c -- windows, their offsets, pasting; overlays. */
#include <math.h>

#include "data/image/crop.h"
#include "data/image/overlay.h"
#include "image_helper.h"

static void offsets(void **state)
{
    (void)state;
    int o[BS_MOST_OFFSETS];
    assert_int_equal(bs_crop_offsets(32, 24, o), 6);
    assert_memory_equal(o, ((int[]){0, 2, 3, 4, 6, 8}), 6 * sizeof *o);
    assert_int_equal(bs_crop_offsets(64, 48, o), 6);
    assert_memory_equal(o, ((int[]){0, 4, 6, 8, 12, 16}), 6 * sizeof *o);
    assert_int_equal(bs_crop_offsets(10, 10, o), 1);
    assert_int_equal(o[0], 0);
    assert_int_equal(bs_crop_offsets(10, 14, o), 1);
    assert_int_equal(o[0], -2);
    assert_int_equal(bs_crop_offsets(10, 8, o), 3); /* 0, 1, 2 */
    for (int size = 1; size < 300; size += 7)
        for (int window = 1; window < 60; window += 3) {
            int n = bs_crop_offsets(size, window, o);
            if (size <= window)
                continue;
            /* From end to end without gaps. */
            assert_int_equal(o[0], 0);
            assert_int_equal(o[n - 1], size - window);
            for (int i = 1; i < n && n < BS_MOST_OFFSETS; i++)
                assert_true(o[i] > o[i - 1] && o[i] - o[i - 1] <= window);
        }
}

static void windows(void **state)
{
    (void)state;
    uint8_t image[2 * 12], to[2 * 6];
    float   f[2 * 6];
    for (int i = 0; i < 24; i++)
        image[i] = (uint8_t)(i + 1); /* 4 wide, 3 high, two planes */
    bs_crop c = {.x = 1, .y = 1, .width = 3, .height = 2};
    bs_crop_bytes(image, 2, 4, 3, &c, to);
    assert_memory_equal(to, ((uint8_t[]){6, 7, 8, 10, 11, 12, 18, 19, 20, 22, 23, 24}), 12);
    c.flip = true;
    bs_crop_bytes(image, 1, 4, 3, &c, to);
    assert_memory_equal(to, ((uint8_t[]){8, 7, 6, 12, 11, 10}), 6);
    bs_crop outside = {.x = -1, .y = 2, .width = 3, .height = 2};
    bs_crop_bytes(image, 1, 4, 3, &outside, to);
    assert_memory_equal(to, ((uint8_t[]){0, 9, 10, 0, 0, 0}), 6);
    bs_crop_mask(image, 4, 3, &outside, to);
    assert_memory_equal(to, ((uint8_t[]){255, 9, 10, 255, 255, 255}), 6);
    bs_crop_float(image, 1, 4, 3, &outside, NULL, NULL, f);
    assert_true(f[0] == 0 && fabs((double)f[1] - 9.0 / 255) < 1e-7);
    bs_crop_float(image, 2, 4, 3, &c, (float[]){5, 7}, (float[]){2, 3}, f);
    assert_true(f[0] == 6 && f[6] == 39); /* (8 - 5) * 2, (20 - 7) * 3 */
}

static void random_windows(void **state)
{
    (void)state;
    bs_rng r = bs_rng_make(1, 2, 3);
    int    seen[9] = {0}, flips = 0;
    for (int i = 0; i < 2000; i++) {
        bs_crop c = bs_crop_random(&r, 32, 40, 24, 40, 0.25);
        assert_true(c.x >= 0 && c.x <= 8 && c.y == 0 && c.width == 24 && c.height == 40);
        seen[c.x]++;
        flips += c.flip;
    }
    for (int i = 0; i < 9; i++)
        assert_true(seen[i] > 150);
    assert_true(flips > 400 && flips < 600);
    bs_crop c = bs_crop_random(&r, 10, 10, 16, 16, 0);
    assert_true(c.x == -3 && c.y == -3 && !c.flip);
    assert_int_equal(r.next, 3 * 2001);
}

/* Windows of a map, pasted, give the map back. */
static void pasting(void **state)
{
    (void)state;
    enum { W = 11, H = 9, w = 6, h = 5 };
    uint8_t     map[W * H], cut[w * h];
    float       p[2 * w * h], out[2 * W * H];
    int         ox[BS_MOST_OFFSETS], oy[BS_MOST_OFFSETS];
    bs_paste    paste;
    basin_error err = {0};
    for (int i = 0; i < W * H; i++)
        map[i] = (uint8_t)(i * 2 + 1);
    assert_int_equal(bs_paste_new(2, W, H, &paste, &err), BASIN_OK);
    int nx = bs_crop_offsets(W, w, ox), ny = bs_crop_offsets(H, h, oy);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < nx * ny; i++) {
            bs_crop c = {ox[i % nx], oy[i / nx], w, h, i % 2, false};
            bs_crop_bytes(map, 1, W, H, &c, cut);
            for (int k = 0; k < w * h; k++) {
                p[k] = cut[k];
                p[w * h + k] = (float)-cut[k];
            }
            bs_paste_add(&paste, &c, p);
        }
        bs_paste_mean(&paste, -1, out);
        for (int i = 0; i < W * H; i++)
            assert_true(fabsf(out[i] - (float)map[i]) < 1e-4f &&
                        fabsf(out[W * H + i] + (float)map[i]) < 1e-4f);
        bs_paste_clear(&paste);
    }
    bs_crop c = {-2, -2, w, h, false, false};
    bs_paste_add(&paste, &c, p);
    bs_paste_mean(&paste, 7, out);
    assert_true(out[W * H - 1] == 7 && out[0] == p[2 * w + 2]);
    bs_paste_free(&paste);
    bs_mem_fail_at(2);
    assert_int_equal(bs_paste_new(2, W, H, &paste, &err), BASIN_ENOMEM);
    bs_mem_fail_at(0);
    assert_null(paste.sum);
}

static void overlays(void **state)
{
    (void)state;
    static const uint8_t photo[3 * 6] = {10, 20, 30, 40, 50, 60, 10, 20, 30,
                                         40, 50, 60, 10, 20, 30, 40, 50, 60};
    static const uint8_t mask[6] = {0, 1, 1, 0, 1, 255}, other[6] = {0, 1, 0, 1, 1, 1};
    bs_buf               png;
    bs_picture           p;
    basin_error          err = {0};
    bs_buf_init(&png, 1 << 20);
    assert_int_equal(bs_overlay(photo, 3, 3, 2, mask, 4, &png, &err), BASIN_OK);
    assert_int_equal(bs_picture_decode("o", png.data, png.len, BS_PICTURE_PHOTO, NULL, &p, &err),
                     BASIN_OK);
    assert_int_equal(p.width, 12);
    assert_int_equal(p.height, 8);
    assert_memory_equal(p.pixels + 3, ((uint8_t[]){10, 10, 10}), 3); /* background: the photo */
    uint8_t tint[3];
    bs_class_colour(1, tint);
    assert_memory_equal(p.pixels + (12 + 4) * 3, tint, 3); /* border */
    bs_picture_free(&p);

    bs_buf_clear(&png);
    assert_int_equal(bs_overlay_compare(photo, 1, 3, 2, mask, other, 2, 0, &png, &err), BASIN_OK);
    assert_int_equal(bs_picture_decode("o", png.data, png.len, BS_PICTURE_PHOTO, NULL, &p, &err),
                     BASIN_OK);
    assert_int_equal(p.width, 3 * 3 * 64 + 8); /* 86 times would be 256, 64 is the limit */
    bs_picture_free(&p);
    bs_buf_clear(&png);
    for (long at = 1, done = 0; !done; at++) {
        long live = bs_mem_live();
        bs_mem_fail_at(at);
        basin_status s = bs_overlay_compare(photo, 1, 3, 2, mask, other, 2, 0, &png, &err);
        bs_mem_fail_at(0);
        assert_true(s == BASIN_OK || s == BASIN_ENOMEM);
        done = s == BASIN_OK;
        assert_true(done || bs_mem_live() <= live + 1); /* the buffer may have grown */
        bs_buf_free(&png);
        bs_buf_init(&png, 1 << 20);
    }
    bs_buf_clear(&png);
    assert_int_equal(bs_mask_png(mask, 3, 2, 2, &png, &err), BASIN_OK);
    assert_int_equal(bs_picture_decode("o", png.data, png.len, BS_PICTURE_MASK, NULL, &p, &err),
                     BASIN_OK);
    assert_memory_equal(p.pixels, mask, 6);
    bs_picture_free(&p);
    bs_buf_free(&png);
}

/* Beyond its edges a photo goes on as at the edge, and so does its mask. */
static void moved_windows_extend_the_photo(void **state)
{
    enum { W = 8, H = 12, MOVES = 200 };
    uint8_t photo[W * H], mask[W * H], seen[W * H], truth[W * H];
    bool    left = false, down = false;
    (void)state;
    for (int i = 0; i < W * H; i++) {
        photo[i] = (uint8_t)(i + 1);
        mask[i] = (uint8_t)(i % 2);
    }
    for (int i = 0; i < MOVES; i++) {
        bs_rng  rng = bs_rng_make(1, (uint64_t)i, 0);
        bs_crop c = bs_crop_random(&rng, W, H, W, H, 0.5);
        bs_crop_shift(&rng, 0.25, W, H, &c);
        assert_true(c.x >= -2 && c.x <= 2 && c.y >= -3 && c.y <= 3);
        left |= c.x == -2;
        down |= c.y == 2;
        bs_crop_bytes(photo, 1, W, H, &c, seen);
        bs_crop_mask(mask, W, H, &c, truth);
        for (int k = 0; k < W * H; k++) {
            int x = c.x + (c.flip ? W - 1 - k % W : k % W), y = c.y + k / W;
            x = x < 0 ? 0 : x >= W ? W - 1 : x;
            y = y < 0 ? 0 : y >= H ? H - 1 : y;
            assert_int_equal(seen[k], photo[y * W + x]);
            assert_int_equal(truth[k], mask[y * W + x]);
        }
    }
    assert_true(left && down);
    bs_rng    rng = bs_rng_make(1, 0, 0);
    bs_crop   large = bs_crop_random(&rng, W, H, 2 * W, H, 0);
    const int x = large.x;
    bs_crop_shift(&rng, 0.25, W, H, &large);
    assert_true(large.x == x && !large.extend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets),        cmocka_unit_test(windows),
        cmocka_unit_test(random_windows), cmocka_unit_test(pasting),
        cmocka_unit_test(overlays),       cmocka_unit_test(moved_windows_extend_the_photo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
