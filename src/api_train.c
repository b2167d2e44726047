/* api_train.c -- basin_train: one run or several seeds, and the text about them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "base/io.h"

/* The order of precedence: defaults, those of the method, preset, config file, --set. */
basin_status bs_config_resolve(const basin_config *c, const char *method, bs_settings *s,
                               basin_error *err)
{
    const bs_method *m;
    basin_status     status = bs_settings_default(s, err);
    if (status)
        return status;
    method = method ? method : c->settings.train.method;
    method = strcmp(method, "auto") == 0 ? BS_DEFAULT_METHOD : method;
    status = bs_method_find(method, "mlc", &m, err);
    if (!status && m->defaults)
        status = bs_settings_words(s, m->defaults, method, err);
    if (!status && *c->settings.train.preset)
        status = bs_preset_apply(s, c->settings.train.preset, method, err);
    if (!status && c->lines.len > 0)
        status = bs_settings_config(s, c->lines.data, c->lines.len, "config", err);
    const char *at = c->given.data, *end = at ? at + c->given.len : NULL;
    while (!status && at < end) {
        const char *value = at + strlen(at) + 1;
        status = bs_settings_set(s, at, value, "--set", err);
        at = value + strlen(value) + 1;
    }
    return status ? status : bs_settings_set(s, "method", method, "--method", err);
}

/* ---- files ---- */

void bs_exchange_files(bs_files *files, bs_train_options *o, char text[][BS_OPTION_TEXT])
{
    char *setting[BS_ROLES] = {o->file_train, o->file_valid, o->file_test};
    bool  given = files->n[0] > 0;
    for (int role = 0; role < BS_ROLES; role++) {
        if (given) {
            size_t used = 0;
            setting[role][0] = '\0';
            for (int i = 0; i < files->n[role] && used < BS_OPTION_TEXT; i++)
                used += (size_t)snprintf(setting[role] + used, BS_OPTION_TEXT - used, "%s%s",
                                         i ? "|" : "", files->file[role][i]);
            if (used >= BS_OPTION_TEXT) /* too long to be kept */
                setting[role][0] = '\0';
            continue;
        }
        memcpy(text[role], setting[role], BS_OPTION_TEXT);
        for (char *at = text[role]; at && *at && files->n[role] < BS_MOST_FILES;) {
            files->file[role][files->n[role]++] = at;
            at = strchr(at, '|');
            if (at)
                *at++ = '\0';
        }
    }
}

/* ---- text ---- */

static void number(const char *key, double v, bs_buf *out)
{
    char text[BS_NUMBER_TEXT];
    bs_format_double(v, text);
    bs_buf_printf(out, ", \"%s\": %s", key, text);
}

static void metrics(const char *key, const double v[BS_METRIC_COUNT], bs_buf *out)
{
    bs_buf_printf(out, ", \"%s\": ", key);
    bs_metrics_json(v, out);
}

void bs_json_quote(const char *text, bs_buf *out)
{
    bs_buf_text(out, "\"");
    for (; *text; text++)
        if ((unsigned char)*text < 0x20)
            bs_buf_printf(out, "\\u%04x", (unsigned)*text);
        else
            bs_buf_printf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    bs_buf_text(out, "\"");
}

void bs_outcome_json(const bs_settings *s, const bs_train_outcome *o, const char *folder,
                     bs_buf *out)
{
    bs_buf_printf(out,
                  "{\"task\": \"%s\", \"method\": \"%s\", \"seed\": %d, \"epochs\": %d, "
                  "\"best_epoch\": %d",
                  s->train.task, s->train.method, s->train.seed, o->epochs, o->best_epoch);
    number("seconds", o->seconds, out);
    number("train_rows_per_s", o->rows_per_s, out);
    number("params_net", (double)o->params_net, out);
    number("params_energy", (double)o->params_energy, out);
    bs_buf_text(out, ", \"run\": ");
    bs_json_quote(folder ? folder : "", out);
    metrics("valid", o->valid, out);
    if (o->has_test)
        metrics("test", o->test, out);
    if (o->threshold.kind != BS_THRESHOLD_TOP_K)
        number("threshold", (double)o->threshold.global, out);
    metrics("valid_tuned", o->valid_tuned, out);
    if (o->has_test)
        metrics("test_tuned", o->test_tuned, out);
    bs_buf_text(out, "}");
}

