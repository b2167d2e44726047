/* judge.c -- finds the rows of a run again, evaluates its models on them, and computes intervals
 * and the significance of differences between runs.
 *
 * Rows that a run split off itself are only identified by its seed and their hash. A model must
 * never be tested on rows that it was trained on, so data without the manifest's hash is not
 * used. */
#include <math.h>
#include <string.h>

#include "api/training.h"
#include "report/report.h"

static const double level = 0.95;
/* 1000 replicates up to 10,000 rows, then fewer, but at least 100 */
static const double row_replicates = 1e7;

/* ---- rows ---- */

/* Word vectors and sentences without tags are only used in training. */
static basin_status prepare(const bs_report_run *run, int seed, bs_data *out, basin_error *err)
{
    bs_settings *s = bs_alloc(sizeof *s), *usual = bs_alloc(sizeof *usual);
    bool         left_out;
    char(*names)[BS_OPTION_TEXT] = bs_calloc(BS_ROLES, BS_OPTION_TEXT);
    bs_sources   files = {0};
    bs_logger    quiet = bs_log_make(NULL, BS_QUIET);
    basin_status status = s && usual && names ? BASIN_OK : bs_fail_nomem(err);
    if (!status)
        status = bs_settings_default(usual, err);
    if (!status) {
        *s = run->settings;
        s->train.seed = seed;
        s->train.rules_file[0] = s->train.file_unlabelled[0] = '\0';
        s->words.vectors[0] = s->words.clusters[0] = '\0';
        status = bs_settings_from_elsewhere(s, usual, "config", &left_out, err);
    }
    if (!status) {
        bs_config_files(&files, &s->train, names);
        status = bs_prepare(s, &files, &quiet, out, err);
        if (!status && s->train.distil_folds > 1)
            status = bs_data_keep_folds(out, 1, err);
    }
    bs_free(names);
    bs_free(usual);
    bs_free(s);
    return status;
}

/* test if there is one, else valid. */
static int role_of(const bs_data *p)
{
    return p->part[BS_ROLE_TEST].task ? BS_ROLE_TEST : BS_ROLE_VALID;
}

static bool same_rows(const bs_report_run *run, const bs_data *p)
{
    const int role = role_of(p);
    return run->hash[role] == 0 || run->hash[role] == p->part[role].hash;
}

/* What came through a pipe cannot be read again. */
static bool from_pipe(const bs_train_options *o)
{
    return strcmp(o->file_train, "-") == 0 || strcmp(o->file_valid, "-") == 0 ||
           strcmp(o->file_test, "-") == 0;
}

static basin_status read_again(bs_report *r, bs_report_group *g, basin_error *err)
{
    const bs_report_run *run = &g->run[0];
    const int            seed = run->settings.train.seed, first = bs_report_first_seed(run);
    basin_error          why = {0};
    if (from_pipe(&run->settings.train)) {
        bs_notes_add(&r->left_out, "data",
                     "%s: its training data came from standard input and is gone", g->name);
        return BASIN_OK;
    }
    if (!(g->own = bs_calloc(1, sizeof *g->own)))
        return bs_fail_nomem(err);
    basin_status s = prepare(run, seed, g->own, &why);
    if (!s && !same_rows(run, g->own) && first != seed) {
        bs_data_free(g->own);
        s = prepare(run, first, g->own, &why);
    }
    if (!s) {
        g->data = g->own;
        return BASIN_OK;
    }
    bs_free(g->own);
    g->own = NULL;
    if (s == BASIN_ENOMEM)
        return bs_fail_nomem(err);
    bs_notes_add(&r->left_out, "data",
                 "%s: its training data cannot be read: %s (paths are as they were given to "
                 "'basin train')",
                 g->name, why.msg);
    return BASIN_OK;
}

static void say_changed(bs_report *r, const bs_report_group *g, const char *file)
{
    bs_notes_add(&r->left_out, "changed",
                 "%s: %s has changed since the training; scores are for its current content",
                 g->name, file);
}

