/* Hidden states of tiny encoders in double precision, against a forward pass of numpy. */
#include "tests/encoder_case.h"

static void hidden_states_are_those_of_the_reference(void **state)
{
    (void)state;
    for (int i = 0; i < ENCODERS; i++)
        case_golden(encoder_names[i], 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_states_are_those_of_the_reference),
    };
    return cmocka_run_group_tests_name("pretrained, double", tests, NULL, NULL);
}
