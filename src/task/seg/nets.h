/* nets.h -- nets over images: a score for every class of every pixel.
 *
 * An encoder of photos (nn/encoder.h) finds features at three scales, and its head turns them into
 * scores of every pixel. Energies read photo and mask together (energy.h). Two classes have one
 * plane of scores, more have one each. */
#ifndef BS_SEG_H
#define BS_SEG_H

#include "task/seg/energy.h"
#include "model/view.h"
#include "nn/encoder.h"

struct bs_seg_shape {
    int    channels, classes;
    int    height, width; /* of a training window */
    int    filters;       /* of the first convolution */
    double dropout;
    int    hidden; /* units of the energy's first full layer; the second has half as many */
    double energy_dropout;
    int    smooth;   /* how far sampled pixels are correlated; 0: not at all */
    bool   by_class; /* the score is a mean over classes */

    const bs_encoder    *net;
    const void          *own; /* options of the encoder */
    const bs_seg_energy *energy;
    bool                 shared; /* it sees features that the net finds, instead of the photo */
};

extern const bs_task_space bs_task_space_seg;
_Static_assert(sizeof(bs_seg_shape) <= BS_SPEC_ROOM, "a spec has no room for it");
static inline const bs_seg_shape *bs_net_spec_seg(const bs_net_spec *s)
{
    return (const void *)s->own.bytes;
}

int bs_seg_planes(const bs_seg_shape *s); /* of a y: 1, or the number of classes */

/* What the settings say of an encoder. */
bs_encoder_shape bs_seg_encoder_shape(const bs_seg_shape *s);

#endif
