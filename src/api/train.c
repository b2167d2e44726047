/* train.c -- basin_train: one run or several seeds, and the text about them. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "api/training.h"
#include "base/io.h"
#include "base/share.h"

/* The training file: given, or from a config. */
static void first_file(const basin_config *c, char name[BS_OPTION_TEXT])
{
    const char *text = c->files.n[0] > 0 ? c->files.file[0][0] : c->settings.train.file_train;
    bs_print(name, BS_OPTION_TEXT, "%s", text);
    name[strcspn(name, "|")] = '\0';
}

/* On top of the defaults: the config file and --set. */
static basin_status apply_given(const basin_config *c, const bs_task *task, bs_settings *s,
                                basin_error *err)
{
    const bs_settings was = *s;
    bool              left_out;
    basin_status      status = BASIN_OK;
    if (c->lines.len > 0)
        status = bs_settings_config(s, c->lines.data, c->lines.len, "config", err);
    if (!status)
        status = bs_settings_from_elsewhere(s, &was, "config", &left_out, err);
    const char *at = c->given.data, *end = at ? at + c->given.len : NULL;
    while (!status && at < end) {
        const char *value = at + strlen(at) + 1;
        status = bs_task_accepts(task, at, err);
        if (!status)
            status = bs_settings_set(s, at, value, "--set", err);
        at = value + strlen(value) + 1;
    }
    return status;
}

/* Without a method, as many rows as possible are trained on, as with method=auto. */
#define FROM_AS_AUTO "folds=0 split.valid=0.1 split.test=0"

/* The order of precedence: general defaults, those of the task, those of the method, additional
 * settings, preset, those of a model to continue from, config file, --set. */
static basin_status resolve(const basin_config *c, const char *method, const char *more,
                            bs_settings *s, basin_error *err)
{
    const bs_method *m;
    const bs_task   *task;
    bs_base_model   *from = NULL, *teacher = NULL;
    char             name[BS_OPTION_TEXT];
    basin_status     status = bs_settings_default(s, err);
    first_file(c, name);
    if (!status && c->files.task)
        task = c->files.task;
    else if (!status)
        status = bs_task_guess(&c->settings, *name ? name : NULL, &task, err);
    if (status)
        return status;
    status = bs_base_model_find(c->settings.train.from, c->settings.train.encoder, "--from",
                                task->name, &from, err);
    method = method ? method : c->settings.train.method;
    if (!status)
        status = bs_teacher_find(&c->settings.train, task->name, &teacher, err);
    if (from && strcmp(method, "auto") == 0) {
        method = from->model->settings.train.method;
        more = FROM_AS_AUTO;
    }
    method = teacher && strcmp(method, "auto") == 0 ? "ce" : method;
    method = strcmp(method, "auto") == 0 ? task->method : method;
    if (!status)
        status = bs_method_find(method, task->name, &m, err);
    const char *words[5] = {0};
    if (!status) {
        words[0] = task->defaults;
        words[1] = m->defaults;
        words[2] = bs_method_own(m, task->name);
        words[3] = task->untuned && !*c->settings.train.preset ? m->untuned : NULL;
        words[4] = more;
    }
    for (int i = 0; i < 5 && !status; i++)
        if (words[i])
            status = bs_settings_words(s, words[i], method, err);
    if (!status && *c->settings.train.preset)
        status = bs_preset_apply(s, c->settings.train.preset, task->name, method, err);
    if (!status && from)
        status = bs_base_model_settings(from, method, s, err);
    if (!status && teacher)
        status = bs_teacher_settings(
            teacher, c->files.n[1] > 0 || *c->settings.train.file_valid != '\0', s, err);
    if (!status)
        status = apply_given(c, task, s, err);
    if (!status)
        status = bs_settings_set(s, "task", task->name, "--task", err);
    if (!status)
        status = bs_settings_set(s, "method", method, "--method", err);
    const bs_device *device;
    if (!status)
        status = bs_device_find(s->train.device, &device, err);
    bs_base_model_free(from);
    bs_base_model_free(teacher);
    return status;
}

