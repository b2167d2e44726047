/* encoder_fcn.c -- scores at each of three scales, enlarged and added up. */
#include "nn/photo.h"

enum { NAME = BS_PHOTO_NAME, UP = 4 };

/* Scores at every scale; coarse ones are enlarged and added to the finer ones. A single plane is
 * the difference of two, as in a softmax over two classes: the planes mix on their way up. */
static bs_id head(bs_nn *nn, const char *name, const bs_encoder_shape *s, const bs_id found[],
                  int out)
{
    const int n = out == 1 ? 2 : out;
    bs_graph *g = nn->g;
    char      path[NAME];
    bs_id     sum = 0;
    (void)s;
    for (int i = BS_SCALES - 1; i >= 0; i--) {
        bs_print(path, sizeof path, "%s/score/%d", name, i);
        bs_id score = bs_photo_conv(nn, path, found[i], n, 1, 1);
        bs_print(path, sizeof path, "%s/up/%d", name, i + 1);
        sum =
            sum ? bs_add(g, bs_photo_enlarged(nn, path, sum, n, bs_photo_init(n * UP * UP), score),
                         score)
                : score;
    }
    return out > 1 ? sum : bs_sub(g, bs_slice(g, sum, -3, 1, 1), bs_slice(g, sum, -3, 0, 1));
}

const bs_encoder bs_encoder_fcn = {
    .name = "fcn",
    .help = "three convolutions, scores at each scale, enlarged and added up",
    .reads = BS_READS_PHOTOS,
    .features = bs_photo_features,
    .head = head,
};
