/* tape.h -- outputs of the batches of one pass over some data, to be looked at again.
 *
 * A search of twenty steps is run once; what it had found after each of them is then asked for in
 * further passes over the same batches in the same order, which cost nothing. */
#ifndef BS_TAPE_H
#define BS_TAPE_H

#include "base/err.h"
#include "graph/real.h"

typedef struct bs_tape bs_tape;

bs_tape *bs_tape_new(int points); /* NULL when memory runs out */
void     bs_tape_free(bs_tape *t);

/* The next batch, and where y [parts] and energy [rows] of a point of it are written. */
basin_status bs_tape_begin(bs_tape *t, size_t rows, size_t parts, basin_error *err);
void         bs_tape_at(bs_tape *t, int point, real **y, real **energy);

/* From the first batch again, at this point. */
void bs_tape_rewind(bs_tape *t, int point);
/* The next one; an error when it is of another size than it was. */
basin_status bs_tape_read(bs_tape *t, size_t rows, const real **y, const real **energy,
                          basin_error *err);

#endif
