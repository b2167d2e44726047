/* test_state_corpus.c -- replays the fuzz corpora of states of runs and of pre-trained nets. */
#include "replay.h"

#include "fuzz/fuzz_state.h"

/* Without a change it goes on, or nothing here would mean anything. */
static void states(void **state)
{
    static const uint8_t same[] = {0, 1, 2, 3};
    (void)state;
    for (int i = 0; i < TINY_METHODS; i++)
        assert_true(state_resume(&same[i], 1));
    replay_corpus("checkpoint", fuzz_checkpoint);
    state_end();
}

static void nets(void **state)
{
    static const uint8_t same = 0;
    (void)state;
    assert_true(state_take(&same, 1));
    replay_corpus("pretrained", fuzz_pretrained);
    state_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states),
        cmocka_unit_test(nets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
