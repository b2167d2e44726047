/* Parameters that begin with those of an earlier model: what goes where, and what stays fresh. */
#include "tests/check.h"

#include <stdint.h>
#include <string.h>

#include "tests/harness.h"
#include "nn/inherit.h"

/* "grid" has `units` rows of 2 numbers for each unit side by side; "copies" two rows of all units
 * in one dimension, then 1 more; "last" 2 numbers, then the units. */
static bs_params *declared(int units)
{
    bs_graph  *g = bs_graph_new();
    bs_params *p = bs_params_new();
    bs_param(g, p, "net/grid", bs_shape2(2 * units, 3), bs_init_zero());
    bs_param(g, p, "net/copies", bs_shape1(2 * units + 1), bs_init_zero());
    bs_param(g, p, "net/last", bs_shape2(1, 2 + units), bs_init_zero());
    assert_int_equal(bs_graph_check(g, NULL), BASIN_OK);
    bs_graph_free(g);
    return p;
}

static bs_params *filled(int units, real first)
{
    bs_params *p = declared(units);
    assert_int_equal(bs_params_allocate(p, device_here(), 0, NULL), BASIN_OK);
    real *value = host_of(p->block.value);
    for (int i = 0; i < p->n; i++)
        for (int64_t k = 0; k < p->segment[i].count; k++)
            value[p->segment[i].offset + k] = first + (real)k;
    return p;
}

static const real *values(const bs_params *p, const char *name)
{
    return (const real *)host_of(p->block.value) + bs_params_find(p, name)->offset;
}

/* Of three units the last two, turned around, between new ones. */
static const int32_t places[] = {-1, 2, 1, -1};

static bs_warm_start heritage(const bs_params *old, const bs_params *grown, bs_axis_order order)
{
    return (bs_warm_start){
        .values = old, .grown = {grown}, .axis = {{order, 3, 4, places}}, .n = 1, .name = "old"};
}

static void check(const real *is, const double *want, int n)
{
    for (int i = 0; i < n; i++)
        assert_float_equal((double)is[i], want[i], 0);
}

static void test_places(void **state)
{
    (void)state;
    bs_params    *old = filled(3, 100), *grown = declared(4), *now = filled(4, 0);
    bs_warm_start h = heritage(old, grown, BS_AXIS_SIDE_BY_SIDE);
    const double  grid[] = {0,   1,   2,   3,   4,   5,   112, 113, 114, 115, 116, 117,
                            106, 107, 108, 109, 110, 111, 18,  19,  20,  21,  22,  23};
    assert_int_equal(bs_inherit(&h, now, "net/grid", NULL), BASIN_OK);
    check(values(now, "net/grid"), grid, 24);

    const double copies[] = {0, 102, 101, 3, 4, 105, 104, 7, 106};
    h = heritage(old, grown, BS_AXIS_COPIES);
    assert_int_equal(bs_inherit(&h, now, "net/copies", NULL), BASIN_OK);
    check(values(now, "net/copies"), copies, 9);

    const double last[] = {100, 101, 2, 104, 103, 5};
    h = heritage(old, grown, BS_AXIS_LAST);
    assert_int_equal(bs_inherit(&h, now, "net/last", NULL), BASIN_OK);
    check(values(now, "net/last"), last, 6);
    assert_int_equal(bs_inherit_check(&h, now, NULL), BASIN_OK);
    bs_params_free(old);
    bs_params_free(grown);
    bs_params_free(now);
}

static void test_shapes(void **state)
{
    (void)state;
    basin_error   err;
    bs_params    *old = filled(3, 100), *grown = declared(4), *more = filled(5, 0);
    bs_warm_start h = heritage(old, grown, BS_AXIS_COPIES);
    assert_int_equal(bs_inherit_check(&h, more, &err), BASIN_EARG);
    assert_non_null(strstr(err.msg, "'net/grid' would be [8, 3]"));
    bs_graph *g = bs_graph_new();
    bs_params_free(more);
    more = declared(4);
    bs_param(g, more, "net/more", bs_shape1(1), bs_init_zero());
    bs_graph_free(g);
    assert_int_equal(bs_inherit_check(&h, more, &err), BASIN_EARG);
    assert_non_null(strstr(err.msg, "only what is asked for has 'net/more'"));
    bs_params_free(old);
    bs_params_free(grown);
    bs_params_free(more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
