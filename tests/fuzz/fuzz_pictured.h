/* fuzz_pictured.h -- what a model knows of images, from any bytes. */
#ifndef FUZZ_PICTURED_H
#define FUZZ_PICTURED_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "task/seg/data.h"

/* Loads or is refused; what loads gives nets or is refused for them, and is written alike. */
static inline void fuzz_pictured(const uint8_t *data, size_t size)
{
    bs_preprocess one = {0}, two = {0};
    bs_buf        first, second;
    bs_settings   s;
    bs_net_spec   spec;
    basin_error   err;
    char         *text = malloc(size + 1);
    if (!text || bs_settings_default(&s, &err))
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    bs_arena_init(&one.arena, 0);
    bs_arena_init(&two.arena, 0);
    bs_buf_init(&first, 1 << 24);
    bs_buf_init(&second, 1 << 24);
    if (!bs_preprocess_read(&bs_task_seg, text, "fuzz", &one, &err)) {
        bs_task_seg.spec(&s.train, &one, &spec, &err);
        bs_task_seg.known_json(&one, &first);
        if (bs_preprocess_read(&bs_task_seg, first.data, "again", &two, &err))
            abort();
        bs_task_seg.known_json(&two, &second);
        if (first.len != second.len || memcmp(first.data, second.data, first.len) != 0)
            abort();
    }
    bs_buf_free(&first);
    bs_buf_free(&second);
    bs_preprocess_free(&one);
    bs_preprocess_free(&two);
    free(text);
}

#endif
