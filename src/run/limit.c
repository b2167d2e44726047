/* limit.c -- a time limit that holds for all of a training.
 *
 * When it is over, what was trained last has to be evaluated, the best model to be measured on
 * validation and test data, and the report predicts once more. What all this takes follows from
 * the evaluations so far; in a first epoch that is long, from that of a few rows. */
#include "base/io.h"
#include "run/trainer.h"

#define CAUTION  1.1 /* times as long as it seems */
#define AT_LEAST 0.1 /* seconds, for files */

enum { PROBED = 16 }; /* rows */

double bs_limit_spent(const bs_trainer *t)
{
    const double begun = t->job->begun > 0 ? t->job->begun : t->started;
    return t->seconds + bs_seconds() - begun;
}

/* In rows that are predicted. Outputs of the best epoch are at hand if it is the last one, but
 * nobody knows that before. */
static double rows_to_come(const bs_trainer *t)
{
    const bs_train_job *j = t->job;
    const double        valid = j->valid->rows, test = j->test ? j->test->rows : 0;
    const bool          report = j->folder && t->o->report;
    int                 phases = 0; /* this one and those that follow are evaluated once */
    for (int i = t->learner.phase; i < BS_PHASES && t->method->phase[i].name; i++)
        phases++;
    return phases * valid + valid + test + (report ? (j->test ? test : valid) : 0);
}

/* Until when training may go on. */
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

/* Twice, since the first time programs are made. */
static basin_status time_rows(bs_trainer *t, const bs_part *rows, basin_error *err)
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
    const bs_part *valid = t->job->valid;
    int32_t        row[PROBED], n = valid->rows < PROBED ? valid->rows : PROBED;
    bs_part        few = {0};
    if (t->o->time_limit <= 0 || t->evaluation > 0 || bs_limit_spent(t) < t->o->time_limit / 10)
        return BASIN_OK;
    for (int32_t i = 0; i < n; i++)
        row[i] = (int32_t)((int64_t)valid->rows * i / n);
    basin_status s = valid->task->select(valid, row, n, &few, err);
    if (!s)
        s = time_rows(t, &few, err);
    bs_part_free(&few);
    return s;
}
