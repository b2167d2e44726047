/* windows.c -- masks of photos: predicted as a whole, in tiles, or pasted from windows.
 *
 * Nets are convolutional, so one pass gives the mask of a photo of any size. What does not fit into
 * memory is done in overlapping tiles (image.max_tile_mb). seg.crops asks for the protocol of the
 * papers, which averages the probabilities of many windows as large as those of training; searches
 * of an energy, whose memory grows with every step, always use windows. */
#include <math.h>
#include <string.h>

#include "data/image/resize.h"
#include "task/seg/windows.h"

enum {
    ROWS = 32,              /* most pieces in a batch, ... */
    BATCH = 1 << 21,        /* most pixels, unless it is a single window, ... */
    BATCH_BYTES = 64 << 20, /* most memory, unless it is a single photo */
    MOST_WINDOWS = 1 << 18, /* per photo */
    UNIT = 8,               /* nets halve sides three times */
    PLANES = 7,             /* planes in memory at a time, in units of net.width */
};

/* ---- tiles ---- */

static int smaller(int64_t a, int b)
{
    return a < b ? (int)a : b;
}

/* By how much a tile is larger than what it adds: starts are rounded. */
enum { SHARED = 2 * BS_TILE_MARGIN + UNIT - 1 };

static int rounded_up(int x, int unit)
{
    return (x + unit - 1) / unit * unit;
}

/* How many tiles, and the least side of that many. */
static int tiles_along(int size, int *tile)
{
    if (size <= *tile)
        return 1;
    const int own = *tile - SHARED, n = (size - SHARED + own - 1) / own;
    *tile = rounded_up(SHARED + (size - SHARED + n - 1) / n, UNIT);
    return n;
}

bs_tiles bs_tiles_make(int width, int height, int64_t pixels)
{
    const int least = 3 * BS_TILE_MARGIN;
    bs_tiles  t = {width, height, 1, 1};
    if ((int64_t)width * height <= pixels)
        return t;
    const int side = (int)sqrt((double)pixels) / UNIT * UNIT;
    t.width = smaller(width, side < least ? least : side);
    const int64_t left = pixels / t.width / UNIT * UNIT;
    t.height = smaller(left < least ? least : left, height);
    if (t.height == height) { /* a wide photo: as its height allows */
        const int64_t wide = pixels / height / UNIT * UNIT;
        t.width = smaller(wide < least ? least : wide, width);
    }
    t.across = tiles_along(width, &t.width);
    t.down = tiles_along(height, &t.height);
    return t;
}

/* Where the i-th of n tiles starts: aligned with the pixels of coarser scales, except the last. */
static int tile_at(int size, int tile, int i, int n)
{
    if (i == n - 1)
        return size - tile;
    return (int)((int64_t)(size - tile) * i / (n - 1)) / UNIT * UNIT;
}

/* Its part ends in the middle of the overlap with the next one. */
static int part_end(int size, int tile, int i, int n)
{
    if (i < 0)
        return 0;
    return i == n - 1 ? size
                      : (tile_at(size, tile, i, n) + tile + tile_at(size, tile, i + 1, n)) / 2;
}

void bs_tiles_at(const bs_tiles *t, int width, int height, int64_t i, bs_crop *tile, bs_crop *part)
{
    const int x = (int)(i % t->across), y = (int)(i / t->across);
    *tile = (bs_crop){.x = tile_at(width, t->width, x, t->across),
                      .y = tile_at(height, t->height, y, t->down),
                      .width = t->width,
                      .height = t->height};
    *part = (bs_crop){.x = part_end(width, t->width, x - 1, t->across),
                      .y = part_end(height, t->height, y - 1, t->down)};
    part->width = part_end(width, t->width, x, t->across) - part->x;
    part->height = part_end(height, t->height, y, t->down) - part->y;
}

/* ---- photos one after the other, their pieces in batches that may hold those of several ---- */

typedef struct {
    bs_crop at, part; /* a window or tile, and the part of it that is pasted */
    int32_t image;
} piece;

typedef struct {
    bs_scorer          *scorer;
    const bs_images    *im;
    const bs_seg_known *known;
    int                 planes;
    bool                whole;  /* photos as a whole or in tiles; else windows */
    int                 unit;   /* sides of whole photos are multiples of it */
    double              weight; /* bytes per pixel of a photo */
    bs_windows          room;   /* of pieces, all of one size */
    piece               put[ROWS];
    int32_t             n, most;         /* of the batch */
    int32_t             now;             /* the photo whose pieces are being added */
    int32_t             open;            /* the photo being pasted; -1: none */
    int64_t             missing, pieces; /* of its pieces */
    double              energy;
    bs_paste            paste;
    float              *found; /* of one piece, as floats */
    bs_outputs         *out;
    basin_error        *err;
} predicting;

