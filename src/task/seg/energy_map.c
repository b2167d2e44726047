/* energy_map.c -- a score for every pixel (Pan et al. 2020): a net over photo and mask, of the same
 * form as the one that predicts masks. The paper does not say how scores of pixels become one
 * value; here it is the mean over the pixels that count. */
#include "task/seg/nets.h"

static bs_id score(bs_nn *nn, const bs_masked *m)
{
    bs_graph              *g = nn->g;
    const bs_encoder      *net = m->shape->net;
    const bs_encoder_shape e = bs_seg_encoder_shape(m->shape);
    const bs_encoder_input in = {.x = m->x, .mask = m->y};
    bs_id                  found[BS_SCALES];
    net->features(nn, "energy/conv", &e, &in, found);
    bs_id    map = net->head(nn, "energy", &e, found, 1);
    bs_shape s = bs_shape_of(g, map), t = bs_shape_of(g, m->there);
    int      cells = s.d[2] * s.d[3];
    bs_push(g, "energy");
    bs_id there = bs_reshape(g, m->there, bs_shape3(t.d[0], 1, cells));
    bs_id by_photo = bs_reshape(g, map, bs_shape3(t.d[0], s.d[0] / t.d[0], cells));
    bs_id sum = bs_sum_axis(g, bs_mul(g, by_photo, there), -1);
    bs_id mean = bs_div_safe(g, sum, bs_sum_axis(g, there, -1), 1);
    bs_pop(g);
    return bs_reshape(g, mean, bs_shape2(s.d[0], 1));
}

const bs_seg_energy bs_seg_energy_map = {
    .name = "map",
    .help = "a score of every pixel by a net over photo and mask, averaged",
    .score = score,
};
