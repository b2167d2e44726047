/* test_nn.c -- parameters and layers: what they promise beside the right numbers, which are
 * test_golden.c's. Names, initial values, dropout. */
#include "tests/declaration.h"

#include "nn/encoder.h"

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof(a)[0]))

/* ---- names ---- */

static void the_same_name_is_the_same_node(void **state)
{
    (void)state;
    bs_graph  *g = bs_graph_new();
    bs_params *p = bs_params_new();
    bs_id      a = bs_param(g, p, "net/W", bs_shape2(3, 5), bs_init_zero());
    bs_id      b = bs_param(g, p, "net/b", bs_shape1(5), bs_init_zero());
    assert_true(a > 0 && b > 0 && a != b);
    assert_int_equal(bs_param(g, p, "net/W", bs_shape2(3, 5), bs_init_normal(1)), a);
    assert_int_equal(p->n, 2);
    assert_int_equal(bs_params_count(p, ""), 20);
    assert_int_equal(bs_params_count(p, "net/b"), 5);
    assert_int_equal(bs_params_count(p, "other"), 0);
    assert_ptr_equal(bs_params_find(p, "net/b"), &p->segment[1]);
    assert_null(bs_params_find(p, "net"));
    bs_id ids[2];
    int   segment[2];
    assert_int_equal(bs_params_nodes(g, p, "net/", ids, segment, 1), 1);
    assert_int_equal(bs_params_nodes(g, p, "net/", ids, segment, 2), 2);
    assert_true(ids[0] == a && ids[1] == b && segment[0] == 0 && segment[1] == 1);
    check_graph(g);
    bs_params_free(p);
    bs_graph_free(g);
}

static void another_shape_is_refused(void **state)
{
    (void)state;
    basin_error err = {0};
    bs_graph   *g = bs_graph_new();
    bs_params  *p = bs_params_new();
    bs_param(g, p, "net/W", bs_shape2(3, 5), bs_init_zero());
    assert_int_equal(bs_param(g, p, "net/W", bs_shape2(5, 3), bs_init_zero()), 0);
    assert_int_equal(bs_graph_check(g, &err), BASIN_EARG);
    CHECK(strstr(err.msg, "net/W") && strstr(err.msg, "[3, 5]") && strstr(err.msg, "[5, 3]"),
          "message: %s", err.msg);
    /* the store is as it was, and a graph that failed declares nothing more */
    assert_int_equal(bs_param(g, p, "later", bs_shape1(2), bs_init_zero()), 0);
    assert_int_equal(p->n, 1);
    bs_params_free(p);
    bs_graph_free(g);
}

static void new_names_are_refused_once_the_blocks_exist(void **state)
{
    (void)state;
    basin_error err = {0};
    bs_params  *p = bs_params_new();
    bs_graph   *g = bs_graph_new();
    bs_param(g, p, "net/W", bs_shape2(3, 5), bs_init_zero());
    bs_graph_free(g);
    assert_int_equal(bs_params_allocate(p, device_here(), 1, &err), BASIN_OK);
    g = bs_graph_new();
    assert_true(bs_param(g, p, "net/W", bs_shape2(3, 5), bs_init_zero()) > 0);
    check_graph(g);
    assert_int_equal(bs_param(g, p, "net/V", bs_shape2(3, 5), bs_init_zero()), 0);
    assert_int_equal(bs_graph_check(g, &err), BASIN_EARG);
    CHECK(strstr(err.msg, "net/V"), "message: %s", err.msg);
    assert_int_equal(p->n, 1);
    bs_graph_free(g);
    bs_params_free(p);
}

/* ---- initial values ---- */

enum { MANY_ROWS = 200, MANY_COLS = 300, MANY = MANY_ROWS * MANY_COLS };

