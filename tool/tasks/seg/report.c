/* report.c -- where a model of masks errs: classes, pairs of classes, and the worst photos, with
 * both masks drawn over them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/seg/base.h"
#include "base/order.h"
#include "data/image/overlay.h"
#include "data/image/resize.h"
#include "task/seg/data.h"

enum {
    EXAMPLES = 12,
    SIDE = 128,       /* pixels: larger photos are reduced, smaller ones enlarged */
    PIXELS = 1 << 22, /* of the reliability diagram, at most; beyond that every n-th */
};

typedef struct {
    const bs_report_group *g;
    const bs_report_run   *run;
    const bs_images       *data;
    int                    classes, planes;
    const char           **name;  /* [classes] */
    bs_ranked             *worst; /* [examples], of the photos with a mask, by minus their IoU */
    int32_t                examples;
    uint8_t               *mask; /* of the largest photo */
    bs_doc                *doc;
    bs_buf                *out; /* its page */
} view;

static void decide(const view *v, int32_t i)
{
    bs_seg_mask(&v->run->y, i, v->planes, bs_gold_pixels(v->data, i), v->mask);
}

/* ---- classes ---- */

static void classes(const view *v, const bs_class_score *row)
{
    static const bs_column column[] = {{.name = "class", .text = true, .key = "class"},
                                       {.name = "true pixels", .key = "true"},
                                       {.name = "predicted", .key = "predicted"},
                                       {.name = "both", .key = "both"},
                                       {.name = "IoU %", .key = "iou"},
                                       {.name = "precision %", .key = "precision"},
                                       {.name = "recall %", .key = "recall"},
                                       {.name = "F1 %", .key = "f1"}};
    bs_doc_heading(v->doc, v->g->level, "Classes");
    BS_TABLE(v->doc, "classes", column, BS_TABLE_SORTED | (v->classes > 15 ? BS_TABLE_LONG : 0));
    for (int c = 0; c < v->classes; c++)
        BS_ROW(v->doc, bs_cell_name(v->name[c]), bs_cell_count((long long)row[c].gold),
               bs_cell_count((long long)row[c].predicted), bs_cell_count((long long)row[c].both),
               bs_cell_percent(row[c].iou), bs_cell_percent(row[c].precision),
               bs_cell_percent(row[c].recall), bs_cell_percent(row[c].f1));
    bs_doc_table_end(v->doc);
}

static basin_status confusion(const view *v, basin_error *err)
{
    const int      cells = v->classes * v->classes;
    const int64_t *from = bs_seg_metrics_confusion(bs_measurement_seg(&v->run->counts[0]));
    double        *count = bs_arena_alloc(v->g->room, (size_t)cells * sizeof *count);
    if (!count)
        return bs_fail_nomem(err);
    for (int i = 0; i < cells; i++)
        count[i] = (double)from[i];
    return bs_report_confusions(v->g, count, v->classes, v->name,
                                "Pixels of a true class (row) by the class that is predicted "
                                "(column), in percent of the row.",
                                v->out, err);
}

/* With two classes the probability of the foreground, with more that of the predicted class. */
static void calibration(const view *v)
{
    bs_reliability b = {0};
    size_t         all = 0;
    for (int32_t i = 0; i < v->data->n; i++)
        all += bs_gold_mask(v->data, i) ? bs_gold_pixels(v->data, i) : 0;
    const size_t stride = all / PIXELS + 1;
    for (int32_t i = 0; i < v->data->n; i++) {
        const uint8_t *gold = bs_gold_mask(v->data, i);
        const size_t   n = bs_gold_pixels(v->data, i);
        const float   *p = v->run->y.scores + bs_starts_seg(&v->run->y)[i];
        if (!gold)
            continue;
        decide(v, i);
        for (size_t k = 0; k < n; k += stride) {
            if (gold[k] == BS_IGNORE)
                continue;
            if (v->planes == 1)
                bs_reliability_add(&b, (double)p[k], gold[k] == 1 ? 1 : 0);
            else
                bs_reliability_add(&b, (double)p[v->mask[k] * n + k],
                                   gold[k] == v->mask[k] ? 1 : 0);
        }
    }
    bs_reliability_draw(&b, v->planes == 1 ? "pixels" : "pixels of the predicted class",
                        v->g->level, v->out);
    bs_page_grid_end(v->out);
}

