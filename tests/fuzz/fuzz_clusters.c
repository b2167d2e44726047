/* fuzz_clusters.c -- any bytes read as Brown clusters are read or refused; no crash, no leak. */
#include "fuzz/fuzz_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_clusters(data, size);
    return 0;
}
