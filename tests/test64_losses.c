/* test64_losses.c -- losses of nets and energies, in double precision: gradients against
 * differences, and that what a loss is said to depend on changes it. */
#include "tests/scene.h"

enum { B = 4, D = 5, L = 6 };

/* ---- gradients ---- */

typedef struct {
    bs_loss     loss;
    const char *name, *trains, *words;
} loss_case;

#define NET(f, words)                  \
    {                                  \
        bs_loss_##f, #f, "net/", words \
    }
#define ENERGY(f, words)                  \
    {                                     \
        bs_loss_##f, #f, "energy/", words \
    }

/* Every builder of loss.h, with every option that changes it. */
static const loss_case cases[] = {
    NET(cross_entropy, ""),
    NET(cross_entropy, "weights=balanced"),
    NET(cross_entropy, "weights=balanced net.members=3 net.bias=yes"),
    NET(net, "weights=balanced energy.weight=0.7"),
    NET(infnet, "weights=balanced infnet.form=shared cost=l1"),
    NET(alen_net, "weights=balanced"),
    ENERGY(unrolled, "weights=balanced gbi.rule=plain gbi.steps=3 gbi.space=logits gbi.start=net"),
    NET(net, "energy.weight=0.7 ce.weight=0.3"),
    NET(net, "net.loss=value energy.weight=2"),
    NET(net, "net.loss=ranking samples=7"),
    NET(net, "ce.weight=0"),
    NET(net, "energy.kind=deep energy.shift=yes"),
    NET(net, "energy.kind=quadratic energy.scale=3"),
    NET(infnet, "infnet.form=single cost=squared"),
    NET(infnet, "infnet.form=single cost=squared infnet.stay=0.3 infnet.entropy=0.4"),
    NET(infnet, "infnet.form=single truncate=yes"),
    NET(infnet, "infnet.form=single margin=0 perceptron=0.7"),
    NET(infnet, "infnet.form=single mode=code"),
    NET(infnet, "infnet.form=separated cost=l1"),
    NET(infnet, "infnet.form=separated cost=f1 truncate=yes perceptron=0.5"),
    NET(infnet, "infnet.form=separated infnet.stay=0.3"),
    NET(infnet, "infnet.form=stacked infnet.ce_both=yes ce.weight=0.4"),
    NET(energy, ""),
    NET(energy, "energy.kind=deep net.members=2"),
    NET(infnet, "infnet.form=shared cost=hamming ce.weight=0"),
    NET(infnet, "infnet.form=shared cost=l1 truncate=yes"),
    NET(infnet, "infnet.form=stacked cost=l1"),
    NET(infnet, "infnet.form=stacked infnet.hidden=-1 cost=hamming perceptron=0.1"),
    NET(infnet, "infnet.form=stacked infnet.hidden=3 truncate=yes cost=l1"),
    NET(infnet, "infnet.form=stacked mode=code infnet.entropy=0.2"),
    NET(infnet, "method=seal-margin-compound infnet.form=stacked mode=code"),
    /* members of the net, biases of labels, ramps */
    NET(cross_entropy, "net.members=3 net.bias=yes"),
    NET(cross_entropy, "net.members=2 net.bins=3 net.layers=1"),
    NET(net, "net.members=3 net.bias=yes net.bins=2 energy.weight=2"),
    NET(net, "net.members=2 net.loss=value"),
    NET(net, "net.members=2 net.loss=ranking samples=7"),
    NET(infnet, "net.members=2 net.bias=yes infnet.form=shared cost=l1"),
    NET(infnet, "net.members=3 infnet.form=stacked"),
    NET(alen_net, "net.members=2"),
    NET(alen_net, ""),
    NET(alen_net, "alen.value=linear energy.weight=0.4 ce.weight=0.2"),

    ENERGY(margin, "cost=l1"),
    ENERGY(margin, "cost=l1 energy.l2=0.1 energy.kind=deep"),
    ENERGY(margin, "cost=f1 energy.kind=quadratic"),
    ENERGY(margin, "cost=hamming energy.shift=yes energy.scale=2"),
    ENERGY(margin, "cost=squared"),
    ENERGY(margin_search, "cost=l1 gbi.steps=4"),
    ENERGY(margin_search, "cost=f1 gbi.steps=4 gbi.start=net energy.l2=0.2"),
    ENERGY(margin_search, "cost=l1 gbi.steps=4 mode=code"),
    ENERGY(compound, "infnet.form=single cost=squared"),
    ENERGY(compound, "infnet.form=single cost=l1 mode=code"),
    ENERGY(compound, "infnet.form=single margin=0 perceptron=0.7"),
    ENERGY(compound, "infnet.form=separated cost=l1"),
    ENERGY(compound, "infnet.form=shared cost=l1 energy.l2=0.3"),
    ENERGY(compound, "infnet.form=stacked cost=l1 perceptron=0.4"),
    ENERGY(compound, "infnet.form=stacked cost=hamming mode=code"),
    ENERGY(compound, "method=seal-margin-compound infnet.form=stacked cost=hamming mode=code"),
    ENERGY(value_search, "gbi.steps=4"),
    ENERGY(value_search, "gbi.steps=4 dvn.samples=inference"),
    ENERGY(value_search, "gbi.steps=2 dvn.from_truth=0.5"),
    ENERGY(value_search, "gbi.steps=4 dvn.samples=adversarial,truth mode=code"),
    ENERGY(value_search, "gbi.steps=3 dvn.samples=truth energy.l2=0.1"),
    ENERGY(value_search, "gbi.steps=3 gbi.start=random gbi.restarts=2 energy.kind=deep"),
    ENERGY(regression, ""),
    ENERGY(regression, "energy.l2=0.1 energy.shift=yes"),
    ENERGY(regression_s, "samples=4 samples.noise=2"),
    ENERGY(regression_s, "samples=1"),
    ENERGY(nce, "samples=5"),
    ENERGY(nce, "samples=5 energy.l2=0.1 energy.kind=quadratic energy.shift=yes"),
    ENERGY(nce, "samples=5 energy.kind=deep energy.scale=0.3"),
    ENERGY(nce, "samples=5 energy.kind=pairs samples.share=0.5"),
    ENERGY(nce, "samples=4 energy.kind=attention energy.hidden=2"),
    ENERGY(nce, "samples=4 energy.kind=tree"),
    ENERGY(nce, "samples=5 energy.base=net"),
    ENERGY(nce, "samples=5 net.members=3 net.bias=yes net.bins=2"),
    ENERGY(regression, "net.members=2"),
    ENERGY(ranking, "samples=5"),
    ENERGY(ranking, "samples=5 energy.l2=0.1"),
    ENERGY(least_squares, "gbi.rule=normalised gbi.steps=3 gbi.lr=0.2 gbi.best=no"),
    ENERGY(least_squares, "alen.value=linear gbi.steps=3 alen.net=0.3 alen.refined=0.6"),
    ENERGY(adversarial, ""),
    ENERGY(adversarial, "alen.value=linear alen.net=0.3 energy.l2=0.2"),
    /* through the search, by every rule */
    ENERGY(unrolled, "gbi.rule=plain gbi.steps=5 gbi.space=logits gbi.start=net gbi.lr=0.5"),
    ENERGY(unrolled, "gbi.rule=momentum gbi.steps=5 gbi.space=logits gbi.start=uniform "
                     "gbi.entropy=1"),
    ENERGY(unrolled, "gbi.rule=adam gbi.steps=5 gbi.space=logits gbi.start=net gbi.lr=0.3"),
    ENERGY(unrolled, "gbi.rule=normalised gbi.steps=5 gbi.space=logits gbi.start=net"),
    ENERGY(unrolled, "gbi.rule=mirror gbi.steps=5 gbi.start=uniform gbi.lr=0.5 energy.l2=0.1"),
    ENERGY(unrolled, "gbi.rule=plain gbi.steps=4 gbi.start=net gbi.lr=0.05 energy.kind=deep"),
    ENERGY(unrolled, "gbi.rule=momentum gbi.steps=4 gbi.start=uniform gbi.lr=0.05"),
    ENERGY(unrolled, "gbi.steps=3 gbi.space=logits gbi.rule=plain gbi.halvings=3 gbi.lr=0.5 "
                     "gbi.start=uniform gbi.tolerance=0.01"),
};

