/* judge.c -- the trained models on the same rows, and the significance of differences.
 *
 * The value of a method is the mean over its seeds. A bootstrap replicate draws rows, the same for
 * all seeds of both methods, and separately the seeds of each, so its p is about other rows and
 * other trainings. Randomisation swaps rows in all seeds at once: it is about other rows for these
 * very trainings. */
#include <math.h>
#include <string.h>

#include "api/training.h"
#include "compare/compare.h"
#include "base/threads.h"

/* ---- values ---- */

const double *bs_compare_values(const bs_comparison *c, int method, int seed, int cut)
{
    const bs_train_outcome *o = &c->outcome[method * c->seeds + seed];
    if (c->on_test)
        return cut == BS_AT_HALF ? o->test : o->test_tuned;
    return cut == BS_AT_HALF ? o->valid : o->valid_tuned;
}

void bs_compare_spread(const bs_comparison *c, int method, int cut, double *mean, double *sd)
{
    double value[BS_MOST_SEEDS];
    for (int k = 0; k < c->seeds; k++)
        value[k] = bs_compare_values(c, method, k, cut)[c->metric];
    bs_runset_spread(value, c->seeds, mean, sd);
}

bs_effort bs_compare_effort(const bs_comparison *c, int method)
{
    bs_effort e = {0};
    for (int k = 0; k < c->seeds; k++) {
        const int at = method * c->seeds + k;
        e.epochs += (double)c->outcome[at].epochs / c->seeds;
        e.seconds += c->outcome[at].seconds / c->seeds;
        e.train_rows_per_s += c->outcome[at].rows_per_s / c->seeds;
        e.predict_rows_per_s += c->run[at].predict_rows_per_s / c->seeds;
    }
    return e;
}

/* ---- what each row contributes ---- */

/* Loads the best model of a run and predicts the rows with it, using all threads. */
static basin_status predict(const bs_comparison *c, bs_compare_run *r, bs_outputs *y,
                            basin_error *err)
{
    char           path[BS_OPTION_TEXT + 96];
    bs_model_file *model;
    double         seconds = 0;
    bs_print(path, sizeof path, "%s/best.safetensors", r->folder);
    basin_status s = bs_model_file_read(path, NULL, &model, err);
    if (s)
        return s;
    bs_buf mine, theirs;
    bs_buf_init(&mine, 1 << 12);
    bs_buf_init(&theirs, 1 << 12);
    c->rows->task->known_text(&c->data.known, &mine);
    model->task->known_text(&model->known, &theirs);
    if (mine.failed || theirs.failed)
        s = bs_fail_nomem(err);
    else if (strcmp(mine.data, theirs.data) != 0)
        s = bs_fail(err, BASIN_EDATA, "%s: is not the model of this comparison", path);
    if (!s)
        s = bs_model_predict(model, c->rows, &(bs_asked){.warm = true, .where = c->where}, y,
                             &seconds, err);
    r->predict_rows_per_s = seconds > 0 ? c->rows->rows / seconds : 0;
    if (!s && c->data.folds > 1 && !c->on_test) /* the whole model was only timed */
        s = bs_ensemble_predict_folds(model, &c->data, c->where, y, err);
    if (!s)
        s = bs_runset_count(c->rows, &c->data.known, y, &model->threshold, c->profile, BS_CUTS,
                            c->n * c->seeds, r->counts, err);
    bs_buf_free(&mine);
    bs_buf_free(&theirs);
    bs_model_file_free(model);
    return s;
}

static basin_status predict_all(bs_comparison *c, basin_error *err)
{
    bs_outputs   y = {0};
    basin_status s = c->rows->task->outputs(c->rows, &c->data.known, &y, err);
    for (int i = 0; i < c->n * c->seeds && !s; i++) {
        if (c->method[i / c->seeds].failure)
            continue;
        s = predict(c, &c->run[i], &y, err);
        if (!s && bs_stop_asked(c->stop))
            s = bs_fail(err, BASIN_EINTERRUPTED,
                        "interrupted after all runs were finished; continue with --resume -o %s",
                        c->o->folder);
    }
    bs_outputs_free(&y);
    return s;
}

/* ---- differences ---- */

