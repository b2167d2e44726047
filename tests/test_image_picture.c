/* test_image_picture.c -- PNG and JPEG files of every kind, whole and broken. */
#include "image_helper.h"

static file f;

static void gray_depths_as_mask_and_photo(void **state)
{
    (void)state;
    /* Two rows of four samples: 0 1 ... packed at 1, 2, 4, 8 bits. */
    static const uint8_t one[] = {0x50, 0xa0}, two[] = {0x1b, 0xe4},
                         four[] = {0x01, 0x23, 0x45, 0x6f}, eight[] = {0, 1, 2, 3, 4, 5, 254, 255};
    static const struct {
        int            depth;
        const uint8_t *rows;
        size_t         stride;
        uint8_t        mask[8], photo[8];
    } cases[] = {
        {1, one, 1, {0, 1, 0, 1, 1, 0, 1, 0}, {0, 255, 0, 255, 255, 0, 255, 0}},
        {2, two, 1, {0, 1, 2, 3, 3, 2, 1, 0}, {0, 85, 170, 255, 255, 170, 85, 0}},
        {4, four, 2, {0, 1, 2, 3, 4, 5, 6, 15}, {0, 17, 34, 51, 68, 85, 102, 255}},
        {8, eight, 4, {0, 1, 2, 3, 4, 5, 254, 255}, {0, 1, 2, 3, 4, 5, 254, 255}},
    };
    for (int i = 0; i < 8; i++) {
        png_kind k = {.width = 4, .height = 2, .depth = cases[i / 2].depth, .interlaced = i & 1};
        write_png(&f, &k, cases[i / 2].rows, cases[i / 2].stride);
        bs_picture m = decoded(&f, BS_PICTURE_MASK), p = decoded(&f, BS_PICTURE_PHOTO);
        assert_int_equal(m.channels, 1);
        assert_int_equal(p.channels, 1);
        assert_int_equal(p.file.depth, cases[i / 2].depth);
        assert_memory_equal(m.pixels, cases[i / 2].mask, 8);
        assert_memory_equal(p.pixels, cases[i / 2].photo, 8);
        bs_picture_free(&m);
        bs_picture_free(&p);
    }
}

static void palettes_are_index_or_colour(void **state)
{
    (void)state;
    static const png_color palette[] = {{0, 0, 0}, {200, 10, 20}, {1, 2, 3}};
    static const png_byte  trans[] = {255, 128};
    static const uint8_t   rows[] = {0x18, 0x90}; /* 0 1 2 0 / 2 1 0 0 */
    png_kind               k = {.width = 4,
                                .height = 2,
                                .depth = 2,
                                .colour = PNG_COLOR_TYPE_PALETTE,
                                .palette = palette,
                                .colours = 3};
    write_png(&f, &k, rows, 1);
    bs_picture m = decoded(&f, BS_PICTURE_MASK), p = decoded(&f, BS_PICTURE_PHOTO);
    assert_memory_equal(m.pixels, ((uint8_t[]){0, 1, 2, 0, 2, 1, 0, 0}), 8);
    assert_true(m.file.indexed);
    assert_int_equal(m.colours, 3);
    assert_int_equal(m.palette[1][0], 200);
    assert_int_equal(p.channels, 3);
    assert_memory_equal(p.pixels + 3, ((uint8_t[]){200, 10, 20}), 3);
    bs_picture_free(&m);
    bs_picture_free(&p);

    k.trans = trans;
    k.n_trans = 2;
    write_png(&f, &k, rows, 1);
    m = decoded(&f, BS_PICTURE_MASK);
    p = decoded(&f, BS_PICTURE_PHOTO);
    assert_memory_equal(m.pixels, ((uint8_t[]){0, 1, 2, 0, 2, 1, 0, 0}), 8);
    assert_int_equal(p.channels, 4);
    assert_int_equal(p.file.channels, 4);
    assert_memory_equal(p.pixels + 4, ((uint8_t[]){200, 10, 20, 128}), 4);
    bs_picture_flatten(&p);
    assert_int_equal(p.channels, 3);
    assert_memory_equal(p.pixels, ((uint8_t[]){0, 0, 0, 227, 132, 137, 1, 2, 3}), 9);
    bs_picture_free(&m);
    bs_picture_free(&p);
}

