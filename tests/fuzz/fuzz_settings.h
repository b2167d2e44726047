/* fuzz_settings.h -- the body of the fuzz target of settings: any bytes as lines of a config, as
 * JSON of a model, as words of a preset. What is taken is written and read back alike. */
#ifndef FUZZ_SETTINGS_H
#define FUZZ_SETTINGS_H

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "task/options.h"

#define SETTINGS_MUST(condition) \
    do {                         \
        if (!(condition))        \
            __builtin_trap();    \
    } while (0)

static inline void settings_again(const bs_settings *s, bool json)
{
    bs_settings back;
    bs_buf      first, second;
    bs_buf_init(&first, 1 << 20);
    bs_buf_init(&second, 1 << 20);
    SETTINGS_MUST(bs_settings_default(&back, NULL) == BASIN_OK);
    if (json) {
        bs_settings_json(s, &first);
        SETTINGS_MUST(bs_settings_from_json(&back, first.data, first.len, "a", NULL) == BASIN_OK);
        bs_settings_json(&back, &second);
    } else {
        bs_settings_write_config(s, &first);
        SETTINGS_MUST(bs_settings_config(&back, first.data, first.len, "a", NULL) == BASIN_OK);
        bs_settings_write_config(&back, &second);
    }
    SETTINGS_MUST(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
    bs_buf_free(&first);
    bs_buf_free(&second);
}

static inline void fuzz_settings(const uint8_t *data, size_t size)
{
    bs_settings s;
    basin_error err;
    char       *text = bs_alloc(size + 1);
    SETTINGS_MUST(text);
    memcpy(text, data, size);
    text[size] = '\0';
    for (int how = 0; how < 3; how++) {
        SETTINGS_MUST(bs_settings_default(&s, NULL) == BASIN_OK);
        basin_status status = how == 0   ? bs_settings_config(&s, text, size, "config", &err)
                              : how == 1 ? bs_settings_from_json(&s, text, size, "model", &err)
                                         : bs_settings_words(&s, text, "preset", &err);
        if (status)
            SETTINGS_MUST(err.msg[0] && !strchr(err.msg, '\n'));
        else
            settings_again(&s, how == 1);
    }
    bs_free(text);
}

#endif
