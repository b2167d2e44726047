/* nets.h -- nets over images: a score for every class of every pixel.
 *
 * Three 5 x 5 convolutions read the photo (width, 2 width and 2 width channels; the second and
 * third halve the sides); a head turns their output into scores for every pixel. Energies start
 * with the same convolutions over photo and mask together (energy.h). One net has its own trunk
 * (unet3.c). Two classes have one plane of scores, more have one each. Sides may have any length:
 * the excess that a transposed convolution produces for odd ones is cut off. */
#ifndef BS_SEG_H
#define BS_SEG_H

#include "task/seg/energy.h"
#include "model/view.h"

enum { BS_SEG_SCALES = 3 };

typedef struct {
    const char *name, *help;
    /* The features at three scales of a photo and, if y is not 0, of K masks of it; usually
     * bs_seg_trunk. */
    void (*trunk)(bs_nn *nn, const char *name, const bs_seg_shape *s, bs_id x, bs_id y,
                  bs_id found[BS_SEG_SCALES]);
    /* Scores [n, out, H, W] from these; parameters NAME/... */
    bs_id (*head)(bs_nn *nn, const char *name, const bs_seg_shape *s, const bs_id found[], int out);
} bs_seg_net;

extern const bs_seg_net bs_seg_nets[]; /* ends with a name that is NULL */

basin_status bs_seg_net_find(const char *name, const bs_seg_net **out, basin_error *err);

struct bs_seg_shape {
    int    channels, classes;
    int    height, width; /* of a training window */
    int    filters;       /* of the first convolution */
    double dropout;
    int    hidden; /* units of the energy's first full layer; the second has half as many */
    double energy_dropout;
    int    smooth;   /* how far sampled pixels are correlated; 0: not at all */
    bool   by_class; /* the score is a mean over classes */
    /* Normalise over the batch, with running means outside training; otherwise within each photo,
     * whose result then never depends on the others. */
    bool by_batch;

    const bs_seg_net    *net;
    const bs_seg_energy *energy;
};

extern const bs_task_space bs_task_space_seg;
_Static_assert(sizeof(bs_seg_shape) <= BS_SPEC_ROOM, "a spec has no room for it");
static inline const bs_seg_shape *bs_net_spec_seg(const bs_net_spec *s)
{
    return (const void *)s->own.bytes;
}

bs_init bs_seg_init(int fan_in); /* of the weights of these nets */

int bs_seg_planes(const bs_seg_shape *s); /* of a y: 1, or the number of classes */

/* Outputs of the three convolutions, NAME/0 to NAME/2, over a photo [B, channels, H, W] and, if
 * y is not 0, K masks of it [B K, planes, H, W]; the share of the photo in the first layer is
 * computed once for all K. */
void bs_seg_trunk(bs_nn *nn, const char *name, const bs_seg_shape *s, bs_id x, bs_id y,
                  bs_id found[BS_SEG_SCALES]);

/* ---- pieces of nets ---- */

enum { BS_SEG_NAME = 96 }; /* room for the name of a layer */

/* A convolution NAME/W; sides are kept, or halved by a stride of 2. */
bs_id bs_seg_filter(bs_nn *nn, const char *name, bs_id x, int out, int kernel, int stride);
/* The same with a bias NAME/b. */
bs_id bs_seg_conv(bs_nn *nn, const char *name, bs_id x, int out, int kernel, int stride);
/* The first one, NAME/0, over a photo and masks of it. */
bs_id bs_seg_first(bs_nn *nn, const char *name, const bs_seg_shape *s, bs_id x, bs_id y,
                   int kernel);
/* A 4 x 4 transposed convolution of stride 2, NAME/W, cut to the size of `like`: a side of n had
 * become (n + 1) / 2, which comes back as n or n + 1. */
bs_id bs_seg_enlarged(bs_nn *nn, const char *name, bs_id x, int out, bs_init init, bs_id like);

/* unet3.c: a U-net of 3 x 3 convolutions. */
void  bs_seg3_trunk(bs_nn *nn, const char *name, const bs_seg_shape *s, bs_id x, bs_id y,
                    bs_id found[BS_SEG_SCALES]);
bs_id bs_seg3_head(bs_nn *nn, const char *name, const bs_seg_shape *s, const bs_id found[],
                   int out);

#endif