static void sixteen_bits(void **state)
{
    (void)state;
    static const uint8_t low[] = {0, 0, 0, 7, 0, 255, 0, 1}, wide[] = {0, 0, 7, 7, 255, 255, 1, 1},
                         odd[] = {0, 0, 1, 44, 0, 1, 0, 2};
    png_kind k = {.width = 2, .height = 2, .depth = 16};
    write_png(&f, &k, low, 4);
    bs_picture m = decoded(&f, BS_PICTURE_MASK);
    assert_memory_equal(m.pixels, ((uint8_t[]){0, 7, 255, 1}), 4);
    bs_picture_free(&m);
    write_png(&f, &k, wide, 4);
    m = decoded(&f, BS_PICTURE_MASK);
    assert_memory_equal(m.pixels, ((uint8_t[]){0, 7, 255, 1}), 4);
    bs_picture_free(&m);
    write_png(&f, &k, odd, 4);
    refused(f.bytes, f.n, BS_PICTURE_MASK, "the value 300");
    m = decoded(&f, BS_PICTURE_PHOTO);
    assert_memory_equal(m.pixels, ((uint8_t[]){0, 1, 0, 0}), 4);
    bs_picture_free(&m);

    /* RGB and RGBA of 16 bits. */
    uint8_t  rgb[24];
    png_kind c = {.width = 2, .height = 2, .depth = 16, .colour = PNG_COLOR_TYPE_RGB};
    for (int i = 0; i < 24; i++)
        rgb[i] = (uint8_t)(i / 2 * 20);
    write_png(&f, &c, rgb, 12);
    m = decoded(&f, BS_PICTURE_PHOTO);
    assert_int_equal(m.channels, 3);
    assert_int_equal(m.pixels[5], 100);
    bs_picture_free(&m);
    m = decoded(&f, BS_PICTURE_MASK); /* colours: the caller decides */
    assert_int_equal(m.channels, 3);
    bs_picture_free(&m);
}

static void grey_with_alpha_and_key(void **state)
{
    (void)state;
    static const uint8_t rows[] = {10, 255, 20, 0, 30, 128, 40, 1}, plain[] = {10, 20, 30, 40};
    png_kind k = {.width = 2, .height = 2, .depth = 8, .colour = PNG_COLOR_TYPE_GRAY_ALPHA};
    write_png(&f, &k, rows, 4);
    bs_picture p = decoded(&f, BS_PICTURE_PHOTO), m = decoded(&f, BS_PICTURE_MASK);
    assert_int_equal(p.channels, 4);
    assert_memory_equal(p.pixels, ((uint8_t[]){10, 10, 10, 255, 20, 20, 20, 0}), 8);
    assert_memory_equal(m.pixels, plain, 4);
    bs_picture_free(&p);
    bs_picture_free(&m);
    png_kind key = {.width = 2, .height = 2, .depth = 8, .trans_grey = 30};
    write_png(&f, &key, plain, 2);
    p = decoded(&f, BS_PICTURE_PHOTO);
    m = decoded(&f, BS_PICTURE_MASK);
    assert_int_equal(p.channels, 4);
    assert_memory_equal(p.pixels + 8, ((uint8_t[]){30, 30, 30, 0, 40, 40, 40, 255}), 8);
    assert_memory_equal(m.pixels, plain, 4);
    bs_picture_free(&p);
    bs_picture_free(&m);
}

