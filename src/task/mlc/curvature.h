/* curvature.h -- how labels depend on each other in an energy. */
#ifndef BS_MLC_CURVATURE_H
#define BS_MLC_CURVATURE_H

#include "task/mlc/nets.h"

/* The mean over rows of d2 E_global / dy2. Energies over label sets see y as h = M y + m
 * (energy.h), so that it is M (d2E/dh2) M', which takes one product with a Hessian for each of
 * the few h and not for each of the labels. */
typedef struct bs_label_curvature bs_label_curvature;

basin_status bs_label_curvature_new(bs_workspace *w, bs_params *params, const bs_net_spec *spec,
                                    bs_label_curvature **out, basin_error *err);
void         bs_label_curvature_free(bs_label_curvature *c); /* accepts NULL */

/* At these outputs y [rows, labels]. */
basin_status bs_label_curvature_add(bs_label_curvature *c, const float *y, int32_t rows,
                                    basin_error *err);
/* out [labels, labels], symmetric. */
basin_status bs_label_curvature_mean(const bs_label_curvature *c, double *out, basin_error *err);

#endif
