/* fuzz_coco.c -- any bytes read as annotations are read or refused, and drawn or refused. */
#include "fuzz/fuzz_coco.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_coco(data, size);
    return 0;
}
