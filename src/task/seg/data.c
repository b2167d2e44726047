/* data.c -- the task of photos and masks: predictions, metrics, and its table. */
#include "task/seg/data.h"

#include <math.h>
#include <string.h>

#include "task/seg/windows.h"

enum { MOST_BETWEEN = 10 /* epochs between evaluations, by default */ };

static void free_part(bs_dataset *p)
{
    bs_images_free(bs_dataset_seg(p));
}

static basin_status split(const bs_dataset *p, const double *share, int parts, uint64_t seed,
                          int32_t *part, basin_error *err)
{
    return bs_images_split(bs_dataset_seg(p), share, parts, seed, part, err);
}

static const char *unit_name(const bs_preprocess *k, int growth, int32_t i, char room[BS_UNIT_NAME])
{
    (void)growth;
    (void)room;
    return bs_preprocess_seg(k)->name ? bs_preprocess_seg(k)->name[i] : NULL;
}

static int labels(const bs_preprocess *k)
{
    return bs_preprocess_seg(k)->classes;
}

#define TEN(d) d "0", d "1", d "2", d "3", d "4", d "5", d "6", d "7", d "8", d "9"

const char *bs_seg_label(const bs_preprocess *k, int i)
{
    static const char *const number[] = {
        TEN(""),   TEN("1"),  TEN("2"),  TEN("3"),  TEN("4"),  TEN("5"),  TEN("6"),
        TEN("7"),  TEN("8"),  TEN("9"),  TEN("10"), TEN("11"), TEN("12"), TEN("13"),
        TEN("14"), TEN("15"), TEN("16"), TEN("17"), TEN("18"), TEN("19"), TEN("20"),
        TEN("21"), TEN("22"), TEN("23"), TEN("24"), TEN("25")};
    return bs_preprocess_seg(k)->name ? bs_preprocess_seg(k)->name[i] : number[i];
}

#undef TEN

/* ---- outputs ---- */

size_t bs_gold_most(const bs_images *im)
{
    size_t most = 1;
    for (int32_t i = 0; i < im->n; i++)
        most = bs_gold_pixels(im, i) > most ? bs_gold_pixels(im, i) : most;
    return most;
}

static basin_status make_outputs(const bs_dataset *p, const bs_preprocess *k, bs_outputs *out,
                                 basin_error *err)
{
    const bs_images *im = bs_dataset_seg(p);
    const size_t     planes = (size_t)bs_known_planes(k);
    size_t          *start = bs_calloc((size_t)im->n + 1, sizeof *start);
    *out = (bs_outputs){.task = &bs_task_seg, .own = start};
    if (!start)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < im->n; i++)
        start[i + 1] = start[i] + planes * bs_gold_pixels(im, i);
    /* An error is better than a machine without memory. */
    const int    most = bs_preprocess_seg(k)->image.max_mb;
    const double mib = (double)start[im->n] * sizeof(float) / (1 << 20);
    basin_status s = BASIN_OK;
    if (mib > most)
        s = bs_fail(err, BASIN_EDATA,
                    "the probabilities of %d classes for %d photos need %.0f MiB, and image.max_mb "
                    "allows %d; fewer photos, image.size=WxH or mask.full=no need less",
                    bs_preprocess_seg(k)->classes, (int)im->n, mib, most);
    if (!s && !(out->scores = bs_calloc(start[im->n] + 1, sizeof *out->scores)))
        s = bs_fail_nomem(err);
    if (s)
        bs_outputs_free(out);
    return s;
}

static void place(const bs_dataset *whole, const bs_preprocess *k, int32_t row, int32_t rows,
                  const bs_outputs *some, bs_outputs *all)
{
    const size_t *start = bs_starts_seg(all), n = start[row + rows] - start[row];
    (void)k;
    memcpy(all->scores + start[row], some->scores, n * sizeof *all->scores);
    if (some->on && !all->on)
        all->on = bs_calloc(start[bs_dataset_seg(whole)->n] + 1, 1);
    all->by = some->on && all->on ? some->by : BS_DECIDE_THRESHOLD;
    if (some->on && all->on)
        memcpy(all->on + start[row], some->on, n);
}

