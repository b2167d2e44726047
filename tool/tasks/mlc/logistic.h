/* logistic.h -- one logistic regression per label: what nets should beat.
 *
 *     bs_logistic_fit(train, valid, schema, rows, threads, &m, err);
 *     if (m) bs_logistic_scores(m, test, scores);
 *
 * Trained by AdaGrad on one row after the other, with two learning rates; each label keeps the rate
 * and the epoch with the lowest log loss on the validation rows. The time is bounded by the number
 * of steps, not by a clock: the same data give the same bits on any number of threads. */
#ifndef BS_DATA_LOGISTIC_H
#define BS_DATA_LOGISTIC_H

#include "data/dataset.h"

typedef struct bs_logistic bs_logistic;

/* Uses this many training rows, chosen once and for all; 0 means all. valid: NULL chooses rates and
 * epochs on a fifth of them, then learns from all. Features are transformed by `schema`. *out is
 * NULL if it would take more than a second or two. */
basin_status bs_logistic_fit(const bs_rows *train, const bs_rows *valid, const bs_schema *schema,
                             int32_t rows, int threads, bs_logistic **out, basin_error *err);
void         bs_logistic_free(bs_logistic *m); /* accepts NULL */

/* Probabilities [rows, labels]. */
basin_status bs_logistic_scores(const bs_logistic *m, const bs_rows *data, float *scores,
                                basin_error *err);

#endif
