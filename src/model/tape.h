/* tape.h -- outputs for the batches of one pass over some data, to be read again.
 *
 * A search of twenty steps runs once; what it found after each of them is then read in further
 * passes over the same batches in the same order, at no cost. */
#ifndef BS_TAPE_H
#define BS_TAPE_H

#include "base/err.h"
#include "graph/real.h"

typedef struct bs_search_record bs_search_record;

bs_search_record *bs_search_record_new(int points); /* NULL when memory runs out */
void              bs_search_record_free(bs_search_record *t);

/* Starts the next batch; tells where to write y [parts] and energy [rows] of a point. */
basin_status bs_search_record_begin(bs_search_record *t, size_t rows, size_t parts,
                                    basin_error *err);
void         bs_search_record_at(bs_search_record *t, int point, real **y, real **energy);

/* Returns to the first batch, at this point. */
void bs_search_record_rewind(bs_search_record *t, int point);
/* The next batch; an error if its size differs from before. */
basin_status bs_search_record_read(bs_search_record *t, size_t rows, const real **y,
                                   const real **energy, basin_error *err);

#endif
