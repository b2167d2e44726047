/* energy.h -- terms of an energy over label sets: how labels fit together.
 *
 *   E(x, y) = -( sum_i y_i b_i . T(x) + scale * top(M y + m) )
 *
 * SPEN (Belanger and McCallum 2016) with the sign of SEAL: the nets compute a score, and the energy
 * is its negative. A term is a function of h = M y + m, so that it works for relaxed y and for
 * sampled label sets (sums of rows of M), or does both itself.
 *
 * To add one: a file with a const bs_energy and a line in energies.def. */
#ifndef BS_ENERGY_H
#define BS_ENERGY_H

#include "base/find.h"
#include "nn/layers.h"

typedef struct bs_mlc_shape bs_mlc_shape;

typedef struct {
    const char *name, *help;
    bs_id (*top)(bs_nn *nn, int hidden, bs_id h); /* score [n, 1] from h [n, hidden], or NULL and */
    /* from y [n, labels], real or bits */
    bs_id (*whole)(bs_nn *nn, const bs_mlc_shape *s, bs_id y);
} bs_energy;

extern const bs_named bs_energy_kinds;

#endif
