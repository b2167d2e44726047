/* photo.c -- convolutions of the encoders of photos, initialised as in the published programs. */
#include "nn/photo.h"

#include <math.h>

enum { NAME = BS_PHOTO_NAME, KERNEL = 5, UP = 4 };

bs_init bs_photo_init(int fan_in)
{
    return bs_init_uniform(1 / sqrt((double)fan_in));
}

bs_id bs_photo_bias(bs_nn *nn, const char *name, int channels, bs_init init)
{
    char path[NAME + 8];
    bs_print(path, sizeof path, "%s/b", name);
    return bs_param(nn->g, nn->params, path, bs_shape4(1, channels, 1, 1), init);
}

bs_id bs_photo_filter(bs_nn *nn, const char *name, bs_id x, int out, int kernel, int stride)
{
    bs_graph *g = nn->g;
    const int in = bs_shape_of(g, x).d[1];
    char      path[NAME];
    bs_print(path, sizeof path, "%s/W", name);
    bs_id w = bs_param(g, nn->params, path, bs_shape4(out, in, kernel, kernel),
                       bs_photo_init(in * kernel * kernel));
    bs_push(g, name);
    bs_id y = bs_conv(g, x, w, stride, kernel / 2);
    bs_pop(g);
    return y;
}

bs_id bs_photo_conv(bs_nn *nn, const char *name, bs_id x, int out, int kernel, int stride)
{
    bs_graph *g = nn->g;
    bs_id     y = bs_photo_filter(nn, name, x, out, kernel, stride);
    bs_id b = bs_photo_bias(nn, name, out, bs_photo_init(bs_shape_of(g, x).d[1] * kernel * kernel));
    bs_push(g, name);
    y = bs_add(g, y, b);
    bs_pop(g);
    return y;
}

/* One weight [F, channels + planes, kernel, kernel], used in two parts. */
bs_id bs_photo_first(bs_nn *nn, const char *name, const bs_encoder_input *in, int F, int kernel)
{
    bs_graph   *g = nn->g;
    const bs_id x = in->x, y = in->mask;
    const int   C = bs_shape_of(g, x).d[1], P = y ? bs_shape_of(g, y).d[1] : 0, pad = kernel / 2;
    char        path[NAME];
    bs_print(path, sizeof path, "%s/0/W", name);
    bs_init init = bs_photo_init((C + P) * kernel * kernel);
    bs_id   w = bs_param(g, nn->params, path, bs_shape4(F, C + P, kernel, kernel), init);
    bs_print(path, sizeof path, "%s/0", name);
    bs_id b = bs_photo_bias(nn, path, F, init);
    bs_push(g, path);
    bs_id h = bs_add(g, bs_conv(g, x, y ? bs_slice(g, w, -3, 0, C) : w, 1, pad), b);
    if (y) {
        bs_id    of_y = bs_conv(g, y, bs_slice(g, w, -3, C, P), 1, pad);
        bs_shape all = bs_shape_of(g, of_y);
        int      B = bs_shape_of(g, x).d[0], cells = all.d[1] * all.d[2] * all.d[3];
        bs_id    rows = bs_reshape(g, h, bs_shape3(B, 1, cells));
        bs_id    outputs = bs_reshape(g, of_y, bs_shape3(B, all.d[0] / B, cells));
        h = bs_reshape(g, bs_add(g, outputs, rows), all);
    }
    bs_pop(g);
    return h;
}

void bs_photo_features(bs_nn *nn, const char *name, const bs_encoder_shape *s,
                       const bs_encoder_input *in, bs_id found[BS_SCALES])
{
    char path[NAME];
    found[0] = bs_relu(nn->g, bs_photo_first(nn, name, in, s->width, KERNEL));
    for (int i = 1; i < BS_SCALES; i++) {
        bs_print(path, sizeof path, "%s/%d", name, i);
        found[i] = bs_relu(nn->g, bs_photo_conv(nn, path, found[i - 1], 2 * s->width, KERNEL, 2));
    }
}

bs_id bs_photo_enlarged(bs_nn *nn, const char *name, bs_id x, int out, bs_init init, bs_id like)
{
    bs_graph *g = nn->g;
    char      path[NAME];
    bs_shape  size = bs_shape_of(g, like);
    bs_print(path, sizeof path, "%s/W", name);
    bs_id w = bs_param(g, nn->params, path, bs_shape4(bs_shape_of(g, x).d[1], out, UP, UP), init);
    bs_push(g, name);
    bs_id y = bs_conv_transposed(g, x, w, 2, 1);
    y = bs_slice(g, bs_slice(g, y, -2, 0, size.d[2]), -1, 0, size.d[3]);
    bs_pop(g);
    return y;
}
