/* scene.h -- losses of training methods on a tiny batch, without the trainer.
 *
 * A scene is a graph with the nets of a spec, a batch of random rows and the parameters, all small
 * enough for finite differences. Numeric derivatives keep the value of every `stop` node fixed, as
 * it is meant. */
#ifndef TEST_SCENE_H
#define TEST_SCENE_H

#include "tests/harness.h"
#include "method/loss.h"
#include "task/mlc/data.h"

enum { SCENE_RESULTS = 160, SCENE_PARAMS = 64, SCENE_LEAVES = 16 };

typedef struct {
    bs_settings     settings;
    bs_method       method; /* a phase that trains both nets, so that dropout is on in both */
    bs_learner      learner;
    bs_graph       *g;
    bs_loss_context s;
    bs_rng          rng;
    bs_example      ex; /* leaves and their data */
    real           *x, *gold;
    bs_result       result[SCENE_RESULTS];
    int             n_results;
    machine         m;
} scene;

/* ---- making ---- */

static inline void scene_set(scene *c, const char *words)
{
    basin_error err = {0};
    CHECK(bs_settings_words(&c->settings, words, "test", &err) == BASIN_OK, "%s", err.msg);
}

/* Data of a leaf that is already in the graph; the example owns it. */
static inline real *scene_bind(scene *c, bs_id id)
{
    int64_t n = bs_shape_count(bs_shape_of(c->g, id));
    real   *data = bs_arena_alloc(&c->ex.arena, (size_t)n * sizeof *data);
    memset(data, 0, (size_t)n * sizeof *data);
    c->ex.leaf[c->ex.n].id = id;
    c->ex.leaf[c->ex.n++].data = data;
    return data;
}

/* What the i-th label, tag or class counts, where the settings ask for weights. */
static inline double scene_weight(int i)
{
    static const double some[] = {0.3, 2.5, 1, 1.7, 0.05, 8};
    return some[i % 6];
}

static inline void scene_weigh(scene *c, int n)
{
    static real weight[32];
    if (strcmp(c->settings.train.weights, "none") == 0)
        return;
    for (int i = 0; i < 32; i++)
        weight[i] = (real)scene_weight(i);
    c->learner.spec.weight = weight;
    c->learner.spec.weights = n;
}

/* Once there are leaves. */
static inline void scene_bind_weights(scene *c)
{
    if (c->s.v.weight)
        memcpy(scene_bind(c, c->s.v.weight), c->learner.spec.weight,
               (size_t)c->learner.spec.weights * sizeof(real));
}

/* The settings are the defaults, small nets, then `words`. Row 1 has no labels. */
static inline scene *scene_new(const char *words, int rows, int features, int labels, uint64_t seed)
{
    basin_error   err = {0};
    scene        *c = calloc(1, sizeof *c);
    bs_mlc_known  own = {.schema = {.n_features = features, .n_labels = labels, .dense = true}};
    bs_preprocess known = {.own = &own};
    assert_int_equal(bs_settings_default(&c->settings, &err), BASIN_OK);
    scene_set(c, "net.layers=2 net.width=4 energy.hidden=4");
    scene_set(c, words);
    c->method.phase[0] = (bs_phase){.name = "test", .net = true, .energy = true};
    c->learner =
        (bs_learner){.o = &c->settings.train, .method = &c->method, .params = bs_params_new()};
    CHECK(bs_task_mlc.spec(c->learner.o, &known, &c->learner.spec, &err) == BASIN_OK, "%s",
          err.msg);
    scene_weigh(c, labels);
    c->g = bs_graph_new();
    c->s = bs_loss_context_make(&c->learner, c->g, (bs_size){rows, 1, 1}, "net/");
    bs_example_init(&c->ex, seed);
    c->x = scene_bind(c, c->s.v.x.id[0]);
    c->gold = scene_bind(c, c->s.v.gold);
    scene_bind_weights(c);
    for (int i = 0; i < rows * features; i++)
        c->x[i] = (real)(2 * bs_rng_uniform(&c->ex.rng) - 1);
    for (int i = 0; i < rows * labels; i++)
        c->gold[i] = i / labels == 1 ? 0 : (real)bs_rng_bernoulli(&c->ex.rng, 0.5);
    return c;
}

/* An output with K parts per row as a leaf, uniform within [lo, hi]. */
static inline bs_id scene_output(scene *c, int K, double lo, double hi)
{
    return bs_example_real(
        c->g, &c->ex, bs_shape3(c->s.v.size.rows, K, bs_net_spec_mlc(&c->learner.spec)->labels), lo,
        hi);
}

