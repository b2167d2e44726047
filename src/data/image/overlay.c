/* overlay.c -- paints classes, borders and hatching over enlarged photos and writes the result as
 * PNG. */
#include "data/image/overlay.h"

#include <string.h>

#include "base/mem.h"
#include "data/image/images.h"
#include "data/image/picture.h"

enum { WANTED_SIDE = 256, MOST_SCALE = 64 };

static const double opacity = 0.45; /* of the colours of classes above 0 */

/* A canvas with panels side by side, RGB interleaved. */
typedef struct {
    const uint8_t *photo;
    int            channels, w, h, scale, panels, gap;
    uint8_t       *rgb;
    size_t         W, H;
} canvas;

/* The colour of a class; opacity 0 shows the photo. */
typedef void colour_of(int value, uint8_t rgb[3], bool *clear);

static void class_colours(int value, uint8_t rgb[3], bool *clear)
{
    bs_class_colour(value, rgb);
    *clear = value == 0;
}

/* Mask of agreement: 0 both background, 1 both foreground, 2 only gold, 3 only predicted. */
static void agreement_colours(int value, uint8_t rgb[3], bool *clear)
{
    static const uint8_t table[4][3] = {{0, 0, 0}, {0, 170, 60}, {40, 90, 255}, {230, 30, 30}};
    memcpy(rgb, table[value & 3], 3);
    *clear = value == 0;
}

static basin_status start(canvas *c, int panels, basin_error *err)
{
    int longest = c->w > c->h ? c->w : c->h;
    c->scale = c->scale > 0 ? c->scale : (WANTED_SIDE + longest - 1) / longest;
    c->scale = c->scale > MOST_SCALE ? MOST_SCALE : c->scale;
    c->panels = panels;
    c->gap = panels > 1 ? 4 : 0;
    c->W = (size_t)panels * (size_t)c->w * (size_t)c->scale + (size_t)(panels - 1) * (size_t)c->gap;
    c->H = (size_t)c->h * (size_t)c->scale;
    if (c->W > 65000 || c->H > 65000)
        return bs_fail(err, BASIN_EARG, "an overlay of %zu x %zu pixels; a smaller scale fits",
                       c->W, c->H);
    c->rgb = bs_alloc(c->W * c->H * 3);
    if (!c->rgb)
        return bs_fail_nomem(err);
    memset(c->rgb, 255, c->W * c->H * 3);
    return BASIN_OK;
}

static uint8_t mix(uint8_t a, uint8_t b, double part)
{
    return (uint8_t)((double)a * (1 - part) + (double)b * part + 0.5);
}

/* At the border of its class: the next new pixel has another one. */
static bool on_border(const canvas *c, const uint8_t *mask, int x, int y, int u, int v)
{
    const int k = mask[y * c->w + x], last = c->scale - 1;
    return (u == 0 && x > 0 && mask[y * c->w + x - 1] != k) ||
           (u == last && x < c->w - 1 && mask[y * c->w + x + 1] != k) ||
           (v == 0 && y > 0 && mask[(y - 1) * c->w + x] != k) ||
           (v == last && y < c->h - 1 && mask[(y + 1) * c->w + x] != k);
}

static void pixel(const canvas *c, const uint8_t *mask, colour_of *colours, int x, int y, int u,
                  int v, uint8_t rgb[3])
{
    const size_t plane = (size_t)c->w * (size_t)c->h, at = (size_t)y * (size_t)c->w + (size_t)x;
    uint8_t      tint[3];
    bool         clear;
    for (int k = 0; k < 3; k++)
        rgb[k] = c->photo[(c->channels == 3 ? (size_t)k : 0) * plane + at];
    if (!mask)
        return;
    if (mask[at] == BS_IGNORE) { /* diagonal stripes */
        if ((x * c->scale + u + y * c->scale + v) / 3 % 2)
            memset(rgb, 128, 3);
        return;
    }
    colours(mask[at], tint, &clear);
    if (clear)
        return;
    const double part = on_border(c, mask, x, y, u, v) ? 1 : opacity;
    for (int k = 0; k < 3; k++)
        rgb[k] = mix(rgb[k], tint[k], part);
}

static void draw(const canvas *c, int panel, const uint8_t *mask, colour_of *colours)
{
    const size_t left = (size_t)panel * ((size_t)c->w * (size_t)c->scale + (size_t)c->gap);
    for (int y = 0; y < c->h; y++)
        for (int v = 0; v < c->scale; v++) {
            uint8_t *to = c->rgb + 3 * ((size_t)(y * c->scale + v) * c->W + left);
            for (int x = 0; x < c->w; x++)
                for (int u = 0; u < c->scale; u++, to += 3)
                    pixel(c, mask, colours, x, y, u, v, to);
        }
}

static basin_status finish(canvas *c, bs_buf *png, basin_error *err)
{
    basin_status s = bs_png_write(c->rgb, (int)c->W, (int)c->H, 3, NULL, 0, png, err);
    bs_free(c->rgb);
    return s;
}

basin_status bs_overlay(const uint8_t *photo, int channels, int width, int height,
                        const uint8_t *mask, int scale, bs_buf *png, basin_error *err)
{
    canvas c = {.photo = photo, .channels = channels, .w = width, .h = height, .scale = scale};
    basin_status s = start(&c, 1, err);
    if (s)
        return s;
    draw(&c, 0, mask, class_colours);
    return finish(&c, png, err);
}

basin_status bs_overlay_compare(const uint8_t *photo, int channels, int width, int height,
                                const uint8_t *gold, const uint8_t *predicted, int classes,
                                int scale, bs_buf *png, basin_error *err)
{
    canvas c = {.photo = photo, .channels = channels, .w = width, .h = height, .scale = scale};
    const size_t n = (size_t)width * (size_t)height;
    uint8_t     *agreement = gold && classes == 2 ? bs_alloc(n) : NULL;
    if (gold && classes == 2 && !agreement)
        return bs_fail_nomem(err);
    basin_status s = start(&c, gold ? 3 : 2, err);
    if (!s) {
        draw(&c, 0, NULL, class_colours);
        if (gold)
            draw(&c, 1, gold, class_colours);
        for (size_t i = 0; agreement && i < n; i++)
            agreement[i] = gold[i] == BS_IGNORE      ? BS_IGNORE
                           : gold[i] && predicted[i] ? 1
                           : gold[i]                 ? 2
                           : predicted[i]            ? 3
                                                     : 0;
        draw(&c, gold ? 2 : 1, agreement ? agreement : predicted,
             agreement ? agreement_colours : class_colours);
        s = finish(&c, png, err);
    }
    bs_free(agreement);
    return s;
}

basin_status bs_mask_png(const uint8_t *mask, int width, int height, int classes, bs_buf *png,
                         basin_error *err)
{
    uint8_t palette[256][3];
    bool    ignored = false;
    for (int c = 0; c < 256; c++)
        bs_class_colour(c, palette[c]);
    memset(palette[BS_IGNORE], 224, 3);
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
        ignored = ignored || mask[i] == BS_IGNORE;
    return bs_png_write(mask, width, height, 1, (const uint8_t(*)[3])palette,
                        ignored ? 256 : classes, png, err);
}
