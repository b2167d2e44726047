/* coco_draw.c -- from outlines to classes of pixels.
 *
 * Every edge of a polygon flips, in each row whose centre line it crosses, the first pixel whose
 * centre is not left of the crossing. A pixel is inside when the flips of its row up to it are odd:
 * the even-odd rule without sorting. Crossings are found from an edge's upper end to its lower one,
 * so that neighbours that share an edge share no pixel and leave none out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/image/coco.h"

typedef struct {
    const bs_coco *c;
    basin_error   *err;
    int            width, height;
    uint8_t       *flip;        /* [height, width + 1] zeros between polygons */
    uint8_t       *on;          /* [height, width] the object; zeros between objects */
    int            top, bottom; /* rows of the object */
    bool           beyond;
} drawing;

typedef struct {
    const bs_coco_object *object;
    int64_t               pixels;
} layer;

static float coordinate(const uint32_t *word)
{
    float v;
    memcpy(&v, word, sizeof v);
    return v;
}

/* The first of 0 .. n whose centre is at or after v. */
static int first_centre(double v, int n)
{
    const double at = ceil(v - 0.5);
    return at <= 0 ? 0 : at >= n ? n : (int)at;
}

static void flip_edge(drawing *d, double x0, double y0, double x1, double y1)
{
    if (y0 > y1) {
        const double x = x0, y = y0;
        x0 = x1;
        y0 = y1;
        x1 = x;
        y1 = y;
    }
    const int from = first_centre(y0, d->height), to = first_centre(y1, d->height);
    for (int row = from; row < to; row++) {
        const double x = x0 + (row + 0.5 - y0) * (x1 - x0) / (y1 - y0);
        d->flip[(size_t)row * ((size_t)d->width + 1) + (size_t)first_centre(x, d->width)] ^= 1;
    }
    d->top = from < d->top ? from : d->top;
    d->bottom = to > d->bottom ? to : d->bottom;
}

/* Adds what is inside, and clears the flips. */
static void fill(drawing *d)
{
    for (int row = d->top; row < d->bottom; row++) {
        uint8_t *flip = d->flip + (size_t)row * ((size_t)d->width + 1);
        uint8_t *on = d->on + (size_t)row * (size_t)d->width, inside = 0;
        for (int x = 0; x < d->width; x++) {
            inside ^= flip[x];
            on[x] |= inside;
        }
        memset(flip, 0, (size_t)d->width + 1);
    }
}

/* Whether any of the photo may be inside, and whether much of the polygon is not. */
static bool within(drawing *d, const uint32_t *corner, size_t n)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < 2 * n; i++) {
        const double v = (double)coordinate(corner + i);
        low[i % 2] = fmin(low[i % 2], v);
        high[i % 2] = fmax(high[i % 2], v);
    }
    d->beyond |= low[0] < -1 || low[1] < -1 || high[0] > d->width + 1 || high[1] > d->height + 1;
    return n == 0 || (low[0] <= d->width && low[1] <= d->height && high[0] >= 0 && high[1] >= 0);
}

static basin_status draw_polygons(drawing *d, const bs_coco_object *o)
{
    if (o->n == 0) /* nor are there any words, perhaps */
        return BASIN_OK;
    const uint32_t *word = d->c->word + o->at, *end = word + o->n;
    while (word < end) {
        const size_t n = *word++;
        if (!within(d, word, n))
            return bs_fail(d->err, BASIN_EDATA,
                           "%s: annotation %lld: a polygon lies outside of its photo of %d x %d "
                           "pixels",
                           d->c->label, (long long)o->id, d->width, d->height);
        for (size_t i = 0; i < n; i++) {
            const uint32_t *a = word + 2 * i, *b = word + 2 * (i + 1 < n ? i + 1 : 0);
            flip_edge(d, (double)coordinate(a), (double)coordinate(a + 1), (double)coordinate(b),
                      (double)coordinate(b + 1));
        }
        fill(d);
        word += 2 * n;
    }
    return BASIN_OK;
}

