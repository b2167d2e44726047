/* energy_program.h -- energies of given discrete outputs of a batch, any number of times: what is
 * known of x is computed once. Several models give the mean of theirs. */
#ifndef BS_ENERGY_PROGRAM_H
#define BS_ENERGY_PROGRAM_H

#include "model/view.h"
#include "device/device.h"

typedef struct bs_energy_program bs_energy_program;

/* Borrows everything for its lifetime. */
basin_status bs_energy_program_new(bs_workspace *w, bs_params *params, const bs_net_spec *spec,
                                   bs_energy_program **out, basin_error *err);
basin_status bs_energy_program_join(bs_energy_program *e, bs_workspace *w, bs_params *params,
                                    basin_error *err);
void         bs_energy_program_free(bs_energy_program *e); /* accepts NULL */

/* From now on outputs y [rows * K, parts] of this batch, K for each row. What b points to and y are
 * read until the next start. */
basin_status bs_energy_program_start(bs_energy_program *e, const bs_batch *b, int K, const real *y,
                                     basin_error *err);
/* Energies of the first n of y as it is now, zeros and ones. BASIN_ENUMERIC. */
basin_status bs_energy_program_run(bs_energy_program *e, int n, double *out, basin_error *err);
/* Mean potentials of the first n parts of the batch, for tasks that have them. */
basin_status bs_energy_program_potentials(bs_energy_program *e, size_t n, float *out,
                                          basin_error *err);

#endif
