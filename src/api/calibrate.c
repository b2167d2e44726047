/* calibrate.c -- basin_model_calibrate: makes probabilities match the frequency of being right.
 *
 * A single temperature divides all logits (Guo et al. 2017), or an increasing function maps scores
 * (Zadrozny and Elkan 2002): the order of labels stays, and so do decisions, since thresholds go
 * through the same function. What is said about the result is by calibrations that have not seen
 * the rows: of each third by the others. */
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "data/metric.h"

enum { PARTS = 3, BINS = 10 };

/* Neither: none. */
typedef struct {
    double             temperature;
    const bs_monotone *map;
} calibration;

/* How often what had a score was true. */
typedef struct {
    double cells, scores, on;
} bin;

typedef struct {
    basin_model     *model;
    bs_logger       *log; /* asked whether to stop */
    char             path[BS_OPTION_TEXT + 64];
    bs_dataset       data;
    bs_outputs       y;     /* without calibration */
    bool            *truth; /* of these scores */
    bs_scored_truth *room;  /* as many */
    bs_arena         arena;
    bool             isotonic;
    calibration      was, is;
    bs_threshold     threshold;
    bs_counting      how;
    double           before[BS_MOST_METRICS], after[BS_MOST_METRICS];
    bin              bins[2][BINS]; /* before, after */
} calibrating;

static size_t labels_of(const calibrating *c)
{
    return (size_t)c->data.task->labels(&c->model->saved->known);
}

static float apply(const calibration *k, float p)
{
    return k->map               ? (float)bs_monotone_at(k->map, (double)p)
           : k->temperature > 0 ? bs_tempered(p, k->temperature)
                                : p;
}

/* Maps a threshold from the old scores to the new ones. */
static float move(const calibrating *c, float p)
{
    if (!c->was.map && !c->is.map)
        return bs_tempered(p,
                           c->is.temperature / (c->was.temperature > 0 ? c->was.temperature : 1));
    if (c->was.map) {
        const bs_monotone back = bs_monotone_inverse(c->was.map);
        p = (float)bs_monotone_at(&back, (double)p);
    } else if (c->was.temperature > 0) {
        p = bs_tempered(p, 1 / c->was.temperature);
    }
    return apply(&c->is, p);
}

/* ---- fitting ---- */

/* -log of the probability of the truth, with all logits divided by a temperature. */
static double surprise(const bs_scored_truth *x, size_t n, double temperature)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double q = fmin(fmax((double)x[i].score, 1e-7), 1 - 1e-7);
        const double z = log(q / (1 - q)) / temperature;
        sum += log1p(exp(-fabs(z))) + fmax(x[i].truth ? -z : z, 0);
    }
    return sum;
}

/* The sum is convex in 1 / T and so has one minimum, found by golden section search. */
static basin_status find_temperature(bs_logger *asked, const bs_scored_truth *x, size_t n,
                                     double *out, basin_error *err)
{
    const double ratio = (sqrt(5) - 1) / 2;
    double       low = log(0.05), high = log(20);
    double       a = high - ratio * (high - low), b = low + ratio * (high - low);
    double       at_a = surprise(x, n, exp(a)), at_b = surprise(x, n, exp(b));
    while (high - low > 1e-4) {
        if (bs_event_stopped(asked))
            return bs_fail(err, BASIN_EINTERRUPTED, "interrupted");
        if (at_a <= at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - ratio * (high - low);
            at_a = surprise(x, n, exp(a));
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + ratio * (high - low);
            at_b = surprise(x, n, exp(b));
        }
    }
    *out = exp((low + high) / 2);
    return BASIN_OK;
}

/* To all rows but those of a part; -1: to all. */
static basin_status fit(calibrating *c, int but, calibration *out, basin_error *err)
{
    const size_t L = labels_of(c);
    size_t       n = 0;
    for (int32_t r = 0; r < c->data.rows; r++)
        for (size_t i = (size_t)r * L; r % PARTS != but && i < ((size_t)r + 1) * L; i++)
            c->room[n++] = (bs_scored_truth){c->y.scores[i], c->truth[i]};
    *out = (calibration){0, NULL};
    if (!c->isotonic)
        return find_temperature(c->log, c->room, n, &out->temperature, err);
    bs_monotone *map = bs_arena_alloc(&c->arena, sizeof *map);
    out->map = map;
    return map ? bs_monotone_fit(c->room, n, &c->arena, map, err) : bs_fail_nomem(err);
}

/* ---- measuring ---- */

