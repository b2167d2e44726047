/* api_compare_run.c -- the trainings of a comparison: several at a time, each into its
 * own folder, and how a finished one is known again.
 *
 * A finished run has outcome.json, which is written last: what `train --json` says of it
 * and the identity of the run, that is settings and data. A run without it goes on from
 * its checkpoint. Who trains a run and when does not change its result. */
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api_compare.h"
#include "api_jobs.h"
#include "base/io.h"

/* ---- outcome.json ---- */

static void outcome_path(const bs_compare_run *r, char path[BS_OPTION_TEXT + 96])
{
    snprintf(path, BS_OPTION_TEXT + 96, "%s/outcome.json", r->folder);
}

/* What must be equal for a finished run to count. Unlike a checkpoint, which may be
 * given more time, a finished run was made under its time limit. */
static void write_identity(const bs_comparison *c, const bs_settings *s, bs_buf *out)
{
    bs_settings_json(s, out);
    bs_buf_printf(out, " time_limit %g", s->train.time_limit);
    for (int i = 0; i < BS_ROLES; i++)
        bs_buf_printf(out, " %016llx", (unsigned long long)c->data.part[i].hash);
}

static basin_status write_outcome(const bs_comparison *c, const bs_compare_run *r,
                                  const bs_settings *s, const bs_train_outcome *o, basin_error *err)
{
    char   path[BS_OPTION_TEXT + 96];
    bs_buf text, identity;
    bs_buf_init(&text, 1 << 22);
    bs_buf_init(&identity, 1 << 22);
    write_identity(c, s, &identity);
    bs_buf_text(&text, "{\"identity\": ");
    bs_json_quote(identity.data ? identity.data : "", &text);
    bs_buf_text(&text, ", \"outcome\": ");
    bs_outcome_json(c->rows->kind, s, o, r->folder, &text);
    bs_buf_text(&text, "}\n");
    outcome_path(r, path);
    basin_status status = text.failed || identity.failed
                              ? bs_fail_nomem(err)
                              : bs_write_file(path, text.data, text.len, err);
    bs_buf_free(&text);
    bs_buf_free(&identity);
    return status;
}

static double number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static void read_metrics(const bs_kind *k, const json_t *o, const char *key,
                         double out[BS_MOST_METRICS])
{
    const json_t *values = json_object_get(o, key);
    for (int i = 0; i < k->n_metrics; i++)
        out[i] = number(values, k->metric[i].name);
}

/* The threshold is only what JSON tells; the model has the whole. */
static bool read_values(const bs_kind *k, const json_t *o, bs_train_outcome *out)
{
    const double epochs = number(o, "epochs"), best = number(o, "best_epoch");
    const double net = number(o, "params_net"), energy = number(o, "params_energy");
    const double cut = number(o, "threshold");
    const double most = 1e15; /* exact in a double, and fits an int64_t */
    *out = (bs_train_outcome){.seconds = number(o, "seconds"),
                              .rows_per_s = number(o, "train_rows_per_s"),
                              .has_test = json_object_get(o, "test") != NULL};
    if (!(epochs >= 1 && epochs < 1e9 && best >= 1 && best < 1e9) ||
        !(net >= 0 && net < most && energy >= 0 && energy < most) ||
        !(out->seconds >= 0 && out->rows_per_s >= 0))
        return false;
    out->epochs = (int)epochs;
    out->best_epoch = (int)best;
    out->params_net = (int64_t)net;
    out->params_energy = (int64_t)energy;
    out->threshold = isnan(cut) ? bs_threshold_top_k(1) : bs_threshold_fixed((float)cut);
    read_metrics(k, o, "valid", out->valid);
    read_metrics(k, o, k->tunes ? "valid_tuned" : "valid", out->valid_tuned);
    read_metrics(k, o, "test", out->test);
    read_metrics(k, o, k->tunes ? "test_tuned" : "test", out->test_tuned);
    return true;
}

static basin_status read_outcome(const bs_kind *k, const char *path, const char *identity,
                                 bs_train_outcome *out, basin_error *err)
{
    bs_buf text;
    bs_buf_init(&text, 1 << 22);
    basin_status s = bs_read_file(path, &text, err);
    json_t      *file = s ? NULL : json_loadb(text.data ? text.data : "", text.len, 0, NULL);
    const char  *theirs = json_string_value(json_object_get(file, "identity"));
    if (!s && theirs && strcmp(theirs, identity) != 0)
        s = bs_fail(err, BASIN_EARG,
                    "%s: --resume: that run has other settings or other data; use the same, or "
                    "another -o",
                    path);
    else if (!s && (!theirs || !read_values(k, json_object_get(file, "outcome"), out)))
        s = bs_fail(err, BASIN_EDATA,
                    "%s: is not the outcome of a training; remove it to do the "
                    "run again",
                    path);
    json_decref(file);
    bs_buf_free(&text);
    return s;
}

