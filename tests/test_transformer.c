/* test_transformer.c -- encoders of text: their parameters. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