/* Bounds, mean and variance, within four standard errors. */
static void initial_values_have_the_right_distribution(void **state)
{
    const bs_shape s = bs_shape2(MANY_ROWS, MANY_COLS);
    const struct {
        declaration d;
        double      bound, variance; /* bound 0 = none */
    } row[] = {{{"uniform", s, bs_init_uniform(0.3)}, 0.3, 0.09 / 3},
               {{"kaiming", s, bs_init_kaiming(24)}, 0.5, 0.25 / 3},
               {{"xavier", s, bs_init_xavier(50, 46)}, 0.25, 0.0625 / 3},
               {{"normal", s, bs_init_normal(0.7)}, 0, 0.49}};
    (void)state;
    for (int k = 0; k < COUNT_OF(row); k++) {
        bs_params  *p = store_of(&row[k].d, 1, 5);
        const real *w = ((real *)host_of(p->block.value));
        double      sum = 0, square = 0, most = 0;
        for (int i = 0; i < MANY; i++) {
            sum += (double)w[i];
            square += (double)w[i] * (double)w[i];
            most = fmax(most, fabs((double)w[i]));
        }
        double mean = sum / MANY, variance = square / MANY - mean * mean;
        CHECK(fabs(mean) < 4 * sqrt(row[k].variance / MANY), "%s: mean %g", row[k].d.name, mean);
        CHECK(fabs(variance / row[k].variance - 1) < 4 * sqrt(2.0 / MANY), "%s: variance %g",
              row[k].d.name, variance);
        if (row[k].bound > 0)
            CHECK(most <= row[k].bound * (1 + 1e-7) && most > 0.999 * row[k].bound,
                  "%s: largest %g", row[k].d.name, most);
        else
            CHECK(most > 3.5 * 0.7 && most < 6 * 0.7, "%s: largest %g", row[k].d.name, most);
        bs_params_free(p);
    }
}

static void constants_and_gate_biases(void **state)
{
    const declaration d[] = {{"zero", bs_shape1(5), bs_init_zero()},
                             {"constant", bs_shape1(5), bs_init_constant(-2.5)},
                             {"gates", bs_shape1(12), bs_init_gate_bias(1)}};
    (void)state;
    bs_params *p = store_of(d, COUNT_OF(d), 1);
    for (int i = 0; i < 5; i++) {
        assert_true(values_of(p, "zero")[i] == 0);
        assert_true(values_of(p, "constant")[i] == BS_REAL(-2.5));
    }
    for (int i = 0; i < 12; i++)
        assert_true(values_of(p, "gates")[i] == (i >= 3 && i < 6));
    bs_params_free(p);
}

/* W W' = gain^2 I by rows, or W' W by columns of a tall matrix. */
static void orthogonal_means_orthogonal(void **state)
{
    const declaration d[] = {{"wide", bs_shape2(20, 50), bs_init_orthogonal(1)},
                             {"tall", bs_shape2(50, 20), bs_init_orthogonal(1.7)},
                             {"square", bs_shape2(40, 40), bs_init_orthogonal(0.5)},
                             {"kernels", bs_shape4(8, 4, 3, 3), bs_init_orthogonal(1)}};
    (void)state;
    bs_params *p = store_of(d, COUNT_OF(d), 9);
    for (int k = 0; k < p->n; k++) {
        const bs_segment *s = &p->segment[k];
        const real       *w = (real *)host_of(p->block.value) + s->offset;
        const int64_t     c = s->shape.d[3], r = s->count / c;
        const int64_t     n = r < c ? r : c, len = r < c ? c : r;
        const double      gain = s->init.value;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) {
                double dot = 0;
                for (int64_t l = 0; l < len; l++)
                    dot += r < c ? (double)w[i * c + l] * (double)w[j * c + l]
                                 : (double)w[l * c + i] * (double)w[l * c + j];
                CHECK(fabs(dot - (i == j ? gain * gain : 0)) < 1e-6, "%s: %d, %d: %g", s->name,
                      (int)i, (int)j, dot);
            }
    }
    bs_params_free(p);
}