static bs_tiles tiles_of(const predicting *p, int32_t image)
{
    const double room = (double)p->known->image.max_tile_mb * (1 << 20) / p->weight;
    return bs_tiles_make(rounded_up(p->im->width[image], p->unit),
                         rounded_up(p->im->height[image], p->unit), (int64_t)room);
}

static int64_t pieces_of(const predicting *p, int32_t image)
{
    if (!p->whole)
        return bs_seg_windows(p->known, p->im->width[image], p->im->height[image], NULL, NULL,
                              NULL);
    bs_tiles t = tiles_of(p, image);
    return (int64_t)t.across * t.down;
}

static basin_status open_photo(predicting *p, int32_t image)
{
    const int width = p->im->width[image], height = p->im->height[image];
    p->open = image;
    p->pieces = p->missing = pieces_of(p, image);
    p->energy = 0;
    if (p->paste.width == width && p->paste.height == height) {
        bs_paste_clear(&p->paste);
        return BASIN_OK;
    }
    bs_paste_free(&p->paste);
    return bs_paste_new(p->planes, width, height, &p->paste, p->err);
}

static void close_photo(predicting *p)
{
    const int32_t i = p->open;
    float        *to = p->out->scores + bs_starts_seg(p->out)[i];
    const int     W = p->im->mask_width[i], H = p->im->mask_height[i];
    bs_paste_mean(&p->paste, 0, p->paste.sum);
    if (W == p->paste.width && H == p->paste.height)
        memcpy(to, p->paste.sum, (size_t)p->planes * (size_t)W * (size_t)H * sizeof *to);
    else
        bs_resize_bilinear_float(p->paste.sum, p->planes, p->paste.width, p->paste.height, to, W,
                                 H);
    if (p->out->energy)
        p->out->energy[i] = (float)(p->energy / (double)p->pieces);
    p->open = -1;
}

static void paste_part(predicting *p, const piece *a, const real *y)
{
    const size_t plane = (size_t)a->at.width * (size_t)a->at.height;
    const int    left = a->part.x - a->at.x, top = a->part.y - a->at.y;
    float       *to = p->found;
    for (size_t k = 0; k < (size_t)p->planes; k++)
        for (int row = 0; row < a->part.height; row++) {
            const real *from =
                y + k * plane + (size_t)(top + row) * (size_t)a->at.width + (size_t)left;
            for (int col = 0; col < a->part.width; col++)
                *to++ = (float)from[col];
        }
    bs_paste_add(&p->paste, &a->part, p->found);
}

static basin_status run_batch(predicting *p)
{
    const size_t  cells = (size_t)p->planes * (size_t)p->room.width * (size_t)p->room.height;
    const int32_t n = p->n;
    bs_scored     found;
    basin_status  s = BASIN_OK;
    p->n = 0;
    if (n == 0)
        return s;
    s = bs_scorer_batch(p->scorer, bs_windows_take(&p->room, bs_scorer_padded(n)), &found, p->err);
    for (int32_t i = 0; i < n && !s; i++) {
        s = bs_scored_check(&found, (size_t)i, (size_t)i * cells, cells, "image",
                            p->out->first + p->put[i].image + 1, p->err);
        if (!s && p->open < 0)
            s = open_photo(p, p->put[i].image);
        if (s)
            break;
        paste_part(p, &p->put[i], found.y + (size_t)i * cells);
        p->energy += found.energy ? (double)found.energy[i] : 0;
        if (--p->missing == 0)
            close_photo(p);
    }
    return s;
}

/* A power of two, as batch sizes are. */
static int32_t most_pieces(const predicting *p, size_t cells)
{
    int32_t      most = ROWS;
    const double each = p->whole ? (double)cells * p->weight / BATCH_BYTES : (double)cells / BATCH;
    while (most > 1 && most * each > 1)
        most /= 2;
    return most;
}

/* Makes room for pieces of this size; pieces of another size are predicted first. */
static basin_status make_room(predicting *p, int width, int height)
{
    const size_t cells = (size_t)width * (size_t)height;
    if (p->room.width == width && p->room.height == height)
        return BASIN_OK;
    basin_status s = run_batch(p);
    bs_windows_free(&p->room);
    bs_free(p->found);
    p->found = NULL;
    p->most = most_pieces(p, cells);
    if (!s)
        s = bs_windows_make(p->known, width, height, p->planes, p->most, &p->room, p->err);
    if (!s && !(p->found = bs_calloc((size_t)p->planes * cells, sizeof *p->found)))
        s = bs_fail_nomem(p->err);
    return s;
}

static basin_status put_piece(predicting *p, const bs_crop *at, const bs_crop *part)
{
    basin_status s = make_room(p, at->width, at->height);
    if (s)
        return s;
    bs_windows_put(&p->room, p->im, p->now, at, NULL, p->n);
    p->put[p->n++] = (piece){*at, *part, p->now};
    return p->n == p->most ? run_batch(p) : BASIN_OK;
}