basin_status bs_config_resolve_with(const basin_config *c, const char *method, const char *more,
                                    bs_settings *s, basin_error *err)
{
    basin_status status = resolve(c, method, more, s, err);
    if (status)
        bs_input_forget(); /* nobody will read what was peeked at to guess the task */
    return status;
}

basin_status bs_config_resolve(const basin_config *c, const char *method, bs_settings *s,
                               basin_error *err)
{
    return bs_config_resolve_with(c, method, NULL, s, err);
}

void bs_config_remark(const basin_config *c, bs_logger *log)
{
    if (c->left_out)
        bs_log_say(log, BS_WARN,
                   "pretrain.cache is not taken from a config file: nothing is written outside "
                   "the run folder unless --set says so");
}

void bs_preset_remark(const bs_settings *s, bs_logger *log)
{
    if (bs_preset_shared_only(s->train.preset, s->train.method))
        bs_log_say(log, BS_INFO,
                   "preset %s has no settings for %s: only those that its methods share apply",
                   s->train.preset, s->train.method);
}

/* ---- files ---- */

void bs_config_files(bs_sources *files, bs_train_options *o, char text[][BS_OPTION_TEXT])
{
    char *setting[BS_ROLES] = {o->file_train, o->file_valid, o->file_test, o->file_unlabelled};
    bool  given = files->n[0] > 0;
    for (int role = 0; role < BS_ROLES; role++) {
        if (given) {
            size_t used = 0;
            setting[role][0] = '\0';
            for (int i = 0; i < files->n[role] && used < BS_OPTION_TEXT; i++)
                used += (size_t)bs_print(setting[role] + used, BS_OPTION_TEXT - used, "%s%s",
                                         i ? "|" : "", files->file[role][i]);
            if (used >= BS_OPTION_TEXT) /* too long to keep */
                setting[role][0] = '\0';
            continue;
        }
        memcpy(text[role], setting[role], BS_OPTION_TEXT);
        for (char *at = text[role]; at && *at && files->n[role] < BS_MOST_FILES;) {
            files->file[role][files->n[role]++] = at;
            at = strchr(at, '|');
            if (at)
                *at++ = '\0';
        }
    }
}

/* ---- text ---- */

void bs_outcome_members(const bs_task *k, const bs_settings *s, const bs_train_outcome *o,
                        const char *folder, bs_buf *out)
{
    bs_json_members(out,
                    "task %s method %s seed %d epochs %d best_epoch %d ended %s seconds %g "
                    "train_rows_per_s %g params_net %lld params_energy %lld run %s",
                    s->train.task, s->train.method, s->train.seed, o->epochs, o->best_epoch,
                    bs_ended_name[o->ended], o->seconds, o->rows_per_s, (long long)o->params_net,
                    (long long)o->params_energy, folder ? folder : "");
    bs_task_json(k, "valid", o->valid, out);
    if (o->has_test)
        bs_task_json(k, "test", o->test, out);
    if (k->tunes) {
        bs_threshold_json(&o->threshold, out);
        bs_task_json(k, "valid_tuned", o->valid_tuned, out);
    }
    if (k->tunes && o->has_test)
        bs_task_json(k, "test_tuned", o->test_tuned, out);
}

/* A part at 0.5, and at the tuned threshold if there is one. */
static void part_rows(const bs_task *k, const bs_preprocess *known, const char *part,
                      const bs_train_outcome *o, const double *half, const double *tuned,
                      double margin, bs_buf *out)
{
    char name[32], text[BS_THRESHOLD_TEXT];
    if (!k->tunes) {
        bs_metric_row(k, known, part, half, margin, out);
        return;
    }
    bs_print(name, sizeof name, "%-4s @0.50", part);
    bs_metric_row(k, known, name, half, 0, out);
    bs_print(name, sizeof name, "%-4s %s", part, bs_threshold_text(&o->threshold, text));
    bs_metric_row(k, known, name, tuned, margin, out);
}