static void initial_values_depend_on_seed_and_name_only(void **state)
{
    const bs_shape    s = bs_shape2(7, 9);
    const declaration d[] = {{"a/W", s, bs_init_normal(1)},
                             {"b/W", s, bs_init_normal(1)},
                             {"c/W", s, bs_init_orthogonal(1)}};
    const declaration other[] = {{"z/W", bs_shape2(31, 3), bs_init_uniform(1)},
                                 {"c/W", s, bs_init_orthogonal(1)},
                                 {"b/W", s, bs_init_normal(1)},
                                 {"y/b", bs_shape1(1), bs_init_zero()},
                                 {"a/W", s, bs_init_normal(1)}};
    const size_t      bytes = 63 * sizeof(real);
    (void)state;
    bs_params *p = store_of(d, COUNT_OF(d), 3), *q = store_of(other, COUNT_OF(other), 3);
    bs_params *r = store_of(d, COUNT_OF(d), 4);
    for (int i = 0; i < COUNT_OF(d); i++) {
        const char *name = d[i].name;
        CHECK(memcmp(values_of(p, name), values_of(q, name), bytes) == 0, "%s: the order counts",
              name);
        CHECK(memcmp(values_of(p, name), values_of(r, name), bytes) != 0, "%s: the seed does not",
              name);
    }
    assert_memory_not_equal(values_of(p, "a/W"), values_of(p, "b/W"), bytes);
    assert_int_equal(bs_params_renew(r, "", 3, NULL), BASIN_OK);
    assert_memory_equal(((real *)host_of(p->block.value)), ((real *)host_of(r->block.value)),
                        (size_t)p->size * sizeof(real));
    bs_params_free(p);
    bs_params_free(q);
    bs_params_free(r);
}

/* ---- dropout ---- */

static void run_dropout(machine *m, uint64_t seed, uint64_t step, real *out)
{
    assert_int_equal(bs_program_run(m->p, &(bs_run){seed, step}, NULL), BASIN_OK);
    memcpy(out, machine_value(m, 0), MANY * sizeof(real));
}

static void dropout_keeps_the_mean_and_follows_the_step(void **state)
{
    (void)state;
    const double keep = 0.7;
    const size_t bytes = MANY * sizeof(real);
    bs_graph    *g = bs_graph_new();
    bs_example   ex;
    bs_example_init(&ex, 2);
    bs_id x = bs_example_real(g, &ex, bs_shape2(MANY_ROWS, MANY_COLS), 1, 1), dx;
    bs_id y = bs_dropout(g, x, 1 - keep, 5), other = bs_dropout(g, x, 1 - keep, 6);
    bs_grad(g, y, &x, 1, &dx, false);
    assert_int_equal(bs_dropout(g, x, 0, 7), x);
    bs_result r[] = {{y, -1}, {other, -1}, {dx, -1}};
    machine   m = machine_new(g, &ex, r, 3, 0, 2);
    real     *a = malloc(bytes), *b = malloc(bytes);
    run_dropout(&m, 1, 1, a);
    double sum = 0;
    int    zeros = 0;
    for (int i = 0; i < MANY; i++) {
        zeros += a[i] == 0;
        sum += (double)a[i];
        CHECK(a[i] == 0 || fabs((double)a[i] * keep - 1) < 1e-6, "element %d: %g", i, (double)a[i]);
    }
    double error = sqrt((1 - keep) / keep / MANY);
    CHECK(fabs(sum / MANY - 1) < 4 * error, "mean %g", sum / MANY);
    CHECK(fabs((double)zeros / MANY - (1 - keep)) < 4 * error, "%d zeros", zeros);
    assert_memory_not_equal(machine_value(&m, 1), a, bytes); /* another stream */
    assert_memory_equal(machine_value(&m, 2), a, bytes);     /* the gradient has the same mask */
    run_dropout(&m, 1, 2, b);
    assert_memory_not_equal(a, b, bytes);
    run_dropout(&m, 2, 1, b);
    assert_memory_not_equal(a, b, bytes);
    run_dropout(&m, 1, 1, b);
    assert_memory_equal(a, b, bytes);
    free(a);
    free(b);
    machine_free(&m);
    bs_example_free(&ex);
    bs_graph_free(g);
}

/* Masks in a graph of all layers that have dropout; no two of them from the same stream. */
static int masks(bool training, double rate, bool last)
{
    bs_graph          *g = bs_graph_new();
    bs_params         *p = bs_params_new();
    bs_nn              nn = {g, p, training, 40};
    const bs_mlp_shape shape = {3, 5, BS_RELU, rate, last, 1};
    int                n = 0, stream[16];
    bs_id              len = bs_leaf(g, "len", BS_T_INT, bs_shape1(2));
    bs_mlp(&nn, "net", bs_leaf(g, "x", BS_T_REAL, bs_shape2(2, 6)), &shape);
    bs_bilstm(&nn, "lstm", bs_leaf(g, "s", BS_T_REAL, bs_shape3(4, 2, 6)), len, 3, 2, rate);
    check_graph(g);
    for (bs_id id = 1; id < bs_graph_size(g); id++)
        if (bs_graph_node(g, id)->op == BS_OP_uniform) {
            stream[n++] = bs_graph_node(g, id)->attr[0];
            for (int k = 0; k < n - 1; k++)
                assert_int_not_equal(stream[k], stream[n - 1]);
        }
    if (!training)
        assert_int_equal(nn.stream, 40);
    bs_params_free(p);
    bs_graph_free(g);
    return n;
}

