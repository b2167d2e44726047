/* trainer.h -- one training run, from data in memory to a run folder.
 *
 * The same data, settings and seed give the same bits for any number of threads, however often the
 * run was stopped and resumed. */
#ifndef BS_TRAINER_H
#define BS_TRAINER_H

#include "base/log.h"
#include "base/tree.h"
#include "task/prepare.h"
#include "method/method.h"
#include "run/from.h"
#include "run/saved.h"
#include "run/schedule.h"

/* What an observer is told. */
typedef struct {
    int    epoch; /* from 1, over all phases */
    int    own;   /* epochs in the current phase */
    bool   last;  /* it is the last phase */
    double part;  /* share of the epoch that is done */
    double score; /* the last value of early_stop.metric; NaN: none yet */
    double best;  /* the best of this phase so far; NaN: none yet */
    int    best_epoch;
} bs_progress_event;

typedef struct {
    void *ctx;
    /* Called after each evaluation; true: the run pauses, as if asked to stop. */
    bool (*evaluated)(void *ctx, const bs_progress_event *n);
    /* Called after each batch; may be NULL. */
    void (*moved)(void *ctx, const bs_progress_event *n);
} bs_observer;

/* folder.c: the path of a file in a folder; whether it exists. */
typedef struct {
    char text[BS_OPTION_TEXT + 128];
} bs_path;
bs_path bs_path_in(const char *folder, const char *name);
bool    bs_path_there(const char *folder, const char *name);
/* Writes a text and frees it; it may have failed before. */
basin_status bs_path_write(const char *folder, const char *name, bs_buf *text, basin_error *err);
/* The bytes of a file of one folder go to another. */
basin_status bs_path_copy(const char *from, const char *name, const char *to, const char *new_name,
                          basin_error *err);

typedef struct {
    const bs_settings   *settings;             /* with task and method resolved */
    const bs_dataset    *train, *valid, *test; /* test may be NULL */
    const bs_preprocess *known;
    const bs_data       *data;       /* where these are from, for callers; or NULL */
    const char          *folder;     /* run folder, created if missing; NULL: nothing is written */
    const char          *pretrained; /* default of pretrain.cache; or NULL */
    bool                 resume;     /* continue from folder/last if it exists */
    bs_logger           *log;
    const volatile int  *stop;     /* when it becomes nonzero: save and return BASIN_EINTERRUPTED */
    const volatile int  *lost;     /* the same: somebody else trains it now (base/share.h) */
    double               deadline; /* the same when bs_seconds() reaches it; 0 = none */
    double               begun;    /* bs_seconds() when time_limit starts; 0 = now */
    const bs_observer   *watch;    /* or NULL */
    const bs_base_model *from;     /* continue from this model or, of an ensemble, from ... */
    int                  from_model; /* ... this member; NULL: start from scratch */
    bs_buf              *model;      /* receives the bytes of the model file; or NULL */
    bs_params          **keep;       /* receives the final parameters; or NULL */
    bool                 so_far;     /* if interrupted, the best model so far is handed over, too */
} bs_train_job;

/* In the run folder: the model, and what it is called as long as the training is not finished. */
#define BS_MODEL_FILE      "best.safetensors"
#define BS_UNFINISHED_FILE "unfinished.safetensors"

/* Why a training ended: all epochs were done, no evaluation was better for early_stop.patience, or
 * the time limit. */
typedef enum { BS_ENDED_EPOCHS, BS_ENDED_PATIENCE, BS_ENDED_TIME } bs_ended;
extern const char *const bs_ended_name[3];

typedef struct {
    int          epochs, best_epoch;
    bs_ended     ended;
    double       sure;       /* confidence that the energy helps (energy.proof); NaN: not tested */
    bool         net_kept;   /* not confident enough: the model is the pre-trained net */
    bool         unfinished; /* of an interrupted training: the best model so far, not tested */
    const char  *infer;      /* how the model predicts, if not as its settings say; or NULL */
    double       seconds, rows_per_s;
    int64_t      params_net, params_energy;
    bs_threshold threshold; /* the tuned one; release with bs_threshold_free */
    double       valid[BS_MOST_METRICS], test[BS_MOST_METRICS]; /* at 0.5, if that matters */
    double       valid_tuned[BS_MOST_METRICS], test_tuned[BS_MOST_METRICS]; /* at threshold */
    bool         has_test;
    /* half a 95 % interval of the first metric, tuned; for valid only with folds */
    double test_margin, valid_margin;
} bs_train_outcome;

