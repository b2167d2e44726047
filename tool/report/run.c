/* run.c -- what a run folder holds: config, manifest.json, metrics.jsonl, outcome.json and the
 * model. Missing or broken files are reported and left out; a folder without config and
 * metrics.jsonl is not a run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/report.h"
#include "base/io.h"
#include "base/tree.h"

enum { PATH = BS_OPTION_TEXT + 128 };

static bool exists(const char *folder, const char *name)
{
    char path[PATH];
    bs_print(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static char *keep(bs_report *r, const char *text)
{
    return bs_arena_copy(&r->arena, text, strlen(text));
}

/* NULL if there is no such file, or not a valid one. */
static basin_status read_json(const char *folder, const char *name, json_t **out, basin_error *err)
{
    char   path[PATH];
    bs_buf text;
    *out = NULL;
    bs_print(path, sizeof path, "%s/%s", folder, name);
    if (access(path, F_OK) != 0)
        return BASIN_OK;
    bs_buf_init(&text, 1 << 24);
    const basin_status s = bs_read_file(path, &text, NULL);
    if (!s)
        *out = bs_tree_read(text.data ? text.data : "", text.len, 0, NULL);
    bs_buf_free(&text);
    return s == BASIN_ENOMEM ? bs_fail_nomem(err) : BASIN_OK;
}

/* ---- the other files ---- */

static basin_status read_manifest(bs_report *r, bs_report_run *run, basin_error *err)
{
    static const char *const part[] = {"train", "valid", "test"};
    json_t                  *o;
    basin_status             s = read_json(run->folder, "manifest.json", &o, err);
    const json_t            *m = json_object_get(o, "machine");
    for (int i = 0; i < 3; i++) {
        const char *hash = json_string_value(json_object_get(json_object_get(o, part[i]), "hash"));
        run->hash[i] = hash ? strtoull(hash, NULL, 16) : 0;
    }
    run->peak_bytes = bs_tree_number(json_object_get(o, "memory"), "peak");
    const char *system = json_string_value(json_object_get(m, "system"));
    const char *hardware = json_string_value(json_object_get(m, "hardware"));
    if (system && hardware) {
        char text[256];
        bs_print(text, sizeof text, "%.60s %.60s, %.0f cores, %.0f threads", system, hardware,
                 bs_tree_number(m, "cores"), bs_tree_number(m, "threads"));
        if (!(run->machine = keep(r, text)))
            s = bs_fail_nomem(err);
    }
    json_decref(o);
    return s;
}

static basin_status read_outcome(bs_report_run *run, basin_error *err)
{
    json_t            *o;
    const basin_status s = read_json(run->folder, "outcome.json", &o, err);
    const json_t      *t = json_object_get(o, "outcome");
    run->seconds = bs_tree_number(t, "seconds");
    run->rows_per_s = bs_tree_number(t, "train_rows_per_s");
    run->epochs = bs_tree_number(t, "epochs");
    run->params_net = bs_tree_number(t, "params_net");
    run->params_energy = bs_tree_number(t, "params_energy");
    if (isnan(run->seconds))
        run->seconds = run->history.seconds;
    json_decref(o);
    return s;
}

/* The best epoch, and the scores at the end of training. */
static void read_card(bs_report_run *run)
{
    static const char *const key[2][BS_CUTS] = {{"valid", "valid_tuned"}, {"test", "test_tuned"}};
    const bs_task           *k = run->model ? run->model->task : NULL;
    json_t *card = k ? bs_tree_read(run->model->card, strlen(run->model->card), 0, NULL) : NULL;
    const double best = bs_tree_number(card, "best_epoch");
    run->history.best = best >= 1 && best < 1e9 ? (int)best : 0;
    for (int i = 0; i < 2 * BS_CUTS * BS_MOST_METRICS; i++) {
        const int     part = i / BS_MOST_METRICS / BS_CUTS, cut = i / BS_MOST_METRICS % BS_CUTS;
        const int     m = i % BS_MOST_METRICS;
        const json_t *o = json_object_get(card, key[part][k && k->tunes ? cut : 0]);
        run->card[part][cut][m] =
            k && m < k->n_metrics ? bs_tree_number(o, k->metric[m].name) : (double)NAN;
    }
    json_decref(card);
}

static basin_status read_model(bs_report *r, bs_report_run *run, basin_error *err)
{
    char        path[PATH];
    struct stat st;
    basin_error why = {0};
    run->model_bytes = NAN;
    const bool unfinished =
        exists(run->folder, BS_UNFINISHED_FILE) || !exists(run->folder, BS_MODEL_FILE);
    bs_print(path, sizeof path, "%s/%s", run->folder,
             unfinished ? BS_UNFINISHED_FILE : BS_MODEL_FILE);
    if (stat(path, &st) != 0) {
        bs_notes_add(&r->left_out, "model",
                     "%s: the training is not finished: there is no model to evaluate, only what "
                     "was logged so far",
                     run->folder);
        return BASIN_OK;
    }
    if (unfinished)
        bs_notes_add(&r->left_out, "model",
                     "%s: the training is not finished: this is the best model so far",
                     run->folder);
    run->model_bytes = (double)st.st_size;
    basin_status s = bs_model_file_read(path, r->encoder, &run->model, &why);
    if (s == BASIN_ENOMEM)
        return bs_fail_nomem(err);
    if (s)
        bs_notes_add(&r->left_out, "model", "%s", why.msg);
    return BASIN_OK;
}

/* The config of a search for a method only says what was asked for; its model knows the rest, apart
 * from paths. An encoder that is not inside may have moved since. */