static void check_loss_gradient(const loss_case *k)
{
    enum { STEP = 3 };
    scene *c = scene_new(k->words, B, D, L, 2);
    char   what[256];
    snprintf(what, sizeof what, "%s, %s", k->name, k->words);
    bs_id loss = k->loss(&c->s);
    CHECK(bs_shape_count(bs_shape_of(c->g, loss)) == 1, "%s: not one number", what);
    int at = scene_result(c, loss, -1);
    scene_gradient(c, loss, k->trains);
    scene_start(c, 3);
    machine_run(&c->m, STEP);
    check_parameter_gradient(c, loss, scene_number(c, at), k->trains, STEP, what);
    scene_free(c);
}

static void gradients_agree_with_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_loss_gradient(&cases[i]);
}

/* A label counts w times where it is true, once where it is not; log P stays as it is. */
static void weights_are_those_of_labels_that_are_true(void **state)
{
    (void)state;
    scene *c = scene_new("weights=balanced", B, D, L, 11);
    bs_id  z = bs_net_logits(&c->s);
    scene_result(c, z, -1);
    scene_result(c, c->s.t->cross_entropy(&c->s.v, z), -1);
    scene_result(c, c->s.t->truth_log_prob(&c->s.v, z), -1);
    scene_start(c, 3);
    machine_run(&c->m, 1);
    for (int r = 0; r < B; r++) {
        double sum = 0, plain = 0;
        for (int l = 0; l < L; l++) {
            const double at = (double)machine_value(&c->m, 0)[r * L + l];
            const bool   on = c->gold[r * L + l] > 0;
            const double surprise = log1p(exp(on ? -at : at));
            sum += (on ? scene_weight(l) : 1) * surprise;
            plain -= surprise;
        }
        assert_true(fabs((double)machine_value(&c->m, 1)[r] - sum) < 1e-10);
        assert_true(fabs((double)machine_value(&c->m, 2)[r] - plain) < 1e-10);
    }
    scene_free(c);
}

