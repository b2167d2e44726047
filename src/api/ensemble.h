/* ensemble.h -- several trainings whose mean is one model: with other seeds (ensemble=N), each
 * without another part of the rows (folds=K), or both.
 *
 * With folds, all rows are trained on, and each is judged by the models that have not seen it.
 * These out-of-fold outputs decide on the threshold, in the place of those of validation rows. */
#ifndef BS_API_ENSEMBLE_H
#define BS_API_ENSEMBLE_H

#include "api/api.h"

/* One training, or one ensemble. */
typedef struct {
    const bs_settings   *settings; /* task and method resolved */
    const bs_prepared   *data;
    const char          *folder; /* NULL: nothing is written; else its lock is held */
    int                  resume;
    const basin_session *session; /* or NULL */
    bs_logger           *log;
    double               begun;      /* bs_seconds() from which time_limit counts; 0 = from now */
    const bs_from       *from;       /* a model that it goes on with, or NULL */
    int                  from_model; /* which of it */
} bs_training;

bs_train_job bs_training_job(const bs_training *t);

/* api/train.c: trains, or takes what an earlier call came to where it is to be resumed and is
 * finished (*trained = false). keep: NULL, or gets the parameters of a single training that was
 * trained. */
basin_status bs_train_or_take(const bs_training *t, bs_train_outcome *out, bs_params **keep,
                              bool *trained, basin_error *err);

/* Of verbs whose trainings are single ones: folds and ensembles are refused. */
basin_status bs_ensemble_refuse(const bs_train_options *o, const char *verb, basin_error *err);

/* Models go to folder/model-0, folder/model-1, ...; the model of the folder itself holds all. */
basin_status bs_ensemble_train(const bs_training *t, bs_train_outcome *out, basin_error *err);

/* Outputs for the rows of data->part[1], each by the models that have not seen it. */
basin_status bs_ensemble_predict_folds(const bs_saved *m, const bs_prepared *data, bs_machine where,
                                       bs_outputs *out, basin_error *err);

#endif
