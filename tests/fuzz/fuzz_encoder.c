/* fuzz_encoder.c -- any bytes are config.json of an encoder, or what a model keeps of it, or are
 * refused. */
#include "fuzz/fuzz_encoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_encoder(data, size);
    return 0;
}