static basin_status restore_one(bs_comparison *c, int method, int seed, basin_error *err)
{
    char            path[BS_OPTION_TEXT + 96];
    const int       at = method * c->seeds + seed;
    bs_compare_run *r = &c->run[at];
    bs_settings     settings;
    bs_buf          identity;
    outcome_path(r, path);
    if (access(path, F_OK) != 0)
        return BASIN_OK;
    bs_compare_settings(c, method, seed, &settings);
    bs_buf_init(&identity, 1 << 22);
    write_identity(c, &settings, &identity);
    basin_status s = identity.failed
                         ? bs_fail_nomem(err)
                         : read_outcome(c->rows->kind, path, identity.data, &c->outcome[at], err);
    bs_buf_free(&identity);
    r->finished = !s;
    return s;
}

basin_status bs_compare_restore(bs_comparison *c, basin_error *err)
{
    basin_status s = BASIN_OK;
    int          n = 0;
    for (int i = 0; i < c->n && c->o->resume; i++)
        for (int k = 0; k < c->seeds && !s; k++) {
            s = restore_one(c, i, k, err);
            n += c->run[i * c->seeds + k].finished;
        }
    bs_buf known;
    bs_buf_init(&known, 1 << 12);
    c->rows->kind->known_text(&c->data.known, &known);
    bs_log_say(&c->log, BS_INFO,
               "%d methods, %d seeds: %d runs, %d of them finished before; %d %s to train, %d "
               "valid, %d test; %s",
               c->n, c->seeds, c->n * c->seeds, n, (int)c->data.part[0].rows, c->rows->kind->unit,
               (int)c->data.part[1].rows, (int)c->data.part[2].rows, known.data ? known.data : "");
    bs_buf_free(&known);
    return s;
}

/* ---- one run ---- */

static bool stop_asked(const bs_comparison *c)
{
    return c->session && bs_stop_asked(c->session->stop);
}

/* Epoch tables of several runs would be a muddle; of one they are shown to who wants more. */
static bs_logger run_log(const bs_comparison *c)
{
    bs_logger log = c->log;
    bool      full = c->jobs == 1 && log.level >= BS_DEBUG;
    if (!full) /* what a run says of its epochs means nothing between those of others */
        log.level = BS_QUIET;
    return log;
}

typedef struct {
    bs_comparison  *c;
    pthread_mutex_t lock;
    bs_logger       log; /* what each run gets a copy of */
    bs_board        board;
    double          seconds; /* of the runs that are done */
    int             next, done, total, threads, jobs;
} queue;

/* How far all of it is, and how long the rest would take if runs took as long as so far. */
static void draw(queue *q)
{
    char         lead[96], left[BS_TIME_TEXT];
    const double part = q->total > 0 ? q->done / (double)q->total : 1;
    if (q->done > 0)
        snprintf(lead, sizeof lead, "%d/%d runs, about %s left", q->done, q->total,
                 bs_time_text((q->total - q->done) * q->seconds / q->done / q->jobs, left));
    else
        snprintf(lead, sizeof lead, "%d/%d runs, %s", q->done, q->total,
                 bs_time_text(bs_seconds() - q->board.bar.started, left));
    bs_board_draw(&q->board, part, lead);
}

typedef struct {
    queue *q;
    int    worker;
} looker;

static void moved(void *ctx, const bs_train_news *n)
{
    looker *l = ctx;
    pthread_mutex_lock(&l->q->lock);
    bs_board_news(&l->q->board, l->worker, n);
    if (bs_progress_due(&l->q->board.bar))
        draw(l->q);
    pthread_mutex_unlock(&l->q->lock);
}

static bool evaluated(void *ctx, const bs_train_news *n)
{
    moved(ctx, n);
    return false;
}

static void train_run(queue *q, int at, int worker)
{
    bs_comparison    *c = q->c;
    const int         method = at / c->seeds, seed = at % c->seeds;
    bs_compare_run   *r = &c->run[at];
    bs_train_outcome *o = &c->outcome[at];
    bs_settings       settings;
    bs_logger         log = q->log;
    looker            l = {q, worker};
    char              pretrained[BS_OPTION_TEXT + 16];
    const bs_watch    watch = {.ctx = &l, .evaluated = evaluated, .moved = moved};
    bs_compare_settings(c, method, seed, &settings);
    settings.train.threads = q->threads;
    snprintf(pretrained, sizeof pretrained, "%s/pretrained", c->o->folder);
    bs_train_job job = {.settings = &settings,
                        .train = &c->data.part[0],
                        .valid = &c->data.part[1],
                        .test = bs_prepared_test(&c->data),
                        .known = &c->data.known,
                        .folder = r->folder,
                        .pretrained = pretrained,
                        .resume = c->o->resume,
                        .log = &log,
                        .stop = c->session ? c->session->stop : NULL,
                        .watch = log.level == BS_QUIET ? &watch : NULL};
    basin_status s = bs_train(&job, o, &r->failure);
    if (!s)
        s = write_outcome(c, r, &settings, o, &r->failure);
    r->finished = !s;
}

