/* picture.c -- common to PNG and JPEG files: limits, EXIF, orientation, colours. */
#include "data/image/picture.h"

#include <string.h>

#include "base/mem.h"
#include "data/image/picture_part.h"

enum { MOST_SIDE = 16384 };

static const int64_t most_pixels = 64000000;

bs_picture_kind bs_picture_sniff(const void *bytes, size_t n)
{
    if (n >= 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0)
        return BS_PICTURE_PNG;
    if (n >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0)
        return BS_PICTURE_JPEG;
    return BS_PICTURE_NONE;
}

basin_status bs_picture_check(const char *name, const bs_picture_limits *limits, uint32_t width,
                              uint32_t height, basin_error *err)
{
    int64_t side = limits && limits->max_side ? limits->max_side : MOST_SIDE;
    int64_t most = limits && limits->max_pixels ? limits->max_pixels : most_pixels;
    if (width == 0 || height == 0)
        return bs_fail(err, BASIN_EDATA, "%s: a picture of %lu x %lu pixels", name,
                       (unsigned long)width, (unsigned long)height);
    if (width > side || height > side)
        return bs_fail(err, BASIN_EDATA,
                       "%s: %lu x %lu pixels; sides up to %lld are read (image.max_side)", name,
                       (unsigned long)width, (unsigned long)height, (long long)side);
    if ((int64_t)width * (int64_t)height > most)
        return bs_fail(err, BASIN_EDATA,
                       "%s: %lu x %lu pixels; up to %lld pixels are read (image.max_pixels)", name,
                       (unsigned long)width, (unsigned long)height, (long long)most);
    return BASIN_OK;
}

/* --- EXIF ------------------------------------------------------------------ */

typedef struct {
    const uint8_t *at;
    size_t         n;
    bool           big;
} tiff_view;

static uint32_t tiff_number(const tiff_view *t, size_t at, int bytes)
{
    uint32_t v = 0;
    for (int i = 0; i < bytes; i++)
        v = v << 8 | t->at[at + (size_t)(t->big ? i : bytes - 1 - i)];
    return v;
}

int bs_exif_orientation(const uint8_t *tiff, size_t n)
{
    enum { HEAD = 8, ENTRY = 12, ORIENTATION = 0x0112, SHORT = 3 };
    if (n < HEAD || (memcmp(tiff, "II*\0", 4) != 0 && memcmp(tiff, "MM\0*", 4) != 0))
        return 1;
    tiff_view t = {tiff, n, tiff[0] == 'M'};
    size_t    at = tiff_number(&t, 4, 4);
    if (at > n - 2)
        return 1;
    uint32_t entries = tiff_number(&t, at, 2);
    at += 2;
    for (; entries > 0 && n - at >= ENTRY; entries--, at += ENTRY)
        if (tiff_number(&t, at, 2) == ORIENTATION && tiff_number(&t, at + 2, 2) == SHORT) {
            uint32_t v = tiff_number(&t, at + 8, 2);
            return v >= 1 && v <= 8 ? (int)v : 1;
        }
    return 1;
}

/* Where the pixel shown at (x, y) is stored. Orientations 5 to 8 swap the sides; each is named
 * after what must be done to the stored picture. */
static size_t stored_at(int orientation, size_t x, size_t y, size_t w, size_t h)
{
    switch (orientation) {
    case 2: return y * w + (w - 1 - x);           /* mirror */
    case 3: return (h - 1 - y) * w + (w - 1 - x); /* half a turn */
    case 4: return (h - 1 - y) * w + x;           /* upside down */
    case 5: return x * w + y;                     /* transpose */
    case 6: return (h - 1 - x) * w + y;           /* a quarter clockwise */
    case 7: return (h - 1 - x) * w + (w - 1 - y); /* transverse */
    case 8: return x * w + (w - 1 - y);           /* a quarter anticlockwise */
    default: return y * w + x;
    }
}

static basin_status turn(bs_picture *p, int orientation, basin_error *err)
{
    const size_t w = (size_t)p->width, h = (size_t)p->height, C = (size_t)p->channels;
    const size_t W = orientation >= 5 ? h : w, H = orientation >= 5 ? w : h;
    uint8_t     *to = bs_alloc(w * h * C);
    if (!to)
        return bs_fail_nomem(err);
    for (size_t y = 0; y < H; y++)
        for (size_t x = 0; x < W; x++)
            memcpy(to + (y * W + x) * C, p->pixels + stored_at(orientation, x, y, w, h) * C, C);
    bs_free(p->pixels);
    p->pixels = to;
    p->width = (int)W;
    p->height = (int)H;
    return BASIN_OK;
}

