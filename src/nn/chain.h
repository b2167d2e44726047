/* chain.h -- the score of tag sequences under a linear chain, from closed ops.
 *
 *   s(y) = sum_t u_t[y_t] + sum_{t>0} W[y_{t-1}][y_t] + W[start][y_0] + W[y_last][end]
 *
 * with unary scores u [B, T, N] (or [B, 1, T, N]) and one matrix of transitions W [N + 1, N + 1]:
 * entry [i][j] scores tag j after tag i, row N is the start, column N the end, the corner [N][N]
 * is not used. Both builders can be differentiated as often as needed. The sum over all sequences
 * is bs_crf_log_z (graph.h), the best ones are found by model/viterbi.h. */
#ifndef BS_CHAIN_H
#define BS_CHAIN_H

#include "graph/graph.h"

/* s of relaxed outputs y [B, K, T, N], K for each sentence, as the multilinear extension: one-hot
 * rows give s(y) above. mask is real [B, 1, T, 1]: ones, then zeros; y at padding does not count,
 * the end follows the last token, and an empty sentence scores 0. Returns [B, K, 1, 1]. */
bs_id bs_chain_score(bs_graph *g, bs_id unary, bs_id transition, bs_id y, bs_id mask);

/* The same for one given sequence per sentence, by index: tag int [B, T, 1], -1 at padding; pair
 * int [B, T + 1] as bs_chain_pairs writes it. Returns [B, 1]. */
bs_id bs_chain_path_score(bs_graph *g, bs_id unary, bs_id transition, bs_id tag, bs_id pair);

/* pair[0 .. T]: the entries of W used by the first `len` of T tags, start and end included; the
 * rest is -1. */
void bs_chain_pairs(const int32_t *tag, int len, int T, int N, int32_t *pair);

#endif
