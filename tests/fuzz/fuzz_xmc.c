/* fuzz_xmc.c -- any bytes read as xmc are read or refused; never a crash or a leak. */
#include "fuzz/fuzz_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read("xmc", data, size);
    return 0;
}