static void colourless_rgb_masks_are_grey(void **state)
{
    (void)state;
    static const uint8_t rows[] = {0, 0, 0, 9, 1, 1, 1, 9}, colour[] = {0, 0, 0, 9, 1, 1, 2, 9};
    png_kind k = {.width = 2, .height = 1, .depth = 8, .colour = PNG_COLOR_TYPE_RGB_ALPHA};
    write_png(&f, &k, rows, 8);
    bs_picture m = decoded(&f, BS_PICTURE_MASK);
    assert_int_equal(m.channels, 1);
    assert_memory_equal(m.pixels, ((uint8_t[]){0, 1}), 2);
    bs_picture_free(&m);
    write_png(&f, &k, colour, 8);
    m = decoded(&f, BS_PICTURE_MASK);
    assert_int_equal(m.channels, 3);
    bs_picture_free(&m);
}

static void animated_png_gives_one_picture(void **state)
{
    (void)state;
    static const uint8_t rows[] = {1, 2, 3, 4}, control[8] = {0, 0, 0, 2};
    png_kind             k = {.width = 2, .height = 2, .depth = 8};
    bs_picture           p;
    basin_error          err = {0};
    write_png(&f, &k, rows, 2);
    add_chunk(&f, "acTL", control, sizeof control);
    assert_int_equal(bs_picture_decode("a.png", f.bytes, f.n, BS_PICTURE_PHOTO, NULL, &p, &err),
                     BASIN_OK);
    assert_true(p.file.animated);
    assert_memory_equal(p.pixels, rows, 4);
    bs_picture_free(&p);
}

/* What is stored as the letters of one square, and how it is to be seen. */
static void orientation_is_honoured(void **state)
{
    (void)state;
    static const char *const seen[] = {"abcdef", "cbafed", "fedcba", "defabc",
                                       "adbecf", "daebfc", "fcebda", "cfbead"};
    for (int i = 0; i < 16; i++) {
        int      orientation = i % 8 + 1;
        uint8_t  exif[40], *rows = (uint8_t[]){'a', 'b', 'c', 'd', 'e', 'f'};
        size_t   n = make_exif(exif, orientation, i >= 8, false);
        png_kind k = {.width = 3, .height = 2, .depth = 8};
        write_png(&f, &k, rows, 3);
        add_chunk(&f, "eXIf", exif, n);
        bs_picture p = decoded(&f, BS_PICTURE_PHOTO);
        assert_int_equal(p.file.orientation, orientation);
        assert_int_equal(p.width, orientation >= 5 ? 2 : 3);
        assert_int_equal(p.width, p.file.width);
        assert_int_equal(p.height, p.file.height);
        assert_memory_equal(p.pixels, seen[i % 8], 6);
        bs_picture_free(&p);
        p = decoded(&f, BS_PICTURE_MASK); /* masks are as they are */
        assert_memory_equal(p.pixels, rows, 6);
        bs_picture_free(&p);
    }
}

static void jpeg_kinds(void **state)
{
    (void)state;
    uint8_t grey[16 * 16], rgb[16 * 16 * 3], exif[40];
    for (int i = 0; i < 256; i++) {
        grey[i] = (uint8_t)(i % 16 * 16);
        rgb[3 * i] = 250, rgb[3 * i + 1] = 120, rgb[3 * i + 2] = 10;
    }
    for (int i = 0; i < 4; i++) {
        jpeg_kind k = {.width = 16,
                       .height = 16,
                       .channels = i & 1 ? 3 : 1,
                       .space = i & 1 ? JCS_RGB : JCS_GRAYSCALE,
                       .progressive = i & 2};
        write_jpeg(&f, &k, i & 1 ? rgb : grey);
        bs_picture p = decoded(&f, BS_PICTURE_PHOTO);
        assert_int_equal(p.channels, k.channels);
        for (int j = 0; j < 256 * k.channels; j++)
            assert_true(abs(p.pixels[j] - (i & 1 ? rgb : grey)[j]) < 6);
        bs_picture_free(&p);
        refused(f.bytes, f.n, BS_PICTURE_MASK, "convert it to PNG");
    }
    /* Left to right becomes top to bottom. */
    jpeg_kind k = {.width = 16, .height = 8, .channels = 1, .space = JCS_GRAYSCALE, .exif = exif};
    k.n_exif = make_exif(exif, 6, true, true);
    write_jpeg(&f, &k, grey);
    bs_picture p = decoded(&f, BS_PICTURE_PHOTO);
    assert_int_equal(p.width, 8);
    assert_int_equal(p.height, 16);
    assert_true(p.pixels[0] < 10 && p.pixels[15 * 8] > 230 && p.pixels[7] < 10);
    bs_picture_free(&p);
}

