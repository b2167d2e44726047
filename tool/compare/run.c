/* run.c -- the trainings of a comparison: several at a time, each into its own folder, and
 * recognising finished ones.
 *
 * A finished run has outcome.json (api/training.h). A run without it continues from its checkpoint.
 * The result of a run does not depend on which worker trains it, or when. */
#include <pthread.h>

#include "compare/compare.h"
#include "runs/jobs.h"
#include "api/training.h"
#include "base/io.h"
#include "base/share.h"

/* ---- finished before ---- */

static basin_status restore_one(bs_comparison *c, int method, int seed, basin_error *err)
{
    const int       at = method * c->seeds + seed;
    bs_compare_run *r = &c->run[at];
    bs_settings     settings;
    bs_compare_settings(c, method, seed, &settings);
    return bs_outcome_take(&c->data, &settings, r->folder, &c->outcome[at], &r->finished, err);
}

basin_status bs_compare_restore(bs_comparison *c, basin_error *err)
{
    basin_status s = BASIN_OK;
    int          n = 0;
    for (int i = 0; i < c->n && (c->o->resume || c->o->shared); i++)
        for (int k = 0; k < c->seeds && !s; k++) {
            s = restore_one(c, i, k, err);
            n += c->run[i * c->seeds + k].finished;
        }
    bs_buf known;
    char   valid[32];
    bs_buf_init(&known, 1 << 12);
    c->rows->task->known_text(&c->data.known, &known);
    bs_print(valid, sizeof valid, c->data.folds > 1 ? "in %d folds" : "%d valid",
             c->data.folds > 1 ? c->data.folds : (int)c->data.part[1].rows);
    bs_log_say(&c->log, BS_INFO,
               "%d methods, %d seeds: %d runs, %d of them finished before; %d %s to train, %s, %d "
               "test; %s",
               c->n, c->seeds, c->n * c->seeds, n, (int)c->data.part[0].rows, c->rows->task->unit,
               valid, (int)c->data.part[2].rows, known.data ? known.data : "");
    bs_buf_free(&known);
    return s;
}

/* ---- one run ---- */

/* All methods with the first seed come first, so that a comparison stopped early has something of
 * each. */
static int run_of(const bs_comparison *c, int item)
{
    return item % c->n * c->seeds + item / c->n;
}

typedef struct {
    bs_comparison  *c;
    pthread_mutex_t lock;
    bs_logger       log; /* copied for each run */
    bs_status_line  board;
    double          seconds; /* of the finished runs */
    int             done, total, threads, jobs;
    bs_share       *share; /* hands out runs, here or among all that share the folder */
} queue;

/* The overall progress, and the time left if runs take as long as they have so far. */
static void draw(queue *q)
{
    char         lead[96], left[BS_TIME_TEXT];
    const double part = q->total > 0 ? q->done / (double)q->total : 1;
    if (q->done > 0)
        bs_print(lead, sizeof lead, "%d/%d runs, about %s left", q->done, q->total,
                 bs_time_text((q->total - q->done) * q->seconds / q->done / q->jobs, left));
    else
        bs_print(lead, sizeof lead, "%d/%d runs, %s", q->done, q->total,
                 bs_time_text(bs_seconds() - q->board.bar.started, left));
    bs_status_line_draw(&q->board, part, lead);
}

typedef struct {
    queue *q;
    int    worker;
} looker;

static void moved(void *ctx, const bs_progress_event *n)
{
    looker *l = ctx;
    pthread_mutex_lock(&l->q->lock);
    bs_status_line_news(&l->q->board, l->worker, n);
    if (bs_progress_due(&l->q->board.bar))
        draw(l->q);
    pthread_mutex_unlock(&l->q->lock);
}

static bool evaluated(void *ctx, const bs_progress_event *n)
{
    moved(ctx, n);
    return false;
}