/* The losses of implicit-* as functions of an output that depends on the net, too. */
static bs_id by_own_output(bs_loss_context *s)
{
    return bs_primary_margin(s, bs_net_output(s));
}

static bs_id value_by_own_output(bs_loss_context *s)
{
    return bs_primary_value(s, bs_net_output(s));
}

static bs_id divergence_by_own_output(bs_loss_context *s)
{
    return bs_primary_divergence(s, bs_net_logits(s));
}

static void primary_losses_follow_the_net_and_the_energy(void **state)
{
    static const loss_case both[] = {
        {by_own_output, "primary margin", "net/", "cost=l1"},
        {by_own_output, "primary margin", "energy/", "cost=f1"},
        {value_by_own_output, "primary value", "net/", "energy.l2=0.1"},
        {value_by_own_output, "primary value", "energy/", ""},
        {divergence_by_own_output, "primary divergence", "net/", "samples=4 cost=hamming"},
        {divergence_by_own_output, "primary divergence", "energy/", "samples=4 energy.l2=0.1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof both / sizeof both[0]; i++)
        check_loss_gradient(&both[i]);
}

/* ---- energies ---- */

static const char *const energies[] = {
    "energy.kind=label",
    "energy.kind=label energy.shift=yes energy.scale=0.3",
    "energy.kind=deep energy.scale=2",
    "energy.kind=deep energy.shift=yes",
    "energy.kind=quadratic",
    "energy.kind=quadratic energy.shift=yes energy.scale=0.5",
    "energy.kind=pairs energy.scale=2",
    "energy.kind=attention energy.hidden=3",
    "energy.kind=tree energy.scale=0.7",
    "energy.base=net energy.encoder=shared",
};

static void energies_have_true_gradients(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof energies / sizeof energies[0]; i++) {
        scene *c = scene_new(energies[i], B, D, L, 7);
        bs_id  y = scene_output(c, 3, 0.05, 0.95), dy;
        bs_id  e = c->s.t->energy(&c->s.v, y);
        assert_true(bs_shape_equal(bs_shape_of(c->g, e), bs_shape3(B, 3, 1)));
        /* unequal weights, so that rows cannot be mixed up */
        bs_id weights = bs_example_real(c->g, &c->ex, bs_shape3(B, 3, 1), -1, 1);
        bs_id target = bs_dot(c->g, e, weights);
        bs_grad(c->g, target, &y, 1, &dy, false);
        int value = scene_result(c, target, -1), by_y = scene_result(c, dy, -1);
        scene_gradient(c, target, "energy/");
        scene_start(c, 3);
        machine_run(&c->m, 1);
        real analytic[B * 3 * L], numeric[B * 3 * L];
        memcpy(analytic, machine_value(&c->m, by_y), sizeof analytic);
        check_parameter_gradient(c, target, scene_number(c, value), "energy/", 1, energies[i]);
        trial t = trial_new(c, target, &y, 1, 1);
        trial_differences(c, &t, scene_data(c, y), B * 3 * L, numeric);
        double off = distance(analytic, numeric, B * 3 * L, 1e-9);
        CHECK(off < 1e-6, "%s: the gradient by y is off by %.3g", energies[i], off);
        trial_free(c, &t);
        scene_free(c);
    }
}

static bs_id total_energy(bs_graph *g, void *ctx, bs_id y)
{
    bs_loss_context *s = ctx;
    return bs_sum(g, s->t->energy(&s->v, y));
}

static void hessians_are_symmetric(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof energies / sizeof energies[0]; i++) {
        scene *c = scene_new(energies[i], B, D, L, 8);
        bs_id  y = scene_output(c, 1, 0.1, 0.9), u = scene_output(c, 1, -1, 1);
        bs_id  v = scene_output(c, 1, -1, 1);
        bs_id  hv = bs_hvp(c->g, total_energy, &c->s, y, v, BS_HVP_EXACT, 0);
        bs_id  hu = bs_hvp(c->g, total_energy, &c->s, y, u, BS_HVP_EXACT, 0);
        bs_id  near = bs_hvp(c->g, total_energy, &c->s, y, v, BS_HVP_CENTRAL, 1e-4);
        int    a = scene_result(c, bs_dot(c->g, u, hv), -1);
        int    b = scene_result(c, bs_dot(c->g, v, hu), -1);
        int    exact = scene_result(c, hv, -1), central = scene_result(c, near, -1);
        scene_start(c, 3);
        machine_run(&c->m, 1);
        double left = scene_number(c, a), right = scene_number(c, b);
        CHECK(fabs(left) > 1e-3, "%s: u'Hv is %g: nothing to compare", energies[i], left);
        CHECK(fabs(left - right) <= 1e-10 * fabs(left), "%s: u'Hv = %.15g, v'Hu = %.15g",
              energies[i], left, right);
        double e =
            distance(machine_value(&c->m, exact), machine_value(&c->m, central), B * L, 1e-6);
        CHECK(e < 1e-6, "%s: exact and difference products differ by %.3g", energies[i], e);
        scene_free(c);
    }
}

