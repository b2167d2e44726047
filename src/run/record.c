/* record.c -- the table that people watch, and files of the run folder that are not needed to
 * resume: config, manifest.json, metrics.jsonl. */
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "base/threads.h"
#include "base/tree.h"
#include "run/trainer.h"

/* The manifest is also for people: one member per line. */
static void next_line(bs_buf *out)
{
    bs_buf_text(out, out->len ? ",\n  " : "{\n  ");
}

static void data_json(const char *name, const bs_dataset *d, bs_buf *out)
{
    next_line(out);
    bs_json_open(out, name, '{');
    bs_json_int(out, d->task->unit, d->rows);
    if (d->unlabelled > 0)
        bs_json_int(out, "unlabelled", d->unlabelled);
    bs_json_hash(out, "hash", d->hash);
    bs_json_close(out, '}');
}

basin_status bs_record_manifest(const bs_train_job *j, int64_t params, basin_error *err)
{
    if (!j->folder)
        return BASIN_OK;
    const bs_train_options *o = &j->settings->train;
    struct utsname          machine = {0};
    struct rusage           used = {0};
    bs_buf                  text, known;
    bs_buf_init(&text, 1 << 20);
    uname(&machine);
    getrusage(RUSAGE_SELF, &used);
    bs_buf_init(&known, 1 << 20);
    j->train->task->known_text(j->known, &known);
    next_line(&text);
    bs_json_text(&text, "basin", BASIN_VERSION);
    next_line(&text);
    bs_json_int(&text, "seed", o->seed);
    next_line(&text);
    bs_json_text(&text, "task", o->task);
    next_line(&text);
    bs_json_text(&text, "method", o->method);
    next_line(&text);
    bs_json_text(&text, "data", known.data);
    text.failed = text.failed || known.failed;
    bs_buf_free(&known);
    data_json("train", j->train, &text);
    data_json("valid", j->valid, &text);
    if (j->test)
        data_json("test", j->test, &text);
    next_line(&text);
    bs_json_open(&text, "machine", '{');
    bs_json_members(&text, "system %s release %s hardware %s cores %d threads %d", machine.sysname,
                    machine.release, machine.machine, omp_get_num_procs(), bs_threads(o->threads));
    bs_json_close(&text, '}');
    next_line(&text);
    bs_json_open(&text, "memory", '{');
    bs_json_members(&text, "parameters %lld peak %lld", (long long)params * (long long)sizeof(real),
                    1024 * (long long)used.ru_maxrss);
    bs_buf_text(&text, "}\n}\n");
    return bs_path_write(j->folder, "manifest.json", &text, err);
}

basin_status bs_record_start(const bs_train_job *j, int64_t params, bool anew, basin_error *err)
{
    if (!j->folder)
        return BASIN_OK;
    static const char *const old[] = {"outcome.json", "metrics.jsonl", BS_UNFINISHED_FILE};
    bs_buf                   text;
    basin_status             s = bs_make_dir(j->folder, err);
    if (s)
        return s;
    bs_sweep(j->folder, 0);
    bs_sweep(bs_path_in(j->folder, "last").text, 0);
    for (int i = 0; i < (anew ? 3 : 1); i++) /* it is not finished any more */
        unlink(bs_path_in(j->folder, old[i]).text);
    bs_buf_init(&text, 1 << 20);
    bs_buf_text(&text, "# 'basin train --config THIS -o NEW' repeats this run\n");
    bs_settings_write_config(j->settings, &text);
    s = bs_path_write(j->folder, "config", &text, err);
    return s ? s : bs_record_manifest(j, params, err);
}

/* ---- metrics.jsonl ---- */

static void epoch_json(const bs_trainer *t, const double valid[BS_MOST_METRICS], bool best,
                       bs_buf *out)
{
    const bs_learner *l = &t->learner;
    const bs_phase   *phase = &t->method->phase[l->phase];
    bs_json_open(out, NULL, '{');
    bs_json_members(out, "epoch %d phase %s step %lld", t->epoch, phase->name, (long long)l->step);
    for (int i = 0; i < BS_DIAGNOSTIC_COUNT; i++)
        if (l->diagnostic[i].n > 0)
            bs_json_known(out, bs_diagnostic_name[i],
                          l->diagnostic[i].sum / (double)l->diagnostic[i].n);
    if (phase->net)
        bs_json_known(out, "lr_net", l->net->update.rate);
    if (phase->energy)
        bs_json_known(out, "lr_energy", l->energy->update.rate);
    bs_json_known(out, "cross_entropy_valid", t->valid_loss);
    bs_task_json_known(t->job->valid->task, "valid", valid, out);
    bs_json_bool(out, "best", best);
    bs_json_fixed(out, "seconds", 3, t->seconds + bs_seconds() - t->started);
    bs_buf_text(out, "}\n");
}

/* Appends one line; rewinding drops a line that a crash has cut short. */
static basin_status append_line(const bs_trainer *t, const bs_buf *line, basin_error *err)
{
    const bs_path path = bs_path_in(t->job->folder, "metrics.jsonl");
    errno = 0;
    FILE *f = fopen(path.text, "a");
    bool  ok = f && fwrite(line->data, 1, line->len, f) == line->len;
    if (f && fclose(f) != 0)
        ok = false;
    return ok ? BASIN_OK : bs_fail_io(err, path.text, errno ? errno : EIO);
}

