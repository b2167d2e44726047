/* keep.h -- the input's own columns, shown before the predictions. */
#ifndef BS_API_PREDICT_KEEP_H
#define BS_API_PREDICT_KEEP_H

#include "api/api.h"

/* All zero at first. */
typedef struct {
    bs_arena     arena;
    bs_buf       scratch;
    bool         begun;
    bool         table; /* cells with column names; else members of JSON rows */
    const char  *head;  /* its header line as written; NULL: none */
    const char **name;  /* [n] columns */
    int32_t      n;
} bs_input_columns;

/* Starts the next piece, whose columns must be those of the first. number: of its first row. */
basin_status bs_input_columns_begin(bs_input_columns *k, const bs_rows *d, int64_t number,
                                    basin_error *err);
void         bs_input_columns_free(bs_input_columns *k);

/* Refuses a column with this name, which is used for predictions. */
basin_status bs_input_columns_refuse(const bs_input_columns *k, const char *name, basin_error *err);

/* Column names separated by a delimiter; the cells of a row of the piece, likewise or, if it is
 * NULL, as members of an object. */
void         bs_input_columns_head(const bs_input_columns *k, const char *delimiter, bool safe,
                                   bs_buf *out);
basin_status bs_input_columns_cells(bs_input_columns *k, const bs_rows *d, int32_t row,
                                    const char *delimiter, bool safe, bs_buf *out,
                                    basin_error *err);
/* Members of an object, each followed by ", ". Refuses a member of a JSON row with one of the names
 * in `taken`, which ends with NULL. */
basin_status bs_input_columns_members(bs_input_columns *k, const bs_rows *d, int32_t row,
                                      int64_t number, const char *const *taken, bs_buf *out,
                                      basin_error *err);

/* A table cell, quoted if requested or needed. */
void bs_put_cell(const char *text, size_t len, const char *delimiter, bool quoted, bool safe,
                 bs_buf *out);

#endif
