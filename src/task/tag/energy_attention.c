/* energy_attention.c -- one layer of self-attention over tags (SEAL: Lee et al. 2022), and scores
 * of pairs of tags wherever they are.
 *
 *   z_t = y_t + position(t);  q, k, v: projections of z, each energy.hidden wide (attention/qkv)
 *   o_t = sum_s softmax_s(q_t . k_s / sqrt(tags)) v_s, projected to the tags (attention/out)
 *   score = sum_t max_i o_t[i]
 *
 * Products of the projections are made first: q_t . k_s = (z_t A + u) . z_s, but for what is the
 * same for all s and cancels, with A of tags x tags; and what v_s becomes is z_s V + c. Tags are
 * fewer than the units of three projections, and there are many words and samples: it is the same
 * function in a part of the time and memory. */
#include <math.h>

#include "task/tag/nets.h"

/* Four dimensions as rows, and back. */
static bs_id rows_times(bs_graph *g, bs_id x, bs_id w)
{
    const bs_shape s = bs_shape_of(g, x), out = bs_shape_of(g, w);
    bs_id          rows = bs_reshape(g, x, bs_shape2(s.d[0] * s.d[1] * s.d[2], s.d[3]));
    bs_id          y = bs_matmul(g, rows, w, false, false);
    return bs_reshape(g, y, bs_shape4(s.d[0], s.d[1], s.d[2], out.d[3]));
}

static bs_id attention(bs_nn *nn, const bs_tag_shape *shape, bs_id y, bs_id mask)
{
    bs_graph      *g = nn->g;
    const bs_shape s = bs_shape_of(g, y); /* [B, K, T, N] */
    const int      T = s.d[2], N = s.d[3], H = shape->hidden;
    bs_push(g, "energy/attention");
    bs_id qkv = bs_param(g, nn->params, "energy/attention/qkv/W", bs_shape2(N, 3 * H),
                         bs_init_xavier(N, 3 * H));
    bs_id b =
        bs_param(g, nn->params, "energy/attention/qkv/b", bs_shape2(1, 3 * H), bs_init_zero());
    bs_id out =
        bs_param(g, nn->params, "energy/attention/out/W", bs_shape2(H, N), bs_init_xavier(H, N));
    bs_id own = bs_param(g, nn->params, "energy/attention/out/b", bs_shape2(1, N), bs_init_zero());
    bs_id q = bs_slice(g, qkv, -1, 0, H), k = bs_slice(g, qkv, -1, H, H);
    bs_id v = bs_slice(g, qkv, -1, 2 * H, H);
    bs_id A = bs_matmul(g, q, k, false, true);
    bs_id u = bs_matmul(g, bs_slice(g, b, -1, 0, H), k, false, true);
    bs_id V = bs_matmul(g, v, out, false, false);
    bs_id c = bs_matmul(g, bs_slice(g, b, -1, 2 * H, H), out, false, false);
    bs_id z = bs_add(g, y, bs_positions(g, bs_shape2(T, N)));
    bs_id asks = bs_add(g, rows_times(g, z, A), u);
    bs_id scores = bs_scale(g, bs_matmul(g, asks, z, false, true), 1 / sqrt(N));
    bs_id there = bs_reshape(g, mask, bs_shape4(s.d[0], 1, 1, T));
    scores = bs_add(g, scores, bs_scale(g, bs_offset(g, there, -1), 1e9));
    bs_id weight = bs_softmax(g, scores, -1);
    if (nn->training)
        weight = bs_dropout(g, weight, shape->energy_dropout, nn->stream++);
    bs_id found = bs_matmul(g, weight, bs_add(g, rows_times(g, z, V), c), false, false);
    bs_id most = bs_max_axis(g, bs_add(g, found, own), -1);
    bs_id sum = bs_sum_axis(g, bs_mul(g, most, mask), -2);
    bs_pop(g);
    return bs_reshape(g, sum, bs_shape3(s.d[0], s.d[1], 1));
}

/* For a symmetric P, the sum of y_s P y_t over all pairs of words s < t. */
static bs_id pairs(bs_nn *nn, bs_id y)
{
    bs_graph      *g = nn->g;
    const bs_shape s = bs_shape_of(g, y);
    const int      N = s.d[3];
    bs_push(g, "energy/pairs");
    bs_id P = bs_param(g, nn->params, "energy/pairs/W", bs_shape2(N, N), bs_init_uniform(0.02));
    bs_id all = bs_sum_axis(g, y, -2); /* how often each tag occurs */
    bs_id same = bs_sum_axis(g, bs_sum_axis(g, bs_mul(g, rows_times(g, y, P), y), -1), -2);
    bs_id both = bs_sum_axis(g, bs_mul(g, rows_times(g, all, P), all), -1);
    bs_id sum = bs_scale(g, bs_sub(g, both, same), 0.5);
    bs_pop(g);
    return bs_reshape(g, sum, bs_shape3(s.d[0], s.d[1], 1));
}

static bs_id with_pairs(bs_nn *nn, const bs_tag_shape *shape, bs_id y, bs_id mask)
{
    return bs_add(nn->g, attention(nn, shape, y, mask), pairs(nn, y));
}

const bs_tag_energy bs_tag_energy_attention = {
    .name = "attention",
    .help = "scores of single tags, and self-attention over all tags of the sentence",
    .unchained = true,
    .all = attention,
};

const bs_tag_energy bs_tag_energy_attention_pairs = {
    .name = "attention-pairs",
    .help = "the same, and scores of pairs of tags wherever they are",
    .unchained = true,
    .all = with_pairs,
};
