/* fuzz_corpus.c -- any bytes read as sentences are read or refused; never a crash or a leak. */
#include "fuzz/fuzz_sentences.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_corpus(data, size);
    return 0;
}
