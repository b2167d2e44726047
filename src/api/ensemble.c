/* ensemble.c -- trains the members of an ensemble one after the other and joins their models;
 * out-of-fold outputs choose the threshold. */
#include "api/training.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"

/* ---- models in memory ---- */

typedef struct {
    bs_params **params; /* [n]: the models of one fold are adjacent */
    int         n, ensemble;
    int         finished; /* the first so many */
} models;

static void models_free(models *m)
{
    for (int i = 0; i < m->n && m->params; i++)
        bs_params_free(m->params[i]);
    bs_free(m->params);
}

static basin_status scorer_of(bs_params *const *params, int n, bs_workspace *w,
                              const bs_net_spec *spec, const bs_inference *how, bs_scorer **out,
                              basin_error *err)
{
    basin_status s = bs_scorer_new(w, params[0], spec, how, out, err);
    for (int i = 1; i < n && !s; i++)
        s = bs_scorer_join(*out, w, params[i], err);
    return s;
}

static basin_status predict(bs_params *const *params, int n, bs_workspace *w,
                            const bs_net_spec *spec, const bs_inference *how,
                            const bs_preprocess *known, const bs_dataset *part, bs_outputs *out,
                            basin_error *err)
{
    bs_scorer   *scorer = NULL;
    basin_status s = scorer_of(params, n, w, spec, how, &scorer, err);
    if (!s)
        s = part->task->predict(scorer, spec, known, part, out, err);
    bs_scorer_free(scorer);
    return s;
}

static basin_status predict_fold(bs_params *const *params, int fold, bs_workspace *w,
                                 const bs_net_spec *spec, const bs_inference *how,
                                 const bs_data *data, int ensemble, bs_outputs *all,
                                 basin_error *err)
{
    const bs_task *task = data->part[1].task;
    bs_dataset     valid;
    bs_outputs     some = {0};
    basin_status   s = bs_data_fold(data, fold, NULL, &valid, err);
    if (s)
        return s;
    s = task->outputs(&valid, &data->known, &some, err);
    if (!s)
        s = predict(params + fold * ensemble, ensemble, w, spec, how, &data->known, &valid, &some,
                    err);
    if (!s)
        task->place(&data->part[1], &data->known, data->fold_start[fold], valid.rows, &some, all);
    bs_outputs_free(&some);
    bs_dataset_free(&valid);
    return s;
}

static basin_status out_of_fold(bs_params *const *params, const bs_net_spec *spec,
                                const bs_inference *how, const bs_data *data, int ensemble,
                                bs_machine where, bs_outputs *out, basin_error *err)
{
    bs_workspace *w = NULL;
    basin_status  s = bs_workspace_open(where, &w, err);
    for (int k = 0; k < data->folds && !s; k++)
        s = predict_fold(params, k, w, spec, how, data, ensemble, out, err);
    if (w)
        bs_workspace_close(w);
    return s;
}

basin_status bs_ensemble_predict_folds(const bs_model_file *m, const bs_data *data,
                                       bs_machine where, bs_outputs *out, basin_error *err)
{
    const int    n = 1 + m->n_more, ensemble = n / data->folds;
    bs_inference how;
    bs_params  **all = bs_calloc((size_t)n, sizeof *all);
    basin_status s = all ? bs_model_file_inference(m, NULL, false, &how, err) : bs_fail_nomem(err);
    if (!s && ensemble * data->folds != n)
        s = bs_fail(err, BASIN_EDATA, "%d models are not those of %d folds", n, data->folds);
    if (!s) {
        all[0] = m->params;
        memcpy(all + 1, m->more, (size_t)m->n_more * sizeof *all);
        s = out_of_fold(all, &m->spec, &how, data, ensemble, where, out, err);
    }
    bs_free(all);
    return s;
}

/* ---- training ---- */

/* Reads an existing training from its folder. */
static basin_status read_params(const char *folder, bs_params **out, const char **infer,
                                basin_error *err)
{
    char           path[BS_OPTION_TEXT + 128];
    bs_model_file *saved;
    bs_print(path, sizeof path, "%s/" BS_MODEL_FILE, folder);
    basin_status s = bs_model_file_read(path, &saved, err);
    if (s)
        return s;
    *infer = strcmp(saved->settings.train.infer, "net") == 0 ? "net" : NULL;
    *out = saved->params;
    saved->params = NULL;
    bs_model_file_free(saved);
    return BASIN_OK;
}

