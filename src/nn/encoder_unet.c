/* encoder_unet.c -- a U-net of 5 x 5 convolutions that adds what it found on the way down. */
#include "nn/photo.h"

enum { NAME = BS_PHOTO_NAME, KERNEL = 5, UP = 4 };

/* `coarse` enlarged plus the features at the finer scale, each mapped to `out` channels. */
static bs_id joined(bs_nn *nn, const char *name, int scale, bs_id coarse, bs_id found, int out)
{
    bs_graph *g = nn->g;
    char      path[NAME];
    bs_print(path, sizeof path, "%s/up/%d", name, scale + 1);
    bs_init init = bs_photo_init(bs_shape_of(g, coarse).d[1] * UP);
    bs_id   up = bs_photo_enlarged(nn, path, coarse, out, init, found);
    bs_print(path, sizeof path, "%s/join/%d", name, scale);
    return bs_relu(g, bs_add(g, up, bs_photo_conv(nn, path, found, out, 1, 1)));
}

/* As Ronneberger et al. 2015: one more halving, where a pixel sees the whole of a small photo, then
 * up again, adding the features found at each scale on the way down. */
static bs_id head(bs_nn *nn, const char *name, const bs_encoder_shape *s, const bs_id found[],
                  int out)
{
    const int F = s->width;
    char      path[NAME];
    bs_print(path, sizeof path, "%s/conv/%d", name, BS_SCALES);
    bs_id h = bs_relu(nn->g, bs_photo_conv(nn, path, found[2], 2 * F, KERNEL, 2));
    h = joined(nn, name, 2, h, found[2], 2 * F);
    h = joined(nn, name, 1, h, found[1], F);
    h = joined(nn, name, 0, h, found[0], F);
    bs_print(path, sizeof path, "%s/score", name);
    return bs_photo_conv(nn, path, h, out, KERNEL, 1);
}

const bs_encoder bs_encoder_unet = {
    .name = "unet",
    .help = "four convolutions down, up again with what was found on the way",
    .reads = BS_READS_PHOTOS,
    .features = bs_photo_features,
    .head = head,
};
