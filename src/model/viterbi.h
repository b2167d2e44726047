/* viterbi.h -- the best sequences of tags under a linear chain, exactly, on plain arrays.
 *
 * Scores are those of nn/chain.h: unary [T, N] and transitions [N + 1, N + 1] with row N = start
 * and column N = end. Sums are in double. Among sequences of equal score the order is fixed: it
 * depends on the scores alone. A score that is minus infinity or not a number forbids its tag. */
#ifndef BS_VITERBI_H
#define BS_VITERBI_H

#include <stdint.h>

#include "base/err.h"

/* One set of transitions and the memory of one thread, which grows with the longest sentence
 * and the largest n seen; decoding then allocates nothing. */
typedef struct bs_viterbi bs_viterbi;

basin_status bs_viterbi_new(int n_tags, bs_viterbi **out, basin_error *err);
void         bs_viterbi_free(bs_viterbi *v);

/* Copies both. allowed, same shape as transition: 0 forbids; NULL allows all. To be called before
 * the first sentence and whenever the transitions change. */
void bs_viterbi_set(bs_viterbi *v, const float *transition, const uint8_t *allowed);

/* The best sequence of T tags and its score (may be NULL). BASIN_EARG when none is allowed;
 * T = 0 scores 0. */
basin_status bs_viterbi_path(bs_viterbi *v, const float *unary, int T, int32_t *tag, double *score,
                             basin_error *err);

/* The n best, best first: tag [n, T] and score [n]; *found of them, fewer than n if no more are
 * allowed. All differ. Costs about T N more for each. */
basin_status bs_viterbi_best(bs_viterbi *v, const float *unary, int T, int n, int32_t *tag,
                             double *score, int *found, basin_error *err);

#endif
