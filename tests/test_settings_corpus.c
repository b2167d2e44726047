/* test_settings_corpus.c -- replays the fuzz corpora of settings and tag schemes. */
#include "replay.h"

#include "fuzz/fuzz_scheme.h"
#include "fuzz/fuzz_settings.h"

static void settings(void **state)
{
    (void)state;
    replay_corpus("settings", fuzz_settings);
}

static void schemes(void **state)
{
    (void)state;
    replay_corpus("scheme", fuzz_scheme);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings),
        cmocka_unit_test(schemes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
