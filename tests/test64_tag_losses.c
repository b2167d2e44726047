/* test64_tag_losses.c -- losses of all methods on tags, in double precision: gradients against
 * differences, padding, and that what a loss is said to depend on changes it. */
#include "tests/tag_scene.h"

enum { B = 3, T = 5, N = 3 }; /* of tag_scene() */

typedef struct {
    bs_loss     loss;
    const char *name, *trains, *words;
} loss_case;

/* The loss of the only stage of method crf. */
static bs_id loss_of_crf(bs_loss_context *s)
{
    const bs_method *m;
    assert_int_equal(bs_method_find("crf", "tag", &m, NULL), BASIN_OK);
    return m->stage[0].loss(s);
}

/* Primary losses of implicit-*, through an output that depends on the net. */
static bs_id own_margin(bs_loss_context *s)
{
    return bs_primary_margin(s, bs_net_output(s));
}

static bs_id own_value(bs_loss_context *s)
{
    bs_id y = bs_concat(s->v.g, bs_net_output(s), s->t->truth(&s->v), -2);
    return bs_primary_value(s, y);
}

static bs_id own_divergence(bs_loss_context *s)
{
    return bs_primary_divergence(s, bs_net_logits(s));
}

#define NET(f, words)                  \
    {                                  \
        bs_loss_##f, #f, "net/", words \
    }
#define ENERGY(f, words)                  \
    {                                     \
        bs_loss_##f, #f, "energy/", words \
    }

/* ---- gradients ---- */

