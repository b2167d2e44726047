/* graph.c -- masks of images: a class for every pixel.
 *
 * y is [rows, K, planes * pixels]: for two classes one plane, the probability of class 1; for more
 * a plane for each, and a distribution at every pixel. Pixels that do not count (ignored in the
 * truth, or outside the photo) are 0 in a leaf, and y is multiplied by that leaf wherever it meets
 * the truth or an energy, so their values do not matter. A sample is a y of zeros and ones. */
#include <math.h>

#include "task/seg/nets.h"

#include "model/space.h"

/* In soft IoU: two empty masks are equal, so 0/0 is 1. */
#define EMPTY 1e-6

int bs_seg_planes(const bs_seg_shape *s)
{
    return s->classes == 2 ? 1 : s->classes;
}

bs_encoder_shape bs_seg_encoder_shape(const bs_seg_shape *s)
{
    return (bs_encoder_shape){.width = s->filters, .dropout = s->dropout, .own = s->own};
}

static const bs_seg_shape *shape(const bs_output_space *v)
{
    return bs_net_spec_seg(v->spec);
}

static int planes(const bs_output_space *v)
{
    return bs_seg_planes(shape(v));
}

static bool binary(const bs_output_space *v)
{
    return planes(v) == 1;
}

static int pixels(const bs_output_space *v)
{
    return v->size.length * v->size.width;
}

static size_t parts(const bs_net_spec *s, bs_size size)
{
    return (size_t)bs_seg_planes(bs_net_spec_seg(s)) * (size_t)size.length * (size_t)size.width;
}

/* Photo, and 1 where a pixel counts. */
static void leaves(bs_output_space *v, bool gold)
{
    bs_size z = v->size;
    bs_id   photo =
        bs_leaf(v->g, "photo", BS_T_REAL, bs_shape4(z.rows, shape(v)->channels, z.length, z.width));
    bs_inputs_add(v->g, &v->x, photo);
    bs_inputs_add(v->g, &v->x, bs_leaf(v->g, "there", BS_T_REAL, bs_shape2(z.rows, pixels(v))));
    if (gold)
        v->gold = bs_leaf(v->g, "gold", BS_T_REAL, bs_shape2(z.rows, planes(v) * pixels(v)));
}

/* ---- shapes ---- */

static int outputs(bs_output_space *v, bs_id y)
{
    return bs_shape_of(v->g, y).d[2];
}

static bs_id flat(bs_output_space *v, bs_id y, int K)
{
    return bs_reshape(v->g, y, bs_shape3(v->size.rows, K, planes(v) * pixels(v)));
}

/* [rows, K, planes, pixels], so that classes are axis -2 */
static bs_id by_pixel(bs_output_space *v, bs_id y)
{
    return bs_reshape(v->g, y, bs_shape4(v->size.rows, outputs(v, y), planes(v), pixels(v)));
}

static bs_shape outputs_shape(const bs_output_space *v, int K)
{
    return bs_shape4(v->size.rows, K, planes(v), pixels(v));
}

static bs_id there(bs_output_space *v)
{
    return bs_reshape(v->g, v->x.id[1], bs_shape4(v->size.rows, 1, 1, pixels(v)));
}

static bs_id counting(bs_output_space *v) /* how many pixels count: [rows, 1, 1] */
{
    bs_id n = bs_sum_axis(v->g, v->x.id[1], -1);
    return bs_reshape(v->g, n, bs_shape3(v->size.rows, 1, 1));
}

/* 0 where a pixel does not count. */
static bs_id masked(bs_output_space *v, bs_id y)
{
    return flat(v, bs_mul(v->g, by_pixel(v, y), there(v)), outputs(v, y));
}

/* ... for pixels that count, and for all classes but the first. */
static bs_id foreground(bs_output_space *v, bs_id y)
{
    bs_graph *g = v->g;
    bs_id     a = bs_mul(g, by_pixel(v, y), there(v));
    if (!binary(v))
        a = bs_slice(g, a, -2, 1, planes(v) - 1);
    const int n = bs_shape_of(g, a).d[2] * pixels(v);
    return bs_output_total(v, bs_reshape(g, a, bs_shape3(v->size.rows, outputs(v, y), n)));
}

/* ---- nets and outputs ---- */