/* Without the training data, the evaluated part alone may still exist. */
static basin_status read_part(bs_report *r, bs_report_group *g, basin_error *err)
{
    const bs_train_options *o = &g->run[0].settings.train;
    const int               role = *o->file_test ? BS_ROLE_TEST : BS_ROLE_VALID;
    const char             *from = *o->file_test ? o->file_test : o->file_valid;
    const bs_model_file    *model = g->run[g->shown].model;
    char                    text[BS_OPTION_TEXT];
    const char             *file[BS_MOST_FILES];
    basin_error             why = {0};
    bs_logger               quiet = bs_log_make(NULL, BS_QUIET);
    int                     n = 0;
    if (!*from || !model || strcmp(from, "-") == 0)
        return BASIN_OK;
    bs_print(text, sizeof text, "%s", from);
    for (char *at = text; at && *at && n < BS_MOST_FILES;) {
        file[n++] = at;
        at = strchr(at, '|');
        if (at)
            *at++ = '\0';
        if (bs_is_special(file[n - 1]))
            return BASIN_OK; /* that was reported, too */
    }
    basin_status s = bs_read_for(model, file, n, NULL, false, &quiet, &g->extra, &why);
    if (s == BASIN_ENOMEM)
        return bs_fail_nomem(err);
    if (s)
        return BASIN_OK; /* the missing data has been reported */
    g->part = &g->extra;
    g->part_name = bs_role_names[role];
    if (g->run[0].hash[role] != 0 && g->run[0].hash[role] != g->extra.hash)
        say_changed(r, g, from);
    return BASIN_OK;
}

static void choose_part(bs_report *r, bs_report_group *g)
{
    const bs_report_run *run = &g->run[0];
    const int            role = role_of(g->data);
    const char          *file =
        role == BS_ROLE_TEST ? run->settings.train.file_test : run->settings.train.file_valid;
    g->part_name = bs_role_names[role];
    if (same_rows(run, g->data)) {
        g->part = &g->data->part[role];
    } else if (*file) {
        g->part = &g->data->part[role];
        say_changed(r, g, file);
    } else {
        g->data = NULL;
        bs_notes_add(&r->left_out, "changed",
                     "%s: the %s part that was split off the training data cannot be found again: "
                     "the data has changed",
                     g->name, g->part_name);
    }
}

/* An unfinished model may consist of the trainings without the first few folds, which alone can
 * judge it. */
static basin_status drop_folds(bs_report_group *g, basin_error *err)
{
    const bs_model_file *m = g->run[g->shown].model;
    const int            n = m ? (1 + m->n_more) / m->settings.train.ensemble : 0;
    if (!g->data || g->data != g->own || !m || n >= g->own->folds)
        return BASIN_OK;
    return bs_data_keep_folds(g->own, n > 1 ? n : 1, err);
}

basin_status bs_report_data(bs_report *r, bs_report_group *g, const bs_data *given,
                            basin_error *err)
{
    basin_status s = BASIN_OK;
    while (g->shown < g->n - 1 && !g->run[g->shown].model)
        g->shown++;
    g->data = given;
    if (!given)
        s = read_again(r, g, err);
    if (!s && g->data) {
        choose_part(r, g);
        s = drop_folds(g, err);
    } else if (!s) {
        s = read_part(r, g, err);
    }
    return s;
}

/* ---- values ---- */

int bs_report_cuts(const bs_report_group *g)
{
    return g->task->tunes ? BS_CUTS : 1;
}

static basin_status count(const bs_report *r, const bs_report_group *g, bs_report_run *run,
                          basin_error *err)
{
    bs_profile_id profile = BS_PROFILE_SKLEARN;
    basin_status  s = bs_profile_parse(run->settings.train.profile, &profile, err);
    if (!s)
        s = bs_runset_count(g->part, &run->model->known, &run->y, &run->model->threshold, profile,
                            bs_report_cuts(g), r->n * g->n, run->counts, err);
    for (int i = 0; i < bs_report_cuts(g) && !s; i++)
        s = g->task->values(&run->counts[i], run->value[i], err);
    return s;
}