/* Losses without chance: a sentence contributes the same whatever stands beside it. */
static const loss_case settled[] = {
    NET(cross_entropy, ""),
    NET(cross_entropy, "weights=balanced"),
    NET(net, "weights=balanced energy.weight=0.7"),
    NET(infnet, "weights=balanced infnet.form=shared cost=l1"),
    NET(cross_entropy, "columns chars.net=cnn"),
    NET(cross_entropy, "columns chars.net=lstm net.layers=2"),
    NET(net, "energy.weight=0.7 ce.weight=0.3"),
    NET(net, "net.loss=value energy.weight=2 energy.kind=lm"),
    NET(net, "ce.weight=0 energy.kind=lm-words"),
    NET(infnet, "infnet.form=single cost=squared"),
    NET(infnet, "infnet.form=single cost=hamming truncate=yes infnet.entropy=0.4"),
    NET(infnet, "infnet.form=separated"),
    NET(infnet, "infnet.form=separated cost=f1 truncate=yes perceptron=0.5"),
    NET(infnet, "infnet.form=shared cost=squared energy.kind=lm-both"),
    NET(infnet, "infnet.form=shared truncate=yes margin=0.5"),
    NET(infnet, "infnet.form=stacked"),
    NET(infnet, "infnet.form=stacked infnet.hidden=-1 cost=hamming perceptron=0.1"),
    NET(infnet, "infnet.form=stacked infnet.hidden=4 truncate=yes"),
    NET(infnet, "infnet.form=stacked mode=code infnet.entropy=0.2"),
    NET(infnet, "method=seal-margin-compound infnet.form=stacked mode=code"),
    NET(infnet, "infnet.form=separated infnet.ce_both=yes ce.weight=0.4"),
    NET(infnet, "infnet.form=shared infnet.ce_both=yes truncate=yes"),
    NET(infnet, "infnet.form=stacked infnet.ce_both=yes infnet.hidden=2"),
    NET(energy, ""),
    NET(alen_net, ""),
    NET(alen_net, "alen.value=linear energy.weight=0.4 ce.weight=0.2"),
    {own_margin, "primary margin", "net/", ""},
    {own_value, "primary value", "net/", "energy.l2=0.1"},

    ENERGY(margin, ""),
    ENERGY(margin, "cost=f1 energy.l2=0.1 energy.kind=lm"),
    ENERGY(margin, "columns cost=squared energy.kind=lm-words chars.net=cnn"),
    ENERGY(margin_search, "gbi.steps=4"),
    ENERGY(margin_search, "cost=f1 gbi.steps=4 gbi.start=net energy.kind=lm-both"),
    ENERGY(margin_search, "gbi.steps=4 gbi.space=projected gbi.lr=0.2 mode=code"),
    ENERGY(compound, "infnet.form=single cost=squared"),
    ENERGY(compound, "infnet.form=single mode=code"),
    ENERGY(compound, "infnet.form=separated energy.kind=lm"),
    ENERGY(compound, "infnet.form=shared energy.l2=0.3"),
    ENERGY(compound, "infnet.form=stacked perceptron=0.4"),
    ENERGY(compound, "infnet.form=stacked infnet.hidden=-1 margin=0"),
    ENERGY(compound, "infnet.form=stacked cost=hamming mode=code"),
    ENERGY(compound, "method=seal-margin-compound infnet.form=stacked cost=hamming mode=code"),
    ENERGY(compound, "infnet.form=stacked mode=code energy.kind=lm-words"),
    ENERGY(value_search, "gbi.steps=4"),
    ENERGY(value_search, "gbi.steps=4 dvn.samples=inference energy.kind=lm"),
    ENERGY(value_search, "gbi.steps=4 dvn.samples=adversarial,truth energy.l2=0.1"),
    ENERGY(value_search, "gbi.steps=2 dvn.from_truth=1"),
    ENERGY(value_search, "gbi.steps=3 gbi.space=projected gbi.start=zeros gbi.lr=0.3"),
    ENERGY(regression, ""),
    ENERGY(regression_s, "samples=1 energy.kind=lm-both"),
    ENERGY(least_squares, "gbi.rule=normalised gbi.steps=3 gbi.lr=0.2 gbi.best=no"),
    ENERGY(least_squares, "alen.value=linear gbi.steps=3 alen.net=0.3 alen.refined=0.6"),
    ENERGY(adversarial, "energy.kind=lm-words energy.scale=0.1"), /* else far from 0.5 */
    /* through the search, by every rule */
    ENERGY(unrolled, "gbi.rule=plain gbi.steps=5 gbi.start=net gbi.lr=0.5"),
    ENERGY(unrolled, "gbi.rule=momentum gbi.steps=5 gbi.entropy=1"),
    ENERGY(unrolled, "gbi.rule=adam gbi.steps=5 gbi.start=net gbi.lr=0.3"),
    ENERGY(unrolled, "gbi.rule=normalised gbi.steps=5 gbi.start=net"),
    ENERGY(unrolled, "gbi.rule=mirror gbi.steps=5 gbi.lr=0.5 energy.l2=0.1"),
    ENERGY(unrolled, "gbi.rule=plain gbi.steps=3 gbi.space=projected gbi.lr=0.2"),
    ENERGY(unrolled, "gbi.steps=3 gbi.rule=plain gbi.halvings=3 gbi.lr=0.5 gbi.tolerance=0.01"),
    {loss_of_crf, "crf", "energy/", ""},
    {loss_of_crf, "crf", "energy/", "columns chars.net=lstm"},
    {own_margin, "primary margin", "energy/", "cost=f1"},
    {own_value, "primary value", "energy/", ""},
};

static const loss_case by_chance[] = {
    NET(cross_entropy, "net.dropout=0.3 net.layers=2"),
    NET(net, "net.loss=ranking samples=7"),
    NET(infnet, "infnet.form=separated net.dropout=0.3"),
    {own_divergence, "primary divergence", "net/", "samples=4 cost=hamming"},
    ENERGY(margin, "net.dropout=0.3"),
    ENERGY(regression_s, "samples=4 samples.noise=2"),
    ENERGY(nce, "samples=5"),
    ENERGY(nce, "samples=3 energy.l2=0.1 energy.kind=lm-words"),
    ENERGY(ranking, "samples=5"),
    ENERGY(ranking, "samples=3 energy.l2=0.1 energy.kind=lm"),
    ENERGY(value_search, "gbi.steps=3 gbi.start=random gbi.restarts=2"),
    {loss_of_crf, "crf", "energy/", "net.dropout=0.3"},
    {own_divergence, "primary divergence", "energy/", "samples=4 energy.l2=0.1 cost=hamming"},
};

