/* inspect.h -- what `basin data` does with files of a task. */
#ifndef BS_API_DATA_H
#define BS_API_DATA_H

#include "basin_tool.h"
#include "data/split.h"

/* Files and how they are read. */
typedef struct {
    const bs_settings *settings;
    const char *const *file;
    int                n;
} bs_given;

/* Where the parts of a split go. */
typedef struct {
    const char                *prefix;
    const basin_split_options *o;
    double                     share[BS_MOST_PARTS];
    int                        parts;
} bs_cutting;

/* PREFIX-NAME.EXT of part i; NAME from the options, or train, valid, test, or a number. */
void bs_part_path(const bs_cutting *cut, int i, const char *extension, char out[BS_OPTION_TEXT]);

/* Notes are said when all went well; table and json are shown after a failure, too, when there is
 * something in them. */
typedef struct {
    const char *task;
    basin_status (*inspect)(const bs_given *g, bool check, bs_buf *table, bs_buf *json,
                            basin_error *err);
    basin_status (*convert)(const bs_given *g, const char *out, const char *format, bs_notes *notes,
                            basin_error *err);
    basin_status (*split)(const bs_given *g, const bs_cutting *cut, bs_notes *notes, bs_buf *table,
                          bs_buf *json, basin_error *err);
    /* The table of inspect, of what was read already; train: what it is compared with, or NULL. */
    basin_status (*describe)(const bs_part *part, const bs_part *train, bs_buf *table,
                             basin_error *err);
    basin_status (*make)(const char *options, int seed, const char *out, const char *format,
                         bs_notes *notes, bs_buf *table, bs_buf *json, basin_error *err);
} bs_handling;

extern const bs_handling bs_handling_mlc, bs_handling_tag, bs_handling_seg;

/* Lines "key      text" about data in memory, as `basin data inspect` prints them. */
basin_status bs_data_describe(const bs_part *part, const bs_part *train, bs_buf *table,
                              basin_error *err);

/* The line that says which of several files is looked at, after an empty one. */
void bs_data_file(const char *path, int number, bs_buf *table);
/* The command that trains on a file. */
void bs_data_next(const char *path, bs_buf *table);

/* "key=value key=value" into the options of a generator. */
basin_status bs_make_options(const bs_option *rows, void *options, const char *words,
                             basin_error *err);

#endif
