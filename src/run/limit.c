/* limit.c -- a time limit for the whole training.
 *
 * When it ends, the last epoch must still be evaluated, the best model measured on validation and
 * test data, and the report predicts once more. The time for this is estimated from the evaluations
 * so far, or, during a long first epoch, from that of a few rows. */
#include "base/io.h"
#include "run/trainer.h"

#define CAUTION  1.1 /* factor on the estimate */
#define AT_LEAST 0.1 /* seconds for writing files */

enum { PROBED = 16 }; /* rows timed by the probe */

double bs_limit_spent(const bs_trainer *t)
{
    const double begun = t->job->begun > 0 ? t->job->begun : t->started;
    return t->seconds + bs_seconds() - begun;
}

/* Rows still to be predicted. If the last epoch is the best, its outputs are available, but nobody
 * knows that in advance. */
static double rows_to_come(const bs_trainer *t)
{
    const bs_train_job *j = t->job;
    const double        valid = j->valid->rows, test = j->test ? j->test->rows : 0;
    const bool          report = j->folder && t->o->report;
    int                 phases = 0; /* this phase and those that follow are evaluated once */
    for (int i = t->learner.phase; i < BS_PHASES && t->method->phase[i].name; i++)
        phases++;
    return phases * valid + valid + test + (report ? (j->test ? test : valid) : 0);
}

/* The time until which training may continue. */
static double last_second(const bs_trainer *t)
{
    const double row = t->evaluation / t->job->valid->rows;
    return t->o->time_limit - CAUTION * row * rows_to_come(t) - AT_LEAST;
}

bool bs_limit_reached(const bs_trainer *t)
{
    return t->o->time_limit > 0 && bs_limit_spent(t) >= last_second(t);
}

double bs_limit_share(const bs_trainer *t)
{
    const double all = last_second(t) - t->entered, gone = bs_limit_spent(t) - t->entered;
    if (t->o->time_limit <= 0)
        return 0;
    return gone < all ? gone / all : 1;
}

/* Runs twice, since the first time builds programs. */
static basin_status time_rows(bs_trainer *t, const bs_dataset *rows, basin_error *err)
{
    const bs_task *k = rows->task;
    bs_outputs     y = {0};
    double         start = 0;
    basin_status   s = k->outputs(rows, t->job->known, &y, err);
    for (int i = 0; i < 2 && !s; i++) {
        start = bs_seconds();
        s = k->predict(t->scorer, &t->learner.spec, t->job->known, rows, &y, err);
    }
    t->evaluation = (bs_seconds() - start) * t->job->valid->rows / rows->rows;
    bs_outputs_free(&y);
    return s;
}

basin_status bs_limit_probe(bs_trainer *t, basin_error *err)
{
    const bs_dataset *valid = t->job->valid;
    int32_t           row[PROBED], n = valid->rows < PROBED ? valid->rows : PROBED;
    bs_dataset        few = {0};
    if (t->o->time_limit <= 0 || t->evaluation > 0 || bs_limit_spent(t) < t->o->time_limit / 10)
        return BASIN_OK;
    for (int32_t i = 0; i < n; i++)
        row[i] = (int32_t)((int64_t)valid->rows * i / n);
    basin_status s = valid->task->select(valid, row, n, &few, err);
    if (!s)
        s = time_rows(t, &few, err);
    bs_dataset_free(&few);
    return s;
}
