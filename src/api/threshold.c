/* threshold.c -- basin_model_threshold: rechooses the threshold of a trained model.
 *
 * It is metadata: the tensors of the file keep their bytes, and the file is replaced atomically. */
#include <string.h>

#include "api/api.h"
#include "file/safetensors.h"

enum { MOST_K = 100 }; /* largest k tried for top-k */

typedef struct {
    basin_model *model;
    char         path[BS_OPTION_TEXT + 64];
    bs_dataset   data; /* kind NULL: none was given */
    bs_outputs   y;
    bs_counting  how;
    bs_metric_id metric;
    bs_threshold threshold;
    double       before[BS_MOST_METRICS], after[BS_MOST_METRICS];
} choosing;

static basin_status measure(const choosing *c, const bs_threshold *threshold,
                            double out[BS_MOST_METRICS], basin_error *err)
{
    return bs_task_measure(&c->data, &c->model->saved->known, &c->y, threshold, &c->how, out, err);
}

/* The best number of labels per row. */
static basin_status choose_k(choosing *c, bs_logger *log, basin_error *err)
{
    const bs_model_file *m = c->model->saved;
    const int            labels = m->task->labels(&m->known);
    const double         sign = bs_metric_table[c->metric].higher ? 1 : -1;
    double               best = 0, value[BS_MOST_METRICS];
    const int            most = labels < MOST_K ? labels : MOST_K;
    basin_status         s = BASIN_OK;
    for (int k = 1; k <= most && !s; k++) {
        const bs_threshold threshold = bs_threshold_top_k(k);
        if (bs_event_stopped(log))
            return bs_fail(err, BASIN_EINTERRUPTED, "interrupted");
        s = measure(c, &threshold, value, err);
        if (!s && (k == 1 || sign * value[c->metric] > best)) {
            best = sign * value[c->metric];
            c->threshold = threshold;
        }
    }
    return s;
}

static basin_status choose(choosing *c, const basin_threshold_options *o, bs_logger *log,
                           basin_error *err)
{
    const bs_model_file *m = c->model->saved;
    bs_train_options     t = m->settings.train;
    const char          *kind = o->kind ? o->kind : "one";
    if (strcmp(kind, "one") != 0 && strcmp(kind, "label") != 0 && strcmp(kind, "top-k") != 0)
        return bs_fail(err, BASIN_EARG, "--kind: '%.40s' is not one, label or top-k", kind);
    if (!bs_metric_table[c->metric].decided)
        return bs_fail(
            err, BASIN_EARG,
            "--metric: %s is made of scores, which no threshold changes; use example_f1, "
            "micro_f1, macro_f1, ...",
            bs_metric_table[c->metric].name);
    if (strcmp(kind, "top-k") == 0)
        return choose_k(c, log, err);
    bs_print(t.threshold, sizeof t.threshold, "%s", strcmp(kind, "one") == 0 ? "auto" : kind);
    bs_print(t.threshold_metric, sizeof t.threshold_metric, "%s", bs_metric_table[c->metric].name);
    return m->task->choose(&t, &c->data, &c->data, &c->y, &c->threshold, err);
}

/* A given number needs no rows. */
static basin_status take_value(choosing *c, const basin_threshold_options *o, basin_error *err)
{
    double number;
    if (o->kind)
        return bs_fail(err, BASIN_EARG, "--value and --kind both choose the threshold; use one");
    if (!bs_parse_double(o->value, &number) || !(number >= 0 && number <= 1))
        return bs_fail(err, BASIN_EARG, "--value: '%.40s' is not a number from 0 to 1", o->value);
    c->threshold = bs_threshold_fixed((float)number);
    return BASIN_OK;
}

static basin_status look_at_rows(choosing *c, const char *const *files, int n,
                                 const basin_threshold_options *o, bs_logger *log, basin_error *err)
{
    const bs_model_file *m = c->model->saved;
    const bs_asked       asked = {.where = {o->device, o->threads}, .log = log};
    double               seconds;
    basin_status         s = bs_read_for(m, files, n, NULL, false, log, &c->data, err);
    if (!s)
        s = m->task->outputs(&c->data, &m->known, &c->y, err);
    if (!s)
        s = bs_model_predict(m, &c->data, &asked, &c->y, &seconds, err);
    if (s == BASIN_ENUMERIC)
        bs_error_in_files(files, n, s, err);
    return s ? s : measure(c, &m->threshold, c->before, err);
}

/* ---- the file ---- */

basin_status bs_model_rewrite(const char *path, const bs_meta *set, int n_set, basin_error *err)
{
    bs_safetensors *f = NULL;
    basin_status    s = bs_safetensors_open(path, &f, err);
    if (s)
        return s;
    const int  n = bs_safetensors_count(f);
    int        m = bs_safetensors_meta_count(f);
    bs_tensor *t = bs_calloc((size_t)n + 1, sizeof *t);
    bs_meta   *meta = bs_calloc((size_t)m + (size_t)n_set, sizeof *meta);
    if (!t || !meta)
        s = bs_fail_nomem(err);
    for (int i = 0; !s && i < n; i++)
        t[i] = *bs_safetensors_at(f, i);
    for (int i = 0; !s && i < m; i++)
        meta[i] = *bs_safetensors_meta_at(f, i);
    for (int k = 0; !s && k < n_set; k++) {
        int i = 0;
        while (i < m && strcmp(meta[i].key, set[k].key) != 0)
            i++;
        meta[i] = set[k];
        m += i == m;
    }
    if (!s)
        s = bs_safetensors_write(path, t, n, meta, m, err);
    bs_free(meta);
    bs_free(t);
    bs_safetensors_close(f);
    return s;
}

