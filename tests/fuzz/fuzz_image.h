/* fuzz_image.h -- the bodies of the fuzz targets for pictures and sets of them. */
#ifndef FUZZ_IMAGE_H
#define FUZZ_IMAGE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/image/images.h"
#include "data/image/picture.h"

#define MUST(condition)       \
    do {                      \
        if (!(condition))     \
            __builtin_trap(); \
    } while (0)

/* The first byte chooses photo or mask, the rest is the file. What is decoded is within
 * the limits, and survives being written. */
static inline void fuzz_picture(const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    const bs_picture_limits limits = {.max_side = 1000, .max_pixels = 100000};
    bs_picture_use          use = data[0] & 1 ? BS_PICTURE_MASK : BS_PICTURE_PHOTO;
    bs_picture              p, again;
    basin_error             err = {0};
    if (bs_picture_decode("fuzz", data + 1, size - 1, use, &limits, &p, &err)) {
        MUST(!p.pixels && err.msg[0] && !strchr(err.msg, '\n'));
    } else {
        const size_t n = (size_t)p.width * (size_t)p.height * (size_t)p.channels;
        bs_buf       png;
        MUST(p.width > 0 && p.height > 0 && p.width <= 1000 && p.height <= 1000 && n <= 400000);
        bs_buf_init(&png, (size_t)1 << 24);
        MUST(!bs_png_write(p.pixels, p.width, p.height, p.channels, NULL, 0, &png, &err));
        MUST(!bs_picture_decode("again", png.data, png.len, BS_PICTURE_PHOTO, &limits, &again,
                                &err));
        MUST(again.channels == p.channels && memcmp(again.pixels, p.pixels, n) == 0);
        bs_picture_free(&again);
        bs_buf_free(&png);
        bs_picture_flatten(&p);
        bs_picture_free(&p);
    }
    MUST(bs_mem_live() == 0);
}

/* The first byte chooses options, the rest is an archive. What is read is sound. */
static inline void fuzz_images(const uint8_t *data, size_t size)
{
    static const char *const sizes[] = {"auto", "keep", "8x6", "auto"};
    static const char *const binary[] = {"auto", "yes", "no", "auto"};
    static const char *const part[] = {NULL, "train", "test", NULL};
    if (size == 0)
        return;
    bs_image_options o = bs_image_options_default();
    bs_images       *im;
    bs_notes         notes;
    basin_error      err = {0};
    bs_buf           table, json;
    snprintf(o.size, sizeof o.size, "%s", sizes[data[0] & 3]);
    snprintf(o.binary, sizeof o.binary, "%s", binary[data[0] >> 2 & 3]);
    o.zero_ignored = data[0] >> 6 & 1;
    o.need = data[0] >> 7;
    o.max_side = 500;
    o.max_pixels = 10000;
    o.max_images = 100;
    o.max_mb = 16;
    bs_notes_init(&notes);
    bs_buf_init(&table, 1 << 20);
    bs_buf_init(&json, 1 << 20);
    if (bs_images_read_memory("fuzz", data + 1, size - 1, &o, NULL, part[data[0] >> 4 & 3], &im,
                              &notes, &err)) {
        MUST(!im && err.msg[0] && !strchr(err.msg, '\n'));
    } else {
        MUST(im->n > 0 && im->n <= 100 && im->classes >= 2 && im->classes <= 255);
        MUST(im->channels == 1 || im->channels == 3);
        for (int32_t i = 0; i < im->n; i++) {
            const int n = im->width[i] * im->height[i];
            MUST(n > 0 && im->name[i][0] && im->pixels[i]);
            for (int k = 0; im->mask[i] && k < n; k++)
                MUST(im->mask[i][k] < im->classes || im->mask[i][k] == BS_IGNORE);
        }
        MUST(!bs_images_describe(im, &notes, &table, &json, NULL, &err));
    }
    bs_images_free(im);
    bs_notes_free(&notes);
    bs_buf_free(&table);
    bs_buf_free(&json);
    MUST(bs_mem_live() == 0);
}

#endif
