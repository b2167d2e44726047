/* auto.c -- tries candidates in turn, each as a run in a subfolder, and adopts the best. */
#include "api/training.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "task/weights.h"

enum { MOST = 16, REPLICATES = 1000 };

static const double usual_budget = 60; /* seconds */
/* An energy is chosen if such a difference would arise by chance no more often than this. */
static const double chance = 0.05;

typedef struct {
    const bs_candidate *is;
    bs_settings         settings;
    bs_path             folder;
    bs_train_outcome    outcome;
    bs_measurement      counts; /* on the rows that decide, at its threshold */
    bs_sampled          rows;   /* resampling source of these */
    bool                tried;
    double              p; /* compared with the best before it; NaN for the first */
} attempt;

typedef struct {
    const basin_config     *config;
    const bs_train_request *o;
    const basin_session    *session;
    bs_logger              *log;
    attempt                *a;
    int                     n, best;
    bs_data                 data;
    bool                    prepared;
    double                  spent, budget;
} searching;

bool bs_auto_wanted(const basin_config *c, const bs_train_request *o)
{
    return strcmp(c->settings.train.method, "auto") == 0 && !*c->settings.train.preset &&
           !*c->settings.train.from && !*c->settings.train.distil && o->folder && o->seeds == 1 &&
           c->files.n[BS_ROLE_UNLABELLED] == 0 && !*c->settings.train.rules_file;
}

/* ---- what is tried ---- */

static basin_status resolve_one(searching *s, const bs_candidate *is, basin_error *err)
{
    attempt     *a = &s->a[s->n];
    bs_buf       more;
    basin_status status;
    bs_buf_init(&more, 1 << 16);
    bs_buf_printf(&more, "folds=0 split.valid=0.1 split.test=0 %s", is->settings);
    status = more.failed
                 ? bs_fail_nomem(err)
                 : bs_config_resolve_with(s->config, is->method, more.data, &a->settings, err);
    bs_buf_free(&more);
    a->is = is;
    a->p = NAN;
    char name[64];
    bs_print(name, sizeof name, "try-%s", is->name);
    a->folder = bs_path_in(s->o->folder, name);
    s->n++;
    return status;
}

/* A method without weights would silently ignore them. */
static bool heeds(const searching *s, const bs_candidate *is, const bs_train_options *o)
{
    const bs_method *m = NULL;
    if (!bs_weights_wanted(o) || bs_method_find(is->method, o->task, &m, NULL) || !m->unweighed)
        return true;
    bs_log_say(s->log, BS_INFO, "%s is not tried: it has no cross-entropy of a net for weights",
               is->method);
    return false;
}

static basin_status resolve_all(searching *s, basin_error *err)
{
    bs_settings *plain = bs_alloc(sizeof *plain);
    basin_status status =
        plain ? bs_config_resolve(s->config, NULL, plain, err) : bs_fail_nomem(err);
    const bs_task *task = NULL;
    if (!status)
        status = bs_task_find(plain->train.task, &task, err);
    for (const bs_candidate *is = task ? task->candidates : NULL; is && is->name && !status; is++)
        if (heeds(s, is, &plain->train))
            status = resolve_one(s, is, err);
    bs_free(plain);
    return status;
}

/* Reads the data once, with the settings of the first candidate. */
static basin_status prepare(searching *s, basin_error *err)
{
    bs_settings *first = &s->a[0].settings;
    bs_sources   files = s->config->files;
    char         names[BS_ROLES][BS_OPTION_TEXT];
    bs_config_files(&files, &first->train, names);
    basin_status status = bs_prepare(first, &files, s->log, &s->data, err);
    s->prepared = !status;
    for (int i = 0; i < s->n && !status; i++) {
        bs_train_options *o = &s->a[i].settings.train;
        o->folds = s->data.folds;
        memmove(o->file_train, first->train.file_train, BS_OPTION_TEXT);
        memmove(o->file_valid, first->train.file_valid, BS_OPTION_TEXT);
        memmove(o->file_test, first->train.file_test, BS_OPTION_TEXT);
    }
    return status;
}

