/* rounds.c -- a search whose result does not depend on how many take part in it.
 *
 * A round is a few trials that are decided together, from the states at the end of the round
 * before: paused ones that continue, and new ones. While they are trained, whether they pause is
 * judged by these states too, not by what others have reached meanwhile. Their new states go to
 * files trial-N/round-K.json; when all are there, they count in the order of the round. So every
 * process arrives at the same decisions without asking anybody, and one that joins later, or
 * resumes, repeats the search from these files. */
#include <string.h>
#include <unistd.h>

#include "base/share.h"
#include "tune/tune.h"

typedef struct {
    bs_tuning *t;
    bs_share  *share;
    int        number, n;
    int       *trial; /* [n] */
} round_of;

static void result_path(const round_of *r, int item, char path[BS_OPTION_TEXT + 128])
{
    char folder[BS_OPTION_TEXT + 64];
    bs_tune_folder(r->t, r->trial[item], folder);
    bs_print(path, BS_OPTION_TEXT + 128, "%s/round-%d.json", folder, r->number);
}

/* ---- what the round consists of ---- */

static basin_status choose(round_of *r, basin_error *err)
{
    bs_tuning   *t = r->t;
    basin_status s = BASIN_OK;
    r->n = 0;
    while (r->n < t->round && !s) {
        const bs_search now = bs_tune_search(t);
        int             at = bs_tune_promoted(&now, t->rungs, bs_tune_closing(t));
        if (at < 0 && t->n >= t->o->trials)
            break;
        if (at < 0) {
            s = bs_tune_begin(t, err);
            at = t->n - 1;
        }
        if (!s)
            t->trial[at].state = BS_TRIAL_RUNNING;
        r->trial[r->n++] = at;
    }
    return s;
}

/* ---- one trial of it ---- */

static basin_status write_result(const round_of *r, int item, const bs_tuning *own,
                                 basin_error *err)
{
    char   path[BS_OPTION_TEXT + 128];
    bs_buf line;
    bs_buf_init(&line, 1 << 16);
    bs_tune_line(own, r->trial[item], &line);
    result_path(r, item, path);
    basin_status s =
        line.failed ? bs_fail_nomem(err) : bs_write_file(path, line.data, line.len, err);
    bs_buf_free(&line);
    return s;
}

/* The state at the end of the round. */
static basin_status read_line(const round_of *r, int item, bs_tuning *reader, bs_trial *x,
                              bs_tune_record *record, basin_error *err)
{
    char   path[BS_OPTION_TEXT + 128];
    bs_buf text;
    bs_buf_init(&text, 1 << 16);
    result_path(r, item, path);
    basin_status s = bs_read_file(path, &text, err);
    if (!s)
        s = bs_tune_line_read(reader, path, &text, x, record, err);
    bs_buf_free(&text);
    return s;
}

static basin_status read_result(void *ctx, int item, bool *yes, basin_error *err)
{
    const round_of *r = ctx;
    bs_tuning       reader = *r->t; /* rungs that it tells count from the next round on */
    bs_trial        x;
    bs_tune_record  record;
    char            path[BS_OPTION_TEXT + 128];
    result_path(r, item, path);
    const bool   there = access(path, F_OK) == 0;
    basin_status s = there ? read_line(r, item, &reader, &x, &record, err) : BASIN_OK;
    *yes = there && !s;
    return s;
}

/* The search as it was before the round, for one worker. */
static basin_status copy_search(const bs_tuning *t, bs_tuning *own, basin_error *err)
{
    const size_t n = (size_t)t->most;
    *own = *t;
    own->log = (bs_logger){.level = BS_QUIET};
    own->trial = bs_calloc(n, sizeof *own->trial);
    own->record = bs_calloc(n, sizeof *own->record);
    if (!own->trial || !own->record) {
        bs_free(own->trial);
        bs_free(own->record);
        return bs_fail_nomem(err);
    }
    memcpy(own->trial, t->trial, n * sizeof *own->trial);
    memcpy(own->record, t->record, n * sizeof *own->record);
    bs_status_line_start(&own->board, &own->log, t->scale);
    pthread_mutex_init(&own->lock, NULL);
    return BASIN_OK;
}

