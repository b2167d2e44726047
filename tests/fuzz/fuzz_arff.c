/* fuzz_arff.c -- any bytes read as arff are read or refused; never a crash or a leak. */
#include "fuzz/fuzz_data.h"
#include "fuzz/mutate_arff.h"

int    LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read("arff", data, size);
    return 0;
}

/* The first byte is of options, see fuzz_data.h. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    if (size < 2 || seed % 16 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    return 1 + fuzz_mutate_arff(data + 1, size - 1, max_size - 1, seed);
}
