/* fuzz_model.c -- any bytes as a model: loads or is refused. Files without a
 * checksum are accepted, so that mutated metadata reaches the readers of options, schema,
 * threshold and tensors. */
#include <stddef.h>
#include <stdint.h>

#include "fuzz/mutate_safetensors.h"
#include "train/saved.h"

int    LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    basin_error     err;
    bs_safetensors *f;
    bs_saved       *m;
    if (bs_safetensors_memory("model", data, size, &f, &err))
        return 0;
    if (bs_saved_from(f, "model", &m, &err) == BASIN_OK)
        bs_saved_free(m);
    bs_safetensors_close(f);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return fuzz_mutate_safetensors(data, size, max_size, seed);
}
