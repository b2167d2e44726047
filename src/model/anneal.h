/* anneal.h -- weighted samples of P(y) ~ P0(y) exp(-U(y)) for one row, where P0 can be drawn from
 * exactly, also part of y given the rest: a chain over tags, independent pixels. U is what an
 * energy has beyond it, and costs a pass of a net.
 *
 * Draws of P0 count exp(-U) each. Where few of them carry all of the weight, P0 is turned into P by
 * degrees, P0 exp(-b U) with b from 0 to 1, and between steps the draws are drawn again by their
 * weights and moved: part of one is drawn anew from P0 given the rest, which is accepted with
 * probability exp(-b (U' - U)) (Del Moral et al. 2006). Sets of labels, where parts exclude each
 * other, have moves of their own (posterior.h). */
#ifndef BS_ANNEAL_H
#define BS_ANNEAL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/rng.h"

typedef struct {
    void *ctx;
    int   samples, parts;
    /* Draws part of y [parts] anew. */
    void (*redraw)(void *ctx, int32_t *y, bs_rng *rng);
    /* log P0, up to a constant. */
    double (*base)(void *ctx, const int32_t *y);
    /* U of y [samples, parts]; NULL: P is P0. */
    basin_status (*terms)(void *ctx, const int32_t *y, double *u, basin_error *err);
} bs_annealing;

typedef struct {
    int32_t *y;         /* [samples, parts]; at first drawn from P0 */
    double  *weight;    /* [samples], 1 in sum */
    int32_t *best;      /* [parts] the lowest U - log P0 met */
    double   lowest;    /* and that */
    double   effective; /* share of the first draws */
} bs_annealed;

basin_status bs_annealed_new(int samples, int parts, bs_annealed *out, basin_error *err);
void         bs_annealed_free(bs_annealed *a);
basin_status bs_anneal(const bs_annealing *how, bs_annealed *a, basin_error *err);

/* Looks at outputs y [n, parts], n <= samples, whose U are given: a->best may become one of them.
 * Returns whether it did. */
bool bs_annealed_look(const bs_annealing *how, bs_annealed *a, const int32_t *y, const double *u,
                      int n);

#endif