/* Per photo the mean over its pixels; photos without a mask are left out. */
static double cross_entropy(const bs_images *im, int planes, const bs_outputs *y)
{
    double  sum = 0;
    int32_t photos = 0;
    for (int32_t i = 0; i < im->n; i++) {
        const size_t   n = bs_gold_pixels(im, i);
        const uint8_t *gold = bs_gold_mask(im, i);
        const float   *p = y->scores + bs_starts_seg(y)[i];
        double         own = 0;
        size_t         pixels = 0;
        for (size_t k = 0; gold && k < n; k++) {
            if (gold[k] == BS_IGNORE || (planes > 1 && gold[k] >= planes))
                continue;
            own += bs_log_loss(planes > 1 ? (double)p[gold[k] * n + k]
                               : gold[k]  ? (double)p[k]
                                          : 1 - (double)p[k]);
            pixels++;
        }
        sum += pixels > 0 ? own / (double)pixels : 0;
        photos += pixels > 0;
    }
    return photos > 0 ? sum / photos : (double)NAN;
}

static basin_status predict(bs_scorer *s, const bs_net_spec *spec, const bs_preprocess *k,
                            const bs_dataset *p, bs_outputs *out, basin_error *err)
{
    basin_status status = bs_predict_seg(s, spec, k, p, out, err);
    if (!status)
        status = bs_seg_decide_all(s, k, p, out, err);
    if (!status && out->cross_entropy)
        *out->cross_entropy =
            cross_entropy(bs_dataset_seg(p), bs_seg_planes(bs_net_spec_seg(spec)), out);
    return status;
}

/* Predicting a pixel costs a third of training on it. */
static int every(const bs_dataset *train, const bs_dataset *valid, const bs_preprocess *k)
{
    const bs_images    *im = bs_dataset_seg(valid);
    const bs_seg_known *s = bs_preprocess_seg(k);
    const double        window = (double)s->width * s->height;
    double              pixels = 0;
    for (int32_t i = 0; i < im->n; i++)
        pixels += s->crops == 0 ? (double)im->width[i] * im->height[i]
                                : window * (double)bs_seg_windows(s, im->width[i], im->height[i],
                                                                  NULL, NULL, NULL);
    const double share = pixels / (3 * window * train->rows); /* of an epoch's time */
    return share > 0.5 * MOST_BETWEEN ? MOST_BETWEEN : share <= 0.5 ? 1 : (int)ceil(2 * share);
}

/* ---- metrics ---- */

static void counts_free(bs_measurement *c)
{
    bs_seg_metrics_free(bs_measurement_seg(c));
    c->own = NULL;
}

/* Photos without a mask are left out. */
static basin_status count_images(const bs_images *im, int planes, const bs_outputs *y,
                                 bs_seg_metrics *m, basin_error *err)
{
    uint8_t     *mask = bs_alloc(bs_gold_most(im));
    int32_t      counted = 0;
    basin_status s = mask ? BASIN_OK : bs_fail_nomem(err);
    for (int32_t i = 0; i < im->n && !s; i++) {
        const size_t   n = bs_gold_pixels(im, i);
        const uint8_t *gold = bs_gold_mask(im, i);
        if (!gold)
            continue;
        bs_seg_mask(y, i, planes, n, mask);
        s = bs_seg_metrics_add(m, gold, mask, (int64_t)n, err);
        counted++;
    }
    bs_free(mask);
    if (!s && counted == 0)
        s = bs_fail(err, BASIN_EDATA, "the data has no masks to compare with");
    return s;
}

