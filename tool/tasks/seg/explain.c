/* explain.c -- masks: how pixels depend on their neighbours, and what the energy would change in a
 * mask.
 *
 * Energies over masks consist of piecewise linear layers, so their second derivative is zero almost
 * everywhere. The interaction of two pixels is therefore a difference: how the gradient at q
 * changes when pixel p goes from 0 to 1. */
#include <math.h>
#include <string.h>

#include "explain/explain.h"
#include "data/image/overlay.h"
#include "data/image/picture.h"
#include "task/seg/data.h"

enum {
    ROWS = 32,  /* of a batch: copies of one window */
    GRID = 6,   /* pixels per side that are changed, one by one ... */
    PHOTOS = 8, /* ... in this many photos */
};

static bool labelled(const bs_dataset *p)
{
    for (int32_t i = 0; i < bs_dataset_seg(p)->n; i++)
        if (bs_dataset_seg(p)->mask[i])
            return true;
    return false;
}

static basin_status names(bs_explanation *e, basin_error *err)
{
    const bs_preprocess *k = &e->m->known;
    e->names = bs_preprocess_seg(k)->classes;
    const char **name = bs_arena_alloc(&e->arena, (size_t)e->names * sizeof *name);
    for (int i = 0; i < e->names && name; i++)
        name[i] = bs_seg_label(k, i);
    e->name = name;
    /* as few windows as cover a photo: searches are slow */
    bs_preprocess_seg(&e->known)->crops = 1;
    return name ? BASIN_OK : bs_fail_nomem(err);
}

/* ---- a window in the middle of a photo ---- */

typedef struct {
    const bs_images *im;
    int32_t          image;
    int              W, H, planes;
    size_t           cells;
    bs_crop          crop;
    bs_windows       room;
    bs_scorer       *scorer;
    const bs_batch  *b;           /* ROWS copies of the window */
    real            *y;           /* [ROWS, planes, cells] */
    float           *found;       /* [planes, cells] the model's output */
    uint8_t         *mask, *gold; /* [cells]; gold is BS_IGNORE if unknown */
} window;

static void window_free(window *x)
{
    bs_windows_free(&x->room);
    bs_scorer_free(x->scorer);
    bs_free(x->y);
    bs_free(x->found);
    bs_free(x->mask);
    bs_free(x->gold);
}

static basin_status window_make(const bs_explanation *e, const bs_dataset *p, window *x,
                                basin_error *err)
{
    const bs_seg_known *k = bs_preprocess_seg(&e->m->known);
    bs_inference        how;
    *x = (window){.im = bs_dataset_seg(p),
                  .W = k->width,
                  .H = k->height,
                  .planes = bs_seg_planes(bs_net_spec_seg(&e->m->spec)),
                  .cells = (size_t)k->width * (size_t)k->height};
    const size_t parts = (size_t)x->planes * x->cells;
    x->y = bs_calloc(ROWS * parts, sizeof *x->y);
    x->found = bs_calloc(parts, sizeof *x->found);
    x->mask = bs_calloc(x->cells, 1);
    x->gold = bs_calloc(x->cells, 1);
    basin_status s = x->y && x->found && x->mask && x->gold
                         ? bs_windows_make(k, k->width, k->height, x->planes, ROWS, &x->room, err)
                         : bs_fail_nomem(err);
    if (!s)
        s = bs_model_file_inference(e->m, NULL, false, &how, err);
    if (!s)
        s = bs_scorer_new(e->w, e->m->params, &e->m->spec, &how, &x->scorer, err);
    return s;
}

/* Copies and predicts it. */
static basin_status window_open(window *x, int32_t image, basin_error *err)
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

/* Pixel p of a row of y becomes class c. */
static void put_pixel(const window *x, size_t row, size_t p, int c)
{
    real *y = x->y + row * (size_t)x->planes * x->cells;
    for (int k = 0; k < x->planes; k++)
        y[(size_t)k * x->cells + p] = (real)(x->planes == 1 ? c : k == c);
}

/* The prediction where the truth is unknown. */
static void put_mask(const window *x, size_t row, const uint8_t *mask)
{
    for (size_t p = 0; p < x->cells; p++)
        put_pixel(x, row, p, mask[p] == BS_IGNORE ? x->mask[p] : mask[p]);
}

static void put_found(const window *x, size_t row)
{
    const size_t parts = (size_t)x->planes * x->cells;
    for (size_t i = 0; i < parts; i++)
        x->y[row * parts + i] = (real)x->found[i];
}