/* Lets 'basin train --resume -o RUN' continue the search after a stop. */
static basin_status write_config(const searching *s, basin_error *err)
{
    const bs_train_options *o = &s->a[0].settings.train;
    const bs_buf           *given = &s->config->given, *lines = &s->config->lines;
    bs_buf                  text;
    bs_buf_init(&text, 1 << 24);
    bs_buf_printf(&text, "# what is tried is in try-*; this is what was asked for\n%.*s",
                  (int)lines->len, lines->data ? lines->data : "");
    for (size_t at = 0; at < given->len;) {
        const char *key = given->data + at, *value = key + strlen(key) + 1;
        bs_buf_printf(&text, "%s = %s\n", key, value);
        at = (size_t)(value + strlen(value) + 1 - given->data);
    }
    bs_buf_printf(&text, "method = auto\nfile.train = %s\nfile.valid = %s\nfile.test = %s\n",
                  o->file_train, o->file_valid, o->file_test);
    basin_status status = bs_make_dir(s->o->folder, err);
    if (!status)
        return bs_path_write(s->o->folder, "config", &text, err);
    bs_buf_free(&text);
    return status;
}

/* Only a search can be resumed as one: it must not replace a finished run of one method. */
static basin_status check_folder(const searching *s, basin_error *err)
{
    if (!s->o->resume || access(s->a[0].folder.text, F_OK) == 0 || !bs_run_finished(s->o->folder))
        return BASIN_OK;
    return bs_fail(err, BASIN_EARG,
                   "%s: --resume: that run is of one method, and now none is named; --method names "
                   "it, or use another -o",
                   s->o->folder);
}

/* ---- trying ---- */

/* Scores the validation rows, or every row by models that have not seen it. */
static basin_status judge(searching *s, attempt *a, basin_error *err)
{
    const bs_dataset *part = &s->data.part[1];
    const bs_task    *task = part->task;
    bs_model_file    *m = NULL;
    bs_outputs        y = {0};
    double            seconds;
    bs_counting       how = {.want = UINT32_C(1) << s->data.known.deciding, .keep_rows = true};
    const bs_machine  where = {a->settings.train.device, a->settings.train.threads};
    basin_status      status = bs_profile_parse(a->settings.train.profile, &how.profile, err);
    if (!status)
        status = bs_model_file_read(bs_path_in(a->folder.text, BS_MODEL_FILE).text, NULL, &m, err);
    if (!status)
        status = task->outputs(part, &m->known, &y, err);
    if (!status && s->data.folds > 1)
        status = bs_ensemble_predict_folds(m, &s->data, where, &y, err);
    else if (!status)
        status = bs_model_predict(m, part, &(bs_asked){.where = where, .log = s->log}, &y, &seconds,
                                  err);
    if (!status)
        status = task->count(part, &m->known, &y, &m->threshold, &how, &a->counts, err);
    if (!status)
        status = task->sampled(&a->counts, &a->rows, err);
    bs_outputs_free(&y);
    bs_model_file_free(m);
    return status;
}

static double score_of(const searching *s, const attempt *a)
{
    const int    metric = s->data.known.deciding;
    const double value = a->outcome.valid_tuned[metric];
    return s->data.part[0].task->metric[metric].higher ? value : -value;
}

/* Whether it should replace the best so far. */
static basin_status compare(searching *s, attempt *a, bool *better, basin_error *err)
{
    const attempt *best = &s->a[s->best];
    bs_paired      all[BS_VALUES_MAX];
    basin_status   status = bs_paired_bootstrap(
          &best->rows, &a->rows, (uint64_t)a->settings.train.seed, REPLICATES, 0.95, all, err);
    a->p = all[s->data.known.deciding].p;
    *better = !status && score_of(s, a) > score_of(s, best) && (!a->is->energy || a->p < chance);
    return status;
}