/* ---- several at a time ---- */

/* The next run to be trained, -1 when there is none. All methods with the first seed
 * come first, so that a comparison that is stopped early has something of each. */
static int take(queue *q)
{
    const bs_comparison *c = q->c;
    int                  found = -1;
    pthread_mutex_lock(&q->lock);
    while (found < 0 && q->next < c->n * c->seeds && !stop_asked(c)) {
        int at = (q->next % c->n) * c->seeds + q->next / c->n;
        q->next++;
        if (!c->run[at].finished)
            found = at;
    }
    pthread_mutex_unlock(&q->lock);
    return found;
}

static void value_text(const bs_comparison *c, int method, int seed, char text[64])
{
    const double scale = bs_compare_scale(c);
    const double half = scale * bs_compare_values(c, method, seed, BS_CUT_HALF)[c->metric];
    const double tuned = scale * bs_compare_values(c, method, seed, BS_CUT_TUNED)[c->metric];
    if (c->rows->kind->tunes)
        snprintf(text, 64, "%.2f at 0.5, %.2f tuned", half, tuned);
    else
        snprintf(text, 64, "%.2f", half);
}

static void run_name(const bs_comparison *c, int at, char name[BS_OPTION_TEXT + 32])
{
    const bs_compared *m = &c->method[at / c->seeds];
    snprintf(name, BS_OPTION_TEXT + 32, "%s, seed %d", m->name,
             m->settings.train.seed + at % c->seeds);
}

static void report(queue *q, int at)
{
    bs_comparison          *c = q->c;
    const bs_compare_run   *r = &c->run[at];
    const bs_train_outcome *o = &c->outcome[at];
    char                    name[BS_OPTION_TEXT + 32], value[64];
    run_name(c, at, name);
    value_text(c, at / c->seeds, at % c->seeds, value);
    if (r->finished)
        bs_log_say(&c->log, BS_INFO, "[%d/%d] %s: %d epochs, best %d; %s %s %s; %.1f s", ++q->done,
                   q->total, name, o->epochs, o->best_epoch, c->on_test ? "test" : "valid",
                   c->rows->kind->metric[c->metric].name, value, o->seconds);
    else if (r->failure.status != BASIN_EINTERRUPTED)
        bs_log_say(&c->log, BS_WARN, "[%d/%d] %s failed: %s", ++q->done, q->total, name,
                   r->failure.msg);
}

static void work(void *arg, int worker)
{
    queue *q = arg;
    char   name[BS_OPTION_TEXT + 32];
    for (int at = take(q); at >= 0; at = take(q)) {
        const double start = bs_seconds();
        run_name(q->c, at, name);
        pthread_mutex_lock(&q->lock);
        bs_board_name(&q->board, worker, name);
        pthread_mutex_unlock(&q->lock);
        train_run(q, at, worker);
        pthread_mutex_lock(&q->lock);
        bs_board_name(&q->board, worker, NULL);
        q->seconds += bs_seconds() - start;
        report(q, at);
        pthread_mutex_unlock(&q->lock);
    }
}

static void find_failures(bs_comparison *c)
{
    for (int i = 0; i < c->n; i++)
        for (int k = c->seeds - 1; k >= 0; k--) {
            const bs_compare_run *r = &c->run[i * c->seeds + k];
            if (r->finished || !r->failure.status)
                continue;
            c->method[i].failure = &r->failure;
            c->method[i].failed_seed = c->method[i].settings.train.seed + k;
        }
}

basin_status bs_compare_train(bs_comparison *c, basin_error *err)
{
    const int runs = c->n * c->seeds;
    int       finished = 0;
    queue     q = {.c = c, .log = run_log(c)};
    for (int i = 0; i < runs; i++)
        q.total += !c->run[i].finished;
    const int jobs = c->jobs < q.total ? c->jobs : q.total;
    if (jobs == 0)
        return BASIN_OK;
    q.threads = c->threads / jobs > 1 ? c->threads / jobs : 1;
    q.jobs = jobs;
    bs_board_start(&q.board, &c->log, bs_compare_scale(c));
    basin_status s = bs_make_dir(c->o->folder, err);
    if (s)
        return s;
    pthread_mutex_init(&q.lock, NULL);
    s = bs_work_together(jobs, work, &q, err);
    bs_board_end(&q.board);
    pthread_mutex_destroy(&q.lock);
    for (int i = 0; i < runs; i++)
        finished += c->run[i].finished;
    if (!s && stop_asked(c))
        s = bs_fail(err, BASIN_EINTERRUPTED,
                    "interrupted with %d of %d runs finished; --resume -o %s goes on", finished,
                    runs, c->o->folder);
    if (!s)
        find_failures(c);
    return s;
}
