/* probe.h -- an energy and its derivatives at given outputs, to find out what a trained model has
 * learned.
 *
 * There is one program per question and batch size. Inputs are batches of the task; y is [rows,
 * parts], with as many parts as task->parts says. Results are valid until the next question, and of
 * a row the same whatever rows are beside it. The parameters are only read. */
#ifndef BS_PROBE_H
#define BS_PROBE_H

#include "model/view.h"
#include "device/device.h"

typedef struct bs_energy_probe bs_energy_probe;

/* Borrows everything. Hessian products are exact or, for energies with a part that can be
 * differentiated only once (an LSTM), central differences. */
basin_status bs_energy_probe_new(bs_workspace *w, bs_params *params, const bs_net_spec *spec,
                                 bs_hvp_kind kind, bs_energy_probe **out, basin_error *err);
void         bs_energy_probe_free(bs_energy_probe *p); /* accepts NULL */

/* E(x, y): [rows] */
basin_status bs_energy_probe_energy(bs_energy_probe *p, const bs_batch *b, const real *y,
                                    const real **out, basin_error *err);
/* E(x, gold): [rows] */
basin_status bs_energy_probe_truth(bs_energy_probe *p, const bs_batch *b, const real **out,
                                   basin_error *err);
/* dE/dy: [rows, parts] */
basin_status bs_energy_probe_gradient(bs_energy_probe *p, const bs_batch *b, const real *y,
                                      const real **out, basin_error *err);
/* (d2E/dy2) v, row by row: [rows, parts] */
basin_status bs_energy_probe_product(bs_energy_probe *p, const bs_batch *b, const real *y,
                                     const real *v, const real **out, basin_error *err);
/* Scores that the energy gives to parts of y one by one: [rows, parts]. Not for all tasks. */
basin_status bs_energy_probe_potentials(bs_energy_probe *p, const bs_batch *b, const real **out,
                                        basin_error *err);

#endif
