/* run.c -- the trials of a search: several at a time, each in its own run folder.
 *
 * A worker takes the most worthwhile job: a trial interrupted by a stop, a paused one among the
 * best of its rung, or a new one. A trial is paused by interrupting it at an epoch, and continues
 * from its checkpoint. Only the best trial keeps its model, and only the most promising paused ones
 * their checkpoints; without one a trial starts again and arrives at the same scores. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tune/tune.h"
#include "base/io.h"

static const double closing_part = 0.8; /* of the time: from here on only the best are finished */
static const double too_late = 0.98;    /* ... and from here on nothing is started */

enum { KEPT_CHECKPOINTS = 8, MOST_FAILURES = 5 };

/* ---- files of a trial ---- */

static void remove_file(const bs_tuning *t, int trial, const char *name)
{
    char folder[BS_OPTION_TEXT + 64], path[BS_OPTION_TEXT + 128];
    bs_tune_folder(t, trial, folder);
    bs_print(path, sizeof path, "%s/%s", folder, name);
    remove(path);
}

/* A trial that others need not continue, unless it is to be the best one. */
void bs_tune_drop(const bs_tuning *t, int trial, bool model)
{
    remove_file(t, trial, "last/state.safetensors");
    remove_file(t, trial, "last");
    if (model)
        remove_file(t, trial, "best.safetensors");
}

/* Only the model of the best trial and, of the paused ones, as many as may well continue. */
void bs_tune_tidy(const bs_tuning *t)
{
    for (int i = 0; i < t->n; i++)
        if (i != t->best && t->trial[i].state == BS_TRIAL_FINISHED)
            remove_file(t, i, "best.safetensors");
    for (int i = 0; i < t->n; i++) {
        int better = 0;
        if (t->trial[i].state != BS_TRIAL_PAUSED)
            continue;
        for (int k = 0; k < t->n; k++)
            better += t->trial[k].state == BS_TRIAL_PAUSED &&
                      (t->trial[k].passed > t->trial[i].passed ||
                       (t->trial[k].passed == t->trial[i].passed &&
                        t->trial[k].score > t->trial[i].score));
        if (better >= KEPT_CHECKPOINTS)
            bs_tune_drop(t, i, false);
    }
}

/* ---- what is told ---- */

int bs_tune_count(const bs_tuning *t, bs_trial_state state)
{
    int n = 0;
    for (int i = 0; i < t->n; i++)
        n += t->trial[i].state == state;
    return n;
}

static void draw(bs_tuning *t)
{
    char         lead[128], left[BS_TIME_TEXT];
    const double now = bs_tune_elapsed(t), budget = t->o->budget;
    const int    ended = t->n - bs_tune_count(t, BS_TRIAL_RUNNING), all = t->o->trials;
    if (!bs_progress_due(&t->board.bar))
        return;
    const double part = fmax(all > 0 ? ended / (double)all : 0, budget > 0 ? now / budget : 0);
    int          n = bs_print(lead, sizeof lead, "%d trials, ", ended);
    if (budget > 0)
        n += bs_print(lead + n, sizeof lead - (size_t)n, "%s left",
                      bs_time_text(budget - now, left));
    else if (ended > 0 && ended < all)
        n += bs_print(lead + n, sizeof lead - (size_t)n, "about %s left",
                      bs_time_text(now / ended * (all - ended), left));
    else
        n += bs_print(lead + n, sizeof lead - (size_t)n, "%s", bs_time_text(now, left));
    if (t->best >= 0)
        bs_print(lead + n, sizeof lead - (size_t)n, ", best %.2f",
                 t->scale * bs_tune_score(t, t->trial[t->best].score));
    bs_status_line_draw(&t->board, part, lead);
}

static void report(bs_tuning *t, int trial, bool best)
{
    const bs_trial       *x = &t->trial[trial];
    const bs_tune_record *r = &t->record[trial];
    bs_buf                row;
    if (x->state == BS_TRIAL_FAILED)
        bs_log_say(&t->log, BS_WARN, "trial %d failed: %s", trial, r->message);
    bs_buf_init(&row, 1 << 12);
    bs_tune_row(t, trial, best, &row);
    const bs_log_style style = x->state == BS_TRIAL_FINISHED ? BS_PLAIN : BS_DIM;
    if (!row.failed)
        bs_log_row(&t->log, best ? BS_GOOD : style, "%s", row.data);
    bs_buf_free(&row);
}

