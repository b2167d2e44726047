/* test64_implicit.c -- implicit gradients in double precision: against differences over the
 * energy of a net trained to its optimum, against unrolled training, and each solver and product
 * against the others. */
#include "base/mem.h"
#include "tests/harness.h"

#include "method/implicit.h"
#include "method/inverse.h"
#include "task/mlc/nets.h"

enum { B = 6, D = 5, L = 4, H = 3 };

/* ---- a learner on a small batch ---- */

typedef struct {
    bs_learner       l;
    bs_train_options o;
    bs_batch         b;
    real             x[B * D], gold[B * L];
} setting;

static void fill(setting *s)
{
    for (int i = 0; i < B * D; i++)
        s->x[i] = sin(1.7 * i + 0.3);
    for (int i = 0; i < B * L; i++)
        s->gold[i] = (i * 7 + i / 3) % 5 < 2;
    s->b = (bs_batch){.size = {B, 1, 1}, .x = {s->x}, .gold = s->gold};
}

static void setting_start(setting *s, const bs_method *m, int layers, double dropout,
                          const char *solver)
{
    basin_error err = {0};
    memset(s, 0, sizeof *s);
    fill(s);
    assert_int_equal(bs_options_default(bs_train_rows, &s->o, NULL), BASIN_OK);
    snprintf(s->o.rule, sizeof s->o.rule, "sgd");
    snprintf(s->o.implicit_solver, sizeof s->o.implicit_solver, "%s", solver);
    s->o.lr_net = 0.8;
    s->o.momentum = 0;
    s->o.lr_energy = s->o.decay_net = s->o.decay_energy = s->o.clip = 0;
    s->o.seed = 3;
    s->o.samples = 4;
    s->o.energy_weight = 0.7;
    s->o.implicit_damping = s->o.implicit_residual = 0;
    s->l.o = &s->o;
    s->l.method = m;
    bs_mlc_shape shape = {.features = D,
                          .labels = L,
                          .layers = layers,
                          .width = 4,
                          .dropout = dropout,
                          .net = &bs_encoder_mlp,
                          .hidden = H,
                          .scale = 1};
    assert_int_equal(bs_find_pointer(&bs_energy_kinds, "label", &shape.energy, NULL), BASIN_OK);
    s->l.spec = bs_net_spec_make(&bs_task_space_mlc, (bs_size){1, 1, 1}, &shape, sizeof shape);
    assert_int_equal(bs_workspace_open((bs_machine){.threads = 1}, &s->l.w, NULL), BASIN_OK);
    s->l.params = bs_params_new();
    CHECK(bs_learner_setup(&s->l, &err) == BASIN_OK, "%s", err.msg);
}

static void setting_free(setting *s)
{
    bs_learner_free(&s->l);
    bs_params_free(s->l.params);
    bs_workspace_close(s->l.w);
}

static size_t block_bytes(const setting *s)
{
    return (size_t)s->l.params->moving * sizeof(real);
}

/* The gradient of the energy alone, the rest zero; the caller frees. */
static real *energy_part(const setting *s)
{
    const bs_params *p = s->l.params;
    real            *out = calloc((size_t)p->size, sizeof *out);
    for (int i = 0; i < p->n; i++)
        if (bs_params_has_prefix(p->segment[i].name, "energy/"))
            memcpy(out + p->segment[i].offset,
                   (real *)host_of(p->block.grad) + p->segment[i].offset,
                   (size_t)p->segment[i].count * sizeof *out);
    return out;
}

/* Always at the same step number: the same dropout and samples. */
static real *gradient(setting *s, double *loss)
{
    basin_error err = {0};
    s->l.step = 11;
    s->l.n_late = 0;
    CHECK(bs_implicit_gradient(&s->l, &s->b, &err) == BASIN_OK, "%s", err.msg);
    if (loss)
        *loss = *(const double *)host_of(s->l.log);
    return energy_part(s);
}