static void outcome_table(const bs_train_outcome *o, const char *profile, const char *folder,
                          bs_buf *out)
{
    char name[32];
    bs_metric_header(out);
    bs_metric_row("dev  @0.50", o->valid, 0, out);
    snprintf(name, sizeof name, "dev  @%.2f", (double)o->threshold.global);
    bool cut = o->threshold.kind != BS_THRESHOLD_TOP_K;
    bs_metric_row(cut ? name : "dev  top-k", o->valid_tuned, 0, out);
    if (o->has_test) {
        bs_metric_row("test @0.50", o->test, 0, out);
        snprintf(name, sizeof name, "test @%.2f", (double)o->threshold.global);
        bs_metric_row(cut ? name : "test top-k", o->test_tuned, o->test_margin, out);
    }
    bs_buf_printf(out, "best epoch %d of %d, %.1f s, %.0f rows/s; conventions: %s\n", o->best_epoch,
                  o->epochs, o->seconds, o->rows_per_s, profile);
    if (folder)
        bs_buf_printf(out,
                      "wrote %s: best.safetensors, config, metrics.jsonl, manifest.json\n"
                      "next: basin eval %s DATA   |   basin predict %s DATA\n",
                      folder, folder, folder);
}

/* Mean and standard deviation (n - 1) over seeds, metric by metric. */
static void spread(const bs_train_outcome *o, int n, size_t offset, bool deviation,
                   double out[BS_METRIC_COUNT])
{
    for (int k = 0; k < BS_METRIC_COUNT; k++) {
        double mean = 0, square = 0;
        for (int i = 0; i < n; i++)
            mean += ((const double *)(const void *)((const char *)&o[i] + offset))[k] / n;
        for (int i = 0; i < n; i++) {
            double d = ((const double *)(const void *)((const char *)&o[i] + offset))[k] - mean;
            square += d * d;
        }
        out[k] = !deviation ? mean : n > 1 ? sqrt(square / (n - 1)) : 0;
    }
}

static const struct {
    const char *key;
    size_t      offset;
    bool        test;
} part[] = {{"valid", offsetof(bs_train_outcome, valid), false},
            {"test", offsetof(bs_train_outcome, test), true},
            {"valid_tuned", offsetof(bs_train_outcome, valid_tuned), false},
            {"test_tuned", offsetof(bs_train_outcome, test_tuned), true}};

void bs_spread_json(const char *key, const bs_train_outcome *o, int n, bool deviation, bs_buf *out)
{
    double values[BS_METRIC_COUNT];
    bool   first = true;
    bs_buf_printf(out, ", \"%s\": {", key);
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        if (part[i].test && !o[0].has_test)
            continue;
        spread(o, n, part[i].offset, deviation, values);
        bs_buf_printf(out, "%s\"%s\": ", first ? "" : ", ", part[i].key);
        bs_metrics_json(values, out);
        first = false;
    }
    bs_buf_text(out, "}");
}

static void seeds_table(const bs_train_outcome *o, int n, bs_buf *out)
{
    double mean[BS_METRIC_COUNT], sd[BS_METRIC_COUNT];
    bs_buf_printf(out, "mean of %d seeds, +- standard deviation over seeds\n", n);
    bs_metric_header(out);
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        if (part[i].test && !o[0].has_test)
            continue;
        spread(o, n, part[i].offset, false, mean);
        spread(o, n, part[i].offset, true, sd);
        bs_metric_row(part[i].key, mean, sd[BS_METRIC_example_f1], out);
    }
}

/* ---- runs ---- */