/* ---- an energy from its formula ---- */

static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* out = softplus(in W + b): W [n, m] */
static void dense_layer(const double *in, int n, const real *W, const real *b, int m, bool soft,
                        double *out)
{
    for (int j = 0; j < m; j++) {
        double sum = b ? (double)b[j] : 0;
        for (int i = 0; i < n; i++)
            sum += in[i] * (double)W[i * m + j];
        out[j] = soft ? softplus(sum) : sum;
    }
}

/* What y_i meets of the others: its parent and siblings (tables of any numbers). */
static double tree_by_hand(scene *c, const real *y)
{
    static const char *const part[][2] = {{"energy/tree/above", "energy/tree/a"},
                                          {"energy/tree/beside", "energy/tree/b"}};
    double                   top = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < L; i++)
            for (int j = 0; j < L; j++)
                top += (double)(y[i] * y[j] * scene_param(c, part[k][0])[j * L + i] *
                                scene_param(c, part[k][1])[i]);
    return top;
}

static double attention_by_hand(scene *c, const real *y)
{
    const int   H = bs_net_spec_mlc(&c->learner.spec)->hidden, W = 8;
    const real *Q = scene_param(c, "energy/attention/Q"), *K = scene_param(c, "energy/attention/K");
    const real *V = scene_param(c, "energy/attention/V"), *u = scene_param(c, "energy/attention/u");
    double      top = 0;
    for (int i = 0; i < L; i++) {
        double mean[8] = {0}, all = 1;
        for (int j = 0; j < L; j++) {
            double match = 0;
            for (int k = 0; k < W; k++)
                match += (double)(Q[i * W + k] * K[j * W + k]);
            all += (double)y[j] * exp(match);
            for (int h = 0; h < H; h++)
                mean[h] += (double)(y[j] * V[j * H + h]) * exp(match);
        }
        for (int h = 0; h < H; h++)
            top += (double)(y[i] * u[i * H + h]) * softplus(mean[h] / all);
    }
    return top;
}

/* top(M y + m), or y' W y and the like. */
static double over_labels_by_hand(scene *c, const real *y)
{
    const bs_mlc_shape *s = bs_net_spec_mlc(&c->learner.spec);
    const char         *kind = s->energy->name;
    double              seen[L], h[8], top = 0;
    if (strcmp(kind, "tree") == 0)
        return tree_by_hand(c, y);
    if (strcmp(kind, "attention") == 0)
        return attention_by_hand(c, y);
    for (int i = 0; i < L && strcmp(kind, "pairs") == 0; i++)
        for (int j = 0; j < L; j++)
            top += (double)(y[i] * y[j] * scene_param(c, "energy/pairs")[i * L + j]);
    if (strcmp(kind, "pairs") == 0)
        return top;
    for (int i = 0; i < L; i++)
        seen[i] = s->shift ? 2 * (double)y[i] - 1 : (double)y[i];
    dense_layer(seen, L, scene_param(c, "energy/M/W"), scene_param(c, "energy/M/b"), s->hidden,
                strcmp(kind, "quadratic") != 0, h);
    if (strcmp(kind, "deep") == 0) {
        double second[8];
        dense_layer(h, s->hidden, scene_param(c, "energy/N/W"), scene_param(c, "energy/N/b"),
                    s->hidden, true, second);
        memcpy(h, second, sizeof h);
    }
    for (int j = 0; j < s->hidden; j++)
        top += (double)scene_param(c, "energy/v")[j] *
               (strcmp(kind, "quadratic") == 0 ? h[j] * h[j] : h[j]);
    return top;
}

