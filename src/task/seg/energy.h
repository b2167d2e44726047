/* energy.h -- how well masks fit a photo: E(x, y) = -score(x, y).
 *
 * To add a kind: a file with a const bs_seg_energy and a line in energies.def. */
#ifndef BS_SEG_ENERGY_H
#define BS_SEG_ENERGY_H

#include "base/find.h"
#include "nn/layers.h"

typedef struct bs_seg_shape bs_seg_shape;

/* Photos of any size, and K masks of each. */
typedef struct {
    const bs_seg_shape *shape;
    bs_id               x;     /* [B, channels, H, W], or features of it */
    bs_id               y;     /* [B K, planes, H, W], zeros where a pixel does not count */
    bs_id               there; /* [B, 1, H, W]: 1 where it does */
} bs_masked;

typedef struct {
    const char *name, *help;
    bs_id (*score)(bs_nn *nn, const bs_masked *m); /* [B K, 1] */
} bs_seg_energy;

extern const bs_named bs_seg_energy_kinds;

#endif
