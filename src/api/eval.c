/* eval.c -- basin_eval: evaluates a model on labelled files. */
#include "api/eval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The second pass takes as long as a long-lived predictor would; the first also compiles. */
basin_status bs_model_predict(const bs_model_file *m, const bs_dataset *data, const bs_asked *asked,
                              bs_outputs *out, double *seconds, basin_error *err)
{
    bs_inference  how;
    bs_workspace *w = NULL;
    bs_scorer    *scorer = NULL;
    double        start = bs_seconds();
    basin_status  s = bs_model_file_inference(m, asked->infer, asked->constrain, &how, err);
    how.log = asked->log;
    if (!s)
        s = bs_task_decide(m->task, &m->settings.train, asked->decide, &how, err);
    if (!s)
        s = bs_workspace_open(asked->where, &w, err);
    if (!s)
        s = bs_model_file_scorer(m, w, &how, &scorer, err);
    if (!s)
        s = m->task->predict(scorer, &m->spec, &m->known, data, out, err);
    *seconds = bs_seconds() - start;
    if (!s && asked->warm && *seconds < 1) {
        start = bs_seconds();
        s = m->task->predict(scorer, &m->spec, &m->known, data, out, err);
        *seconds = bs_seconds() - start;
    }
    bs_scorer_free(scorer);
    if (w)
        bs_workspace_close(w);
    return s;
}

/* ---- text ---- */

static basin_status write_json(const bs_evaluation *e, const char *infer, bs_buf *out,
                               basin_error *err)
{
    basin_status        s = BASIN_OK;
    const bs_task      *k = e->data.task;
    const bs_task_eval *how = k->eval;
    bs_json_open(out, NULL, '{');
    bs_json_members(out, "task %s n %d infer %s", k->name, e->data.rows, infer);
    if (k->tunes) {
        bs_threshold_json(e->threshold, out);
        bs_json_text(out, "profile", bs_profile_name(e->profile));
    }
    bs_json_members(out, "seconds %.6f rows_per_s %.1f", e->seconds,
                    e->data.rows / (e->seconds > 0 ? e->seconds : 1));
    if (how->json)
        s = how->json(e, out, err);
    bs_json_open(out, "metrics", '{');
    bs_task_members(k, e->value, out);
    if (!s && how->json_metrics)
        s = how->json_metrics(e, out, err);
    bs_buf_text(out, "}}");
    return s;
}

static basin_status write_table(const bs_evaluation *e, bs_buf *out, basin_error *err)
{
    const bs_task       *k = e->data.task;
    const bs_preprocess *known = &e->model->saved->known;
    const bs_interval   *first = &e->interval[known->deciding];
    char                 text[BS_THRESHOLD_TEXT];
    const char          *name = k->tunes ? bs_threshold_text(e->threshold, text) : "";
    bs_metric_header(k, out);
    bs_metric_row(k, known, name, e->value, (first->hi - first->lo) / 2, out);
    bs_buf_printf(out, "\n%-18s %10s   95 %% interval\n", "metric", "value");
    for (int i = 0; i < k->n_metrics; i++) {
        const bs_interval *range = &e->interval[i];
        if (isnan(e->value[i]))
            bs_buf_printf(out, "%-18s %10s\n", k->metric[i].name, "n/a");
        else
            bs_buf_printf(out, "%-18s %10.4f   %.4f .. %.4f\n", k->metric[i].name, e->value[i],
                          range->lo, range->hi);
    }
    bs_buf_printf(out, "%d %s, %.0f %s/s", (int)e->data.rows, k->unit,
                  e->data.rows / (e->seconds > 0 ? e->seconds : 1), k->unit);
    if (k->tunes)
        bs_buf_printf(out, "; conventions: %s", bs_profile_name(e->profile));
    bs_buf_text(out, "\n");
    return k->eval->special ? k->eval->special(e, out, err) : BASIN_OK;
}

static basin_status write_tables(const bs_evaluation *e, const basin_eval_options *o, bs_buf *out,
                                 basin_error *err)
{
    const bs_task_eval *how = e->data.task->eval;
    bool                done = false;
    basin_status        s = how->instead ? how->instead(e, o, out, &done, err) : BASIN_OK;
    if (s || done)
        return s;
    s = write_table(e, out, err);
    return !s && o->per_label ? how->labels(e, out, err) : s;
}

/* ---- data ---- */

