/* cut.h -- divides the rows of a file into parts, byte for byte.
 *
 * A data set holds what was understood of a file: a category is one-hot, an identifier is gone.
 * Files written from it would look different from the original. So the rows are located in the text
 * again. */
#ifndef BS_CUT_H
#define BS_CUT_H

#include "data/rows/read.h"

typedef struct bs_cut bs_cut;

/* ds was read from the file. *out = NULL with *why, a static text, if its rows cannot be told
 * apart: other formats, pipes, blank lines that are rows. */
basin_status bs_cut_open(const char *path, const bs_rows *ds, const bs_read_options *o,
                         bs_cut **out, const char **why, basin_error *err);
void         bs_cut_close(bs_cut *cut); /* accepts NULL */

/* The file's header and these rows; label names go into a file beside it. */
basin_status bs_cut_write(const bs_cut *cut, const int32_t *rows, int32_t n, const char *path,
                          bs_notes *notes, basin_error *err);

#endif