/* T(x) of a net. */
static void features_by_hand(scene *c, const char *net, const double *in, double *out)
{
    const bs_mlc_shape *s = bs_net_spec_mlc(&c->learner.spec);
    const char *const   part[] = {"0/W", "0/b", "1/W", "1/b"};
    const real         *p[4];
    double              t[8];
    char                path[64];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/T/%s", net, part[i]);
        p[i] = scene_param(c, path);
    }
    dense_layer(in, D, p[0], p[1], s->width, true, t);
    dense_layer(t, s->width, p[2], p[3], s->width, true, out);
}

/* E(x, y) = -( sum_i y_i b_i . T(x) + scale top(M y + m) ), written out. */
static double energy_by_hand(scene *c, const real *x, const real *y)
{
    const bs_mlc_shape *s = bs_net_spec_mlc(&c->learner.spec);
    double              in[D], t[8], b[L], local = 0;
    for (int i = 0; i < D; i++)
        in[i] = (double)x[i];
    features_by_hand(c, s->shared ? "net" : "energy", in, t);
    dense_layer(t, s->width, scene_param(c, "energy/labels/W"), NULL, L, false, b);
    for (int i = 0; i < L; i++)
        local += b[i] * (double)y[i];
    if (s->corrects) {
        features_by_hand(c, "net", in, t);
        dense_layer(t, s->width, scene_param(c, "net/labels/W"), NULL, L, false, b);
        for (int i = 0; i < L; i++)
            local += b[i] * (double)y[i];
    }
    return -(local + s->scale * over_labels_by_hand(c, y));
}

static void energies_follow_their_formula(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof energies / sizeof energies[0]; i++) {
        char words[128];
        snprintf(words, sizeof words, "net.dropout=0 %s", energies[i]);
        scene *c = scene_new(words, B, D, L, 9);
        bs_id  y = scene_output(c, 2, 0, 1);
        scene_result(c, c->s.t->energy(&c->s.v, y), -1);
        scene_start(c, 4);
        machine_run(&c->m, 1);
        for (int r = 0; r < B * 2; r++) {
            double want = energy_by_hand(c, c->x + r / 2 * D, scene_data(c, y) + r * L);
            double got = (double)machine_value(&c->m, 0)[r];
            CHECK(fabs(want - got) < 1e-12 * (1 + fabs(want)), "%s: row %d: %.15g, not %.15g",
                  words, r, got, want);
        }
        scene_free(c);
    }
}

/* ---- what a loss must depend on ---- */

/* Loss of a method's stage, with the method's own settings and `words` on top. */
static scene *stage_scene(const char *method, const char *trains, const char *words, bs_id *loss)
{
    const bs_method *m;
    char             all[1024];
    assert_int_equal(bs_method_find(method, "mlc", &m, NULL), BASIN_OK);
    snprintf(all, sizeof all, "method=%s %s net.dropout=0 %s", method,
             m->defaults ? m->defaults : "", words);
    scene *c = scene_new(all, B, D, L, 2);
    int    last = -1;
    for (int i = 0; i < BS_STAGES && m->stage[i].trains; i++)
        if (strcmp(m->stage[i].trains, trains) == 0 && m->stage[i].loss != bs_loss_cross_entropy)
            last = i;         /* not the one that a net may begin with */
    bs_cost_augmented(&c->s); /* declares net/cost, as the other stage does */
    *loss = m->stage[last].loss(&c->s);
    return c;
}

/* By how much the loss of a stage, and its gradient, change when some parameters do. */
static void change(const char *method, const char *trains, const char *words, const char *shaken,
                   double *loss_change, double *gradient_change)
{
    bs_id  loss;
    scene *c = stage_scene(method, trains, words, &loss);
    int    at = scene_result(c, loss, -1);
    scene_gradient(c, loss, trains);
    scene_start(c, 3);
    machine_run(&c->m, 1);
    double        before = scene_number(c, at);
    const int64_t n = c->learner.params->moving;
    real         *grad = calloc((size_t)n, sizeof *grad);
    memcpy(grad, ((real *)host_of(c->learner.params->block.grad)), (size_t)n * sizeof *grad);
    scene_shake(c, shaken, 0.5);
    machine_run(&c->m, 1);
    *loss_change = fabs(scene_number(c, at) - before);
    *gradient_change = distance(grad, ((real *)host_of(c->learner.params->block.grad)), n, 1e-9);
    free(grad);
    scene_free(c);
}

