/* tune.h -- one search for settings, shared by the files of basin_tune.
 *
 *     tool/tune/tune.c       the request: method, space, data, folder; the whole
 *     tool/tune/run.c   trials are trained, paused, continued, ended
 *     tool/tune/rounds.c  the same in rounds, for any number of processes
 *     tool/tune/log.c   trials.jsonl, from which a search continues
 *     tool/tune/show.c  the table, the page and the JSON object
 *
 * What to try and what to continue is decided in tool/tune/search.h, from the trials alone. */
#ifndef BS_API_TUNE_H
#define BS_API_TUNE_H

#include <pthread.h>

#include "basin_tool.h"
#include "doc/doc.h"
#include "runs/history.h"
#include "runs/jobs.h"
#include "base/io.h"
#include "tune/search.h"

enum { BS_MOST_TRIALS = 10000 };

/* A trial, in addition to what bs_trial holds. */
typedef struct {
    bs_trial_source from;
    int             epochs, best_epoch;
    double          seconds; /* of training */
    double          elapsed; /* of the search, at the last news */
    bool            taken;   /* by a worker of this process */
    char            message[200];
} bs_tune_record;

typedef struct {
    const basin_tune_options *o;
    const volatile int       *stop;
    bs_logger                 log;
    bs_settings               base;
    bs_space                  space;
    const bs_method          *method;
    bs_data                   data;
    const bs_task            *task;
    int                       metric; /* what counts: early_stop.metric */
    double                    scale;  /* 100 if it is a share of one */
    int                       jobs, threads;
    int                       round; /* trials that are decided together; 0: one at a time */
    char                      arithmetic[96]; /* of all trials; part of the search's identity */
    bs_lock                  *folder;         /* keeps other searches out */

    /* The rest changes under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    bs_trial       *trial;  /* [n] */
    bs_tune_record *record; /* [n] */
    int             n, most;
    int             rungs, rung_epoch[BS_TUNE_RUNGS]; /* 0: unknown yet */
    int             best;                             /* trial with the best score; -1: none */
    double          spent, started; /* seconds before this process; when it started */
    int             fd;             /* of trials.jsonl */
    basin_status    status;         /* what ended the search early */
    basin_error     failure;
    bs_status_line  board;
} bs_tuning;

/* Seconds since the beginning, including those before a restart. */
double bs_tune_elapsed(const bs_tuning *t);
/* Scores in the metric's own sign (not negated), NaN for none. */
double    bs_tune_score(const bs_tuning *t, double score);
void      bs_tune_folder(const bs_tuning *t, int trial, char path[BS_OPTION_TEXT + 64]);
bs_search bs_tune_search(const bs_tuning *t);

/* ---- tool/tune/run.c ---- */

/* Who trains a trial. */
typedef struct {
    bs_tuning          *t;
    int                 worker, trial;
    bool                paused;
    int                 start; /* epochs before the last phase */
    const volatile int *lost;  /* see bs_train_job */
} bs_tune_worker;

/* Trains or continues a trial; and what its state is afterwards. */
basin_status bs_tune_trial(bs_tune_worker *l, bs_train_outcome *out, basin_error *err);
void bs_tune_judge(bs_tune_worker *l, const bs_train_outcome *o, basin_status s, basin_error *err);
/* A new trial, number t->n. */
basin_status bs_tune_begin(bs_tuning *t, basin_error *err);
bool         bs_tune_closing(const bs_tuning *t);
int          bs_tune_count(const bs_tuning *t, bs_trial_state state);
bool         bs_tune_stopped(const bs_tuning *t);
void         bs_tune_end(bs_tuning *t, const basin_error *why);
/* A trial's state is known: prints its row. Files that it no longer needs; those of all. */
void bs_tune_settled(bs_tuning *t, int trial);
void bs_tune_drop(const bs_tuning *t, int trial, bool model);
void bs_tune_tidy(const bs_tuning *t);

/* ---- tool/tune/rounds.c ---- */

basin_status bs_tune_rounds_train(bs_tuning *t, basin_error *err);

/* ---- tool/tune/run.c ---- */

/* Trains until trials or time run out. */
basin_status bs_tune_train(bs_tuning *t, basin_error *err);

/* ---- tool/tune/log.c: callers hold the lock ---- */

/* Opens trials.jsonl and reads it to continue; other settings, data or ranges are an error. */
basin_status bs_tune_log_open(bs_tuning *t, basin_error *err);
/* Room for one more trial. */
basin_status bs_tune_room(bs_tuning *t, basin_error *err);
/* Appends the state of a trial: one line, one write. */
basin_status bs_tune_log_add(bs_tuning *t, int trial, basin_error *err);
/* The line about a trial, and back. */
void         bs_tune_line(const bs_tuning *t, int trial, bs_buf *out);
basin_status bs_tune_line_read(bs_tuning *t, const char *path, const bs_buf *text, bs_trial *x,
                               bs_tune_record *r, basin_error *err);
/* With rounds: writes the whole file. */
basin_status bs_tune_log_rewrite(const bs_tuning *t, basin_error *err);
/* Best score of a trial in metrics.jsonl up to this many epochs after `start`, and where it is;
 * NaN: none. */
double bs_tune_curve(const bs_tuning *t, int trial, int start, int epochs, int *best_epoch);
/* ---- what is told ---- */

/* "values": {...} of a trial, "space": {...}: members of an open object. */
void bs_tune_values_json(const bs_tuning *t, int trial, bs_buf *out);
void bs_tune_space_json(const bs_space *s, bs_buf *out);

/* A line of the table of trials, and its column names; without the line end. */
void bs_tune_head(const bs_tuning *t, bs_buf *out);
void bs_tune_row(const bs_tuning *t, int trial, bool best, bs_buf *out);

/* order: trials, best first, those without a score last. */
void bs_tune_show(const bs_tuning *t, const int *order, bs_doc *d);
void bs_tune_json(const bs_tuning *t, const int *order, bs_buf *out);

#endif
