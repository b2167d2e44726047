/* interactions.c -- how pixels depend on their neighbours, to an energy and in the truth.
 *
 * Energies over masks consist of piecewise linear layers, so their second derivative is zero almost
 * everywhere. The interaction of two pixels is therefore a difference: how the gradient at q
 * changes when pixel p goes from 0 to 1. */
#include <math.h>
#include <string.h>

#include "task/seg/interactions.h"

enum {
    ROWS = BS_SEG_COPIES,
    REACH = BS_SEG_REACH,
    SIDE = BASIN_SIDE,
    CELLS = SIDE * SIDE,
    GRID = 6,   /* pixels per side that are changed, one by one ... */
    PHOTOS = 8, /* ... in this many photos */
};

/* ---- a window in the middle of a photo ---- */

void bs_seg_window_free(bs_seg_window *x)
{
    bs_windows_free(&x->room);
    bs_free(x->y);
    bs_free(x->found);
    bs_free(x->mask);
    bs_free(x->gold);
}

basin_status bs_seg_window_make(const bs_inquiry *q, const bs_dataset *p, bs_seg_window *x,
                                basin_error *err)
{
    const bs_seg_known *k = bs_preprocess_seg(q->known);
    *x = (bs_seg_window){.im = bs_dataset_seg(p),
                         .scorer = q->scorer,
                         .W = k->width,
                         .H = k->height,
                         .planes = bs_seg_planes(bs_net_spec_seg(q->spec)),
                         .cells = (size_t)k->width * (size_t)k->height};
    const size_t parts = (size_t)x->planes * x->cells;
    x->y = bs_calloc(ROWS * parts, sizeof *x->y);
    x->found = bs_calloc(parts, sizeof *x->found);
    x->mask = bs_calloc(x->cells, 1);
    x->gold = bs_calloc(x->cells, 1);
    return x->y && x->found && x->mask && x->gold
               ? bs_windows_make(k, k->width, k->height, x->planes, ROWS, &x->room, err)
               : bs_fail_nomem(err);
}

basin_status bs_seg_window_open(bs_seg_window *x, int32_t image, basin_error *err)
{
    const int    width = x->im->width[image], height = x->im->height[image];
    const size_t parts = (size_t)x->planes * x->cells;
    bs_scored    found;
    x->image = image;
    x->crop =
        (bs_crop){.x = (width - x->W) / 2, .y = (height - x->H) / 2, .width = x->W, .height = x->H};
    for (int32_t r = 0; r < ROWS; r++)
        bs_windows_put(&x->room, x->im, image, &x->crop, NULL, r);
    x->b = bs_windows_take(&x->room, ROWS);
    basin_status s = bs_scorer_batch(x->scorer, x->b, &found, err);
    if (s)
        return s;
    for (size_t i = 0; i < parts; i++)
        x->found[i] = (float)found.y[i];
    bs_seg_decide(x->found, x->planes, (int64_t)x->cells, x->mask);
    memset(x->gold, BS_IGNORE, x->cells);
    if (x->im->mask[image])
        bs_crop_mask(x->im->mask[image], width, height, &x->crop, x->gold);
    return s;
}

void bs_seg_put_pixel(const bs_seg_window *x, size_t row, size_t p, int c)
{
    real *y = x->y + row * (size_t)x->planes * x->cells;
    for (int k = 0; k < x->planes; k++)
        y[(size_t)k * x->cells + p] = (real)(x->planes == 1 ? c : k == c);
}

void bs_seg_put_found(const bs_seg_window *x, size_t row)
{
    const size_t parts = (size_t)x->planes * x->cells;
    for (size_t i = 0; i < parts; i++)
        x->y[row * parts + i] = (real)x->found[i];
}

/* ---- interaction ---- */

/* dE/dy at pixel q for class c, minus that for class 0. */
static double slope(const bs_seg_window *x, const real *dy, size_t row, size_t q, int c)
{
    const real *g = dy + row * (size_t)x->planes * x->cells;
    return x->planes == 1 ? (double)g[q] : (double)g[(size_t)c * x->cells + q] - (double)g[q];
}

static void add_pixel(const bs_seg_window *x, const real *dy, size_t row, size_t p, int c,
                      double *sum, double *n)
{
    const int px = (int)(p % (size_t)x->W), py = (int)(p / (size_t)x->W);
    for (int v = -REACH; v <= REACH; v++)
        for (int u = -REACH; u <= REACH; u++) {
            if (px + u < 0 || px + u >= x->W || py + v < 0 || py + v >= x->H)
                continue;
            const size_t at = (size_t)(v + REACH) * SIDE + (size_t)(u + REACH);
            const size_t q = (size_t)(py + v) * (size_t)x->W + (size_t)(px + u);
            sum[at] -= slope(x, dy, row + 1, q, c) - slope(x, dy, row, q, c);
            n[at] += 1;
        }
}