static basin_status take_data(bs_evaluation *e, const bs_api_call *c, const basin_data *d,
                              bs_logger *log, basin_error *err)
{
    const bs_model_file *m = e->model->saved;
    bs_notes             notes;
    bs_read_request      wish = {
             .task = m->task, .file = c->file, .n = 1, .given = d->rows, .known = &m->known};
    if (d->task != m->task)
        return bs_fail(err, BASIN_EARG, "the data is for task %s, the model for %s", d->task->name,
                       m->task->name);
    bs_notes_init(&notes);
    basin_status s = m->task->read(&m->settings, &wish, &notes, &e->data, err);
    if (!s)
        bs_notes_log(&notes, NULL, BS_DEBUG, log);
    bs_notes_free(&notes);
    return s;
}

/* Of files or, if d is not NULL, of data in memory. Borrows the model of e. */
static basin_status evaluate(bs_evaluation *e, const bs_api_call *c, const basin_data *d,
                             const basin_eval_options *o, bs_buf *table, bs_buf *json,
                             basin_error *err)
{
    const bs_model_file *m = e->model->saved;
    bs_logger            log = c->log;
    bs_asked             asked = {o->infer, NULL, o->constrain, .where = c->where, .log = &log};
    bs_counting          how = {.keep_rows = true};
    basin_status         s = m->task->eval->check(o, err);
    if (!s)
        s = bs_model_cut(m, o->decide, o->threshold, &e->own, err);
    asked.decide = bs_decision_name(e->own.by);
    e->threshold = &e->own;
    if (!s)
        s = bs_profile_parse(o->profile ? o->profile : m->settings.train.profile, &how.profile,
                             err);
    e->profile = how.profile;
    if (!s)
        s = d ? take_data(e, c, d, &log, err)
              : bs_read_for(m, c->file, c->n, o->part, false, &log, &e->data, err);
    if (!s)
        s = m->task->outputs(&e->data, &m->known, &e->y, err);
    if (!s)
        s = bs_model_predict(m, &e->data, &asked, &e->y, &e->seconds, err);
    if (s == BASIN_ENUMERIC)
        bs_error_in_files(c->file, c->n, s, err);
    if (!s)
        s = m->task->count(&e->data, &m->known, &e->y, e->threshold, &how, &e->counts, err);
    if (!s)
        s = m->task->values(&e->counts, e->value, err);
    if (!s)
        s = bs_task_intervals(&e->counts, 0, &log, e->interval, err);
    if (s == BASIN_EDATA)
        bs_fail_about(err, s, c->file[0]);
    if (!s && m->task->eval->remark)
        m->task->eval->remark(e, &log);
    if (!s)
        s = write_json(e, o->infer ? o->infer : m->settings.train.infer, json, err);
    return s ? s : write_tables(e, o, table, err);
}

static basin_status evaluate_text(const basin_model *m, const bs_api_call *c, const basin_data *d,
                                  const basin_eval_options *o, basin_text *out, basin_error *err)
{
    bs_evaluation e = {.model = m, .per_label = o->per_label, .constrained = o->constrain};
    bs_buf        table, json;
    bs_buf_init(&table, 1 << 28);
    bs_buf_init(&json, 1 << 28);
    basin_status s = evaluate(&e, c, d, o, &table, &json, err);
    if (e.counts.task)
        e.counts.task->counts_free(&e.counts);
    bs_outputs_free(&e.y);
    bs_dataset_free(&e.data);
    return bs_text_give(s, &table, &json, out, err);
}

basin_status basin_eval(const char *model, const char *const *files, int n,
                        const basin_eval_options *options, const basin_session *session,
                        basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_eval_options o;
    basin_status       s = bs_need_model(model, files, n, out, err);
    if (!s)
        s = BS_TAKE(basin_eval_options, options, &o, err);
    if (s)
        return s;
    bs_api_call c = {model, files, n, o.set, {o.device, o.threads}, o.encoder, .opened = NULL};
    s = bs_call_open(&c, session, err);
    if (!s)
        s = evaluate_text(c.opened, &c, NULL, &o, out, err);
    basin_model_free(c.opened);
    return s;
}

basin_status basin_eval_data(const basin_model *m, const basin_data *d,
                             const basin_eval_options *options, const basin_session *session,
                             basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    static const char *const name[] = {BS_IN_MEMORY};
    basin_eval_options       o;
    basin_status             s = bs_need_text(out, BS_ARGUMENTS({"model", m}, {"data", d}), err);
    if (!s)
        s = BS_TAKE(basin_eval_options, options, &o, err);
    if (s)
        return s;
    bs_api_call c = {NULL, name, 1, NULL, {o.device, o.threads}, NULL, .opened = NULL};
    basin_model own = *m;
    bs_arena    arena;
    bs_arena_init(&arena, 0);
    s = bs_call_open(&c, session, err);
    if (!s)
        s = bs_model_with(m, o.set, false, &arena, &own.saved, err);
    if (!s)
        s = evaluate_text(&own, &c, d, &o, out, err);
    bs_arena_free(&arena);
    return s;
}
