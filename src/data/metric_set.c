/* metric_set.c -- metrics of decisions: the sets of rows, each label, and the table of labels. */
#include "data/metric_part.h"

#include <math.h>

double bs_count_f1(double tp, double fp, double fn, double empty)
{
    double size = 2 * tp + fp + fn;
    return size > 0 ? 2 * tp / size : empty;
}

void bs_metric_set_row(const bs_profile *p, const bs_metric_row *r, double *rec)
{
    double tp = 0;
    for (int32_t i = 0; i < r->n_pred; i++)
        tp += r->is_gold[r->pred[i]];
    double fp = r->n_pred - tp, fn = r->n_gold - tp;
    rec[BS_REC_TP] = tp;
    rec[BS_REC_FP] = fp;
    rec[BS_REC_FN] = fn;
    rec[BS_REC_F1] = bs_count_f1(tp, fp, fn, p->row_f1_empty);
    rec[BS_REC_SUBSET] = fp + fn == 0;
    rec[BS_REC_JACCARD] = tp + fp + fn > 0 ? tp / (tp + fp + fn) : p->jaccard_empty;
}

BS_METRIC_RATIO(example_f1, F1, ROWS)
BS_METRIC_RATIO(subset_accuracy, SUBSET, ROWS)

double bs_metric_hamming_loss(const bs_metric_sums *s)
{
    return (s->rec[BS_REC_FP] + s->rec[BS_REC_FN]) / (s->rec[BS_REC_ROWS] * s->L);
}

BS_METRIC_RATIO(jaccard, JACCARD, ROWS)

/* ---- labels ---- */

double bs_metric_micro_f1(const bs_metric_sums *s)
{
    if (!(s->rec[BS_REC_ROWS] > 0))
        return NAN;
    return bs_count_f1(s->rec[BS_REC_TP], s->rec[BS_REC_FP], s->rec[BS_REC_FN],
                       s->profile->label_f1_empty);
}

/* All labels are averaged, also those that no row has. */
double bs_metric_macro_f1(const bs_metric_sums *s)
{
    if (!(s->rec[BS_REC_ROWS] > 0))
        return NAN;
    double sum = 0;
    for (int32_t l = 0; l < s->L; l++) {
        const double *c = s->label + (size_t)l * BS_LABEL_FIELDS;
        sum += bs_count_f1(c[BS_TP], c[BS_FP], c[BS_FN], s->profile->label_f1_empty);
    }
    return sum / s->L;
}

double bs_metric_map_label(const bs_metric_sums *s)
{
    return s->ap_sum / s->ap_labels;
}

static void fill(const bs_metrics *m, int32_t l, bs_label_score *out)
{
    const double *c = m->label + (size_t)l * BS_LABEL_FIELDS;
    const double  tp = c[BS_TP], fp = c[BS_FP], fn = c[BS_FN];
    const double  nothing = tp + fp + fn > 0 ? 0 : m->p->label_pr_empty;
    out->tp = (int64_t)tp;
    out->fp = (int64_t)fp;
    out->fn = (int64_t)fn;
    out->support = out->tp + out->fn;
    out->tn = m->counts.rows - out->support - out->fp;
    out->precision = tp + fp > 0 ? tp / (tp + fp) : nothing;
    out->recall = tp + fn > 0 ? tp / (tp + fn) : nothing;
    out->f1 = bs_count_f1(tp, fp, fn, m->p->label_f1_empty);
    out->ap = NAN;
}

basin_status bs_metrics_labels(bs_metrics *m, bs_label_score *out, basin_error *err)
{
    const bool ap = bs_metrics_possible(m) & BS_METRIC_BIT(map_label);
    if (ap) {
        basin_status s = bs_ap_build(&m->ap, m->p, err);
        if (s)
            return s;
    }
    for (int32_t l = 0; l < m->L; l++) {
        fill(m, l, &out[l]);
        if (ap)
            out[l].ap = isnan(m->ap.ap[l]) && !m->p->ap_skip_absent ? 0 : m->ap.ap[l];
    }
    return BASIN_OK;
}
