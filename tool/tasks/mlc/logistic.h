/* logistic.h -- one logistic regression for each label: what nets have to be better than.
 *
 *     bs_logistic_fit(train, valid, schema, rows, threads, &m, err);
 *     if (m) bs_logistic_scores(m, test, scores);
 *
 * Trained by AdaGrad on one row after the other, with two learning rates; each label keeps the
 * rate and the epoch that do best on the validation rows, by log loss. How long it takes is bounded
 * by the number of steps, not by a clock: the same data give the same bits on any threads. */
#ifndef BS_DATA_LOGISTIC_H
#define BS_DATA_LOGISTIC_H

#include "data/dataset.h"

typedef struct bs_logistic bs_logistic;

/* On so many training rows, chosen once and for all, all of them for 0. Features are what `schema`
 * makes of them. *out is NULL where it would take more than a second or two. */
basin_status bs_logistic_fit(const bs_dataset *train, const bs_dataset *valid,
                             const bs_schema *schema, int32_t rows, int threads, bs_logistic **out,
                             basin_error *err);
void         bs_logistic_free(bs_logistic *m); /* accepts NULL */

/* Probabilities [rows, labels]. */
basin_status bs_logistic_scores(const bs_logistic *m, const bs_dataset *data, float *scores,
                                basin_error *err);

#endif