static bs_encoder_shape features(bs_output_space *v, bs_nn *nn, const char *name,
                                 bs_id found[BS_SCALES])
{
    const bs_encoder_input in = {.x = v->x.id[0]};
    bs_encoder_shape       s = bs_seg_encoder_shape(shape(v));
    char                   path[64];
    s.by_batch = true;
    bs_print(path, sizeof path, "%s/conv", name);
    shape(v)->net->features(nn, path, &s, &in, found);
    return s;
}

static bs_id scores(bs_output_space *v, bs_nn *nn, const char *trunk, const char *head)
{
    bs_id                  found[BS_SCALES];
    const bs_encoder_shape s = features(v, nn, trunk, found);
    if (nn->training)
        found[2] = bs_dropout(v->g, found[2], s.dropout, nn->stream++);
    return flat(v, shape(v)->net->head(nn, head, &s, found, planes(v)), 1);
}

static bs_id logits(bs_output_space *v, const char *name)
{
    uint32_t stream = bs_params_has_prefix(name, "net/") ? BS_STREAM_COST_NET : BS_STREAM_NET;
    bs_nn    nn = {v->g, v->params, v->net_dropout, stream};
    return scores(v, &nn, name, name);
}

static bs_id relax(bs_output_space *v, bs_id z)
{
    if (binary(v))
        return bs_sigmoid(v->g, z);
    return flat(v, bs_softmax(v->g, by_pixel(v, z), -2), outputs(v, z));
}

static bs_id unrelax(bs_output_space *v, bs_id y)
{
    return binary(v) ? bs_box_unrelax(v->g, y) : bs_simplex_unrelax(v->g, y);
}

static bs_id project(bs_output_space *v, bs_id y)
{
    if (binary(v))
        return bs_box_project(v->g, y);
    return flat(v, bs_simplex_project(v->g, by_pixel(v, y), -2), outputs(v, y));
}

/* Stopped, because constant expressions are simplified and would leave nothing to differentiate by.
 * For distributions a value above 0 means the centre: all classes equal. */
static bs_id start(bs_output_space *v, double value, int K)
{
    double each = binary(v) || value <= 0 ? value : 1.0 / planes(v);
    return bs_stop(v->g, flat(v, bs_fill(v->g, each, outputs_shape(v, K)), K));
}

static bs_id random_start(bs_output_space *v, int K, uint32_t stream)
{
    bs_shape all = outputs_shape(v, K), s = all;
    s.d[0] = v->apart ? 1 : s.d[0];
    bs_id y = binary(v) ? bs_uniform(v->g, stream, s) : bs_simplex_random(v->g, s, -2, stream);
    return flat(v, bs_expand(v->g, y, all), K);
}

static bs_id truth(bs_output_space *v)
{
    return masked(v, flat(v, v->gold, 1));
}

/* ---- the energy ---- */

/* What the net finds at the finest scale. Always as in prediction: an energy has to say the same of
 * a mask whatever else stands in the batch. */
static bs_id shared_features(bs_output_space *v)
{
    bs_nn nn = {v->g, v->params, false, 0};
    bs_id found[BS_SCALES];
    features(v, &nn, "net", found);
    return bs_stop(v->g, found[0]);
}

static bs_id energy(bs_output_space *v, bs_id y)
{
    bs_graph *g = v->g;
    bs_size   z = v->size;
    const int K = outputs(v, y);
    bs_nn     nn = {g, v->params, v->energy_dropout, BS_STREAM_ENERGY};
    bs_masked m = {
        .shape = shape(v),
        .x = shape(v)->shared ? shared_features(v) : v->x.id[0],
        .y = bs_reshape(g, masked(v, y), bs_shape4(z.rows * K, planes(v), z.length, z.width)),
        .there = bs_reshape(g, v->x.id[1], bs_shape4(z.rows, 1, z.length, z.width))};
    bs_id score = shape(v)->energy->score(&nn, &m);
    return bs_neg(g, bs_reshape(g, score, bs_shape3(z.rows, K, 1)));
}

/* ---- scores and costs; gold is 0 or 1, so min(y, gold) = y gold ---- */

/* Soft IoU, sum min / sum max (Gygli et al. 2017, eq. 8), of what `sums` adds up; 1 if both sums
 * are empty. */
static bs_id soft_iou(bs_output_space *v, bs_id (*sums)(bs_output_space *, bs_id), bs_id y,
                      bs_id gold)
{
    bs_graph *g = v->g;
    bs_id     both = sums(v, bs_mul(g, y, gold));
    bs_id     all = bs_sub(g, bs_add(g, sums(v, y), sums(v, gold)), both);
    return bs_div(g, bs_offset(g, both, EMPTY), bs_offset(g, all, EMPTY));
}