typedef struct {
    bs_sampled    *part; /* [n, cuts, seeds] */
    bs_sampled_set set[BS_COMPARE_METHODS][BS_CUTS];
} sources;

static basin_status gather(const bs_comparison *c, sources *all, basin_error *err)
{
    basin_status s = BASIN_OK;
    all->part = bs_calloc((size_t)(c->n * c->seeds) * BS_CUTS, sizeof *all->part);
    if (!all->part)
        return bs_fail_nomem(err);
    for (int i = 0; i < c->n * BS_CUTS && !s; i++) {
        const int   method = i / BS_CUTS, cut = i % BS_CUTS;
        bs_sampled *part = all->part + (size_t)(i * c->seeds);
        if (c->method[method].failure)
            continue;
        for (int k = 0; k < c->seeds && !s; k++)
            s = c->rows->task->sampled(&c->run[method * c->seeds + k].counts[cut], &part[k], err);
        all->set[method][cut] = (bs_sampled_set){part, c->seeds};
    }
    return s;
}

void bs_compare_best(const bs_comparison *c, int cut, int *best, int *next)
{
    double mean[BS_COMPARE_METHODS], sd;
    for (int i = 0; i < c->n; i++) {
        mean[i] = NAN;
        if (!c->method[i].failure && i < c->asked)
            bs_compare_spread(c, i, cut, &mean[i], &sd);
    }
    bs_runset_best(mean, c->n, c->rows->task->metric[c->metric].higher, best, next);
}

/* At the threshold that a model is used with. */
static basin_status find_winner(bs_comparison *c, const sources *all, basin_error *err)
{
    const int    cut = bs_compare_cuts(c) - 1;
    bs_contender one[BS_COMPARE_METHODS];
    double       sd;
    for (int i = 0; i < c->n; i++) {
        one[i] = (bs_contender){c->method[i].name, NAN, &all->set[i][cut]};
        if (!c->method[i].failure && i < c->asked)
            bs_compare_spread(c, i, cut, &one[i].mean, &sd);
    }
    return bs_runset_winner(one, c->n, c->rows, c->metric, bs_compare_rows(c),
                            (uint64_t)c->method[0].settings.train.seed, BS_COMPARE_REPLICATES,
                            &c->winner, err);
}

bool bs_is_control(const bs_comparison *c, const bs_compared *m)
{
    return m->arm != BS_ARM_METHOD && m->shown && !m->failure && !c->method[m->of].failure;
}

static basin_status test_all(bs_comparison *c, const sources *all, basin_error *err)
{
    basin_status first = BASIN_OK;
    /* pairs are independent, and each is one thread's work */
#pragma omp parallel for schedule(dynamic) num_threads(bs_team(c->threads))
    for (int i = 0; i < c->n * BS_CUTS; i++) {
        bs_compared   *m = &c->method[i / BS_CUTS];
        const int      cut = i % BS_CUTS;
        const uint64_t seed = (uint64_t)c->method[0].settings.train.seed;
        basin_error    mine = {0};
        basin_status   s = BASIN_OK;
        if (m->judged)
            s = bs_runset_test(&all->set[c->baseline][cut], &all->set[m - c->method][cut], seed,
                               BS_COMPARE_REPLICATES, &m->verdict[cut], &mine);
        if (!s && bs_is_control(c, m))
            s = bs_runset_test(&all->set[m - c->method][cut], &all->set[m->of][cut], seed,
                               BS_COMPARE_REPLICATES, &m->gain[cut], &mine);
#pragma omp critical(compare_failure)
        if (s && !first)
            first = bs_fail(err, s, "%s", mine.msg);
    }
    return first;
}

basin_status bs_compare_judge(bs_comparison *c, basin_error *err)
{
    sources *all = bs_calloc(1, sizeof *all);
    if (!all)
        return bs_fail_nomem(err);
    basin_status s = predict_all(c, err);
    if (!s)
        s = gather(c, all, err);
    for (int i = 0; i < c->n; i++)
        c->method[i].judged =
            i != c->baseline && !c->method[i].failure && !c->method[c->baseline].failure;
    bs_compare_choose_controls(c);
    if (!s)
        s = test_all(c, all, err);
    if (!s)
        s = find_winner(c, all, err);
    bs_free(all->part);
    bs_free(all);
    return s;
}