basin_status bs_train(const bs_train_job *job, bs_train_outcome *out, basin_error *err);

/* together.c: takes part in what others do in a folder (base/share.h). They must be of the same
 * version and compute alike, unless resume.arithmetic=any says that last bits do not matter. */
basin_status bs_run_together(const char *folder, const bs_train_options *o, bs_logger *log,
                             basin_error *err);

/* conclude.c: chooses the threshold for a finished model's outputs, measures and records them. y
 * are the outputs for valid; test is NULL if there is no such part. */
basin_status bs_train_finish(const bs_train_job *job, const bs_outputs *valid,
                             const bs_outputs *test, bs_train_outcome *out, basin_error *err);
/* Writes the model to the job's folder, if it has one. */
basin_status bs_train_finish_write(const bs_train_job *job, const bs_train_outcome *out,
                                   bs_params *const *params, int n_params, basin_error *err);

/* ---- shared by the files of the trainer ---- */

enum { BS_ADVICE = 16 };

typedef struct {
    const bs_train_job     *job;
    const bs_train_options *o;
    const bs_method        *method;
    bs_learner              learner;
    bs_warm_start           heritage; /* of job->from */
    bs_batches             *feed;
    bs_batches            **shard; /* [dist.shards] for parts of its batches; NULL: there is one */
    bs_train_options        of_shard; /* their settings */
    bs_scorer              *scorer;
    bs_plateau              plateau;
    int32_t                *order;   /* [rows of train] */
    bs_outputs              outputs; /* of the rows of valid */
    bs_buffer              *best;    /* parameters of the best epoch, but for frozen ones */
    int                     stop_metric;
    bs_profile_id           profile;
    int                     epoch;       /* the current epoch, from 1 */
    int                     phase_start; /* epochs before this phase */
    int32_t                 next_row;    /* position in the order of the epoch */
    int                     best_epoch, bad;
    int                     net_epoch; /* the best epoch of pre-training, once that is over; or 0 */
    double                  best_score, seconds, train_seconds, started, saved_at;
    double                  last_score; /* of the last evaluation, for observers */
    double                  valid_loss; /* cross-entropy of the validation rows, at the same time */
    int                     every;      /* epochs between evaluations */
    double                  evaluation; /* seconds per evaluation; 0: unknown yet */
    int                     seen;       /* epoch whose parameters gave `outputs`; 0: none */
    bool                    cut_short;  /* an epoch ended early because time was up */
    double                  entered;    /* seconds of time_limit used before this phase */
    bool                    paused;     /* the observer asked for a pause */
    bs_buf                  beginning;  /* what pre-training depends on (pretrained.c) */
    int64_t                 rows_seen;
    int                     advice[BS_ADVICE];  /* epochs in a row that a rule has held */
    bool                    advised[BS_ADVICE]; /* ... and was reported */
} bs_trainer;

/* trainer.c: the parameters as they are now are the best; and they are those again. */
void bs_best_keep(bs_trainer *t);
void bs_best_take(bs_trainer *t);

/* check.c */
basin_status bs_check_settings(const bs_train_options *o, const bs_task *t, const bs_method *m,
                               const bs_net_spec *spec, basin_error *err);

/* identity.c: what makes a run the same one, as a JSON object ... */
typedef struct {
    const bs_settings *settings;
    bool               timed; /* a run with another time limit is another one */
    uint64_t           from;  /* hash of the model that it continues from; 0: none */
    uint64_t           hash[BS_ROLES];
    int                roles; /* so many of these count */
} bs_identity;
void bs_identity_json(const bs_identity *id, bs_buf *out);
/* ... and how two of them differ, and in which setting first; theirs may be anything, or NULL. */
typedef struct {
    enum { BS_RUN_SAME, BS_RUN_LONGER, BS_RUN_OTHER } kind; /* longer: the same except for time */
    char text[320];                                         /* "epochs was 3, now it is 5" */
} bs_difference;
bs_difference bs_identity_compare(const json_t *theirs, const char *mine);

