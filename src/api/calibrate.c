/* calibrate.c -- basin_model_calibrate: makes probabilities match the frequency of being right.
 *
 * A single temperature divides all logits (Guo et al. 2017), or an increasing function maps scores
 * (Zadrozny and Elkan 2002): the order of labels stays, and so do decisions, since thresholds go
 * through the same function. What is said about the result is by calibrations that have not seen
 * the rows: of each third by the others. */
#include <math.h>
#include <string.h>

#include "api/adjust.h"
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
    bs_adjustment    a;     /* its y: without calibration */
    bool            *truth; /* of these scores */
    bs_scored_truth *room;  /* as many */
    bs_arena         arena;
    bool             isotonic;
    calibration      was, is;
    bin              bins[2][BINS]; /* before, after */
} calibrating;

static size_t labels_of(const calibrating *c)
{
    return (size_t)basin_model_labels(c->a.call.opened);
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
    for (int32_t r = 0; r < c->a.data.rows; r++)
        for (size_t i = (size_t)r * L; r % PARTS != but && i < ((size_t)r + 1) * L; i++)
            c->room[n++] = (bs_scored_truth){c->a.y.scores[i], c->truth[i]};
    *out = (calibration){0, NULL};
    if (!c->isotonic)
        return find_temperature(&c->a.call.log, c->room, n, &out->temperature, err);
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
    const size_t L = labels_of(c), cells = (size_t)c->a.data.rows * L;
    bs_outputs   y = {.scores = bs_calloc(cells + 1, sizeof *y.scores)};
    if (!y.scores)
        return bs_fail_nomem(err);
    for (size_t i = 0; i < cells; i++) {
        const double p = (double)(y.scores[i] = apply(&part[i / L % (size_t)n], c->a.y.scores[i]));
        const int    at = p < 1 ? (int)(p * BINS) : BINS - 1;
        if (bins) {
            bins[at].cells++;
            bins[at].scores += p;
            bins[at].on += c->truth[i];
        }
    }
    basin_status s = bs_adjust_measure(&c->a, &y, threshold, out, err);
    bs_outputs_free(&y);
    return s;
}

/* Decisions are those of the calibration that is kept; errors of scores by one that has not seen
 * them. */
static basin_status measure_after(calibrating *c, basin_error *err)
{
    calibration  part[PARTS];
    double       unseen[BS_MOST_METRICS];
    basin_status s = measure(c, &c->is, 1, &c->a.threshold, c->a.after, NULL, err);
    for (int k = 0; k < PARTS && !s; k++)
        s = fit(c, k, &part[k], err);
    if (!s)
        s = measure(c, part, PARTS, &c->a.threshold, unseen, c->bins[1], err);
    if (!s)
        c->a.after[BS_METRIC_ece] = unseen[BS_METRIC_ece];
    return s;
}

static basin_status move_threshold(calibrating *c, basin_error *err)
{
    const bs_threshold *old = &c->a.call.opened->saved->threshold;
    bs_threshold *new = &c->a.threshold;
    *new = *old;
    new->global = move(c, old->global);
    new->per_label = NULL;
    if (!old->per_label)
        return BASIN_OK;
    new->per_label = bs_calloc((size_t)old->labels, sizeof *new->per_label);
    for (int32_t i = 0; new->per_label &&i < old->labels; i++)
        new->per_label[i] = move(c, old->per_label[i]);
    return new->per_label ? BASIN_OK : bs_fail_nomem(err);
}