/* Off, on, off, ... down the first column, then the second; the reader has summed the lengths. */
static basin_status draw_runs(drawing *d, const bs_coco_object *o)
{
    if (o->width != d->width || o->height != d->height)
        return bs_fail(d->err, BASIN_EDATA,
                       "%s: annotation %lld: its runs are for %d x %d pixels, its photo has "
                       "%d x %d",
                       d->c->label, (long long)o->id, (int)o->width, (int)o->height, d->width,
                       d->height);
    size_t at = 0;
    for (size_t k = 0; k < o->n; k++) {
        const size_t end = at + d->c->word[o->at + k];
        for (; k % 2 == 1 && at < end; at++)
            d->on[at % (size_t)d->height * (size_t)d->width + at / (size_t)d->height] = 1;
        at = end;
    }
    d->top = 0;
    d->bottom = d->height;
    return BASIN_OK;
}

static basin_status draw_object(drawing *d, const bs_coco_object *o)
{
    d->top = d->height;
    d->bottom = 0;
    d->beyond = false;
    return o->runs ? draw_runs(d, o) : draw_polygons(d, o);
}

/* Counts the object's pixels, gives them the class if a mask is wanted, and clears them. */
static int64_t take_object(drawing *d, uint8_t class, uint8_t *mask)
{
    int64_t      pixels = 0;
    const size_t W = (size_t)d->width;
    for (size_t i = (size_t)d->top * W; i < (size_t)d->bottom * W; i++) {
        if (!d->on[i])
            continue;
        pixels++;
        d->on[i] = 0;
        if (mask)
            mask[i] = class;
    }
    return pixels;
}

/* The order of painting. */
static int below(const void *a, const void *b)
{
    const layer *p = a, *q = b;
    if (p->object->crowd != q->object->crowd)
        return p->object->crowd ? -1 : 1;
    if (p->pixels != q->pixels)
        return p->pixels > q->pixels ? -1 : 1;
    return (p->object > q->object) - (p->object < q->object);
}

static basin_status measure(drawing *d, const bs_coco_image *image, layer *l, bs_coco_tally *tally)
{
    for (size_t i = 0; i < image->n; i++) {
        const bs_coco_object *o = &d->c->object[image->first + i];
        basin_status          s = draw_object(d, o);
        if (s)
            return s;
        l[i] = (layer){o, take_object(d, 0, NULL)};
        tally->beyond += d->beyond;
        tally->nothing += l[i].pixels == 0;
        tally->crowds += o->crowd;
    }
    return BASIN_OK;
}

basin_status bs_coco_draw(const bs_coco *c, int32_t image, int width, int height, uint8_t *mask,
                          bs_coco_tally *tally, basin_error *err)
{
    const bs_coco_image *im = &c->image[image];
    const size_t         n = (size_t)width * (size_t)height;
    drawing              d = {.c = c, .err = err, .width = width, .height = height};
    memset(mask, 0, n);
    if (im->n == 0)
        return BASIN_OK;
    layer *l = bs_calloc(im->n, sizeof *l);
    d.flip = bs_calloc((size_t)width + 1, (size_t)height);
    d.on = bs_calloc(n, 1);
    basin_status s = l && d.flip && d.on ? measure(&d, im, l, tally) : bs_fail_nomem(err);
    if (!s)
        qsort(l, im->n, sizeof *l, below);
    for (size_t i = 0; i < im->n && !s; i++) {
        const int class = c->category[l[i].object->category].class;
        if (l[i].pixels && class >= 0 && !(s = draw_object(&d, l[i].object)))
            take_object(&d, l[i].object->crowd ? BS_COCO_CROWD : (uint8_t) class, mask);
    }
    bs_free(l);
    bs_free(d.flip);
    bs_free(d.on);
    return s;
}
