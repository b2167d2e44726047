/* test_golden_methods.c -- losses of the training methods and steps of gradient-based inference
 * agree with PyTorch. The same in double precision: test64_golden_methods.c. */
#include "tests/golden.h"

#include "method/loss.h"
#include "task/mlc/data.h"

/* ---- losses ---- */

enum { B = 3, D = 3, L = 4, W = 2 };

typedef struct {
    golden     *c;
    bs_settings settings[32]; /* one for each loss: nodes are built with it */
    bs_net_spec spec;
    bs_id       x, gold;
    int         n;
} methods;

static methods *methods_new(const char *file)
{
    methods *m = calloc(1, sizeof *m);
    m->c = golden_new(file);
    m->x = golden_input(m->c, "x");
    m->gold = golden_input(m->c, "gold");
    return m;
}

static bs_loss_context methods_scene(methods *m, const char *words)
{
    basin_error   err = {0};
    bs_mlc_known  own = {.schema = {.n_features = D, .n_labels = L, .dense = true}};
    bs_preprocess known = {.own = &own};
    bs_settings  *s = &m->settings[m->n++];
    assert_int_equal(bs_settings_default(s, &err), BASIN_OK);
    CHECK(bs_settings_words(s, "net.layers=1 net.width=2 net.dropout=0 energy.hidden=3", "test",
                            &err) == BASIN_OK,
          "%s", err.msg);
    CHECK(bs_settings_words(s, words, "test", &err) == BASIN_OK, "%s", err.msg);
    assert_int_equal(bs_task_mlc.spec(&s->train, &known, &m->spec, &err), BASIN_OK);
    return (bs_loss_context){.t = m->spec.graph,
                             .o = &s->train,
                             .v = {.g = m->c->g,
                                   .params = m->c->params,
                                   .spec = &m->spec,
                                   .size = {B, 1, 1},
                                   .x = {{m->x}, 1},
                                   .gold = m->gold}};
}

static bs_id flat_gradient(methods *m, bs_id loss, const bs_id *wrt, int n)
{
    bs_graph *g = m->c->g;
    bs_id     d[8], all = 0;
    bs_grad(g, loss, wrt, n, d, true);
    for (int i = 0; i < n; i++) {
        bs_id row = bs_reshape(g, d[i], bs_shape1((int)bs_shape_count(bs_shape_of(g, d[i]))));
        all = all ? bs_concat(g, all, row, -1) : row;
    }
    return all;
}

/* The loss called NAME, and d:NAME by the parameters that it trains, in the file's order. */
static void expect_loss(methods *m, const char *name, bs_id loss, const bs_id *wrt, int n)
{
    char want[GOLDEN_NAME];
    golden_expect(m->c, loss, name);
    snprintf(want, sizeof want, "d:%s", name);
    golden_expect(m->c, flat_gradient(m, loss, wrt, n), want);
}

static bs_id parameter(methods *m, const char *name, int rows, int columns)
{
    return bs_param(m->c->g, m->c->params, name, bs_shape2(rows, columns), bs_init_zero());
}

static void expect_of_energy(methods *m, const char *name, bs_loss loss, const char *words)
{
    bs_loss_context s = methods_scene(m, words);
    bs_id           value = loss(&s);
    bs_id wrt[] = {parameter(m, "energy/T/0/W", D, W),    parameter(m, "energy/T/0/b", 1, W),
                   parameter(m, "energy/labels/W", W, L), parameter(m, "energy/M/W", L, 3),
                   parameter(m, "energy/M/b", 1, 3),      parameter(m, "energy/v", 3, 1)};
    expect_loss(m, name, value, wrt, 6);
}

static void expect_of_net(methods *m, const char *name, bs_loss loss, const char *words)
{
    bs_loss_context s = methods_scene(m, words);
    bs_id           value = loss(&s);

    bs_id wrt[] = {parameter(m, "net/T/0/W", D, W), parameter(m, "net/T/0/b", 1, W),
                   parameter(m, "net/labels/W", W, L), parameter(m, "net/cost/out/W", 2 * L, L),
                   parameter(m, "net/cost/out/b", 1, L)};
    expect_loss(m, name, value, wrt, 5);
}

static void methods_check(methods *m)
{
    golden_check(m->c);
    free(m);
}

