/* encoder_case.h -- what the tiny encoders compute, against tests/golden/encoders/NAME.jsonl. */
#ifndef TEST_ENCODER_CASE_H
#define TEST_ENCODER_CASE_H

#include "tests/encoder_helper.h"
#include "tests/harness.h"

#include "pretrained/pretrained.h"

enum { CASE_PIECES = 128 };

static inline bs_pretrained *case_open(const char *name)
{
    char           path[ENCODER_PATH];
    bs_pretrained *e;
    basin_error    err = {0};
    CHECK(bs_pretrained_open(encoder_path(name, path), &e, &err) == BASIN_OK, "%s", err.msg);
    return e;
}

/* One document through a program of its own. */
typedef struct {
    int     n;
    int32_t piece[CASE_PIECES], position[CASE_PIECES], start[2], at[CASE_PIECES];
    float   weight[CASE_PIECES];
    bs_csr  pool;
} case_document;

static inline void case_read(case_document *d, const json_t *ids, const bs_encoder_form *form)
{
    *d = (case_document){.n = (int)json_array_size(ids)};
    assert_true(d->n <= CASE_PIECES);
    for (int i = 0; i < d->n; i++) {
        d->piece[i] = (int32_t)json_integer_value(json_array_get(ids, (size_t)i));
        d->position[i] = form->shape.first_position + i;
        d->at[i] = i;
        d->weight[i] = form->pooling == BS_POOL_MEAN || i == 0; /* a sum: 1 / n is no float */
    }
    d->start[1] = d->n;
    d->pool = (bs_csr){1, d->n, d->start, d->at, d->weight};
}

/* Of n numbers divided by `by`. */
static inline double case_distance(const real *have, double by, const json_t *want, int n)
{
    double diff = 0, size = 0;
    for (int i = 0; i < n; i++) {
        const double w = json_number_value(json_array_get(want, (size_t)i));
        diff += ((double)have[i] / by - w) * ((double)have[i] / by - w);
        size += w * w;
    }
    return sqrt(diff / size);
}

static inline void case_row(const bs_pretrained *e, const json_t *row, double tolerance)
{
    case_document d;
    case_read(&d, json_object_get(row, "ids"), &e->form);
    const bs_transformer_shape *s = &e->form.shape;
    const bs_transformer_use    use = {.fixed = true};
    bs_graph                   *g = bs_graph_new();
    bs_params                  *params = bs_params_new();
    bs_nn                       nn = {g, params, false, 1};
    bs_transformer_input        in = {.piece = bs_leaf(g, "piece", BS_T_INT, bs_shape1(d.n)),
                                      .position = bs_leaf(g, "position", BS_T_INT, bs_shape1(d.n)),
                                      .start = bs_leaf(g, "start", BS_T_INT, bs_shape1(2))};
    bs_id                       csr = bs_leaf(g, "pool", BS_T_CSR, bs_shape2(1, d.n));
    bs_id                       hidden = bs_transformer(&nn, "net", s, &use, &in);
    const bs_result             r[] = {{hidden, -1},
                                       {bs_transformer_pool(&nn, "net", s, &use, hidden, csr), -1}};
    basin_error                 err = {0};
    check_graph(g);
    assert_int_equal(bs_params_allocate(params, device_here(), 1, NULL), BASIN_OK);
    CHECK(bs_pretrained_fill(e, params, "encoder/", &err) == BASIN_OK, "%s", err.msg);
    machine m = machine_new(g, NULL, r, 2, BS_PLAN_APART, 1);
    bs_params_bind(params, m.p);
    bs_bind_input(m.p, in.piece, d.piece);
    bs_bind_input(m.p, in.position, d.position);
    bs_bind_input(m.p, in.start, d.start);
    bs_bind_input(m.p, csr, &d.pool);
    machine_run(&m, 1);
    const json_t *want = json_object_get(row, "hidden");
    for (int i = 0; i < d.n; i++) {
        const double off = case_distance(machine_value(&m, 0) + i * s->width, 1,
                                         json_array_get(want, (size_t)i), s->width);
        CHECK(off < tolerance, "piece %d of %d is off by %g", i, d.n, off);
    }
    const char  *pooled[] = {"mean", "cls", "pooler"};
    const double off = case_distance(
        machine_value(&m, 1), e->form.pooling == BS_POOL_MEAN ? d.n : 1,
        json_object_get(json_object_get(row, "pooled"), pooled[e->form.pooling]), s->width);
    CHECK(off < tolerance, "the document is off by %g", off);
    machine_free(&m);
    bs_params_free(params);
    bs_graph_free(g);
}

/* Every golden document of an encoder, in each pooling that it can have. */
static inline void case_golden(const char *name, double tolerance)
{
    char           path[ENCODER_PATH], file[64];
    bs_pretrained *e = case_open(name);
    snprintf(file, sizeof file, "%s.jsonl", name);
    bs_buf text = encoder_file(encoder_path(file, path));
    for (int pooling = BS_POOL_MEAN; pooling <= BS_POOL_POOLER; pooling++) {
        json_t *row;
        size_t  at = 0;
        if (pooling == BS_POOL_POOLER && !e->has_pooler)
            continue;
        assert_int_equal(bs_pretrained_pool(e, (bs_pooling)pooling, NULL), BASIN_OK);
        while ((row = encoder_row(&text, &at)) != NULL) {
            case_row(e, row, tolerance);
            json_decref(row);
        }
    }
    bs_buf_free(&text);
    bs_pretrained_free(e);
}

#endif