static basin_status write_model(const calibrating *c, basin_error *err)
{
    char   number[BS_NUMBER_TEXT];
    bs_buf text;
    bs_buf_init(&text, (size_t)1 << 30);
    bs_format_double(c->is.temperature, number);
    bs_buf_printf(&text, "%s %s", c->isotonic ? "isotonic" : "temperature",
                  c->isotonic ? "" : number);
    if (c->isotonic)
        bs_monotone_write(c->is.map, &text);
    basin_status s = text.failed ? bs_fail_nomem(err) : bs_adjust_write(&c->a, text.data, err);
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

/* The uncalibrated scores, and the truth of each. */
static basin_status take_scores(calibrating *c, basin_error *err)
{
    bs_model_file *m = c->a.call.opened->saved;
    const size_t   n = (size_t)c->a.data.rows * labels_of(c);
    c->was = (calibration){m->temperature, m->map};
    m->temperature = 0;
    m->map = NULL;
    basin_status s = bs_adjust_predict(&c->a, err);
    c->truth = bs_calloc(n + 1, sizeof *c->truth);
    c->room = bs_calloc(n + 1, sizeof *c->room);
    if (!s && (!c->truth || !c->room))
        s = bs_fail_nomem(err);
    if (!s)
        m->task->truths(&c->a.data, c->truth);
    return s;
}

/* ---- text ---- */

static const char *kind_of(const calibration *k)
{
    return k->map ? "isotonic" : k->temperature > 0 ? "temperature" : "none";
}

static void put_row(calibrating *c, const char *when, const calibration *k,
                    const bs_threshold *threshold, double ece)
{
    char text[BS_THRESHOLD_TEXT], name[48];
    bs_print(name, sizeof name, k->temperature > 0 ? "%s %.4f" : "%s", kind_of(k), k->temperature);
    bs_buf_printf(&c->a.table, "%-8s%-20s%12s%10.4f\n", when, name,
                  bs_threshold_text(threshold, text), ece);
}

static void put_bins(const bin *b, bs_buf *table)
{
    if (b->cells > 0)
        bs_buf_printf(table, "%11.0f%10.3f%10.3f", b->cells, b->scores / b->cells,
                      b->on / b->cells);
    else
        bs_buf_printf(table, "%11s%10s%10s", "0", "-", "-");
}

static void put_json(calibrating *c, const char *key, const calibration *k,
                     const double metrics[BS_MOST_METRICS], const bin bins[BINS])
{
    bs_buf *json = &c->a.json;
    bs_json_open(json, key, '{');
    bs_json_text(json, "calibration", kind_of(k));
    if (!k->map)
        bs_json_short(json, "temperature", 6, k->temperature > 0 ? k->temperature : 1);
    bs_task_json(c->a.data.task, "metrics", metrics, json);
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

static void write_texts(calibrating *c)
{
    bs_adjustment *a = &c->a;
    bs_buf_printf(&a->table, "%-8s%-20s%12s%10s\n", "", "calibration", "threshold", "ECE");
    put_row(c, "before:", &c->was, &a->call.opened->saved->threshold, a->before[BS_METRIC_ece]);
    put_row(c, "after:", &c->is, &a->threshold, a->after[BS_METRIC_ece]);
    bs_buf_printf(&a->table, "\n%-9s%11s%10s%10s%11s%10s%10s\n", "score", "before", "mean", "true",
                  "after", "mean", "true");
    for (int i = 0; i < BINS; i++) {
        bs_buf_printf(&a->table, "%.1f..%.1f ", (double)i / BINS, (i + 1.0) / BINS);
        put_bins(&c->bins[0][i], &a->table);
        put_bins(&c->bins[1][i], &a->table);
        bs_buf_text(&a->table, "\n");
    }
    bs_buf_printf(&a->table,
                  "ECE and scores after: of each third of the rows by a calibration on the others\n"
                  "wrote %s\n",
                  a->path);
    bs_json_open(&a->json, NULL, '{');
    put_json(c, "before", &c->was, a->before, c->bins[0]);
    put_json(c, "after", &c->is, a->after, c->bins[1]);
    bs_json_close(&a->json, '}');
}

basin_status basin_model_calibrate(const char *model, const char *const *files, int n,
                                   const basin_calibrate_options *options,
                                   const basin_session *session, basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_calibrate_options o;
    basin_status            s = bs_need_model(model, files, n, out, err);
    if (!s)
        s = BS_TAKE(basin_calibrate_options, options, &o, err);
    if (s)
        return s;
    calibrating c = {
        .a.call = {model, files, n, o.set, {o.device, o.threads}, o.encoder, .opened = NULL}};
    bs_arena_init(&c.arena, 0);
    s = bs_adjust_open(&c.a, session, err);
    if (!s)
        s = take_kind(&c, o.kind, err);
    if (!s)
        s = take_scores(&c, err);
    if (!s)
        s = measure(&c, &c.was, 1, &c.a.call.opened->saved->threshold, c.a.before, c.bins[0], err);
    if (!s)
        s = fit(&c, -1, &c.is, err);
    if (!s)
        s = move_threshold(&c, err);
    if (!s)
        s = measure_after(&c, err);
    if (!s)
        s = write_model(&c, err);
    if (!s)
        write_texts(&c);
    bs_free(c.truth);
    bs_free(c.room);
    bs_arena_free(&c.arena);
    return bs_adjust_close(&c.a, s, out, err);
}