void bs_outcome_table(const bs_task *k, const bs_preprocess *known, const bs_train_outcome *o,
                      const char *profile, bs_buf *out)
{
    bs_metric_header(k, out);
    part_rows(k, known, o->valid_margin > 0 ? "oof" : "dev", o, o->valid, o->valid_tuned,
              o->valid_margin, out);
    if (o->has_test)
        part_rows(k, known, "test", o, o->test, o->test_tuned, o->test_margin, out);
    bs_buf_printf(out, "best epoch %d of %d, %.1f s, %.0f %s/s", o->best_epoch, o->epochs,
                  o->seconds, o->rows_per_s, k->unit);
    if (o->ended == BS_ENDED_TIME)
        bs_buf_text(out, "; ended by the time limit");
    if (k->tunes)
        bs_buf_printf(out, "; conventions: %s", profile);
    bs_buf_text(out, "\n");
}

void bs_say_written(const char *folder, bool report, bs_buf *out)
{
    bs_buf_text(out, "wrote ");
    bs_buf_visible(out, folder);
    bs_buf_printf(out, ": best.safetensors, config, metrics.jsonl, manifest.json%s\n",
                  report ? ", report.html" : "");
    bs_buf_text(out, "next: basin eval ");
    bs_put_word(folder, out);
    bs_buf_text(out, " DATA   |   basin predict ");
    bs_put_word(folder, out);
    bs_buf_text(out, " DATA\n");
}

void bs_say_interrupted(const char *run, const char *folder, basin_error *err)
{
    bs_buf     text;
    const bool was_training = err && strncmp(err->msg, "interrupted in", 14) == 0;
    if (!err)
        return;
    bs_buf_init(&text, sizeof err->msg);
    bs_buf_printf(&text, "%s; ", was_training ? err->msg : "interrupted");
    bs_buf_visible(&text, run);
    bs_buf_text(&text, bs_path_there(run, BS_UNFINISHED_FILE)
                           ? " has the best model so far, for eval, predict, report and explain"
                           : " has no model yet");
    bs_buf_text(&text, "; to continue: basin train --resume -o ");
    bs_put_word(folder, &text);
    if (!text.failed)
        bs_fail(err, BASIN_EINTERRUPTED, "%s", text.data);
    bs_buf_free(&text);
}

/* Mean or standard deviation over seeds, metric by metric. */
static void spread(const bs_train_outcome *o, int n, size_t offset, bool deviation,
                   double out[BS_MOST_METRICS])
{
    double value[BS_MOST_SEEDS];
    for (int k = 0; k < BS_MOST_METRICS; k++) {
        for (int i = 0; i < n; i++)
            value[i] = ((const double *)(const void *)((const char *)&o[i] + offset))[k];
        out[k] = deviation ? bs_stats_sd(value, n) : bs_stats_mean(value, n);
    }
}

static const struct {
    const char *key;
    size_t      offset;
    bool        test, tuned;
} part[] = {{"valid", offsetof(bs_train_outcome, valid), false, false},
            {"test", offsetof(bs_train_outcome, test), true, false},
            {"valid_tuned", offsetof(bs_train_outcome, valid_tuned), false, true},
            {"test_tuned", offsetof(bs_train_outcome, test_tuned), true, true}};

void bs_spread_json(const bs_task *k, const char *key, const bs_train_outcome *o, int n,
                    bool deviation, bs_buf *out)
{
    double values[BS_MOST_METRICS];
    bs_json_open(out, key, '{');
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        if ((part[i].test && !o[0].has_test) || (part[i].tuned && !k->tunes))
            continue;
        spread(o, n, part[i].offset, deviation, values);
        bs_task_json(k, part[i].key, values, out);
    }
    bs_json_close(out, '}');
}

static void seeds_table(const bs_task *k, const bs_preprocess *known, const bs_train_outcome *o,
                        int n, bs_buf *out)
{
    double mean[BS_MOST_METRICS], sd[BS_MOST_METRICS];
    bs_buf_printf(out, "mean of %d seeds, +- standard deviation over seeds\n", n);
    bs_metric_header(k, out);
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        if ((part[i].test && !o[0].has_test) || (part[i].tuned && !k->tunes))
            continue;
        spread(o, n, part[i].offset, false, mean);
        spread(o, n, part[i].offset, true, sd);
        bs_metric_row(k, known, part[i].key, mean, sd[known->deciding], out);
    }
}