static inline real *scene_data(scene *c, bs_id leaf)
{
    for (int i = 0; i < c->ex.n; i++)
        if (c->ex.leaf[i].id == leaf)
            return c->ex.leaf[i].data;
    return NULL;
}

static inline int scene_result(scene *c, bs_id id, int segment)
{
    CHECK(c->n_results < SCENE_RESULTS, "too many results");
    c->result[c->n_results] = (bs_result){id, segment};
    return c->n_results++;
}

/* Results: the gradient by all parameters with the prefix, into params->grad. */
static inline void scene_gradient(scene *c, bs_id loss, const char *prefix)
{
    bs_id theta[SCENE_PARAMS], d[SCENE_PARAMS];
    int   segment[SCENE_PARAMS];
    int   n = bs_params_nodes(c->g, c->learner.params, prefix, theta, segment, SCENE_PARAMS);
    CHECK(n > 0, "there are no parameters %s", prefix);
    bs_grad(c->g, loss, theta, n, d, true);
    for (int i = 0; i < n; i++)
        scene_result(c, d[i], segment[i]);
}

/* Initialises the parameters and then shifts them a little, so that no bias is zero. */
static inline void scene_allocate(scene *c, uint64_t seed)
{
    bs_params *p = c->learner.params;
    bs_rng     rng = bs_rng_make(seed, 0, 99);
    check_graph(c->g);
    assert_int_equal(bs_params_allocate(p, device_here(), seed, NULL), BASIN_OK);
    for (int i = 0; i < p->n; i++)
        for (int64_t k = 0; k < p->segment[i].count; k++)
            ((real *)host_of(p->block.value))[p->segment[i].offset + k] +=
                (real)(0.4 * bs_rng_uniform(&rng) - 0.2);
}

static inline void scene_start(scene *c, uint64_t seed)
{
    bs_params *p = c->learner.params;
    check_graph(c->g);
    if (!p->block.value)
        scene_allocate(c, seed);
    c->m = machine_new(c->g, &c->ex, c->result, c->n_results, 0, 1);
    bs_params_bind(p, c->m.p);
}

static inline double scene_number(const scene *c, int result)
{
    return (double)machine_value(&c->m, result)[0];
}

static inline real *scene_param(scene *c, const char *name)
{
    const bs_segment *s = bs_params_find(c->learner.params, name);
    CHECK(s, "there is no parameter %s", name);
    return (real *)host_of(c->learner.params->block.value) + s->offset;
}

static inline int64_t scene_param_count(scene *c, const char *name)
{
    return bs_params_find(c->learner.params, name)->count;
}

/* Adds noise to all parameters with the prefix. */
static inline void scene_shake(scene *c, const char *prefix, double size)
{
    bs_params *p = c->learner.params;
    bs_rng     rng = bs_rng_make(5, 0, 98);
    CHECK(bs_params_count(p, prefix) > 0, "there are no parameters %s", prefix);
    for (int i = 0; i < p->n; i++)
        for (int64_t k = 0;
             k < p->segment[i].count && bs_params_has_prefix(p->segment[i].name, prefix); k++)
            ((real *)host_of(p->block.value))[p->segment[i].offset + k] +=
                (real)(size * (2 * bs_rng_uniform(&rng) - 1));
}

static inline void scene_free(scene *c)
{
    if (c->m.p)
        machine_free(&c->m);
    bs_params_free(c->learner.params);
    bs_example_free(&c->ex);
    bs_graph_free(c->g);
    free(c);
}

/* ---- derivatives by differences ---- */

typedef struct {
    void **value; /* [last + 1], of every node */
    bool  *live;  /* [last + 1]: depends on the leaves being varied, and the target needs it */
    bs_id  last;
    bs_run run;
} trial;

static inline void trial_node(const scene *c, trial *t, bs_id id)
{
    const bs_node *n = bs_graph_node(c->g, id);
    bs_args        a = {.node = n, .out = t->value[id], .run = &t->run};
    for (int k = 0; k < 4 && n->src[k]; k++) {
        a.in[k] = t->value[n->src[k]];
        a.in_shape[k] = bs_shape_of(c->g, n->src[k]);
    }
    if (bs_ops[n->op]->scalar)
        naive_elementwise(&a);
    else
        bs_ops[n->op]->eval(&a);
}

