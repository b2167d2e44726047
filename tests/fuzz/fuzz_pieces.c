/* fuzz_pieces.c -- any bytes are cut by the tokenisers of tests/golden/encoders, and are merges.txt
 * of the last one. */
#include "base/io.h"
#include "fuzz/fuzz_token.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static json_t *vocabulary(void)
{
    bs_buf  text;
    json_t *tree;
    bs_buf_init(&text, 1 << 20);
    MUST(bs_read_file("tests/golden/encoders/roberta/vocab.json", &text, NULL) == BASIN_OK);
    MUST(bs_tree_object("vocab.json", text.data, text.len, 1 << 20, &tree, NULL) == BASIN_OK);
    bs_buf_free(&text);
    return tree;
}

static void try_merges(const uint8_t *data, size_t size)
{
    static json_t *words;
    json_t        *config = json_object();
    bs_buf         lines;
    bs_tokenizer  *t;
    basin_error    err = {0};
    if (!words)
        words = vocabulary();
    bs_buf_init(&lines, size + 1);
    bs_buf_add(&lines, data, size);
    basin_status s = bs_token_from_merges("merges", words, &lines, config, &t, &err);
    fuzz_made(t, s, &err, data, size);
    bs_buf_free(&lines);
    json_decref(config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const folders[] = {"tests/golden/encoders/bert",
                                          "tests/golden/encoders/distilbert",
                                          "tests/golden/encoders/roberta"};
    static bs_tokenizer     *t[3];
    for (int i = 0; i < 3; i++) {
        if (!t[i])
            MUST(bs_tokenizer_open(folders[i], &t[i], NULL) == BASIN_OK);
        fuzz_encode(t[i], data, size);
    }
    try_merges(data, size);
    return 0;
}
