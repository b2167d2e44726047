/* encoder_fcn2.c -- three convolutions and two transposed ones. */
#include "nn/photo.h"

enum { NAME = BS_PHOTO_NAME, UP = 4 };

/* Features at the coarsest scale, enlarged twice; each pixel of the result sums over four of the
 * kernel's pixels. */
static bs_id head(bs_nn *nn, const char *name, const bs_encoder_shape *s, const bs_id found[],
                  int out)
{
    const int F = s->width;
    bs_graph *g = nn->g;
    char      path[NAME];
    bs_print(path, sizeof path, "%s/up/2", name);
    bs_init init = bs_photo_init(2 * F * UP);
    bs_id   h = bs_photo_enlarged(nn, path, found[2], F, init, found[1]);
    h = bs_relu(g, bs_add(g, h, bs_photo_bias(nn, path, F, init)));
    bs_print(path, sizeof path, "%s/up/1", name);
    init = bs_photo_init(F * UP);
    h = bs_photo_enlarged(nn, path, h, out, init, found[0]);
    return bs_add(g, h, bs_photo_bias(nn, path, out, init));
}

const bs_encoder bs_encoder_fcn2 = {
    .name = "fcn2",
    .help = "three convolutions and two transposed ones",
    .reads = BS_READS_PHOTOS,
    .features = bs_photo_features,
    .head = head,
};
