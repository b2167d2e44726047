/* fuzz_xml.c -- any bytes are a MULAN label file or are refused. */
#include <stdint.h>
#include <stdlib.h>

#include "data/rows/xml_labels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bs_arena      arena;
    bs_xml_labels out = {.most = 1000};
    bs_input     *in;
    basin_error   err;
    bs_arena_init(&arena, 0);
    bs_names_init(&out.names, &arena);
    if (!bs_input_memory("fuzz", data, size, &in, &err)) {
        bs_xml_labels_read(in, &out, &err);
        bs_input_close(in);
    }
    bs_names_free(&out.names);
    bs_arena_free(&arena);
    return 0;
}