/* ---- photos ---- */

static basin_status judge(view *v, basin_error *err)
{
    bs_seg_metrics *m = NULL;
    basin_status    s = bs_seg_metrics_new(&(bs_seg_metric_options){false}, v->classes, &m, err);
    for (int32_t i = 0; i < v->data->n && !s; i++) {
        if (!bs_gold_mask(v->data, i))
            continue;
        decide(v, i);
        s = bs_seg_metrics_add(m, bs_gold_mask(v->data, i), v->mask,
                               (int64_t)bs_gold_pixels(v->data, i), err);
        const double iou = s ? (double)NAN : bs_seg_metrics_last(m);
        if (!isnan(iou))
            v->worst[v->examples++] = (bs_ranked){i, -iou};
    }
    bs_seg_metrics_free(m);
    qsort(v->worst, (size_t)v->examples, sizeof *v->worst, bs_heaviest_first);
    return s;
}

/* Photo and masks at the size shown. */
typedef struct {
    int      width, height, scale;
    uint8_t *photo, *gold, *on;
} shown;

static basin_status shown_make(const view *v, int32_t i, shown *p, basin_error *err)
{
    const int W = v->data->mask_width[i], H = v->data->mask_height[i], side = W > H ? W : H;
    p->width = side > SIDE ? (W * SIDE + side - 1) / side : W;
    p->height = side > SIDE ? (H * SIDE + side - 1) / side : H;
    p->scale = side > SIDE ? 1 : SIDE / side > 0 ? SIDE / side : 1;
    const size_t n = (size_t)p->width * (size_t)p->height;
    p->photo = bs_arena_alloc(v->g->room, 3 * n);
    p->gold = bs_arena_alloc(v->g->room, n);
    p->on = bs_arena_alloc(v->g->room, n);
    if (!p->photo || !p->gold || !p->on)
        return bs_fail_nomem(err);
    decide(v, i);
    basin_status s = bs_resize_photo(v->data->pixels[i], v->data->channels, v->data->width[i],
                                     v->data->height[i], p->photo, p->width, p->height, err);
    if (!s)
        s = bs_resize_mask(bs_gold_mask(v->data, i), W, H, p->gold, p->width, p->height, err);
    return s ? s : bs_resize_mask(v->mask, W, H, p->on, p->width, p->height, err);
}

static basin_status put_photo(const view *v, int32_t image, double iou, basin_error *err)
{
    shown  p = {0};
    bs_buf png;
    char   text[BS_FIXED_TEXT];
    bs_buf_init(&png, 1 << 24);
    basin_status s = shown_make(v, image, &p, err);
    if (!s)
        s = bs_overlay_compare(p.photo, v->data->channels, p.width, p.height, p.gold, p.on,
                               v->classes, p.scale, &png, err);
    if (!s && png.failed)
        s = bs_fail_nomem(err);
    if (!s) {
        /* The picture's size is at a fixed place in every PNG file. */
        const unsigned char *b = (const unsigned char *)png.data;
        const int            W = b[18] << 8 | b[19], H = b[22] << 8 | b[23];
        bs_buf_text(v->out, "<figure>");
        bs_page_png(b, png.len, W, H, v->data->name[image], v->out);
        bs_page_wrap("<figcaption>", v->data->name[image], ": IoU ", v->out);
        bs_buf_printf(v->out, "%s %%</figcaption></figure>\n", bs_fixed(100 * iou, 1, text));
    }
    bs_buf_free(&png);
    return s;
}

static basin_status photos(const view *v, basin_error *err)
{
    basin_status s = BASIN_OK;
    bs_page_heading(v->g->level, "Worst photos", v->out);
    bs_page_say(v->out, "quiet", "Photo, truth and prediction side by side%s.",
                v->classes == 2
                    ? "; in the prediction, green is right, blue is missing, red is too much"
                    : "");
    bs_page_grid_begin(v->out);
    for (int32_t i = 0; i < v->examples && i < EXAMPLES && !s; i++)
        s = put_photo(v, (int32_t)v->worst[i].which, -v->worst[i].weight, err);
    bs_page_grid_end(v->out);
    return s;
}

