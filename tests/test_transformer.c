/* test_transformer.c -- encoders of text: their parameters, and documents alone and in a batch.
 * What they compute is compared in test_golden.c. */
#include "tests/harness.h"

#include "nn/transformer.h"

static const bs_transformer_shape small = {.layers = 2,
                                           .width = 8,
                                           .heads = 2,
                                           .inner = 12,
                                           .vocabulary = 30,
                                           .positions = 20,
                                           .types = 2,
                                           .pooler = true,
                                           .eps = 1e-12};

static int parameters(const bs_transformer_shape *s, bs_transformer_param *last, int64_t *count)
{
    int n = 0;
    *count = 0;
    while (bs_transformer_param_at(s, n, last)) {
        *count += bs_shape_count(last->shape);
        n++;
    }
    return n;
}

static void every_parameter_once(void **state)
{
    bs_transformer_shape s = small;
    bs_transformer_param p;
    int64_t              count;
    (void)state;
    assert_int_equal(parameters(&s, &p, &count), 5 + 2 * 12 + 2);
    assert_string_equal(p.name, "pooler/b");
    const int layer = 8 * 24 + 24 + 8 * 8 + 8 + 2 * 8 + 8 * 12 + 12 + 12 * 8 + 8 + 2 * 8;
    assert_int_equal(count, (30 + 20 + 2) * 8 + 2 * 8 + 2 * layer + 8 * 8 + 8);
    assert_true(bs_transformer_param_at(&s, 5 + 12 + 6, &p));
    assert_string_equal(p.name, "1/up/W");
    assert_true(bs_shape_equal(p.shape, bs_shape2(8, 12)));

    s.types = 0;
    s.pooler = false;
    assert_int_equal(parameters(&s, &p, &count), 4 + 2 * 12);
    assert_string_equal(p.name, "1/down/bias");
    s.first_position = 2;
    assert_int_equal(bs_transformer_longest(&s), 18);
}

/* ---- documents in batches ---- */

enum { DOCUMENTS = 3, ROWS = 64, WIDTH = 48, VOCABULARY = 40 };

static const bs_transformer_shape wide = {.layers = 2,
                                          .width = WIDTH,
                                          .heads = 3,
                                          .inner = 80,
                                          .vocabulary = VOCABULARY,
                                          .positions = 40,
                                          .types = 2,
                                          .pooler = true,
                                          .eps = 1e-12};

/* Documents of these lengths, packed into `rows` rows. */
typedef struct {
    int     n, rows;
    int32_t piece[ROWS], position[ROWS], start[DOCUMENTS + 1], at[ROWS];
    float   weight[ROWS];
    bs_csr  pool;
} packed;

static void pack(packed *p, const int *length, int n, int rows, uint32_t word)
{
    *p = (packed){.n = n, .rows = rows};
    for (int d = 0; d < n; d++) {
        p->start[d + 1] = p->start[d] + length[d];
        for (int i = 0; i < length[d]; i++) {
            const int at = p->start[d] + i;
            p->piece[at] = (int32_t)((word + (uint32_t)(length[d] * 7 + i * i)) % VOCABULARY);
            p->position[at] = i;
            p->at[at] = at;
            p->weight[at] = 1 / (float)length[d];
        }
    }
    for (int i = p->start[n]; i < rows; i++)
        p->piece[i] = p->position[i] = -1;
    p->pool = (bs_csr){n, rows, p->start, p->at, p->weight};
}