/* part[r % n] is for row r. */
static basin_status measure(const calibrating *c, const calibration *part, int n,
                            const bs_threshold *threshold, double out[BS_MOST_METRICS],
                            bin bins[BINS], basin_error *err)
{
    const size_t L = labels_of(c);
    bs_outputs   y = {.scores = bs_calloc((size_t)c->data.rows * L + 1, sizeof *y.scores)};
    if (!y.scores)
        return bs_fail_nomem(err);
    for (size_t i = 0; i < (size_t)c->data.rows * L; i++) {
        const double p = (double)(y.scores[i] = apply(&part[i / L % (size_t)n], c->y.scores[i]));
        const int    at = p < 1 ? (int)(p * BINS) : BINS - 1;
        if (bins) {
            bins[at].cells++;
            bins[at].scores += p;
            bins[at].on += c->truth[i];
        }
    }
    basin_status s =
        bs_task_measure(&c->data, &c->model->saved->known, &y, threshold, &c->how, out, err);
    bs_outputs_free(&y);
    return s;
}

/* Decisions are those of the calibration that is kept; errors of scores by one that has not seen
 * them. */
static basin_status measure_after(calibrating *c, basin_error *err)
{
    calibration  part[PARTS];
    double       unseen[BS_MOST_METRICS];
    basin_status s = measure(c, &c->is, 1, &c->threshold, c->after, NULL, err);
    for (int k = 0; k < PARTS && !s; k++)
        s = fit(c, k, &part[k], err);
    if (!s)
        s = measure(c, part, PARTS, &c->threshold, unseen, c->bins[1], err);
    if (!s)
        c->after[BS_METRIC_ece] = unseen[BS_METRIC_ece];
    return s;
}

static basin_status move_threshold(calibrating *c, basin_error *err)
{
    const bs_threshold *old = &c->model->saved->threshold;
    c->threshold = *old;
    c->threshold.per_label = NULL;
    c->threshold.global = move(c, old->global);
    if (!old->per_label)
        return BASIN_OK;
    c->threshold.per_label = bs_calloc((size_t)old->labels, sizeof *c->threshold.per_label);
    if (!c->threshold.per_label)
        return bs_fail_nomem(err);
    for (int32_t i = 0; i < old->labels; i++)
        c->threshold.per_label[i] = move(c, old->per_label[i]);
    return BASIN_OK;
}

static basin_status write_model(const calibrating *c, basin_error *err)
{
    char   number[BS_NUMBER_TEXT];
    bs_buf threshold, text;
    bs_buf_init(&threshold, (size_t)1 << 30);
    bs_buf_init(&text, (size_t)1 << 30);
    bs_threshold_write(&c->threshold, &threshold);
    bs_format_double(c->is.temperature, number);
    bs_buf_printf(&text, "%s %s", c->isotonic ? "isotonic" : "temperature",
                  c->isotonic ? "" : number);
    if (c->isotonic)
        bs_monotone_write(c->is.map, &text);
    const bs_meta set[] = {{"basin.threshold", threshold.data}, {"basin.calibration", text.data}};
    basin_status  s = threshold.failed || text.failed ? bs_fail_nomem(err)
                                                      : bs_model_rewrite(c->path, set, 2, err);
    bs_buf_free(&threshold);
    bs_buf_free(&text);
    return s;
}

static basin_status take_kind(calibrating *c, const char *kind, basin_error *err)
{
    c->isotonic = kind && strcmp(kind, "isotonic") == 0;
    if (!kind || c->isotonic || strcmp(kind, "temperature") == 0)
        return BASIN_OK;
    return bs_fail(err, BASIN_EARG, "--kind: '%.40s' is not temperature or isotonic", kind);
}

/* The truth of every score. */
static basin_status take_truth(calibrating *c, basin_error *err)
{
    const size_t n = (size_t)c->data.rows * labels_of(c);
    c->truth = bs_calloc(n + 1, sizeof *c->truth);
    c->room = bs_calloc(n + 1, sizeof *c->room);
    if (!c->truth || !c->room)
        return bs_fail_nomem(err);
    c->data.task->truths(&c->data, c->truth);
    return BASIN_OK;
}

