/* eval.c -- evaluating label sets: the table of labels, and exceptional counts. */
#include "api/eval.h"
#include "task/mlc/data.h"

static basin_status check(const basin_eval_options *o, basin_error *err)
{
    if (o->conlleval)
        return bs_fail(err, BASIN_EARG,
                       "--conlleval: is for tagged sentences; this model predicts label sets");
    return BASIN_OK;
}

static basin_status label_scores(const bs_evaluation *e, bs_label_score **out, basin_error *err)
{
    *out = bs_calloc((size_t)bs_schema_mlc(&e->model->saved->known)->n_labels, sizeof **out);
    if (!*out)
        return bs_fail_nomem(err);
    basin_status s = bs_metrics_labels(bs_measurement_mlc(&e->counts), *out, err);
    if (s) {
        bs_free(*out);
        *out = NULL;
    }
    return s;
}

static basin_status labels(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    const bs_schema *known = bs_schema_mlc(&e->model->saved->known);
    const float     *own = e->threshold->per_label;
    char             name[BS_VISIBLE];
    bs_label_score  *row;
    basin_status     s = label_scores(e, &row, err);
    if (!s)
        bs_buf_printf(out, "\n%-32s %8s %7s %7s %7s %7s%s\n", "label", "support", "prec", "recall",
                      "F1", "AP", own ? " threshold" : "");
    for (int32_t i = 0; i < known->n_labels && !s; i++) {
        bs_buf_printf(out, "%-32s %8lld %7.2f %7.2f %7.2f %7.2f",
                      bs_visible(known->label[i], 32, name), (long long)row[i].support,
                      100 * row[i].precision, 100 * row[i].recall, 100 * row[i].f1,
                      100 * row[i].ap);
        if (own)
            bs_buf_printf(out, " %9.3f", (double)own[i]);
        bs_buf_text(out, "\n");
    }
    bs_free(row);
    return s;
}

/* Labels that neither occur nor are predicted: their F1 is 0/0. */
static int32_t absent(const bs_label_score *row, int32_t L)
{
    int32_t n = 0;
    for (int32_t i = 0; i < L; i++)
        n += row[i].tp + row[i].fp + row[i].fn == 0;
    return n;
}

static basin_status special(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    const int32_t          L = bs_schema_mlc(&e->model->saved->known)->n_labels;
    const bs_metric_counts n = bs_metrics_counts(bs_measurement_mlc(&e->counts));
    const double           share = bs_profile_row_empty(e->profile);
    bs_label_score        *row;
    basin_status           s = label_scores(e, &row, err);
    if (s)
        return s;
    if (n.dropped > 0)
        bs_buf_printf(out, "%lld of %lld rows have no label and were left out\n",
                      (long long)n.dropped, (long long)(n.rows + n.dropped));
    else if (n.empty_gold > 0)
        bs_buf_printf(out,
                      "%lld of %lld rows have no label: where none is predicted, F1 counts as %g\n",
                      (long long)n.empty_gold, (long long)n.rows, share);
    if (absent(row, L) > 0)
        bs_buf_printf(out, "%d of %d labels neither occur nor are predicted: F1 counts as %g\n",
                      (int)absent(row, L), (int)L, bs_profile_label_empty(e->profile));
    bs_free(row);
    return BASIN_OK;
}

static void labels_json(const bs_evaluation *e, const bs_label_score *row, bs_buf *out)
{
    const bs_schema *known = bs_schema_mlc(&e->model->saved->known);
    bs_json_open(out, "labels", '[');
    for (int32_t i = 0; i < known->n_labels; i++) {
        bs_json_open(out, NULL, '{');
        bs_json_members(out, "label %s support %lld precision %g recall %g f1 %g ap %g",
                        known->label[i], (long long)row[i].support, row[i].precision, row[i].recall,
                        row[i].f1, row[i].ap);
        if (e->threshold->per_label)
            bs_json_short(out, "threshold", 6, (double)e->threshold->per_label[i]);
        bs_json_close(out, '}');
    }
    bs_json_close(out, ']');
}

static basin_status json(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    const bs_metric_counts n = bs_metrics_counts(bs_measurement_mlc(&e->counts));
    bs_label_score        *row;
    basin_status           s = label_scores(e, &row, err);
    if (s)
        return s;
    bs_json_members(out, "rows_unlabelled %lld rows_left_out %lld labels_absent %d",
                    (long long)n.empty_gold, (long long)n.dropped,
                    absent(row, bs_schema_mlc(&e->model->saved->known)->n_labels));
    if (e->per_label)
        labels_json(e, row, out);
    bs_free(row);
    return BASIN_OK;
}

const bs_task_eval bs_task_eval_mlc = {
    .check = check, .special = special, .labels = labels, .json = json};