static real *gradient_by(setting *s, const char *solver, const char *product, int terms)
{
    snprintf(s->o.implicit_solver, sizeof s->o.implicit_solver, "%s", solver);
    snprintf(s->o.implicit_product, sizeof s->o.implicit_product, "%s", product);
    s->o.implicit_terms = terms;
    return gradient(s, NULL);
}

static double apart(const setting *s, const real *a, const real *b)
{
    return distance(a, b, s->l.params->moving, 1e-9);
}

/* ---- a strongly convex problem: a linear net with a ridge ---- */

#define RIDGE 0.6

static bs_id logits_of(bs_loss_context *s, bs_id w)
{
    bs_graph *g = s->v.g;
    return bs_reshape(g, bs_matmul(g, s->v.x.id[0], w, false, false),
                      bs_shape3(s->v.size.rows, 1, L));
}

static bs_id auxiliary_at(bs_loss_context *s, bs_id w)
{
    bs_graph *g = s->v.g;
    bs_id     z = logits_of(s, w);
    bs_id     ce = bs_mean(g, s->t->cross_entropy(&s->v, z));
    bs_id     e = bs_mean(g, s->t->energy(&s->v, s->t->relax(&s->v, z)));
    bs_id     ridge = bs_scale(g, bs_sum(g, bs_square(g, w)), RIDGE / 2);
    return bs_add(g, bs_add(g, ce, bs_scale(g, e, s->o->energy_weight)), ridge);
}

/* A margin without a kink. */
static bs_id primary_at(bs_loss_context *s, bs_id w)
{
    bs_graph *g = s->v.g;
    bs_id     y = s->t->relax(&s->v, logits_of(s, w));
    bs_id     truth = s->t->energy(&s->v, s->t->truth(&s->v));
    bs_id     gap = bs_sub(g, truth, s->t->energy(&s->v, y));
    return bs_mean(g, bs_softplus(g, bs_add(g, s->t->cost(&s->v, BS_COST_F1, y), gap)));
}

static bs_id weight(bs_loss_context *s)
{
    return bs_param(s->v.g, s->v.params, "net/W", bs_shape2(D, L), bs_init_xavier(D, L));
}

static bs_id auxiliary(bs_loss_context *s)
{
    return auxiliary_at(s, weight(s));
}

static bs_id primary(bs_loss_context *s)
{
    return primary_at(s, weight(s));
}

static const bs_method convex = {
    .name = "convex",
    .stage = {{"net/", auxiliary}, {"energy/", primary}},
    .phase = {{.name = "both", .net = true, .energy = true, .step = bs_step_implicit}},
    .setup = bs_implicit_setup,
    .free = bs_implicit_free,
};

static void convex_start(setting *s, const char *solver)
{
    setting_start(s, &convex, 1, 0, solver);
}

/* theta*(phi), by as many steps as it takes to come to rest. */
static void train_net(setting *s, int steps)
{
    basin_error err = {0};
    for (int i = 0; i < steps; i++)
        CHECK(bs_learner_run(&s->l, 0, &s->b, &err) == BASIN_OK, "%s", err.msg);
}

static double loss_at_optimum(setting *s)
{
    double loss;
    train_net(s, 400);
    snprintf(s->o.implicit_solver, sizeof s->o.implicit_solver, "none");
    free(gradient(s, &loss));
    return loss;
}

static void gradient_is_that_of_the_trained_net(void **state)
{
    (void)state;
    setting s;
    convex_start(&s, "cg");
    train_net(&s, 2000);
    real *implicit = gradient_by(&s, "cg", "exact", 100);
    real *partial = gradient_by(&s, "none", "exact", 0);
    real *numeric = calloc((size_t)s.l.params->moving, sizeof *numeric);
    for (int i = 0; i < s.l.params->n; i++) {
        const bs_segment *seg = &s.l.params->segment[i];
        if (!bs_params_has_prefix(seg->name, "energy/"))
            continue;
        for (int64_t k = 0; k < seg->count; k++) {
            real        *w = (real *)host_of(s.l.params->block.value) + seg->offset + k;
            const double at = *w, h = 1e-4;
            *w = at + h;
            double up = loss_at_optimum(&s);
            *w = at - h;
            double down = loss_at_optimum(&s);
            *w = at;
            numeric[seg->offset + k] = (up - down) / (2 * h);
        }
    }
    double e = apart(&s, implicit, numeric), biased = apart(&s, partial, numeric);
    CHECK(e < 1e-7, "the implicit gradient is off by %.3g", e);
    CHECK(biased > 0.01, "the partial gradient is off by %.3g: nothing to tell apart", biased);
    free(implicit);
    free(partial);
    free(numeric);
    setting_free(&s);
}

