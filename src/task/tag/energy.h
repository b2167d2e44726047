/* energy.h -- terms of an energy over tag sequences.
 *
 *   E(x, y) = -( sum_t y_t . b(x, t) + sum_t y_{t-1}' W y_t + scale * terms(x, y) )
 *
 * (Tu et al. 2020, eq. 7; the sign is that of all energies here.) A term is a log-likelihood of
 * relaxed tags, for example under a language model of tags (eq. 8 and 9), or a score of all tags of
 * a sentence at once.
 *
 * To add a kind: a file with a const bs_tag_energy and a line in energies.def. */
#ifndef BS_TAG_ENERGY_H
#define BS_TAG_ENERGY_H

#include "base/find.h"
#include "nn/layers.h"

typedef struct bs_tag_shape bs_tag_shape;

/* Input of the terms: n sequences, time-major. */
typedef struct {
    const bs_tag_shape *shape;
    bs_id               y;     /* [T, n, tags], zeros at padding */
    bs_id               word;  /* vectors of the words [T, n, D], zeros at padding */
    bs_id               ended; /* int [n]: tokens and the symbol at the end */
    bs_id               last;  /* real [T + 1, n, 1]: 1 right after the last token */
    bs_id               until; /* real [T + 1, n, 1]: 1 up to there */
} bs_tagged;

typedef struct {
    const char *name, *help;
    bs_id (*terms)(bs_nn *nn, const bs_tagged *t); /* [n, 1]; NULL: none */
    /* The same for K outputs of each row at once: of y [B, K, T, tags] and mask [B, 1, T, 1] to
     * [B, K, 1]; NULL: none. It can be differentiated any number of times. */
    bs_id (*all)(bs_nn *nn, const bs_tag_shape *shape, bs_id y, bs_id mask);
    bool unchained; /* without scores of neighbours */
} bs_tag_energy;

extern const bs_named bs_tag_energy_kinds;

#endif
