/* threshold.c -- basin_model_threshold: rechooses the threshold of a trained model. */
#include <string.h>

#include "api/adjust.h"

enum { MOST_K = 100 }; /* largest k tried for top-k */

static basin_status measure(const bs_adjustment *a, const bs_threshold *threshold,
                            double out[BS_MOST_METRICS], basin_error *err)
{
    return bs_adjust_measure(a, &a->y, threshold, out, err);
}

/* The best number of labels per row. */
static basin_status choose_k(bs_adjustment *a, bs_metric_id metric, basin_error *err)
{
    const int    labels = basin_model_labels(a->call.opened);
    const double sign = bs_metric_table[metric].higher ? 1 : -1;
    double       best = 0, value[BS_MOST_METRICS];
    const int    most = labels < MOST_K ? labels : MOST_K;
    basin_status s = BASIN_OK;
    for (int k = 1; k <= most && !s; k++) {
        const bs_threshold threshold = bs_threshold_top_k(k);
        if (bs_event_stopped(&a->call.log))
            return bs_fail(err, BASIN_EINTERRUPTED, "interrupted");
        s = measure(a, &threshold, value, err);
        if (!s && (k == 1 || sign * value[metric] > best)) {
            best = sign * value[metric];
            a->threshold = threshold;
        }
    }
    return s;
}

static basin_status choose(bs_adjustment *a, const char *kind, bs_metric_id metric,
                           basin_error *err)
{
    const bs_model_file *m = a->call.opened->saved;
    bs_train_options     t = m->settings.train;
    if (strcmp(kind, "one") != 0 && strcmp(kind, "label") != 0 && strcmp(kind, "top-k") != 0)
        return bs_fail(err, BASIN_EARG, "--kind: '%.40s' is not one, label or top-k", kind);
    if (!bs_metric_table[metric].decided)
        return bs_fail(
            err, BASIN_EARG,
            "--metric: %s is made of scores, which no threshold changes; use example_f1, "
            "micro_f1, macro_f1, ...",
            bs_metric_table[metric].name);
    if (strcmp(kind, "top-k") == 0)
        return choose_k(a, metric, err);
    bs_print(t.threshold, sizeof t.threshold, "%s", strcmp(kind, "one") == 0 ? "auto" : kind);
    bs_print(t.threshold_metric, sizeof t.threshold_metric, "%s", bs_metric_table[metric].name);
    return m->task->choose(&t, &a->data, &a->data, &a->y, &a->threshold, err);
}

/* A given number needs no rows. */
static basin_status take_value(const basin_threshold_options *o, bs_threshold *out,
                               basin_error *err)
{
    double number;
    if (o->kind)
        return bs_fail(err, BASIN_EARG, "--value and --kind both choose the threshold; use one");
    if (!bs_parse_double(o->value, &number) || !(number >= 0 && number <= 1))
        return bs_fail(err, BASIN_EARG, "--value: '%.40s' is not a number from 0 to 1", o->value);
    *out = bs_threshold_fixed((float)number);
    return BASIN_OK;
}

/* ---- text ---- */

static void put(bs_adjustment *a, const char *when, const bs_threshold *threshold,
                const double v[BS_MOST_METRICS])
{
    const bs_task *task = a->data.task;
    char           text[BS_THRESHOLD_TEXT], row[16];
    bs_print(row, sizeof row, "%s:", when);
    bs_threshold_text(threshold, text);
    if (threshold->kind == BS_THRESHOLD_TOP_K)
        bs_print(text, sizeof text, "top-%d", (int)threshold->k);
    bs_buf_printf(&a->table, "%-8s", row);
    if (task)
        bs_metric_row(task, &a->call.opened->saved->known, text, v, 0, &a->table);
    else
        bs_buf_printf(&a->table, "%s\n", text);
    bs_json_open(&a->json, when, '{');
    bs_threshold_json(threshold, &a->json);
    if (threshold->kind == BS_THRESHOLD_TOP_K)
        bs_json_int(&a->json, "k", threshold->k);
    if (threshold->labels > 0)
        bs_json_open(&a->json, "thresholds", '[');
    for (int32_t i = 0; i < threshold->labels; i++)
        bs_json_short(&a->json, NULL, 6, (double)threshold->per_label[i]);
    if (threshold->labels > 0)
        bs_json_close(&a->json, ']');
    if (task)
        bs_task_json(task, "metrics", v, &a->json);
    bs_json_close(&a->json, '}');
}

static void write_texts(bs_adjustment *a)
{
    if (a->data.task) {
        bs_buf_text(&a->table, "        ");
        bs_metric_header(a->data.task, &a->table);
    }
    bs_json_open(&a->json, NULL, '{');
    put(a, "before", &a->call.opened->saved->threshold, a->before);
    put(a, "after", &a->threshold, a->after);
    bs_json_close(&a->json, '}');
    bs_buf_printf(&a->table, "wrote %s\n", a->path);
}

basin_status basin_model_threshold(const char *model, const char *const *files, int n,
                                   const basin_threshold_options *options,
                                   const basin_session *session, basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_threshold_options o;
    bs_metric_id            metric = BS_METRIC_example_f1;
    basin_status            s = bs_need_text(out, BS_ARGUMENTS({"model", model}), err);
    if (!s)
        s = BS_TAKE(basin_threshold_options, options, &o, err);
    if (!s && (n != 0 || !o.value))
        s = bs_need_files(files, n, err);
    if (s)
        return s;
    bs_adjustment a = {
        .call = {model, files, n, o.set, {o.device, o.threads}, o.encoder, .opened = NULL}};
    s = bs_adjust_open(&a, session, err);
    if (!s)
        s = bs_metric_parse(o.metric ? o.metric
                                     : a.call.opened->saved->settings.train.threshold_metric,
                            &metric, err);
    if (!s && o.value)
        s = take_value(&o, &a.threshold, err);
    if (!s && n > 0)
        s = bs_adjust_predict(&a, err);
    if (!s && n > 0)
        s = measure(&a, &a.call.opened->saved->threshold, a.before, err);
    if (!s && !o.value)
        s = choose(&a, o.kind ? o.kind : "one", metric, err);
    if (!s && n > 0)
        s = measure(&a, &a.threshold, a.after, err);
    if (!s)
        s = bs_adjust_write(&a, NULL, err);
    if (!s)
        write_texts(&a);
    return bs_adjust_close(&a, s, out, err);
}