static basin_status train_one(const bs_settings *s, const bs_prepared *data, const char *folder,
                              int resume, const basin_session *session, bs_logger *log,
                              bs_train_outcome *out, basin_error *err)
{
    bs_train_job job = {.settings = s,
                        .train = data->part[0],
                        .valid = data->part[1],
                        .test = data->part[2],
                        .schema = &data->schema,
                        .folder = folder,
                        .resume = resume,
                        .log = log,
                        .stop = session ? session->stop : NULL};
    bs_log_say(log, BS_INFO,
               "task %s, method %s, seed %d: %d rows to train, %d valid, %d test; "
               "%d features, %d labels",
               s->train.task, s->train.method, s->train.seed, (int)job.train->rows,
               (int)job.valid->rows, job.test ? (int)job.test->rows : 0,
               (int)data->schema.n_features, (int)data->schema.n_labels);
    return bs_train(&job, out, err);
}

/* Each seed has a folder of its own; a finished one is not trained again. */
static basin_status train_seeds(bs_settings *s, const bs_prepared *data, const char *folder,
                                int seeds, int resume, const basin_session *session, bs_logger *log,
                                bs_train_outcome *outcome, bs_buf *table, bs_buf *json,
                                basin_error *err)
{
    const int    first = s->train.seed;
    basin_status status = BASIN_OK;
    bs_buf_text(json, seeds > 1 ? "{\"runs\": [" : "");
    for (int i = 0; i < seeds && !status; i++) {
        char own[BS_OPTION_TEXT + 64];
        s->train.seed = first + i;
        if (folder)
            snprintf(own, sizeof own, seeds > 1 ? "%s/seed-%d" : "%s", folder, s->train.seed);
        status = train_one(s, data, folder ? own : NULL, resume, session, log, &outcome[i], err);
        if (status)
            break;
        bs_buf_text(json, i > 0 ? ", " : "");
        bs_outcome_json(s, &outcome[i], folder ? own : NULL, json);
        if (seeds > 1)
            bs_log_say(log, BS_INFO, "seed %d: best epoch %d, dev ex-F1 %.2f%s", s->train.seed,
                       outcome[i].best_epoch, 100 * outcome[i].valid[BS_METRIC_example_f1], "");
        else
            outcome_table(&outcome[0], s->train.profile, folder, table);
    }
    if (!status && seeds > 1) {
        bs_buf_text(json, "]");
        bs_spread_json("mean", outcome, seeds, false, json);
        bs_spread_json("sd", outcome, seeds, true, json);
        bs_buf_text(json, "}");
        seeds_table(outcome, seeds, table);
    }
    return status;
}

basin_status basin_train(const basin_config *c, const char *folder, int seeds, int resume,
                         const basin_session *session, basin_text *out, basin_error *err)
{
    bs_logger   log = bs_session_log(session);
    bs_settings s;
    bs_prepared data;
    bs_buf      table, json;
    *out = (basin_text){NULL, NULL};
    if (seeds < 1 || seeds > BS_MOST_SEEDS)
        return bs_fail(err, BASIN_EARG, "--seeds: %d is not in 1..%d", seeds, BS_MOST_SEEDS);
    if (folder && strlen(folder) >= BS_OPTION_TEXT)
        return bs_fail(err, BASIN_EARG, "-o: the name of the run folder is too long");
    basin_status status = bs_config_resolve(c, NULL, &s, err);
    bs_files     files = c->files;
    char         names[BS_ROLES][BS_OPTION_TEXT];
    bs_exchange_files(&files, &s.train, names);
    if (!status)
        status = bs_prepare(&s, &files, &log, &data, err);
    if (status)
        return status;
    bs_train_outcome *outcome = bs_calloc((size_t)seeds, sizeof *outcome);
    bs_buf_init(&table, 1 << 24);
    bs_buf_init(&json, 1 << 28);
    status = outcome ? train_seeds(&s, &data, folder, seeds, resume, session, &log, outcome, &table,
                                   &json, err)
                     : bs_fail_nomem(err);
    for (int i = 0; outcome && i < seeds; i++)
        bs_threshold_free(&outcome[i].threshold);
    bs_free(outcome);
    bs_prepared_free(&data);
    if (!status)
        return bs_text_take(&table, &json, out, err);
    bs_buf_free(&table);
    bs_buf_free(&json);
    return status;
}
