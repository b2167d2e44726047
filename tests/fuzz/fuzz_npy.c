/* fuzz_npy.c -- any bytes read as npy or npz are read or refused; never a crash or a leak. */
#include "fuzz/fuzz_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read("npy", data, size);
    return 0;
}