static basin_status try_one(searching *s, int i, basin_error *err)
{
    attempt *a = &s->a[i];
    bool     trained, better = i == 0;
    double  *limit = &a->settings.train.time_limit; /* for all of them together */
    *limit = *limit > 0 ? fmax(*limit - s->spent, 0.01) : 0;
    bs_log_say(s->log, BS_INFO, "trying %s (%s), %d of %d; %.0f s so far", a->is->name,
               a->is->method, i + 1, s->n, s->spent);
    const bs_train_job job =
        bs_train_job_on(&s->data, &(bs_train_job){.settings = &a->settings,
                                                  .folder = a->folder.text,
                                                  .resume = s->o->resume,
                                                  .stop = s->session ? s->session->stop : NULL,
                                                  .log = s->log,
                                                  .so_far = true});
    basin_status status = bs_train_or_take(&job, &a->outcome, &trained, err);
    if (!status)
        status = judge(s, a, err);
    if (!status && i > 0)
        status = compare(s, a, &better, err);
    if (status)
        return status;
    a->tried = true;
    s->spent += a->outcome.seconds;
    s->best = better ? i : s->best;
    return BASIN_OK;
}

/* Estimates the next candidate's time from that of the first. */
static bool is_due(const searching *s, int i)
{
    const bs_train_options *o = &s->a[0].settings.train;
    if (i > 0 && o->time_limit > 0 && s->spent >= o->time_limit)
        return false;
    if (i == 0 || o->auto_trials > 0)
        return i == 0 || i < o->auto_trials;
    return s->spent + s->a[i].is->cost * s->a[0].outcome.seconds <= s->budget;
}

static void set_budget(searching *s)
{
    const bs_train_options *o = &s->a[0].settings.train;
    const double            first = s->data.part[0].task->time_factor * s->a[0].outcome.seconds;
    s->budget = o->auto_budget > 0 ? o->auto_budget : first > usual_budget ? first : usual_budget;
    if (o->auto_trials == 0)
        bs_log_say(s->log, BS_INFO, "budget: %.0f s for all attempts; --budget changes it",
                   s->budget);
}

static basin_status try_all(searching *s, basin_error *err)
{
    basin_status status = BASIN_OK;
    for (int i = 0; i < s->n && !status; i++) {
        if (is_due(s, i))
            status = try_one(s, i, err);
        if (!status && i == 0)
            set_budget(s);
    }
    return status;
}

/* ---- the one that is kept ---- */

/* From the best attempt to the folder of the search. */
static basin_status copy(const searching *s, const char *from, const char *to, basin_error *err)
{
    return bs_path_copy(s->a[s->best].folder.text, from, s->o->folder, to, err);
}

/* outcome.json comes last: a folder that has it is finished. */
static basin_status adopt(const searching *s, basin_error *err)
{
    static const char *const name[] = {"metrics.jsonl", "manifest.json", "config", BS_MODEL_FILE,
                                       "outcome.json"};
    basin_status             status = BASIN_OK;
    for (size_t i = 0; i < sizeof name / sizeof name[0] && !status; i++)
        status = copy(s, name[i], name[i], err);
    if (!status)
        unlink(bs_path_in(s->o->folder, BS_UNFINISHED_FILE).text);
    return status;
}

/* Interrupted: the best attempt so far, or the first one as far as it got. config stays that of the
 * search, which it resumes. */
static void leave_best(const searching *s)
{
    const attempt *best = &s->a[s->best];
    basin_error    err = {0};
    const char    *name = best->tried ? BS_MODEL_FILE : BS_UNFINISHED_FILE;
    if (!bs_path_there(best->folder.text, name))
        return;
    basin_status status = copy(s, "metrics.jsonl", "metrics.jsonl", &err);
    if (!status)
        status = copy(s, "manifest.json", "manifest.json", &err);
    if (!status)
        status = copy(s, name, BS_UNFINISHED_FILE, &err);
    if (status)
        bs_log_say(s->log, BS_WARN, "the best model so far was not written: %s", err.msg);
}

/* ---- what is told ---- */

static const char *reason_of(const searching *s, int i, char text[160])
{
    const attempt *a = &s->a[i];
    text[0] = '\0';
    if (!a->tried && s->a[0].settings.train.auto_trials > 0)
        bs_print(text, 160, "not tried: --trials reached");
    else if (!a->tried && s->a[0].settings.train.time_limit > 0)
        bs_print(text, 160, "not tried: --time-limit reached");
    else if (!a->tried)
        bs_print(text, 160, "not tried: would take about %.0f s",
                 a->is->cost * s->a[0].outcome.seconds);
    else if (i == s->best)
        bs_print(text, 160, "chosen");
    else if (a->is->energy && score_of(s, a) > score_of(s, &s->a[s->best]))
        bs_print(text, 160, "better, but not significantly (p %.2f)", a->p);
    return text;
}

