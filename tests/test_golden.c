/* test_golden.c -- layers, losses, optimisers and the energy of SPEN agree with PyTorch, whose
 * results lie in tests/golden. The same in double precision: test64_golden.c. */
#include "nn/transformer.h"
#include "tests/energy.h"
#include "tests/golden.h"

#include "tests/optim_step.h"

/* ---- layers ---- */

/* Two softplus layers and a linear one, as in the files that start with mlp. */
static bs_id network(golden *c, bs_id x)
{
    bs_mlp_shape shape = {2, 7, BS_SOFTPLUS, 0, false, 1};
    bs_id        h = bs_mlp(&c->nn, "net", x, &shape);
    return bs_linear(&c->nn, "out", h, 3, bs_init_zero(), true);
}

static void mlp(void **state)
{
    (void)state;
    golden *c = golden_new("mlp");
    bs_id   x = golden_input(c, "x"), y = network(c, x);
    golden_expect(c, y, "y");
    golden_expect_gradients(c, bs_dot(c->g, y, golden_input(c, "c")), x, "x");
    golden_check(c);
}

static void mlp_on_a_sparse_input(void **state)
{
    (void)state;
    golden *c = golden_new("mlp_csr");
    bs_id   y = network(c, golden_csr(c, "x"));
    golden_expect(c, y, "y");
    golden_expect_gradients(c, bs_dot(c->g, y, golden_input(c, "c")), 0, NULL);
    golden_check(c);
}

/* The same file through a dense product: only the kernels differ. */
static void mlp_on_a_sparse_input_made_dense(void **state)
{
    (void)state;
    golden *c = golden_new("mlp_csr");
    bs_id   y = network(c, golden_input(c, "x"));
    golden_expect(c, y, "y");
    golden_expect_gradients(c, bs_dot(c->g, y, golden_input(c, "c")), 0, NULL);
    golden_check(c);
}

static void bilstm(void **state)
{
    (void)state;
    golden *c = golden_new("bilstm");
    bs_id   x = golden_input(c, "x");
    bs_id   h = bs_bilstm(&c->nn, "lstm", x, golden_int(c, "len"), 2, 2, 0);
    golden_expect(c, h, "h");
    golden_expect_gradients(c, bs_dot(c->g, h, golden_input(c, "c")), x, "x");
    golden_check(c);
}

static void convolutions(void **state)
{
    static const bs_conv_shape layer[] = {{2, 5, 1, 2, BS_RELU}, {3, 5, 2, 2, BS_RELU}};
    (void)state;
    golden *c = golden_new("conv");
    bs_id   keep[2], x = golden_input(c, "x");
    bs_id   h = bs_conv_stack(&c->nn, "conv", x, layer, 2, keep);
    bs_id   w = bs_param(c->g, c->params, "up/W", bs_shape4(3, 1, 4, 4), bs_init_zero());
    bs_id   y = bs_conv_transposed(c->g, h, w, 2, 1);
    assert_int_equal(keep[1], h);
    assert_true(bs_shape_equal(bs_shape_of(c->g, keep[0]), bs_shape4(2, 2, 7, 8)));
    golden_expect(c, y, "y");
    golden_expect_gradients(c, bs_dot(c->g, y, golden_input(c, "c")), x, "x");
    golden_check(c);
}

static void embedding_with_padding(void **state)
{
    (void)state;
    golden *c = golden_new("embedding");
    bs_id   y = bs_embedding(&c->nn, "words", golden_int(c, "index"), 6, 3, bs_init_zero());
    golden_expect(c, y, "y");
    golden_expect_gradients(c, bs_dot(c->g, y, golden_input(c, "c")), 0, NULL);
    golden_check(c);
}

static void layer_norm_and_gelu(void **state)
{
    (void)state;
    golden *c = golden_new("norm");
    bs_id   x = golden_input(c, "x");
    bs_id   gain = bs_param(c->g, c->params, "gain", bs_shape1(9), bs_init_constant(1));
    bs_id   bias = bs_param(c->g, c->params, "bias", bs_shape1(9), bs_init_zero());
    bs_id   y = bs_activate(c->g, BS_GELU, bs_layer_norm(c->g, x, gain, bias, 1e-5));
    golden_expect(c, y, "y");
    golden_expect_gradients(c, bs_dot(c->g, y, golden_input(c, "c")), x, "x");
    golden_check(c);
}

