/* crop.c -- copying windows out of images, choosing their places, and averaging predictions of
 * overlapping ones. */
#include "data/image/crop.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "data/image/images.h"

static int place(uint32_t bits, int size, int window)
{
    if (window >= size)
        return -((window - size) / 2);
    /* Every place is equally likely, up to 2^-32 of the number of places. */
    return (int)(((uint64_t)bits * (uint64_t)(size - window + 1)) >> 32);
}

bs_crop bs_crop_random(bs_rng *rng, int image_width, int image_height, int width, int height,
                       double flip)
{
    uint32_t x = bs_rng_bits(rng), y = bs_rng_bits(rng);
    double   u = bs_rng_uniform(rng);
    return (bs_crop){.x = place(x, image_width, width),
                     .y = place(y, image_height, height),
                     .width = width,
                     .height = height,
                     .flip = u < flip};
}

static int shift(bs_rng *rng, double share, int side)
{
    return (int)floor((2 * bs_rng_uniform(rng) - 1) * share * side + 0.5);
}

void bs_crop_shift(bs_rng *rng, double share, int image_width, int image_height, bs_crop *c)
{
    const int right = shift(rng, share, c->width), down = shift(rng, share, c->height);
    if (c->width > image_width || c->height > image_height)
        return;
    c->x += right;
    c->y += down;
    c->extend = true;
}

static int kept_inside(const bs_crop *c, int at, int size)
{
    if (!c->extend)
        return at;
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

/* Calls `store` for every pixel of the window: at[i] is its position in the plane, -1 outside. */
#define EACH_PIXEL(c, w, h, store)                                           \
    for (int y = 0; y < (c)->height; y++) {                                  \
        const int Y = kept_inside(c, (c)->y + y, h);                         \
        for (int x = 0; x < (c)->width; x++) {                               \
            const int       right = (c)->flip ? (c)->width - 1 - x : x;      \
            const int       X = kept_inside(c, (c)->x + right, w);           \
            const bool      inside = Y >= 0 && Y < (h) && X >= 0 && X < (w); \
            const ptrdiff_t at = inside ? (ptrdiff_t)Y * (w) + X : -1;       \
            store;                                                           \
        }                                                                    \
    }

void bs_crop_bytes(const uint8_t *from, int channels, int image_width, int image_height,
                   const bs_crop *c, uint8_t *to)
{
    const size_t plane = (size_t)image_width * (size_t)image_height;
    for (int k = 0; k < channels; k++, from += plane)
        EACH_PIXEL(c, image_width, image_height, *to++ = at < 0 ? 0 : from[at])
}

void bs_crop_mask(const uint8_t *from, int image_width, int image_height, const bs_crop *c,
                  uint8_t *to)
{
    EACH_PIXEL(c, image_width, image_height, *to++ = at < 0 ? BS_IGNORE : from[at])
}

void bs_crop_float(const uint8_t *from, int channels, int image_width, int image_height,
                   const bs_crop *c, const float *mean, const float *scale, float *to)
{
    const size_t plane = (size_t)image_width * (size_t)image_height;
    for (int k = 0; k < channels; k++, from += plane) {
        const float m = mean ? mean[k] : 0, s = scale ? scale[k] : 1.0f / 255;
        EACH_PIXEL(c, image_width, image_height, *to++ = at < 0 ? 0 : ((float)from[at] - m) * s)
    }
}

int bs_crop_offsets(int size, int window, int offset[BS_MOST_OFFSETS])
{
    static const int eighths[] = {0, 2, 3, 4, 6, 8};
    const int        slack = size - window;
    int              n = 0;
    if (slack <= 0) {
        offset[0] = slack / 2;
        return 1;
    }
    if (slack <= 2 * window) { /* steps of slack / 4 are at most half a window */
        for (int i = 0; i < 6; i++) {
            int at = (int)(((int64_t)slack * eighths[i] + 4) / 8);
            if (n == 0 || at > offset[n - 1])
                offset[n++] = at;
        }
        return n;
    }
    int step = window / 2 < 1 ? 1 : window / 2;
    n = (slack + step - 1) / step + 1;
    n = n > BS_MOST_OFFSETS ? BS_MOST_OFFSETS : n;
    for (int i = 0; i < n; i++)
        offset[i] = (int)((int64_t)slack * i / (n - 1));
    return n;
}

basin_status bs_paste_new(int planes, int width, int height, bs_paste *out, basin_error *err)
{
    const size_t n = (size_t)width * (size_t)height;
    *out = (bs_paste){.planes = planes, .width = width, .height = height};
    out->sum = bs_calloc(n * (size_t)planes, sizeof *out->sum);
    out->count = bs_calloc(n, sizeof *out->count);
    if (out->sum && out->count)
        return BASIN_OK;
    bs_paste_free(out);
    return bs_fail_nomem(err);
}

void bs_paste_free(bs_paste *p)
{
    if (!p)
        return;
    bs_free(p->sum);
    bs_free(p->count);
    *p = (bs_paste){0};
}

void bs_paste_clear(bs_paste *p)
{
    const size_t n = (size_t)p->width * (size_t)p->height;
    memset(p->sum, 0, n * (size_t)p->planes * sizeof *p->sum);
    memset(p->count, 0, n * sizeof *p->count);
}

void bs_paste_add(bs_paste *p, const bs_crop *c, const float *probability)
{
    const size_t plane = (size_t)p->width * (size_t)p->height;
    const float *from = probability;
    for (int k = 0; k < p->planes; k++) {
        float *to = p->sum + (size_t)k * plane;
        EACH_PIXEL(c, p->width, p->height, {
            if (at >= 0)
                to[at] += *from;
            from++;
        })
    }
    EACH_PIXEL(c, p->width, p->height, {
        if (at >= 0)
            p->count[at] += 1;
    })
}

void bs_paste_mean(const bs_paste *p, float empty, float *out)
{
    const size_t plane = (size_t)p->width * (size_t)p->height;
    for (size_t k = 0; k < (size_t)p->planes; k++)
        for (size_t i = 0; i < plane; i++)
            out[k * plane + i] = p->count[i] > 0 ? p->sum[k * plane + i] / p->count[i] : empty;
}
