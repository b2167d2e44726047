/* fuzz_schema.c -- any bytes are a feature schema or are refused; what loads is written alike. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bs_arena    arena;
    bs_schema   one, two;
    bs_buf      first, second;
    basin_error err;
    bs_arena_init(&arena, 0);
    bs_buf_init(&first, 1 << 24);
    bs_buf_init(&second, 1 << 24);
    if (!bs_schema_from_json((const char *)data, size, "fuzz", &arena, &one, &err)) {
        bs_schema_json(&one, &first);
        if (bs_schema_from_json(first.data, first.len, "again", &arena, &two, &err))
            abort();
        bs_schema_json(&two, &second);
        if (first.len != second.len || memcmp(first.data, second.data, first.len) != 0)
            abort();
    }
    bs_buf_free(&first);
    bs_buf_free(&second);
    bs_arena_free(&arena);
    return 0;
}
