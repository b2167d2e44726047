/* fuzz_settings.c -- any bytes as settings are taken or refused in one line. */
#include "fuzz/fuzz_settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_settings(data, size);
    return 0;
}