static basin_status write_model(const choosing *c, basin_error *err)
{
    bs_buf text;
    bs_buf_init(&text, (size_t)1 << 30);
    bs_threshold_write(&c->threshold, &text);
    const bs_meta set = {"basin.threshold", text.data};
    basin_status  s = text.failed ? bs_fail_nomem(err) : bs_model_rewrite(c->path, &set, 1, err);
    bs_buf_free(&text);
    return s;
}

/* ---- text ---- */

static const char *cut_text(const bs_threshold *t, char text[32])
{
    char one[BS_THRESHOLD_TEXT];
    if (t->kind == BS_THRESHOLD_TOP_K)
        bs_print(text, 32, "top-%d", (int)t->k);
    else
        bs_print(text, 32, "%s", bs_threshold_text(t, one));
    return text;
}

static void put_row(const choosing *c, const char *when, const bs_threshold *threshold,
                    const double v[BS_MOST_METRICS], bs_buf *out)
{
    char text[32], name[64];
    bs_print(name, sizeof name, "%s", cut_text(threshold, text));
    bs_buf_printf(out, "%-8s", when);
    if (c->data.task)
        bs_metric_row(c->data.task, &c->model->saved->known, name, v, 0, out);
    else
        bs_buf_printf(out, "%s\n", name);
}

static void put_json(const choosing *c, const char *key, const bs_threshold *threshold,
                     const double v[BS_MOST_METRICS], bs_buf *out)
{
    bs_json_open(out, key, '{');
    bs_threshold_json(threshold, out);
    if (threshold->kind == BS_THRESHOLD_TOP_K)
        bs_json_int(out, "k", threshold->k);
    if (threshold->labels > 0)
        bs_json_open(out, "thresholds", '[');
    for (int32_t i = 0; i < threshold->labels; i++)
        bs_json_short(out, NULL, 6, (double)threshold->per_label[i]);
    if (threshold->labels > 0)
        bs_json_close(out, ']');
    if (c->data.task)
        bs_task_json(c->data.task, "metrics", v, out);
    bs_json_close(out, '}');
}

static void write_texts(const choosing *c, bs_buf *table, bs_buf *json)
{
    const bs_threshold *old = &c->model->saved->threshold;
    if (c->data.task) {
        bs_buf_text(table, "        ");
        bs_metric_header(c->data.task, table);
    }
    put_row(c, "before:", old, c->before, table);
    put_row(c, "after:", &c->threshold, c->after, table);
    bs_buf_printf(table, "wrote %s\n", c->path);
    bs_json_open(json, NULL, '{');
    put_json(c, "before", old, c->before, json);
    put_json(c, "after", &c->threshold, c->after, json);
    bs_json_close(json, '}');
}

static basin_status change(choosing *c, const char *model, const char *const *files, int n,
                           const basin_threshold_options *o, bs_logger *log, basin_error *err)
{
    bs_profile_id profile = BS_PROFILE_SKLEARN;
    basin_status  s = bs_model_path(model, c->path, err);
    if (!s)
        s = basin_model_load(model, &c->model, err);
    if (s)
        return s;
    const bs_model_file *m = c->model->saved;
    if (!m->task->tunes)
        return bs_fail(err, BASIN_EARG, "%s: a model of task %s has no threshold", model,
                       m->task->name);
    s = bs_model_file_set_all(c->model->saved, o->set, err);
    if (!s)
        s = bs_metric_parse(o->metric ? o->metric : m->settings.train.threshold_metric, &c->metric,
                            err);
    if (!s)
        s = bs_profile_parse(m->settings.train.profile, &profile, err);
    c->how = (bs_counting){.profile = profile};
    if (!s && o->value)
        s = take_value(c, o, err);
    if (!s && n > 0)
        s = look_at_rows(c, files, n, o, log, err);
    if (!s && !o->value)
        s = choose(c, o, log, err);
    if (!s && n > 0)
        s = measure(c, &c->threshold, c->after, err);
    return s ? s : write_model(c, err);
}

basin_status basin_model_threshold(const char *model, const char *const *files, int n,
                                   const basin_threshold_options *options,
                                   const basin_session *session, basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_threshold_options o;
    bs_logger               log;
    choosing                c = {.model = NULL};
    bs_buf                  table, json;
    basin_status            s = bs_need_text(out, BS_ARGUMENTS({"model", model}), err);
    if (!s)
        s = BS_TAKE(basin_threshold_options, options, &o, err);
    if (!s)
        s = bs_session_take(session, &log, err);
    if (!s && (n != 0 || !o.value))
        s = bs_need_files(files, n, err);
    if (!s)
        s = bs_need_where((bs_machine){o.device, o.threads}, err);
    if (s)
        return s;
    bs_buf_init(&table, 1 << 20);
    bs_buf_init(&json, 1 << 28);
    s = change(&c, model, files, n, &o, &log, err);
    if (!s)
        write_texts(&c, &table, &json);
    bs_outputs_free(&c.y);
    bs_dataset_free(&c.data);
    bs_threshold_free(&c.threshold);
    basin_model_free(c.model);
    if (!s)
        return bs_text_take(&table, &json, out, err);
    bs_buf_free(&table);
    bs_buf_free(&json);
    return s;
}
