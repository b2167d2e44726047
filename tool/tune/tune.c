/* tune.c -- basin_tune: the request, the data, the folder, and the final result.
 *
 * The data is read once and shared by all trials. Test rows are set aside as in `basin train`, so
 * that tuning never sees them, but nobody gets them. */
#include "api/training.h"
#include "runs/runset.h"
#include "tune/tune.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/threads.h"

enum { SHARED_ROUND = 8 };

double bs_tune_elapsed(const bs_tuning *t)
{
    return t->spent + bs_seconds() - t->started;
}

double bs_tune_score(const bs_tuning *t, double score)
{
    return t->task->metric[t->metric].higher ? score : -score;
}

void bs_tune_folder(const bs_tuning *t, int trial, char path[BS_OPTION_TEXT + 64])
{
    bs_print(path, BS_OPTION_TEXT + 64, "%s/trial-%03d", t->o->folder, trial);
}

bs_search bs_tune_search(const bs_tuning *t)
{
    return (bs_search){
        .space = &t->space, .seed = (uint64_t)t->base.train.seed, .trial = t->trial, .n = t->n};
}

/* ---- what is asked for ---- */

static basin_status check_numbers(bs_tuning *t, basin_error *err)
{
    const basin_tune_options *o = t->o;
    if (o->budget <= 0 && o->trials <= 0)
        return bs_fail(err, BASIN_EARG,
                       "say how long to search: --budget 30m, --trials 40, or both");
    if (!(o->budget >= 0 && o->budget < 1e9))
        return bs_fail(err, BASIN_EARG, "--budget: %g is not a number of seconds up to 1e9",
                       o->budget);
    if (o->trials < 0 || o->trials > BS_MOST_TRIALS)
        return bs_fail(err, BASIN_EARG, "--trials: %d is not in 1..%d", o->trials, BS_MOST_TRIALS);
    if (o->jobs < 0 || o->jobs > BS_MOST_JOBS)
        return bs_fail(err, BASIN_EARG, "--jobs: %d is not in 1..%d", o->jobs, BS_MOST_JOBS);
    if (o->round < 0 || o->round > BS_MOST_TRIALS)
        return bs_fail(err, BASIN_EARG, "--round: %d is not in 1..%d", o->round, BS_MOST_TRIALS);
    t->round = o->round || !o->shared ? o->round : SHARED_ROUND;
    if (t->round > 0 && (o->budget > 0 || o->trials <= 0))
        return bs_fail(err, BASIN_EARG,
                       "%s: rounds have the same result for any number of processes, which a time "
                       "limit would not; use --trials without --budget",
                       o->shared ? "--shared" : "--round");
    return BASIN_OK;
}

static basin_status refuse_test(const basin_config *c, basin_error *err)
{
    if (c->files.n[BS_ROLE_TEST] == 0)
        return BASIN_OK;
    return bs_fail(
        err, BASIN_EARG,
        "--test: settings are chosen on validation rows, and test data that took part in "
        "choosing would be no test; measure the result with it afterwards: basin train "
        "--config FOLDER/best.config --test %s",
        c->files.file[BS_ROLE_TEST][0]);
}

/* The keys fixed by --set, in the order given. */
static basin_status make_space(bs_tuning *t, const basin_config *c, basin_error *err)
{
    const char *fixed[256];
    int         n = 0;
    for (size_t at = 0; at < c->given.len && n < 256;) {
        fixed[n++] = c->given.data + at;
        at += strlen(c->given.data + at) + 1;
        at += strlen(c->given.data + at) + 1;
    }
    bs_space_wishes w = {
        .fixed = fixed, .n_fixed = n, .wish = t->o->space, .n_wishes = t->o->n_space};
    return bs_space_make(&t->base, t->method, &w, &t->space, err);
}

/* Several trainings at once do more than one on several threads, but then the result depends on
 * timing: only where it does so anyway. */
static void share_threads(bs_tuning *t)
{
    enum { SEVERAL = 4 };
    const int threads = bs_threads(t->base.train.threads);
    t->jobs = t->o->jobs;
    if (t->jobs == 0)
        t->jobs = t->o->trials > 0 ? 1 : threads < SEVERAL ? threads : SEVERAL;
    t->threads = threads / t->jobs > 1 ? threads / t->jobs : 1;
}

/* A trial that is paused and continued is one training, and searches compare its epochs. */
static basin_status refuse_several(const bs_train_options *o, basin_error *err)
{
    if (o->folds == 1 && o->ensemble == 1)
        return BASIN_OK;
    return bs_fail(
        err, BASIN_EARG,
        "%s: 'basin tune' pauses trials between epochs and compares them, so each is one "
        "training on rows that are split off once; 'basin train' and 'basin compare' "
        "take folds and ensembles",
        o->folds == 1 ? "ensemble" : "folds");
}

static basin_status read_data(bs_tuning *t, const basin_config *c, basin_error *err)
{
    char       names[BS_ROLES][BS_OPTION_TEXT];
    bs_sources files = c->files;
    bs_config_files(&files, &t->base.train, names);
    files.no_test = true;
    basin_status s = bs_base_model_refuse(&t->base.train, "tune", err);
    if (!s)
        s = refuse_several(&t->base.train, err);
    if (!s)
        s = bs_prepare(&t->base, &files, &t->log, &t->data, err);
    if (s)
        return s;
    t->task = t->data.part[0].task;
    s = bs_task_metric(t->task, &t->data.known, t->base.train.stop_metric, &t->metric, err);
    if (s)
        return s;
    t->scale = t->task->metric[t->metric].greatest <= 1 ? 100 : 1;
    share_threads(t);
    return BASIN_OK;
}

