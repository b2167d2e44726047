/* graph.c -- label sets: y in [0,1]^L, a sample is a row of bits. */
#include "task/mlc/nets.h"

#include "model/space.h"

/* In soft F1: two empty sets are equal, so 0/0 is 1. */
#define EMPTY 1e-6

static int labels(const bs_output_space *v)
{
    return bs_net_spec_mlc(v->spec)->labels;
}

/* [rows, labels] as one output per row. */
static bs_id as_outputs(bs_output_space *v, bs_id a)
{
    return bs_reshape(v->g, a, bs_shape3(v->size.rows, 1, labels(v)));
}

static bs_id flat(bs_output_space *v, bs_id y)
{
    bs_shape s = bs_shape_of(v->g, y);
    return bs_reshape(v->g, y, bs_shape2(s.d[1] * s.d[2], s.d[3]));
}

static size_t parts(const bs_net_spec *s, bs_size size)
{
    (void)size;
    return (size_t)bs_net_spec_mlc(s)->labels;
}

static void leaves(bs_output_space *v, bool gold)
{
    bs_mlc_inputs(v->g, bs_net_spec_mlc(v->spec), v->size, &v->x);
    if (gold)
        v->gold = bs_leaf(v->g, "gold", BS_T_REAL, bs_shape2(v->size.rows, labels(v)));
}

static bs_id relax(bs_output_space *v, bs_id z)
{
    return bs_sigmoid(v->g, z);
}

static bs_id unrelax(bs_output_space *v, bs_id y)
{
    return bs_box_unrelax(v->g, y);
}

/* Members of the net are averaged as probabilities. */
static bs_id together(bs_output_space *v, bs_id z)
{
    if (bs_shape_of(v->g, z).d[2] == 1)
        return z;
    return unrelax(v, bs_mean_axis(v->g, relax(v, z), -2));
}

static bs_id members(bs_output_space *v, const char *name)
{
    uint32_t stream = bs_params_has_prefix(name, "net/") ? BS_STREAM_COST_NET : BS_STREAM_NET;
    bs_nn    nn = {v->g, v->params, v->net_dropout, stream};
    return bs_mlc_net(&nn, name, bs_net_spec_mlc(v->spec), &v->x);
}

static bs_id logits(bs_output_space *v, const char *name)
{
    return together(v, members(v, name));
}

static bs_id project(bs_output_space *v, bs_id y)
{
    return bs_box_project(v->g, y);
}

/* Stopped: constants are simplified away, which would leave nothing to differentiate by. */
static bs_id start(bs_output_space *v, double value, int K)
{
    return bs_stop(v->g, bs_fill(v->g, value, bs_shape3(v->size.rows, K, labels(v))));
}

static bs_id random_start(bs_output_space *v, int K, uint32_t stream)
{
    const bs_shape all = bs_shape3(v->size.rows, K, labels(v));
    bs_id          y = bs_uniform(v->g, stream, v->apart ? bs_shape3(1, K, labels(v)) : all);
    return bs_expand(v->g, y, all);
}

static bs_id truth(bs_output_space *v)
{
    return as_outputs(v, v->gold);
}

/* ---- the energy ---- */

static bs_nn energy_nn(bs_output_space *v)
{
    return (bs_nn){v->g, v->params, v->energy_dropout, BS_STREAM_ENERGY};
}

/* T(x) of the task net as it is; without layers that is x itself, which may be sparse. */
static bs_id shared_features(bs_output_space *v)
{
    bs_nn nn = {v->g, v->params, v->net_dropout, BS_STREAM_NET};
    bs_id t = bs_mlc_features(&nn, "net", bs_net_spec_mlc(v->spec), &v->x);
    return bs_graph_node(v->g, t)->type == BS_T_REAL ? bs_stop(v->g, t) : t;
}

/* b_i . T(x), or with energy.base=net a correction of that form to the net's logits, whose weights
 * start at zero; the energy has one net. */
static bs_id potentials(bs_output_space *v)
{
    bs_nn        nn = energy_nn(v);
    bs_mlc_shape one = *bs_net_spec_mlc(v->spec);
    one.members = 1;
    bs_id t = one.shared ? shared_features(v) : bs_mlc_features(&nn, "energy", &one, &v->x);
    bs_id b = bs_mlc_head(&nn, "energy", &one, t);
    return one.corrects ? bs_add(v->g, bs_stop(v->g, logits(v, "net")), b) : b;
}

static bs_id over_labels(bs_output_space *v, bs_id y)
{
    bs_nn nn = energy_nn(v);
    return bs_mlc_over_labels(&nn, bs_net_spec_mlc(v->spec), y);
}

static bs_id energy(bs_output_space *v, bs_id y)
{
    bs_graph *g = v->g;
    bs_shape  s = bs_shape_of(g, y);
    bs_id     b = potentials(v);
    bs_id     global = bs_reshape(g, over_labels(v, flat(v, y)), bs_shape3(s.d[1], s.d[2], 1));
    bs_push(g, "energy");
    bs_id e = bs_neg(g, bs_add(g, bs_output_total(v, bs_mul(g, y, b)), global));
    bs_pop(g);
    return e;
}

/* Everything but the features of x and the label vectors, which make the local scores. */
static bool over_outputs(const char *name)
{
    return bs_params_has_prefix(name, "energy/") && !bs_params_has_prefix(name, "energy/T/") &&
           !bs_params_has_prefix(name, "energy/labels/") &&
           !bs_params_has_prefix(name, "energy/encoder/");
}

/* ---- scores and costs; gold is 0 or 1, so min(y, gold) = y gold ---- */

