/* nets.c -- the trunk of three convolutions, and the heads that turn it into scores of pixels. */
#include "task/seg/nets.h"
#include "base/find.h"

#include <math.h>
#include <string.h>

#include "base/opt.h"

enum { NAME = BS_SEG_NAME, KERNEL = 5, UP = 4 };

int bs_seg_planes(const bs_seg_shape *s)
{
    return s->classes == 2 ? 1 : s->classes;
}

/* ---- the three convolutions ---- */

/* Weights and biases initialised as in the published programs: uniform within 1 / sqrt(fan in). */
bs_init bs_seg_init(int fan_in)
{
    return bs_init_uniform(1 / sqrt((double)fan_in));
}

static bs_id bias_of(bs_nn *nn, const char *name, int channels, bs_init init)
{
    char path[NAME + 8];
    bs_print(path, sizeof path, "%s/b", name);
    return bs_param(nn->g, nn->params, path, bs_shape4(1, channels, 1, 1), init);
}

bs_id bs_seg_filter(bs_nn *nn, const char *name, bs_id x, int out, int kernel, int stride)
{
    bs_graph *g = nn->g;
    const int in = bs_shape_of(g, x).d[1];
    char      path[NAME];
    bs_print(path, sizeof path, "%s/W", name);
    bs_id w = bs_param(g, nn->params, path, bs_shape4(out, in, kernel, kernel),
                       bs_seg_init(in * kernel * kernel));
    bs_push(g, name);
    bs_id y = bs_conv(g, x, w, stride, kernel / 2);
    bs_pop(g);
    return y;
}

bs_id bs_seg_conv(bs_nn *nn, const char *name, bs_id x, int out, int kernel, int stride)
{
    bs_graph *g = nn->g;
    bs_id     y = bs_seg_filter(nn, name, x, out, kernel, stride);
    bs_id     b = bias_of(nn, name, out, bs_seg_init(bs_shape_of(g, x).d[1] * kernel * kernel));
    bs_push(g, name);
    y = bs_add(g, y, b);
    bs_pop(g);
    return y;
}