/* d L_prim(theta_K) / d phi through K steps of gradient descent that begin at theta. */
static real *unrolled(setting *s, int steps, double rate)
{
    bs_graph       *g = bs_graph_new();
    bs_loss_context scene = bs_loss_context_make(&s->l, g, (bs_size){B, 1, 1}, "energy/");
    bs_id           w = bs_stop(g, weight(&scene)), d[32], phi[32];
    bs_result       r[32];
    int             segment[32];
    for (int k = 0; k < steps; k++) {
        bs_id dw;
        bs_grad(g, auxiliary_at(&scene, w), &w, 1, &dw, false);
        w = bs_sub(g, w, bs_scale(g, dw, rate));
    }
    int n = bs_params_nodes(g, s->l.params, "energy/", phi, segment, 32);
    bs_grad(g, primary_at(&scene, w), phi, n, d, false);
    for (int i = 0; i < n; i++)
        r[i] = (bs_result){d[i], segment[i]};
    check_graph(g);
    machine m = machine_new(g, NULL, r, n, 0, 1);
    bs_params_bind(s->l.params, m.p);
    bs_bind_input(m.p, scene.v.x.id[0], s->x);
    bs_bind_input(m.p, scene.v.gold, s->gold);
    machine_run(&m, 0);
    machine_free(&m);
    bs_graph_free(g);
    return energy_part(s);
}

/* At the optimum K steps are exactly the first K summands of the series. */
static void gradient_is_the_limit_of_unrolled_steps(void **state)
{
    (void)state;
    setting s;
    convex_start(&s, "cg");
    train_net(&s, 2000);
    s.o.implicit_rate = 0.4;
    real *many = unrolled(&s, 150, 0.4), *few = unrolled(&s, 7, 0.4);
    real *whole = gradient_by(&s, "cg", "exact", 100), *cut = gradient_by(&s, "series", "exact", 6);
    double e = apart(&s, whole, many), f = apart(&s, cut, few), between = apart(&s, many, few);
    CHECK(e < 1e-8, "150 unrolled steps and the implicit gradient differ by %.3g", e);
    CHECK(f < 1e-10, "7 unrolled steps and 7 summands differ by %.3g", f);
    CHECK(between > 1e-4, "7 and 150 steps differ by %.3g: nothing to tell apart", between);
    free(many);
    free(few);
    free(whole);
    free(cut);
    setting_free(&s);
}

static void series_converges_to_cg(void **state)
{
    (void)state;
    setting s;
    convex_start(&s, "series");
    train_net(&s, 300);
    s.o.implicit_damping = 0.05;
    real *cg = gradient_by(&s, "cg", "exact", 100);
    real *series = gradient_by(&s, "series", "exact", 400);
    CHECK(apart(&s, cg, series) < 1e-9, "off by %.3g", apart(&s, cg, series));
    CHECK(s.l.memory[BS_IMPLICIT_LOWERED] == 0, "a rate of 1 / curvature was lowered");
    free(series);

    s.o.implicit_rate = 50; /* by a factor of about 30 too large */
    series = gradient_by(&s, "series", "exact", 400);
    CHECK(apart(&s, cg, series) < 1e-9, "after lowering: off by %.3g", apart(&s, cg, series));
    CHECK(s.l.memory[BS_IMPLICIT_LOWERED] == 1, "the rate was not lowered");
    free(series);

    s.o.implicit_rate = 0; /* a curvature that is no longer true */
    s.l.memory[BS_IMPLICIT_CURVATURE] = 0.02;
    series = gradient_by(&s, "series", "exact", 400);
    CHECK(apart(&s, cg, series) < 1e-9, "old curvature: off by %.3g", apart(&s, cg, series));
    CHECK(s.l.memory[BS_IMPLICIT_LOWERED] == 2, "the rate was not lowered");
    CHECK(s.l.memory[BS_IMPLICIT_CURVATURE] > 0.5, "the curvature was not learnt: %g",
          s.l.memory[BS_IMPLICIT_CURVATURE]);
    free(series);
    free(cg);
    setting_free(&s);
}

