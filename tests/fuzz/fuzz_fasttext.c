/* fuzz_fasttext.c -- any bytes read as fasttext are read or refused; never a crash or a leak. */
#include "fuzz/fuzz_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read("fasttext", data, size);
    return 0;
}
