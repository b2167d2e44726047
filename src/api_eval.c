/* api_eval.c -- basin_eval: a model on labelled files. */
#include <stdio.h>
#include <string.h>

#include "api.h"

typedef struct {
    basin_model *model;
    bs_part      data;
    bs_outputs   y;
    bs_counts    counts;
    bs_threshold own; /* when one was asked for */
    double       seconds;
    double       value[BS_MOST_METRICS];
    bs_interval  interval[BS_MOST_METRICS];
} evaluation;

static void evaluation_free(evaluation *e)
{
    if (e->counts.kind)
        e->counts.kind->counts_free(&e->counts);
    bs_outputs_free(&e->y);
    bs_part_free(&e->data);
    basin_model_free(e->model);
    bs_threshold_free(&e->own);
}

/* The stored threshold, or a number given by the caller. */
static basin_status pick_threshold(evaluation *e, const char *wish, const bs_threshold **out,
                                   basin_error *err)
{
    double number;
    *out = &e->model->saved->threshold;
    if (!wish || strcmp(wish, "auto") == 0)
        return BASIN_OK;
    if (!bs_parse_double(wish, &number) || number < 0 || number > 1)
        return bs_fail(err, BASIN_EARG, "--threshold: '%s' is not a number from 0 to 1, or auto",
                       wish);
    e->own = bs_threshold_fixed((float)number);
    *out = &e->own;
    return BASIN_OK;
}

/* A second pass takes what a long-lived predictor needs; the first one also compiles. */
basin_status bs_model_predict(const bs_saved *m, const bs_part *data, const char *infer,
                              int threads, bool warm, bs_outputs *out, double *seconds,
                              basin_error *err)
{
    bs_inference  how;
    bs_workspace *w = NULL;
    bs_scorer    *scorer = NULL;
    double        start = bs_seconds();
    basin_status  s = bs_saved_inference(m, infer, &how, err);
    if (!s)
        s = bs_backend_cpu.workspace_new(&(bs_backend_options){threads}, &w, err);
    if (!s)
        s = bs_scorer_new(&bs_backend_cpu, w, m->params, &m->spec, &how, &scorer, err);
    if (!s)
        s = m->kind->predict(scorer, &m->spec, &m->known, data, out, err);
    *seconds = bs_seconds() - start;
    if (!s && warm && *seconds < 1) {
        start = bs_seconds();
        s = m->kind->predict(scorer, &m->spec, &m->known, data, out, err);
        *seconds = bs_seconds() - start;
    }
    bs_scorer_free(scorer);
    if (w)
        bs_backend_cpu.workspace_free(w);
    return s;
}

static basin_status score(evaluation *e, const char *infer, int threads, basin_error *err)
{
    const bs_saved *m = e->model->saved;
    basin_status    s = m->kind->outputs(&e->data, &m->known, &e->y, err);
    return s ? s : bs_model_predict(m, &e->data, infer, threads, false, &e->y, &e->seconds, err);
}

static basin_status measure(evaluation *e, const bs_threshold *cut, bs_profile_id profile,
                            basin_error *err)
{
    const bs_saved *m = e->model->saved;
    bs_counting     how = {.profile = profile, .keep_rows = true};
    basin_status    s = m->kind->count(&e->data, &m->known, &e->y, cut, &how, &e->counts, err);
    if (!s)
        s = m->kind->values(&e->counts, e->value, err);
    return s ? s : bs_kind_intervals(&e->counts, 0, e->interval, err);
}

/* ---- text ---- */

static basin_status label_table(const evaluation *e, bs_buf *out, basin_error *err)
{
    int32_t         L = e->model->saved->known.mlc.n_labels;
    bs_label_score *row = bs_calloc((size_t)L, sizeof *row);
    basin_status    s = row ? bs_metrics_labels(e->counts.mlc, row, err) : bs_fail_nomem(err);
    if (!s)
        bs_buf_printf(out, "\n%-32s %8s %7s %7s %7s %7s\n", "label", "support", "prec", "recall",
                      "F1", "AP");
    for (int32_t i = 0; i < L && !s; i++)
        bs_buf_printf(out, "%-32.32s %8lld %7.2f %7.2f %7.2f %7.2f\n",
                      e->model->saved->known.mlc.label[i], (long long)row[i].support,
                      100 * row[i].precision, 100 * row[i].recall, 100 * row[i].f1,
                      100 * row[i].ap);
    bs_free(row);
    return s;
}

