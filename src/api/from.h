/* from.h -- which model a training goes on with (--from), and what it takes of its settings. */
#ifndef BS_API_FROM_H
#define BS_API_FROM_H

#include "api/api.h"
#include "run/from.h"

/* *out = NULL where the settings name no model. It must be of the task of the settings. */
basin_status bs_from_find(const bs_train_options *o, const char *task, bs_from **out,
                          basin_error *err);

/* Over the defaults: all that the model was trained with, or, by another method, what its nets and
 * its data were. */
basin_status bs_from_settings(const bs_from *f, const char *method, bs_settings *s,
                              basin_error *err);

/* After the data is read: which parameters go where. */
basin_status bs_from_fit(bs_from *f, const bs_settings *s, bs_prepared *data, bs_logger *log,
                         basin_error *err);

#endif
