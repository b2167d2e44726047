/* fuzz_ngrams.c -- any bytes are what a model knows of texts, or are refused; what loads can be
 * used and is written alike. */
#include "fuzz/fuzz_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_ngrams(data, size);
    return 0;
}
