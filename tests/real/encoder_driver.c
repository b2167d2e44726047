/* encoder_driver.c -- hidden states of a real encoder for tests/real/encoder.sh.
 *
 *     encoder_driver FOLDER WANTED TOLERANCE
 *
 * WANTED is what tools/make_encoders.py has written. */
#include "tests/encoder_case.h"

#include "base/opt.h"

static const char *const *arguments;

static void hidden_states_are_those_of_the_reference(void **state)
{
    bs_pretrained *e;
    basin_error    err = {0};
    json_t        *row;
    size_t         at = 0;
    double         tolerance;
    (void)state;
    CHECK(bs_pretrained_open(arguments[1], &e, &err) == BASIN_OK, "%s", err.msg);
    CHECK(bs_parse_double(arguments[3], &tolerance), "no number: %s", arguments[3]);
    bs_buf text = encoder_file(arguments[2]);
    while ((row = encoder_row(&text, &at)) != NULL) {
        case_row(e, row, tolerance);
        json_decref(row);
    }
    assert_true(at > 0);
    bs_buf_free(&text);
    bs_pretrained_free(e);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_states_are_those_of_the_reference),
    };
    arguments = (const char *const *)argv;
    return argc == 4 ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