/* Rows of no document have values, too, which nothing may depend on. */
static void transformer_layers(void **state)
{
    static const bs_transformer_shape shape = {.layers = 2,
                                               .width = 4,
                                               .heads = 2,
                                               .inner = 6,
                                               .vocabulary = 7,
                                               .positions = 6,
                                               .first_position = 2,
                                               .types = 2,
                                               .pooler = true,
                                               .eps = 1e-3};
    static const bs_transformer_use   all = {.trained = 2, .rate = 1, .decay = 1};
    (void)state;
    golden                    *c = golden_new("transformer");
    const bs_transformer_input in = {.piece = golden_int(c, "piece"),
                                     .position = golden_int(c, "position"),
                                     .start = golden_int(c, "start")};
    bs_id                      hidden = bs_transformer(&c->nn, "net", &shape, &all, &in);
    bs_id pooled = bs_transformer_pool(&c->nn, "net", &shape, &all, hidden, golden_csr(c, "first"));
    hidden = bs_mul(c->g, hidden, golden_input(c, "inside"));
    golden_expect(c, hidden, "hidden");
    golden_expect(c, pooled, "pooled");
    bs_id loss = bs_add(c->g, bs_dot(c->g, pooled, golden_input(c, "c")),
                        bs_dot(c->g, hidden, golden_input(c, "e")));
    golden_expect_gradients(c, loss, 0, NULL);
    golden_check(c);
}

/* ---- losses ---- */

static void expect_loss(golden *c, bs_id loss, bs_id z, const char *name)
{
    char  want[GOLDEN_NAME];
    bs_id dz;
    bs_grad(c->g, loss, &z, 1, &dz, false);
    golden_expect(c, loss, name);
    snprintf(want, sizeof want, "d:%s:z", name);
    golden_expect(c, dz, want);
}

static void losses(void **state)
{
    (void)state;
    golden   *c = golden_new("losses");
    bs_graph *g = c->g;
    bs_id     z = golden_input(c, "z"), y = golden_input(c, "y");
    bs_id     log_p = bs_log_softmax(g, z, -1), p = bs_sigmoid(g, z);
    golden_expect(c, log_p, "log_softmax");
    expect_loss(c, bs_neg(g, bs_mean(g, bs_take(g, log_p, golden_int(c, "index"), -1))), z, "pick");
    bs_id bce = bs_sub(g, bs_softplus(g, z), bs_mul(g, y, z));
    expect_loss(c, bs_mean(g, bs_sum_axis(g, bce, -1)), z, "bce");
    bs_id hits = bs_scale(g, bs_sum_axis(g, bs_mul(g, y, p), -1), 2);
    bs_id both = bs_sum_axis(g, bs_add(g, y, p), -1);
    expect_loss(c, bs_mean(g, bs_div_safe(g, hits, both, 1e-20)), z, "f1");
    golden_check(c);
}

/* ---- optimisers ---- */

static bs_optim_options optimiser_options(golden *c, const char *rule)
{
    bs_optim_options o;
    assert_int_equal(bs_options_default(bs_optim_rows, &o, NULL), BASIN_OK);
    assert_int_equal(bs_options_set(bs_optim_rows, &o, "optim.rule", rule, "test", NULL), BASIN_OK);
    o.rate = golden_number(c, "rate");
    o.momentum = golden_number(c, "momentum");
    o.decay = golden_number(c, "decay");
    o.clip = golden_number(c, "clip");
    return o;
}

/* All parameters in a row, without the padding between them. */
static void flatten(const bs_params *p, real *out)
{
    for (int i = 0; i < p->n; i++) {
        const bs_segment *s = &p->segment[i];
        memcpy(out, (real *)host_of(p->block.value) + s->offset, (size_t)s->count * sizeof(real));
        out += s->count;
    }
}

static void ten_steps(golden *c, const bs_optim_options *o)
{
    basin_error err = {0};
    bs_buffer  *log = buffer_of(2);
    bs_optim   *optim;
    machine     m = golden_machine(c);
    CHECK(bs_optim_new(m.w, c->params, "", o, &optim, &err) == BASIN_OK, "optimiser: %s", err.msg);
    for (int step = 1; step <= 10; step++) {
        char name[32];
        real now[64], length;
        machine_run(&m, 1);
        snprintf(name, sizeof name, "norm:%d", step);
        length = (real)step_now(optim, true, log);
        golden_compare(c, &length, golden_find(c, name));
        snprintf(name, sizeof name, "step:%d", step);
        const golden_tensor *want = golden_find(c, name);
        assert_int_equal(want->count, bs_params_count(c->params, ""));
        flatten(c->params, now);
        golden_compare(c, now, want);
    }
    bs_optim_free(optim);
    bs_buffer_free(log);
    machine_free(&m);
}