static basin_status train_item(const round_of *r, int item, int worker, basin_error *err)
{
    bs_tuning        own;
    bs_train_outcome outcome = {0};
    const int        at = r->trial[item];
    basin_status     s = copy_search(r->t, &own, err);
    if (s)
        return s;
    bs_tune_worker l = {
        .t = &own, .worker = worker, .trial = at, .lost = bs_share_lost(r->share, item)};
    const double start = bs_seconds();
    s = bs_tune_trial(&l, &outcome, err);
    own.record[at].seconds += bs_seconds() - start;
    bs_tune_judge(&l, &outcome, s, err);
    own.record[at].elapsed = bs_tune_elapsed(&own);
    const bs_trial_state state = own.trial[at].state;
    const bool best = r->t->best < 0 || own.trial[at].score > r->t->trial[r->t->best].score;
    if (state != BS_TRIAL_RUNNING && !own.status)
        s = write_result(r, item, &own, err);
    if (!s && (state == BS_TRIAL_FINISHED || state == BS_TRIAL_FAILED))
        bs_tune_drop(&own, at, !best);
    bs_threshold_free(&outcome.threshold);
    pthread_mutex_destroy(&own.lock);
    bs_free(own.trial);
    bs_free(own.record);
    return s;
}

static void fail_search(void *ctx, int item, const basin_error *why)
{
    round_of *r = ctx;
    (void)item;
    pthread_mutex_lock(&r->t->lock);
    bs_tune_end(r->t, why);
    pthread_mutex_unlock(&r->t->lock);
}

static void work(void *ctx, int worker)
{
    round_of *r = ctx;
    for (int i = bs_share_take(r->share); i >= 0; i = bs_share_take(r->share)) {
        basin_error  err = {0};
        bool         yes = false;
        basin_status s = train_item(r, i, worker, &err);
        if (!s)
            s = read_result(r, i, &yes, &err);
        if (s && s != BASIN_EINTERRUPTED)
            fail_search(r, i, &err);
        bs_share_leave(r->share, i, yes, s ? &err : NULL);
    }
}

/* ---- the whole ---- */

static void folder_of(void *ctx, int item, char *path, size_t size)
{
    const round_of *r = ctx;
    char            folder[BS_OPTION_TEXT + 64];
    bs_tune_folder(r->t, r->trial[item], folder);
    bs_print(path, size, "%s", folder);
}

static void waits(void *ctx)
{
    (void)ctx; /* it happens in every round */
}

static basin_status train_round(round_of *r, basin_error *err)
{
    bs_tuning     *t = r->t;
    bool           yes;
    const bs_items all = {.ctx = r,
                          .n = r->n,
                          .folder = folder_of,
                          .finished = read_result,
                          .failed = fail_search,
                          .waits = waits,
                          .stop = t->stop};
    basin_status   s = bs_share_new(&all, t->o->shared, NULL, &r->share, err);
    for (int i = 0; i < r->n && !s; i++) {
        s = read_result(r, i, &yes, err);
        if (!s && yes)
            bs_share_known(r->share, i);
    }
    if (!s)
        s = bs_work_together(t->jobs < r->n ? t->jobs : r->n, work, r, err);
    bs_share_free(r->share);
    return s;
}

/* All states are known, to everybody. */
static basin_status end_round(round_of *r, basin_error *err)
{
    bs_tuning   *t = r->t;
    basin_status s = BASIN_OK;
    for (int i = 0; i < r->n && !s; i++) {
        const int at = r->trial[i];
        s = read_line(r, i, t, &t->trial[at], &t->record[at], err);
        if (!s)
            bs_tune_settled(t, at);
    }
    return s ? s : bs_tune_log_rewrite(t, err);
}

basin_status bs_tune_rounds_train(bs_tuning *t, basin_error *err)
{
    round_of     r = {.t = t, .trial = bs_calloc((size_t)t->round, sizeof *r.trial)};
    basin_status s = r.trial ? choose(&r, err) : bs_fail_nomem(err);
    while (!s && r.n > 0 && !t->status && !bs_tune_stopped(t)) {
        s = train_round(&r, err);
        if (s || t->status || bs_tune_stopped(t))
            break;
        s = end_round(&r, err);
        r.number++;
        if (!s && !t->status)
            s = choose(&r, err);
    }
    if (!s && !t->status && !bs_tune_stopped(t))
        bs_tune_tidy(t);
    bs_free(r.trial);
    return s;
}
