/* fuzz_tokenizer.c -- any bytes are a tokeniser or are refused; what loads is written and read the
 * same, and cuts any text. */
#include "fuzz/fuzz_token.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_tokenizer(data, size);
    return 0;
}
