/* graph.c -- tag sequences: a distribution over tags for every token.
 *
 * y is [rows, K, T * tags], zeros at padding. A sample is a y of zeros and ones: there are few
 * tags, and the energy of neighbours is a product of matrices. */
#include "task/tag/nets.h"

#include "model/space.h"
#include "nn/chain.h"

static const bs_tag_shape *shape(const bs_output_space *v)
{
    return bs_net_spec_tag(v->spec);
}

static bs_tag_input input(const bs_output_space *v)
{
    const bs_id *x = v->x.id;
    return (bs_tag_input){x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
}

static size_t parts(const bs_net_spec *s, bs_size size)
{
    return (size_t)size.length * (size_t)bs_net_spec_tag(s)->tags;
}

static void leaves(bs_output_space *v, bool gold)
{
    bs_tag_input x = bs_tag_leaves(v->g, shape(v), v->size.rows, v->size.length, v->size.width);
    const bs_id  all[] = {x.word, x.len, x.mask, x.column, x.letter, x.letters, x.present, x.ended};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        bs_inputs_add(v->g, &v->x, all[i]);
    if (gold)
        v->gold = bs_leaf(v->g, "gold", BS_T_REAL,
                          bs_shape2(v->size.rows, v->size.length * shape(v)->tags));
}

/* ---- shapes ---- */

static bs_id flat(bs_output_space *v, bs_id y, int K)
{
    return bs_reshape(v->g, y, bs_shape3(v->size.rows, K, v->size.length * shape(v)->tags));
}

static int outputs(bs_output_space *v, bs_id y)
{
    return bs_shape_of(v->g, y).d[2];
}

static bs_id by_token(bs_output_space *v, bs_id y)
{
    return bs_reshape(v->g, y,
                      bs_shape4(v->size.rows, outputs(v, y), v->size.length, shape(v)->tags));
}

static bs_id mask(bs_output_space *v)
{
    return bs_reshape(v->g, input(v).mask, bs_shape4(v->size.rows, 1, v->size.length, 1));
}

static bs_id tokens(bs_output_space *v) /* [rows, 1, 1] */
{
    bs_id n = bs_sum_axis(v->g, input(v).mask, -1);
    return bs_reshape(v->g, n, bs_shape3(v->size.rows, 1, 1));
}

/* [T, B, N] as one output per row */
static bs_id as_outputs(bs_output_space *v, bs_id scores)
{
    return flat(v, bs_permute(v->g, scores, 0, 2, 1, 3), 1);
}

/* Token values [rows, K, T, tags] with padding removed, as K outputs per row. */
static bs_id masked(bs_output_space *v, bs_id y)
{
    return flat(v, bs_mul(v->g, y, mask(v)), bs_shape_of(v->g, y).d[1]);
}

static bs_shape outputs_shape(const bs_output_space *v, int K)
{
    return bs_shape4(v->size.rows, K, v->size.length, shape(v)->tags);
}

/* ---- nets and outputs ---- */

static bs_id logits(bs_output_space *v, const char *name)
{
    uint32_t     stream = bs_params_has_prefix(name, "net/") ? BS_STREAM_COST_NET : BS_STREAM_NET;
    bs_nn        nn = {v->g, v->params, v->net_dropout, stream};
    bs_tag_input x = input(v);
    return as_outputs(v,
                      bs_tag_head(&nn, name, shape(v), bs_tag_features(&nn, name, shape(v), &x)));
}

static bs_id relax(bs_output_space *v, bs_id z)
{
    return masked(v, bs_softmax(v->g, by_token(v, z), -1));
}

static bs_id unrelax(bs_output_space *v, bs_id y)
{
    return bs_simplex_unrelax(v->g, y);
}

static bs_id project(bs_output_space *v, bs_id y)
{
    return masked(v, bs_simplex_project(v->g, by_token(v, y), -1));
}

/* Stopped, because constant expressions are simplified and would leave nothing to differentiate by.
 * A value above 0 means the centre: all tags equal. */
static bs_id start(bs_output_space *v, double value, int K)
{
    double each = value > 0 ? 1.0 / shape(v)->tags : 0;
    return bs_stop(v->g, masked(v, bs_fill(v->g, each, outputs_shape(v, K))));
}

static bs_id random_start(bs_output_space *v, int K, uint32_t stream)
{
    const bs_shape all = outputs_shape(v, K), one = bs_shape4(1, v->size.length, K, all.d[3]);
    if (!v->apart)
        return masked(v, bs_simplex_random(v->g, all, -1, stream));
    /* position by position: those of the first do not depend on how many are padded */
    bs_id y = bs_permute(v->g, bs_simplex_random(v->g, one, -1, stream), 0, 2, 1, 3);
    return masked(v, bs_expand(v->g, y, all));
}

static bs_id truth(bs_output_space *v)
{
    return flat(v, v->gold, 1);
}

/* ---- the energy ---- */

static bs_nn energy_nn(bs_output_space *v)
{
    return (bs_nn){v->g, v->params, v->energy_dropout, BS_STREAM_ENERGY};
}

/* What `find` makes of the sentence for the energy, or for the net as it is. */
static bs_id seen(bs_output_space *v,
                  bs_id (*find)(bs_nn *, const char *, const bs_tag_shape *, const bs_tag_input *))
{
    bs_nn        nn = energy_nn(v), net = {v->g, v->params, v->net_dropout, BS_STREAM_NET};
    bs_tag_input x = input(v);
    if (shape(v)->shared)
        return bs_stop(v->g, find(&net, "net", shape(v), &x));
    return find(&nn, "energy", shape(v), &x);
}

/* U' b(x, t): [rows, 1, T * tags] */
static bs_id potentials(bs_output_space *v)
{
    bs_nn nn = energy_nn(v);
    bs_id features = seen(v, bs_tag_features);
    return as_outputs(v, bs_tag_head(&nn, "energy", shape(v), features));
}

static bs_id transitions(bs_output_space *v)
{
    const int N = shape(v)->tags + 1;
    return bs_param(v->g, v->params, "energy/W", bs_shape2(N, N), bs_init_uniform(0.02));
}

static bs_id by_sentence(bs_output_space *v, bs_id scores) /* [B, T, N] */
{
    return bs_reshape(v->g, scores, bs_shape3(v->size.rows, v->size.length, shape(v)->tags));
}

static bool chain(const bs_net_spec *s)
{
    const bs_tag_energy *e = bs_net_spec_tag(s)->energy;
    return !e->terms && !e->all && !e->unchained;
}

static bs_id marginals(bs_output_space *v)
{
    bs_id unary = by_sentence(v, potentials(v));
    return flat(v, bs_crf_marginals(v->g, unary, transitions(v), input(v).len), 1);
}

static bs_id log_partition(bs_output_space *v)
{
    if (!chain(v->spec))
        return bs_graph_refuse(v->g, "energy.kind: a sum over all outputs needs a chain, not %s",
                               shape(v)->energy->name);
    bs_id unary = by_sentence(v, potentials(v));
    bs_id z = bs_crf_log_z(v->g, unary, transitions(v), input(v).len);
    return bs_reshape(v->g, z, bs_shape3(v->size.rows, 1, 1));
}

/* Terms over the k-th of the outputs: [rows, 1, 1] */
static bs_id terms_of(bs_output_space *v, bs_id y, int k)
{
    bs_graph    *g = v->g;
    const int    B = v->size.rows, T = v->size.length, N = shape(v)->tags;
    bs_nn        nn = energy_nn(v);
    bs_tag_input x = input(v);
    bs_id        one = bs_reshape(g, bs_slice(g, y, -2, k, 1), bs_shape3(B, T, N));
    bs_id        there = bs_reshape(g, bs_transpose(g, x.mask), bs_shape3(T, B, 1));
    bs_id        until = bs_concat(g, bs_fill(g, 1, bs_shape3(1, B, 1)), there, -3);
    bs_tagged    t = {.shape = shape(v),
                      .y = bs_permute(g, one, 0, 2, 1, 3),
                      .word = bs_mul(g, seen(v, bs_tag_words), there),
                      .ended = x.ended,
                      .until = until,
                      .last = bs_sub(g, until, bs_pad(g, there, -3, 0, T + 1))};
    return bs_reshape(g, shape(v)->energy->terms(&nn, &t), bs_shape3(B, 1, 1));
}

static bs_id energy(bs_output_space *v, bs_id y)
{
    bs_graph *g = v->g;
    const int K = outputs(v, y), B = v->size.rows;
    bs_id     unary = by_token(v, potentials(v)), terms = 0, chain;
    bs_nn     nn = energy_nn(v);
    bs_push(g, "energy");
    if (shape(v)->energy->unchained)
        chain = bs_output_total(v, flat(v, bs_mul(g, unary, by_token(v, y)), K));
    else
        chain = bs_reshape(g, bs_chain_score(g, unary, transitions(v), by_token(v, y), mask(v)),
                           bs_shape3(B, K, 1));
    if (shape(v)->energy->all)
        terms = shape(v)->energy->all(&nn, shape(v), by_token(v, y), mask(v));
    for (int k = 0; k < K && shape(v)->energy->terms; k++) {
        bs_id term = terms_of(v, y, k);
        terms = terms ? bs_concat(g, terms, term, -2) : term;
    }
    if (terms)
        chain = bs_add(g, chain, bs_scale(g, terms, shape(v)->scale));
    bs_id e = bs_neg(g, chain);
    bs_pop(g);
    return e;
}

/* A mean over tokens: the sigmoid of a sum over a sentence would be 0 or 1. */
static bs_id value(bs_output_space *v, bs_id e)
{
    return bs_neg(v->g, bs_div_safe(v->g, e, tokens(v), 1));
}

/* ---- scores and costs ---- */

/* The expected share of correct tokens. */
static bs_id score(bs_output_space *v, bs_id y)
{
    bs_graph *g = v->g;
    return bs_div_safe(g, bs_output_total(v, bs_mul(g, y, truth(v))), tokens(v), 1);
}

static bs_id cost(bs_output_space *v, bs_cost kind, bs_id y)
{
    bs_graph *g = v->g;
    bs_id     gold = truth(v);
    if (kind == BS_COST_SQUARED)
        return bs_output_total(v, bs_square(g, bs_sub(g, y, gold)));
    if (kind != BS_COST_L1)
        return bs_offset(g, bs_neg(g, score(v, y)), 1);
    return bs_output_total(v, bs_space_l1(g, y, gold));
}

static bs_id log_probs(bs_output_space *v, bs_id z)
{
    return flat(v, bs_log_softmax(v->g, by_token(v, z), -1), outputs(v, z));
}

static bs_id truth_log_prob(bs_output_space *v, bs_id z)
{
    return bs_output_total(v, bs_mul(v->g, log_probs(v, z), truth(v)));
}

static bs_id cross_entropy(bs_output_space *v, bs_id z)
{
    if (!v->weight)
        return bs_neg(v->g, truth_log_prob(v, z));
    bs_id weighed = flat(v, bs_mul(v->g, by_token(v, truth(v)), v->weight), 1);
    return bs_neg(v->g, bs_output_total(v, bs_mul(v->g, log_probs(v, z), weighed)));
}

static bs_id entropy(bs_output_space *v, bs_id y)
{
    return bs_neg(v->g,
                  bs_output_total(v, masked(v, bs_simplex_neg_entropy(v->g, by_token(v, y)))));
}

/* ---- samples ---- */

static bs_id sample(bs_output_space *v, bs_id z, int K, uint32_t stream)
{
    bs_id u = bs_uniform(v->g, stream, outputs_shape(v, K));
    return bs_stop(v->g, masked(v, bs_simplex_sample(v->g, by_token(v, z), u, -1)));
}

static bs_id sample_log_prob(bs_output_space *v, bs_id drawn, int K, bs_id z)
{
    (void)K;
    return bs_output_total(v, bs_mul(v->g, drawn, log_probs(v, z)));
}

/* ---- cost-augmented nets ---- */

static bs_id second_head(bs_output_space *v, const char *name)
{
    bs_nn        nn = {v->g, v->params, v->net_dropout, BS_STREAM_NET};
    bs_tag_input x = input(v);
    bs_id        features = bs_tag_features(&nn, "net", shape(v), &x);
    return as_outputs(v, bs_tag_head(&nn, name, shape(v), features));
}

/* Token by token, over [y; gold]. */
static bs_id stacked(bs_output_space *v, const char *name, bs_id y, int hidden)
{
    bs_graph *g = v->g;
    bs_nn     nn = {g, v->params, false, 0};
    const int N = shape(v)->tags, n = v->size.rows * v->size.length;
    bs_id     both = bs_concat(g, bs_reshape(g, y, bs_shape2(n, N)),
                               bs_reshape(g, v->gold, bs_shape2(n, N)), -1);
    return flat(v, bs_one_hidden(&nn, name, both, hidden, N), 1);
}

const bs_task_space bs_task_space_tag = {
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
    .value = value,
    .potentials = potentials,
    .chain = chain,
    .marginals = marginals,
    .log_partition = log_partition,
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