static void settle(bs_report_run *run)
{
    bs_train_options *asked = &run->settings.train;
    if (run->model && *run->model->settings.train.encoder)
        memcpy(asked->encoder, run->model->settings.train.encoder, sizeof asked->encoder);
    if (!run->model || strcmp(asked->method, "auto") != 0)
        return;
    bs_train_options *o = &run->model->settings.train;
    memcpy(o->file_train, asked->file_train, sizeof o->file_train);
    memcpy(o->file_valid, asked->file_valid, sizeof o->file_valid);
    memcpy(o->file_test, asked->file_test, sizeof o->file_test);
    run->settings = run->model->settings;
}

/* ---- folders ---- */

static basin_status read_config(bs_report_run *run, basin_error *err)
{
    char   path[PATH];
    bs_buf text;
    bs_print(path, sizeof path, "%s/config", run->folder);
    bs_buf_init(&text, 1 << 24);
    basin_status s = bs_settings_default(&run->settings, err);
    if (!s)
        s = bs_read_file(path, &text, err);
    if (!s)
        s = bs_settings_config(&run->settings, text.data ? text.data : "", text.len, path, err);
    bs_buf_free(&text);
    return s;
}

static basin_status read_run(bs_report *r, const char *folder, bs_report_run *run, basin_error *err)
{
    bs_print(run->folder, sizeof run->folder, "%s", folder);
    basin_status s = read_config(run, err);
    if (!s && exists(folder, "metrics.jsonl"))
        s = bs_history_read(&r->arena, folder, &run->history, err);
    if (!s && run->history.n == 0)
        s = bs_fail(err, BASIN_EDATA, "%s: no epoch of this training is finished yet", folder);
    if (!s)
        s = read_model(r, run, err);
    if (!s)
        settle(run);
    if (!s)
        s = read_manifest(r, run, err);
    if (!s)
        s = read_outcome(run, err);
    if (!s)
        read_card(run);
    return s;
}

int bs_report_first_seed(const bs_report_run *run)
{
    int  seed[BS_REPORT_SEEDS];
    char parent[PATH];
    bs_print(parent, sizeof parent, "%s/..", run->folder);
    return bs_find_seeds(parent, "config", seed, BS_REPORT_SEEDS) > 0 ? seed[0]
                                                                      : run->settings.train.seed;
}

/* "runs/bibtex/" and "bibtex" are the same run to people. */
static const char *name_of(bs_report *r, const char *folder)
{
    char   text[BS_OPTION_TEXT];
    size_t n = (size_t)bs_print(text, sizeof text, "%s", folder);
    n = n < sizeof text ? n : sizeof text - 1;
    while (n > 1 && text[n - 1] == '/')
        text[--n] = '\0';
    return keep(r, strncmp(text, "runs/", 5) == 0 && text[5] ? text + 5 : text);
}

static basin_status read_seeds(bs_report *r, const char *folder, const int *seed,
                               bs_report_group *g, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int i = 0; i < g->n && !s; i++) {
        char own[BS_OPTION_TEXT + 64];
        bs_print(own, sizeof own, "%s/seed-%d", folder, seed[i]);
        s = read_run(r, own, &g->run[i], err);
        if (!s && strcmp(g->run[i].settings.train.task, g->run[0].settings.train.task) != 0)
            s = bs_fail(err, BASIN_EDATA, "%s: is of another task than its neighbours", own);
    }
    return s;
}

basin_status bs_report_open(bs_report *r, const char *folder, basin_error *err)
{
    int         seed[BS_REPORT_SEEDS];
    struct stat st;
    if (strlen(folder) >= BS_OPTION_TEXT)
        return bs_fail(err, BASIN_EARG, "the name of the run folder is too long");
    if (r->n == BS_REPORT_RUNS)
        return bs_fail(err, BASIN_EARG, "more than %d runs in one report", BS_REPORT_RUNS);
    if (stat(folder, &st) != 0)
        return bs_fail(err, BASIN_EIO, "%s: no such folder; RUN is what 'basin train -o' made",
                       folder);
    const bool single = exists(folder, "config");
    const int  n = single ? 1 : bs_find_seeds(folder, "config", seed, BS_REPORT_SEEDS);
    if (n == 0)
        return bs_fail(err, BASIN_EDATA,
                       "%s: is not a run: it holds neither config nor seed-N; RUN is what "
                       "'basin train -o' made",
                       folder);
    bs_report_group *g = &r->group[r->n++];
    g->run = bs_calloc((size_t)n, sizeof *g->run);
    g->name = name_of(r, folder);
    if (!g->run || !g->name)
        return bs_fail_nomem(err);
    g->n = n;
    basin_status s =
        single ? read_run(r, folder, &g->run[0], err) : read_seeds(r, folder, seed, g, err);
    if (!s)
        s = bs_task_find(g->run[0].settings.train.task, &g->task, err);
    if (!s && g->task != r->group[0].task)
        s = bs_fail(err, BASIN_EARG,
                    "%s is of task %s, but %s of task %s: they have no common "
                    "report",
                    folder, g->run[0].settings.train.task, r->group[0].name,
                    r->group[0].run[0].settings.train.task);
    return s;
}

void bs_report_run_free(bs_report_run *run)
{
    for (int cut = 0; cut < BS_CUTS; cut++)
        if (run->counts[cut].task)
            run->counts[cut].task->counts_free(&run->counts[cut]);
    bs_outputs_free(&run->y);
    bs_model_file_free(run->model);
}
