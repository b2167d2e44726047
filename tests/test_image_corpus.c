/* test_image_corpus.c -- replays the fuzz corpora of pictures without a fuzzer. */
#include "replay.h"

#include "fuzz/fuzz_coco.h"
#include "fuzz/fuzz_image.h"

static void png(void **state)
{
    (void)state;
    replay_corpus("png", fuzz_picture);
}

static void jpeg(void **state)
{
    (void)state;
    replay_corpus("jpeg", fuzz_picture);
}

static void coco(void **state)
{
    (void)state;
    replay_corpus("coco", fuzz_coco);
}

/* Archives are longer and slower: every 13th bit and byte. */
static void images(void **state)
{
    enum { STEP = 13 };
    static const char *const names[] = {"binary", "table", "zip"};
    static uint8_t           bytes[1 << 14];
    (void)state;
    for (int i = 0; i < 3; i++) {
        char path[64];
        snprintf(path, sizeof path, "tests/fuzz/corpus/images/%s", names[i]);
        FILE *f = fopen(path, "rb");
        if (!f)
            skip(); /* not run in the repository */
        size_t size = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        fuzz_images(bytes, size);
        for (size_t cut = 0; cut <= size; cut += STEP)
            fuzz_images(bytes, cut);
        for (size_t bit = 0; bit < 8 * size; bit += STEP) {
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            fuzz_images(bytes, size);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png),
        cmocka_unit_test(jpeg),
        cmocka_unit_test(coco),
        cmocka_unit_test(images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