static void train_run(queue *q, int item, int worker)
{
    bs_comparison    *c = q->c;
    const int         at = run_of(c, item), method = at / c->seeds, seed = at % c->seeds;
    bs_compare_run   *r = &c->run[at];
    bs_train_outcome *o = &c->outcome[at];
    bs_settings       settings;
    bs_logger         log = q->log;
    looker            l = {q, worker};
    char              pretrained[BS_OPTION_TEXT + 16];
    const bs_observer watch = {.ctx = &l, .evaluated = evaluated, .moved = moved};
    bs_compare_settings(c, method, seed, &settings);
    settings.train.threads = q->threads;
    bs_print(pretrained, sizeof pretrained, "%s/pretrained", c->o->folder);
    const bs_train_job job =
        bs_train_job_on(&c->data, &(bs_train_job){.settings = &settings,
                                                  .folder = r->folder,
                                                  .pretrained = pretrained,
                                                  .resume = c->o->resume || c->o->shared,
                                                  .log = &log,
                                                  .stop = c->stop,
                                                  .lost = bs_share_lost(q->share, item),
                                                  .watch = log.level == BS_QUIET ? &watch : NULL});
    const bool   several = settings.train.folds * settings.train.ensemble > 1;
    bs_lock     *lock = NULL;
    basin_status s = c->o->shared ? BASIN_OK : bs_lock_take(r->folder, &lock, &r->failure);
    if (!s)
        s = several ? bs_ensemble_train(&job, o, &r->failure) : bs_train(&job, o, &r->failure);
    if (!s)
        s = bs_outcome_write(&c->data, &settings, o, r->folder, &r->failure);
    bs_lock_free(lock);
    r->finished = !s;
}

/* ---- several at a time ---- */

static void value_text(const bs_comparison *c, int method, int seed, char text[64])
{
    const double scale = bs_compare_scale(c);
    const double half = scale * bs_compare_values(c, method, seed, BS_AT_HALF)[c->metric];
    const double tuned = scale * bs_compare_values(c, method, seed, BS_AT_TUNED)[c->metric];
    if (c->rows->task->tunes)
        bs_print(text, 64, "%.2f at 0.5, %.2f tuned", half, tuned);
    else
        bs_print(text, 64, "%.2f", half);
}

static void run_name(const bs_comparison *c, int at, char name[BS_OPTION_TEXT + 32])
{
    const bs_compared *m = &c->method[at / c->seeds];
    bs_print(name, BS_OPTION_TEXT + 32, "%s, seed %d", m->name,
             m->settings.train.seed + at % c->seeds);
}

static void report(queue *q, int at, const char *where)
{
    bs_comparison          *c = q->c;
    const bs_compare_run   *r = &c->run[at];
    const bs_train_outcome *o = &c->outcome[at];
    char                    name[BS_OPTION_TEXT + 32], value[64];
    run_name(c, at, name);
    value_text(c, at / c->seeds, at % c->seeds, value);
    if (r->finished)
        bs_log_say(&c->log, BS_INFO, "[%d/%d] %s: %d epochs, best %d; %s %s %s; %.1f s%s",
                   ++q->done, q->total, name, o->epochs, o->best_epoch,
                   c->on_test ? "test" : "valid", c->rows->task->metric[c->metric].name, value,
                   o->seconds, where);
    else if (r->failure.status != BASIN_EINTERRUPTED)
        bs_log_say(&c->log, BS_WARN, "[%d/%d] %s failed%s: %s", ++q->done, q->total, name, where,
                   r->failure.msg);
}

static void work(void *arg, int worker)
{
    queue *q = arg;
    char   name[BS_OPTION_TEXT + 32];
    for (int i = bs_share_take(q->share); i >= 0; i = bs_share_take(q->share)) {
        const int             at = run_of(q->c, i);
        const bs_compare_run *r = &q->c->run[at];
        const double          start = bs_seconds();
        run_name(q->c, at, name);
        pthread_mutex_lock(&q->lock);
        bs_status_line_name(&q->board, worker, name);
        pthread_mutex_unlock(&q->lock);
        train_run(q, i, worker);
        pthread_mutex_lock(&q->lock);
        bs_status_line_name(&q->board, worker, NULL);
        q->seconds += bs_seconds() - start;
        report(q, at, "");
        pthread_mutex_unlock(&q->lock);
        bs_share_leave(q->share, i, r->finished, &r->failure);
    }
}

