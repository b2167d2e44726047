/* encoder_mlp.c -- softplus layers over rows, the features of SPEN and SEAL; no dropout after the
 * last one. */
#include "nn/encoder.h"

static void features(bs_nn *nn, const char *name, const bs_encoder_shape *s,
                     const bs_encoder_input *in, bs_id found[BS_SCALES])
{
    const bs_mlp_shape mlp = {s->layers, s->width, BS_SOFTPLUS, s->dropout, false, s->members};
    found[0] = bs_mlp(nn, name, in->x, &mlp);
}

const bs_encoder bs_encoder_mlp = {
    .name = "mlp",
    .help = "softplus layers over sparse or dense rows",
    .reads = BS_READS_ROWS,
    .members = true,
    .features = features,
};
