/* pieces.h -- a file of any length, a few thousand rows at a time.
 *
 * Every piece is read as a file of its own: the head of the file (the attributes of ARFF, the
 * numbers of an extreme-classification file, the names of columns) and some of its lines. Formats
 * whose columns can only be understood from all rows are one piece, and so is CSV, unless a model's
 * schema says what they are and rows come from a pipe or are to be kept as they stand.
 *
 * Of a pipe, a piece is what has arrived: rows are answered before the next ones are there. */
#ifndef BS_PIECES_H
#define BS_PIECES_H

#include "data/rows/read.h"

typedef struct bs_pieces bs_pieces;

/* Borrows path and options. */
basin_status bs_pieces_open(const char *path, const bs_read_options *o, int32_t rows,
                            bs_pieces **out, basin_error *err);
/* *out = NULL at the end. */
basin_status bs_pieces_next(bs_pieces *p, bs_dataset **out, bs_notes *notes, basin_error *err);
void         bs_pieces_close(bs_pieces *p); /* accepts NULL */

#endif
