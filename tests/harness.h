/* harness.h -- runs graphs in tests, with a naive evaluator for comparison. */
#ifndef TEST_HARNESS_H
#define TEST_HARNESS_H

#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/op.h"
#include "tests/far.h"

static inline void check_graph(const bs_graph *g)
{
    basin_error err = {0};
    CHECK(bs_graph_check(g, &err) == BASIN_OK, "graph: %s", err.msg);
}

static inline bs_buffer *buffer_of(int64_t reals)
{
    bs_buffer *b;
    assert_int_equal(bs_buffer_new(device_here(), reals, true, &b, NULL), BASIN_OK);
    return b;
}

static inline const void *result_of(bs_program *p, int i)
{
    const void *at;
    assert_int_equal(p->device->fetch(p, i, &at, NULL), BASIN_OK);
    return at;
}

/* A compiled graph with its leaves bound to the example's data. */
typedef struct {
    bs_workspace     *w;
    bs_program       *p;
    const bs_example *ex;
} machine;

static inline void machine_bind(machine *m)
{
    for (int i = 0; m->ex && i < m->ex->n; i++)
        bs_bind_input(m->p, m->ex->leaf[i].id, m->ex->leaf[i].data);
}

static inline machine machine_new(const bs_graph *g, const bs_example *ex, const bs_result *r,
                                  int n, unsigned flags, int threads)
{
    basin_error err = {0};
    machine     m = {.ex = ex};
    CHECK(bs_workspace_open((bs_machine){.threads = threads}, &m.w, &err) == BASIN_OK,
          "workspace: %s", err.msg);
    CHECK(bs_program_make(m.w, g, r, n, flags, &m.p, &err) == BASIN_OK, "program: %s", err.msg);
    machine_bind(&m);
    return m;
}

static inline void machine_run(machine *m, uint64_t step)
{
    basin_error err = {0};
    bs_run      run = {17, step};
    machine_bind(m);
    CHECK(bs_program_run(m->p, &run, &err) == BASIN_OK, "run: %s", err.msg);
}

static inline const real *machine_value(const machine *m, int i)
{
    return result_of(m->p, i);
}

static inline void machine_free(machine *m)
{
    bs_program_free(m->p);
    bs_workspace_close(m->w);
}

/* ---- the naive evaluator: every node in order, by its definition ---- */

static inline double broadcast_at(const real *x, bs_shape from, bs_shape to, int64_t i)
{
    int64_t at = 0, stride = 1;
    for (int k = 3; k >= 0; k--) {
        int64_t digit = i % to.d[k];
        i /= to.d[k];
        at += from.d[k] == 1 ? 0 : digit * stride;
        stride *= from.d[k];
    }
    return (double)x[at];
}

static inline void naive_elementwise(const bs_args *a)
{
    const bs_node *n = a->node;
    for (int64_t i = 0; i < bs_shape_count(n->shape); i++) {
        double x[3] = {0};
        for (int k = 0; k < 3 && n->src[k]; k++)
            x[k] = broadcast_at(a->in[k], a->in_shape[k], n->shape, i);
        ((real *)a->out)[i] = (real)bs_ops[n->op]->scalar(x[0], x[1], x[2], n->value);
    }
}

/* Values of all nodes up to `last`; the caller frees with naive_free. */
static inline void **naive_eval(const bs_graph *g, const bs_example *ex, bs_id last, uint64_t step)
{
    void **value = calloc((size_t)last + 1, sizeof *value);
    bs_run run = {17, step};
    for (bs_id id = 1; id <= last; id++) {
        const bs_node *n = bs_graph_node(g, id);
        if (n->op == BS_OP_input) {
            for (int i = 0; i < ex->n; i++)
                if (ex->leaf[i].id == id)
                    value[id] = ex->leaf[i].data;
            continue;
        }
        value[id] = calloc(1, bs_value_bytes((bs_type)n->type, n->shape) + 1);
        bs_args a = {.node = n, .out = value[id], .run = &run};
        for (int k = 0; k < 4 && n->src[k]; k++) {
            a.in[k] = value[n->src[k]];
            a.in_shape[k] = bs_shape_of(g, n->src[k]);
        }
        if (bs_ops[n->op]->scalar)
            naive_elementwise(&a);
        else
            bs_ops[n->op]->eval(&a);
    }
    return value;
}

static inline void naive_free(const bs_graph *g, void **value, bs_id last)
{
    for (bs_id id = 1; id <= last; id++)
        if (bs_graph_node(g, id)->op != BS_OP_input)
            free(value[id]);
    free(value);
}

/* ||a - b|| / max(||a||, ||b||, floor): norms, since tiny entries lie below the rounding */
static inline double distance(const real *a, const real *b, int64_t n, double floor)
{
    double diff = 0, na = 0, nb = 0;
    for (int64_t i = 0; i < n; i++) {
        diff += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        na += (double)a[i] * (double)a[i];
        nb += (double)b[i] * (double)b[i];
    }
    double size = sqrt(na > nb ? na : nb);
    return sqrt(diff) / (size > floor ? size : floor);
}

#endif
