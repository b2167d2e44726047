/* fuzz_vectors.c -- any bytes read as word vectors are read or refused; never a crash or a leak. */
#include "fuzz/fuzz_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_vectors(data, size);
    return 0;
}
