/* test_model_corpus.c -- the models of the fuzz corpus predict; changed a little, they still do or
 * are refused. (With sanitizers and for longer: make san, make fuzz.) */
#include "tests/check.h"

#include <dirent.h>
#include <stdint.h>

#include "fuzz/fuzz_model.h"
#include "fuzz/mutate_safetensors.h"

enum { MOST = 1 << 16, MUTANTS = 250 };

/* What libFuzzer does where no format is known: here one bit. */
static fuzz_dice bits;
size_t           LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)max_size;
    if (size > 0)
        data[fuzz_roll(&bits, (uint32_t)size)] ^= (uint8_t)(1u << fuzz_roll(&bits, 8));
    return size;
}

static void mutants_of(const char *name, const uint8_t *bytes, size_t size, int *used)
{
    static uint8_t changed[MOST];
    int            refused = 0, worked = 0;
    if (fuzz_model(bytes, size) < 1)
        fail_msg("%s does not predict", name);
    for (unsigned i = 0; i < MUTANTS; i++) {
        size_t n = size;
        memcpy(changed, bytes, size);
        for (unsigned k = 0; k <= i % 3; k++)
            n = fuzz_mutate_safetensors(changed, n, MOST, i + 1000 * k);
        const int ways = fuzz_model(changed, n);
        refused += ways < 0;
        worked += ways > 0;
    }
    /* changes go deep enough to matter, and not so deep that nothing is left */
    if (refused < MUTANTS / 20 || worked < MUTANTS / 20)
        fail_msg("%s: of %d mutants %d are refused and %d predict", name, MUTANTS, refused, worked);
    *used += worked;
}

static void models_and_their_mutants_predict_or_are_refused(void **state)
{
    static uint8_t bytes[MOST];
    DIR           *d = opendir("tests/fuzz/corpus/model");
    int            files = 0, used = 0;
    (void)state;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        char path[400];
        snprintf(path, sizeof path, "tests/fuzz/corpus/model/%s", e->d_name);
        FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!f)
            continue;
        const size_t size = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        mutants_of(e->d_name, bytes, size, &used);
        files++;
    }
    closedir(d);
    assert_true(files >= 7);
    print_message("  %d mutants of %d models predict\n", used, files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_and_their_mutants_predict_or_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
