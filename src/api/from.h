/* from.h -- which model a training continues from (--from), and which of its settings apply. */
#ifndef BS_API_FROM_H
#define BS_API_FROM_H

#include "api/api.h"
#include "run/from.h"

/* *out = NULL if the settings name no model. Its task must be that of the settings. */
basin_status bs_base_model_find(const bs_train_options *o, const char *task, bs_base_model **out,
                                basin_error *err);

/* For verbs whose trainings start from scratch. */
basin_status bs_base_model_refuse(const bs_train_options *o, const char *verb, basin_error *err);

/* On top of the defaults: everything the model was trained with or, for another method, the
 * settings of its nets and its data. */
basin_status bs_base_model_settings(const bs_base_model *f, const char *method, bs_settings *s,
                                    basin_error *err);

/* After the data is read: which parameters go where. */
basin_status bs_base_model_fit(bs_base_model *f, const bs_settings *s, bs_data *data,
                               bs_logger *log, basin_error *err);

#endif
