/* explain.c -- masks: how pixels depend on their neighbours, and what the energy would change in a
 * mask. */
#include <math.h>
#include <string.h>

#include "explain/explain.h"
#include "data/image/overlay.h"
#include "data/image/picture.h"
#include "task/seg/interactions.h"

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
static void fill_pull(const bs_seg_window *x, const real *dy, double *pull)
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

static basin_status draw_image(bs_explanation *e, bs_seg_window *x, bs_explained_image *out,
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
    bs_seg_put_found(x, 0);
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

static basin_status draw_images(bs_explanation *e, const bs_inquiry *q, basin_error *err)
{
    bs_seg_window x;
    basin_status  s = bs_seg_window_make(q, &e->data, &x, err);
    const int     n = e->data.rows < BS_EXPLAIN_IMAGES ? e->data.rows : BS_EXPLAIN_IMAGES;
    for (int i = 0; i < n && !s; i++) {
        s = bs_seg_window_open(&x, (int32_t)((int64_t)i * e->data.rows / n), err);
        if (!s)
            s = draw_image(e, &x, &e->image[e->images++], err);
    }
    bs_seg_window_free(&x);
    return s;
}

static basin_status look(bs_explanation *e, basin_error *err)
{
    bs_explained_pixels *p = &e->pixels;
    bs_scorer           *scorer;
    basin_status         s = bs_explain_scorer(e, &scorer, err);
    const bs_inquiry     q = bs_explain_inquiry(e, scorer);
    p->interaction = bs_explain_matrix(e, BASIN_SIDE, BASIN_SIDE);
    p->truth = bs_explain_matrix(e, BASIN_SIDE, BASIN_SIDE);
    if (!s && (!p->interaction || !p->truth))
        s = bs_fail_nomem(err);
    if (!s)
        s = bs_seg_interactions(&q, p->interaction, p->truth, &p->n, err);
    if (!s)
        s = draw_images(e, &q, err);
    bs_scorer_free(scorer);
    return s;
}

/* ---- one image ---- */

/* The prediction where the truth is unknown. */
static void put_mask(const bs_seg_window *x, size_t row, const uint8_t *mask)
{
    for (size_t p = 0; p < x->cells; p++)
        bs_seg_put_pixel(x, row, p, mask[p] == BS_IGNORE ? x->mask[p] : mask[p]);
}

static basin_status energies(bs_explanation *e, const bs_seg_window *x, basin_error *err)
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
    bs_scorer       *scorer;
    bs_seg_window    x;
    basin_status     s = bs_explain_scorer(e, &scorer, err);
    const bs_inquiry q = bs_explain_inquiry(e, scorer);
    e->row.text = bs_dataset_seg(&e->one)->name[0];
    if (s)
        return s;
    s = bs_seg_window_make(&q, &e->one, &x, err);
    if (!s)
        s = bs_seg_window_open(&x, 0, err);
    if (!s)
        s = draw_image(e, &x, &e->image[BS_EXPLAIN_IMAGES], err);
    if (!s)
        s = energies(e, &x, err);
    bs_seg_window_free(&x);
    bs_scorer_free(scorer);
    return s;
}

const bs_task_explain bs_task_explain_seg = {
    .rows = 24, .labelled = labelled, .names = names, .look = look, .row = explain_row};