static void introduce(bs_tuning *t)
{
    bs_buf text;
    bs_buf_init(&text, 1 << 16);
    t->task->known_text(&t->data.known, &text);
    bs_log_say(&t->log, BS_INFO, "task %s, method %s: %d %s to train, %d valid; %s",
               t->base.train.task, t->base.train.method, (int)t->data.part[0].rows, t->task->unit,
               (int)t->data.part[1].rows, text.data ? text.data : "");
    bs_preset_remark(&t->base, &t->log);
    bs_log_say(&t->log, BS_INFO,
               "searched, by %s on validation rows; --set fixes an option, --space "
               "changes a range:",
               t->task->metric[t->metric].name);
    for (int i = 0; i < t->space.n; i++) {
        const bs_dimension *d = &t->space.at[i];
        char                start[BS_TUNE_NAME];
        bs_buf_clear(&text);
        bs_space_range(d, &text);
        bs_space_text(d, d->start, start);
        bs_log_row(&t->log, BS_PLAIN, "  %-20s %-24s from %s", d->row.name,
                   text.data ? text.data : "", start);
    }
    if (t->n > 0)
        bs_log_say(&t->log, BS_INFO, "%d trials in %.0f seconds were done before", t->n, t->spent);
    bs_buf_free(&text);
}

/* ---- in the end ---- */

/* Trials, best first, those without a score last; NULL when memory runs out. */
static int *sort_trials(const bs_tuning *t)
{
    int *order = bs_calloc((size_t)t->n + 1, sizeof *order);
    for (int i = 0; i < t->n && order; i++) {
        int at = i;
        for (; at > 0 && !(t->trial[i].score <= t->trial[order[at - 1]].score) &&
               !isnan(t->trial[i].score);
             at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return order;
}

static basin_status write_config(const bs_tuning *t, basin_error *err)
{
    bs_buf       text;
    bs_settings  s = t->base;
    basin_status status = bs_space_apply(&t->space, t->trial[t->best].u, &s, err);
    bs_buf_init(&text, 1 << 20);
    bs_buf_printf(
        &text,
        "# trial %d of %d, %s %.4f on validation; 'basin train --config THIS -o RUN' trains "
        "it\n",
        t->best, t->n, t->task->metric[t->metric].name, bs_tune_score(t, t->trial[t->best].score));
    bs_settings_write_config(&s, &text);
    if (!status)
        status = bs_runset_write(t->o->folder, "best.config", &text, err);
    bs_buf_free(&text);
    return status;
}

static basin_status publish(const bs_tuning *t, bs_buf *table, bs_buf *json, basin_error *err)
{
    int   *order = sort_trials(t);
    bs_buf page;
    bs_buf_init(&page, 1 << 26);
    basin_status s = order ? write_config(t, err) : bs_fail_nomem(err);
    if (!s) {
        bs_tune_show(t, order, &(bs_doc){.text = table, .page = &page});
        bs_tune_json(t, order, json);
        s = bs_runset_write_line(t->o->folder, "tune.json", json, err);
    }
    if (!s)
        s = bs_runset_write(t->o->folder, "tune.html", &page, err);
    bs_buf_free(&page);
    bs_free(order);
    return s;
}

/* ---- the whole ---- */

static basin_status tune(bs_tuning *t, const basin_config *c, bs_buf *table, bs_buf *json,
                         basin_error *err)
{
    basin_status s = check_numbers(t, err);
    if (!s)
        s = refuse_test(c, err);
    if (!s)
        s = bs_config_resolve(c, NULL, &t->base, err);
    if (!s)
        bs_config_remark(c, &t->log);
    if (!s)
        s = bs_method_find(t->base.train.method, t->base.train.task, &t->method, err);
    if (!s)
        s = make_space(t, c, err);
    if (!s)
        s = bs_runset_open(t->o->folder, "search", "trials",
                           bs_runset_how_of(t->o->resume, t->o->shared), 2, &t->folder, err);
    if (!s && t->o->shared)
        s = bs_run_together(t->o->folder, &t->base.train, &t->log, err);
    if (!s)
        s = read_data(t, c, err);
    if (!s)
        s = bs_tune_log_open(t, err);
    if (s)
        return s;
    introduce(t);
    s = bs_tune_train(t, err);
    return s ? s : publish(t, table, json, err);
}

basin_status basin_tune(const basin_config *c, const basin_tune_options *o,
                        const basin_session *session, basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    bs_buf       table, json;
    bs_tuning   *t;
    basin_status s = bs_need_text(out, BS_ARGUMENTS({"config", c}, {"options", o}), err);
    if (s)
        return s;
    if (!(t = bs_calloc(1, sizeof *t)))
        return bs_fail_nomem(err);
    t->o = o;
    t->stop = session ? session->stop : NULL;
    t->log = bs_session_log(session);
    t->started = bs_seconds();
    t->best = t->fd = -1;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    bs_buf_init(&table, 1 << 24);
    bs_buf_init(&json, 1 << 28);
    s = tune(t, c, &table, &json, err);
    s = bs_text_give(s, &table, &json, out, err);
    if (t->fd >= 0)
        close(t->fd);
    bs_lock_free(t->folder);
    bs_free(t->trial);
    bs_free(t->record);
    bs_input_forget(); /* if it failed before the data was read */
    bs_data_free(&t->data);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    bs_free(t);
    return s;
}