static void dropout_is_absent_in_inference(void **state)
{
    (void)state;
    assert_int_equal(masks(true, 0.5, true), 6); /* 3 of the layers, 2 inputs and 1 output */
    assert_int_equal(masks(true, 0.5, false), 5);
    assert_int_equal(masks(true, 0, true), 0);
    assert_int_equal(masks(false, 0.5, true), 0);
}

/* ---- frozen parameters ---- */

static void frozen_parameters_have_no_other_blocks(void **state)
{
    (void)state;
    bs_graph  *g = bs_graph_new();
    bs_params *p = bs_params_new(), *plain = bs_params_new();
    bs_id      ids[4];
    int        segment[4];
    bs_param(g, p, "net/a", bs_shape2(3, 5), bs_init_uniform(1));
    bs_id table = bs_param_frozen(g, p, "net/table", bs_shape2(1000, 8), bs_init_uniform(1));
    bs_param(g, p, "net/b", bs_shape1(5), bs_init_uniform(1));
    assert_int_equal(bs_param(g, p, "net/table", bs_shape2(1000, 8), bs_init_zero()), table);
    bs_param(g, plain, "net/a", bs_shape2(3, 5), bs_init_uniform(1));
    bs_param(g, plain, "net/b", bs_shape1(5), bs_init_uniform(1));
    check_graph(g);
    assert_int_equal(bs_params_nodes(g, p, "net/", ids, segment, 4), 2);
    assert_true(segment[0] == 0 && segment[1] == 2);
    assert_int_equal(bs_params_count(p, "net/"), 20);
    assert_int_equal(bs_params_allocate(p, device_here(), 1, NULL), BASIN_OK);
    assert_int_equal(bs_params_allocate(plain, device_here(), 1, NULL), BASIN_OK);
    assert_int_equal(bs_params_allocate_state(p, NULL), BASIN_OK);
    const bs_buffer *moving[] = {p->block.grad, p->block.m, p->block.v};
    for (int i = 0; i < 3; i++)
        assert_int_equal(moving[i]->bytes, plain->block.value->bytes);
    assert_int_equal(p->block.value->bytes, plain->block.value->bytes + 8000 * sizeof(real));
    assert_int_equal(p->row[p->n], plain->row[plain->n]);

    /* values, and only those that are trained begin anew */
    real *w = host_of(p->block.value), *at = w + bs_params_find(p, "net/table")->offset;
    assert_memory_equal(w, host_of(plain->block.value), plain->block.value->bytes);
    const real was = at[7999], first = w[0];
    assert_true(was != 0 && fabs((double)was) <= 1);
    assert_int_equal(bs_params_renew(p, "net/", 2, NULL), BASIN_OK);
    assert_true(at[7999] == was && w[0] != first);
    bs_params_free(p);
    bs_params_free(plain);
    bs_graph_free(g);
}

/* ---- encoders ---- */

/* The features of three rows, two sentences of four words, or two photos of 8 x 8. */
/* ---- other devices ---- */

/* A device that maps nothing. */
static basin_status map_nothing(const bs_buffer *b, size_t at, size_t bytes, bs_access access,
                                void **out, basin_error *err)
{
    (void)b, (void)at, (void)bytes, (void)access;
    *out = NULL;
    return bs_fail_nomem(err);
}

