/* pieces.h -- a file of any length, a few thousand rows at a time.
 *
 * Every piece is read like a file: the file's header (ARFF attributes, the numbers of an
 * extreme-classification file, column names) and some of its lines. A format whose columns can only
 * be understood from all rows is one piece. So is CSV, unless a model's schema defines the columns
 * and rows come from a pipe or must be kept as text.
 *
 * From a pipe, a piece is what has arrived: rows are answered before the next ones come. */
#ifndef BS_PIECES_H
#define BS_PIECES_H

#include "data/rows/read.h"

typedef struct bs_pieces bs_pieces;

/* Borrows path and options. */
basin_status bs_pieces_open(const char *path, const bs_read_options *o, int32_t rows,
                            bs_pieces **out, basin_error *err);
/* *out = NULL at the end. */
basin_status bs_pieces_next(bs_pieces *p, bs_rows **out, bs_notes *notes, basin_error *err);
void         bs_pieces_close(bs_pieces *p); /* accepts NULL */

#endif