/* trainer.c: maximum number of epochs of a phase. */
int bs_phase_epochs(const bs_trainer *t, int phase);

/* limit.c: whether time_limit leaves only enough for an evaluation and what follows it. */
bool bs_limit_reached(const bs_trainer *t);
/* The share of this phase's time that is over, if it is the last one; 0 without a limit. */
double bs_limit_share(const bs_trainer *t);
double bs_limit_spent(const bs_trainer *t); /* seconds */
/* Estimates the time of an evaluation from a few rows, if the first one is not near. */
basin_status bs_limit_probe(bs_trainer *t, basin_error *err);

/* numbers.c: the numbers of a run in files. */
enum { BS_MOST_NUMBERS = 160 };
typedef enum { BS_NUMBERS_ALL, BS_NUMBERS_PRETRAINING } bs_numbers_of;
/* Returns how many there are. */
int bs_numbers_store(const bs_trainer *t, bs_numbers_of of, double row[BS_MOST_NUMBERS]);
/* From the tensor "numbers". If any is out of range, nothing is changed: BASIN_EDATA. */
basin_status bs_numbers_read(bs_trainer *t, bs_numbers_of of, const bs_safetensors *f,
                             const char *path, basin_error *err);
/* A block of reals, each finite and at least `least`. A second moment, least = 0, may be infinite:
 * squares of large gradients are, and the parameter then stops moving. */
basin_status bs_block_find(const bs_safetensors *f, const char *path, const char *name,
                           int64_t count, double least, const real **out, basin_error *err);

/* checkpoint.c: everything needed to resume, in folder/last/state.safetensors. */
basin_status bs_checkpoint_write(bs_trainer *t, basin_error *err);
/* *found = false if there is none; one with other settings, data or arithmetic is an error, unless
 * it only has fewer epochs. Everything is checked before any of it is used. */
basin_status bs_checkpoint_read(bs_trainer *t, bool *found, basin_error *err);
bool         bs_checkpoint_there(const char *folder);
/* Whether what was started with `theirs` (NULL: unknown) may continue with `mine`, another
 * arithmetic: only with resume.arithmetic=any, and with a warning. path starts the message. */
basin_status bs_arithmetic_check(const char *path, const char *theirs, const char *mine,
                                 const bs_train_options *o, bs_logger *log, basin_error *err);

/* pretrained.c, with pretrain.cache: records what pre-training depends on, while parameters have
 * their initial values; takes the result of another run, before the first epoch (best, best_epoch,
 * epoch and bad are then those at its end); and keeps this run's for others. */
basin_status bs_pretrained_identify(bs_trainer *t, basin_error *err);
basin_status bs_pretrained_take(bs_trainer *t, basin_error *err);
basin_status bs_pretrained_keep(bs_trainer *t, basin_error *err);

/* proof.c: outputs of two systems for the validation rows, each with its threshold: the confidence,
 * 0 to 1, that the second is better by the metric of early stopping. */
typedef struct {
    const bs_outputs   *y;
    const bs_threshold *threshold;
} bs_rival;
basin_status bs_energy_confidence(const bs_trainer *t, bs_rival before, bs_rival after,
                                  double *sure, basin_error *err);

/* record.c: what people and programs can read of a run in progress. */
/* config, manifest; removes outcome.json of an earlier run and, with `anew`, its metrics.jsonl */
basin_status bs_record_start(const bs_train_job *j, int64_t params, bool anew, basin_error *err);
/* Written again at the end, with the peak memory of the process. */
basin_status bs_record_manifest(const bs_train_job *j, int64_t params, basin_error *err);
basin_status bs_record_epoch(bs_trainer *t, const double valid[BS_MOST_METRICS], bool best,
                             basin_error *err);
basin_status bs_record_rewind(bs_trainer *t, basin_error *err); /* metrics.jsonl up to this epoch */
/* How many bytes at the start of such a text are lines of epochs before this one, in order. */
basin_status bs_record_lines(const char *text, int before, size_t *used, basin_error *err);
void         bs_record_header(bs_trainer *t);

/* advice.c: warnings about the epoch that has just ended. */
void bs_train_advise(bs_trainer *t);

#endif