static void say_trained(const bs_training *t, int i, const models *m, const bs_train_outcome *o)
{
    const bs_task *task = t->data->part[0].task;
    const int      metric = t->data->known.deciding;
    char           fold[32] = "";
    if (t->data->folds > 1)
        bs_print(fold, sizeof fold, ", fold %d left out", i / m->ensemble + 1);
    bs_log_say(t->log, BS_INFO, "  model %d of %d%s: best epoch %d of %d, %s %.2f, %.1f s", i + 1,
               m->n, fold, o->best_epoch, o->epochs, task->metric[metric].name,
               100 * o->valid_tuned[metric], o->seconds);
}

/* The i-th training: without its fold, with its own seed and its share of the time. */
static basin_status train_model(const bs_training *t, int i, const models *m, bs_train_outcome *out,
                                bs_params **params, basin_error *err)
{
    const bs_data *data = t->data;
    const int      fold = i / m->ensemble;
    char           folder[BS_OPTION_TEXT + 96];
    bs_settings   *s = bs_alloc(sizeof *s);
    bs_dataset     part[2] = {{0}};
    bool           trained;
    if (!s)
        return bs_fail_nomem(err);
    *s = *t->settings;
    s->train.folds = s->train.ensemble = 1;
    s->train.seed += i;
    s->train.time_limit /= m->n;
    bs_data own = {.known = data->known, .from_hash = data->from_hash};
    memcpy(own.part, data->part, 2 * sizeof *own.part);
    basin_status status = BASIN_OK;
    if (data->folds > 1) {
        status = bs_data_fold(data, fold, &part[0], &part[1], err);
        memcpy(own.part, part, sizeof part);
    }
    bs_print(folder, sizeof folder, "%s/model-%d", t->folder ? t->folder : "", i);
    bs_logger   brief = *t->log; /* showing the epochs of every member would be too much */
    bs_training one = *t;
    one.settings = s;
    one.data = &own;
    one.folder = t->folder ? folder : NULL;
    one.log = &brief;
    one.begun = 0;
    one.from_model = i;
    one.model = NULL;
    brief.level = brief.level == BS_INFO ? BS_WARN : brief.level;
    if (!status)
        status = bs_train_or_take(&one, out, params, &trained, err);
    if (!status)
        say_trained(t, i, m, out);
    if (!status && !trained)
        status = read_params(folder, params, &out->infer, err);
    for (int k = 0; k < 2; k++)
        bs_dataset_free(&part[k]);
    bs_free(s);
    return status;
}

/* Times and sizes add up; epochs are those of the longest. */
static void add_outcome(const bs_train_outcome *one, int n, bs_train_outcome *all)
{
    all->seconds += one->seconds;
    all->rows_per_s += one->rows_per_s / n;
    all->params_net += one->params_net;
    all->params_energy += one->params_energy;
    all->infer = one->infer ? one->infer : all->infer; /* if one does, all use their nets */
    all->ended = one->ended > all->ended ? one->ended : all->ended;
    all->epochs = one->epochs > all->epochs ? one->epochs : all->epochs;
    all->best_epoch = one->best_epoch > all->best_epoch ? one->best_epoch : all->best_epoch;
}

static basin_status train_models(const bs_training *t, models *m, bs_train_outcome *out,
                                 basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int i = 0; i < m->n && !s; i++) {
        bs_train_outcome one = {0};
        s = train_model(t, i, m, &one, &m->params[i], err);
        if (!s)
            m->finished++;
        if (!s || i == 0) /* only the first is of any use if it is interrupted */
            add_outcome(&one, m->n, out);
        bs_threshold_free(&one.threshold);
    }
    return s;
}

/* ---- what they come to ---- */

static basin_status outputs_of(const bs_training *t, const models *m, const char *infer,
                               bs_outputs y[2], basin_error *err)
{
    const bs_data          *data = t->data;
    const bs_train_options *o = &t->settings->train;
    const bs_dataset       *valid = &data->part[1], *test = bs_data_test(data);
    bs_inference            how = bs_options_inference(o, infer ? infer : o->infer);
    bs_workspace           *w = NULL;
    bs_net_spec             spec;
    how.log = t->log;
    basin_status s = valid->task->spec(o, &data->known, &spec, err);
    if (!s)
        s = valid->task->outputs(valid, &data->known, &y[0], err);
    if (!s && data->folds > 1)
        s = out_of_fold(m->params, &spec, &how, data, m->ensemble,
                        (bs_machine){o->device, o->threads}, &y[0], err);
    if (!s)
        s = bs_workspace_open((bs_machine){o->device, o->threads}, &w, err);
    if (!s && data->folds <= 1)
        s = predict(m->params, m->n, w, &spec, &how, &data->known, valid, &y[0], err);
    if (!s && test)
        s = valid->task->outputs(test, &data->known, &y[1], err);
    if (!s && test)
        s = predict(m->params, m->n, w, &spec, &how, &data->known, test, &y[1], err);
    if (w)
        bs_workspace_close(w);
    return s;
}