/* For each class: [rows, K, classes]. */
static bs_id each_class(bs_output_space *v, bs_id y)
{
    bs_graph *g = v->g;
    bs_id     sums = bs_sum_axis(g, bs_mul(g, by_pixel(v, y), there(v)), -1);
    return bs_reshape(g, sums, bs_shape3(v->size.rows, outputs(v, y), planes(v)));
}

/* The mean over classes. Two classes have one plane; the other is its complement. */
static bs_id mean_of_classes(bs_output_space *v, bs_id y)
{
    bs_graph *g = v->g;
    bs_id     gold = truth(v);
    if (!binary(v))
        return bs_scale(g, bs_output_total(v, soft_iou(v, each_class, y, gold)), 1.0 / planes(v));
    bs_id inside = soft_iou(v, foreground, y, gold);
    bs_id outside =
        soft_iou(v, foreground, bs_offset(g, bs_neg(g, y), 1), bs_offset(g, bs_neg(g, gold), 1));
    return bs_scale(g, bs_add(g, inside, outside), 0.5);
}

/* Over the classes but the first, or the mean of each. */
static bs_id score(bs_output_space *v, bs_id y)
{
    return shape(v)->by_class ? mean_of_classes(v, y) : soft_iou(v, foreground, y, truth(v));
}

/* Hamming is the share of wrong pixels; for distributions, where a wrong pixel counts in two
 * classes, half of the difference. */
static bs_id cost(bs_output_space *v, bs_cost kind, bs_id y)
{
    bs_graph *g = v->g;
    bs_id     gold = truth(v), seen = masked(v, y);
    if (kind == BS_COST_F1)
        return bs_offset(g, bs_neg(g, score(v, y)), 1);
    if (kind == BS_COST_SQUARED)
        return bs_output_total(v, bs_square(g, bs_sub(g, seen, gold)));
    bs_id l1 = bs_output_total(v, bs_space_l1(g, seen, gold));
    if (kind == BS_COST_L1)
        return l1;
    return bs_scale(g, bs_div_safe(g, l1, counting(v), 1), binary(v) ? 1 : 0.5);
}

/* log P(y) of the independent pixels of logits, for y of zeros and ones (or between them). */
static bs_id log_prob(bs_output_space *v, bs_id y, bs_id z)
{
    bs_graph *g = v->g;
    if (binary(v))
        return bs_output_total(v, masked(v, bs_sub(g, bs_mul(g, y, z), bs_softplus(g, z))));
    bs_id logs = flat(v, bs_log_softmax(g, by_pixel(v, z), -2), outputs(v, z));
    return bs_output_total(v, masked(v, bs_mul(g, y, logs)));
}

static bs_id truth_log_prob(bs_output_space *v, bs_id z)
{
    return log_prob(v, truth(v), z);
}

/* The same with pixels weighted by their class. */
static bs_id weighed_log_prob(bs_output_space *v, bs_id z)
{
    bs_graph *g = v->g;
    bs_id     y = truth(v);
    if (!binary(v)) {
        bs_id w = bs_reshape(g, v->weight, bs_shape2(planes(v), 1));
        bs_id logs = flat(v, bs_log_softmax(g, by_pixel(v, z), -2), outputs(v, z));
        return bs_output_total(v, bs_mul(g, flat(v, bs_mul(g, by_pixel(v, y), w), 1), logs));
    }
    bs_id off = bs_slice(g, v->weight, -1, 0, 1), on = bs_slice(g, v->weight, -1, 1, 1);
    bs_id right = bs_mul(g, bs_mul(g, y, on), bs_sub(g, z, bs_softplus(g, z)));
    bs_id wrong = bs_mul(g, bs_mul(g, bs_offset(g, bs_neg(g, y), 1), off), bs_softplus(g, z));
    return bs_output_total(v, masked(v, bs_sub(g, right, wrong)));
}

/* The mean over pixels, as published: a sum would grow with the image, and energy.weight with
 * it. */
static bs_id cross_entropy(bs_output_space *v, bs_id z)
{
    bs_graph *g = v->g;
    bs_id     log_prob = v->weight ? weighed_log_prob(v, z) : truth_log_prob(v, z);
    return bs_div_safe(g, bs_neg(g, log_prob), counting(v), 1);
}

