/* fuzz_scheme.c -- any words as tags: a scheme is found, and spans survive every conversion. */
#include "fuzz/fuzz_scheme.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_scheme(data, size);
    return 0;
}