static inline void trial_mark(const scene *c, trial *t, const bs_id *varied, int n)
{
    bool *needed = calloc((size_t)t->last + 1, sizeof *needed);
    needed[t->last] = true;
    for (bs_id id = t->last; id > 0; id--) {
        const bs_node *node = bs_graph_node(c->g, id);
        for (int k = 0; k < 4 && needed[id] && node->op != BS_OP_stop; k++)
            needed[node->src[k]] = true;
    }
    for (bs_id id = 1; id <= t->last; id++) {
        const bs_node *node = bs_graph_node(c->g, id);
        for (int k = 0; k < n; k++)
            t->live[id] |= varied[k] == id;
        for (int k = 0; k < 4 && node->op != BS_OP_stop; k++)
            t->live[id] |= needed[id] && t->live[node->src[k]];
    }
    free(needed);
}

/* Evaluates everything up to the target once; later only what depends on `varied`. */
static inline trial trial_new(scene *c, bs_id target, const bs_id *varied, int n, uint64_t step)
{
    trial t = {.last = target, .run = {17, step}};
    t.value = calloc((size_t)target + 1, sizeof *t.value);
    t.live = calloc((size_t)target + 1, sizeof *t.live);
    for (bs_id id = 1; id <= target; id++) {
        const bs_node *node = bs_graph_node(c->g, id);
        if (node->op == BS_OP_input) {
            t.value[id] = scene_data(c, id);
        } else if (node->op == BS_OP_param) {
            t.value[id] = ((real *)host_of(c->learner.params->block.value)) +
                          c->learner.params->offset[node->attr[0]];
        } else {
            t.value[id] = calloc(1, bs_value_bytes((bs_type)node->type, node->shape) + 1);
            trial_node(c, &t, id);
        }
    }
    trial_mark(c, &t, varied, n);
    return t;
}

static inline double trial_run(const scene *c, trial *t)
{
    for (bs_id id = 1; id <= t->last; id++)
        if (t->live[id] && bs_graph_node(c->g, id)->src[0])
            trial_node(c, t, id);
    return (double)((real *)t->value[t->last])[0];
}

static inline void trial_free(const scene *c, trial *t)
{
    for (bs_id id = 1; id <= t->last; id++) {
        uint16_t op = bs_graph_node(c->g, id)->op;
        if (op != BS_OP_input && op != BS_OP_param)
            free(t->value[id]);
    }
    free(t->value);
    free(t->live);
}

/* d target / d leaf: [count], by fourth-order central differences. */
static inline void trial_differences(const scene *c, trial *t, real *at, int64_t count, real *out)
{
    static const double weight[] = {1, -8, 8, -1}, place[] = {-2, -1, 1, 2}, h = 2e-5;
    for (int64_t k = 0; k < count; k++) {
        const real was = at[k];
        double     sum = 0;
        for (int i = 0; i < 4; i++) {
            at[k] = (real)((double)was + place[i] * h);
            sum += weight[i] * trial_run(c, t);
        }
        at[k] = was;
        out[k] = (real)(sum / (12 * h));
    }
    trial_run(c, t);
}

/* Compares the parameter gradient that the last run left in params->grad with differences,
 * norm-wise; and the loss with its definition. */
static inline void check_parameter_gradient(scene *c, bs_id loss, double got, const char *prefix,
                                            uint64_t step, const char *what)
{
    bs_params *p = c->learner.params;
    bs_id      theta[SCENE_PARAMS];
    int        segment[SCENE_PARAMS];
    int        n = bs_params_nodes(c->g, p, prefix, theta, segment, SCENE_PARAMS);
    real      *analytic = calloc((size_t)p->size, sizeof *analytic);
    real      *numeric = calloc((size_t)p->size, sizeof *numeric);
    trial      t = trial_new(c, loss, theta, n, step);
    double     size = 0, value = trial_run(c, &t);
    CHECK(fabs(value - got) <= 1e-11 * (1 + fabs(value)), "%s: %.15g by its definition, not %.15g",
          what, value, got);
    for (int i = 0; i < n; i++) {
        const bs_segment *s = &p->segment[segment[i]];
        memcpy(analytic + s->offset, (real *)host_of(p->block.grad) + s->offset,
               (size_t)s->count * sizeof *analytic);
        trial_differences(c, &t, (real *)host_of(p->block.value) + s->offset, s->count,
                          numeric + s->offset);
    }
    for (int64_t k = 0; k < p->size; k++)
        size += (double)numeric[k] * (double)numeric[k];
    double e = distance(analytic, numeric, p->size, 1e-9);
    CHECK(sqrt(size) > 1e-4, "%s: the gradient is %.3g: nothing to compare", what, sqrt(size));
    CHECK(e < 1e-6, "%s: the gradient by %s is off by %.3g", what, prefix, e);
    trial_free(c, &t);
    free(analytic);
    free(numeric);
}

#endif
