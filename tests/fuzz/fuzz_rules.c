/* fuzz_rules.c -- any bytes read as a rules file are read or refused; no crash, no leak. */
#include "fuzz/fuzz_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_rules(data, size);
    return 0;
}