/* ---- the methods, with two hidden layers, dropout and samples ---- */

static const bs_method *method_named(const char *name)
{
    const bs_method *m = NULL;
    assert_int_equal(bs_method_find(name, "mlc", &m, NULL), BASIN_OK);
    return m;
}

static const char *const methods[] = {"implicit-ssvm", "implicit-dvn", "implicit-cd"};

/* Where the Hessian has negative curvature, it is damped until the residual is what was asked for,
 * and the next step begins near that damping. */
static void indefinite_hessians_are_damped(void **state)
{
    (void)state;
    setting s;
    setting_start(&s, method_named("implicit-ssvm"), 2, 0.3, "cg");
    s.o.implicit_residual = 0.01;
    free(gradient_by(&s, "cg", "exact", 200));
    const double damping = s.l.memory[BS_IMPLICIT_DAMPING];
    const double residual = s.l.diagnostic[BS_DIAGNOSTIC_residual].sum;
    CHECK(damping > 1e-3, "the Hessian was not damped: %g", damping);
    CHECK(residual > 0 && residual <= 0.01, "the residual is %g", residual);
    free(gradient_by(&s, "cg", "exact", 200));
    CHECK(s.l.memory[BS_IMPLICIT_DAMPING] > 0.5 * damping, "%g after %g",
          s.l.memory[BS_IMPLICIT_DAMPING], damping);
    setting_free(&s);
}

static void exact_and_central_products_agree(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        static const char *const solvers[] = {"series", "cg", "diagonal"};
        for (int k = 0; k < 3; k++) {
            setting s;
            setting_start(&s, method_named(methods[i]), 2, 0.3, solvers[k]);
            s.o.implicit_damping = 0.1;
            real *exact = gradient_by(&s, solvers[k], "exact", 4);
            snprintf(s.o.implicit_product, sizeof s.o.implicit_product, "central");
            bs_implicit_free(&s.l);
            assert_int_equal(bs_implicit_setup(&s.l, NULL), BASIN_OK);
            s.l.memory[BS_IMPLICIT_CURVATURE] = s.l.memory[BS_IMPLICIT_DAMPING] = 0;
            real *before = malloc(block_bytes(&s));
            memcpy(before, ((real *)host_of(s.l.params->block.value)), block_bytes(&s));
            real  *central = gradient_by(&s, solvers[k], "central", 4);
            double e = apart(&s, exact, central);
            CHECK(e < 1e-7, "%s, %s: exact and central differ by %.3g", methods[i], solvers[k], e);
            assert_memory_equal(before, ((real *)host_of(s.l.params->block.value)),
                                block_bytes(&s));
            real *none = gradient_by(&s, "none", "exact", 0);
            CHECK(apart(&s, exact, none) > 1e-4, "%s, %s: no implicit term", methods[i],
                  solvers[k]);
            free(before);
            free(exact);
            free(central);
            free(none);
            setting_free(&s);
        }
    }
}

