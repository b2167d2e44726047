/* conclude.c -- finishes a training: the threshold, full metrics, the model file. Shared by single
 * trainings and ensembles, which compute their outputs differently. */
#include "run/trainer.h"

#include <math.h>
#include <unistd.h>

#include "base/json.h"
#include "base/print.h"

/* A part at 0.5 and at the threshold. margin, unless NULL: half the width of a bootstrap interval,
 * the +- in the table. */
static basin_status judge(const bs_train_job *j, const bs_dataset *p, const bs_outputs *y,
                          const bs_threshold *threshold, double at_half[BS_MOST_METRICS],
                          double tuned[BS_MOST_METRICS], double *margin, basin_error *err)
{
    const bs_threshold half = bs_threshold_fixed(0.5f);
    const int          first = j->known->deciding;
    bs_interval        interval[BS_MOST_METRICS];
    bs_measurement     c;
    bs_counting        how = {.want = 0};
    basin_status       s = bs_profile_parse(j->settings->train.profile, &how.profile, err);
    if (!s)
        s = bs_task_measure(p, j->known, y, &half, &how, at_half, err);
    if (!s)
        s = bs_task_measure(p, j->known, y, threshold, &how, tuned, err);
    how.want = UINT32_C(1) << first;
    how.keep_rows = true;
    if (!s && margin)
        s = p->task->count(p, j->known, y, threshold, &how, &c, err);
    if (s || !margin)
        return s;
    s = bs_task_intervals(&c, (uint64_t)j->settings->train.seed, NULL, interval, err);
    if (!s)
        *margin = (interval[first].hi - interval[first].lo) / 2;
    p->task->counts_free(&c);
    return s;
}

basin_status bs_train_finish(const bs_train_job *job, const bs_outputs *valid,
                             const bs_outputs *test, bs_train_outcome *out, basin_error *err)
{
    const bs_train_options *o = &job->settings->train;
    const bs_dataset       *v = job->valid;
    basin_status            s = BASIN_OK;
    out->threshold = bs_threshold_fixed(0.5f);
    out->threshold.by = valid->by;
    out->has_test = test != NULL;
    if (v->task->tunes)
        s = v->task->choose(o, job->train, v, valid, &out->threshold, err);
    if (!s)
        s = judge(job, v, valid, &out->threshold, out->valid, out->valid_tuned,
                  o->folds > 1 ? &out->valid_margin : NULL, err);
    if (!s && test)
        s = judge(job, job->test, test, &out->threshold, out->test, out->test_tuned,
                  &out->test_margin, err);
    return s;
}

static void write_card(const bs_task *task, const bs_train_outcome *o, bs_buf *card)
{
    bs_json_open(card, NULL, '{');
    bs_json_int(card, "best_epoch", o->best_epoch);
    if (!isnan(o->sure)) {
        bs_json_fixed(card, "energy_sure", 3, o->sure);
        bs_json_bool(card, "net_kept", o->net_kept);
    }
    bs_task_json_known(task, "valid", o->valid, card);
    if (task->tunes)
        bs_task_json_known(task, "valid_tuned", o->valid_tuned, card);
    if (o->has_test)
        bs_task_json_known(task, "test", o->test, card);
    if (o->has_test && task->tunes)
        bs_task_json_known(task, "test_tuned", o->test_tuned, card);
    bs_json_close(card, '}');
}

basin_status bs_train_finish_write(const bs_train_job *job, const bs_train_outcome *out,
                                   bs_params *const *params, int n_params, basin_error *err)
{
    bs_path      path;
    bs_buf       card;
    bs_settings *settings = job->folder || job->model ? bs_alloc(sizeof *settings) : NULL;
    if (!job->folder && !job->model)
        return BASIN_OK;
    if (!settings)
        return bs_fail_nomem(err);
    *settings = *job->settings;
    if (out->infer)
        bs_print(settings->train.infer, sizeof settings->train.infer, "%s", out->infer);
    if (out->threshold.by == BS_DECIDE_THRESHOLD)
        bs_print(settings->train.decide, sizeof settings->train.decide, "threshold");
    bs_buf_init(&card, 1 << 20);
    write_card(job->train->task, out, &card);
    if (job->folder)
        path = bs_path_in(job->folder, out->unfinished ? BS_UNFINISHED_FILE : BS_MODEL_FILE);
    basin_status s = card.failed ? bs_fail_nomem(err) : BASIN_OK;
    for (int to_file = 0; to_file < 2 && !s; to_file++)
        if (to_file ? job->folder != NULL : job->model != NULL)
            s = bs_model_file_write(to_file ? path.text : NULL, job->model, settings,
                                    job->train->task, job->known, &out->threshold, params, n_params,
                                    card.data, err);
    if (job->folder && !s && !out->unfinished)
        unlink(bs_path_in(job->folder, BS_UNFINISHED_FILE).text);
    bs_buf_free(&card);
    bs_free(settings);
    return s;
}