/* Pooled features of the packed documents. */
static void encode(const packed *p, bs_params *params, const bs_transformer_use *use, int threads,
                   unsigned flags, real *out)
{
    bs_graph            *g = bs_graph_new();
    bs_nn                nn = {g, params, false, 1};
    bs_transformer_input in = {.piece = bs_leaf(g, "piece", BS_T_INT, bs_shape1(p->rows)),
                               .position = bs_leaf(g, "position", BS_T_INT, bs_shape1(p->rows)),
                               .start = bs_leaf(g, "start", BS_T_INT, bs_shape1(p->n + 1))};
    bs_id                csr = bs_leaf(g, "pool", BS_T_CSR, bs_shape2(p->n, p->rows));
    bs_id                hidden = bs_transformer(&nn, "net", &wide, use, &in);
    bs_result            r = {bs_transformer_pool(&nn, "net", &wide, use, hidden, csr), -1};
    check_graph(g);
    if (!params->block.value)
        assert_int_equal(bs_params_allocate(params, device_here(), 1, NULL), BASIN_OK);
    bs_rng rng = bs_rng_make(5, 0, 0);
    real  *value = host_of(params->block.value);
    for (int64_t i = 0; i < params->size; i++)
        value[i] = (real)(0.3 * bs_rng_normal(&rng));
    machine m = machine_new(g, NULL, &r, 1, flags, threads);
    bs_params_bind(params, m.p);
    bs_bind_input(m.p, in.piece, p->piece);
    bs_bind_input(m.p, in.position, p->position);
    bs_bind_input(m.p, in.start, p->start);
    bs_bind_input(m.p, csr, &p->pool);
    machine_run(&m, 1);
    memcpy(out, machine_value(&m, 0), (size_t)p->n * WIDTH * sizeof *out);
    machine_free(&m);
    bs_graph_free(g);
}

static void alone_and_together(void **state)
{
    static const bs_transformer_use use = {.trained = 1, .adapter = 4, .rate = 1, .decay = 1};
    static const int                length[] = {5, 33, 17}, room[] = {5, 48, 32};
    packed                          p;
    real                            all[DOCUMENTS * WIDTH], one[DOCUMENTS * WIDTH];
    bs_params                      *params = bs_params_new();
    (void)state;
    pack(&p, length, DOCUMENTS, ROWS, 3);
    encode(&p, params, &use, 1, BS_PLAN_APART, all);
    encode(&p, params, &use, 3, BS_PLAN_APART, one);
    assert_memory_equal(all, one, sizeof all);
    for (int d = 0; d < DOCUMENTS; d++) {
        pack(&p, &length[d], 1, room[d], 3);
        encode(&p, params, &use, 2, BS_PLAN_APART, one);
        CHECK(memcmp(one, all + d * WIDTH, WIDTH * sizeof *one) == 0,
              "document %d differs when it is alone", d);
    }
    bs_params_free(params);
}

/* ---- what is trained ---- */

static const bs_segment *find(const bs_params *p, const char *name)
{
    const bs_segment *s = bs_params_find(p, name);
    CHECK(s, "there is no %s", name);
    return s;
}

static void names_and_rates(void **state)
{
    static const int length[] = {4};
    packed           p;
    real             out[WIDTH];
    (void)state;
    pack(&p, length, 1, 4, 0);

    bs_transformer_use use = {.trained = 1, .adapter = 4, .rate = 0.5, .decay = 0.9};
    bs_params         *params = bs_params_new();
    encode(&p, params, &use, 1, 0, out);
    assert_true(find(params, "encoder/word")->frozen);
    assert_true(find(params, "encoder/0/up/W")->frozen);
    assert_false(find(params, "net/encoder/0/adapter/up/W")->frozen);
    assert_false(find(params, "net/encoder/1/up/W")->frozen);
    assert_false(find(params, "net/encoder/pooler/W")->frozen);
    assert_float_equal(find(params, "net/encoder/1/up/W")->rate, 0.5, 1e-9);
    assert_float_equal(find(params, "net/encoder/1/up/W")->decay, 1, 0);
    assert_float_equal(find(params, "net/encoder/1/up/b")->decay, 0, 0);
    assert_float_equal(find(params, "net/encoder/0/adapter/up/W")->rate, 0.45, 1e-9);
    bs_params_free(params);

    use = (bs_transformer_use){.trained = 2, .rate = 1, .decay = 0.5};
    params = bs_params_new();
    encode(&p, params, &use, 1, 0, out);
    assert_float_equal(find(params, "net/encoder/word")->rate, 0.25, 1e-9);
    assert_null(bs_params_find(params, "encoder/word"));
    bs_params_free(params);

    use = (bs_transformer_use){.fixed = true};
    params = bs_params_new();
    encode(&p, params, &use, 1, 0, out);
    assert_int_equal(bs_params_count(params, ""), 0);
    assert_true(find(params, "encoder/pooler/W")->frozen);
    bs_params_free(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_once),
        cmocka_unit_test(alone_and_together),
        cmocka_unit_test(names_and_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