/* Ink (0, 128, 255, 0): red is full, green half, blue none. */
static void cmyk_with_and_without_adobe(void **state)
{
    (void)state;
    uint8_t ink[16 * 16 * 4];
    for (int stored = 0; stored < 2; stored++)
        for (int adobe = stored; adobe < 2; adobe++) { /* YCCK needs the marker */
            for (int i = 0; i < 256; i++) {
                static const uint8_t c[] = {0, 128, 255, 0};
                for (int j = 0; j < 4; j++)
                    ink[4 * i + j] = adobe ? (uint8_t)(255 - c[j]) : c[j];
            }
            jpeg_kind k = {.width = 16,
                           .height = 16,
                           .channels = 4,
                           .space = JCS_CMYK,
                           .stored = stored ? JCS_YCCK : JCS_CMYK,
                           .adobe = adobe};
            write_jpeg(&f, &k, ink);
            bs_picture p = decoded(&f, BS_PICTURE_PHOTO);
            assert_int_equal(p.channels, 3);
            assert_true(p.pixels[0] > 250 && abs(p.pixels[1] - 127) < 5 && p.pixels[2] < 5);
            bs_picture_free(&p);
        }
}

static void single_pixels(void **state)
{
    (void)state;
    static const uint8_t pixel[] = {9};
    png_kind             k = {.width = 1, .height = 1, .depth = 8, .interlaced = true};
    write_png(&f, &k, pixel, 1);
    bs_picture p = decoded(&f, BS_PICTURE_MASK);
    assert_int_equal(p.pixels[0], 9);
    bs_picture_free(&p);
    jpeg_kind j = {.width = 1, .height = 1, .channels = 1, .space = JCS_GRAYSCALE};
    write_jpeg(&f, &j, pixel);
    p = decoded(&f, BS_PICTURE_PHOTO);
    assert_true(abs(p.pixels[0] - 9) < 3);
    bs_picture_free(&p);
}

static void limits_come_before_memory(void **state)
{
    (void)state;
    static const uint8_t pixel[8 * 8];
    bs_picture           p;
    basin_error          err = {0};
    png_kind             k = {.width = 8, .height = 8, .depth = 8};
    write_png(&f, &k, pixel, 8);
    claim_size(&f, 20000, 20000);
    long calls = bs_mem_calls();
    refused(f.bytes, f.n, BS_PICTURE_PHOTO, "20000 x 20000 pixels; sides up to 16384");
    claim_size(&f, 16000, 16000);
    refused(f.bytes, f.n, BS_PICTURE_PHOTO, "16000 x 16000 pixels; up to 64000000 pixels");
    claim_size(&f, 8000, 8000);
    refused(f.bytes, f.n, BS_PICTURE_PHOTO, "cannot hold 8000 x 8000");
    claim_size(&f, 0, 8);
    refused(f.bytes, f.n, BS_PICTURE_PHOTO, "0 x 8");
    claim_size(&f, 0x80000000u, 8);
    refused(f.bytes, f.n, BS_PICTURE_PHOTO, "2147483648 x 8");
    assert_int_equal(bs_mem_calls(), calls);

    bs_picture_limits small = {.max_side = 7}, few = {.max_pixels = 63};
    write_png(&f, &k, pixel, 8);
    assert_int_equal(bs_picture_decode("file", f.bytes, f.n, BS_PICTURE_PHOTO, &small, &p, &err),
                     BASIN_EDATA);
    assert_int_equal(bs_picture_decode("file", f.bytes, f.n, BS_PICTURE_PHOTO, &few, &p, &err),
                     BASIN_EDATA);

    jpeg_kind j = {.width = 8, .height = 8, .channels = 1, .space = JCS_GRAYSCALE};
    write_jpeg(&f, &j, pixel);
    for (size_t i = 0; i + 9 < f.n; i++)
        if (f.bytes[i] == 0xff && f.bytes[i + 1] == 0xc0)
            memset(f.bytes + i + 5, 0xff, 4);
    refused(f.bytes, f.n, BS_PICTURE_PHOTO, "65500"); /* libjpeg's own limit comes first */
    for (size_t i = 0; i + 9 < f.n; i++)
        if (f.bytes[i] == 0xff && f.bytes[i + 1] == 0xc0)
            memcpy(f.bytes + i + 5, "\x4e\x20\x4e\x20", 4);
    refused(f.bytes, f.n, BS_PICTURE_PHOTO, "20000 x 20000 pixels");
}