/* ---- while a trial is trained ---- */

bool bs_tune_closing(const bs_tuning *t)
{
    const basin_tune_options *o = t->o;
    return (o->trials > 0 && t->n >= o->trials) ||
           (o->budget > 0 && bs_tune_elapsed(t) >= closing_part * o->budget);
}

static void moved(void *ctx, const bs_progress_event *n)
{
    bs_tune_worker *l = ctx;
    pthread_mutex_lock(&l->t->lock);
    bs_status_line_news(&l->t->board, l->worker, n);
    draw(l->t);
    pthread_mutex_unlock(&l->t->lock);
}

static void pass_rung(bs_tuning *t, int trial, int start)
{
    bs_trial *x = &t->trial[trial];
    const int epochs = t->rung_epoch[x->passed];
    int       best;
    double    at = bs_tune_curve(t, trial, start, epochs, &best);
    double    before = bs_tune_curve(t, trial, start, epochs / 2, &best);
    at = isnan(at) ? x->score : at;
    x->rise[x->passed] = isnan(before) ? 0 : at - before;
    x->rung[x->passed++] = at;
}

/* A trial that was killed between its pause and the record of that pauses later than it would have:
 * what came after the rung does not count. */
static void pause_as_at_rung(bs_tuning *t, int trial, int start)
{
    bs_trial       *x = &t->trial[trial];
    bs_tune_record *r = &t->record[trial];
    const int       epochs = t->rung_epoch[x->passed - 1];
    const double    score = bs_tune_curve(t, trial, start, epochs, &r->best_epoch);
    if (!isnan(score))
        x->score = score;
    r->epochs = start + epochs;
}

/* Earlier phases are not judged: their scores are not those of the method. */
static bool evaluated(void *ctx, const bs_progress_event *n)
{
    bs_tune_worker *l = ctx;
    bs_tuning      *t = l->t;
    pthread_mutex_lock(&t->lock);
    bs_trial *x = &t->trial[l->trial];
    bs_status_line_news(&t->board, l->worker, n);
    t->record[l->trial].epochs = n->epoch;
    l->start = n->epoch - n->own;
    if (n->last) {
        const int passed = x->passed;
        x->score = bs_tune_score(t, n->best);
        t->record[l->trial].best_epoch = n->best_epoch;
        while (x->passed < t->rungs && n->own >= t->rung_epoch[x->passed])
            pass_rung(t, l->trial, l->start);
        const bs_search s = bs_tune_search(t);
        l->paused = x->passed > passed && l->trial > 0 &&
                    !bs_tune_worth(&s, l->trial, t->rungs, bs_tune_closing(t));
        if (l->paused && n->own > t->rung_epoch[x->passed - 1])
            pause_as_at_rung(t, l->trial, l->start);
    }
    draw(t);
    pthread_mutex_unlock(&t->lock);
    return l->paused;
}

basin_status bs_tune_trial(bs_tune_worker *l, bs_train_outcome *out, basin_error *err)
{
    bs_tuning        *t = l->t;
    bs_settings       settings = t->base;
    bs_logger         silent = {.level = BS_QUIET};
    char              folder[BS_OPTION_TEXT + 64];
    double            u[BS_TUNE_MOST];
    const bs_observer watch = {.ctx = l, .evaluated = evaluated, .moved = moved};
    pthread_mutex_lock(&t->lock); /* the array may move */
    memcpy(u, t->trial[l->trial].u, sizeof u);
    pthread_mutex_unlock(&t->lock);
    memset(out, 0, sizeof *out);
    basin_status s = bs_space_apply(&t->space, u, &settings, err);
    if (s)
        return s;
    settings.train.threads = t->threads;
    bs_tune_folder(t, l->trial, folder);
    bs_train_job job = {.settings = &settings,
                        .train = &t->data.part[0],
                        .valid = &t->data.part[1],
                        .known = &t->data.known,
                        .folder = folder,
                        .resume = true,
                        .log = &silent,
                        .stop = t->stop,
                        .lost = l->lost,
                        .watch = &watch};
    if (t->o->budget > 0)
        job.deadline = t->started + t->o->budget - t->spent;
    bs_lock *lock = NULL;
    if (!t->o->shared)
        s = bs_lock_take(folder, &lock, err);
    if (s)
        return s;
    s = bs_train(&job, out, err);
    bs_lock_free(lock);
    return s;
}

