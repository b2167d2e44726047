/* resize.c -- resizing by area, bilinearly, to the nearest pixel, or by majority.
 *
 * Area weights are exact: with sides scaled by both sizes, new pixel X covers [X w, (X + 1) w) and
 * old pixel x covers [x W, (x + 1) W). The overlap is an integer, and all overlaps of a new pixel
 * add up to w. */
#include "data/image/resize.h"

#include <string.h>

#include "base/mem.h"

typedef struct {
    int     first, last; /* old pixels, inclusive */
    int64_t head, tail;  /* overlap with the first and the last; those in between have W */
} span;

static span span_of(int64_t X, int64_t w, int64_t W)
{
    span    s;
    int64_t lo = X * w, hi = lo + w;
    s.first = (int)(lo / W);
    s.last = (int)((hi - 1) / W);
    s.head = s.first == s.last ? w : (s.first + 1) * W - lo;
    s.tail = s.first == s.last ? w : hi - s.last * W;
    return s;
}

static int64_t overlap(const span *s, int x, int64_t W)
{
    return x == s->first ? s->head : x == s->last ? s->tail : W;
}

/* Adds up rows first, so that a plane costs two passes rather than w h weights. */
basin_status bs_resize_area(const uint8_t *from, int channels, int w, int h, uint8_t *to, int W,
                            int H, basin_error *err)
{
    int64_t *line = bs_alloc((size_t)w * sizeof *line);
    if (!line)
        return bs_fail_nomem(err);
    const int64_t all = (int64_t)w * h;
    for (int c = 0; c < channels; c++, from += (size_t)w * (size_t)h)
        for (int Y = 0; Y < H; Y++) {
            const span v = span_of(Y, h, H);
            memset(line, 0, (size_t)w * sizeof *line);
            for (int y = v.first; y <= v.last; y++) {
                const int64_t  weight = overlap(&v, y, H);
                const uint8_t *row = from + (size_t)y * (size_t)w;
                for (int x = 0; x < w; x++)
                    line[x] += weight * row[x];
            }
            for (int X = 0; X < W; X++) {
                const span u = span_of(X, w, W);
                int64_t    sum = 0;
                for (int x = u.first; x <= u.last; x++)
                    sum += overlap(&u, x, W) * line[x];
                *to++ = (uint8_t)((sum + all / 2) / all);
            }
        }
    bs_free(line);
    return BASIN_OK;
}

/* Left neighbour of the new pixel's centre and the distance from it. */
static int left_of(int X, int w, int W, float *part)
{
    double at = ((double)X + 0.5) * (double)w / (double)W - 0.5;
    if (at <= 0 || w == 1) {
        *part = 0;
        return 0;
    }
    int x = (int)at;
    if (x >= w - 1) {
        *part = 1;
        return w - 2;
    }
    *part = (float)(at - x);
    return x;
}

static float between(float a, float b, float part)
{
    return a + (b - a) * part;
}

#define BILINEAR(type, store)                                                              \
    for (int c = 0; c < channels; c++, from += (size_t)w * (size_t)h)                      \
        for (int Y = 0; Y < H; Y++) {                                                      \
            float       down, across;                                                      \
            const int   y = left_of(Y, h, H, &down);                                       \
            const type *a = from + (size_t)y * (size_t)w, *b = h > 1 ? a + w : a;          \
            for (int X = 0; X < W; X++) {                                                  \
                const int x = left_of(X, w, W, &across), next = w > 1 ? x + 1 : x;         \
                float     v = between(between((float)a[x], (float)a[next], across),        \
                                      between((float)b[x], (float)b[next], across), down); \
                *to++ = (type)(store);                                                     \
            }                                                                              \
        }

void bs_resize_bilinear(const uint8_t *from, int channels, int w, int h, uint8_t *to, int W, int H)
{
    BILINEAR(uint8_t, v + 0.5f)
}

void bs_resize_bilinear_float(const float *from, int channels, int w, int h, float *to, int W,
                              int H)
{
    BILINEAR(float, v)
}

void bs_resize_nearest(const uint8_t *from, int w, int h, uint8_t *to, int W, int H)
{
    for (int64_t Y = 0; Y < H; Y++) {
        const uint8_t *row = from + (2 * Y + 1) * h / (2 * H) * w;
        for (int64_t X = 0; X < W; X++)
            *to++ = row[(2 * X + 1) * w / (2 * W)];
    }
}

/* Clears areas per value by walking the same pixels again, not all 256 values. */
static uint8_t majority(const uint8_t *from, int w, const span *u, const span *v, int W, int H,
                        int64_t *area)
{
    uint8_t best = from[(size_t)v->first * (size_t)w + (size_t)u->first];
    for (int y = v->first; y <= v->last; y++)
        for (int x = u->first; x <= u->last; x++)
            area[from[(size_t)y * (size_t)w + (size_t)x]] += overlap(v, y, H) * overlap(u, x, W);
    for (int y = v->first; y <= v->last; y++)
        for (int x = u->first; x <= u->last; x++) {
            uint8_t k = from[(size_t)y * (size_t)w + (size_t)x];
            if (area[k] > area[best] || (area[k] == area[best] && k < best))
                best = k;
        }
    for (int y = v->first; y <= v->last; y++)
        for (int x = u->first; x <= u->last; x++)
            area[from[(size_t)y * (size_t)w + (size_t)x]] = 0;
    return best;
}

basin_status bs_resize_majority(const uint8_t *from, int w, int h, uint8_t *to, int W, int H,
                                basin_error *err)
{
    int64_t *area = bs_calloc(256, sizeof *area);
    if (!area)
        return bs_fail_nomem(err);
    for (int Y = 0; Y < H; Y++) {
        const span v = span_of(Y, h, H);
        for (int X = 0; X < W; X++) {
            const span u = span_of(X, w, W);
            *to++ = majority(from, w, &u, &v, W, H, area);
        }
    }
    bs_free(area);
    return BASIN_OK;
}

basin_status bs_resize_photo(const uint8_t *from, int channels, int w, int h, uint8_t *to, int W,
                             int H, basin_error *err)
{
    if (W == w && H == h) {
        memcpy(to, from, (size_t)channels * (size_t)w * (size_t)h);
        return BASIN_OK;
    }
    if (W < w || H < h)
        return bs_resize_area(from, channels, w, h, to, W, H, err);
    bs_resize_bilinear(from, channels, w, h, to, W, H);
    return BASIN_OK;
}

basin_status bs_resize_mask(const uint8_t *from, int w, int h, uint8_t *to, int W, int H,
                            basin_error *err)
{
    if (W < w || H < h)
        return bs_resize_majority(from, w, h, to, W, H, err);
    bs_resize_nearest(from, w, h, to, W, H);
    return BASIN_OK;
}