/* ---- runs ---- */

bs_train_job bs_train_job_on(const bs_data *data, const bs_train_job *job)
{
    bs_train_job out = *job;
    out.data = data;
    out.train = &data->part[0];
    out.valid = &data->part[1];
    out.test = bs_data_test(data);
    out.known = &data->known;
    return out;
}

static void say_begin(const bs_train_job *job)
{
    const bs_train_options *o = &job->settings->train;
    const bs_task          *k = job->train->task;
    bs_buf                  known;
    bs_buf_init(&known, 1 << 12);
    k->known_text(job->known, &known);
    bs_log_say(job->log, BS_INFO,
               "task %s, method %s, seed %d: %d %s to train, %d valid, %d test; %s", o->task,
               o->method, o->seed, (int)job->train->rows, k->unit, (int)job->valid->rows,
               job->test ? (int)job->test->rows : 0, known.data ? known.data : "");
    bs_buf_free(&known);
}

basin_status bs_train_or_take(const bs_train_job *job, bs_train_outcome *out, bool *trained,
                              basin_error *err)
{
    const bs_train_options *o = &job->settings->train;
    bool                    finished = false;
    basin_error             why;
    basin_status            status = BASIN_OK;
    if (job->folder && job->resume)
        status = bs_outcome_take(job->data, job->settings, job->folder, out, &finished, err);
    *trained = !status && !finished;
    if (finished)
        bs_log_say(job->log, BS_INFO, "%s: is already finished; nothing is left to do",
                   job->folder);
    if (!*trained)
        return status;
    if (o->folds > 1 || o->ensemble > 1) {
        status = bs_ensemble_train(job, out, err);
    } else {
        say_begin(job);
        status = bs_train(job, out, err);
    }
    /* no reason to fail when everything else is saved */
    if (!status && job->folder &&
        bs_outcome_write(job->data, job->settings, out, job->folder, &why))
        bs_log_say(job->log, BS_WARN, "outcome.json was not written: %s", why.msg);
    return status;
}

/* With several seeds each has its own folder. */
static bs_path seed_folder(const bs_train_request *o, int seed)
{
    bs_path own = {""};
    if (o->folder)
        bs_print(own.text, sizeof own.text, o->seeds > 1 ? "%s/seed-%d" : "%s", o->folder, seed);
    return own;
}

/* A finished model must not be lost because somebody forgot it was there. */
static basin_status spare_finished(const bs_train_request *o, int first, bs_logger *log,
                                   basin_error *err)
{
    for (int i = 0; i < o->seeds && !o->resume && !o->shared; i++) {
        const bs_path own = seed_folder(o, first + i);
        if (!bs_run_finished(own.text))
            continue;
        if (!o->force)
            return bs_fail(err, BASIN_EARG,
                           "%s: holds a finished run; --resume continues it, --force replaces it, "
                           "another -o keeps both",
                           own.text);
        bs_log_say(log, BS_INFO, "%s: replacing the finished run in it", own.text);
    }
    return BASIN_OK;
}

/* ---- seeds, here or divided among processes ---- */

typedef struct {
    bs_settings            *s;
    const bs_data          *data;
    const bs_base_model    *from;
    const bs_train_request *o;
    double                  begun; /* when the first seed started, including reading the data */
    const basin_session    *session;
    bs_logger              *log;
    bs_train_outcome       *outcome; /* [o->seeds] */
    int                     first;
    bool                    trained;
    basin_error             failure; /* of a seed, here or elsewhere */
    bs_share               *share;
} seeds_job;

static void seed_path(void *ctx, int item, char *path, size_t size)
{
    const seeds_job *j = ctx;
    bs_print(path, size, "%s", seed_folder(j->o, j->first + item).text);
}

static void say_seed(const seeds_job *j, int item, const char *where)
{
    const bs_preprocess *known = &j->data->known;
    bs_log_say(j->log, BS_INFO, "seed %d%s: best epoch %d, dev %s %.2f", j->first + item, where,
               j->outcome[item].best_epoch, known->task->metric[known->deciding].name,
               100 * j->outcome[item].valid[known->deciding]);
}

