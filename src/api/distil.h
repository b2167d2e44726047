/* distil.h -- one net learns from a model: an ensemble, folds, an energy (Hinton et al. 2015). Its
 * truth is a mixture of that of the rows and the teacher's probabilities for them. */
#ifndef BS_API_DISTIL_H
#define BS_API_DISTIL_H

#include "api/api.h"
#include "run/from.h"

/* *out = NULL if the settings name no teacher. Its task must be that of the settings, one that can
 * be taught, and so must be what else is asked for. */
basin_status bs_teacher_find(const bs_train_options *o, const char *task, bs_base_model **out,
                             basin_error *err);

/* On top of the defaults: how the teacher reads rows, and which it left out. */
basin_status bs_teacher_settings(const bs_base_model *teacher, bool own_valid, bs_settings *s,
                                 basin_error *err);

/* The teacher's probabilities for the rows of train, by models that have not seen them if it was
 * trained by folds of these rows; then one fold is left for validation. */
basin_status bs_teacher_teach(const bs_base_model *teacher, const bs_settings *s, bs_data *data,
                              bs_logger *log, basin_error *err);

#endif
