/* test_data_corpus.c -- replays the fuzz corpora of the readers without a fuzzer. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "fuzz/fuzz_data.h"

static void replay(const char *format)
{
    char folder[64];
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", format);
    DIR *d = opendir(folder);
    if (!d)
        skip(); /* not run in the repository */
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        char    path[400];
        uint8_t bytes[4096];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE  *f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
        size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
        if (!f)
            continue;
        fclose(f);
        /* Whole, cut off anywhere, and with every single bit turned. */
        for (size_t cut = 0; cut <= size; cut++)
            fuzz_read(format, bytes, cut);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            fuzz_read(format, bytes, size);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        n++;
    }
    closedir(d);
    assert_true(n > 0);
}

static void test_arff(void **state)
{
    (void)state;
    replay("arff");
}

static void test_libsvm(void **state)
{
    (void)state;
    replay("libsvm");
}

static void test_xmc(void **state)
{
    (void)state;
    replay("xmc");
}

static void test_csv(void **state)
{
    (void)state;
    replay("csv");
}

static void test_jsonl(void **state)
{
    (void)state;
    replay("jsonl");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arff), cmocka_unit_test(test_libsvm), cmocka_unit_test(test_xmc),
        cmocka_unit_test(test_csv),  cmocka_unit_test(test_jsonl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
