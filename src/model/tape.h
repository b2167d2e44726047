/* tape.h -- outputs for the batches of one pass over some data, to be read again.
 *
 * A search of twenty steps runs once; what it found after each of them is then read in further
 * passes over the same batches in the same order, at no cost. */
#ifndef BS_TAPE_H
#define BS_TAPE_H

#include "base/err.h"
#include "graph/real.h"

typedef struct bs_tape bs_tape;

bs_tape *bs_tape_new(int points); /* NULL when memory runs out */
void     bs_tape_free(bs_tape *t);

/* Starts the next batch; tells where to write y [parts] and energy [rows] of a point. */
basin_status bs_tape_begin(bs_tape *t, size_t rows, size_t parts, basin_error *err);
void         bs_tape_at(bs_tape *t, int point, real **y, real **energy);

/* Returns to the first batch, at this point. */
void bs_tape_rewind(bs_tape *t, int point);
/* The next batch; an error if its size differs from before. */
basin_status bs_tape_read(bs_tape *t, size_t rows, const real **y, const real **energy,
                          basin_error *err);

#endif