/* ---- interaction ---- */

/* dE/dy at pixel q for class c, minus that for class 0. */
static double slope(const window *x, const real *dy, size_t row, size_t q, int c)
{
    const real *g = dy + row * (size_t)x->planes * x->cells;
    return x->planes == 1 ? (double)g[q] : (double)g[(size_t)c * x->cells + q] - (double)g[q];
}

static void add_pixel(const window *x, const real *dy, size_t row, size_t p, int c, double *sum,
                      double *n)
{
    const int R = BS_EXPLAIN_REACH, px = (int)(p % (size_t)x->W), py = (int)(p / (size_t)x->W);
    for (int v = -R; v <= R; v++)
        for (int u = -R; u <= R; u++) {
            if (px + u < 0 || px + u >= x->W || py + v < 0 || py + v >= x->H)
                continue;
            const size_t at = (size_t)(v + R) * BS_EXPLAIN_SIDE + (size_t)(u + R);
            const size_t q = (size_t)(py + v) * (size_t)x->W + (size_t)(px + u);
            sum[at] -= slope(x, dy, row + 1, q, c) - slope(x, dy, row, q, c);
            n[at] += 1;
        }
}

/* Pixels of a grid, each once as class 0 and once as another. */
static basin_status add_window(bs_explanation *e, const window *x, double *sum, double *n,
                               basin_error *err)
{
    basin_status s = BASIN_OK;
    const int    classes = e->names;
    for (size_t first = 0; first < GRID * GRID && !s; first += ROWS / 2) {
        const real *dy;
        size_t      p[ROWS / 2];
        size_t      many = GRID * GRID - first < ROWS / 2 ? GRID * GRID - first : ROWS / 2;
        for (size_t k = 0; k < many; k++) {
            const size_t i = first + k, c = 1 + i % (size_t)(classes - 1);
            p[k] = (2 * (i / GRID) + 1) * (size_t)x->H / (2 * GRID) * (size_t)x->W +
                   (2 * (i % GRID) + 1) * (size_t)x->W / (2 * GRID);
            put_found(x, 2 * k);
            put_found(x, 2 * k + 1);
            put_pixel(x, 2 * k, p[k], 0);
            put_pixel(x, 2 * k + 1, p[k], (int)c);
        }
        s = bs_energy_probe_gradient(e->probe, x->b, x->y, &dy, err);
        for (size_t k = 0; k < many && !s; k++)
            add_pixel(x, dy, 2 * k, p[k], 1 + (int)((first + k) % (size_t)(classes - 1)), sum, n);
    }
    return s;
}

/* For the masks: sums of products that give a correlation, [SIDE, SIDE, 4]. */
static void add_truth(const window *x, double *sum)
{
    const int R = BS_EXPLAIN_REACH;
    for (int y = 0; y < x->H; y++)
        for (int z = 0; z < x->W; z++)
            for (int v = -R; v <= R; v++)
                for (int u = -R; u <= R; u++) {
                    if (y + v < 0 || y + v >= x->H || z + u < 0 || z + u >= x->W)
                        continue;
                    const uint8_t a = x->gold[y * x->W + z], b = x->gold[(y + v) * x->W + z + u];
                    double       *to = sum + 4 * ((v + R) * BS_EXPLAIN_SIDE + u + R);
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

static basin_status interact(bs_explanation *e, window *x, basin_error *err)
{
    const int            cells = BS_EXPLAIN_SIDE * BS_EXPLAIN_SIDE;
    bs_explained_pixels *p = &e->pixels;
    double      *n = bs_explain_matrix(e, 1, cells), *pairs = bs_explain_matrix(e, 4, cells);
    basin_status s = BASIN_OK;
    p->interaction = bs_explain_matrix(e, 1, cells);
    p->truth = bs_explain_matrix(e, 1, cells);
    if (!n || !pairs || !p->interaction || !p->truth)
        return bs_fail_nomem(err);
    const int32_t photos = x->im->n < PHOTOS ? x->im->n : PHOTOS;
    for (int32_t i = 0; i < photos && !s; i++) {
        s = window_open(x, (int32_t)((int64_t)i * x->im->n / photos), err);
        if (!s)
            s = add_window(e, x, p->interaction, n, err);
        add_truth(x, pairs);
        if (!s)
            s = bs_explain_go_on(e, err);
    }
    for (int i = 0; i < cells; i++) {
        p->n += (int64_t)n[i];
        p->interaction[i] = n[i] > 0 ? p->interaction[i] / n[i] : NAN;
        p->truth[i] = phi(pairs + 4 * i);
    }
    return s;
}

/* ---- what the energy would change ---- */

/* Blue where it pulls down, orange where up. */
static basin_status colour_map(const bs_explained_image *im, bs_buf *png, basin_error *err)
{
    static const double ends[2][3] = {{33, 102, 172}, {209, 105, 12}};
    const size_t        n = (size_t)im->width * (size_t)im->height;
    uint8_t            *rgb = bs_alloc(3 * n);
    double              most = 1e-30;
    if (!rgb)
        return bs_fail_nomem(err);
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(im->pull[i]));
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < 3; c++) {
            const double share = fabs(im->pull[i]) / most;
            rgb[3 * i + c] = (uint8_t)(245 + share * (ends[im->pull[i] > 0][c] - 245) + 0.5);
        }
    basin_status s = bs_png_write(rgb, im->width, im->height, 3, NULL, 0, png, err);
    bs_free(rgb);
    return s;
}