static void losses_of_the_energy(void **state)
{
    (void)state;
    methods *m = methods_new("loss_energy");
    expect_of_energy(m, "nce", bs_loss_nce, "samples=3");
    expect_of_energy(m, "ranking", bs_loss_ranking, "samples=3");
    expect_of_energy(m, "regression", bs_loss_regression, "");
    expect_of_energy(m, "regression_s", bs_loss_regression_s, "samples=4 samples.noise=1.5");
    expect_of_energy(m, "regression_quiet", bs_loss_regression_s, "samples=4 samples.noise=0");
    expect_of_energy(m, "margin_l1", bs_loss_margin, "cost=l1");
    expect_of_energy(m, "margin_f1", bs_loss_margin, "cost=f1 energy.l2=0.25");
    expect_of_energy(m, "compound", bs_loss_compound,
                     "cost=l1 infnet.form=stacked infnet.hidden=0 perceptron=0.5");
    expect_of_energy(m, "adversarial", bs_loss_adversarial, "alen.net=0.75");
    expect_of_energy(m, "least_squares", bs_loss_least_squares,
                     "alen.net=0.75 alen.refined=0.5 gbi.rule=normalised gbi.steps=3 gbi.lr=0.25 "
                     "gbi.best=no");
    expect_of_energy(m, "dvn", bs_loss_value_search, "gbi.steps=4 gbi.lr=0.3");
    expect_of_energy(m, "unrolled", bs_loss_unrolled,
                     "gbi.steps=4 gbi.lr=0.5 gbi.rule=momentum gbi.momentum=0.5 gbi.space=logits "
                     "gbi.start=net gbi.entropy=1");
    methods_check(m);
}

static bs_id soft_f1(bs_loss_context *s)
{
    return bs_mean(s->v.g, s->t->score(&s->v, bs_net_output(s)));
}

static void losses_of_the_net(void **state)
{
    (void)state;
    methods *m = methods_new("loss_net");
    expect_of_net(m, "ce", bs_loss_cross_entropy, "");
    expect_of_net(m, "energy", bs_loss_net, "ce.weight=0.5 energy.weight=2");
    expect_of_net(m, "value", bs_loss_net, "net.loss=value energy.weight=2");
    expect_of_net(m, "alen", bs_loss_alen_net, "energy.weight=2");
    expect_of_net(m, "infnet", bs_loss_infnet,
                  "cost=l1 infnet.form=stacked infnet.hidden=0 perceptron=0.5 energy.weight=2 "
                  "ce.weight=0.5");
    expect_of_net(m, "score", soft_f1, "");
    methods_check(m);
}

/* ---- gradient-based inference ---- */

/* (y - c)' A (y - c) / 2 */
typedef struct {
    bs_id A, c;
} bowl;

static bs_id bowl_at(bs_output_space *v, void *ctx, bs_id y)
{
    bowl *b = ctx;
    bs_id d = bs_sub(v->g, y, b->c);
    bs_id rows = bs_reshape(v->g, d, bs_shape2(B, L));
    bs_id product = bs_matmul(v->g, rows, b->A, false, false);
    return bs_scale(
        v->g, bs_output_total(v, bs_mul(v->g, d, bs_reshape(v->g, product, bs_shape3(B, 1, L)))),
        0.5);
}

static void steps_of_inference(void **state)
{
    static const struct {
        const char *name;
        bs_gbi_rule rule;
        bool        logits;
        double      rate;
    } way[] = {{"adam:logits", BS_GBI_ADAM, true, 0.125},
               {"adam:projected", BS_GBI_ADAM, false, 0.125},
               {"momentum:logits", BS_GBI_MOMENTUM, true, 0.25},
               {"momentum:projected", BS_GBI_MOMENTUM, false, 0.25}};
    (void)state;
    golden            *c = golden_new("gbi");
    const bs_mlc_shape shape = {.labels = L};
    bs_net_spec        spec =
        bs_net_spec_make(&bs_task_space_mlc, (bs_size){1, 1, 1}, &shape, sizeof shape);
    bs_output_space v = {.g = c->g, .params = c->params, .spec = &spec, .size = {B, 1, 1}};
    bowl            b = {golden_input(c, "A"), golden_input(c, "c")};
    bs_id           start = golden_input(c, "start");
    for (int i = 0; i < 4; i++)
        for (int t = 1; t <= 6; t++) {
            bs_gbi o = {.rule = way[i].rule,
                        .logits = way[i].logits,
                        .steps = t,
                        .starts = 1,
                        .rate = way[i].rate,
                        .momentum = 0.5};
            char   want[GOLDEN_NAME];
            snprintf(want, sizeof want, "%s:%d", way[i].name, t);
            golden_expect(c, bs_gbi_search(&v, &o, bowl_at, &b, start).y, want);
        }
    golden_check(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_of_the_energy),
        cmocka_unit_test(losses_of_the_net),
        cmocka_unit_test(steps_of_inference),
    };
    const char *name = sizeof(real) == 8 ? "golden methods, double" : "golden methods";
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}
