/* space.c -- projections, samples and entropies for boxes and simplices, as graph nodes. */
#include "model/space.h"

/* Keep logarithms finite: close to what a float tells from 1 for a box, which needs log(1 - y). */
#define BOX_CORNER     6e-8
#define SIMPLEX_CORNER 1e-7
/* Below any random number. */
#define TINY 1e-30

enum { PROJECTION_STEPS = 8 };

static bs_id inside(bs_graph *g, bs_id y)
{
    return bs_clamp(g, y, BOX_CORNER, 1 - BOX_CORNER);
}

bs_id bs_box_unrelax(bs_graph *g, bs_id y)
{
    bs_id p = inside(g, y);
    return bs_sub(g, bs_log(g, p), bs_log1p(g, bs_neg(g, p)));
}

bs_id bs_simplex_unrelax(bs_graph *g, bs_id y)
{
    return bs_log_safe(g, y, SIMPLEX_CORNER);
}

bs_id bs_box_project(bs_graph *g, bs_id y)
{
    return bs_clamp(g, y, 0, 1);
}

/* The nearest distribution is max(y - t, 0) with t such that the sum is 1. Each step drops what t
 * made negative (Michelot 1986). Whatever is 1 or more below the largest is always dropped; doing
 * that first, eight steps are exact for 50 classes and nearly so for 1000, however far away y is,
 * and the final division corrects the rest. */
bs_id bs_simplex_project(bs_graph *g, bs_id y, int axis)
{
    bs_id a = bs_sub(g, y, bs_stop(g, bs_max_axis(g, y, axis))), t = 0;
    bs_id in = bs_less(g, bs_const(g, -1), a);
    for (int i = 0; i < PROJECTION_STEPS; i++) {
        bs_id n = bs_sum_axis(g, in, axis), sum = bs_sum_axis(g, bs_mul(g, a, in), axis);
        t = bs_div_safe(g, bs_offset(g, sum, -1), n, 1);
        in = bs_less(g, t, a);
    }
    bs_id rest = bs_relu(g, bs_sub(g, a, t));
    return bs_div_safe(g, rest, bs_sum_axis(g, rest, axis), SIMPLEX_CORNER);
}

/* Exponential numbers divided by their sum. */
bs_id bs_simplex_random(bs_graph *g, bs_shape s, int axis, uint32_t stream)
{
    bs_id e = bs_neg(g, bs_log_safe(g, bs_uniform(g, stream, s), SIMPLEX_CORNER));
    return bs_div_safe(g, e, bs_sum_axis(g, e, axis), SIMPLEX_CORNER);
}

bs_id bs_box_neg_entropy(bs_graph *g, bs_id y)
{
    bs_id p = inside(g, y), q = bs_offset(g, bs_neg(g, p), 1);
    return bs_add(g, bs_mul(g, p, bs_log(g, p)), bs_mul(g, q, bs_log1p(g, bs_neg(g, p))));
}

bs_id bs_simplex_neg_entropy(bs_graph *g, bs_id y)
{
    return bs_mul(g, y, bs_log_safe(g, y, SIMPLEX_CORNER));
}

/* The largest of logits plus Gumbel noise is a draw from their softmax. Finite precision allows
 * ties; the first is taken, so that two classes are never chosen at once. */
bs_id bs_simplex_sample(bs_graph *g, bs_id logits, bs_id uniform, int axis)
{
    bs_id e = bs_neg(g, bs_log_safe(g, uniform, TINY));
    bs_id noisy = bs_sub(g, logits, bs_log_safe(g, e, TINY));
    bs_id best = bs_argmax(g, noisy, axis), one = bs_fill(g, 1, bs_shape_of(g, best));
    return bs_put_back(g, one, best, axis, bs_shape_of(g, noisy).d[4 + axis]);
}

/* y (1 - 2 gold) + gold */
bs_id bs_space_l1(bs_graph *g, bs_id y, bs_id gold)
{
    return bs_add(g, bs_mul(g, y, bs_offset(g, bs_scale(g, gold, -2), 1)), gold);
}
