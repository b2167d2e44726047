/* base.c -- baselines: what can be had without a net, on the rows of the report.
 *
 * A score means little without knowing what the most frequent labels get, or a linear model. Both
 * learn from the training rows and, where decisions have a threshold, choose it on the validation
 * rows like the model did. */
#include <string.h>

#include "report/report.h"
#include "tasks/tasks.h"

static const double level = 0.95;

static const bs_task_report *report_of(const bs_lesson *t)
{
    return bs_tool_of(t->train->task)->report;
}

/* Whether there is something to predict with. Rows that it is judged by do not help to choose it:
 * each label would have its best epoch on them, while a model has one for all. */
static basin_status learn(bs_lesson *t, const bs_dataset *judged, bool *out, basin_error *err)
{
    const bs_dataset *valid = t->valid;
    *out = true;
    if (!report_of(t)->learn)
        return BASIN_OK;
    t->valid = valid == judged ? NULL : valid;
    basin_status s = report_of(t)->learn(t, out, err);
    t->valid = valid;
    return s;
}

static void forget(bs_lesson *t)
{
    if (report_of(t)->forget)
        report_of(t)->forget(t);
    t->learnt = NULL;
}

static basin_status predict(const bs_lesson *t, const bs_dataset *p, bs_outputs *y,
                            basin_error *err)
{
    basin_status s = p->task->outputs(p, t->known, y, err);
    return s ? s : report_of(t)->guess(t, p, y, err);
}

static basin_status choose_cut(const bs_lesson *t, const bs_report_group *g, bs_baseline *b,
                               basin_error *err)
{
    const bs_train_options *o = &g->run[g->shown].settings.train;
    bs_outputs              y = {0};
    b->cut = bs_threshold_fixed(0.5f);
    if (!g->task->tunes)
        return BASIN_OK;
    basin_status s = predict(t, t->valid, &y, err);
    if (!s)
        s = g->task->choose(o, t->train, t->valid, &y, &b->cut, err);
    bs_outputs_free(&y);
    return s;
}

static basin_status judge(const bs_report_group *g, bs_baseline *b, basin_error *err)
{
    const bs_report_run *run = &g->run[g->shown];
    bs_counting          how = {.keep_rows = true};
    bs_paired            all[BS_VALUES_MAX];
    int                  cut;
    const int            deciding = bs_report_deciding(g, &cut);
    bs_sampled_set       one = {&b->source, 1};
    basin_status         s = bs_profile_parse(run->settings.train.profile, &how.profile, err);
    how.want = UINT32_C(1) << deciding;
    for (int i = 0; i < BS_SHOWN && g->task->shown[i].heading; i++)
        how.want |= UINT32_C(1) << g->task->shown[i].metric;
    if (!s)
        s = g->task->count(g->part, &run->model->known, &b->y, &b->cut, &how, &b->counts, err);
    if (!s)
        s = g->task->values(&b->counts, b->value, err);
    if (!s)
        s = g->task->sampled(&b->counts, &b->source, err);
    if (!s)
        s = bs_paired_seeds(&one, &g->set[cut], (uint64_t)run->settings.train.seed, g->replicates,
                            level, all, err);
    if (!s)
        b->better = all[deciding];
    b->measured = !s;
    return s;
}

static basin_status learn_and_predict(bs_lesson *t, const bs_report_group *g, bs_baseline *b,
                                      bool *there, basin_error *err)
{
    basin_status s = learn(t, g->part, there, err);
    if (!s && *there)
        s = choose_cut(t, g, b, err);
    if (!s && *there)
        s = predict(t, g->part, &b->y, err);
    forget(t);
    return s;
}

