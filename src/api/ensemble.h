/* ensemble.h -- several trainings whose mean is one model: with other seeds (ensemble=N), each
 * without another part of the rows (folds=K), or both.
 *
 * With folds, every row is trained on, and is judged by the models that have not seen it. These
 * out-of-fold outputs choose the threshold in place of validation rows. */
#ifndef BS_API_ENSEMBLE_H
#define BS_API_ENSEMBLE_H

#include "api/api.h"

/* A training, or an ensemble. */
typedef struct {
    const bs_settings   *settings; /* with task and method resolved */
    const bs_data       *data;
    const char          *folder; /* NULL: nothing is written; otherwise its lock is held */
    int                  resume;
    const basin_session *session; /* or NULL */
    bs_logger           *log;
    double               begun;      /* bs_seconds() when time_limit starts; 0 = now */
    const bs_base_model *from;       /* a model to continue from, or NULL */
    int                  from_model; /* which member of it */
    bs_buf              *model;      /* receives the bytes of the model; or NULL */
    const char          *pretrained; /* default of pretrain.cache; or NULL */
    const bs_observer   *watch;      /* of every training; or NULL */
    bool                 so_far;     /* if interrupted, the best model so far is handed over, too */
} bs_training;

bs_train_job bs_training_job(const bs_training *t);

/* api/train.c: trains, or takes the result of an earlier call if it is to be resumed and is
 * finished (*trained = false). keep: NULL, or receives the parameters of a single training that was
 * just trained. */
basin_status bs_train_or_take(const bs_training *t, bs_train_outcome *out, bs_params **keep,
                              bool *trained, basin_error *err);

/* Models go to folder/model-0, folder/model-1, ...; the model in the folder itself holds all. */
basin_status bs_ensemble_train(const bs_training *t, bs_train_outcome *out, basin_error *err);

/* Outputs for the rows of data->part[1], each by the models that have not seen it. */
basin_status bs_ensemble_predict_folds(const bs_model_file *m, const bs_data *data,
                                       bs_machine where, bs_outputs *out, basin_error *err);

#endif