static void must_change(bool must, const char *method, const char *trains, const char *words,
                        const char *shaken)
{
    double loss, gradient;
    change(method, trains, words, shaken, &loss, &gradient);
    if (must)
        CHECK(loss > 1e-5 && gradient > 1e-5,
              "%s, %s: %s changes the loss of %s by %.3g and its "
              "gradient by %.3g",
              method, words, shaken, trains, loss, gradient);
    else
        CHECK(loss == 0 && gradient == 0,
              "%s, %s: %s changes the loss of %s by %.3g and its "
              "gradient by %.3g",
              method, words, shaken, trains, loss, gradient);
}

/* The cost-augmented net of InfNet+ reaches both losses; in SEAL's program, the net's alone. */
static void the_cost_augmented_output_reaches_the_losses(void **state)
{
    static const char *const methods[] = {"infnet+", "seal-margin-compound"};
    static const char *const forms[] = {"infnet.form=separated cost=l1",
                                        "infnet.form=shared cost=l1", "infnet.form=stacked cost=l1",
                                        "infnet.form=stacked infnet.hidden=-1 cost=l1"};
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) {
            char code[128];
            snprintf(code, sizeof code, "%s mode=code", forms[k]);
            must_change(true, methods[i], "energy/", forms[k], "net/cost/");
            must_change(true, methods[i], "net/", forms[k], "net/cost/");
            must_change(i == 0, methods[i], "energy/", code, "net/cost/");
            must_change(true, methods[i], "energy/", code, "net/T/");
            must_change(true, methods[i], "net/", code, "net/cost/");
        }
    must_change(true, "seal-margin-compound", "energy/", "", "net/cost/");
    must_change(true, "infnet+", "energy/", "", "net/cost/");
    must_change(true, "infnet", "energy/", "", "net/T/");
    must_change(true, "infnet", "energy/", "mode=code", "net/T/");
}

/* The value of a loss, and how many outputs it is taken over. */
static double value_in_mode(bs_loss loss, const char *mode, int *outputs)
{
    char words[128];
    snprintf(words, sizeof words, "net.dropout=0 samples=4 %s", mode);
    scene *c = scene_new(words, B, D, L, 2);
    scene_result(c, loss(&c->s), -1);
    scene_start(c, 3);
    machine_run(&c->m, 1);
    const double value = scene_number(c, 0);
    *outputs = B * (loss == bs_loss_regression_s ? c->s.o->samples : 1);
    scene_free(c);
    return value;
}

/* The authors' programs for label sets add up. */
static void code_adds_up_where_papers_have_means(void **state)
{
    static const bs_loss losses[] = {bs_loss_regression, bs_loss_regression_s, bs_loss_ranking};
    (void)state;
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
        int    n;
        double mean = value_in_mode(losses[i], "mode=paper", &n);
        double sum = value_in_mode(losses[i], "mode=code", &n);
        CHECK(fabs(sum - n * mean) < 1e-12 * fabs(sum), "loss %d: %.15g, not %d x %.15g", (int)i,
              sum, n, mean);
    }
}

/* The perceptron term is the predicting net's own. */
static void the_prediction_reaches_the_compound_loss(void **state)
{
    (void)state;
    must_change(true, "infnet+", "energy/", "infnet.form=separated", "net/T/");
    must_change(true, "infnet+", "energy/", "infnet.form=separated", "net/labels/");
    must_change(false, "infnet+", "energy/", "infnet.form=separated perceptron=0", "net/labels/");
}

/* Losses of the energy read the net, losses of the net the energy. */
static void nets_see_each_other(void **state)
{
    static const char *const by_turns[] = {"seal-margin-compound",
                                           "seal-regression",
                                           "seal-regression-s",
                                           "seal-nce",
                                           "seal-ranking",
                                           "infnet",
                                           "infnet+",
                                           "alen",
                                           "aen"};
    (void)state;
    for (size_t i = 0; i < sizeof by_turns / sizeof by_turns[0]; i++) {
        must_change(true, by_turns[i], "energy/", "", "net/T/");
        must_change(true, by_turns[i], "net/", "", "energy/M/");
        must_change(true, by_turns[i], "net/", "", "energy/labels/");
        must_change(true, by_turns[i], "net/", "mode=code", "energy/v");
    }
}

/* In a stacked net the truth is an input, and A is cut off from what F learns; not in mode=code. */
static void a_stacked_net_is_cut_off_below(void **state)
{
    (void)state;
    for (int code = 0; code < 2; code++) {
        scene *c = scene_new(code ? "mode=code" : "mode=paper", B, D, L, 2);
        bs_id  y = bs_cost_augmented(&c->s), d[2];
        bs_id  total = bs_sum(c->g, bs_square(c->g, y));
        bs_id  net =
            bs_param(c->g, c->learner.params, "net/labels/W", bs_shape2(4, L), bs_init_zero());
        bs_grad(c->g, total, (bs_id[]){net, c->s.v.gold}, 2, d, true);
        int below = scene_result(c, bs_sum(c->g, bs_square(c->g, d[0])), -1);
        int truth = scene_result(c, bs_sum(c->g, bs_square(c->g, d[1])), -1);
        scene_start(c, 3);
        machine_run(&c->m, 1);
        assert_true(code ? scene_number(c, below) > 1e-6 : scene_number(c, below) == 0);
        assert_true(scene_number(c, truth) > 1e-6);
        scene_free(c);
    }
}