/* The distribution of photos, from worst to best. */
static void spread(const view *v)
{
    if (v->examples == 0)
        return;
    const double least = -v->worst[0].weight, most = -v->worst[v->examples - 1].weight;
    const double middle = -v->worst[v->examples / 2].weight;
    char         a[BS_FIXED_TEXT], b[BS_FIXED_TEXT], c[BS_FIXED_TEXT];
    bs_doc_say(
        v->doc, "quiet", "IoU of a photo: at least %s %%, half of them above %s %%, at most %s %%.",
        bs_fixed(100 * least, 1, a), bs_fixed(100 * middle, 1, b), bs_fixed(100 * most, 1, c));
}

static basin_status sections(view *v, basin_error *err)
{
    bs_class_score *row = bs_arena_alloc(v->g->room, (size_t)v->classes * sizeof *row);
    if (!row)
        return bs_fail_nomem(err);
    bs_seg_metrics_classes(bs_measurement_seg(&v->run->counts[0]), row);
    classes(v, row);
    basin_status s = judge(v, err);
    if (!s)
        spread(v);
    if (!s)
        s = confusion(v, err);
    if (!s)
        calibration(v);
    return s ? s : photos(v, err);
}

static basin_status view_make(view *v, basin_error *err)
{
    const bs_preprocess *k = &v->run->model->known;
    v->classes = bs_preprocess_seg(k)->classes;
    v->planes = bs_known_planes(k);
    v->mask = bs_arena_alloc(v->g->room, bs_gold_most(v->data));
    v->name = bs_arena_alloc(v->g->room, (size_t)v->classes * sizeof *v->name);
    v->worst = bs_arena_alloc(v->g->room, ((size_t)v->data->n + 1) * sizeof *v->worst);
    if (!v->mask || !v->name || !v->worst)
        return bs_fail_nomem(err);
    for (int c = 0; c < v->classes; c++)
        v->name[c] = bs_seg_label(k, c);
    return BASIN_OK;
}

static basin_status errors(const bs_report_group *g, bs_doc *d, basin_error *err)
{
    view         v = {.g = g,
                      .run = &g->run[g->shown],
                      .data = bs_dataset_seg(g->part),
                      .doc = d,
                      .out = d->page};
    basin_status s = view_make(&v, err);
    if (!s)
        s = sections(&v, err);
    return s;
}

/* ---- what could be done ---- */

static basin_status advise(const bs_report_group *g, bs_notes *advice, basin_error *err)
{
    const bs_report_run    *run = &g->run[g->shown];
    const bs_train_options *o = &run->settings.train;
    const bs_seg_known     *k = bs_preprocess_seg(&run->model->known);
    bs_class_score         *row = bs_arena_alloc(g->room, (size_t)k->classes * sizeof *row);
    int                     worst = -1;
    if (!row)
        return bs_fail_nomem(err);
    if (!o->seg_flip)
        bs_notes_add(advice, "flip",
                     "vary the photos that there are (seg.flip=yes where left and right may change "
                     "places, seg.jitter=0.2 for the light)");
    bs_seg_metrics_classes(bs_measurement_seg(&run->counts[0]), row);
    for (int c = 0; c < k->classes; c++)
        if (row[c].gold > 0 && (worst < 0 || row[c].iou < row[worst].iou))
            worst = c;
    char number[16];
    bs_print(number, sizeof number, "class %d", worst);
    if (worst >= 0 && k->classes > 2)
        bs_notes_add(advice, "classes", "get more photos with %s, where IoU is lowest, %.2f %%",
                     k->name ? k->name[worst] : number, 100 * row[worst].iou);
    else if (worst >= 0 && row[1].recall > 0.1)
        bs_notes_add(advice, "sides",
                     row[1].recall < row[1].precision
                         ? "look at what it misses: %.2f %% of the foreground is found, and %.2f "
                           "%% of what is marked is right"
                         : "look at what it marks too much: %.2f %% of the foreground is found, "
                           "but %.2f %% of what is marked is right",
                     100 * row[1].recall, 100 * row[1].precision);
    return BASIN_OK;
}

const bs_task_report bs_task_report_seg = {
    .errors = errors,
    .advise = advise,
    .base = {"the mean mask of the training photos"},
    .base_note = "",
    .base_advice = "train longer or on more data, for %s %s as well",
    .guess = bs_base_guess_seg,
};
