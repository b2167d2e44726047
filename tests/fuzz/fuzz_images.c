/* fuzz_images.c -- any bytes read as an archive of photos and masks are read or refused. */
#include "fuzz/fuzz_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_images(data, size);
    return 0;
}
