/* golden.h -- reads tests/golden/NAME.txt (see tools/make_golden.py) and compares a graph with it.
 *
 * A case is a file, a graph and its parameters. Inputs and parameters take their values from the
 * tensors with their names, and results are compared with the tensors that they should equal; an
 * unused tensor fails the test, so that no part of a file goes unchecked. */
#ifndef TEST_GOLDEN_H
#define TEST_GOLDEN_H

#include "nn/layers.h"
#include "tests/harness.h"

enum { GOLDEN_NAME = 64, GOLDEN_TENSORS = 80, GOLDEN_INPUTS = 8 };

typedef struct {
    char     name[GOLDEN_NAME];
    bs_shape shape;
    int64_t  count;
    real    *value; /* [count] */
    bool     used;
} golden_tensor;

typedef struct {
    const char    *name;
    bs_arena       arena;
    golden_tensor  tensor[GOLDEN_TENSORS];
    int            n;
    double         tolerance, worst; /* for this build; largest distance seen */
    const char    *worst_name;
    bs_graph      *g;
    bs_params     *params;
    bs_nn          nn;
    bs_id          input[GOLDEN_INPUTS];
    const void    *data[GOLDEN_INPUTS];
    bs_result      result[GOLDEN_TENSORS];
    golden_tensor *want[GOLDEN_TENSORS]; /* of each result */
    int            n_inputs, n_results;
} golden;

/* ---- reading ---- */

/* Tests run in the repository; tools/run-tests also tells where that is. */
static inline FILE *golden_open(const char *name)
{
    char        path[512];
    const char *top = getenv("TOP");
    snprintf(path, sizeof path, "tests/golden/%s.txt", name);
    FILE *f = fopen(path, "r");
    if (!f && top) {
        snprintf(path, sizeof path, "%s/tests/golden/%s.txt", top, name);
        f = fopen(path, "r");
    }
    CHECK(f, "%s: cannot be read", path);
    return f;
}

static inline void golden_read(golden *c, FILE *f)
{
    double tolerance[2];
    CHECK(fscanf(f, "# tolerance %lf double, %lf float%*[^\n]", &tolerance[0], &tolerance[1]) == 2,
          "%s: the first line states no tolerances", c->name);
    c->tolerance = tolerance[sizeof(real) == sizeof(float)];
    for (;;) {
        golden_tensor t = {.used = false};
        int32_t      *d = t.shape.d;
        int           got = fscanf(f, "%63s %d %d %d %d", t.name, &d[0], &d[1], &d[2], &d[3]);
        if (got == EOF)
            break;
        CHECK(got == 5 && c->n < GOLDEN_TENSORS, "%s: tensor %d is malformed", c->name, c->n);
        t.count = bs_shape_count(t.shape);
        t.value = bs_arena_alloc(&c->arena, (size_t)t.count * sizeof(real));
        for (int64_t i = 0; i < t.count; i++) {
            double x;
            CHECK(fscanf(f, "%lf", &x) == 1, "%s: %s ends early", c->name, t.name);
            t.value[i] = (real)x;
        }
        c->tensor[c->n++] = t;
    }
}

static inline golden *golden_new(const char *name)
{
    golden *c = calloc(1, sizeof *c);
    FILE   *f = golden_open(name);
    c->name = name;
    bs_arena_init(&c->arena, 0);
    golden_read(c, f);
    fclose(f);
    c->g = bs_graph_new();
    c->params = bs_params_new();
    c->nn = (bs_nn){c->g, c->params, true, 1};
    return c;
}

static inline golden_tensor *golden_find(golden *c, const char *name)
{
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->tensor[i].name, name) == 0) {
            c->tensor[i].used = true;
            return &c->tensor[i];
        }
    CHECK(false, "%s: there is no tensor '%s'", c->name, name);
    return NULL;
}

static inline double golden_number(golden *c, const char *name)
{
    return (double)golden_find(c, name)->value[0];
}

/* ---- inputs ---- */

static inline bs_id golden_bind(golden *c, const char *name, bs_type type, bs_shape s,
                                const void *data)
{
    CHECK(c->n_inputs < GOLDEN_INPUTS, "%s: too many inputs", c->name);
    c->data[c->n_inputs] = data;
    return c->input[c->n_inputs++] = bs_leaf(c->g, name, type, s);
}

static inline bs_id golden_input(golden *c, const char *name)
{
    const golden_tensor *t = golden_find(c, name);
    return golden_bind(c, name, BS_T_REAL, t->shape, t->value);
}

static inline bs_id golden_int(golden *c, const char *name)
{
    const golden_tensor *t = golden_find(c, name);
    int32_t             *x = bs_arena_alloc(&c->arena, (size_t)t->count * sizeof *x);
    for (int64_t i = 0; i < t->count; i++)
        x[i] = (int32_t)lrint((double)t->value[i]);
    return golden_bind(c, name, BS_T_INT, t->shape, x);
}

