/* inspect.c -- basin_data_* for semantic roles. */
#include <string.h>

#include "base/io.h"
#include "tasks/roles/make.h"
#include "tasks/tag/inspect.h"

static basin_status make(const char *options, int seed, const char *out, const char *format,
                         bs_notes *notes, bs_buf *table, bs_buf *json, basin_error *err)
{
    bs_make_roles_options o;
    bs_make_roles_truth   truth;
    bs_buf                text;
    (void)notes;
    bs_buf_init(&text, (size_t)1 << 32);
    basin_status s = bs_make_options(bs_make_roles_rows, &o, options, err);
    o.seed = seed;
    if (!s)
        s = bs_make_roles(&o, &text, &truth, err);
    if (!s)
        s = bs_save_sentences(&text, true, out, format, err);
    if (!s) {
        bs_make_roles_describe(&o, &truth, out, table, json);
        bs_data_next(out, table);
    }
    bs_buf_free(&text);
    return s;
}

const bs_task_inspect bs_task_inspect_roles = {
    .inspect = bs_inspect_sentences,
    .convert = bs_convert_sentences,
    .split = bs_split_sentences,
    .describe = bs_describe_sentences,
    .make = make,
};