/* ---- margins of SPEN ---- */

/* The value of the one output that a loss takes as constant, [B, L]. */
static void constant_output(scene *c, bs_id loss, real *out)
{
    trial t = trial_new(c, loss, NULL, 0, 1);
    int   found = 0;
    for (bs_id id = 1; id <= loss; id++) {
        const bs_node *n = bs_graph_node(c->g, id);
        if (n->op == BS_OP_stop && bs_shape_equal(n->shape, bs_shape3(B, 1, L)) &&
            bs_graph_node(c->g, n->src[0])->op != BS_OP_fill) {
            memcpy(out, t.value[id], B * L * sizeof *out);
            found++;
        }
    }
    trial_free(c, &t);
    CHECK(found == 1, "%d outputs are constant, not 1", found);
}

static void searched_output(const char *words, real *out, double *value)
{
    char all[256];
    snprintf(all, sizeof all, "net.dropout=0 gbi.steps=6 gbi.lr=0.2 %s", words);
    scene *c = scene_new(all, B, D, L, 2);
    bs_id  loss = bs_loss_margin_search(&c->s);
    int    at = scene_result(c, loss, -1);
    scene_start(c, 3);
    machine_run(&c->m, 1);
    constant_output(c, loss, out);
    *value = scene_number(c, at);
    scene_free(c);
}

/* The search of SPEN looks for the largest violation, cost included; in the authors' program the
 * cost only chooses among its iterates. */
static void the_search_of_spen_feels_the_cost(void **state)
{
    real   f1[B * L], l1[B * L];
    double with_f1, with_l1;
    (void)state;
    searched_output("cost=f1 gbi.best=no", f1, &with_f1);
    searched_output("cost=l1 gbi.best=no", l1, &with_l1);
    CHECK(distance(f1, l1, B * L, 1e-9) > 1e-3, "the cost does not reach the search");
    searched_output("cost=f1 gbi.best=no mode=code", f1, &with_f1);
    searched_output("cost=l1 gbi.best=no mode=code", l1, &with_l1);
    CHECK(distance(f1, l1, B * L, 1e-9) == 0, "mode=code: the cost reaches the search");
    CHECK(fabs(with_f1 - with_l1) > 1e-3, "mode=code: the cost does not reach the loss");
}

/* Loss and gradient are those of the margin at the output that was found, taken as constant, and
 * they change with it. */
static void the_margin_is_taken_at_what_was_found(void **state)
{
    (void)state;
    for (int code = 0; code < 2; code++) {
        char        words[128];
        real        y[B * L], grad[2][512];
        double      value[3];
        const char *mode = code ? "mode=code" : "mode=paper";
        snprintf(words, sizeof words, "cost=l1 gbi.steps=6 net.dropout=0 %s", mode);
        scene *c = scene_new(words, B, D, L, 2);
        bs_id  loss = bs_loss_margin_search(&c->s);
        scene_result(c, loss, -1);
        scene_gradient(c, loss, "energy/");
        scene_start(c, 3);
        machine_run(&c->m, 1);
        value[0] = scene_number(c, 0);
        constant_output(c, loss, y);
        int64_t n = c->learner.params->moving;
        assert_true(n <= 512);
        memcpy(grad[0], ((real *)host_of(c->learner.params->block.grad)), (size_t)n * sizeof(real));
        scene_free(c);

        c = scene_new(words, B, D, L, 2);
        bs_id leaf = scene_output(c, 1, 0, 1);
        loss = bs_primary_margin(&c->s, code ? bs_sigmoid(c->g, leaf) : leaf);
        scene_result(c, loss, -1);
        scene_gradient(c, loss, "energy/");
        scene_start(c, 3);
        memcpy(scene_data(c, leaf), y, sizeof y);
        machine_run(&c->m, 1);
        value[1] = scene_number(c, 0);
        assert_int_equal(c->learner.params->moving, n);
        memcpy(grad[1], ((real *)host_of(c->learner.params->block.grad)), (size_t)n * sizeof(real));
        scene_data(c, leaf)[2] += (real)0.01;
        machine_run(&c->m, 1);
        value[2] = scene_number(c, 0);
        scene_free(c);
        CHECK(fabs(value[0] - value[1]) < 1e-12, "%s: %.15g, not %.15g", mode, value[0], value[1]);
        CHECK(distance(grad[0], grad[1], n, 1e-9) < 1e-12, "%s: another gradient", mode);
        CHECK(fabs(value[2] - value[1]) > 1e-6, "%s: the output does not reach the loss", mode);
    }
}