static void truncated_files_are_refused(void **state)
{
    (void)state;
    uint8_t grey[32 * 32];
    for (int i = 0; i < 32 * 32; i++)
        grey[i] = (uint8_t)(i * 37 + i * i % 91);
    png_kind k = {.width = 32, .height = 32, .depth = 8};
    for (int kind = 0; kind < 4; kind++) {
        jpeg_kind j = {.width = 32,
                       .height = 32,
                       .channels = 1,
                       .space = JCS_GRAYSCALE,
                       .progressive = kind == 3};
        k.interlaced = kind == 1;
        if (kind < 2)
            write_png(&f, &k, grey, 32);
        else
            write_jpeg(&f, &j, grey);
        /* Of a plain JPEG file the end marker alone may be missing. */
        size_t least = kind == 2 ? f.n - 3 : f.n - 1;
        for (size_t n = 0; n <= least; n++)
            refused(f.bytes, n, BS_PICTURE_PHOTO, n < 8 ? "" : "file: broken");
    }
    refused((const uint8_t *)"hello", 5, BS_PICTURE_PHOTO, "neither a PNG nor a JPEG");
}

/* Any bit may be wrong: an answer or an error, never a crash or a leak. */
static void damaged_files(void **state)
{
    (void)state;
    uint8_t grey[12 * 12 * 3];
    for (size_t i = 0; i < sizeof grey; i++)
        grey[i] = (uint8_t)(i * 31);
    long live = bs_mem_live();
    for (int kind = 0; kind < 4; kind++) {
        png_kind  k = {.width = 12,
                       .height = 12,
                       .depth = 8,
                       .interlaced = kind == 1,
                       .colour = PNG_COLOR_TYPE_RGB};
        jpeg_kind j = {
            .width = 12, .height = 12, .channels = 3, .space = JCS_RGB, .progressive = kind == 3};
        if (kind < 2)
            write_png(&f, &k, grey, 36);
        else
            write_jpeg(&f, &j, grey);
        for (size_t bit = 0; bit < 8 * f.n; bit++) {
            bs_picture  p;
            basin_error err = {0};
            f.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            if (bs_picture_decode("file", f.bytes, f.n, (bs_picture_use)(bit % 2), NULL, &p, &err))
                assert_true(err.msg[0] && !p.pixels);
            bs_picture_free(&p);
            f.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        assert_int_equal(bs_mem_live(), live);
    }
}

static void written_files_read_back(void **state)
{
    (void)state;
    uint8_t              pixels[5 * 3 * 4];
    static const uint8_t palette[][3] = {{0, 0, 0}, {255, 0, 0}, {0, 255, 0}};
    basin_error          err = {0};
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 17 + 3);
    for (int channels = 1; channels <= 4; channels += channels == 1 ? 2 : 1) {
        bs_buf out, again;
        bs_buf_init(&out, 1 << 20);
        bs_buf_init(&again, 1 << 20);
        assert_int_equal(bs_png_write(pixels, 5, 3, channels, NULL, 0, &out, &err), BASIN_OK);
        assert_int_equal(bs_png_write(pixels, 5, 3, channels, NULL, 0, &again, &err), BASIN_OK);
        assert_int_equal(out.len, again.len);
        assert_memory_equal(out.data, again.data, out.len);
        bs_picture p;
        assert_int_equal(
            bs_picture_decode("x", out.data, out.len, BS_PICTURE_PHOTO, NULL, &p, &err), BASIN_OK);
        assert_int_equal(p.channels, channels);
        assert_memory_equal(p.pixels, pixels, 15 * (size_t)channels);
        bs_picture_free(&p);
        bs_buf_free(&out);
        bs_buf_free(&again);
    }
    bs_buf out;
    bs_buf_init(&out, 1 << 20);
    for (int i = 0; i < 15; i++)
        pixels[i] = (uint8_t)(i % 3);
    assert_int_equal(bs_png_write(pixels, 5, 3, 1, palette, 3, &out, &err), BASIN_OK);
    bs_picture p;
    assert_int_equal(bs_picture_decode("x", out.data, out.len, BS_PICTURE_MASK, NULL, &p, &err),
                     BASIN_OK);
    assert_true(p.file.indexed && p.colours == 3 && p.palette[2][1] == 255);
    assert_memory_equal(p.pixels, pixels, 15);
    bs_picture_free(&p);
    pixels[7] = 3;
    assert_int_equal(bs_png_write(pixels, 5, 3, 1, palette, 3, &out, &err), BASIN_EARG);
    assert_int_equal(bs_png_write(pixels, 0, 3, 1, NULL, 0, &out, &err), BASIN_EARG);
    assert_int_equal(bs_png_write(pixels, 5, 3, 2, NULL, 0, &out, &err), BASIN_EARG);
    bs_buf_free(&out);
}