static void write_json(const evaluation *e, const char *infer, const bs_threshold *cut,
                       const char *profile, bs_buf *out)
{
    const bs_kind *k = e->data.kind;
    char           text[BS_NUMBER_TEXT];
    bs_buf_printf(out, "{\"task\": \"%s\", \"n\": %d, \"infer\": \"%s\"", k->task->name,
                  (int)e->data.rows, infer);
    if (k->tunes && cut->kind == BS_THRESHOLD_TOP_K)
        bs_buf_text(out, ", \"threshold\": null");
    else if (k->tunes) {
        bs_format_double((double)cut->global, text);
        bs_buf_printf(out, ", \"threshold\": %s", text);
    }
    if (k->tunes)
        bs_buf_printf(out, ", \"profile\": \"%s\"", profile);
    bs_buf_printf(out, ", \"seconds\": %.6f, \"rows_per_s\": %.1f, \"metrics\": ", e->seconds,
                  e->data.rows / (e->seconds > 0 ? e->seconds : 1));
    bs_kind_json(k, e->value, out);
    bs_buf_text(out, "}");
}

static void write_table(const evaluation *e, const bs_threshold *cut, const char *profile,
                        bs_buf *out)
{
    const bs_kind     *k = e->data.kind;
    const bs_interval *first = &e->interval[e->model->saved->known.headline];
    char               name[32] = "";
    if (k->tunes && cut->kind == BS_THRESHOLD_TOP_K)
        snprintf(name, sizeof name, "top-k");
    else if (k->tunes)
        snprintf(name, sizeof name, "@%.2f", (double)cut->global);
    bs_metric_header(k, out);
    bs_metric_row(k, &e->model->saved->known, name, e->value, (first->hi - first->lo) / 2, out);
    bs_buf_printf(out, "\n%-18s %10s   95 %% interval\n", "metric", "value");
    for (int i = 0; i < k->n_metrics; i++)
        bs_buf_printf(out, "%-18s %10.4f   %.4f .. %.4f\n", k->metric[i].name, e->value[i],
                      e->interval[i].lo, e->interval[i].hi);
    bs_buf_printf(out, "%d %s, %.0f %s/s", (int)e->data.rows, k->unit,
                  e->data.rows / (e->seconds > 0 ? e->seconds : 1), k->unit);
    if (k->tunes)
        bs_buf_printf(out, "; conventions: %s", profile);
    bs_buf_text(out, "\n");
}

basin_status basin_eval(const char *model, const char *const *files, int n,
                        const basin_eval_options *o, const basin_session *session, basin_text *out,
                        basin_error *err)
{
    basin_eval_options  none = {0};
    evaluation          e = {0};
    bs_logger           log = bs_session_log(session);
    const bs_threshold *cut = NULL;
    bs_profile_id       profile = BS_PROFILE_SKLEARN;
    bs_buf              table, json;
    *out = (basin_text){NULL, NULL};
    o = o ? o : &none;
    bs_buf_init(&table, 1 << 28);
    bs_buf_init(&json, 1 << 24);
    basin_status s = basin_model_load(model, &e.model, err);
    if (!s)
        s = pick_threshold(&e, o->threshold, &cut, err);
    if (!s)
        s = bs_profile_parse(o->profile ? o->profile : e.model->saved->settings.train.profile,
                             &profile, err);
    if (!s)
        s = bs_read_for(e.model->saved, files, n, false, &log, &e.data, err);
    if (!s)
        s = score(&e, o->infer, o->threads, err);
    if (!s)
        s = measure(&e, cut, profile, err);
    if (!s) {
        const char *infer = o->infer ? o->infer : e.model->saved->settings.train.infer;
        write_json(&e, infer, cut, bs_profile_name(profile), &json);
        write_table(&e, cut, bs_profile_name(profile), &table);
        if (o->per_label)
            s = label_table(&e, &table, err);
    }
    evaluation_free(&e);
    if (!s)
        return bs_text_take(&table, &json, out, err);
    bs_buf_free(&table);
    bs_buf_free(&json);
    return s;
}