/* Counts up to the first line that no run has written. */
basin_status bs_record_lines(const char *text, int before, size_t *used, basin_error *err)
{
    const char *at = text;
    json_int_t  last = 0;
    for (const char *end; (end = strchr(at, '\n')); at = end + 1) {
        json_error_t     why;
        json_t          *line = bs_tree_read(at, (size_t)(end - at), 0, &why);
        const json_int_t epoch = json_integer_value(json_object_get(line, "epoch"));
        if (!line && json_error_code(&why) == json_error_out_of_memory)
            return bs_fail_nomem(err);
        json_decref(line);
        if (epoch <= last || epoch >= before)
            break;
        last = epoch;
    }
    *used = (size_t)(at - text);
    return BASIN_OK;
}

basin_status bs_record_rewind(bs_trainer *t, basin_error *err)
{
    const bs_path path = bs_path_in(t->job->folder, "metrics.jsonl");
    bs_buf        text;
    size_t        used = 0;
    if (access(path.text, F_OK) != 0)
        return BASIN_OK;
    bs_buf_init(&text, (size_t)1 << 30);
    basin_status s = bs_read_file(path.text, &text, err);
    if (!s)
        s = bs_record_lines(text.data ? text.data : "", t->epoch, &used, err);
    if (!s)
        s = bs_write_file(path.text, text.data ? text.data : "", used, err);
    bs_buf_free(&text);
    return s;
}

/* ---- the table ---- */

enum { METRICS = 3 };

/* The metrics in the table: the one that decides, then others that the task shows. */
static int shown_metrics(const bs_trainer *t, int metric[METRICS])
{
    const bs_task *k = t->job->valid->task;
    int            n = 0;
    metric[n++] = t->stop_metric;
    for (int i = 0; i < BS_SHOWN && k->shown[i].heading && n < METRICS; i++)
        if (k->shown[i].metric != t->stop_metric && k->metric[k->shown[i].metric].decided)
            metric[n++] = k->shown[i].metric;
    return n;
}

static const char *heading_of(const bs_task *k, int metric)
{
    for (int i = 0; i < BS_SHOWN && k->shown[i].heading; i++)
        if (k->shown[i].metric == metric)
            return k->shown[i].heading;
    return k->metric[metric].name;
}

void bs_record_header(bs_trainer *t)
{
    const bs_task *k = t->job->valid->task;
    int            metric[METRICS], n = shown_metrics(t, metric);
    char           names[METRICS * 16] = "";
    for (int i = 0, at = 0; i < n; i++)
        at += bs_print(names + at, sizeof names - (size_t)at, " %*.10s", i ? 9 : 11,
                       heading_of(k, metric[i]));
    bs_log_row(t->job->log, BS_DIM, "  %5s %9s %11s %8s%s %8s", "epoch", "net loss", "energy loss",
               "lr", names, "seconds");
}

static void mean_text(const bs_diagnostic *s, char text[16])
{
    const double mean = s->n > 0 ? s->sum / (double)s->n : 0;
    bs_print(text, 16, s->n == 0 ? "-" : fabs(mean) < 1000 ? "%.4f" : "%.4g", mean);
}

/* Shares of one in percent; unbounded values unchanged. */
static void value_text(const bs_metric *m, double value, char text[16])
{
    if (isnan(value))
        bs_print(text, 16, "-");
    else
        bs_print(text, 16, "%.2f", m->greatest <= 1 ? 100 * value : value);
}

static void show_row(bs_trainer *t, const double valid[BS_MOST_METRICS], bool best)
{
    const bs_task    *k = t->job->valid->task;
    const bs_learner *l = &t->learner;
    const bs_optim   *first = t->method->phase[l->phase].net ? l->net : l->energy;
    char              net[16], energy[16], value[16], values[METRICS * 20] = "";
    int               metric[METRICS], n = shown_metrics(t, metric);
    mean_text(&l->diagnostic[BS_DIAGNOSTIC_loss_net], net);
    mean_text(&l->diagnostic[BS_DIAGNOSTIC_loss_energy], energy);
    for (int i = 0, at = 0; i < n; i++) {
        value_text(&k->metric[metric[i]], valid[metric[i]], value);
        at += bs_print(values + at, sizeof values - (size_t)at, i ? " %9s" : " %9s %s", value,
                       best ? "*" : " ");
    }
    bs_log_row(t->job->log, best ? BS_GOOD : BS_PLAIN, "  %5d %9s %11s %8.2g%s %8.1f", t->epoch,
               net, energy, first->update.rate, values, t->seconds + bs_seconds() - t->started);
}

basin_status bs_record_epoch(bs_trainer *t, const double valid[BS_MOST_METRICS], bool best,
                             basin_error *err)
{
    static const char event[] = "{\"event\": \"epoch\", ";
    basin_status      s = BASIN_OK;
    bs_buf            line, sent;
    show_row(t, valid, best);
    bs_buf_init(&line, 1 << 20);
    bs_buf_init(&sent, 1 << 20);
    epoch_json(t, valid, best, &line);
    if (t->job->folder)
        s = line.failed ? bs_fail_nomem(err) : append_line(t, &line, err);
    bs_buf_text(&sent, event);
    bs_buf_add(&sent, line.data + 1, line.len - 2); /* without its bracket and its line end */
    if (!s && !sent.failed && !line.failed)
        bs_event_send(t->job->log, sent.data);
    bs_buf_free(&line);
    bs_buf_free(&sent);
    return s;
}