static void parameters_go_to_another_device_or_fail(void **state)
{
    const declaration d = {"net/W", bs_shape2(4, 3), bs_init_normal(1)};
    bs_device         other = *bs_devices[0], full = other;
    bs_params        *p = store_of(&d, 1, 1), *there;
    basin_error       err = {0};
    (void)state;
    assert_int_equal(bs_params_on(p, &other, &there, &err), BASIN_OK);
    assert_true(there != p);
    assert_memory_equal(values_of(there, "net/W"), values_of(p, "net/W"), 12 * sizeof(real));
    bs_params_free(there);
    full.map = map_nothing;
    assert_int_equal(bs_params_on(p, &full, &there, &err), BASIN_ENOMEM);
    assert_null(there);
    bs_params_free(p);
}

static void build_encoder(bs_nn *nn, const bs_encoder *e, bs_id found[BS_SCALES])
{
    bs_graph              *g = nn->g;
    const bs_encoder_shape s = {.layers = 1, .width = 8, .members = 1};
    const bs_shape         shape[] = {[BS_READS_ROWS] = bs_shape2(3, 5),
                                      [BS_READS_SENTENCES] = bs_shape3(4, 2, 5),
                                      [BS_READS_PHOTOS] = bs_shape4(2, 3, 8, 8)};
    const bs_encoder_input in = {.x = bs_leaf(g, "x", BS_T_REAL, shape[e->reads]),
                                 .len = bs_leaf(g, "len", BS_T_INT, bs_shape1(2))};
    e->features(nn, "net/T", &s, &in, found);
    if (e->head)
        assert_true(bs_shape_equal(bs_shape_of(g, e->head(nn, "net", &s, found, 4)),
                                   bs_shape4(2, 4, 8, 8)));
}

static void encoders_say_what_they_read(void **state)
{
    (void)state;
    for (int i = 0; bs_encoders[i]; i++) {
        const bs_encoder *e = bs_encoders[i], *out;
        bs_id             found[BS_SCALES] = {0};
        bs_nn             nn = {bs_graph_new(), bs_params_new(), false, 1};
        assert_int_equal(bs_encoder_find(e->name, e->reads, &out, NULL), BASIN_OK);
        assert_ptr_equal(out, e);
        assert_true((e->reads == BS_READS_PHOTOS) == (e->head != NULL));
        build_encoder(&nn, e, found);
        check_graph(nn.g);
        assert_int_equal(bs_params_count(nn.params, "net/"), bs_params_count(nn.params, ""));
        bs_shape s = bs_shape_of(nn.g, found[0]);
        assert_int_equal(s.d[2], e->reads == BS_READS_ROWS        ? 3
                                 : e->reads == BS_READS_SENTENCES ? 2
                                                                  : 8);
        for (int k = 1; k < BS_SCALES && e->reads == BS_READS_PHOTOS; k++)
            assert_int_equal(bs_shape_of(nn.g, found[k]).d[3], 8 >> k);
        bs_params_free(nn.params);
        bs_graph_free(nn.g);
    }
}

static void encoders_of_other_inputs_are_refused(void **state)
{
    const bs_encoder *out;
    basin_error       err = {0};
    (void)state;
    assert_int_equal(bs_encoder_find("auto", BS_READS_SENTENCES, &out, NULL), BASIN_OK);
    assert_ptr_equal(out, &bs_encoder_bilstm);
    assert_int_equal(bs_encoder_find("unet", BS_READS_ROWS, &out, &err), BASIN_EARG);
    assert_null(out);
    assert_string_equal(err.msg, "net.kind: no net over rows is called 'unet'; see 'basin list "
                                 "encoders'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_name_is_the_same_node),
        cmocka_unit_test(another_shape_is_refused),
        cmocka_unit_test(new_names_are_refused_once_the_blocks_exist),
        cmocka_unit_test(initial_values_have_the_right_distribution),
        cmocka_unit_test(constants_and_gate_biases),
        cmocka_unit_test(orthogonal_means_orthogonal),
        cmocka_unit_test(initial_values_depend_on_seed_and_name_only),
        cmocka_unit_test(dropout_keeps_the_mean_and_follows_the_step),
        cmocka_unit_test(dropout_is_absent_in_inference),
        cmocka_unit_test(frozen_parameters_have_no_other_blocks),
        cmocka_unit_test(parameters_go_to_another_device_or_fail),
        cmocka_unit_test(encoders_say_what_they_read),
        cmocka_unit_test(encoders_of_other_inputs_are_refused),
    };
    return cmocka_run_group_tests_name("nn", tests, NULL, NULL);
}
