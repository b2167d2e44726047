/* fuzz_lexicon.c -- any bytes are a lexicon or are refused; what loads can be used and is
 * written alike. */
#include "fuzz/fuzz_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_lexicon(data, size);
    return 0;
}