static basin_status seed_finished(void *ctx, int item, bool *yes, basin_error *err)
{
    seeds_job  *j = ctx;
    bs_settings s = *j->s;
    s.train.seed = j->first + item;
    basin_status status = bs_outcome_take(j->data, &s, seed_folder(j->o, s.train.seed).text,
                                          &j->outcome[item], yes, err);
    if (!status && *yes)
        say_seed(j, item, ", by another process");
    return status;
}

static void seed_failed(void *ctx, int item, const basin_error *why)
{
    seeds_job *j = ctx;
    (void)item;
    j->failure = j->failure.status ? j->failure : *why;
}

static void seeds_wait(void *ctx)
{
    const seeds_job *j = ctx;
    bs_log_say(j->log, BS_INFO, "the rest is trained by other processes: waiting for them");
}

static basin_status train_seed(seeds_job *j, int item, basin_error *err)
{
    const bs_train_request *o = j->o;
    const char             *folder = o->folder;
    const bs_path           own = seed_folder(o, j->first + item);
    bs_lock                *lock = NULL;
    bool                    anew = false;
    basin_status            status = BASIN_OK;
    j->s->train.seed = j->first + item;
    if (folder && o->seeds > 1 && !o->shared)
        status = bs_lock_take(own.text, &lock, err);
    const bs_train_job job =
        bs_train_job_on(j->data, &(bs_train_job){.settings = j->s,
                                                 .folder = folder ? own.text : NULL,
                                                 .resume = o->resume || o->shared,
                                                 .stop = j->session ? j->session->stop : NULL,
                                                 .lost = bs_share_lost(j->share, item),
                                                 .log = j->log,
                                                 .begun = item ? 0 : j->begun,
                                                 .from = j->from,
                                                 .model = o->model,
                                                 .so_far = true});
    if (!status)
        status = bs_train_or_take(&job, &j->outcome[item], &anew, err);
    j->trained |= anew;
    bs_lock_free(lock);
    if (status == BASIN_EINTERRUPTED && folder)
        bs_say_interrupted(own.text, folder, err);
    if (!status && o->seeds > 1)
        say_seed(j, item, "");
    return status;
}

static basin_status train_all_seeds(seeds_job *j, basin_error *err)
{
    const volatile int *stop = j->session ? j->session->stop : NULL;
    const bs_items      all = {.ctx = j,
                               .n = j->o->seeds,
                               .folder = seed_path,
                               .finished = seed_finished,
                               .failed = seed_failed,
                               .waits = seeds_wait,
                               .stop = j->o->shared ? stop : NULL};
    basin_status        s = bs_share_new(&all, j->o->shared, NULL, &j->share, err);
    while (!s && !j->failure.status) {
        const int i = bs_share_take(j->share);
        if (i < 0)
            break;
        s = train_seed(j, i, err);
        const bool lost = s == BASIN_EINTERRUPTED && !bs_stop_asked(stop) &&
                          bs_stop_asked(bs_share_lost(j->share, i));
        bs_share_leave(j->share, i, !s, lost ? NULL : err);
        s = lost ? BASIN_OK : s; /* somebody else trains it */
    }
    bs_share_free(j->share);
    if (!s && j->failure.status)
        s = bs_fail(err, j->failure.status, "%s", j->failure.msg);
    if (!s && bs_stop_asked(stop) && j->o->shared)
        s = bs_fail(err, BASIN_EINTERRUPTED, "interrupted; continue with --shared %s",
                    j->o->folder);
    return s;
}