/* Pixels of a grid, each once as class 0 and once as another. */
static basin_status add_window(const bs_inquiry *q, const bs_seg_window *x, double *sum, double *n,
                               basin_error *err)
{
    basin_status s = BASIN_OK;
    const int    classes = bs_preprocess_seg(q->known)->classes;
    for (size_t first = 0; first < GRID * GRID && !s; first += ROWS / 2) {
        const real *dy;
        size_t      p[ROWS / 2];
        size_t      many = GRID * GRID - first < ROWS / 2 ? GRID * GRID - first : ROWS / 2;
        for (size_t k = 0; k < many; k++) {
            const size_t i = first + k, c = 1 + i % (size_t)(classes - 1);
            p[k] = (2 * (i / GRID) + 1) * (size_t)x->H / (2 * GRID) * (size_t)x->W +
                   (2 * (i % GRID) + 1) * (size_t)x->W / (2 * GRID);
            bs_seg_put_found(x, 2 * k);
            bs_seg_put_found(x, 2 * k + 1);
            bs_seg_put_pixel(x, 2 * k, p[k], 0);
            bs_seg_put_pixel(x, 2 * k + 1, p[k], (int)c);
        }
        for (int i = 0; i < q->probes && !s; i++) {
            s = bs_energy_probe_gradient(q->probe[i], x->b, x->y, &dy, err);
            for (size_t k = 0; k < many && !s; k++)
                add_pixel(x, dy, 2 * k, p[k], 1 + (int)((first + k) % (size_t)(classes - 1)), sum,
                          n);
        }
    }
    return s;
}

/* For the masks: sums of products that give a correlation, [SIDE, SIDE, 4]. */
static void add_truth(const bs_seg_window *x, double *sum)
{
    for (int y = 0; y < x->H; y++)
        for (int z = 0; z < x->W; z++)
            for (int v = -REACH; v <= REACH; v++)
                for (int u = -REACH; u <= REACH; u++) {
                    if (y + v < 0 || y + v >= x->H || z + u < 0 || z + u >= x->W)
                        continue;
                    const uint8_t a = x->gold[y * x->W + z], b = x->gold[(y + v) * x->W + z + u];
                    double       *to = sum + 4 * ((v + REACH) * SIDE + u + REACH);
                    if (a == BS_IGNORE || b == BS_IGNORE)
                        continue;
                    to[0] += 1;
                    to[1] += a != 0;
                    to[2] += b != 0;
                    to[3] += a != 0 && b != 0;
                }
}

static double phi(const double sum[4])
{
    const double n = sum[0], a = sum[1] / n, b = sum[2] / n;
    return (sum[3] / n - a * b) / sqrt(a * (1 - a) * b * (1 - b));
}

static basin_status add_photos(const bs_inquiry *q, bs_seg_window *x, double *out, double *n,
                               double *pairs, basin_error *err)
{
    const int32_t photos = x->im->n < PHOTOS ? x->im->n : PHOTOS;
    basin_status  s = BASIN_OK;
    for (int32_t i = 0; i < photos && !s; i++) {
        s = bs_seg_window_open(x, (int32_t)((int64_t)i * x->im->n / photos), err);
        if (!s)
            s = add_window(q, x, out, n, err);
        if (!s)
            s = bs_task_go_on(q->stop, err);
        add_truth(x, pairs);
    }
    return s;
}

basin_status bs_seg_interactions(const bs_inquiry *q, double *out, double *together,
                                 int64_t *examined, basin_error *err)
{
    double        n[CELLS] = {0}, pairs[4 * CELLS] = {0};
    bs_seg_window x;
    basin_status  s = bs_seg_window_make(q, q->data, &x, err);
    memset(out, 0, CELLS * sizeof *out);
    *examined = 0;
    if (!s)
        s = add_photos(q, &x, out, n, pairs, err);
    for (int i = 0; i < CELLS && !s; i++) {
        if (!isfinite(out[i]))
            s = bs_fail(err, BASIN_ENUMERIC,
                        "pixels %d to the right and %d below: the derivative of the energy is not "
                        "finite; the model's weights are too large",
                        i % SIDE - REACH, i / SIDE - REACH);
        *examined += (int64_t)n[i] / q->probes;
        out[i] = n[i] > 0 ? out[i] / n[i] : (double)NAN;
        together[i] = phi(pairs + 4 * (ptrdiff_t)i);
    }
    bs_seg_window_free(&x);
    return s;
}

basin_status bs_interactions_seg(const bs_inquiry *q, double *out, double *together,
                                 basin_error *err)
{
    double  unused[CELLS];
    int64_t examined;
    return bs_seg_interactions(q, out, together ? together : unused, &examined, err);
}