/* ---- after it ---- */

/* The first trial defines the rungs; if it failed, the first one that finished. Until then nothing
 * pauses. */
static void set_rungs(bs_tuning *t, const bs_tune_worker *l)
{
    bs_trial *x = &t->trial[l->trial];
    if (t->rungs > 0 || (l->trial > 0 && t->trial[0].state != BS_TRIAL_FAILED))
        return;
    t->rungs = bs_tune_rungs(t->record[l->trial].epochs - l->start, t->rung_epoch);
    while (x->passed < t->rungs)
        pass_rung(t, l->trial, l->start);
}

static bool update_best(bs_tuning *t, int trial)
{
    const bs_trial *x = &t->trial[trial];
    if (isnan(x->score) || (t->best >= 0 && !(x->score > t->trial[t->best].score)))
        return false;
    t->best = trial;
    return true;
}

/* Full disks and the like end the search; settings that cannot be trained do not, except the
 * initial ones. */
static bool is_final(const bs_tuning *t, int trial, basin_status s)
{
    return s == BASIN_EIO || (trial == 0 && s != BASIN_ENUMERIC && t->n == 1);
}

void bs_tune_end(bs_tuning *t, const basin_error *why)
{
    if (!t->status) {
        t->status = why->status;
        t->failure = *why;
    }
}

void bs_tune_judge(bs_tune_worker *l, const bs_train_outcome *o, basin_status s, basin_error *err)
{
    bs_tuning      *t = l->t;
    bs_trial       *x = &t->trial[l->trial];
    bs_tune_record *r = &t->record[l->trial];
    if (s == BASIN_EINTERRUPTED) {
        x->state = l->paused ? BS_TRIAL_PAUSED : BS_TRIAL_RUNNING;
    } else if (s) {
        x->state = BS_TRIAL_FAILED;
        x->score = NAN; /* its earlier score is lost with it */
        x->passed = 0;
        bs_print(r->message, sizeof r->message, "%.199s", err->msg);
        if (is_final(t, l->trial, s) ||
            (t->n >= MOST_FAILURES && bs_tune_count(t, BS_TRIAL_FAILED) == t->n))
            bs_tune_end(t, err);
    } else {
        x->state = BS_TRIAL_FINISHED;
        x->score = bs_tune_score(t, o->valid[t->metric]);
        r->epochs = o->epochs;
        r->best_epoch = o->best_epoch;
        set_rungs(t, l);
    }
    r->taken = false;
}

static void settle(bs_tune_worker *l, const bs_train_outcome *o, basin_status s, basin_error *err)
{
    bs_tuning      *t = l->t;
    const bs_trial *x = &t->trial[l->trial];
    bool            best = false;
    bs_tune_judge(l, o, s, err);
    if (x->state != BS_TRIAL_FAILED)
        best = update_best(t, l->trial);
    if (!t->status && bs_tune_log_add(t, l->trial, err))
        bs_tune_end(t, err);
    if (x->state == BS_TRIAL_FINISHED || x->state == BS_TRIAL_FAILED)
        bs_tune_drop(t, l->trial, false);
    bs_tune_tidy(t);
    report(t, l->trial, best);
}

/* ---- for rounds ---- */

bool bs_tune_stopped(const bs_tuning *t)
{
    return bs_stop_asked(t->stop);
}

void bs_tune_settled(bs_tuning *t, int trial)
{
    const bool best = t->trial[trial].state != BS_TRIAL_FAILED && update_best(t, trial);
    if (bs_tune_count(t, BS_TRIAL_FAILED) == t->n && t->n >= MOST_FAILURES)
        bs_tune_end(t, &(basin_error){.status = BASIN_ENUMERIC});
    report(t, trial, best);
}

/* ---- what is done next ---- */

basin_status bs_tune_begin(bs_tuning *t, basin_error *err)
{
    const bs_search s = bs_tune_search(t);
    bs_trial        x = {.state = BS_TRIAL_RUNNING, .score = NAN};
    bs_tune_record  r = {.taken = true};
    basin_status    status = bs_tune_room(t, err);
    if (!status)
        status = bs_tune_next(&s, x.u, &r.from, err);
    if (status)
        return status;
    t->trial[t->n] = x;
    t->record[t->n++] = r;
    return BASIN_OK;
}

