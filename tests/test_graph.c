/* test_graph.c -- the graph as a data structure: interning, labels, the sticky
 * error, what derivatives may be asked for, and how it prints. */
#include "tests/harness.h"

static void equal_expressions_are_one_node(void **state)
{
    (void)state;
    bs_graph *g = bs_graph_new();
    bs_id     x = bs_leaf(g, "x", BS_T_REAL, bs_shape2(3, 4));
    bs_id     y = bs_leaf(g, "x", BS_T_REAL, bs_shape2(3, 4));
    assert_true(x != y); /* inputs are bound one by one */
    assert_int_equal(bs_tanh(g, x), bs_tanh(g, x));
    assert_true(bs_tanh(g, x) != bs_tanh(g, y));
    assert_true(bs_scale(g, x, 2) != bs_scale(g, x, 3));
    assert_int_equal(bs_uniform(g, 1, bs_shape1(5)), bs_uniform(g, 1, bs_shape1(5)));
    assert_true(bs_uniform(g, 1, bs_shape1(5)) != bs_uniform(g, 2, bs_shape1(5)));
    bs_id    shared = bs_exp(g, x);
    uint32_t old = bs_graph_salt(g, 7);
    assert_true(bs_exp(g, x) != shared); /* a copy, to be computed again */
    bs_graph_salt(g, old);
    assert_int_equal(bs_exp(g, x), shared);
    check_graph(g);
    bs_graph_free(g);
}

static void builders_simplify_only_what_is_exact(void **state)
{
    (void)state;
    bs_graph *g = bs_graph_new();
    bs_id     x = bs_leaf(g, "x", BS_T_REAL, bs_shape2(3, 4));
    assert_int_equal(bs_add(g, x, bs_const(g, 0)), x);
    assert_int_equal(bs_mul(g, x, bs_const(g, 1)), x);
    assert_int_equal(bs_neg(g, bs_neg(g, x)), x);
    assert_int_equal(bs_reshape(g, bs_reshape(g, x, bs_shape1(12)), bs_shape2(3, 4)), x);
    assert_int_equal(bs_slice(g, x, -1, 0, 4), x);
    assert_int_equal(bs_graph_node(g, bs_scale(g, bs_scale(g, x, 2), 4))->src[0], x);
    /* a constant that is larger than x decides the shape */
    bs_id wide = bs_mul(g, bs_fill(g, 2, bs_shape3(5, 3, 4)), x);
    assert_true(bs_shape_equal(bs_shape_of(g, wide), bs_shape3(5, 3, 4)));
    check_graph(g);
    bs_graph_free(g);
}

static void expect_error(bs_graph *g, const char *message)
{
    basin_error err = {0};
    assert_int_equal(bs_graph_check(g, &err), BASIN_EARG);
    assert_string_equal(err.msg, message);
    bs_graph_free(g);
}

static void the_first_error_stays_with_label_and_shapes(void **state)
{
    (void)state;
    bs_graph *g = bs_graph_new();
    bs_id     x = bs_leaf(g, "x", BS_T_REAL, bs_shape2(3, 4));
    bs_push(g, "energy");
    bs_push(g, "global");
    bs_id bad = bs_matmul(g, x, x, false, false);
    assert_int_equal(bad, 0);
    assert_int_equal(bs_tanh(g, bad), 0); /* flows through */
    bs_pop(g);
    bs_pop(g);
    assert_int_equal(bs_sum_axis(g, x, 3), 0);
    expect_error(g, "energy/global/matmul: the inner dimensions differ ([3, 4] and [3, 4])");

    g = bs_graph_new();
    x = bs_leaf(g, "x", BS_T_REAL, bs_shape2(3, 4));
    bs_softmax(g, x, 1);
    expect_error(g, "axis 1 is not in -4..-1");

    g = bs_graph_new();
    bs_fill(g, 1, bs_shape4(100000, 100000, 1, 1));
    expect_error(g, "fill: the result would have more than 2^31 elements ()");
}

static void unused_inputs_need_a_word(void **state)
{
    (void)state;
    bs_graph *g = bs_graph_new();
    bs_id     x = bs_leaf(g, "x", BS_T_REAL, bs_shape1(4)), d[2];
    bs_id     wrt[2] = {x, bs_leaf(g, "unused", BS_T_REAL, bs_shape1(4))};
    bs_id     y = bs_sum(g, bs_square(g, x));
    bs_grad(g, y, wrt, 2, d, true);
    assert_int_equal(bs_graph_node(g, d[1])->op, BS_OP_fill);
    check_graph(g);
    /* stop() and comparisons cut the path */
    bs_grad(g, bs_sum(g, bs_stop(g, x)), wrt, 1, d, true);
    assert_int_equal(bs_graph_node(g, d[0])->op, BS_OP_fill);
    bs_grad(g, y, wrt, 2, d, false);
    expect_error(g, "grad: the target does not depend on node 2, 'unused'");
}

static void graphs_print_as_text_and_drawing(void **state)
{
    (void)state;
    bs_graph *g = bs_graph_new();
    bs_id     x = bs_leaf(g, "x", BS_T_REAL, bs_shape2(3, 4));
    bs_push(g, "energy");
    bs_clamp(g, bs_slice(g, x, -1, 1, 2), 0, 1);
    bs_pop(g);
    bs_buf text;
    bs_buf_init(&text, 1 << 16);
    bs_graph_text(g, &text);
    assert_string_equal(text.data, "%1 = input {1} : [3, 4]  # x\n"
                                   "%2 = slice %1 {3,1,2} : [3, 2]  # energy\n"
                                   "%3 = clamp %2 0..1 : [3, 2]  # energy\n");
    bs_buf_clear(&text);
    bs_graph_dot(g, &text);
    assert_non_null(strstr(text.data, "digraph basin {"));
    assert_non_null(strstr(text.data, "n2 [label=\"slice\\n[3, 2]\\nenergy\"];"));
    assert_non_null(strstr(text.data, "n2 -> n3;"));
    bs_buf_free(&text);
    bs_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_expressions_are_one_node),
        cmocka_unit_test(builders_simplify_only_what_is_exact),
        cmocka_unit_test(the_first_error_stays_with_label_and_shapes),
        cmocka_unit_test(unused_inputs_need_a_word),
        cmocka_unit_test(graphs_print_as_text_and_drawing),
    };
    return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