/* The first gradient looks for the rate, the second knows it and is one program. */
static void one_program_does_what_many_do(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int terms = 1; terms <= 5; terms++) {
            setting s;
            setting_start(&s, method_named(methods[i]), 2, 0.3, "series");
            s.o.implicit_damping = 0.1;
            real *many = gradient_by(&s, "series", "exact", terms);
            CHECK(s.l.memory[BS_IMPLICIT_AGE] == 1, "no rate was looked for");
            double residual = s.l.diagnostic[BS_DIAGNOSTIC_residual].sum;
            real  *one = gradient_by(&s, "series", "exact", terms);
            CHECK(s.l.memory[BS_IMPLICIT_AGE] == 2, "the rate was looked for again");
            double e = apart(&s, many, one);
            CHECK(e < 1e-12, "%s, %d terms: off by %.3g", methods[i], terms, e);
            CHECK(fabs(s.l.diagnostic[BS_DIAGNOSTIC_residual].sum - 2 * residual) < 1e-9,
                  "%s, %d terms: another residual", methods[i], terms);
            free(many);
            free(one);
            setting_free(&s);
        }
}

static void none_is_the_partial_gradient(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        setting s;
        setting_start(&s, method_named(methods[i]), 2, 0.3, "none");
        real *mine = gradient(&s, NULL);
        s.l.step = 11;
        assert_int_equal(bs_learner_run(&s.l, 1, &s.b, NULL), BASIN_OK);
        real  *usual = energy_part(&s);
        double e = apart(&s, mine, usual);
        CHECK(e < 1e-14, "%s: none and the ordinary stage differ by %.3g", methods[i], e);
        free(mine);
        free(usual);
        setting_free(&s);
    }
}

static void what_is_not_finite_is_left_out(void **state)
{
    (void)state;
    setting     s;
    basin_error err = {0};
    setting_start(&s, method_named("implicit-cd"), 2, 0.3, "cg");
    real *none = gradient_by(&s, "none", "exact", 5);
    s.o.implicit_damping = INFINITY;
    real *cg = gradient_by(&s, "cg", "exact", 5);
    real *series = gradient_by(&s, "series", "exact", 5);
    real *diagonal = gradient_by(&s, "diagonal", "exact", 5);
    CHECK(apart(&s, none, cg) == 0 && apart(&s, none, series) == 0 &&
              apart(&s, none, diagonal) == 0,
          "a term that is not finite changed the gradient");
    CHECK(s.l.memory[BS_IMPLICIT_SKIPPED] == 3, "%g steps were skipped, not 3",
          s.l.memory[BS_IMPLICIT_SKIPPED]);
    basin_status status = BASIN_OK;
    int          steps = 3;
    for (; steps < 100 && !status; steps++)
        status = bs_implicit_gradient(&s.l, &s.b, &err);
    CHECK(status == BASIN_ENUMERIC && steps == 20, "status %d after %d steps", (int)status, steps);
    s.o.implicit_damping = 0.1;
    free(gradient(&s, NULL));
    CHECK(s.l.memory[BS_IMPLICIT_SKIPPED] == 0, "a good step did not end the count");
    free(none);
    free(cg);
    free(series);
    free(diagonal);
    setting_free(&s);
}

/* log(e^-E(truth) [+ e^(cost - E)(y)] + K mean of e^(cost - E) under the net) + E(truth), the mean
 * over all 2^L outputs, which `all` [B, 2^L, L] holds; y with implicit.own. */
static bs_id divergence_in_full(bs_loss_context *s, bs_id z, bs_id all)
{
    bs_graph *g = s->v.g;
    bs_id     truth = s->t->energy(&s->v, s->t->truth(&s->v)), y = s->t->relax(&s->v, z);
    bs_id     own = bs_sub(g, s->t->cost(&s->v, BS_COST_F1, y), s->t->energy(&s->v, y));
    bs_id     parts = bs_neg(g, truth);
    bs_id     each = bs_sub(g, s->t->cost(&s->v, BS_COST_F1, all), s->t->energy(&s->v, all));
    bs_id     chosen = bs_sum_axis(g, bs_mul(g, all, z), -1);
    bs_id     log_prob = bs_sub(g, chosen, bs_sum_axis(g, bs_softplus(g, z), -1));
    bs_id     mean = bs_offset(g, bs_add(g, each, log_prob), log(s->o->samples));
    if (s->o->implicit_own)
        parts = bs_concat(g, parts, own, -2);
    return bs_mean(g, bs_add(g, bs_logsumexp(g, bs_concat(g, parts, mean, -2), -2), truth));
}

