/* energy_value.c -- the value network of DVN (Gygli et al. 2017), as SEAL uses it: three
 * convolutions over photo and mask, then two full layers and one number.
 *
 * Fully connected layers have a fixed size, that of a training window. The value of a larger image
 * is the mean over as few windows as cover it; a smaller one is padded with zeros. */
#include "nn/photo.h"
#include "task/seg/nets.h"

/* Where the i-th of n windows starts. */
static int window_at(int size, int window, int i, int n)
{
    return n > 1 ? (int)((int64_t)(size - window) * i / (n - 1)) : 0;
}

static int windows(int size, int window)
{
    return size <= window ? 1 : (size + window - 1) / window;
}

static bs_id along(bs_graph *g, bs_id a, int axis, int window, int i)
{
    const int size = bs_shape_of(g, a).d[4 + axis];
    if (size == window)
        return a;
    if (size < window)
        return bs_pad(g, a, axis, 0, window);
    return bs_slice(g, a, axis, window_at(size, window, i, windows(size, window)), window);
}

/* [n, 1] for photos and masks as large as a window */
static bs_id value_of(bs_nn *nn, const bs_seg_shape *s, bs_id x, bs_id y)
{
    bs_graph              *g = nn->g;
    const bs_encoder_shape e = bs_seg_encoder_shape(s);
    const bs_encoder_input in = {.x = x, .mask = y};
    bs_id                  found[BS_SCALES];
    bs_photo_features(nn, "energy/conv", &e, &in, found);
    bs_shape  top = bs_shape_of(g, found[2]);
    const int cells = top.d[1] * top.d[2] * top.d[3], wide = s->hidden, slim = (wide + 1) / 2;
    bs_id     h = bs_reshape(g, found[2], bs_shape2(top.d[0], cells));
    h = bs_relu(g, bs_linear(nn, "energy/full/0", h, wide, bs_photo_init(cells), true));
    if (nn->training)
        h = bs_dropout(g, h, s->energy_dropout, nn->stream++);
    h = bs_relu(g, bs_linear(nn, "energy/full/1", h, slim, bs_photo_init(wide), true));
    return bs_linear(nn, "energy/full/2", h, 1, bs_photo_init(slim), true);
}

static bs_id score(bs_nn *nn, const bs_masked *m)
{
    bs_graph           *g = nn->g;
    const bs_seg_shape *s = m->shape;
    bs_shape            size = bs_shape_of(g, m->x);
    const int           down = windows(size.d[2], s->height), across = windows(size.d[3], s->width);
    bs_id               sum = 0;
    for (int i = 0; i < down * across; i++) {
        bs_id x = along(g, m->x, -2, s->height, i / across);
        bs_id y = along(g, m->y, -2, s->height, i / across);
        x = along(g, x, -1, s->width, i % across);
        y = along(g, y, -1, s->width, i % across);
        bs_id value = value_of(nn, s, x, y);
        sum = sum ? bs_add(g, sum, value) : value;
    }
    return down * across > 1 ? bs_scale(g, sum, 1.0 / (down * across)) : sum;
}

const bs_seg_energy bs_seg_energy_value = {
    .name = "value",
    .help = "a value network: convolutions over photo and mask, full layers, one number",
    .score = score,
};