static basin_status train_seeds(seeds_job *j, bs_buf *table, bs_buf *json, basin_error *err)
{
    const bs_train_request *o = j->o;
    const char             *folder = o->folder;
    const bs_data          *data = j->data;
    const bs_train_outcome *outcome = j->outcome;
    bs_settings            *s = j->s;
    const int               seeds = o->seeds;
    const bs_task          *k = data->part[0].task;
    basin_status            status = train_all_seeds(j, err);
    bs_json_open(json, NULL, '{');
    if (seeds > 1)
        bs_json_open(json, "runs", '[');
    for (int i = 0; i < seeds && !status; i++) {
        s->train.seed = j->first + i;
        if (seeds > 1)
            bs_json_open(json, NULL, '{');
        bs_outcome_members(k, s, &outcome[i], folder ? seed_folder(o, s->train.seed).text : NULL,
                           json);
        bs_json_close(json, '}');
        if (seeds == 1)
            bs_outcome_table(k, &data->known, &outcome[0], s->train.profile, table);
    }
    if (!status && seeds > 1) {
        bs_json_close(json, ']');
        bs_spread_json(k, "mean", outcome, seeds, false, json);
        bs_spread_json(k, "sd", outcome, seeds, true, json);
        bs_json_close(json, '}');
        seeds_table(k, &data->known, outcome, seeds, table);
    }
    if (!status && j->trained && folder) {
        const bool report = bs_train_report(o, s, data, j->session, j->log);
        if (seeds == 1)
            bs_say_written(folder, report, table);
        else if (report)
            bs_log_say(j->log, BS_INFO, "wrote %s/report.html", folder);
    }
    return status;
}

/* The folder is locked for this call before the data is read, which may take long. */
static basin_status train_some(const basin_config *c, const bs_train_request *o, bs_settings *s,
                               const basin_session *session, bs_logger *log, bs_buf *table,
                               bs_buf *json, basin_error *err)
{
    bs_data        data;
    bs_sources     files = c->files;
    char           names[BS_ROLES][BS_OPTION_TEXT];
    double         begun = bs_seconds();
    bs_base_model *from, *teacher = NULL;
    bs_config_files(&files, &s->train, names);
    bs_preset_remark(s, log);
    basin_status status =
        bs_base_model_find(s->train.from, s->train.encoder, "--from", s->train.task, &from, err);
    if (!status)
        status = bs_teacher_find(&s->train, s->train.task, &teacher, err);
    files.like = from ? &from->model->known : teacher ? &teacher->model->known : NULL;
    if (!status)
        status = bs_prepare(s, &files, log, &data, err);
    const bool prepared = !status;
    if (!status && teacher)
        status = bs_teacher_teach(teacher, s, &data, log, err);
    if (!status)
        s->train.folds = data.folds;
    if (!status && from)
        status = bs_base_model_fit(from, s, &data, log, err);
    bs_train_outcome *outcome = bs_calloc((size_t)o->seeds, sizeof *outcome);
    if (!status && !outcome)
        status = bs_fail_nomem(err);
    if (!status)
        status = train_seeds(&(seeds_job){.s = s,
                                          .data = &data,
                                          .from = from,
                                          .o = o,
                                          .begun = begun,
                                          .session = session,
                                          .log = log,
                                          .outcome = outcome,
                                          .first = s->train.seed},
                             table, json, err);
    for (int i = 0; outcome && i < o->seeds; i++)
        bs_threshold_free(&outcome[i].threshold);
    bs_free(outcome);
    if (prepared)
        bs_data_free(&data);
    bs_base_model_free(from);
    bs_base_model_free(teacher);
    return status;
}

static basin_status train_in(const basin_config *c, const bs_train_request *o, bs_settings *s,
                             const basin_session *session, bs_logger *log, basin_text *out,
                             basin_error *err)
{
    bs_buf       table, json;
    basin_status status = o->folder ? spare_finished(o, s->train.seed, log, err) : BASIN_OK;
    if (status)
        return status;
    bs_config_remark(c, log);
    bs_buf_init(&table, 1 << 24);
    bs_buf_init(&json, 1 << 28);
    status = bs_auto_wanted(c, o) ? bs_auto_train(c, o, session, log, &table, &json, err)
                                  : train_some(c, o, s, session, log, &table, &json, err);
    return bs_text_give(status, &table, &json, out, err);
}

static basin_status check_options(const bs_train_request *o, basin_error *err)
{
    if (o->seeds < 1 || o->seeds > BS_MOST_SEEDS)
        return bs_fail(err, BASIN_EARG, "--seeds: %d is not in 1..%d", o->seeds, BS_MOST_SEEDS);
    if (o->folder && strlen(o->folder) >= BS_OPTION_TEXT)
        return bs_fail(err, BASIN_EARG, "-o: the name of the run folder is too long");
    if (o->shared && o->seeds == 1)
        return bs_fail(err, BASIN_EARG,
                       "--shared: processes divide trainings with several seeds among themselves; "
                       "say how many by --seeds");
    if (o->resume && o->force)
        return bs_fail(err, BASIN_EARG,
                       "--resume continues a run and --force starts it again: use one of them");
    return BASIN_OK;
}