/* Samples are drawn from the net, so their share of the loss has a derivative by the net. */
static void check_derivative_of_samples(bool own)
{
    enum { ALL = 1 << L, MOST = 16 };
    static real all[B * ALL * L];
    setting     s;
    setting_start(&s, method_named("implicit-cd"), 1, 0, "none");
    s.o.implicit_own = own;
    for (int i = 0; i < B * ALL * L; i++)
        all[i] = i / L % ALL >> i % L & 1;
    s.o.samples = 20000;
    bs_graph       *g = bs_graph_new();
    bs_loss_context scene = bs_loss_context_make(&s.l, g, (bs_size){B, 1, 1}, "energy/");
    bs_id           leaf = bs_leaf(g, "all", BS_T_REAL, bs_shape3(B, ALL, L));
    bs_id           z = bs_net_logits(&scene), theta[MOST], d[2][MOST];
    int             segment[MOST], n = bs_params_nodes(g, s.l.params, "net/", theta, segment, MOST);
    bs_result       r[2 * MOST];
    bs_grad(g, bs_primary_divergence(&scene, z), theta, n, d[0], false);
    bs_grad(g, divergence_in_full(&scene, z, leaf), theta, n, d[1], false);
    for (int i = 0; i < 2 * n; i++)
        r[i] = (bs_result){d[i / n][i % n], -1};
    check_graph(g);
    machine m = machine_new(g, NULL, r, 2 * n, 0, 1);
    bs_params_bind(s.l.params, m.p);
    bs_bind_input(m.p, scene.v.x.id[0], s.x);
    bs_bind_input(m.p, scene.v.gold, s.gold);
    bs_bind_input(m.p, leaf, all);
    machine_run(&m, 1);
    for (int i = 0; i < n; i++) {
        double e = distance(machine_value(&m, i), machine_value(&m, n + i),
                            s.l.params->segment[segment[i]].count, 1e-9);
        CHECK(e < 0.05, "%s%s: samples and all outputs give gradients %.3g apart",
              s.l.params->segment[segment[i]].name, own ? ", implicit.own" : "", e);
    }
    machine_free(&m);
    bs_graph_free(g);
    setting_free(&s);
}

static void samples_have_a_derivative(void **state)
{
    (void)state;
    check_derivative_of_samples(false);
    check_derivative_of_samples(true);
}

/* Logged: the length of the implicit part of the gradient by that of the explicit one, and their
 * cosine. */
static void parts_of_the_gradient_are_compared(void **state)
{
    (void)state;
    setting s;
    double  dot[3] = {0}; /* explicit squared, implicit squared, both */
    setting_start(&s, method_named("implicit-ssvm"), 2, 0.3, "cg");
    real *none = gradient_by(&s, "none", "exact", 0), *cg = gradient_by(&s, "cg", "exact", 20);
    for (int i = 0; i < s.l.params->n; i++) {
        const bs_segment *seg = &s.l.params->segment[i];
        for (int64_t k = seg->offset; k < seg->offset + seg->count; k++) {
            if (!bs_params_has_prefix(seg->name, "energy/"))
                break;
            double part = cg[k] - none[k];
            dot[0] += none[k] * none[k];
            dot[1] += part * part;
            dot[2] += none[k] * part;
        }
    }
    const bs_diagnostic *ratio = &s.l.diagnostic[BS_DIAGNOSTIC_implicit_ratio];
    const bs_diagnostic *cosine = &s.l.diagnostic[BS_DIAGNOSTIC_implicit_cosine];
    assert_int_equal(ratio->n, 1);
    CHECK(fabs(ratio->sum - sqrt(dot[1] / dot[0])) < 1e-9, "ratio %g", ratio->sum);
    CHECK(fabs(cosine->sum - dot[2] / sqrt(dot[0] * dot[1])) < 1e-9, "cosine %g", cosine->sum);
    free(none);
    free(cg);
    setting_free(&s);
}