enum { SETTLED = sizeof settled / sizeof settled[0] };

static void check_loss_gradient(const loss_case *k)
{
    enum { STEP = 3 };
    scene *c = tag_scene(k->words, N);
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
    for (int i = 0; i < SETTLED; i++)
        check_loss_gradient(&settled[i]);
    for (size_t i = 0; i < sizeof by_chance / sizeof by_chance[0]; i++)
        check_loss_gradient(&by_chance[i]);
}

/* What a search through an LSTM over y would need is not there, and the message says where. */
static void unrolled_language_models_are_refused(void **state)
{
    basin_error err = {0};
    (void)state;
    scene *c = tag_scene("energy.kind=lm gbi.steps=2", N);
    bs_id  loss = bs_loss_unrolled(&c->s), theta[SCENE_PARAMS], d[SCENE_PARAMS];
    int    segment[SCENE_PARAMS];
    int    n = bs_params_nodes(c->g, c->learner.params, "energy/", theta, segment, SCENE_PARAMS);
    bs_grad(c->g, loss, theta, n, d, true);
    CHECK(bs_graph_check(c->g, &err) == BASIN_EARG, "not refused");
    CHECK(strstr(err.msg, "energy/lm/forward"), "%s", err.msg);
    scene_free(c);
}

/* ---- padding ---- */

static double loss_in(const loss_case *k, tag_batch z)
{
    scene *c = tag_scene_sized(k->words, N, z);
    int    at = scene_result(c, k->loss(&c->s), -1);
    scene_start(c, 3);
    machine_run(&c->m, 1);
    double value = scene_number(c, at);
    scene_free(c);
    return value;
}

/* The loss of a batch is the mean of those of its sentences alone. */
static void padding_never_counts(void **state)
{
    (void)state;
    for (int i = 0; i < SETTLED; i++) {
        const loss_case *k = &settled[i];
        double           sum = 0;
        for (int s = 0; s < B; s++)
            sum += loss_in(k, (tag_batch){1, tag_length(s), 4, s});
        double batch = loss_in(k, (tag_batch){B, T + 2, 7, 0});
        CHECK(fabs(batch - sum / B) < 1e-11 * (1 + fabs(batch)),
              "%s, %s: %.15g, its sentences alone %.15g", k->name, k->words, batch, sum / B);
    }
}

/* ---- conditional random fields ---- */

/* Loss and gradients from the list of all sequences: expected minus observed counts. */
typedef struct {
    double loss, unary[B][T][N], pair[(N + 1) * (N + 1)];
} counts;

static void count_sequence(counts *c, int s, int k, double weight)
{
    int before = N;
    for (int t = 0; t < tag_length(s); t++) {
        int tag = tag_of(k, t, N);
        c->unary[s][t][tag] += weight / B;
        c->pair[before * (N + 1) + tag] += weight / B;
        before = tag;
    }
    c->pair[before * (N + 1) + N] += weight / B;
}

static counts enumerate(const real *energy)
{
    const int K = tag_sequences(0, N);
    counts    c = {.loss = 0};
    for (int s = 0; s < B; s++) {
        double Z = 0;
        for (int k = 0; k < tag_sequences(s, N); k++)
            Z += exp(-(double)energy[s * K + k]);
        for (int k = 0; k < tag_sequences(s, N); k++)
            count_sequence(&c, s, k, exp(-(double)energy[s * K + k]) / Z);
        count_sequence(&c, s, tag_truth(s, N), -1);
        c.loss += ((double)energy[s * K + tag_truth(s, N)] + log(Z)) / B;
    }
    return c;
}

