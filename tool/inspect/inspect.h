/* inspect.h -- what `basin data` does with files of a task. */
#ifndef BS_API_DATA_H
#define BS_API_DATA_H

#include "basin_tool.h"
#include "data/split.h"

/* Files and how to read them. */
typedef struct {
    const bs_settings *settings;
    const char *const *file;
    int                n;
    const bs_task     *task;
} bs_data_args;

/* Where the parts of a split go. */
typedef struct {
    const char                *prefix;
    const basin_split_options *o;
    double                     share[BS_MOST_PARTS];
    int                        parts;
} bs_cutting;

/* PREFIX-NAME.EXT of part i; NAME from the options, or train, valid, test, or a number. */
void bs_part_path(const bs_cutting *cut, int i, const char *extension, char out[BS_OPTION_TEXT]);

/* Notes are printed if all went well; table and json are shown even after a failure, if not
 * empty. */
typedef struct bs_task_inspect {
    basin_status (*inspect)(const bs_data_args *g, bool check, bs_buf *table, bs_buf *json,
                            basin_error *err);
    basin_status (*convert)(const bs_data_args *g, const char *out, const char *format,
                            bs_notes *notes, basin_error *err);
    basin_status (*split)(const bs_data_args *g, const bs_cutting *cut, bs_notes *notes,
                          bs_buf *table, bs_buf *json, basin_error *err);
    /* The table of inspect for data already read; train: what to compare it with, or NULL. */
    basin_status (*describe)(const bs_dataset *part, const bs_dataset *train, bs_buf *table,
                             basin_error *err);
    basin_status (*make)(const char *options, int seed, const char *out, const char *format,
                         bs_notes *notes, bs_buf *table, bs_buf *json, basin_error *err);
    const char *also, *options; /* another kind of data that it makes, with these options */
} bs_task_inspect;

/* Lines "key      text" about data in memory, as `basin data inspect` prints them. */
basin_status bs_data_describe(const bs_dataset *part, const bs_dataset *train, bs_buf *table,
                              basin_error *err);

/* The line that names the current one of several files, after an empty line. */
void bs_data_file(const char *path, int number, bs_buf *table);
/* The command for training on a file; on the files of g, which may be train, valid and test, with
 * the settings of `rows` that are not the usual ones. */
void bs_data_next(const char *path, bs_buf *table);
void bs_data_next_all(const bs_data_args *g, bool roles, const bs_option *rows, const void *now,
                      const void *usual, bs_buf *table);

/* "key=value key=value" into the options of a generator. */
basin_status bs_make_options(const bs_option *rows, void *options, const char *words,
                             basin_error *err);

#endif