/* ---- solvers on a matrix that is known ---- */

enum { N = 16, SIZE = 40 };

typedef struct {
    double     eigenvalue[N];
    bs_range   range[2];
    bs_buffer *v, *hv, *r, *p, *g; /* [SIZE] */
    int        products;
} matrix;

static basin_status diagonal_product(void *ctx, bs_buffer *in, bs_buffer *to, basin_error *err)
{
    matrix     *m = ctx;
    const real *v = host_of(in);
    real       *out = host_of(to);
    (void)err;
    for (int i = 0; i < N; i++) {
        int64_t at = m->range[i / 8].offset + i % 8;
        out[at] = m->eigenvalue[i] * v[at];
    }
    m->products++;
    return BASIN_OK;
}

static bs_inverse inverse_of(matrix *m, double damping)
{
    *m = (matrix){.range = {{8, 8}, {24, 8}},
                  .v = buffer_of(SIZE),
                  .hv = buffer_of(SIZE),
                  .r = buffer_of(SIZE),
                  .p = buffer_of(SIZE),
                  .g = buffer_of(SIZE)};
    real *g = host_of(m->g);
    for (int i = 0; i < N; i++) {
        m->eigenvalue[i] = 1 + i % 4;
        g[m->range[i / 8].offset + i % 8] = cos(i);
    }
    return (bs_inverse){.range = m->range,
                        .n = 2,
                        .product = diagonal_product,
                        .ctx = m,
                        .damping = damping,
                        .v = m->v,
                        .hv = m->hv,
                        .r = m->r};
}

static void matrix_free(matrix *m)
{
    bs_buffer_free(m->v);
    bs_buffer_free(m->hv);
    bs_buffer_free(m->r);
    bs_buffer_free(m->p);
    bs_buffer_free(m->g);
}

static double solution_error(const matrix *m, double damping)
{
    const real *p = host_of(m->p), *g = host_of(m->g);
    double      worst = 0;
    for (int i = 0; i < N; i++) {
        int64_t at = m->range[i / 8].offset + i % 8;
        worst = fmax(worst, fabs(p[at] - g[at] / (m->eigenvalue[i] + damping)));
    }
    return worst;
}

static void solvers_invert_a_known_matrix(void **state)
{
    (void)state;
    matrix     m;
    bs_solved  out;
    double     top;
    bs_inverse a = inverse_of(&m, 0.5);
    assert_int_equal(bs_power_iteration(&a, m.g, 60, &top, NULL), BASIN_OK);
    CHECK(top > 4.2 && top < 4.5 + 1e-9, "the largest eigenvalue is 4.5, not %g", top);

    assert_int_equal(bs_solve_cg(&a, m.g, 4, m.p, &out, NULL), BASIN_OK);
    CHECK(solution_error(&m, 0.5) < 1e-12, "cg: 4 iterations for 4 eigenvalues");
    CHECK(out.finite && out.residual < 1e-12, "cg: residual %g", out.residual);

    assert_int_equal(bs_solve_series(&a, m.g, 0.3, 100, m.p, &out, NULL), BASIN_OK);
    CHECK(solution_error(&m, 0.5) < 1e-9, "series: %g", solution_error(&m, 0.5));
    CHECK(out.finite && !out.lowered && out.rate == 0.3, "series: rate %g", out.rate);

    for (int i = 0; i < 2; i++) {
        a.enough = 0.1;
        m.products = 0;
        assert_int_equal(i ? bs_solve_cg(&a, m.g, 100, m.p, &out, NULL)
                           : bs_solve_series(&a, m.g, 0.3, 100, m.p, &out, NULL),
                         BASIN_OK);
        CHECK(out.residual <= 0.1 && m.products < 20, "%s: %g after %d products",
              i ? "cg" : "series", out.residual, m.products);
        a.enough = 1e-3;
        int before = m.products;
        assert_int_equal(i ? bs_solve_cg(&a, m.g, 100, m.p, &out, NULL)
                           : bs_solve_series(&a, m.g, 0.3, 100, m.p, &out, NULL),
                         BASIN_OK);
        CHECK(out.residual <= 1e-3 && m.products - before > before, "%s: %g after %d products",
              i ? "cg" : "series", out.residual, m.products - before);
        a.enough = 0;
    }

    assert_int_equal(bs_solve_series(&a, m.g, 40, 100, m.p, &out, NULL), BASIN_OK);
    CHECK(out.lowered && solution_error(&m, 0.5) < 1e-9, "series: rate %g", out.rate);

    assert_int_equal(bs_solve_diagonal(&a, m.g, 2, 1, 2, m.p, &out, NULL), BASIN_OK);
    CHECK(solution_error(&m, 0.5) < 1e-12, "diagonal: %g", solution_error(&m, 0.5));
    CHECK(out.finite && out.residual < 1e-12, "diagonal: residual %g", out.residual);
    const real *p = host_of(m.p), *v = host_of(m.v);
    for (int i = 0; i < SIZE; i++)
        if ((i < 8 || i >= 16) && (i < 24 || i >= 32))
            CHECK(p[i] == 0 && v[i] == 0, "element %d is outside the ranges", i);
    matrix_free(&m);
}

