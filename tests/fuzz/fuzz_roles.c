/* fuzz_roles.c -- any bytes are read as semantic roles, or refused. */
#include "fuzz/fuzz_roles.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_roles(data, size);
    return 0;
}