/* What a search through which SPEN end to end is trained returns is always its last iterate. */
static void the_unrolled_search_ends_at_its_end(void **state)
{
    double value[2], best;
    (void)state;
    for (int i = 0; i < 2; i++) {
        scene *c =
            scene_new(i ? "gbi.best=yes gbi.lr=1.5 gbi.steps=7 gbi.rule=momentum gbi.momentum=0.9"
                        : "gbi.best=no gbi.lr=1.5 gbi.steps=7 gbi.rule=momentum gbi.momentum=0.9",
                      B, D, L, 6);
        bs_gbi o = bs_options_gbi(c->learner.o, false);
        bs_id  start = bs_gbi_begin(&c->s.v, &o, BS_STREAM_START);
        bs_id  y = bs_gbi_search(&c->s.v, &o, bs_energy_objective, NULL, start).y;
        scene_result(c, bs_loss_unrolled(&c->s), -1);
        scene_result(c, bs_mean(c->g, c->s.t->cross_entropy(&c->s.v, c->s.t->unrelax(&c->s.v, y))),
                     -1);
        scene_start(c, 3);
        machine_run(&c->m, 1);
        value[i] = scene_number(c, 0);
        best = scene_number(c, 1);
        scene_free(c);
    }
    assert_true(value[0] == value[1]);
    CHECK(fabs(best - value[1]) > 1e-3, "the best iterate is the last");
}

/* ---- scores and costs ---- */

/* At every corner: costs and the score by their definitions on sets. */
static void costs_and_scores_count_labels(void **state)
{
    enum { K = 1 << L };
    (void)state;
    scene *c = scene_new("", B, D, L, 5);
    bs_id  y = scene_output(c, K, 0, 1);
    for (int kind = BS_COST_F1; kind <= BS_COST_SQUARED; kind++)
        scene_result(c, c->s.t->cost(&c->s.v, (bs_cost)kind, y), -1);
    int   score = scene_result(c, c->s.t->score(&c->s.v, y), -1);
    bs_id used = bs_sum(c->g, c->s.t->energy(&c->s.v, y)); /* some parameter must exist */
    scene_result(c, used, -1);
    scene_start(c, 3);
    for (int i = 0; i < B * K * L; i++)
        scene_data(c, y)[i] = (real)(i / L % K >> i % L & 1);
    machine_run(&c->m, 1);
    for (int r = 0; r < B * K; r++) {
        const real *gold = c->gold + r / K * L;
        double      both = 0, sizes = 0, wrong = 0;
        for (int l = 0; l < L; l++) {
            int bit = r % K >> l & 1;
            both += bit && gold[l] > 0;
            sizes += bit + (double)gold[l];
            wrong += bit != (gold[l] > 0);
        }
        double f1 = sizes > 0 ? 2 * both / sizes : 1;
        double want[] = {1 - f1, wrong / L, wrong, wrong};
        for (int kind = 0; kind < 4; kind++)
            CHECK(fabs((double)machine_value(&c->m, kind)[r] - want[kind]) < 2e-6,
                  "cost %d of row %d: %g, not %g", kind, r, (double)machine_value(&c->m, kind)[r],
                  want[kind]);
        assert_true(fabs((double)machine_value(&c->m, score)[r] - f1) < 2e-6);
    }
    scene_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_differences),
        cmocka_unit_test(weights_are_those_of_labels_that_are_true),
        cmocka_unit_test(primary_losses_follow_the_net_and_the_energy),
        cmocka_unit_test(energies_have_true_gradients),
        cmocka_unit_test(hessians_are_symmetric),
        cmocka_unit_test(energies_follow_their_formula),
        cmocka_unit_test(the_cost_augmented_output_reaches_the_losses),
        cmocka_unit_test(code_adds_up_where_papers_have_means),
        cmocka_unit_test(the_prediction_reaches_the_compound_loss),
        cmocka_unit_test(nets_see_each_other),
        cmocka_unit_test(a_stacked_net_is_cut_off_below),
        cmocka_unit_test(the_search_of_spen_feels_the_cost),
        cmocka_unit_test(the_margin_is_taken_at_what_was_found),
        cmocka_unit_test(the_unrolled_search_ends_at_its_end),
        cmocka_unit_test(costs_and_scores_count_labels),
    };
    return cmocka_run_group_tests_name("losses, double", tests, NULL, NULL);
}