bool bs_train_report(const bs_train_request *o, const bs_settings *s, const bs_data *data,
                     const basin_session *session, bs_logger *log)
{
    const bool stopped = session && bs_stop_asked(session->stop); /* the model exists */
    return o->report && o->folder && s->train.report && !stopped &&
           o->report(o->folder, data, (bs_machine){s->train.device, s->train.threads}, log);
}

basin_status bs_train_requested(const basin_config *c, const bs_train_request *o,
                                const basin_session *session, basin_text *out, basin_error *err)
{
    basin_session own;
    bs_settings   s;
    bs_lock      *lock = NULL;
    basin_config  known = *c;
    basin_status  status = BS_TAKE(basin_session, session, &own, err);
    bs_logger     log = bs_session_log(&own);
    if (!status)
        status = check_options(o, err);
    if (!status)
        status = bs_config_resolve(c, NULL, &s, err);
    if (!status) /* files need not tell it again */
        bs_print(known.settings.train.task, BS_OPTION_TEXT, "%s", s.train.task);
    if (!status && s.train.seed > INT_MAX - o->seeds)
        status = bs_fail(err, BASIN_EARG, "seed: %d and %d more are beyond the largest seed",
                         s.train.seed, o->seeds - 1);
    if (!status && o->folder)
        status =
            o->shared ? bs_lock_share(o->folder, &lock, err) : bs_lock_take(o->folder, &lock, err);
    if (!status && o->shared)
        status = bs_run_together(o->folder, &s.train, &log, err);
    if (!status)
        status = train_in(&known, o, &s, &own, &log, out, err);
    bs_lock_free(lock);
    if (status)
        bs_input_forget(); /* if it failed before the data was read */
    return status;
}

/* The trained model, from its bytes or, if a finished run was found, from its folder. Of an
 * interrupted training there may be none. */
static basin_status take_model(const basin_config *c, const bs_train_request *o, basin_status s,
                               basin_model **out, basin_error *err)
{
    const bool  bytes = o->model->len > 0, none = s && !bytes && !bs_auto_wanted(c, o);
    basin_error own;
    err = s ? &own : err;
    if (none || (s && s != BASIN_EINTERRUPTED))
        return s;
    const basin_status taken =
        bytes ? bs_model_of(o->model->data, o->model->len, c->settings.train.encoder, out, err)
              : basin_model_load(o->folder, out, err);
    return s ? s : taken;
}

basin_status basin_train_with(const basin_config *c, const basin_train_options *options,
                              const basin_session *session, basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_train_options o;
    bs_buf              model;
    basin_status        s = bs_need_text(out, BS_ARGUMENTS({"config", c}), err);
    if (!s)
        s = BS_TAKE(basin_train_options, options, &o, err);
    if (s)
        return s;
    bs_buf_init(&model, PTRDIFF_MAX);
    bs_train_request with = {o.folder, o.seeds ? o.seeds : 1, o.resume, o.force, NULL, NULL, false};
    if (o.model) {
        with.model = &model;
        *o.model = NULL;
        if (with.seeds > 1)
            return bs_fail(err, BASIN_EARG, "model: %d seeds give as many models", with.seeds);
    }
    s = bs_train_requested(c, &with, session, out, err);
    if (o.model)
        s = take_model(c, &with, s, o.model, err);
    if (s)
        basin_text_free(out);
    bs_buf_free(&model);
    return s;
}

basin_status basin_train(const basin_config *c, const char *folder, int seeds, int resume,
                         const basin_session *session, basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    const bs_train_request o = {.folder = folder, .seeds = seeds, .resume = resume};
    basin_status           s = bs_need_text(out, BS_ARGUMENTS({"config", c}), err);
    return s ? s : bs_train_requested(c, &o, session, out, err);
}
