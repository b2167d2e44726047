/* eval.c -- evaluating masks: the table of classes. */
#include <math.h>
#include <string.h>

#include "api/eval.h"
#include "task/seg/data.h"

static basin_status check(const basin_eval_options *o, basin_error *err)
{
    if (o->threshold && strcmp(o->threshold, "auto") != 0)
        return bs_fail(err, BASIN_EARG, "--threshold: is for label sets; a pixel has one class");
    if (o->profile)
        return bs_fail(err, BASIN_EARG, "--metric-profile: is for label sets");
    if (o->conlleval)
        return bs_fail(err, BASIN_EARG, "--conlleval: is for tags");
    return BASIN_OK;
}

static void remark(const bs_evaluation *e, bs_logger *log)
{
    bs_seg_counts n = bs_seg_metrics_counts(bs_measurement_seg(&e->counts));
    const int64_t bare = e->data.rows - n.images - n.left_out;
    if (bare > 0)
        bs_log_say(log, BS_WARN, "%lld of %d photos have no mask and do not count", (long long)bare,
                   (int)e->data.rows);
    if (n.left_out > 0)
        bs_log_say(log, BS_WARN, "%lld masks consist of ignored pixels alone and do not count",
                   (long long)n.left_out);
}

static void percent(double x, bs_buf *out)
{
    if (isnan(x))
        bs_buf_printf(out, " %7s", "n/a");
    else
        bs_buf_printf(out, " %7.2f", 100 * x);
}

static basin_status labels(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    const int       C = bs_preprocess_seg(&e->model->saved->known)->classes;
    bs_class_score *row = bs_calloc((size_t)C, sizeof *row);
    char            name[BS_VISIBLE];
    if (!row)
        return bs_fail_nomem(err);
    bs_seg_metrics_classes(bs_measurement_seg(&e->counts), row);
    bs_buf_printf(out, "\n%-24s %10s %10s %7s %7s %7s %7s\n", "class", "pixels", "predicted", "IoU",
                  "prec", "recall", "F1");
    for (int c = 0; c < C; c++) {
        bs_buf_printf(out, "%-24s %10lld %10lld",
                      bs_visible(bs_seg_label(&e->model->saved->known, c), 24, name),
                      (long long)row[c].gold, (long long)row[c].predicted);
        percent(row[c].iou, out);
        percent(row[c].precision, out);
        percent(row[c].recall, out);
        percent(row[c].f1, out);
        bs_buf_text(out, "\n");
    }
    bs_free(row);
    return BASIN_OK;
}

/* "per_class": {"horse": {"pixels": 1, "predicted": 2, "iou": 0.5, ...}} */
static basin_status json_metrics(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    const int       C = bs_preprocess_seg(&e->model->saved->known)->classes;
    bs_class_score *row = bs_calloc((size_t)C, sizeof *row);
    if (!row)
        return bs_fail_nomem(err);
    bs_seg_metrics_classes(bs_measurement_seg(&e->counts), row);
    bs_json_open(out, "per_class", '{');
    for (int c = 0; c < C; c++) {
        bs_json_open(out, bs_seg_label(&e->model->saved->known, c), '{');
        bs_json_members(out, "pixels %lld predicted %lld iou %g precision %g recall %g f1 %g",
                        (long long)row[c].gold, (long long)row[c].predicted, row[c].iou,
                        row[c].precision, row[c].recall, row[c].f1);
        bs_json_close(out, '}');
    }
    bs_json_close(out, '}');
    bs_free(row);
    return BASIN_OK;
}

const bs_task_eval bs_task_eval_seg = {
    .check = check, .remark = remark, .labels = labels, .json_metrics = json_metrics};