static void put_table(const searching *s, bs_buf *out)
{
    const bs_task *task = s->data.part[0].task;
    const int      metric = s->data.known.deciding;
    char           text[160];
    bs_buf_printf(out, "%-10s %-16s %12s %9s\n", "tried", "method", task->metric[metric].name,
                  "seconds");
    for (int i = 0; i < s->n; i++) {
        const attempt *a = &s->a[i];
        char           score[32] = "-", seconds[32] = "-";
        if (a->tried) {
            bs_print(score, sizeof score, "%.2f", 100 * a->outcome.valid_tuned[metric]);
            bs_print(seconds, sizeof seconds, "%.1f", a->outcome.seconds);
        }
        bs_buf_printf(out, "%-10s %-16s %12s %9s  %s\n", a->is->name, a->is->method, score, seconds,
                      reason_of(s, i, text));
    }
    bs_buf_printf(out, "judged %s; repeat with: basin train --config ",
                  s->data.folds > 1 ? "out of fold" : "on validation data");
    bs_put_word(s->o->folder, out);
    bs_buf_text(out, "/config -o NEW\n\n");
}

/* The attempts and the outcome of the best. */
static void put_json(const searching *s, bs_buf *out)
{
    const attempt *best = &s->a[s->best];
    const int      metric = s->data.known.deciding;
    bs_json_open(out, NULL, '{');
    bs_json_open(out, "tried", '[');
    for (int i = 0; i < s->n; i++) {
        const attempt *a = &s->a[i];
        bs_json_open(out, NULL, '{');
        bs_json_members(out, "name %s method %s", a->is->name, a->is->method);
        bs_json_bool(out, "tried", a->tried);
        bs_json_members(out, "score %g seconds %g p %g",
                        a->tried ? a->outcome.valid_tuned[metric] : (double)NAN,
                        a->tried ? a->outcome.seconds : (double)NAN, a->p);
        bs_json_close(out, '}');
    }
    bs_json_close(out, ']');
    bs_json_text(out, "chosen", best->is->name);
    bs_outcome_members(s->data.part[0].task, &best->settings, &best->outcome, s->o->folder, out);
    bs_json_close(out, '}');
}

/* ---- all of it ---- */

static void search_free(searching *s)
{
    for (int i = 0; i < s->n; i++) {
        if (s->a[i].counts.task)
            s->a[i].counts.task->counts_free(&s->a[i].counts);
        bs_threshold_free(&s->a[i].outcome.threshold);
    }
    bs_free(s->a);
    if (s->prepared)
        bs_data_free(&s->data);
}

basin_status bs_auto_train(const basin_config *c, const bs_train_request *o,
                           const basin_session *session, bs_logger *log, bs_buf *table,
                           bs_buf *json, basin_error *err)
{
    searching    s = {.config = c, .o = o, .session = session, .log = log};
    basin_status status =
        (s.a = bs_calloc(MOST, sizeof *s.a)) ? resolve_all(&s, err) : bs_fail_nomem(err);
    if (!status)
        status = check_folder(&s, err);
    if (!status)
        status = prepare(&s, err);
    if (!status)
        status = write_config(&s, err);
    if (!status && !o->resume)
        unlink(bs_path_in(o->folder, BS_UNFINISHED_FILE).text);
    if (!status)
        status = try_all(&s, err);
    if (!status)
        status = adopt(&s, err);
    if (status == BASIN_EINTERRUPTED && s.prepared) {
        leave_best(&s);
        bs_say_interrupted(o->folder, o->folder, err);
    }
    if (!status) {
        const attempt *best = &s.a[s.best];
        put_table(&s, table);
        bs_outcome_table(s.data.part[0].task, &s.data.known, &best->outcome,
                         best->settings.train.profile, table);
        put_json(&s, json);
        const bool report = bs_train_report(o, &s.a[0].settings, &s.data, session, log);
        bs_say_written(o->folder, report, table);
    }
    search_free(&s);
    return status;
}