static basin_status put_window(void *ctx, const bs_crop *c)
{
    return put_piece(ctx, c, c);
}

static basin_status put_tiles(predicting *p)
{
    const int width = rounded_up(p->im->width[p->now], p->unit);
    const int height = rounded_up(p->im->height[p->now], p->unit);
    bs_tiles  t = tiles_of(p, p->now);
    for (int64_t i = 0; i < (int64_t)t.across * t.down; i++) {
        bs_crop      at, part;
        basin_status s;
        bs_tiles_at(&t, width, height, i, &at, &part);
        if ((s = put_piece(p, &at, &part)))
            return s;
    }
    return BASIN_OK;
}

static basin_status check_windows(const bs_seg_known *k, const bs_images *im, int32_t i, int64_t *n,
                                  basin_error *err)
{
    basin_status s = BASIN_OK;
    *n = bs_seg_windows(k, im->width[i], im->height[i], NULL, NULL, &s);
    if (*n > MOST_WINDOWS)
        return bs_fail(err, BASIN_EDATA,
                       "a photo of %d x %d pixels takes %lld of the model's windows of %d x %d, "
                       "more than %d",
                       im->width[i], im->height[i], (long long)*n, k->width, k->height,
                       (int)MOST_WINDOWS);
    return BASIN_OK;
}

static basin_status put_windows(predicting *p)
{
    int64_t      n;
    basin_status s = check_windows(p->known, p->im, p->now, &n, p->err);
    if (!s)
        bs_seg_windows(p->known, p->im->width[p->now], p->im->height[p->now], put_window, p, &s);
    return s;
}

basin_status bs_predict_seg(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                            const bs_dataset *p, bs_outputs *out, basin_error *err)
{
    const bs_infer      how = bs_scorer_inference(s)->how;
    const bs_seg_known *known = bs_preprocess_seg(k);
    const bs_seg_shape *shape = bs_net_spec_seg(spec);
    /* if sizes differ, a few programs must serve all of them */
    const bool   any_size = strcmp(known->image.size, "keep") == 0;
    predicting   w = {.scorer = s,
                      .im = bs_dataset_seg(p),
                      .known = known,
                      .planes = bs_seg_planes(shape),
                      .whole = known->crops == 0 && how != BS_INFER_GBI && how != BS_INFER_REFINE,
                      .unit = any_size ? UNIT : 1,
                      .weight = (double)sizeof(real) * (PLANES * shape->filters + shape->classes),
                      .open = -1,
                      .out = out,
                      .err = err};
    basin_status status = BASIN_OK;
    for (; w.now < w.im->n && !status; w.now++)
        status = w.whole ? put_tiles(&w) : put_windows(&w);
    if (!status)
        status = run_batch(&w);
    bs_windows_free(&w.room);
    bs_paste_free(&w.paste);
    bs_free(w.found);
    return status;
}

/* ---- energies of given masks ---- */

typedef struct {
    bs_energy_probe *probe;
    const bs_images *im;
    bs_windows       room; /* for one */
    int32_t          now;  /* photo */
    double           sum;
    basin_error     *err;
} weighing;

static basin_status weigh(void *ctx, const bs_crop *c)
{
    weighing   *w = ctx;
    const real *found;
    bs_windows_put(&w->room, w->im, w->now, c, NULL, 0);
    bs_windows_put_truth(&w->room, w->im, w->now, c, 0);
    basin_status s = bs_energy_probe_truth(w->probe, bs_windows_take(&w->room, 1), &found, w->err);
    w->sum += s ? 0 : (double)found[0];
    return s;
}

basin_status bs_energies_seg(bs_energy_probe *probe, const bs_net_spec *spec,
                             const bs_preprocess *k, const bs_dataset *p, double *energy,
                             basin_error *err)
{
    const bs_seg_known *known = bs_preprocess_seg(k);
    const int           planes = bs_seg_planes(bs_net_spec_seg(spec));
    weighing            w = {.probe = probe, .im = bs_dataset_seg(p), .err = err};
    basin_status s = bs_windows_make(known, known->width, known->height, planes, 1, &w.room, err);
    for (; w.now < w.im->n && !s; w.now++) {
        int64_t n;
        w.sum = 0;
        if (!w.im->mask[w.now])
            s = bs_fail(err, BASIN_EARG, "image %d: without a mask there is no energy",
                        (int)w.now + 1);
        else if (!(s = check_windows(known, w.im, w.now, &n, err)))
            bs_seg_windows(known, w.im->width[w.now], w.im->height[w.now], weigh, &w, &s);
        if (!s)
            energy[w.now] = w.sum / (double)n;
    }
    bs_windows_free(&w.room);
    return s;
}
