/* search.h -- searches of the energy for prediction, of any length in bounded memory.
 *
 * A short search is one program with unrolled steps. A longer one is a program of a few steps that
 * runs repeatedly (bs_gbi_loop), with the state between steps kept outside. Many random starts are
 * searched in rounds. So memory depends on neither number. */
#ifndef BS_SEARCH_H
#define BS_SEARCH_H

#include "model/score.h"
#include "model/tape.h"

typedef struct bs_search bs_search;

/* Borrows everything for its lifetime. NULL when memory runs out. */
bs_search *bs_search_new(const bs_net_spec *spec, const bs_inference *how);
void       bs_search_free(bs_search *s);

/* Inputs and results of a program for batches of the view's size. */
void bs_search_build(const bs_search *s, bs_output_space *v, bs_recipe *r);

/* Runs such a program, whose batch and parameters are bound. If points are recorded, all of them go
 * to the tape, and the last one is the result. */
basin_status bs_search_run(bs_search *s, bs_entry *e, bs_size size, bs_search_record *tape,
                           bs_scored *out, basin_error *err);

#endif
