/* fuzz_pictured.c -- any bytes are what a model knows of images, or are refused. */
#include "fuzz/fuzz_pictured.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_pictured(data, size);
    return 0;
}