static basin_status calibrate(calibrating *c, const char *model, const char *const *files, int n,
                              const basin_calibrate_options *o, bs_logger *log, basin_error *err)
{
    const bs_asked asked = {.where = {o->device, o->threads}, .log = log};
    c->log = log;
    double       seconds;
    basin_status s = take_kind(c, o->kind, err);
    if (!s)
        s = bs_model_path(model, c->path, err);
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
    c->was = (calibration){m->temperature, m->map};
    m->temperature = 0;
    m->map = NULL;
    if (!s)
        s = bs_model_predict(m, &c->data, &asked, &c->y, &seconds, err);
    if (s == BASIN_ENUMERIC)
        bs_error_in_files(files, n, s, err);
    if (!s)
        s = take_truth(c, err);
    if (!s)
        s = measure(c, &c->was, 1, &m->threshold, c->before, c->bins[0], err);
    if (!s)
        s = fit(c, -1, &c->is, err);
    if (!s)
        s = move_threshold(c, err);
    if (!s)
        s = measure_after(c, err);
    return s ? s : write_model(c, err);
}

/* ---- text ---- */

static const char *kind_of(const calibration *k)
{
    return k->map ? "isotonic" : k->temperature > 0 ? "temperature" : "none";
}

static void put_row(const char *when, const calibration *k, const bs_threshold *threshold,
                    double ece, bs_buf *table)
{
    char text[BS_THRESHOLD_TEXT], name[48];
    bs_print(name, sizeof name, k->temperature > 0 ? "%s %.4f" : "%s", kind_of(k), k->temperature);
    bs_buf_printf(table, "%-8s%-20s%12s%10.4f\n", when, name, bs_threshold_text(threshold, text),
                  ece);
}

static void put_bins(const bin *b, bs_buf *table)
{
    if (b->cells > 0)
        bs_buf_printf(table, "%11.0f%10.3f%10.3f", b->cells, b->scores / b->cells,
                      b->on / b->cells);
    else
        bs_buf_printf(table, "%11s%10s%10s", "0", "-", "-");
}

static void put_json(const calibrating *c, const char *key, const calibration *k,
                     const double metrics[BS_MOST_METRICS], const bin bins[BINS], bs_buf *json)
{
    bs_json_open(json, key, '{');
    bs_json_text(json, "calibration", kind_of(k));
    if (!k->map)
        bs_json_short(json, "temperature", 6, k->temperature > 0 ? k->temperature : 1);
    bs_task_json(c->data.task, "metrics", metrics, json);
    bs_json_open(json, "reliability", '[');
    for (int i = 0; i < BINS; i++) {
        bs_json_open(json, NULL, '{');
        bs_json_members(json, "scores %.0f", bins[i].cells);
        bs_json_known(json, "mean", bins[i].scores / bins[i].cells);
        bs_json_known(json, "frequency", bins[i].on / bins[i].cells);
        bs_json_close(json, '}');
    }
    bs_json_close(json, ']');
    bs_json_close(json, '}');
}

static void write_texts(const calibrating *c, bs_buf *table, bs_buf *json)
{
    bs_buf_printf(table, "%-8s%-20s%12s%10s\n", "", "calibration", "threshold", "ECE");
    put_row("before:", &c->was, &c->model->saved->threshold, c->before[BS_METRIC_ece], table);
    put_row("after:", &c->is, &c->threshold, c->after[BS_METRIC_ece], table);
    bs_buf_printf(table, "\n%-9s%11s%10s%10s%11s%10s%10s\n", "score", "before", "mean", "true",
                  "after", "mean", "true");
    for (int i = 0; i < BINS; i++) {
        bs_buf_printf(table, "%.1f..%.1f ", (double)i / BINS, (i + 1.0) / BINS);
        put_bins(&c->bins[0][i], table);
        put_bins(&c->bins[1][i], table);
        bs_buf_text(table, "\n");
    }
    bs_buf_printf(table,
                  "ECE and scores after: of each third of the rows by a calibration on the others\n"
                  "wrote %s\n",
                  c->path);
    bs_json_open(json, NULL, '{');
    put_json(c, "before", &c->was, c->before, c->bins[0], json);
    put_json(c, "after", &c->is, c->after, c->bins[1], json);
    bs_json_close(json, '}');
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
    bs_arena_init(&c.arena, 0);
    bs_buf_init(&table, 1 << 20);
    bs_buf_init(&json, 1 << 20);
    s = calibrate(&c, model, files, n, &o, &log, err);
    if (!s)
        write_texts(&c, &table, &json);
    bs_outputs_free(&c.y);
    bs_dataset_free(&c.data);
    bs_threshold_free(&c.threshold);
    bs_free(c.truth);
    bs_free(c.room);
    bs_arena_free(&c.arena);
    basin_model_free(c.model);
    if (!s)
        return bs_text_take(&table, &json, out, err);
    bs_buf_free(&table);
    bs_buf_free(&json);
    return s;
}