static void allocation_failures(void **state)
{
    (void)state;
    uint8_t rgb[9 * 9 * 4], exif[40];
    memset(rgb, 77, sizeof rgb);
    size_t n_exif = make_exif(exif, 6, false, true);
    for (int kind = 0; kind < 4; kind++) {
        png_kind  k = {.width = 9,
                       .height = 9,
                       .depth = 8,
                       .colour = PNG_COLOR_TYPE_RGB,
                       .interlaced = kind == 1};
        jpeg_kind j = {.width = 9,
                       .height = 9,
                       .channels = kind == 2 ? 4 : 3,
                       .space = kind == 2 ? JCS_CMYK : JCS_RGB,
                       .exif = exif,
                       .n_exif = n_exif};
        bs_buf    out;
        if (kind < 2)
            write_png(&f, &k, rgb, 27);
        else
            write_jpeg(&f, &j, rgb);
        bs_buf_init(&out, 1 << 20);
        for (long at = 1, done = 0; !done; at++) {
            bs_picture   p;
            basin_error  err = {0};
            long         live = bs_mem_live();
            basin_status s;
            bs_mem_fail_at(at);
            s = bs_picture_decode("file", f.bytes, f.n, BS_PICTURE_PHOTO, NULL, &p, &err);
            if (!s)
                s = bs_png_write(p.pixels, p.width, p.height, p.channels, NULL, 0, &out, &err);
            done = s == BASIN_OK;
            if (!done && s != BASIN_ENOMEM)
                fail_msg("allocation %ld: %s", at, err.msg);
            bs_mem_fail_at(0);
            bs_picture_free(&p);
            bs_buf_free(&out);
            bs_buf_init(&out, 1 << 20);
            assert_int_equal(bs_mem_live(), live);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gray_depths_as_mask_and_photo),
        cmocka_unit_test(palettes_are_index_or_colour),
        cmocka_unit_test(sixteen_bits),
        cmocka_unit_test(grey_with_alpha_and_key),
        cmocka_unit_test(colourless_rgb_masks_are_grey),
        cmocka_unit_test(animated_png_gives_one_picture),
        cmocka_unit_test(orientation_is_honoured),
        cmocka_unit_test(jpeg_kinds),
        cmocka_unit_test(cmyk_with_and_without_adobe),
        cmocka_unit_test(single_pixels),
        cmocka_unit_test(limits_come_before_memory),
        cmocka_unit_test(truncated_files_are_refused),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(written_files_read_back),
        cmocka_unit_test(allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
