/* probe.h -- an energy and its derivatives at outputs that are given, for whoever wants to know
 * what a trained model has learned.
 *
 * One program a question and size of batch. Inputs come as batches of the task; y is [rows, parts]
 * with as many parts as task->parts says. What is returned is valid until the next question. The
 * parameters are only read. */
#ifndef BS_PROBE_H
#define BS_PROBE_H

#include "model/view.h"
#include "device/device.h"

typedef struct bs_probe bs_probe;

/* Borrows everything. How products with the Hessian are taken: exactly, or, of energies with a part
 * that can be differentiated once (an LSTM), by central differences. */
basin_status bs_probe_new(bs_workspace *w, bs_params *params, const bs_spec *spec, bs_hvp_kind kind,
                          bs_probe **out, basin_error *err);
void         bs_probe_free(bs_probe *p); /* accepts NULL */

/* E(x, y): [rows] */
basin_status bs_probe_energy(bs_probe *p, const bs_batch *b, const real *y, const real **out,
                             basin_error *err);
/* dE/dy: [rows, parts] */
basin_status bs_probe_gradient(bs_probe *p, const bs_batch *b, const real *y, const real **out,
                               basin_error *err);
/* (d2E/dy2) v, row by row: [rows, parts] */
basin_status bs_probe_product(bs_probe *p, const bs_batch *b, const real *y, const real *v,
                              const real **out, basin_error *err);
/* What the energy gives to parts of y one by one, as a score: [rows, parts]. Not of all tasks. */
basin_status bs_probe_potentials(bs_probe *p, const bs_batch *b, const real **out,
                                 basin_error *err);

#endif