/* A trial interrupted by a stop, in this process or an earlier one; -1: none. */
static int cut_off(const bs_tuning *t)
{
    for (int i = 0; i < t->n; i++)
        if (t->trial[i].state == BS_TRIAL_RUNNING && !t->record[i].taken)
            return i;
    return -1;
}

static bool others_run(const bs_tuning *t)
{
    for (int i = 0; i < t->n; i++)
        if (t->record[i].taken)
            return true;
    return false;
}

static bool over(const bs_tuning *t)
{
    return t->status || bs_tune_stopped(t) ||
           (t->o->budget > 0 && bs_tune_elapsed(t) >= too_late * t->o->budget);
}

/* -1: nothing is left to do; -2: nothing until another one ends. */
static int choose(bs_tuning *t)
{
    basin_error err;
    if (over(t))
        return -1;
    int at = cut_off(t);
    if (at >= 0)
        return at;
    const bs_search s = bs_tune_search(t);
    at = bs_tune_promoted(&s, t->rungs, bs_tune_closing(t));
    if (at >= 0) {
        t->trial[at].state = BS_TRIAL_RUNNING;
        return at;
    }
    if (t->n < (t->o->trials > 0 ? t->o->trials : BS_MOST_TRIALS)) {
        if (!bs_tune_begin(t, &err) && !bs_tune_log_add(t, t->n - 1, &err))
            return t->n - 1;
        bs_tune_end(t, &err);
        return -1;
    }
    return others_run(t) ? -2 : -1;
}

static int take(bs_tuning *t)
{
    int at = choose(t);
    while (at == -2) {
        pthread_cond_wait(&t->changed, &t->lock);
        at = choose(t);
    }
    if (at >= 0)
        t->record[at].taken = true;
    return at;
}

static void work(void *ctx, int worker)
{
    bs_tuning *t = ctx;
    pthread_mutex_lock(&t->lock);
    for (int at = take(t); at >= 0; at = take(t)) {
        char             name[48];
        bs_tune_worker   l = {.t = t, .worker = worker, .trial = at};
        basin_error      err = {0};
        bs_train_outcome outcome;
        bs_print(name, sizeof name, "trial %d", at);
        bs_status_line_name(&t->board, worker, name);
        pthread_mutex_unlock(&t->lock);
        const double start = bs_seconds();
        basin_status s = bs_tune_trial(&l, &outcome, &err);
        pthread_mutex_lock(&t->lock);
        t->record[at].seconds += bs_seconds() - start;
        bs_status_line_name(&t->board, worker, NULL);
        settle(&l, &outcome, s, &err);
        bs_threshold_free(&outcome.threshold);
        pthread_cond_broadcast(&t->changed);
    }
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

basin_status bs_tune_train(bs_tuning *t, basin_error *err)
{
    for (int i = 0; i < t->n; i++)
        update_best(t, i);
    bs_buf head;
    bs_buf_init(&head, 1 << 12);
    bs_tune_head(t, &head);
    if (!head.failed)
        bs_log_row(&t->log, BS_DIM, "%s", head.data);
    bs_buf_free(&head);
    bs_status_line_start(&t->board, &t->log, t->scale);
    basin_status s =
        t->round > 0 ? bs_tune_rounds_train(t, err) : bs_work_together(t->jobs, work, t, err);
    bs_status_line_end(&t->board);
    if (!s && t->status)
        s = bs_fail(err, t->status, "%s", t->failure.msg);
    if (!s && bs_tune_stopped(t))
        s = bs_fail(err, BASIN_EINTERRUPTED, "interrupted after %d trials; continue with %s %s",
                    t->n - bs_tune_count(t, BS_TRIAL_RUNNING),
                    t->o->shared ? "--shared" : "--resume -o", t->o->folder);
    if (!s && t->best < 0)
        s = bs_fail(err,
                    t->n > 0 && t->trial[0].state == BS_TRIAL_FAILED ? BASIN_ENUMERIC : BASIN_EARG,
                    "no trial got a score: %s",
                    t->n > 0 && t->record[0].message[0] ? t->record[0].message
                                                        : "the time is too short for one epoch");
    return s;
}
