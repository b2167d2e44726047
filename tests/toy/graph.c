/* graph.c -- one class for each row: y is a distribution [rows, K, classes], a sample a corner of
 * it. The energy is SPEN's, E(x, y) = -(y . b(x) + v . softplus(M y)). */
#include "toy/toy.h"

#include "model/space.h"

static const toy_shape *shape(const bs_output_space *v)
{
    return bs_net_spec_toy(v->spec);
}

static bs_shape outputs_shape(const bs_output_space *v, int K)
{
    return bs_shape3(v->size.rows, K, shape(v)->classes);
}

static size_t parts(const bs_net_spec *s, bs_size size)
{
    (void)size;
    return (size_t)bs_net_spec_toy(s)->classes;
}

static void leaves(bs_output_space *v, bool gold)
{
    const int n = v->size.rows;
    bs_inputs_add(v->g, &v->x, bs_leaf(v->g, "x", BS_T_REAL, bs_shape2(n, shape(v)->features)));
    if (gold)
        v->gold = bs_leaf(v->g, "gold", BS_T_REAL, bs_shape2(n, shape(v)->classes));
}

/* ---- nets ---- */

static bs_id features(bs_output_space *v, bs_nn *nn, const char *name)
{
    const toy_shape       *s = shape(v);
    const bs_encoder_shape e = {s->layers, s->width, 1, s->dropout, false, s->own};
    const bs_encoder_input in = {.x = v->x.id[0]};
    bs_id                  found[BS_SCALES];
    char                   path[64];
    bs_print(path, sizeof path, "%s/T", name);
    s->net->features(nn, path, &e, &in, found);
    return found[0];
}

static bs_id head(bs_output_space *v, bs_nn *nn, const char *name, bs_id h)
{
    const int in = bs_shape_of(v->g, h).d[3], C = shape(v)->classes;
    char      path[64];
    bs_print(path, sizeof path, "%s/out", name);
    return bs_reshape(v->g, bs_linear(nn, path, h, C, bs_init_xavier(in, C), true),
                      outputs_shape(v, 1));
}

static bs_id logits(bs_output_space *v, const char *name)
{
    uint32_t stream = bs_params_has_prefix(name, "net/") ? BS_STREAM_COST_NET : BS_STREAM_NET;
    bs_nn    nn = {v->g, v->params, v->net_dropout, stream};
    return head(v, &nn, name, features(v, &nn, name));
}

static bs_id second_head(bs_output_space *v, const char *name)
{
    bs_nn nn = {v->g, v->params, v->net_dropout, BS_STREAM_NET};
    return head(v, &nn, name, features(v, &nn, "net"));
}

static bs_id potentials(bs_output_space *v)
{
    bs_nn nn = {v->g, v->params, v->energy_dropout, BS_STREAM_ENERGY};
    bs_nn net = {v->g, v->params, v->net_dropout, BS_STREAM_NET};
    bs_id h =
        shape(v)->shared ? bs_stop(v->g, features(v, &net, "net")) : features(v, &nn, "energy");
    return head(v, &nn, "energy", h);
}

/* ---- outputs ---- */

static bs_id relax(bs_output_space *v, bs_id z)
{
    return bs_softmax(v->g, z, -1);
}

static bs_id unrelax(bs_output_space *v, bs_id y)
{
    return bs_simplex_unrelax(v->g, y);
}

static bs_id project(bs_output_space *v, bs_id y)
{
    return bs_simplex_project(v->g, y, -1);
}

static bs_id start(bs_output_space *v, double value, int K)
{
    double each = value > 0 ? 1.0 / shape(v)->classes : 0;
    return bs_stop(v->g, bs_fill(v->g, each, outputs_shape(v, K)));
}

static bs_id random_start(bs_output_space *v, int K, uint32_t stream)
{
    return bs_simplex_random(v->g, outputs_shape(v, K), -1, stream);
}

static bs_id truth(bs_output_space *v)
{
    return bs_reshape(v->g, v->gold, outputs_shape(v, 1));
}