/* --- reading --------------------------------------------------------------- */

basin_status bs_picture_probe(const char *name, const void *bytes, size_t n,
                              const bs_picture_limits *limits, bs_picture_info *out,
                              basin_error *err)
{
    basin_status s;
    *out = (bs_picture_info){.orientation = 1};
    switch (bs_picture_sniff(bytes, n)) {
    case BS_PICTURE_PNG: s = bs_png_probe(name, bytes, n, limits, out, err); break;
    case BS_PICTURE_JPEG: s = bs_jpeg_probe(name, bytes, n, limits, out, err); break;
    default: return bs_fail(err, BASIN_EDATA, "%s: neither a PNG nor a JPEG file", name);
    }
    if (!s && out->orientation >= 5) {
        int w = out->width;
        out->width = out->height;
        out->height = w;
    }
    return s;
}

basin_status bs_picture_decode(const char *name, const void *bytes, size_t n, bs_picture_use use,
                               const bs_picture_limits *limits, bs_picture *out, basin_error *err)
{
    memset(out, 0, sizeof *out);
    bs_picture_info info;
    basin_status    s = bs_picture_probe(name, bytes, n, limits, &info, err);
    if (s)
        return s;
    out->file = info;
    if (info.kind == BS_PICTURE_JPEG && use == BS_PICTURE_MASK)
        return bs_fail(err, BASIN_EDATA,
                       "%s: a mask as JPEG, whose values are inexact; convert it to PNG", name);
    s = info.kind == BS_PICTURE_PNG ? bs_png_decode(name, bytes, n, use, out, err)
                                    : bs_jpeg_decode(name, bytes, n, out, err);
    if (!s && use == BS_PICTURE_PHOTO && info.orientation > 1)
        s = turn(out, info.orientation, err);
    if (s)
        bs_picture_free(out);
    return s;
}

void bs_picture_free(bs_picture *p)
{
    if (!p)
        return;
    bs_free(p->pixels);
    memset(p, 0, sizeof *p);
}

uint8_t bs_picture_grey(const uint8_t rgb[3])
{
    return (uint8_t)((299u * rgb[0] + 587u * rgb[1] + 114u * rgb[2] + 500) / 1000);
}

void bs_picture_flatten(bs_picture *p)
{
    if (p->channels != 4)
        return;
    const size_t   n = (size_t)p->width * (size_t)p->height;
    const uint8_t *from = p->pixels;
    uint8_t       *to = p->pixels;
    for (size_t i = 0; i < n; i++, from += 4, to += 3) {
        unsigned a = from[3];
        for (int c = 0; c < 3; c++)
            to[c] = (uint8_t)((from[c] * a + 255 * (255 - a) + 127) / 255);
    }
    p->channels = 3;
}

/* --- colours of classes ---------------------------------------------------- */

void bs_class_colour(int c, uint8_t rgb[3])
{
    static const uint8_t first[16][3] = {
        {0, 0, 0},       {230, 159, 0},  {86, 180, 233}, {0, 158, 115},
        {240, 228, 66},  {0, 114, 178},  {213, 94, 0},   {204, 121, 167},
        {150, 60, 20},   {120, 200, 60}, {90, 60, 170},  {250, 190, 190},
        {128, 128, 128}, {0, 220, 220},  {160, 160, 60}, {255, 60, 60},
    };
    if (c >= 0 && c < 16)
        memcpy(rgb, first[c], 3);
    else
        bs_voc_colour(c, rgb);
}

/* Bits of the number, three at a time, become the high bits of the colours. */
void bs_voc_colour(int c, uint8_t rgb[3])
{
    unsigned rest = (unsigned)c;
    rgb[0] = rgb[1] = rgb[2] = 0;
    for (int bit = 7; bit >= 0; bit--, rest >>= 3)
        for (int k = 0; k < 3; k++)
            rgb[k] = (uint8_t)(rgb[k] | ((rest >> k & 1) << bit));
}