static basin_status predict(const bs_report *r, const bs_report_group *g, int i, basin_error *err)
{
    bs_report_run       *run = &g->run[i];
    const bs_model_file *m = run->model;
    double               seconds = 0;
    basin_status         s = g->task->outputs(g->part, &m->known, &run->y, err);
    if (!s)
        s = bs_model_predict(m, g->part, &(bs_asked){.warm = i == g->shown, .where = r->where},
                             &run->y, &seconds, err);
    if (!s && g->data && g->data->folds > 1 && g->part == &g->data->part[BS_ROLE_VALID])
        s = bs_ensemble_predict_folds(m, g->data, r->where, &run->y, err);
    run->predict_rows_per_s = seconds > 0 ? g->part->rows / seconds : (double)NAN;
    if (!s)
        s = count(r, g, run, err);
    if (i != g->shown)
        bs_outputs_free(&run->y);
    return s;
}

static basin_status gather(bs_report_group *g, basin_error *err)
{
    basin_status s = BASIN_OK;
    g->source = bs_calloc((size_t)g->n * BS_CUTS, sizeof *g->source);
    if (!g->source)
        return bs_fail_nomem(err);
    for (int cut = 0; cut < bs_report_cuts(g) && !s; cut++) {
        bs_sampled *part = g->source + cut * g->n;
        int         n = 0;
        for (int i = 0; i < g->n && !s; i++)
            if (g->run[i].model)
                s = g->task->sampled(&g->run[i].counts[cut], &part[n++], err);
        g->models = n;
        g->set[cut] = (bs_sampled_set){part, n};
        if (!s)
            s = bs_sampled_mean(&g->set[cut], &g->mean[cut], err);
    }
    return s;
}

static basin_status intervals(bs_report_group *g, basin_error *err)
{
    bs_interval    all[BS_VALUES_MAX];
    const uint64_t seed = (uint64_t)g->run[0].settings.train.seed;
    basin_status   s = BASIN_OK;
    const double   n = row_replicates / ((double)g->part->rows * g->models + 1);
    g->replicates = n < 100 ? 100 : n > 1000 ? 1000 : (int)n;
    for (int cut = 0; cut < bs_report_cuts(g) && !s; cut++) {
        s = bs_bootstrap(&g->mean[cut], seed, g->replicates, level, all, err);
        for (int i = 0; i < g->task->n_metrics && !s; i++) {
            const bs_metric *m = &g->task->metric[i];
            g->interval[cut][i] = all[i];
            g->interval[cut][i].lo = fmin(fmax(all[i].lo, m->least), m->greatest);
            g->interval[cut][i].hi = fmin(fmax(all[i].hi, m->least), m->greatest);
            if (isnan(all[i].value))
                g->interval[cut][i].lo = g->interval[cut][i].hi = NAN;
        }
    }
    return s;
}

int bs_report_deciding(const bs_report_group *g, int *cut)
{
    const bs_model_file *m = g->run[g->shown].model;
    const int            metric = m ? m->known.deciding : g->task->shown[0].metric;
    *cut = g->task->tunes && g->task->metric[metric].decided ? BS_AT_TUNED : BS_AT_HALF;
    return metric;
}

/* Outputs for validation rows, for choices made by looking: they may be those that are
 * evaluated. */
static basin_status predict_valid(const bs_report *r, bs_report_group *g, basin_error *err)
{
    const bs_report_run *run = &g->run[g->shown];
    double               seconds;
    if (!g->task->tunes || !g->data)
        return BASIN_OK;
    const bs_dataset *valid = &g->data->part[BS_ROLE_VALID];
    if (g->part == valid) {
        g->valid_scores = run->y.scores;
        return BASIN_OK;
    }
    basin_status s = g->task->outputs(valid, &run->model->known, &g->valid_y, err);
    if (!s && g->data->folds > 1)
        s = bs_ensemble_predict_folds(run->model, g->data, r->where, &g->valid_y, err);
    else if (!s)
        s = bs_model_predict(run->model, valid, &(bs_asked){.where = r->where}, &g->valid_y,
                             &seconds, err);
    g->valid_scores = s ? NULL : g->valid_y.scores;
    return s;
}