/* ---- the energy ---- */

static bs_id energy(bs_output_space *v, bs_id y)
{
    bs_graph *g = v->g;
    bs_nn     nn = {g, v->params, false, 0};
    const int H = shape(v)->hidden, K = bs_shape_of(g, y).d[2], n = v->size.rows * K;
    bs_id     flat = bs_reshape(g, y, bs_shape2(n, shape(v)->classes));
    bs_id     local = bs_output_total(v, bs_mul(g, y, potentials(v)));
    bs_id     h = bs_linear(&nn, "energy/M", flat, H, bs_init_kaiming(shape(v)->classes), true);
    bs_id     w = bs_param(g, v->params, "energy/v", bs_shape2(H, 1), bs_init_normal(0.1));
    bs_id     global = bs_matmul(g, bs_softplus(g, h), w, false, false);
    return bs_neg(g, bs_add(g, local, bs_reshape(g, global, bs_shape3(v->size.rows, K, 1))));
}

/* ---- scores, costs, samples ---- */

static bs_id score(bs_output_space *v, bs_id y)
{
    return bs_output_total(v, bs_mul(v->g, y, truth(v)));
}

static bs_id cost(bs_output_space *v, bs_cost kind, bs_id y)
{
    bs_graph *g = v->g;
    if (kind == BS_COST_SQUARED)
        return bs_output_total(v, bs_square(g, bs_sub(g, y, truth(v))));
    if (kind == BS_COST_L1)
        return bs_output_total(v, bs_space_l1(g, y, truth(v)));
    return bs_offset(g, bs_neg(g, score(v, y)), 1);
}

static bs_id log_prob(bs_output_space *v, bs_id y, bs_id z)
{
    return bs_output_total(v, bs_mul(v->g, y, bs_log_softmax(v->g, z, -1)));
}

static bs_id truth_log_prob(bs_output_space *v, bs_id z)
{
    return log_prob(v, truth(v), z);
}

static bs_id cross_entropy(bs_output_space *v, bs_id z)
{
    bs_id y = v->weight ? bs_mul(v->g, truth(v), v->weight) : truth(v);
    return bs_neg(v->g, log_prob(v, y, z));
}

static bs_id entropy(bs_output_space *v, bs_id y)
{
    return bs_neg(v->g, bs_output_total(v, bs_simplex_neg_entropy(v->g, y)));
}

static bs_id sample(bs_output_space *v, bs_id z, int K, uint32_t stream)
{
    bs_id u = bs_uniform(v->g, stream, outputs_shape(v, K));
    return bs_stop(v->g, bs_simplex_sample(v->g, z, u, -1));
}

static bs_id sample_log_prob(bs_output_space *v, bs_id drawn, int K, bs_id z)
{
    (void)K;
    return log_prob(v, drawn, z);
}

/* One layer over [y; gold], with or without a hidden one. */
static bs_id stacked(bs_output_space *v, const char *name, bs_id y, int hidden)
{
    bs_graph *g = v->g;
    bs_nn     nn = {g, v->params, false, 0};
    char      path[64];
    bs_id     h = bs_concat(g, bs_reshape(g, y, bs_shape_of(g, v->gold)), v->gold, -1);
    const int C = shape(v)->classes, wide = hidden < 0 ? C : hidden;
    bs_print(path, sizeof path, "%s/hidden", name);
    if (hidden != 0)
        h = bs_softplus(g, bs_linear(&nn, path, h, wide, bs_init_kaiming(2 * C), true));
    return head(v, &nn, name, h);
}

const bs_task_space bs_task_space_toy = {
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
    .potentials = potentials,
    .score = score,
    .cost = cost,
    .cross_entropy = cross_entropy,
    .truth_log_prob = truth_log_prob,
    .entropy = entropy,
    .sample = sample,
    .sample_energy = bs_output_sample_energy,
    .sample_log_prob = sample_log_prob,
    .sample_score = bs_output_sample_score,
    .sample_cost = BS_COST_HAMMING,
    .second_head = second_head,
    .stacked = stacked,
};
