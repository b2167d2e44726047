/* seg_metric.c -- counting pixels, and the metrics of seg_metric.h.
 *
 * Each image contributes a record: its IoU, a one, and for every class the pixels in gold, in the
 * prediction and in both. All metrics are functions of sums of records, so that a bootstrap
 * replicate is a weighted sum. */
#include "data/image/seg_metric.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "data/image/images.h"

const bs_metric bs_seg_metric_table[BS_SEG_METRIC_COUNT] = {
#define SEG_METRIC(key, direction, lo, hi, text) {#key, text, BS_##direction, true, lo, hi},
#include "data/image/seg_metrics.def"
#undef SEG_METRIC
};

enum { IOU, IMAGES, FIRST_CLASS, GOLD = 0, PREDICTED, BOTH, CLASS_FIELDS };

struct bs_seg_metrics {
    bs_seg_metric_options o;
    int                   C;
    size_t                width;     /* of a record */
    int64_t              *confusion; /* [C, C] */
    int64_t              *here;      /* [C, C] of the current image */
    double               *sum;       /* [width] */
    double               *record;    /* [images, width] */
    size_t                cap;
    bs_seg_counts         counts;
    double                last;
};

basin_status bs_seg_metrics_new(const bs_seg_metric_options *o, int classes, bs_seg_metrics **out,
                                basin_error *err)
{
    *out = NULL;
    if (classes < 2 || classes > 255)
        return bs_fail(err, BASIN_EARG, "%d classes; masks have 2 to 255", classes);
    const size_t    C = (size_t)classes;
    bs_seg_metrics *m = bs_calloc(1, sizeof *m);
    if (!m)
        return bs_fail_nomem(err);
    m->o = *o;
    m->C = classes;
    m->width = FIRST_CLASS + CLASS_FIELDS * C;
    m->last = NAN;
    m->confusion = bs_calloc(C * C, sizeof *m->confusion);
    m->here = bs_calloc(C * C, sizeof *m->here);
    m->sum = bs_calloc(m->width, sizeof *m->sum);
    if (!m->confusion || !m->here || !m->sum) {
        bs_seg_metrics_free(m);
        return bs_fail_nomem(err);
    }
    *out = m;
    return BASIN_OK;
}

void bs_seg_metrics_free(bs_seg_metrics *m)
{
    if (!m)
        return;
    bs_free(m->confusion);
    bs_free(m->here);
    bs_free(m->sum);
    bs_free(m->record);
    bs_free(m);
}

/* --- one image ------------------------------------------------------------- */

static basin_status check(const bs_seg_metrics *m, const uint8_t *gold, const uint8_t *predicted,
                          int64_t pixels, basin_error *err)
{
    for (int64_t i = 0; i < pixels; i++)
        if (predicted[i] >= m->C || (gold[i] >= m->C && gold[i] != BS_IGNORE))
            return bs_fail(err, BASIN_EARG, "pixel %lld of the %s has the class %d of %d",
                           (long long)i, predicted[i] >= m->C ? "prediction" : "gold mask",
                           predicted[i] >= m->C ? predicted[i] : gold[i], m->C);
    return BASIN_OK;
}

/* Intersection over union of a class, from (gold, predicted, both). */
static double ratio(const double *k)
{
    double all = k[GOLD] + k[PREDICTED] - k[BOTH];
    return all > 0 ? k[BOTH] / all : NAN;
}

static double image_iou(const double *record, int C)
{
    const double *k = record + FIRST_CLASS;
    double        sum = 0;
    int           n = 0;
    if (C == 2) {
        double v = ratio(k + CLASS_FIELDS);
        return isnan(v) ? 1 : v;
    }
    for (int c = 0; c < C; c++, k += CLASS_FIELDS) {
        double v = ratio(k);
        if (isnan(v))
            continue;
        sum += v;
        n++;
    }
    return n ? sum / n : 1;
}

static void fill(const bs_seg_metrics *m, double *record)
{
    const int C = m->C;
    memset(record, 0, m->width * sizeof *record);
    for (int g = 0; g < C; g++)
        for (int p = 0; p < C; p++) {
            const double n = (double)m->here[g * C + p];
            record[FIRST_CLASS + CLASS_FIELDS * g + GOLD] += n;
            record[FIRST_CLASS + CLASS_FIELDS * p + PREDICTED] += n;
            record[FIRST_CLASS + CLASS_FIELDS * g + BOTH] += g == p ? n : 0;
        }
    record[IMAGES] = 1;
    record[IOU] = image_iou(record, C);
}

basin_status bs_seg_metrics_add(bs_seg_metrics *m, const uint8_t *gold, const uint8_t *predicted,
                                int64_t pixels, basin_error *err)
{
    const int    C = m->C;
    const size_t cells = (size_t)C * (size_t)C;
    int64_t      valid = 0;
    basin_status s = check(m, gold, predicted, pixels, err);
    if (s)
        return s;
    const size_t at = m->o.keep_images ? (size_t)m->counts.images : 0;
    if (!BS_GROW(m->record, m->cap, (at + 1) * m->width, SIZE_MAX / sizeof *m->record))
        return bs_fail_nomem(err);

    memset(m->here, 0, cells * sizeof *m->here);
    for (int64_t i = 0; i < pixels; i++)
        if (gold[i] != BS_IGNORE) {
            m->here[(size_t)gold[i] * (size_t)C + predicted[i]]++;
            valid++;
        }
    if (valid == 0) {
        m->counts.left_out++;
        m->last = NAN;
        return BASIN_OK;
    }
    double *record = m->record + at * m->width;
    fill(m, record);
    m->last = record[IOU];
    m->counts.images++;
    for (size_t i = 0; i < cells; i++)
        m->confusion[i] += m->here[i];
    for (size_t i = 0; i < m->width; i++)
        m->sum[i] += record[i];
    return BASIN_OK;
}

