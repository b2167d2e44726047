/* ensemble.c -- trains the members of an ensemble one after the other and joins their models;
 * out-of-fold outputs choose the threshold. */
#include "api/training.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Trained models in memory, and how they predict. */
typedef struct {
    bs_params         **params; /* [n]: the models of one fold are adjacent */
    int                 n, ensemble;
    int                 finished; /* the first so many */
    const bs_net_spec  *spec;
    const bs_inference *how;
} models;

/* ---- predicting ---- */

/* The mean of n models from `first` on. */
static basin_status predict(const models *m, int first, int n, bs_workspace *w,
                            const bs_preprocess *known, const bs_dataset *part, bs_outputs *out,
                            basin_error *err)
{
    bs_scorer   *scorer = NULL;
    basin_status s = bs_scorer_new(w, m->params[first], m->spec, m->how, &scorer, err);
    for (int i = 1; i < n && !s; i++)
        s = bs_scorer_join(scorer, w, m->params[first + i], err);
    if (!s)
        s = part->task->predict(scorer, m->spec, known, part, out, err);
    bs_scorer_free(scorer);
    return s;
}

static basin_status predict_fold(const models *m, int fold, bs_workspace *w, const bs_data *data,
                                 bs_outputs *all, basin_error *err)
{
    const bs_task *task = data->part[1].task;
    bs_dataset     valid;
    bs_outputs     some = {0};
    basin_status   s = bs_data_fold(data, fold, NULL, &valid, err);
    if (s)
        return s;
    s = task->outputs(&valid, &data->known, &some, err);
    if (!s)
        s = predict(m, fold * m->ensemble, m->ensemble, w, &data->known, &valid, &some, err);
    if (!s)
        task->place(&data->part[1], &data->known, data->fold_start[fold], valid.rows, &some, all);
    if (!s && some.on && !all->on)
        s = bs_fail_nomem(err);
    bs_outputs_free(&some);
    bs_dataset_free(&valid);
    return s;
}

/* Outputs for the rows that validate: out of fold, if there are folds. */
static basin_status predict_valid(const models *m, bs_workspace *w, const bs_data *data,
                                  bs_outputs *out, basin_error *err)
{
    basin_status s = BASIN_OK;
    if (data->folds <= 1)
        return predict(m, 0, m->n, w, &data->known, &data->part[1], out, err);
    for (int k = 0; k < data->folds && !s; k++)
        s = predict_fold(m, k, w, data, out, err);
    return s;
}

basin_status bs_ensemble_predict_folds(const bs_model_file *m, const bs_data *data,
                                       bs_machine where, bs_outputs *out, basin_error *err)
{
    const int     n = 1 + m->n_more;
    bs_inference  how;
    bs_workspace *w = NULL;
    models        all = {.params = bs_calloc((size_t)n, sizeof *all.params),
                         .n = n,
                         .ensemble = n / data->folds,
                         .spec = &m->spec,
                         .how = &how};
    basin_status  s =
        all.params ? bs_model_file_inference(m, NULL, false, &how, err) : bs_fail_nomem(err);
    if (!s)
        s = bs_task_decide(m->task, &m->settings.train, NULL, &how, err);
    if (!s && all.ensemble * data->folds != n)
        s = bs_fail(err, BASIN_EDATA, "%d models are not those of %d folds", n, data->folds);
    if (!s)
        s = bs_workspace_open(where, &w, err);
    if (!s) {
        all.params[0] = m->params;
        memcpy(all.params + 1, m->more, (size_t)m->n_more * sizeof *all.params);
        s = predict_valid(&all, w, data, out, err);
    }
    if (w)
        bs_workspace_close(w);
    bs_free(all.params);
    return s;
}

/* ---- training ---- */

/* Reads an existing training from its folder. */
static basin_status read_params(const char *folder, bs_params **out, const char **infer,
                                basin_error *err)
{
    bs_model_file *saved;
    basin_status s = bs_model_file_read(bs_path_in(folder, BS_MODEL_FILE).text, NULL, &saved, err);
    if (s)
        return s;
    *infer = strcmp(saved->settings.train.infer, "net") == 0 ? "net" : NULL;
    *out = saved->params;
    saved->params = NULL;
    bs_model_file_free(saved);
    return BASIN_OK;
}

static void say_trained(const bs_train_job *job, int i, const models *m, const bs_train_outcome *o)
{
    const int metric = job->known->deciding;
    char      fold[32] = "";
    if (job->data->folds > 1)
        bs_print(fold, sizeof fold, ", fold %d left out", i / m->ensemble + 1);
    bs_log_say(job->log, BS_INFO, "  model %d of %d%s: best epoch %d of %d, %s %.2f, %.1f s", i + 1,
               m->n, fold, o->best_epoch, o->epochs, job->train->task->metric[metric].name,
               100 * o->valid_tuned[metric], o->seconds);
}

