/* inspect.h -- `basin data` for files of sentences: with tags, or with semantic roles. */
#ifndef BS_TOOL_TAG_INSPECT_H
#define BS_TOOL_TAG_INSPECT_H

#include "inspect/inspect.h"

/* With roles where that is the task. */
basin_status bs_inspect_sentences(const bs_data_args *g, bool check, bs_buf *table, bs_buf *json,
                                  basin_error *err);
basin_status bs_convert_sentences(const bs_data_args *g, const char *out, const char *format,
                                  bs_notes *notes, basin_error *err);
basin_status bs_split_sentences(const bs_data_args *g, const bs_cutting *cut, bs_notes *notes,
                                bs_buf *table, bs_buf *json, basin_error *err);
/* Columns that were made, in the format wanted: NULL: by the extension, else columns. */
basin_status bs_save_sentences(const bs_buf *text, bool roles, const char *out, const char *format,
                               basin_error *err);
basin_status bs_describe_sentences(const bs_dataset *part, const bs_dataset *train, bs_buf *table,
                                   basin_error *err);

#endif
