/* paths.h -- tag sequences drawn from a linear chain, P(y) ~ exp(score), and parts of them given
 * the rest: messages backwards, draws forwards. The layout is that of viterbi.h; sums are in
 * double. */
#ifndef BS_PATHS_H
#define BS_PATHS_H

#include "base/err.h"
#include "base/rng.h"

typedef struct bs_paths bs_paths;

basin_status bs_paths_new(int n_tags, bs_paths **out, basin_error *err);
void         bs_paths_free(bs_paths *p); /* accepts NULL */
/* Copies both. allowed: 0 forbids; NULL allows all. */
void bs_paths_set(bs_paths *p, const float *transition, const uint8_t *allowed);
/* The sentence of the calls below; unary [T, N] is borrowed. */
basin_status bs_paths_start(bs_paths *p, const float *unary, int T, basin_error *err);
/* Minus infinity if a transition is forbidden. */
double bs_paths_score(const bs_paths *p, const int32_t *tag);
/* Draws tags first .. end - 1 of a sequence, given the others. They stay as they are if the chain
 * allows none, or none whose probability a double can hold. */
void bs_paths_draw(bs_paths *p, int32_t *tag, int first, int end, bs_rng *rng);

#endif