static void a_random_field_counts_all_sequences(void **state)
{
    (void)state;
    scene *c = tag_scene("columns chars.net=cnn", N);
    bs_id  loss = loss_of_crf(&c->s), y = tag_all(c), d;
    /* reshapes of reshapes are one: what both parts of the loss see is the operand */
    bs_id unary = bs_graph_node(c->g, c->s.t->potentials(&c->s.v))->src[0];
    bs_grad(c->g, loss, &unary, 1, &d, false);
    int value = scene_result(c, loss, -1), by_unary = scene_result(c, d, -1);
    int energy = scene_result(c, c->s.t->energy(&c->s.v, y), -1);
    int marginals = scene_result(c, c->s.t->marginals(&c->s.v), -1);
    scene_gradient(c, loss, "energy/W");
    scene_start(c, 3);
    machine_run(&c->m, 1);
    counts want = enumerate(machine_value(&c->m, energy));
    CHECK(fabs(scene_number(c, value) - want.loss) < 1e-12, "%.15g, by enumeration %.15g",
          scene_number(c, value), want.loss);
    for (int i = 0; i < B * T * N; i++) {
        double expected = (&want.unary[0][0][0])[i];
        double mean = ((double)machine_value(&c->m, marginals)[i] - (double)c->gold[i]) / B;
        assert_true(fabs((double)machine_value(&c->m, by_unary)[i] - expected) < 1e-13);
        assert_true(fabs(mean - expected) < 1e-13);
    }
    const bs_segment *W = bs_params_find(c->learner.params, "energy/W");
    for (int i = 0; i < (N + 1) * (N + 1); i++)
        assert_true(fabs((double)((real *)host_of(c->learner.params->block.grad))[W->offset + i] -
                         want.pair[i]) < 1e-13);
    scene_free(c);
}

static void a_random_field_needs_a_chain(void **state)
{
    basin_error err = {0};
    (void)state;
    scene *c = tag_scene("energy.kind=lm-both", N);
    loss_of_crf(&c->s);
    assert_int_equal(bs_graph_check(c->g, &err), BASIN_EARG);
    CHECK(strstr(err.msg, "chain") && strstr(err.msg, "lm-both"), "%s", err.msg);
    scene_free(c);
}

/* ---- what a loss must depend on ---- */

/* Loss of a method's stage, with the method's own settings and `words` on top. */
static scene *stage_scene(const char *method, const char *trains, const char *words, bs_id *loss)
{
    const bs_method *m;
    char             all[1024];
    int              last = -1;
    assert_int_equal(bs_method_find(method, "tag", &m, NULL), BASIN_OK);
    snprintf(all, sizeof all, "method=%s %s %s %s", method, m->defaults ? m->defaults : "",
             bs_method_own(m, "tag") ? bs_method_own(m, "tag") : "", words);
    scene *c = tag_scene(all, N);
    for (int i = 0; i < BS_STAGES && m->stage[i].trains; i++)
        if (strcmp(m->stage[i].trains, trains) == 0 && m->stage[i].loss != bs_loss_cross_entropy)
            last = i;         /* not the one that a net may begin with */
    bs_cost_augmented(&c->s); /* declares net/cost, as the other stage does */
    *loss = m->stage[last].loss(&c->s);
    return c;
}

/* That the loss of a stage, and its gradient, change when some parameters do; or do not. */
static void must_change(bool must, const char *method, const char *trains, const char *words,
                        const char *shaken)
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
    double by = fabs(scene_number(c, at) - before);
    double gradient = distance(grad, ((real *)host_of(c->learner.params->block.grad)), n, 1e-9);
    CHECK(must ? by > 1e-5 && gradient > 1e-5 : by == 0 && gradient == 0,
          "%s, %s: %s changes the loss of %s by %.3g and its gradient by %.3g", method, words,
          shaken, trains, by, gradient);
    free(grad);
    scene_free(c);
}