static void optimiser(const char *file, const char *rule, bool groups)
{
    golden      *c = golden_new(file);
    bs_mlp_shape shape = {1, 4, BS_SOFTPLUS, 0, false, 1};
    bs_id        h = bs_mlp(&c->nn, "net", golden_input(c, "x"), &shape);
    bs_id        y = bs_linear(&c->nn, "out", h, 2, bs_init_zero(), true);
    bs_id        loss = bs_mean(c->g, bs_square(c->g, bs_sub(c->g, y, golden_input(c, "t"))));
    bs_id        ids[8], d[8];
    int          segment[8], n = bs_params_nodes(c->g, c->params, "", ids, segment, 8);
    check_graph(c->g);
    bs_grad(c->g, loss, ids, n, d, false);
    for (int i = 0; i < n; i++)
        c->result[c->n_results++] = (bs_result){d[i], segment[i]};
    golden_load_params(c);
    for (int i = 0; i < c->params->n && groups; i++) {
        bs_segment *s = &c->params->segment[i];
        s->rate = bs_params_has_prefix(s->name, "out") ? 0.5 : 1;
        s->decay = strstr(s->name, "/b") ? 0 : 1;
    }
    bs_optim_options o = optimiser_options(c, rule);
    ten_steps(c, &o);
    golden_free(c);
}

static void sgd(void **state)
{
    (void)state;
    optimiser("optim_sgd", "sgd", false);
}

static void sgd_with_clipping(void **state)
{
    (void)state;
    optimiser("optim_clip", "sgd", false);
}

static void adam(void **state)
{
    (void)state;
    optimiser("optim_adam", "adam", false);
}

static void adam_with_coupled_decay(void **state)
{
    (void)state;
    optimiser("optim_adam_coupled", "adam", false);
}

static void adamw(void **state)
{
    (void)state;
    optimiser("optim_adamw", "adamw", false);
}

static void adamw_with_factors_per_segment(void **state)
{
    (void)state;
    optimiser("optim_adamw_groups", "adamw", true);
}

/* ---- the energy ---- */

static void energy_network(void **state)
{
    (void)state;
    golden   *c = golden_new("spen");
    bs_graph *g = c->g;
    energy    e = {.nn = c->nn, .x = golden_input(c, "x"), .labels = 5, .hidden = 4};
    bs_id     y = golden_input(c, "y"), v = golden_input(c, "direction"), dy;
    bs_id     total = energy_of(g, &e, y);
    bs_grad(g, total, &y, 1, &dy, false);
    golden_expect(c, total, "E");
    golden_expect(c, dy, "dy");
    golden_expect(c, bs_hvp(g, energy_of, &e, y, v, BS_HVP_EXACT, 0), "Hv");
    bs_id z = golden_input(c, "z");
    bs_id last = bs_sigmoid(g, unroll(g, &e, z, 5, 0.7));
    bs_id miss = bs_sub(g, last, golden_input(c, "target"));
    golden_expect(c, last, "y_K");
    golden_expect_gradients(c, bs_sum(g, bs_square(g, miss)), z, "z");
    golden_check(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mlp),
        cmocka_unit_test(mlp_on_a_sparse_input),
        cmocka_unit_test(mlp_on_a_sparse_input_made_dense),
        cmocka_unit_test(bilstm),
        cmocka_unit_test(convolutions),
        cmocka_unit_test(embedding_with_padding),
        cmocka_unit_test(layer_norm_and_gelu),
        cmocka_unit_test(transformer_layers),
        cmocka_unit_test(losses),
        cmocka_unit_test(sgd),
        cmocka_unit_test(sgd_with_clipping),
        cmocka_unit_test(adam),
        cmocka_unit_test(adam_with_coupled_decay),
        cmocka_unit_test(adamw),
        cmocka_unit_test(adamw_with_factors_per_segment),
        cmocka_unit_test(energy_network),
    };
    return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