static basin_status count(const bs_dataset *p, const bs_preprocess *k, const bs_outputs *y,
                          const bs_threshold *threshold, const bs_counting *how,
                          bs_measurement *out, basin_error *err)
{
    bs_seg_metric_options o = {.keep_images = how->keep_rows};
    (void)threshold;
    *out = (bs_measurement){.task = &bs_task_seg};
    bs_seg_metrics *m = NULL;
    basin_status    s = bs_seg_metrics_new(&o, bs_preprocess_seg(k)->classes, &m, err);
    out->own = m;
    if (!s)
        s = count_images(bs_dataset_seg(p), bs_known_planes(k), y, m, err);
    if (s)
        counts_free(out);
    return s;
}

static basin_status values(bs_measurement *c, double out[BS_MOST_METRICS], basin_error *err)
{
    (void)err;
    bs_seg_metrics_finish(bs_measurement_seg(c), out);
    return BASIN_OK;
}

static basin_status sampled(bs_measurement *c, bs_sampled *out, basin_error *err)
{
    return bs_seg_metrics_sampled(bs_measurement_seg(c), out, err);
}

static void *reading(bs_settings *s, bs_preprocess *k, const bs_option **rows)
{
    (void)s;
    *rows = bs_image_rows;
    return &bs_preprocess_seg(k)->image;
}

static const bs_candidate candidates[] = {
    {"net", "ce", "", 1, false},
    {"energy", "seal-regression", "", 3, true},
    {.name = NULL},
};

const bs_task bs_task_seg = {
    .name = "seg",
    .help = "segmentation: a class for each pixel of an image",
    .graph = &bs_task_space_seg,
    .unit = "images",
    .reads = BS_READS_PHOTOS,
    .method = "ce",
    .energy_kinds = &bs_seg_energy_kinds,
    .candidates = candidates,
    .options = " image. mask. seg. ",
    .reading = reading,
    .defaults = "net.kind=unet3 net.width=32 net.dropout=0.2 energy.hidden=384 seg.mean=yes "
                "seg.flip=yes seg.crops=0 batch=8 optimiser=adam lr.net=0.001 "
                "lr.energy=0.001 pretrain.lr=0.001 clip=5 clip.energy=5 schedule=cosine epochs=100 "
                "early_stop.epochs=0 early_stop.patience=40 plateau.patience=10 plateau.both=yes",
    .decides = ~(1u << BS_DECIDE_THRESHOLD),
    .metric = bs_seg_metric_table,
    .n_metrics = BS_SEG_METRIC_COUNT,
    .shown = {{BS_SEG_METRIC_mean_iou, "mean-IoU", 12, 2, true},
              {BS_SEG_METRIC_global_iou, "glob-IoU", 8, 2, true},
              {BS_SEG_METRIC_pixel_accuracy, "pix-acc", 7, 2, true},
              {BS_SEG_METRIC_class_iou, "class-IoU", 9, 2, true},
              {BS_SEG_METRIC_mean_class_accuracy, "class-acc", 9, 2, true}},
    .sniff = bs_seg_sniff,
    .read = bs_seg_read,
    .close = bs_seg_close,
    .parts = bs_seg_parts,
    .free = free_part,
    .split = split,
    .split_how = "by the size of the foreground",
    .select = bs_seg_select,
    .grows = {{"classes", offsetof(bs_seg_shape, classes), BS_AXIS_LAST}},
    .unit_name = unit_name,
    .widen = bs_seg_widen,
    .fit = bs_seg_fit,
    .labels = labels,
    .label = bs_seg_label,
    .known_text = bs_seg_known_text,
    .known_json = bs_seg_known_json,
    .known_read = bs_seg_known_read,
    .spec = bs_seg_spec,
    .check_limits = bs_seg_check_limits,
    .every = every,
    .feed = bs_batches_seg,
    .outputs = make_outputs,
    .predict = predict,
    .energies = bs_energies_seg,
    .interactions = bs_interactions_seg,
    .place = place,
    .count = count,
    .values = values,
    .sampled = sampled,
    .counts_free = counts_free,
    .eval = &bs_task_eval_seg,
    .predict_files = &bs_task_write_seg,
    .memory = &bs_task_memory_seg,
};
