/* metric_set.c -- metrics comparing the predicted set of a row with the gold set. */
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
