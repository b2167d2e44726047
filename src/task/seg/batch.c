/* batch.c -- windows of photos as batches.
 *
 * Every photo gives one window per epoch, whose place depends on the epoch and the photo alone: not
 * on the batch, nor on how often a run was stopped. */
#include <math.h>
#include <string.h>

#include "task/seg/windows.h"

/* ---- a batch ---- */

static size_t cells_of(const bs_windows *w)
{
    return (size_t)w->width * (size_t)w->height;
}

basin_status bs_windows_make(const bs_seg_known *k, int width, int height, int planes, int32_t most,
                             bs_windows *out, basin_error *err)
{
    const size_t n = (size_t)most, C = (size_t)k->channels;
    *out =
        (bs_windows){.known = k, .width = width, .height = height, .planes = planes, .most = most};
    const size_t cells = cells_of(out);
    out->photo = bs_calloc(n * C * cells, sizeof *out->photo);
    out->there = bs_calloc(n * cells, sizeof *out->there);
    out->gold = bs_calloc(n * (size_t)planes * cells, sizeof *out->gold);
    out->colours = bs_calloc(C * cells, sizeof *out->colours);
    out->mask = bs_calloc(cells, sizeof *out->mask);
    if (out->photo && out->there && out->gold && out->colours && out->mask)
        return BASIN_OK;
    bs_windows_free(out);
    return bs_fail_nomem(err);
}

void bs_windows_free(bs_windows *w)
{
    bs_free(w->photo);
    bs_free(w->there);
    bs_free(w->gold);
    bs_free(w->colours);
    bs_free(w->mask);
    *w = (bs_windows){0};
}

/* 1 where the window is inside the photo. */
static void mark_inside(const bs_crop *c, int width, int height, real *there)
{
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) {
            const int at = c->x + (c->flip ? c->width - 1 - x : x);
            *there++ = c->extend || (c->y + y >= 0 && c->y + y < height && at >= 0 && at < width);
        }
}

static void put_mask(bs_windows *w, const uint8_t *mask, real *there, real *gold)
{
    const size_t cells = cells_of(w);
    for (size_t i = 0; i < cells; i++) {
        there[i] = mask[i] != BS_IGNORE;
        if (w->planes == 1)
            gold[i] = mask[i] == 1;
        else if (mask[i] < w->planes)
            gold[(size_t)mask[i] * cells + i] = 1;
    }
}

void bs_windows_put(bs_windows *w, const bs_images *im, int32_t image, const bs_crop *c,
                    const bs_light *light, int32_t row)
{
    const size_t cells = cells_of(w), C = (size_t)w->known->channels, at = (size_t)row;
    const int    width = im->width[image], height = im->height[image];
    real        *photo = w->photo + at * C * cells;
    bs_crop_float(im->pixels[image], im->channels, width, height, c,
                  light ? light->mean : w->known->mean, light ? light->scale : NULL, w->colours);
    for (size_t i = 0; i < C * cells; i++)
        photo[i] = (real)w->colours[i];
    mark_inside(c, width, height, w->there + at * cells);
}

void bs_windows_put_truth(bs_windows *w, const bs_images *im, int32_t image, const bs_crop *c,
                          int32_t row)
{
    const size_t cells = cells_of(w), planes = (size_t)w->planes, at = (size_t)row;
    real        *there = w->there + at * cells, *gold = w->gold + at * planes * cells;
    memset(there, 0, cells * sizeof *there);
    memset(gold, 0, planes * cells * sizeof *gold);
    if (!im->mask[image])
        return;
    bs_crop_mask(im->mask[image], im->width[image], im->height[image], c, w->mask);
    put_mask(w, w->mask, there, gold);
}

const bs_batch *bs_windows_take(bs_windows *w, int32_t n)
{
    w->batch =
        (bs_batch){.size = {n, w->height, w->width}, .x = {w->photo, w->there}, .gold = w->gold};
    return &w->batch;
}

/* ---- training ---- */

/* How far windows are shifted, as a share of their sides, unless seg.crop says: they may cover
 * whole photos and would otherwise be the same in every epoch. */
#define SHIFT 0.125

typedef struct {
    bs_batches       base;
    const bs_images *im;
    bs_windows       room;
    double           flip, jitter, shift;
    uint32_t         salt; /* of the epoch */
} feed;

static void order_images(bs_batches *base, bs_rng *rng, int32_t *order)
{
    feed *f = (feed *)base;
    bs_rng_permutation(rng, order, f->im->n);
    f->salt = bs_rng_bits(rng);
}

static double either_way(bs_rng *rng) /* from -1 to 1 */
{
    return 2 * bs_rng_uniform(rng) - 1;
}