static basin_status conclude(const bs_training *t, const models *m, bs_train_outcome *out,
                             basin_error *err)
{
    const bs_train_job job = bs_training_job(t);
    bs_outputs         y[2] = {{0}};
    basin_status       s = outputs_of(t, m, out->infer, y, err);
    if (!s)
        s = bs_train_finish(&job, &y[0], job.test ? &y[1] : NULL, out, err);
    for (int i = 0; i < 2; i++)
        bs_outputs_free(&y[i]);
    if (!s && job.folder) { /* the page of the run shows the curves of the first model */
        char first[BS_OPTION_TEXT + 96];
        bs_print(first, sizeof first, "%s/model-0", job.folder);
        s = bs_run_copy(first, "metrics.jsonl", job.folder, "metrics.jsonl", err);
    }
    if (!s && !out->unfinished)
        s = bs_record_manifest(&job, m->n * m->params[0]->size, err);
    return s ? s : bs_train_finish_write(&job, out, m->params, m->n, err);
}

/* The mean of the models that are finished, of whole folds if there is one; before any is, the
 * first one as far as it got. Of the folds, only rows of those that were left out are judged. */
static basin_status conclude_so_far(const bs_training *t, const models *m, bs_train_outcome *out,
                                    basin_error *err)
{
    const bs_data *data = t->data;
    const int      folds = m->finished / m->ensemble;
    models         some = {.params = m->params, .n = m->finished, .ensemble = m->ensemble};
    bs_logger      quiet = bs_log_make(NULL, BS_QUIET); /* is not asked to stop */
    bs_data        own = {.known = data->known, .from_hash = data->from_hash, .folds = 1};
    bs_dataset     part[2] = {{0}};
    basin_status   s = BASIN_OK;
    memcpy(own.part, data->part, 2 * sizeof *own.part);
    if (data->folds > 1) {
        own.folds = folds > 1 ? folds : 1;
        some.n = folds > 0 ? folds * m->ensemble : some.n;
        memcpy(own.fold_start, data->fold_start, sizeof own.fold_start);
        s = bs_data_first_folds(data, own.folds, &part[0], &part[1], err);
        memcpy(own.part, part, sizeof part);
    }
    some.n = some.n > 0 ? some.n : 1;
    bs_training so_far = *t;
    so_far.data = &own;
    so_far.log = &quiet;
    so_far.session = NULL;
    out->unfinished = true;
    if (!s)
        s = conclude(&so_far, &some, out, err);
    for (int k = 0; k < 2; k++)
        bs_dataset_free(&part[k]);
    return s;
}

static void leave_best(const bs_training *t, const models *m, bs_train_outcome *out)
{
    basin_error err = {0};
    if (m->params && m->params[0] && conclude_so_far(t, m, out, &err))
        bs_log_say(t->log, BS_WARN, "the best model so far was not written: %s", err.msg);
}

static basin_status check(const bs_train_options *o, int n, basin_error *err)
{
    if (n > BS_MOST_MODELS)
        return bs_fail(err, BASIN_EARG, "folds times ensemble is %d; at most %d models are one", n,
                       (int)BS_MOST_MODELS);
    if (o->seed > INT_MAX - n)
        return bs_fail(err, BASIN_EARG, "seed: %d and %d more are beyond the largest seed", o->seed,
                       n - 1);
    return BASIN_OK;
}

basin_status bs_ensemble_train(const bs_training *t, bs_train_outcome *out, basin_error *err)
{
    const bs_train_options *o = &t->settings->train;
    const bs_train_job      job = bs_training_job(t);
    models                  m = {.n = o->folds * o->ensemble, .ensemble = o->ensemble};
    basin_status            s = check(o, m.n, err);
    memset(out, 0, sizeof *out);
    out->sure = NAN;
    if (!s && !(m.params = bs_calloc((size_t)m.n, sizeof *m.params)))
        s = bs_fail_nomem(err);
    if (!s)
        s = bs_record_start(&job, 0, !t->resume, err);
    if (!s)
        s = train_models(t, &m, out, err);
    if (!s)
        s = conclude(t, &m, out, err);
    if (s == BASIN_EINTERRUPTED && t->so_far)
        leave_best(t, &m, out);
    models_free(&m);
    return s;
}
