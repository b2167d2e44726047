/* fuzz_schema.c -- any bytes are a feature schema or are refused; what loads is written alike. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/tree.h"
#include "data/dataset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static basin_status read_schema(const char *text, size_t n, bs_arena *arena, bs_schema *out)
{
    basin_error  err;
    json_t      *o = bs_tree_read(text, n, JSON_REJECT_DUPLICATES, NULL);
    basin_status s = o ? bs_schema_take(o, "fuzz", arena, out, &err) : BASIN_EDATA;
    json_decref(o);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bs_arena  arena;
    bs_schema one, two;
    bs_buf    first, second;
    bs_arena_init(&arena, 0);
    bs_buf_init(&first, 1 << 24);
    bs_buf_init(&second, 1 << 24);
    if (!read_schema((const char *)data, size, &arena, &one)) {
        bs_schema_json(&one, &first);
        if (read_schema(first.data, first.len, &arena, &two))
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