/* A part without truth, or one that a model cannot read, should not cost the whole report. */
basin_status bs_report_judge(bs_report *r, bs_report_group *g, basin_error *err)
{
    basin_error  why = {0};
    basin_status s = BASIN_OK;
    if (!g->part || !g->run[g->shown].model)
        return BASIN_OK;
    for (int i = 0; i < g->n && !s; i++)
        if (g->run[i].model)
            s = predict(r, g, i, &why);
    if (!s)
        s = gather(g, &why);
    if (!s)
        s = intervals(g, &why);
    if (!s)
        s = predict_valid(r, g, &why);
    g->judged = !s;
    if (s == BASIN_ENOMEM || s == BASIN_EINTERRUPTED)
        return bs_fail(err, s, "%s", why.msg);
    if (s)
        bs_notes_add(&r->left_out, "judge", "%s: %s", g->name, why.msg);
    return BASIN_OK;
}

void bs_report_spread(const bs_report_group *g, int cut, int metric, double *mean, double *sd)
{
    double value[BS_REPORT_SEEDS];
    int    n = 0;
    for (int i = 0; i < g->n; i++)
        if (g->run[i].model)
            value[n++] = g->run[i].value[cut][metric];
    bs_runset_spread(value, n, mean, sd);
}

double bs_report_card_mean(const bs_report_group *g, int part, int cut, int metric)
{
    double sum = 0;
    int    n = 0;
    for (int i = 0; i < g->n; i++)
        if (g->run[i].model) {
            sum += g->run[i].card[part][cut][metric];
            n++;
        }
    return n > 0 ? sum / n : (double)NAN;
}

/* ---- differences ---- */

/* Among groups on the rows of the first one. */
static basin_status find_winner(bs_report *r, basin_error *err)
{
    const bs_report_group *first = &r->group[0];
    int                    cut;
    const int              deciding = bs_report_deciding(first, &cut);
    bs_contender           one[BS_REPORT_RUNS];
    double                 sd;
    if (!first->judged)
        return BASIN_OK;
    for (int i = 0; i < r->n; i++) {
        const bs_report_group *g = &r->group[i];
        one[i] = (bs_contender){g->name, NAN, &g->set[cut]};
        if (g->judged && (i == 0 || g->compared))
            bs_report_spread(g, cut, deciding, &one[i].mean, &sd);
    }
    basin_status s = bs_runset_winner(one, r->n, first->part, deciding,
                                      strcmp(first->part_name, "test") == 0 ? "test" : "validation",
                                      (uint64_t)first->run[0].settings.train.seed,
                                      first->replicates, &r->winner, err);
    if (!r->winner.next) /* one run alone is no winner */
        r->winner.best = NULL;
    return s;
}

basin_status bs_report_compare(bs_report *r, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int i = 1; i < r->n && !s; i++) {
        bs_report_group *a = &r->group[0], *b = &r->group[i];
        if (!a->judged || !b->judged || a->part->hash != b->part->hash ||
            a->part->rows != b->part->rows || a->mean[0].values != b->mean[0].values) {
            if (a->judged && b->judged)
                bs_notes_add(&r->left_out, "rows",
                             "%s and %s are not tested against each other: they were evaluated on "
                             "different rows",
                             a->name, b->name);
            continue;
        }
        for (int cut = 0; cut < bs_report_cuts(a) && !s; cut++)
            s = bs_runset_test(&a->set[cut], &b->set[cut], (uint64_t)a->run[0].settings.train.seed,
                               a->replicates, &b->verdict[cut], err);
        b->compared = !s;
    }
    return s ? s : find_winner(r, err);
}
