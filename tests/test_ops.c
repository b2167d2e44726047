/* test_ops.c -- the op table in single precision, for each instruction set. */
#include "tests/ops_forward.h"

int main(void)
{
    const struct CMUnitTest tests[] = {OPS_FORWARD_TESTS};
    return cmocka_run_group_tests_name("ops, float", tests, NULL, NULL);
}