/* A value v in [0, 1], minus the mean m of the photos, becomes
 *
 *   (v - 1/2) contrast + 1/2 + brightness + tint - m = contrast (v - (m - shift) / contrast)
 *
 * with a tint for each channel. */
static bs_light light_at_random(bs_rng *rng, double jitter, const bs_seg_known *k)
{
    bs_light     l;
    const double contrast = 1 + jitter * either_way(rng), bright = jitter / 2 * either_way(rng);
    for (int c = 0; c < 3; c++) {
        double shift = (1 - contrast) / 2 + bright + jitter / 4 * either_way(rng);
        l.mean[c] = (float)(((double)k->mean[c] - 255 * shift) / contrast);
        l.scale[c] = (float)(contrast / 255);
    }
    return l;
}

static const bs_batch *take_windows(bs_batches *base, const int32_t *index, int32_t n)
{
    feed               *f = (feed *)base;
    const bs_seg_known *k = f->room.known;
    for (int32_t i = 0; i < n; i++) {
        bs_rng   rng = bs_rng_make(f->salt, (uint64_t)index[i], 0);
        bs_crop  c = bs_crop_random(&rng, f->im->width[index[i]], f->im->height[index[i]], k->width,
                                    k->height, f->flip);
        bs_light light = light_at_random(&rng, f->jitter, k);
        if (f->shift > 0)
            bs_crop_shift(&rng, f->shift, f->im->width[index[i]], f->im->height[index[i]], &c);
        bs_windows_put(&f->room, f->im, index[i], &c, f->jitter > 0 ? &light : NULL, i);
        bs_windows_put_truth(&f->room, f->im, index[i], &c, i);
    }
    return bs_windows_take(&f->room, n);
}

static void free_feed(bs_batches *base)
{
    feed *f = (feed *)base;
    bs_windows_free(&f->room);
    bs_free(f);
}

basin_status bs_batches_seg(const bs_dataset *p, const bs_preprocess *k, const bs_net_spec *spec,
                            const bs_train_options *o, bs_batches **out, basin_error *err)
{
    feed *f = bs_calloc(1, sizeof *f);
    *out = NULL;
    if (!f)
        return bs_fail_nomem(err);
    f->base = (bs_batches){order_images, bs_batches_fit_all, take_windows, free_feed, p->rows};
    f->im = bs_dataset_seg(p);
    f->flip = o->seg_flip ? 0.5 : 0;
    f->jitter = o->seg_jitter;
    f->shift = strcmp(o->seg_crop, "auto") == 0 ? SHIFT : 0;
    basin_status s = bs_windows_make(bs_preprocess_seg(k), bs_preprocess_seg(k)->width,
                                     bs_preprocess_seg(k)->height,
                                     bs_seg_planes(bs_net_spec_seg(spec)), o->batch, &f->room, err);
    if (s)
        free_feed(&f->base);
    else
        *out = &f->base;
    return s;
}

/* ---- windows for prediction ---- */

/* Default for the most windows of a photo in which an energy is searched. */
enum { SEARCHED = 36 };

/* Where windows start along one side: by the rule of crop.h, or evenly spaced if that gives more
 * than allowed, or too few to cover it. */
typedef struct {
    int  n, slack;
    bool even;
    int  offset[BS_MOST_OFFSETS];
} places;

static void find_places(int size, int window, int most, places *p)
{
    const int least = size <= window ? 1 : (size + window - 1) / window;
    const int few = most < least ? least : most;
    p->n = bs_crop_offsets(size, window, p->offset);
    p->slack = size - window;
    p->even = p->n > few || p->n < least;
    p->n = p->even ? few : p->n;
}

static int place(const places *p, int i)
{
    if (!p->even)
        return p->offset[i];
    return p->n > 1 ? (int)((int64_t)p->slack * i / (p->n - 1)) : p->slack / 2;
}

int64_t bs_seg_windows(const bs_seg_known *k, int width, int height,
                       basin_status (*visit)(void *ctx, const bs_crop *c), void *ctx,
                       basin_status *status)
{
    const int side = (int)sqrt(k->crops ? (double)k->crops : SEARCHED);
    places    across, down;
    find_places(width, k->width, side, &across);
    find_places(height, k->height, side, &down);
    const int64_t n = (int64_t)across.n * down.n;
    for (int64_t i = 0; visit && i < n && !*status; i++) {
        bs_crop c = {.x = place(&across, (int)(i % across.n)),
                     .y = place(&down, (int)(i / across.n)),
                     .width = k->width,
                     .height = k->height};
        *status = visit(ctx, &c);
    }
    return n;
}