/* One fold, from the rows of the others. */
static basin_status predict_fold(bs_lesson *t, const bs_report_group *g, int fold, bs_baseline *b,
                                 bool *there, basin_error *err)
{
    bs_dataset   train, valid;
    bs_outputs   some = {0};
    basin_status s = bs_data_fold(g->data, fold, &train, &valid, err);
    if (s)
        return s;
    t->train = &train;
    t->valid = &valid;
    s = learn(t, &valid, there, err);
    if (!s && *there)
        s = predict(t, &valid, &some, err);
    if (!s && *there)
        g->task->place(g->part, t->known, g->data->fold_start[fold], valid.rows, &some, &b->y);
    forget(t);
    bs_outputs_free(&some);
    bs_dataset_free(&train);
    bs_dataset_free(&valid);
    return s;
}

/* For runs with folds that have no other rows: baselines are out of fold, like the model. */
static basin_status predict_folds(bs_lesson *t, const bs_report_group *g, bs_baseline *b,
                                  bool *there, basin_error *err)
{
    const bs_train_options *o = &g->run[g->shown].settings.train;
    basin_status            s = g->task->outputs(g->part, t->known, &b->y, err);
    *there = true;
    for (int k = 0; k < g->data->folds && !s && *there; k++)
        s = predict_fold(t, g, k, b, there, err);
    b->cut = bs_threshold_fixed(0.5f);
    if (!s && *there && g->task->tunes)
        s = g->task->choose(o, &g->data->part[BS_ROLE_TRAIN], g->part, &b->y, &b->cut, err);
    return s;
}

static basin_status one_base(const bs_report *r, bs_report_group *g, int which, basin_error *err)
{
    const bs_data        *data = g->data;
    bs_baseline          *b = &g->base[which];
    bs_dataset            fold[2] = {{0}};
    bs_lesson             t = {.known = &g->run[g->shown].model->known,
                               .train = &data->part[BS_ROLE_TRAIN],
                               .valid = &data->part[BS_ROLE_VALID],
                               .threads = r->where.threads,
                               .which = which};
    bool                  there = false;
    basin_status          s = BASIN_OK;
    const bs_task_report *how = bs_tool_of(g->task)->report;
    if (!how || !(b->name = how->base[which]))
        return BASIN_OK;
    if (data->folds > 1 && g->part != &data->part[BS_ROLE_VALID]) {
        s = bs_data_fold(data, 0, &fold[0], &fold[1], err); /* a threshold needs other rows */
        t.train = &fold[0];
        t.valid = &fold[1];
    }
    if (!s && g->part == &data->part[BS_ROLE_VALID] && data->folds > 1)
        s = predict_folds(&t, g, b, &there, err);
    else if (!s)
        s = learn_and_predict(&t, g, b, &there, err);
    if (!s && there)
        s = judge(g, b, err);
    bs_outputs_free(&b->y);
    for (int i = 0; i < 2; i++)
        bs_dataset_free(&fold[i]);
    return s;
}

/* Changed training rows might include test rows. Sentences without tags and what a teacher knows,
 * which are not part of the data here, count in the hash of a run. */
static bool same_training_rows(const bs_report_group *g)
{
    const bs_report_run *run = &g->run[0];
    return run->hash[0] == 0 || *run->settings.train.file_unlabelled ||
           *run->settings.train.distil || run->hash[0] == g->data->part[BS_ROLE_TRAIN].hash;
}

basin_status bs_report_bases(const bs_report *r, bs_report_group *g, basin_error *err)
{
    basin_status s = BASIN_OK;
    if (!g->judged || !g->data)
        return BASIN_OK;
    for (int i = 0; i < r->n; i++)
        if (r->group[i].base[BS_BASE_TRIVIAL].name)
            return BASIN_OK;
    if (!same_training_rows(g))
        return BASIN_OK;
    for (int i = 0; i < BS_BASES && !s; i++)
        s = one_base(r, g, i, err);
    return s;
}

void bs_report_bases_free(bs_report_group *g)
{
    for (int i = 0; i < BS_BASES; i++) {
        bs_baseline *b = &g->base[i];
        if (b->counts.task)
            b->counts.task->counts_free(&b->counts);
        bs_threshold_free(&b->cut);
        bs_outputs_free(&b->y);
    }
    bs_outputs_free(&g->valid_y);
}
