/* api_eval_mlc.c -- evaluating label sets: the table of labels. */
#include "api_eval.h"

static basin_status check(const basin_eval_options *o, basin_error *err)
{
    if (o->conlleval)
        return bs_fail(err, BASIN_EARG,
                       "--conlleval: is for tagged sentences; this model predicts label sets");
    return BASIN_OK;
}

static basin_status labels(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    int32_t         L = e->model->saved->known.mlc.n_labels;
    bs_label_score *row = bs_calloc((size_t)L, sizeof *row);
    basin_status    s = row ? bs_metrics_labels(e->counts.mlc, row, err) : bs_fail_nomem(err);
    if (!s)
        bs_buf_printf(out, "\n%-32s %8s %7s %7s %7s %7s\n", "label", "support", "prec", "recall",
                      "F1", "AP");
    for (int32_t i = 0; i < L && !s; i++)
        bs_buf_printf(out, "%-32.32s %8lld %7.2f %7.2f %7.2f %7.2f\n",
                      e->model->saved->known.mlc.label[i], (long long)row[i].support,
                      100 * row[i].precision, 100 * row[i].recall, 100 * row[i].f1,
                      100 * row[i].ap);
    bs_free(row);
    return s;
}

const bs_measuring bs_measuring_mlc = {.task = "mlc", .check = check, .labels = labels};