/* A matrix without its zeros. */
static inline bs_id golden_csr(golden *c, const char *name)
{
    const golden_tensor *t = golden_find(c, name);
    const int            rows = t->shape.d[2], cols = t->shape.d[3];
    bs_csr              *m = bs_arena_alloc(&c->arena, sizeof *m);
    int32_t             *start = bs_arena_alloc(&c->arena, ((size_t)rows + 1) * sizeof *start);
    int32_t             *index = bs_arena_alloc(&c->arena, (size_t)t->count * sizeof *index), n = 0;
    float               *value = bs_arena_alloc(&c->arena, (size_t)t->count * sizeof *value);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++)
            if (t->value[i * cols + j] != 0) {
                index[n] = j;
                value[n++] = (float)t->value[i * cols + j];
            }
        start[i + 1] = n;
    }
    *m = (bs_csr){rows, cols, start, index, value};
    return golden_bind(c, name, BS_T_CSR, t->shape, m);
}

/* ---- results ---- */

static inline void golden_result(golden *c, bs_id id, int segment, const char *want)
{
    c->want[c->n_results] = golden_find(c, want);
    c->result[c->n_results++] = (bs_result){id, segment};
}

static inline void golden_expect(golden *c, bs_id id, const char *want)
{
    golden_result(c, id, -1, want);
}

/* loss, d:PARAMETER for every parameter, and d:NAME for one input (0 = none) */
static inline void golden_expect_gradients(golden *c, bs_id loss, bs_id input, const char *name)
{
    bs_id ids[GOLDEN_TENSORS], d[GOLDEN_TENSORS];
    int   segment[GOLDEN_TENSORS];
    int   n = bs_params_nodes(c->g, c->params, "", ids, segment, GOLDEN_TENSORS - 1);
    char  want[GOLDEN_NAME + 2];
    if (input) {
        segment[n] = -1;
        ids[n++] = input;
    }
    check_graph(c->g);
    bs_grad(c->g, loss, ids, n, d, false);
    golden_expect(c, loss, "loss");
    for (int i = 0; i < n; i++) {
        snprintf(want, sizeof want, "d:%s",
                 segment[i] < 0 ? name : c->params->segment[segment[i]].name);
        golden_result(c, d[i], segment[i], want);
    }
}

/* ---- running ---- */

/* Makes the parameters, with the values in the file. */
static inline void golden_load_params(golden *c)
{
    basin_error err = {0};
    check_graph(c->g);
    CHECK(bs_params_allocate(c->params, device_here(), 1, &err) == BASIN_OK, "parameters: %s",
          err.msg);
    for (int i = 0; i < c->params->n; i++) {
        const bs_segment    *s = &c->params->segment[i];
        const golden_tensor *t = golden_find(c, s->name);
        CHECK(bs_shape_equal(s->shape, t->shape), "%s: '%s' has another shape", c->name, s->name);
        memcpy((real *)host_of(c->params->block.value) + s->offset, t->value,
               (size_t)t->count * sizeof(real));
    }
}

static inline machine golden_machine(golden *c)
{
    machine m = machine_new(c->g, NULL, c->result, c->n_results, 0, 2);
    for (int i = 0; i < c->n_inputs; i++)
        bs_bind_input(m.p, c->input[i], c->data[i]);
    bs_params_bind(c->params, m.p);
    return m;
}

static inline void golden_compare(golden *c, const real *got, const golden_tensor *want)
{
    double e = distance(got, want->value, want->count, 1e-6);
    CHECK(e <= c->tolerance, "%s: %s is off by %.3g, more than %.3g", c->name, want->name, e,
          c->tolerance);
    if (e >= c->worst) {
        c->worst = e;
        c->worst_name = want->name;
    }
}

static inline void golden_compare_results(golden *c, const machine *m)
{
    for (int i = 0; i < c->n_results; i++) {
        bs_shape    s = bs_shape_of(c->g, c->result[i].id);
        const char *name = c->want[i]->name;
        CHECK(bs_shape_count(s) == c->want[i]->count, "%s: %s has another size", c->name, name);
        golden_compare(c, machine_value(m, i), c->want[i]);
    }
}

static inline void golden_free(golden *c)
{
    for (int i = 0; i < c->n; i++)
        CHECK(c->tensor[i].used, "%s: '%s' is not checked", c->name, c->tensor[i].name);
    print_message("  %s: worst distance %.2g (%s), tolerance %.0e\n", c->name, c->worst,
                  c->worst_name, c->tolerance);
    bs_params_free(c->params);
    bs_graph_free(c->g);
    bs_arena_free(&c->arena);
    free(c);
}

/* Everything that follows after building a graph. */
static inline void golden_check(golden *c)
{
    golden_load_params(c);
    machine m = golden_machine(c);
    machine_run(&m, 1);
    golden_compare_results(c, &m);
    machine_free(&m);
    golden_free(c);
}

#endif