/* ---- among several processes ---- */

static void folder_of(void *ctx, int item, char *path, size_t size)
{
    const queue *q = ctx;
    bs_print(path, size, "%s", q->c->run[run_of(q->c, item)].folder);
}

static basin_status finished_elsewhere(void *ctx, int item, bool *yes, basin_error *err)
{
    queue       *q = ctx;
    const int    at = run_of(q->c, item);
    basin_status s = restore_one(q->c, at / q->c->seeds, at % q->c->seeds, err);
    *yes = q->c->run[at].finished;
    pthread_mutex_lock(&q->lock);
    if (*yes)
        report(q, at, ", by another process");
    pthread_mutex_unlock(&q->lock);
    return s;
}

static void failed_elsewhere(void *ctx, int item, const basin_error *why)
{
    queue    *q = ctx;
    const int at = run_of(q->c, item);
    pthread_mutex_lock(&q->lock);
    q->c->run[at].failure = *why;
    report(q, at, ", in another process");
    pthread_mutex_unlock(&q->lock);
}

static void waits(void *ctx)
{
    queue *q = ctx;
    pthread_mutex_lock(&q->lock);
    bs_log_say(&q->c->log, BS_INFO, "the rest is trained by other processes: waiting for them");
    pthread_mutex_unlock(&q->lock);
}

static basin_status open_share(queue *q, basin_error *err)
{
    const bs_comparison *c = q->c;
    const bs_items       all = {.ctx = q,
                                .n = c->n * c->seeds,
                                .folder = folder_of,
                                .finished = finished_elsewhere,
                                .failed = failed_elsewhere,
                                .waits = waits,
                                .stop = c->stop};
    basin_status         s = bs_share_new(&all, c->o->shared, NULL, &q->share, err);
    for (int i = 0; i < all.n && !s; i++)
        if (c->run[run_of(c, i)].finished)
            bs_share_known(q->share, i);
    return s;
}

static void find_failures(bs_comparison *c)
{
    for (int i = 0; i < c->n; i++) {
        for (int k = c->seeds - 1; k >= 0; k--) {
            const bs_compare_run *r = &c->run[i * c->seeds + k];
            if (r->finished || !r->failure.status)
                continue;
            c->method[i].failure = &r->failure;
            c->method[i].failed_seed = c->method[i].settings.train.seed + k;
        }
        c->failed += c->method[i].failure != NULL;
    }
}

basin_status bs_compare_train(bs_comparison *c, basin_error *err)
{
    const int runs = c->n * c->seeds;
    int       finished = 0;
    queue     q = {.c = c, .log = c->log};
    if (c->jobs > 1 || q.log.level < BS_DEBUG) /* epochs of one run among those of others */
        q.log.level = BS_QUIET;
    for (int i = 0; i < runs; i++)
        q.total += !c->run[i].finished;
    const int jobs = c->jobs < q.total ? c->jobs : q.total;
    if (jobs == 0)
        return BASIN_OK;
    q.threads = c->threads / jobs > 1 ? c->threads / jobs : 1;
    q.jobs = jobs;
    bs_status_line_start(&q.board, &c->log, bs_compare_scale(c));
    pthread_mutex_init(&q.lock, NULL);
    basin_status s = open_share(&q, err);
    if (!s)
        s = bs_work_together(jobs, work, &q, err);
    bs_share_free(q.share);
    bs_status_line_end(&q.board);
    pthread_mutex_destroy(&q.lock);
    for (int i = 0; i < runs; i++)
        finished += c->run[i].finished;
    if (!s && bs_stop_asked(c->stop))
        s = bs_fail(err, BASIN_EINTERRUPTED,
                    "interrupted with %d of %d runs finished; continue with %s %s", finished, runs,
                    c->o->shared ? "--shared" : "--resume -o", c->o->folder);
    if (!s)
        find_failures(c);
    return s;
}
