/* small_training.h -- a training that is over at once, and whether a model has the bytes of a
 * file. */
#ifndef TEST_SMALL_TRAINING_H
#define TEST_SMALL_TRAINING_H

#include "api_folder.h"
#include "base/io.h"

static inline basin_config *small(const char *method)
{
    const char *const set[][2] = {{"epochs", "2"},       {"net.width", "8"}, {"threads", "1"},
                                  {"report", "no"},      {"folds", "1"},     {"batch", "16"},
                                  {"split.test", "0.2"}, {"method", method}};
    basin_config     *c;
    OK(basin_config_new(&c, err));
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        OK(basin_config_set(c, set[i][0], set[i][1], err));
    return c;
}

/* The model, also in a folder if that is not NULL. Frees the settings. */
static inline basin_model *trained(basin_config *c, const char *into)
{
    basin_model *m;
    basin_text   text;
    OK(basin_train_with(
        c, &BASIN_OPTIONS(basin_train_options, .folder = into, .force = 1, .model = &m), NULL,
        &text, err));
    basin_text_free(&text);
    basin_config_free(c);
    return m;
}

static inline void same_bytes(const basin_model *m, const char *path)
{
    basin_bytes bytes;
    bs_buf      file;
    bs_buf_init(&file, 1 << 28);
    OK(basin_model_write(m, &bytes, err));
    OK(bs_read_file(path, &file, err));
    assert_int_equal(bytes.n, file.len);
    assert_memory_equal(bytes.data, file.data, file.len);
    bs_buf_free(&file);
    basin_bytes_free(&bytes);
}

#endif
