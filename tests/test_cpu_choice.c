/* test_cpu_choice.c -- one thread or all: the faster way is found, kept, and left again, and
 * looking for it costs little. */
#include "tests/check.h"

#include <stdint.h>

#include "device/cpu/program.h"

/* So many runs that take these times alone and shared; returns how many were done alone. */
static int runs_alone(bs_choice *c, int n, double alone, double shared)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        const bool way = bs_choice_alone(c, 1e9);
        /* a tenth more or less, as times differ */
        bs_choice_report(c, (way ? alone : shared) * (0.9 + 0.02 * (i * 7 % 11)));
        found += way;
    }
    return found;
}

static void sharing_is_hardly_interrupted(void **state)
{
    bs_choice c = {0};
    (void)state;
    const int first = runs_alone(&c, 130, 1.9, 1);
    assert_true(first > 0 && first <= 8);
    assert_true(runs_alone(&c, 10000, 1.9, 1) < 100);
}

static void one_thread_is_found_when_it_pays(void **state)
{
    bs_choice c = {0};
    (void)state;
    runs_alone(&c, 50, 1, 10);
    assert_true(runs_alone(&c, 10000, 1, 10) > 9900);
}

/* The machine has become quiet again. */
static void it_is_left_again(void **state)
{
    bs_choice c = {0};
    (void)state;
    runs_alone(&c, 5000, 1, 10);
    runs_alone(&c, 3000, 1.9, 1);
    assert_true(runs_alone(&c, 1000, 1.9, 1) < 50);
}

/* Sharing has the benefit of the doubt. */
static void equal_ways_stay_shared(void **state)
{
    bs_choice c = {0};
    (void)state;
    assert_true(runs_alone(&c, 5000, 1, 1) < 200);
}

/* Threads are not started for one short run. */
static void a_short_first_run_is_done_alone(void **state)
{
    bs_choice shorter = {0}, longer = {0};
    (void)state;
    assert_true(bs_choice_alone(&shorter, 1e5));
    bs_choice_report(&shorter, 1e-4);
    assert_false(bs_choice_alone(&shorter, 1e5));
    assert_false(bs_choice_alone(&longer, 1e8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sharing_is_hardly_interrupted),
        cmocka_unit_test(one_thread_is_found_when_it_pays),
        cmocka_unit_test(it_is_left_again),
        cmocka_unit_test(equal_ways_stay_shared),
        cmocka_unit_test(a_short_first_run_is_done_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
