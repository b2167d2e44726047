/* metric_prob.c -- metrics that read scores as probabilities: log loss and calibration.
 *
 * Scores outside [0, 1] are clamped. */
#include "data/metric_part.h"

#include <math.h>

/* Factors of at least 1e-8 (or 1/L), this many of them, stay far above the smallest double. */
enum { FACTORS = 16 };

static const double weka_small = 1e-6; /* Weka takes numbers nearer than this for equal */

/* The probability given to the truth of one cell. */
static double truth(const bs_profile *p, double score, bool gold, double least)
{
    score = fmin(fmax(score, 0), 1);
    if (p->log_cap) {
        if (fabs(score - gold) < weka_small)
            return 1;
        return fmax(gold ? score : 1 - score, least);
    }
    double clipped = fmin(fmax(score, p->log_eps), 1 - p->log_eps);
    return gold ? clipped : 1 - clipped;
}

/* Logarithms of products instead of sums of logarithms: the same digits, much faster. */
void bs_metric_log_row(const bs_profile *p, const bs_metric_row *r, double *rec)
{
    const double least = 1.0 / r->L;
    double       sum = 0;
    for (int32_t l = 0; l < r->L;) {
        double        product = 1;
        const int32_t end = r->L - l < FACTORS ? r->L : l + FACTORS;
        for (; l < end; l++)
            product *= truth(p, (double)r->scores[l], r->is_gold[l], least);
        sum -= log(product);
    }
    rec[BS_REC_LOG_LOSS] = p->log_sum ? sum : sum / r->L;
}

/* The bin of p. Edges are floats like the scores, so that a score of 0.7 lies on the edge 7/10, not
 * just below it. */
static int bin_of(float p, int bins, bool left)
{
    int b = (int)(p * (float)bins);
    if (b > bins - 1)
        b = bins - 1;
    if (left) {
        while (b > 0 && p < (float)((double)b / bins))
            b--;
        while (b < bins - 1 && p >= (float)((double)(b + 1) / bins))
            b++;
    } else {
        while (b > 0 && p <= (float)((double)b / bins))
            b--;
        while (b < bins - 1 && p > (float)((double)(b + 1) / bins))
            b++;
    }
    return b;
}

void bs_metric_ece_row(const bs_metric_row *r, int bins, bool left, double *rec)
{
    double *gap = rec + BS_REC_BINS;
    for (int32_t l = 0; l < r->L; l++) {
        float p = fminf(fmaxf(r->scores[l], 0), 1);
        gap[bin_of(p, bins, left)] += (double)r->is_gold[l] - (double)p;
    }
}

BS_METRIC_RATIO(log_loss, LOG_LOSS, ROWS)

/* sum over bins of n_b/n |mean gold - mean score|: n_b cancels, and empty bins add nothing. */
double bs_metric_ece(const bs_metric_sums *s)
{
    double sum = 0;
    for (int b = 0; b < s->bins; b++)
        sum += fabs(s->rec[BS_REC_BINS + b]);
    return sum / (s->rec[BS_REC_ROWS] * s->L);
}
