/* fuzz_sentence_rows.c -- any bytes are read as JSON rows or tables of sentences, or refused. */
#include "fuzz/fuzz_sentences.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_rows(data, size);
    return 0;
}