static void the_cost_augmented_output_reaches_the_losses(void **state)
{
    static const char *const methods[] = {"infnet+", "seal-margin-compound"};
    static const char *const forms[] = {"infnet.form=separated", "infnet.form=shared",
                                        "infnet.form=stacked infnet.hidden=0",
                                        "infnet.form=stacked infnet.hidden=-1"};
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
    must_change(true, "infnet", "energy/", "", "net/T/");
    must_change(true, "infnet", "energy/", "mode=code", "net/T/");
    must_change(true, "infnet+", "energy/", "infnet.form=separated", "net/tags/");
    must_change(false, "infnet+", "energy/", "infnet.form=separated perceptron=0", "net/tags/");
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
        must_change(true, by_turns[i], "net/", "", "energy/W");
        must_change(true, by_turns[i], "net/", "", "energy/tags/");
        must_change(true, by_turns[i], "net/", "energy.kind=lm-words mode=code",
                    "energy/lm/words/");
    }
}

/* In a stacked net the truth is an input, and A is cut off from what F learns; not in mode=code. */
static void a_stacked_net_is_cut_off_below(void **state)
{
    (void)state;
    for (int code = 0; code < 2; code++) {
        scene *c = tag_scene(code ? "mode=code" : "mode=paper", N);
        bs_id  y = bs_cost_augmented(&c->s), d[SCENE_PARAMS], theta[SCENE_PARAMS], below = 0;
        bs_id  total = bs_sum(c->g, bs_square(c->g, y));
        int    segment[SCENE_PARAMS];
        int n = bs_params_nodes(c->g, c->learner.params, "net/", theta, segment, SCENE_PARAMS - 1);
        theta[n] = c->s.v.gold;
        bs_grad(c->g, total, theta, n + 1, d, true);
        for (int i = 0; i < n; i++) {
            if (bs_params_has_prefix(c->learner.params->segment[segment[i]].name, "net/cost/"))
                continue;
            bs_id square = bs_sum(c->g, bs_square(c->g, d[i]));
            below = below ? bs_add(c->g, below, square) : square;
        }
        int at = scene_result(c, below, -1);
        int truth = scene_result(c, bs_sum(c->g, bs_square(c->g, d[n])), -1);
        scene_start(c, 3);
        machine_run(&c->m, 1);
        assert_true(code ? scene_number(c, at) > 1e-6 : scene_number(c, at) == 0);
        assert_true(scene_number(c, truth) > 1e-6);
        scene_free(c);
    }
}

/* Each word counts as much as its tag says. */
static void weights_are_those_of_tags(void **state)
{
    (void)state;
    scene *c = tag_scene("weights=balanced", N);
    bs_id  z = bs_net_logits(&c->s);
    scene_result(c, z, -1);
    scene_result(c, c->s.t->cross_entropy(&c->s.v, z), -1);
    scene_start(c, 3);
    machine_run(&c->m, 1);
    for (int s = 0; s < B; s++) {
        double sum = 0;
        for (int t = 0; t < tag_length(s); t++) {
            const real *at = machine_value(&c->m, 0) + (s * T + t) * N;
            const int   gold = tag_gold(s, t, N);
            double      all = 0;
            for (int k = 0; k < N; k++)
                all += exp((double)at[k]);
            sum += scene_weight(gold) * (log(all) - (double)at[gold]);
        }
        assert_true(fabs((double)machine_value(&c->m, 1)[s] - sum) < 1e-10);
    }
    scene_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_differences),
        cmocka_unit_test(weights_are_those_of_tags),
        cmocka_unit_test(unrolled_language_models_are_refused),
        cmocka_unit_test(padding_never_counts),
        cmocka_unit_test(a_random_field_counts_all_sequences),
        cmocka_unit_test(a_random_field_needs_a_chain),
        cmocka_unit_test(the_cost_augmented_output_reaches_the_losses),
        cmocka_unit_test(nets_see_each_other),
        cmocka_unit_test(a_stacked_net_is_cut_off_below),
    };
    return cmocka_run_group_tests_name("losses of tags, double", tests, NULL, NULL);
}