/* The i-th training: without its fold, with its own seed and its share of the time. */
static basin_status train_model(const bs_train_job *job, int i, const models *m,
                                bs_train_outcome *out, bs_params **params, basin_error *err)
{
    char         folder[BS_OPTION_TEXT + 96];
    bs_settings *s = bs_alloc(sizeof *s);
    bs_dataset   part[2] = {{0}};
    bs_data      own = {.known = *job->known, .from_hash = job->data->from_hash};
    bs_logger    brief = *job->log; /* showing the epochs of every member would be too much */
    bool         trained;
    basin_status status = BASIN_OK;
    if (!s)
        return bs_fail_nomem(err);
    *s = *job->settings;
    s->train.folds = s->train.ensemble = 1;
    s->train.seed += i;
    s->train.time_limit /= m->n;
    memcpy(own.part, job->data->part, 2 * sizeof *own.part);
    if (job->data->folds > 1) {
        status = bs_data_fold(job->data, i / m->ensemble, &part[0], &part[1], err);
        memcpy(own.part, part, sizeof part);
    }
    bs_print(folder, sizeof folder, "%s/model-%d", job->folder ? job->folder : "", i);
    bs_train_job one = bs_train_job_on(&own, job);
    one.settings = s;
    one.folder = job->folder ? folder : NULL;
    one.log = &brief;
    one.begun = 0;
    one.from_model = i;
    one.model = NULL;
    one.keep = params;
    brief.level = brief.level == BS_INFO ? BS_WARN : brief.level;
    if (!status)
        status = bs_train_or_take(&one, out, &trained, err);
    if (!status)
        say_trained(job, i, m, out);
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

static basin_status train_models(const bs_train_job *job, models *m, bs_train_outcome *out,
                                 basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int i = 0; i < m->n && !s; i++) {
        bs_train_outcome one = {0};
        s = train_model(job, i, m, &one, &m->params[i], err);
        if (!s)
            m->finished++;
        if (!s || i == 0) /* only the first is of any use if it is interrupted */
            add_outcome(&one, m->n, out);
        bs_threshold_free(&one.threshold);
    }
    return s;
}

/* ---- what they come to ---- */

static basin_status outputs_of(const bs_train_job *job, const models *trained, const char *infer,
                               bs_outputs y[2], basin_error *err)
{
    const bs_train_options *o = &job->settings->train;
    const bs_task          *task = job->valid->task;
    bs_inference            how = bs_options_inference(o, infer ? infer : o->infer);
    bs_workspace           *w = NULL;
    bs_net_spec             spec;
    models                  m = *trained;
    how.log = job->log;
    m.spec = &spec;
    m.how = &how;
    basin_status s = task->spec(o, job->known, &spec, err);
    if (!s)
        s = bs_task_decide(task, o, NULL, &how, err);
    if (!s)
        s = task->outputs(job->valid, job->known, &y[0], err);
    if (!s && job->test)
        s = task->outputs(job->test, job->known, &y[1], err);
    if (!s)
        s = bs_workspace_open((bs_machine){o->device, o->threads}, &w, err);
    if (!s)
        s = predict_valid(&m, w, job->data, &y[0], err);
    if (!s && job->test)
        s = predict(&m, 0, m.n, w, job->known, job->test, &y[1], err);
    if (w)
        bs_workspace_close(w);
    return s;
}

static basin_status conclude(const bs_train_job *job, const models *m, bs_train_outcome *out,
                             basin_error *err)
{
    bs_outputs   y[2] = {{0}};
    basin_status s = outputs_of(job, m, out->infer, y, err);
    if (!s)
        s = bs_train_finish(job, &y[0], job->test ? &y[1] : NULL, out, err);
    for (int i = 0; i < 2; i++)
        bs_outputs_free(&y[i]);
    if (!s && job->folder) /* the page of the run shows the curves of the first model */
        s = bs_path_copy(job->folder, "model-0/metrics.jsonl", job->folder, "metrics.jsonl", err);
    if (!s && !out->unfinished)
        s = bs_record_manifest(job, m->n * m->params[0]->size, err);
    return s ? s : bs_train_finish_write(job, out, m->params, m->n, err);
}

/* The mean of the models that are finished, of whole folds if there is one; before any is, the
 * first one as far as it got. Of the folds, only rows of those that were left out are judged. */
static basin_status conclude_so_far(const bs_train_job *job, const models *m, bs_train_outcome *out,
                                    basin_error *err)
{
    const bs_data *data = job->data;
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
    bs_train_job so_far = bs_train_job_on(&own, job);
    so_far.log = &quiet;
    so_far.stop = NULL;
    out->unfinished = true;
    if (!s)
        s = conclude(&so_far, &some, out, err);
    for (int k = 0; k < 2; k++)
        bs_dataset_free(&part[k]);
    return s;
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

basin_status bs_ensemble_train(const bs_train_job *job, bs_train_outcome *out, basin_error *err)
{
    const bs_train_options *o = &job->settings->train;
    models                  m = {.n = o->folds * o->ensemble, .ensemble = o->ensemble};
    basin_error             why = {0};
    basin_status            s = check(o, m.n, err);
    memset(out, 0, sizeof *out);
    out->sure = NAN;
    if (!s && !(m.params = bs_calloc((size_t)m.n, sizeof *m.params)))
        s = bs_fail_nomem(err);
    if (!s)
        s = bs_record_start(job, 0, !job->resume, err);
    if (!s)
        s = train_models(job, &m, out, err);
    if (!s)
        s = conclude(job, &m, out, err);
    if (s == BASIN_EINTERRUPTED && job->so_far && m.params[0] &&
        conclude_so_far(job, &m, out, &why))
        bs_log_say(job->log, BS_WARN, "the best model so far was not written: %s", why.msg);
    for (int i = 0; i < m.n && m.params; i++)
        bs_params_free(m.params[i]);
    bs_free(m.params);
    return s;
}
