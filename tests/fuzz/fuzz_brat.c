/* fuzz_brat.c -- any bytes read as a text and its marks are read or refused. */
#include "fuzz/fuzz_sentences.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_brat(data, size);
    return 0;
}
