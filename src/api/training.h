/* training.h -- trainings as basin_train, compare and tune do them: one, an ensemble, the search
 * for a method; the models they start from; and what is left of them in a folder. */
#ifndef BS_API_TRAINING_H
#define BS_API_TRAINING_H

#include "api/api.h"
#include "run/from.h"

/* basin_train_options plus a page about the finished run, for which the tool receives the training
 * data; NULL: none. Returns whether the page was written. */
typedef struct {
    const char *folder;
    int         seeds, resume, force;
    bool (*report)(const char *folder, const bs_data *data, bs_machine where, bs_logger *log);
    bs_buf *model;  /* receives the bytes of the model of one seed; or NULL */
    bool    shared; /* other processes train seeds into the same folder (base/share.h) */
} bs_train_request;

basin_status bs_train_requested(const basin_config *c, const bs_train_request *o,
                                const basin_session *session, basin_text *out, basin_error *err);
/* Requests the page, unless the settings or a stop forbid it. */
bool bs_train_report(const bs_train_request *o, const bs_settings *s, const bs_data *data,
                     const basin_session *session, bs_logger *log);

/* File names: those given, which are copied into the settings, or else those from the settings,
 * split apart in `text`. */
void bs_config_files(bs_sources *files, bs_train_options *o, char text[][BS_OPTION_TEXT]);

/* ---- one training (train.c, ensemble.c) ---- */

/* A job (run/trainer.h) on this data, otherwise as given. */
bs_train_job bs_train_job_on(const bs_data *data, const bs_train_job *job);

/* Trains, or takes the result of an earlier call if it is to be resumed and is finished (*trained =
 * false). job->keep only receives the parameters of a single training that was just trained. */
basin_status bs_train_or_take(const bs_train_job *job, bs_train_outcome *out, bool *trained,
                              basin_error *err);

/* Several trainings whose mean is one model: with other seeds (ensemble=N), each without another
 * part of the rows (folds=K), or both. With folds, every row is trained on, and is judged by the
 * models that have not seen it: these out-of-fold outputs choose the threshold in place of
 * validation rows. Models go to folder/model-0, folder/model-1, ...; the one in the folder itself
 * holds all. */
basin_status bs_ensemble_train(const bs_train_job *job, bs_train_outcome *out, basin_error *err);

/* Outputs for the rows of data->part[1], each by the models that have not seen it. */
basin_status bs_ensemble_predict_folds(const bs_model_file *m, const bs_data *data,
                                       bs_machine where, bs_outputs *out, basin_error *err);

/* ---- method=auto (auto.c): the best of candidates that suit the task, cheapest first ---- */

/* Whether nothing says which method to train. */
bool bs_auto_wanted(const basin_config *c, const bs_train_request *o);

/* Trains into o->folder, whose lock is held; each attempt gets a subfolder try-NAME. */
basin_status bs_auto_train(const basin_config *c, const bs_train_request *o,
                           const basin_session *session, bs_logger *log, bs_buf *table,
                           bs_buf *json, basin_error *err);

/* ---- continuing from a model (from.c) ---- */

/* The model called `name`, by an option ("--from"), of the same task; *out = NULL if name is "". */
basin_status bs_base_model_find(const char *name, const char *encoder, const char *option,
                                const char *task, bs_base_model **out, basin_error *err);

/* For verbs whose trainings start from scratch. */
basin_status bs_base_model_refuse(const bs_train_options *o, const char *verb, basin_error *err);

/* On top of the defaults: everything the model was trained with or, for another method, the
 * settings of its nets and its data. */
basin_status bs_base_model_settings(const bs_base_model *f, const char *method, bs_settings *s,
                                    basin_error *err);

/* After the data is read: which parameters go where. */
basin_status bs_base_model_fit(bs_base_model *f, const bs_settings *s, bs_data *data,
                               bs_logger *log, basin_error *err);

/* ---- learning from a model: an ensemble, folds, an energy (Hinton et al. 2015; distil.c) ----
 * The truth of one net is a mixture of that of the rows and a teacher's probabilities for them. */

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

/* ---- outcomes ---- */

/* outcome.json of a run folder (outcome.c): what `train --json` prints for a finished run, with its
 * settings and data. It is written last: a folder that has it is finished. */
basin_status bs_outcome_write(const bs_data *data, const bs_settings *s, const bs_train_outcome *o,
                              const char *folder, basin_error *err);

/* --resume: *finished if the run in the folder is, with these settings and this data; *out is then
 * filled. A finished run never gets replaced by another one: that is an error, unless it only gets
 * more epochs or time and has a checkpoint to continue from. If it does not record its identity,
 * its checkpoint does. */
basin_status bs_outcome_take(const bs_data *data, const bs_settings *s, const char *folder,
                             bs_train_outcome *out, bool *finished, basin_error *err);
/* Whether a training has left a model there. */
bool bs_run_finished(const char *folder);

/* What `train --json` says, as members of an open object; folder may be NULL. */
void bs_outcome_members(const bs_task *k, const bs_settings *s, const bs_train_outcome *o,
                        const char *folder, bs_buf *out);
/* The same as a table; and what was written to the folder, with what may come next. */
void bs_outcome_table(const bs_task *k, const bs_preprocess *known, const bs_train_outcome *o,
                      const char *profile, bs_buf *out);
void bs_say_written(const char *folder, bool report, bs_buf *out);
/* Completes the message about an interruption: whether there is a model in `run`, and how `folder`,
 * which is the same or holds it, is resumed. */
void bs_say_interrupted(const char *run, const char *folder, basin_error *err);
/* "key": {"valid": {...}, ...}: mean or standard deviation over n outcomes. */
void bs_spread_json(const bs_task *k, const char *key, const bs_train_outcome *o, int n,
                    bool deviation, bs_buf *out);

#endif