static void solvers_stop_at_negative_curvature(void **state)
{
    (void)state;
    matrix     m;
    bs_solved  out;
    bs_inverse a = inverse_of(&m, 0);
    for (int i = 0; i < N; i++)
        m.eigenvalue[i] = i < 12 ? 2 : -1;
    assert_int_equal(bs_solve_series(&a, m.g, 0.4, 1000, m.p, &out, NULL), BASIN_OK);
    CHECK(out.finite && m.products < 10, "series: %d products", m.products);
    m.products = 0;
    assert_int_equal(bs_solve_cg(&a, m.g, 1000, m.p, &out, NULL), BASIN_OK);
    CHECK(out.finite && m.products < 10, "cg: %d products", m.products);
    for (int i = 0; i < N; i++)
        m.eigenvalue[i] = -1;
    assert_int_equal(bs_solve_cg(&a, m.g, 5, m.p, &out, NULL), BASIN_OK);
    CHECK(out.finite && m.p->device->dot(a.range, 2, m.p, m.p) == 0, "cg: has nothing, gives some");
    matrix_free(&m);
}

static void every_allocation_of_a_start_may_fail(void **state)
{
    setting      s;
    basin_status status = BASIN_ENOMEM;
    (void)state;
    setting_start(&s, method_named(methods[0]), 2, 0.3, "series");
    bs_implicit_free(&s.l);
    for (long n = 1; status; n++) {
        const long live = bs_mem_live();
        bs_mem_fail_at(n);
        status = bs_implicit_setup(&s.l, NULL);
        bs_mem_fail_at(0);
        assert_true(status == BASIN_ENOMEM || (status == BASIN_OK && n > 6));
        if (status) {
            bs_implicit_free(&s.l);
            assert_int_equal(bs_mem_live(), live);
        }
    }
    setting_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_is_that_of_the_trained_net),
        cmocka_unit_test(gradient_is_the_limit_of_unrolled_steps),
        cmocka_unit_test(series_converges_to_cg),
        cmocka_unit_test(indefinite_hessians_are_damped),
        cmocka_unit_test(exact_and_central_products_agree),
        cmocka_unit_test(one_program_does_what_many_do),
        cmocka_unit_test(every_allocation_of_a_start_may_fail),
        cmocka_unit_test(none_is_the_partial_gradient),
        cmocka_unit_test(what_is_not_finite_is_left_out),
        cmocka_unit_test(samples_have_a_derivative),
        cmocka_unit_test(parts_of_the_gradient_are_compared),
        cmocka_unit_test(solvers_invert_a_known_matrix),
        cmocka_unit_test(solvers_stop_at_negative_curvature),
    };
    return cmocka_run_group_tests_name("implicit gradients, double", tests, NULL, NULL);
}
