/* calibrate.c -- basin_model_calibrate: makes probabilities match the frequency of being right.
 *
 * A single temperature divides all logits (Guo et al. 2017): the order of labels stays, and so do
 * decisions, since thresholds go through the same function. */
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "data/metric.h"

typedef struct {
    basin_model *model;
    char         path[BS_OPTION_TEXT + 64];
    bs_dataset   data;
    bs_outputs   y; /* at temperature 1 */
    double       was, temperature;
    bs_threshold threshold;
    bs_counting  how;
    double       before[BS_MOST_METRICS], after[BS_MOST_METRICS];
} calibrating;

static double surprise(const calibrating *c, double temperature)
{
    return c->data.task->surprise(&c->data, &c->y, temperature);
}

/* The sum is convex in 1 / T and so has one minimum, found by golden section search. */
static double find_temperature(const calibrating *c)
{
    const double ratio = (sqrt(5) - 1) / 2;
    double       low = log(0.05), high = log(20);
    double       a = high - ratio * (high - low), b = low + ratio * (high - low);
    double       at_a = surprise(c, exp(a)), at_b = surprise(c, exp(b));
    while (high - low > 1e-4) {
        if (at_a <= at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - ratio * (high - low);
            at_a = surprise(c, exp(a));
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + ratio * (high - low);
            at_b = surprise(c, exp(b));
        }
    }
    return exp((low + high) / 2);
}

static basin_status measure(const calibrating *c, double temperature, const bs_threshold *threshold,
                            double out[BS_MOST_METRICS], basin_error *err)
{
    const size_t n = (size_t)c->data.rows * (size_t)c->data.task->labels(&c->model->saved->known);
    bs_outputs   y = {.scores = bs_calloc(n + 1, sizeof *y.scores)};
    if (!y.scores)
        return bs_fail_nomem(err);
    for (size_t i = 0; i < n; i++)
        y.scores[i] = temperature > 0 ? bs_tempered(c->y.scores[i], temperature) : c->y.scores[i];
    basin_status s =
        bs_task_measure(&c->data, &c->model->saved->known, &y, threshold, &c->how, out, err);
    bs_outputs_free(&y);
    return s;
}

/* Maps the old threshold from the old temperature to the new one. */
static basin_status move_threshold(calibrating *c, basin_error *err)
{
    const bs_threshold *old = &c->model->saved->threshold;
    const double        by = c->temperature / (c->was > 0 ? c->was : 1);
    c->threshold = *old;
    c->threshold.per_label = NULL;
    c->threshold.global = bs_tempered(old->global, by);
    if (!old->per_label)
        return BASIN_OK;
    c->threshold.per_label = bs_calloc((size_t)old->labels, sizeof *c->threshold.per_label);
    if (!c->threshold.per_label)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < old->labels; i++)
        c->threshold.per_label[i] = bs_tempered(old->per_label[i], by);
    return BASIN_OK;
}

static basin_status write_model(const calibrating *c, basin_error *err)
{
    char   number[BS_NUMBER_TEXT], temperature[BS_NUMBER_TEXT + 16];
    bs_buf threshold;
    bs_buf_init(&threshold, (size_t)1 << 30);
    bs_threshold_write(&c->threshold, &threshold);
    bs_format_double(c->temperature, number);
    bs_print(temperature, sizeof temperature, "temperature %s", number);
    const bs_meta set[] = {{"basin.threshold", threshold.data}, {"basin.calibration", temperature}};
    basin_status s = threshold.failed ? bs_fail_nomem(err) : bs_model_rewrite(c->path, set, 2, err);
    bs_buf_free(&threshold);
    return s;
}

static basin_status calibrate(calibrating *c, const char *model, const char *const *files, int n,
                              const basin_calibrate_options *o, bs_logger *log, basin_error *err)
{
    const bs_asked asked = {.where = {o->device, o->threads}, .log = log};
    double         seconds;
    basin_status   s = bs_model_path(model, c->path, err);
    if (!s)
        s = basin_model_load(model, &c->model, err);
    if (s)
        return s;
    bs_model_file *m = c->model->saved;
    if (!m->task->tunes)
        return bs_fail(err, BASIN_EARG,
                       "%s: only models of label sets are calibrated; this is one "
                       "of task %s",
                       model, m->task->name);
    s = bs_model_file_set_all(m, o->set, err);
    if (!s)
        s = bs_profile_parse(m->settings.train.profile, &c->how.profile, err);
    if (!s)
        s = bs_read_for(m, files, n, NULL, false, log, &c->data, err);
    if (!s)
        s = m->task->outputs(&c->data, &m->known, &c->y, err);
    c->was = m->temperature;
    m->temperature = 0;
    if (!s)
        s = bs_model_predict(m, &c->data, &asked, &c->y, &seconds, err);
    if (s == BASIN_ENUMERIC)
        bs_error_in_files(files, n, s, err);
    if (!s)
        s = measure(c, c->was, &m->threshold, c->before, err);
    if (!s) {
        c->temperature = find_temperature(c);
        s = move_threshold(c, err);
    }
    if (!s)
        s = measure(c, c->temperature, &c->threshold, c->after, err);
    return s ? s : write_model(c, err);
}

static void write_texts(const calibrating *c, bs_buf *table, bs_buf *json)
{
    const double was = c->was > 0 ? c->was : 1;
    char         text[BS_THRESHOLD_TEXT];
    bs_buf_printf(table, "%-8s%12s%12s%12s\n", "", "temperature", "threshold", "ECE");
    bs_buf_printf(table, "%-8s%12.4f%12s%12.4f\n", "before:", was,
                  bs_threshold_text(&c->model->saved->threshold, text), c->before[BS_METRIC_ece]);
    bs_buf_printf(table, "%-8s%12.4f%12s%12.4f\n", "after:", c->temperature,
                  bs_threshold_text(&c->threshold, text), c->after[BS_METRIC_ece]);
    bs_buf_printf(table, "wrote %s\n", c->path);
    bs_json_open(json, NULL, '{');
    bs_json_open(json, "before", '{');
    bs_json_short(json, "temperature", 6, was);
    bs_task_json(c->data.task, "metrics", c->before, json);
    bs_json_close(json, '}');
    bs_json_open(json, "after", '{');
    bs_json_short(json, "temperature", 6, c->temperature);
    bs_task_json(c->data.task, "metrics", c->after, json);
    bs_buf_text(json, "}}");
}

basin_status basin_model_calibrate(const char *model, const char *const *files, int n,
                                   const basin_calibrate_options *options,
                                   const basin_session *session, basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_calibrate_options o;
    bs_logger               log;
    calibrating             c = {.model = NULL};
    bs_buf                  table, json;
    basin_status            s = bs_need_model(model, files, n, out, err);
    if (!s)
        s = BS_TAKE(basin_calibrate_options, options, &o, err);
    if (!s)
        s = bs_session_take(session, &log, err);
    if (!s)
        s = bs_need_where((bs_machine){o.device, o.threads}, err);
    if (s)
        return s;
    bs_buf_init(&table, 1 << 20);
    bs_buf_init(&json, 1 << 20);
    s = calibrate(&c, model, files, n, &o, &log, err);
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