static bs_id f1(bs_output_space *v, bs_id common, bs_id chosen)
{
    bs_graph *g = v->g;
    bs_id     sizes = bs_add(g, chosen, bs_output_total(v, truth(v)));
    return bs_div(g, bs_offset(g, bs_scale(g, common, 2), EMPTY), bs_offset(g, sizes, EMPTY));
}

/* Soft F1, 2 sum min / (sum min + sum max) (Gygli et al. 2017, eq. 7). */
static bs_id score(bs_output_space *v, bs_id y)
{
    return f1(v, bs_output_total(v, bs_mul(v->g, y, truth(v))), bs_output_total(v, y));
}

static bs_id cost(bs_output_space *v, bs_cost kind, bs_id y)
{
    bs_graph *g = v->g;
    bs_id     gold = truth(v), difference = bs_sub(g, y, gold);
    if (kind == BS_COST_F1)
        return bs_offset(g, bs_neg(g, score(v, y)), 1);
    if (kind == BS_COST_SQUARED)
        return bs_output_total(v, bs_square(g, difference));
    bs_id l1 = bs_output_total(v, bs_space_l1(g, y, gold));
    return kind == BS_COST_L1 ? l1 : bs_scale(g, l1, 1.0 / labels(v));
}

/* -[y log p + (1 - y) log(1 - p)] = softplus(z) - z y, per label */
static bs_id surprises(bs_output_space *v, bs_id z)
{
    bs_graph *g = v->g;
    return bs_sub(g, bs_softplus(g, z), bs_mul(g, z, truth(v)));
}

/* Summed over labels; true ones count w times: (w - 1) y more. */
static bs_id cross_entropy(bs_output_space *v, bs_id z)
{
    bs_graph *g = v->g;
    bs_id     each = surprises(v, z);
    if (v->weight) {
        bs_id more = bs_mul(g, bs_offset(g, v->weight, -1), truth(v));
        each = bs_add(g, each, bs_mul(g, more, bs_sub(g, bs_softplus(g, z), z)));
    }
    return bs_output_total(v, each);
}

static bs_id truth_log_prob(bs_output_space *v, bs_id z)
{
    return bs_neg(v->g, bs_output_total(v, surprises(v, z)));
}

static bs_id entropy(bs_output_space *v, bs_id y)
{
    return bs_neg(v->g, bs_output_total(v, bs_box_neg_entropy(v->g, y)));
}

/* ---- samples: bits [rows * K, labels] ---- */

static bs_id as_values(bs_output_space *v, bs_id a, int K)
{
    return bs_reshape(v->g, a, bs_shape3(v->size.rows, K, 1));
}

static bs_id sample(bs_output_space *v, bs_id z, int K, uint32_t stream)
{
    return bs_bits_sample(v->g, bs_sigmoid(v->g, flat(v, z)), K, stream);
}

static bs_id sample_energy(bs_output_space *v, bs_id bits, int K)
{
    bs_graph *g = v->g;
    bs_id     local = bs_bits_dot(g, bits, flat(v, potentials(v)));
    bs_id     global = over_labels(v, bits);
    return as_values(v, bs_neg(g, bs_add(g, local, global)), K);
}

static bs_id corner_energy(bs_output_space *v, bs_id y, int K)
{
    return sample_energy(v, bs_bits_pack(v->g, flat(v, y)), K);
}

/* The truth has few labels, like a sample. */
static bs_id truth_energy(bs_output_space *v)
{
    return sample_energy(v, bs_bits_pack(v->g, v->gold), 1);
}

/* sum_i y_i z_i - softplus(z_i), from logits, so that log 0 cannot occur */
static bs_id sample_log_prob(bs_output_space *v, bs_id bits, int K, bs_id z)
{
    bs_graph *g = v->g;
    bs_id     chosen = as_values(v, bs_bits_dot(g, bits, flat(v, z)), K);
    return bs_sub(g, chosen, bs_output_total(v, bs_softplus(g, z)));
}

static bs_id sample_score(bs_output_space *v, bs_id bits, int K)
{
    bs_graph *g = v->g;
    bs_id     ones = bs_fill(g, 1, bs_shape2(v->size.rows, labels(v)));
    return f1(v, as_values(v, bs_bits_dot(g, bits, v->gold), K),
              as_values(v, bs_bits_dot(g, bits, ones), K));
}

static bs_id second_head(bs_output_space *v, const char *name)
{
    bs_nn nn = {v->g, v->params, v->net_dropout, BS_STREAM_NET};
    bs_id features = bs_mlc_features(&nn, "net", bs_net_spec_mlc(v->spec), &v->x);
    return together(v, bs_mlc_head(&nn, name, bs_net_spec_mlc(v->spec), features));
}

/* Over [y; gold]. */
static bs_id stacked(bs_output_space *v, const char *name, bs_id y, int hidden)
{
    bs_nn nn = {v->g, v->params, false, 0};
    bs_id both = bs_concat(v->g, flat(v, y), v->gold, -1);
    return as_outputs(v, bs_one_hidden(&nn, name, both, hidden, labels(v)));
}

const bs_task_space bs_task_space_mlc = {
    .sums_rows = true,
    .parts = parts,
    .leaves = leaves,
    .members = members,
    .logits = logits,
    .relax = relax,
    .unrelax = unrelax,
    .project = project,
    .start = start,
    .random = random_start,
    .truth = truth,
    .truth_energy = truth_energy,
    .energy = energy,
    .potentials = potentials,
    .over_outputs = over_outputs,
    .corner_energy = corner_energy,
    .score = score,
    .cost = cost,
    .cross_entropy = cross_entropy,
    .truth_log_prob = truth_log_prob,
    .entropy = entropy,
    .sample = sample,
    .sample_energy = sample_energy,
    .sample_log_prob = sample_log_prob,
    .sample_score = sample_score,
    .second_head = second_head,
    .stacked = stacked,
};