/* How much the energy wants class 1; with more than two classes, how much it wants another one. */
static void fill_pull(const window *x, const real *dy, double *pull)
{
    for (size_t p = 0; p < x->cells; p++) {
        double least = 0;
        for (int c = 0; c < x->planes; c++)
            least =
                fmin(least, (double)dy[(size_t)c * x->cells + p] -
                                (double)dy[(size_t)x->mask[p] * x->cells * (x->planes > 1) + p]);
        pull[p] = x->planes == 1 ? -(double)dy[p] : -least;
    }
}

static basin_status draw_image(bs_explanation *e, window *x, bs_explained_image *out,
                               basin_error *err)
{
    const int   channels = x->im->channels;
    uint8_t    *photo = bs_alloc((size_t)channels * x->cells);
    const real *dy;
    bs_buf_init(&out->masks, 1 << 28);
    bs_buf_init(&out->map, 1 << 28);
    out->name = x->im->name[x->image];
    out->width = x->W;
    out->height = x->H;
    out->pull = bs_explain_matrix(e, x->H, x->W);
    put_found(x, 0);
    basin_status s = photo && out->pull ? bs_energy_probe_gradient(e->probe, x->b, x->y, &dy, err)
                                        : bs_fail_nomem(err);
    if (!s) {
        fill_pull(x, dy, out->pull);
        bs_crop_bytes(x->im->pixels[x->image], channels, x->im->width[x->image],
                      x->im->height[x->image], &x->crop, photo);
        s = bs_overlay_compare(photo, channels, x->W, x->H, x->im->mask[x->image] ? x->gold : NULL,
                               x->mask, e->names, 0, &out->masks, err);
    }
    if (!s)
        s = colour_map(out, &out->map, err);
    bs_free(photo);
    return s;
}

static basin_status look(bs_explanation *e, basin_error *err)
{
    window       x;
    basin_status s = window_make(e, &e->data, &x, err);
    const int    n = e->data.rows < BS_EXPLAIN_IMAGES ? e->data.rows : BS_EXPLAIN_IMAGES;
    if (!s)
        s = interact(e, &x, err);
    for (int i = 0; i < n && !s; i++) {
        s = window_open(&x, (int32_t)((int64_t)i * e->data.rows / n), err);
        if (!s)
            s = draw_image(e, &x, &e->image[e->images++], err);
    }
    window_free(&x);
    return s;
}

/* ---- one image ---- */

static basin_status energies(bs_explanation *e, const window *x, basin_error *err)
{
    const real *energy;
    put_mask(x, 0, x->mask);
    put_mask(x, 1, x->gold);
    basin_status s = bs_energy_probe_energy(e->probe, x->b, x->y, &energy, err);
    if (s)
        return s;
    e->row.energy = (double)energy[0];
    e->row.energy_truth = x->im->mask[x->image] ? (double)energy[1] : NAN;
    return BASIN_OK;
}

static basin_status explain_row(bs_explanation *e, basin_error *err)
{
    window       x;
    basin_status s = window_make(e, &e->one, &x, err);
    e->row.text = bs_dataset_seg(&e->one)->name[0];
    if (!s)
        s = window_open(&x, 0, err);
    if (!s)
        s = draw_image(e, &x, &e->image[BS_EXPLAIN_IMAGES], err);
    if (!s)
        s = energies(e, &x, err);
    window_free(&x);
    return s;
}

const bs_task_explain bs_task_explain_seg = {
    .rows = 24, .labelled = labelled, .names = names, .look = look, .row = explain_row};
