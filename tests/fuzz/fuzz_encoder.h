/* fuzz_encoder.h -- any bytes as config.json beside the tensors of an encoder, and as what a model
 * keeps of one. */
#ifndef FUZZ_ENCODER_H
#define FUZZ_ENCODER_H

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "pretrained/inside.h"

#ifndef MUST
#define MUST(condition)       \
    do {                      \
        if (!(condition))     \
            __builtin_trap(); \
    } while (0)
#endif

static inline void fuzz_form(const bs_encoder_form *f)
{
    bs_encoder_form again;
    bs_buf          one, two;
    bs_buf_init(&one, 1 << 16);
    bs_buf_init(&two, 1 << 16);
    bs_encoder_form_write(f, &one);
    MUST(bs_encoder_form_read("again", one.data, one.len, &again, NULL) == BASIN_OK);
    bs_encoder_form_write(&again, &two);
    MUST(one.len == two.len && memcmp(one.data, two.data, one.len) == 0);
    bs_buf_free(&one);
    bs_buf_free(&two);
}

static inline void fuzz_encoder(const uint8_t *data, size_t size)
{
    const long             live = bs_mem_live();
    const char            *text = (const char *)data;
    static bs_safetensors *file;
    bs_encoder_form        form;
    basin_error            err = {0};
    if (!file)
        MUST(bs_safetensors_open("tests/golden/encoders/bert/model.safetensors", &file, NULL) ==
             BASIN_OK);
    if (bs_encoder_form_read("model", text, size, &form, &err) == BASIN_OK)
        fuzz_form(&form);
    else
        MUST(err.status && err.msg[0] && !strchr(err.msg, '\n'));

    json_t *config = bs_tree_read(text, size, 0, NULL);
    if (json_is_object(config) &&
        bs_encoder_config("config.json", config, &form, &err) == BASIN_OK) {
        bs_pretrained e = {.form = form, .file = file, .path = (char[]){"model"}};
        fuzz_form(&form);
        if (bs_encoder_tensors(&e, &err))
            MUST(err.msg[0] && !strchr(err.msg, '\n'));
        bs_free(e.prefix);
    }
    json_decref(config);
    MUST(bs_mem_live() - live <= 8); /* of the open file, the first time */
}

#endif
