/* posterior.h -- weighted samples of P(y | x) ~ exp(-E(x, y)), for outputs of yes-or-no parts.
 *
 * Samples of independent parts, whose probabilities a net gives, count exp(-E) / P_net each. Where
 * few of them carry all of the weight (the effective sample size is low), P_net is turned into P by
 * degrees: the samples are particles of
 *
 *     P_net^(1 - b) exp(-E)^b,   b from 0 to 1,
 *
 * each step of b as large as leaves half of them effective. Between steps they are drawn again by
 * their weights and move by Metropolis steps that leave that distribution as it is: one part is
 * flipped, two are, or a part that is on changes places with one that is off, since single flips
 * cannot leave "exactly one of four" (annealed importance sampling with resampling, Neal 2001, Del
 * Moral et al. 2006).
 *
 * Rows share their random numbers, so that a row's samples are the same alone and among others.
 * Energies of all particles of a block of rows are computed by one program. */
#ifndef BS_POSTERIOR_H
#define BS_POSTERIOR_H

#include "model/energy_program.h"

typedef struct bs_posterior bs_posterior;

enum { BS_POSTERIOR_BLOCK = 64 }; /* most rows drawn together */

/* Borrows the energies for its lifetime; NULL: P is P_net. */
basin_status bs_posterior_new(bs_energy_program *energy, const bs_net_spec *spec, int samples,
                              bs_posterior **out, basin_error *err);
void         bs_posterior_free(bs_posterior *p); /* accepts NULL */
/* Rows that are drawn together: a power of two. */
int bs_posterior_rows(const bs_posterior *p);

/* Samples of a block, valid until the next call. */
typedef struct {
    int           samples;
    const real   *y;         /* [rows, samples, parts] of 0 and 1 */
    const double *weight;    /* [rows, samples], 1 in sum */
    const double *effective; /* [rows] share of the net's samples that is effective */
    const real   *best;      /* [rows, parts] the output with the lowest energy met */
    const double *energy;    /* [rows] that energy */
} bs_posterior_samples;

/* b: inputs, padded to bs_posterior_rows or a smaller power of two; net: probabilities [rows,
 * parts] of the first `rows` of them. lowest: then lowers the best output of each row, part by part
 * and pair by pair, until no flip and no swap lowers it. */
basin_status bs_posterior_draw(bs_posterior *p, const bs_batch *b, const float *net, int rows,
                               bool lowest, bs_posterior_samples *out, basin_error *err);

#endif
