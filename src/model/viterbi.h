/* viterbi.h -- the best sequences of tags under a linear chain, exactly, on plain arrays.
 *
 * Scores are those of nn/chain.h: unary [T, N] and transitions [N + 1, N + 1] with row N = start
 * and column N = end. Sums are in double. The order of sequences with equal scores is fixed: it
 * depends on the scores alone. A score that is minus infinity or NaN forbids its tag. */
#ifndef BS_VITERBI_H
#define BS_VITERBI_H

#include <stdint.h>

#include "base/err.h"

/* One set of transitions and one thread's memory, which grows with the longest sentence and the
 * largest n seen; otherwise decoding does not allocate. */
typedef struct bs_viterbi bs_viterbi;

basin_status bs_viterbi_new(int n_tags, bs_viterbi **out, basin_error *err);
void         bs_viterbi_free(bs_viterbi *v);

/* Copies both. allowed, shaped like transition: 0 forbids; NULL allows all. Call before the first
 * sentence and whenever the transitions change. */
void bs_viterbi_set(bs_viterbi *v, const float *transition, const uint8_t *allowed);

/* The best sequence of T tags and its score (may be NULL). BASIN_EARG if none is allowed; T = 0
 * scores 0. */
basin_status bs_viterbi_path(bs_viterbi *v, const float *unary, int T, int32_t *tag, double *score,
                             basin_error *err);

/* The n best, best first: tag [n, T] and score [n]; *found is their number, less than n if no more
 * are allowed. All differ. Each costs about T N more. */
basin_status bs_viterbi_best(bs_viterbi *v, const float *unary, int T, int n, int32_t *tag,
                             double *score, int *found, basin_error *err);

/* The best sequence in which no two tags have the same number in once [N], 0 .. 30; -1: the tag may
 * occur any number of times. Exact: only numbers that the best sequence would repeat are watched,
 * more of them until none is, over the sets of those used so far. Memory and time are those of
 * bs_viterbi_path, times two for each number watched. */
basin_status bs_viterbi_once(bs_viterbi *v, const float *unary, int T, const int8_t *once,
                             int32_t *tag, double *score, basin_error *err);

#endif