/* --- values ---------------------------------------------------------------- */

static double mean_of(double sum, int n)
{
    return n ? sum / n : NAN;
}

static void seg_values(const double *sum, int C, double out[BS_SEG_METRIC_COUNT])
{
    double gold = 0, both = 0, all = 0, iou = 0, recall = 0;
    int    n_iou = 0, n_recall = 0;
    for (int c = 0; c < C; c++) {
        const double *k = sum + FIRST_CLASS + CLASS_FIELDS * c;
        const double  v = ratio(k);
        gold += k[GOLD];
        both += k[BOTH];
        all += k[GOLD] + k[PREDICTED] - k[BOTH];
        iou += isnan(v) ? 0 : v;
        n_iou += !isnan(v);
        recall += k[GOLD] > 0 ? k[BOTH] / k[GOLD] : 0;
        n_recall += k[GOLD] > 0;
    }
    const double front = ratio(sum + FIRST_CLASS + CLASS_FIELDS);
    const bool   any = sum[IMAGES] > 0;
    out[BS_SEG_METRIC_pixel_accuracy] = any ? both / gold : NAN;
    out[BS_SEG_METRIC_mean_iou] = any ? sum[IOU] / sum[IMAGES] : NAN;
    out[BS_SEG_METRIC_global_iou] = !any ? NAN : C > 2 ? both / all : isnan(front) ? 1 : front;
    out[BS_SEG_METRIC_class_iou] = mean_of(iou, n_iou);
    out[BS_SEG_METRIC_mean_class_accuracy] = mean_of(recall, n_recall);
}

void bs_seg_metrics_finish(const bs_seg_metrics *m, double out[BS_SEG_METRIC_COUNT])
{
    seg_values(m->sum, m->C, out);
}

bs_seg_counts bs_seg_metrics_counts(const bs_seg_metrics *m)
{
    return m->counts;
}

void bs_seg_metrics_classes(const bs_seg_metrics *m, bs_class_score *out)
{
    for (int c = 0; c < m->C; c++) {
        const double *k = m->sum + FIRST_CLASS + CLASS_FIELDS * c;
        const double  total = k[GOLD] + k[PREDICTED];
        out[c] = (bs_class_score){.gold = (int64_t)k[GOLD],
                                  .predicted = (int64_t)k[PREDICTED],
                                  .both = (int64_t)k[BOTH],
                                  .iou = ratio(k),
                                  .precision = k[PREDICTED] > 0 ? k[BOTH] / k[PREDICTED] : NAN,
                                  .recall = k[GOLD] > 0 ? k[BOTH] / k[GOLD] : NAN,
                                  .f1 = total > 0 ? 2 * k[BOTH] / total : NAN};
    }
}

const int64_t *bs_seg_metrics_confusion(const bs_seg_metrics *m)
{
    return m->confusion;
}

double bs_seg_metrics_last(const bs_seg_metrics *m)
{
    return m->last;
}

/* --- resampling ------------------------------------------------------------ */

static void add(const void *self, const float *weight, double *sums)
{
    const bs_seg_metrics *m = self;
    bs_sampled_dense(m->record, (int32_t)m->counts.images, m->width, weight, sums);
}

static void value(const void *self, const double *sums, double *out)
{
    const bs_seg_metrics *m = self;
    seg_values(sums, m->C, out);
}

basin_status bs_seg_metrics_sampled(const bs_seg_metrics *m, bs_sampled *out, basin_error *err)
{
    if (!m->o.keep_images)
        return bs_fail(err, BASIN_EARG, "resampling needs metrics made with keep_images");
    if (m->counts.images > INT32_MAX)
        return bs_fail(err, BASIN_EARG, "too many images for resampling");
    *out = (bs_sampled){.self = m,
                        .rows = (int32_t)m->counts.images,
                        .width = m->width,
                        .values = BS_SEG_METRIC_COUNT,
                        .add = add,
                        .value = value};
    return BASIN_OK;
}

/* --- decisions ------------------------------------------------------------- */

/* With two planes the second wins ties: p >= 0.5. */
void bs_seg_decide(const float *p, int planes, int64_t pixels, uint8_t *out)
{
    for (int64_t i = 0; i < pixels; i++) {
        if (planes == 1) {
            out[i] = p[i] >= 0.5f;
        } else if (planes == 2) {
            out[i] = p[pixels + i] >= p[i];
        } else {
            int best = 0;
            for (int c = 1; c < planes; c++)
                if (p[c * pixels + i] > p[best * pixels + i])
                    best = c;
            out[i] = (uint8_t)best;
        }
    }
}