/* One weight [F, channels + planes, kernel, kernel], used in two parts. */
bs_id bs_seg_first(bs_nn *nn, const char *name, const bs_seg_shape *s, bs_id x, bs_id y, int kernel)
{
    bs_graph *g = nn->g;
    const int C = bs_shape_of(g, x).d[1], P = y ? bs_shape_of(g, y).d[1] : 0, F = s->filters;
    const int pad = kernel / 2;
    char      path[NAME];
    bs_print(path, sizeof path, "%s/0/W", name);
    bs_init init = bs_seg_init((C + P) * kernel * kernel);
    bs_id   w = bs_param(g, nn->params, path, bs_shape4(F, C + P, kernel, kernel), init);
    bs_print(path, sizeof path, "%s/0", name);
    bs_id b = bias_of(nn, path, F, init);
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

void bs_seg_trunk(bs_nn *nn, const char *name, const bs_seg_shape *s, bs_id x, bs_id y,
                  bs_id found[BS_SEG_SCALES])
{
    char path[NAME];
    found[0] = bs_relu(nn->g, bs_seg_first(nn, name, s, x, y, KERNEL));
    for (int i = 1; i < BS_SEG_SCALES; i++) {
        bs_print(path, sizeof path, "%s/%d", name, i);
        found[i] = bs_relu(nn->g, bs_seg_conv(nn, path, found[i - 1], 2 * s->filters, KERNEL, 2));
    }
}

/* ---- heads ---- */

bs_id bs_seg_enlarged(bs_nn *nn, const char *name, bs_id x, int out, bs_init init, bs_id like)
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

/* Scores at every scale; coarse ones are enlarged and added to the finer ones. A single plane is
 * the difference of two, as in a softmax over two classes: the planes mix on their way up. */
static bs_id fcn_head(bs_nn *nn, const char *name, const bs_seg_shape *s, const bs_id found[],
                      int out)
{
    const int n = out == 1 ? 2 : out;
    bs_graph *g = nn->g;
    char      path[NAME];
    bs_id     sum = 0;
    (void)s;
    for (int i = BS_SEG_SCALES - 1; i >= 0; i--) {
        bs_print(path, sizeof path, "%s/score/%d", name, i);
        bs_id score = bs_seg_conv(nn, path, found[i], n, 1, 1);
        bs_print(path, sizeof path, "%s/up/%d", name, i + 1);
        sum = sum ? bs_add(g, bs_seg_enlarged(nn, path, sum, n, bs_seg_init(n * UP * UP), score),
                           score)
                  : score;
    }
    return out > 1 ? sum : bs_sub(g, bs_slice(g, sum, -3, 1, 1), bs_slice(g, sum, -3, 0, 1));
}

/* Features at the coarsest scale, enlarged twice; each pixel of the result sums over four of the
 * kernel's pixels. */
static bs_id fcn2_head(bs_nn *nn, const char *name, const bs_seg_shape *s, const bs_id found[],
                       int out)
{
    const int F = s->filters;
    bs_graph *g = nn->g;
    char      path[NAME];
    bs_print(path, sizeof path, "%s/up/2", name);
    bs_init init = bs_seg_init(2 * F * UP);
    bs_id   h = bs_seg_enlarged(nn, path, found[2], F, init, found[1]);
    h = bs_relu(g, bs_add(g, h, bias_of(nn, path, F, init)));
    bs_print(path, sizeof path, "%s/up/1", name);
    init = bs_seg_init(F * UP);
    h = bs_seg_enlarged(nn, path, h, out, init, found[0]);
    return bs_add(g, h, bias_of(nn, path, out, init));
}

/* `coarse` enlarged plus the features at the finer scale, each mapped to `out` channels. */
static bs_id joined(bs_nn *nn, const char *name, int scale, bs_id coarse, bs_id found, int out)
{
    bs_graph *g = nn->g;
    char      path[NAME];
    bs_print(path, sizeof path, "%s/up/%d", name, scale + 1);
    bs_init init = bs_seg_init(bs_shape_of(g, coarse).d[1] * UP);
    bs_id   up = bs_seg_enlarged(nn, path, coarse, out, init, found);
    bs_print(path, sizeof path, "%s/join/%d", name, scale);
    return bs_relu(g, bs_add(g, up, bs_seg_conv(nn, path, found, out, 1, 1)));
}

/* As Ronneberger et al. 2015: one more halving, where a pixel sees the whole of a small photo, then
 * up again, adding the features found at each scale on the way down. */
static bs_id unet_head(bs_nn *nn, const char *name, const bs_seg_shape *s, const bs_id found[],
                       int out)
{
    const int F = s->filters;
    char      path[NAME];
    bs_print(path, sizeof path, "%s/conv/%d", name, BS_SEG_SCALES);
    bs_id h = bs_relu(nn->g, bs_seg_conv(nn, path, found[2], 2 * F, KERNEL, 2));
    h = joined(nn, name, 2, h, found[2], 2 * F);
    h = joined(nn, name, 1, h, found[1], F);
    h = joined(nn, name, 0, h, found[0], F);
    bs_print(path, sizeof path, "%s/score", name);
    return bs_seg_conv(nn, path, h, out, KERNEL, 1);
}

const bs_seg_net bs_seg_nets[] = {
    {"fcn", "three convolutions, scores at each scale, enlarged and added up", bs_seg_trunk,
     fcn_head},
    {"fcn2", "three convolutions and two transposed ones", bs_seg_trunk, fcn2_head},
    {"unet", "four convolutions down, up again with what was found on the way", bs_seg_trunk,
     unet_head},
    {"unet3", "the same with two small convolutions at each scale, and normalised", bs_seg3_trunk,
     bs_seg3_head},
    {NULL, NULL, NULL, NULL},
};

basin_status bs_seg_net_find(const char *name, const bs_seg_net **out, basin_error *err)
{
    const bs_named table = {"net.kind: no net over images", "encoders", BS_NAMED_ROWS(bs_seg_nets)};
    int            i;
    basin_status   s = bs_find_named(&table, name, &i, err);
    *out = &bs_seg_nets[i];
    return s;
}