static bs_id entropy(bs_output_space *v, bs_id y)
{
    bs_id terms = binary(v) ? bs_box_neg_entropy(v->g, y) : bs_simplex_neg_entropy(v->g, y);
    return bs_neg(v->g, bs_output_total(v, masked(v, terms)));
}

/* ---- samples ---- */

/* Numbers uniform in [0, 1) and similar at neighbouring pixels: white noise averaged twice over
 * squares of side w is again normal, and its distribution function makes it uniform. Its variance
 * is that of sums with weights w - |i| along both sides. */
static bs_id correlated(bs_output_space *v, int K, uint32_t stream)
{
    bs_graph    *g = v->g;
    const int    w = shape(v)->smooth, H = v->size.length + 2 * (w - 1);
    const int    W = v->size.width + 2 * (w - 1), n = v->size.rows * K * planes(v);
    const double side = w * (2.0 * w * w + 1) / 3; /* sum of squares of the weights */
    bs_id        noise = bs_normal(g, stream, bs_shape4(n, 1, H, W));
    for (int i = 0; i < 2; i++) {
        noise = bs_conv(g, noise, bs_fill(g, 1, bs_shape4(1, 1, w, 1)), 1, 0);
        noise = bs_conv(g, noise, bs_fill(g, 1, bs_shape4(1, 1, 1, w)), 1, 0);
    }
    bs_id half = bs_scale(g, bs_erf(g, bs_scale(g, noise, 1 / (side * sqrt(2)))), 0.5);
    return bs_reshape(g, bs_offset(g, half, 0.5), outputs_shape(v, K));
}

/* Every pixel is on with the probability given by its logits. With seg.smooth, neighbours agree
 * more often than independent ones, so that samples look like masks; their log-probability is still
 * computed as if pixels were independent (sample_log_prob), an approximation with the right
 * marginals that is too low for smooth masks. */
static bs_id sample(bs_output_space *v, bs_id z, int K, uint32_t stream)
{
    bs_graph *g = v->g;
    bs_id     u = shape(v)->smooth > 1 ? correlated(v, K, stream)
                                       : bs_uniform(g, stream, outputs_shape(v, K));
    bs_id     at = by_pixel(v, z);
    bs_id drawn = binary(v) ? bs_less(g, u, bs_sigmoid(g, at)) : bs_simplex_sample(g, at, u, -2);
    return bs_stop(g, flat(v, drawn, K));
}

static bs_id sample_log_prob(bs_output_space *v, bs_id drawn, int K, bs_id z)
{
    (void)K;
    return log_prob(v, drawn, z);
}

/* ---- cost-augmented nets ---- */

static bs_id second_head(bs_output_space *v, const char *name)
{
    bs_nn nn = {v->g, v->params, v->net_dropout, BS_STREAM_NET};
    return scores(v, &nn, "net", name);
}

/* Pixel by pixel: one hidden softplus layer (affine when hidden = 0) over [y; gold]. */
static bs_id stacked(bs_output_space *v, const char *name, bs_id y, int hidden)
{
    bs_graph *g = v->g;
    bs_nn     nn = {g, v->params, false, 0};
    bs_shape  s = bs_shape4(v->size.rows, planes(v), v->size.length, v->size.width);
    char      path[64];
    bs_id     h = bs_concat(g, bs_reshape(g, y, s), bs_reshape(g, truth(v), s), -3);
    if (hidden != 0) {
        bs_print(path, sizeof path, "%s/hidden", name);
        h = bs_conv_layer(&nn, path, h, hidden < 0 ? planes(v) : hidden, 1, 1, 0, BS_SOFTPLUS);
    }
    bs_print(path, sizeof path, "%s/out", name);
    return flat(v, bs_conv_layer(&nn, path, h, planes(v), 1, 1, 0, BS_LINEAR), 1);
}

const bs_task_space bs_task_space_seg = {
    .expensive = true,
    .parts = parts,
    .leaves = leaves,
    .logits = logits,
    .relax = relax,
    .unrelax = unrelax,
    .project = project,
    .start = start,
    .random = random_start,
    .truth = truth,
    .truth_energy = bs_output_truth_energy,
    .energy = energy,
    .score = score,
    .cost = cost,
    .cross_entropy = cross_entropy,
    .truth_log_prob = truth_log_prob,
    .entropy = entropy,
    .sample = sample,
    .sample_energy = bs_output_sample_energy,
    .sample_log_prob = sample_log_prob,
    .sample_score = bs_output_sample_score,
    .second_head = second_head,
    .stacked = stacked,
};
