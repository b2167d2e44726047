/* declaration.h -- declares parameters from a list, for tests of values and updates. */
#ifndef TEST_DECLARATION_H
#define TEST_DECLARATION_H

#include "nn/params.h"
#include "tests/harness.h"

typedef struct {
    const char *name;
    bs_shape    shape;
    bs_init     init;
} declaration;

static inline bs_params *store_of(const declaration *d, int n, uint64_t seed)
{
    bs_graph  *g = bs_graph_new();
    bs_params *p = bs_params_new();
    for (int i = 0; i < n; i++)
        bs_param(g, p, d[i].name, d[i].shape, d[i].init);
    check_graph(g);
    assert_int_equal(bs_params_allocate(p, device_here(), seed, NULL), BASIN_OK);
    bs_graph_free(g);
    return p;
}

static inline const real *values_of(const bs_params *p, const char *name)
{
    return (real *)host_of(p->block.value) + bs_params_find(p, name)->offset;
}

#endif
