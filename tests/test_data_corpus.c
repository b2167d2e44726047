/* test_data_corpus.c -- replays the fuzz corpora of the readers without a fuzzer. */
#include "replay.h"

#include "fuzz/fuzz_data.h"
#include "fuzz/fuzz_words.h"

/* How to add a reader: a line here and one in main(). */
#define CORPUS(format)                                    \
    static void read_##format(const uint8_t *b, size_t n) \
    {                                                     \
        fuzz_read(#format, b, n);                         \
    }                                                     \
    static void test_##format(void **state)               \
    {                                                     \
        (void)state;                                      \
        replay_corpus(#format, read_##format);            \
    }

CORPUS(arff)
CORPUS(libsvm)
CORPUS(xmc)
CORPUS(csv)
CORPUS(jsonl)
CORPUS(npy)
CORPUS(fasttext)

static void test_ngrams(void **state)
{
    (void)state;
    replay_corpus("ngrams", fuzz_ngrams);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arff),     cmocka_unit_test(test_libsvm), cmocka_unit_test(test_xmc),
        cmocka_unit_test(test_csv),      cmocka_unit_test(test_jsonl),  cmocka_unit_test(test_npy),
        cmocka_unit_test(test_fasttext), cmocka_unit_test(test_ngrams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
