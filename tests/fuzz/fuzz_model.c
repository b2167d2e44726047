/* fuzz_model.c -- any bytes as a model: refused, or it predicts. Files without a
 * checksum are accepted, so that mutated metadata reaches the readers of options, schema,
 * threshold and tensors. */
#include <stddef.h>
#include <stdint.h>

#include "fuzz/fuzz_model.h"
#include "fuzz/mutate_safetensors.h"

int    LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_model(data, size);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return fuzz_mutate_safetensors(data, size, max_size, seed);
}
