/* log.c -- trials.jsonl: the memory of a search.
 *
 * The first line says what is searched; it is followed by a line for every change of a trial, with
 * everything known about it: the last line of a trial counts. A line is written in one call and
 * flushed to disk; one truncated by a crash is dropped when the file is read. Since what to try
 * next follows from the trials, that is all a search needs to continue. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "tune/tune.h"
#include "base/find.h"
#include "base/io.h"
#include "base/share.h"
#include "runs/runset.h"
#include "base/tree.h"
#include "file/checksum.h"

static void log_path(const bs_tuning *t, char path[BS_OPTION_TEXT + 64])
{
    bs_print(path, BS_OPTION_TEXT + 64, "%s/trials.jsonl", t->o->folder);
}

enum { MOST_EPOCHS = 1000000000 };

/* ---- writing ---- */

static basin_status find_arithmetic(bs_tuning *t, basin_error *err)
{
    bs_workspace *w;
    basin_status  s = bs_workspace_open((bs_machine){.threads = 1}, &w, err);
    if (s)
        return s;
    bs_print(t->arithmetic, sizeof t->arithmetic, "%s", bs_arithmetic(w));
    bs_workspace_close(w);
    return BASIN_OK;
}

/* What must be equal for a search to continue. */
static basin_status identity_of(const bs_tuning *t, char out[17], basin_error *err)
{
    bs_buf text;
    bs_buf_init(&text, 1 << 22);
    bs_settings_json(&t->base, &text);
    bs_buf_printf(&text, " time_limit %g", t->base.train.time_limit);
    for (int i = 0; i < BS_ROLES; i++)
        bs_buf_printf(&text, " %016llx", (unsigned long long)t->data.part[i].hash);
    for (int i = 0; i < t->space.n; i++) {
        bs_buf_printf(&text, " %s ", t->space.at[i].row.name);
        bs_space_range(&t->space.at[i], &text);
    }
    if (t->round > 0)
        bs_buf_printf(&text, " round %d", t->round);
    const bool failed = text.failed;
    if (!failed)
        bs_print(out, 17, "%016llx", (unsigned long long)bs_hash64(text.data, text.len));
    bs_buf_free(&text);
    return failed ? bs_fail_nomem(err) : BASIN_OK;
}

void bs_tune_line(const bs_tuning *t, int trial, bs_buf *out)
{
    const bs_trial       *x = &t->trial[trial];
    const bs_tune_record *r = &t->record[trial];
    bs_json_open(out, NULL, '{');
    bs_json_members(out, "trial %d state %s from %s", trial, bs_trial_states[x->state],
                    bs_trial_sources[r->from]);
    bs_tune_values_json(t, trial, out);
    bs_json_open(out, "rungs", '[');
    for (int i = 0; i < x->passed; i++)
        bs_json_real(out, NULL, bs_tune_score(t, x->rung[i]));
    bs_json_close(out, ']');
    bs_json_open(out, "rises", '[');
    for (int i = 0; i < x->passed; i++)
        bs_json_short(out, NULL, 6, isfinite(x->rise[i]) ? x->rise[i] : 0);
    bs_json_close(out, ']');
    bs_json_members(out, "epochs %d best_epoch %d", r->epochs, r->best_epoch);
    bs_json_known(out, "score", bs_tune_score(t, x->score));
    bs_json_known(out, "seconds", r->seconds);
    bs_json_known(out, "elapsed", r->elapsed);
    if (t->rungs > 0) {
        bs_json_open(out, "rung_epochs", '[');
        bs_json_int(out, NULL, t->rung_epoch[0]);
        bs_json_int(out, NULL, t->rungs > 1 ? t->rung_epoch[1] : 0);
        bs_json_close(out, ']');
    }
    if (r->message[0])
        bs_json_text(out, "message", r->message);
    bs_buf_text(out, "}\n");
}

/* And frees the line. */
static basin_status append(const bs_tuning *t, bs_buf *line, basin_error *err)
{
    char         path[BS_OPTION_TEXT + 64];
    basin_status s = line->failed ? bs_fail_nomem(err) : BASIN_OK;
    ssize_t      n = 0;
    log_path(t, path);
    do
        n = s ? 0 : write(t->fd, line->data, line->len);
    while (n < 0 && errno == EINTR);
    if (!s && (n < 0 || fsync(t->fd) != 0))
        s = bs_fail_io(err, path, errno);
    else if (!s && (size_t)n != line->len)
        s = bs_fail_io(err, path, ENOSPC);
    bs_buf_free(line);
    return s;
}

basin_status bs_tune_log_add(bs_tuning *t, int trial, basin_error *err)
{
    bs_buf line;
    bs_buf_init(&line, 1 << 16);
    t->record[trial].elapsed = bs_tune_elapsed(t);
    bs_tune_line(t, trial, &line);
    return append(t, &line, err);
}

static void head_line(const bs_tuning *t, const char *identity, bs_buf *line)
{
    bs_json_open(line, NULL, '{');
    bs_json_members(line,
                    "tune %d basin %s task %s method %s metric %s seed %d identity %s "
                    "arithmetic %s",
                    1, BASIN_VERSION, t->base.train.task, t->base.train.method,
                    t->task->metric[t->metric].name, t->base.train.seed, identity, t->arithmetic);
    bs_tune_space_json(&t->space, line);
    bs_buf_text(line, "}\n");
}

/* ---- reading ---- */

basin_status bs_tune_room(bs_tuning *t, basin_error *err)
{
    if (t->n < t->most)
        return BASIN_OK;
    const size_t    old = (size_t)t->most, more = old ? 2 * old : 64;
    bs_trial       *trial = bs_realloc(t->trial, old * sizeof *trial, more * sizeof *trial);
    bs_tune_record *record = NULL;
    if (trial) {
        t->trial = trial;
        record = bs_realloc(t->record, old * sizeof *record, more * sizeof *record);
    }
    if (!record)
        return bs_fail_nomem(err);
    t->record = record;
    t->most = (int)more;
    return BASIN_OK;
}

static bool read_point(const bs_tuning *t, const json_t *values, bs_trial *x)
{
    for (int i = 0; i < t->space.n; i++) {
        const bs_dimension *d = &t->space.at[i];
        const json_t       *v = json_object_get(values, d->row.name);
        char                text[BS_NUMBER_TEXT];
        if (json_is_number(v))
            bs_format_double(json_number_value(v), text);
        x->u[i] = bs_space_point(d, json_is_string(v)   ? json_string_value(v)
                                    : json_is_number(v) ? text
                                                        : "");
        if (isnan(x->u[i]))
            return false;
    }
    return true;
}

/* Rungs are the same for all trials once they are known, and a trial cannot have passed more. */
static bool read_rungs(bs_tuning *t, const json_t *epochs, const json_t *rungs, const json_t *rises,
                       bs_trial *x)
{
    for (size_t i = 0; i < json_array_size(epochs) && i < BS_TUNE_RUNGS; i++) {
        const json_t    *v = json_array_get(epochs, i);
        const json_int_t n = json_integer_value(v);
        if (!json_is_integer(v) || n < 0 || n > MOST_EPOCHS)
            return false;
        t->rung_epoch[i] = (int)n;
        t->rungs = n > 0 ? (int)i + 1 : t->rungs;
    }
    if (json_array_size(rungs) > (size_t)t->rungs)
        return false;
    for (; (size_t)x->passed < json_array_size(rungs); x->passed++) {
        const json_t *v = json_array_get(rungs, (size_t)x->passed);
        x->rung[x->passed] =
            json_is_number(v) ? bs_tune_score(t, json_number_value(v)) : (double)NAN;
        x->rise[x->passed] = json_number_value(json_array_get(rises, (size_t)x->passed));
    }
    return true;
}

/* Negating twice changes nothing, so scores are read by the function that wrote them. */
static bool read_trial(bs_tuning *t, json_t *o, bs_trial *x, bs_tune_record *r)
{
    const char  *state, *from, *message = "";
    json_t      *values, *rungs, *rises = NULL, *rung_epochs = NULL;
    json_int_t   epochs = 0, best = 0;
    double       score = NAN;
    const double most = 1e12; /* seconds */
    *x = (bs_trial){.passed = 0};
    *r = (bs_tune_record){.epochs = 0};
    if (json_unpack(o, "{s:s s:s s:o s:o s?o s?o s?I s?I s?F s?F s?F s?s}", "state", &state, "from",
                    &from, "values", &values, "rungs", &rungs, "rises", &rises, "rung_epochs",
                    &rung_epochs, "epochs", &epochs, "best_epoch", &best, "score", &score,
                    "seconds", &r->seconds, "elapsed", &r->elapsed, "message", &message))
        return false;
    const bs_named states = {.rows = bs_trial_states, .size = sizeof *bs_trial_states, .n = 4};
    const bs_named sources = {.rows = bs_trial_sources, .size = sizeof *bs_trial_sources, .n = 3};
    const int      state_at = bs_named_index(&states, state);
    const int      from_at = bs_named_index(&sources, from);
    if (state_at < 0 || from_at < 0 || !read_point(t, values, x) || epochs < 0 ||
        epochs > MOST_EPOCHS || best < 0 || best > epochs ||
        !(r->seconds >= 0 && r->seconds <= most) || !(r->elapsed >= 0 && r->elapsed <= most) ||
        !read_rungs(t, rung_epochs, rungs, rises, x))
        return false;
    x->score = bs_tune_score(t, score);
    x->state = (bs_trial_state)state_at;
    r->from = (bs_trial_source)from_at;
    r->epochs = (int)epochs;
    r->best_epoch = (int)best;
    bs_print(r->message, sizeof r->message, "%s", message);
    return true;
}

static basin_status bad_line(const char *path, int line, basin_error *err)
{
    return bs_fail(err, BASIN_EDATA,
                   "%s:%d: is not a line of a search; another -o starts a new one", path, line);
}

basin_status bs_tune_line_read(bs_tuning *t, const char *path, const bs_buf *text, bs_trial *x,
                               bs_tune_record *r, basin_error *err)
{
    json_t      *o = bs_tree_read(text->data ? text->data : "", text->len, 0, NULL);
    basin_status s = o && read_trial(t, o, x, r) ? BASIN_OK : bad_line(path, 1, err);
    json_decref(o);
    return s;
}

/* Trials are numbered in the order they start: a line is about a known one, or the next. */
static basin_status take_line(bs_tuning *t, const char *path, int line, const char *text, size_t n,
                              basin_error *err)
{
    json_t          *o = bs_tree_read(text, n, 0, NULL);
    const json_t    *v = json_object_get(o, "trial");
    const json_int_t at = json_integer_value(v);
    const bool       known = json_is_integer(v) && at >= 0 && at <= t->n && at < BS_MOST_TRIALS;
    basin_status     s = known ? bs_tune_room(t, err) : bad_line(path, line, err);
    if (!s && !read_trial(t, o, &t->trial[at], &t->record[at]))
        s = bad_line(path, line, err);
    if (!s && at == t->n)
        t->n++;
    if (!s && t->record[at].elapsed > t->spent)
        t->spent = t->record[at].elapsed;
    json_decref(o);
    return s;
}

static basin_status take_head(bs_tuning *t, const char *path, const char *text, size_t n,
                              const char *identity, basin_error *err)
{
    json_t      *o = bs_tree_read(text, n, 0, NULL);
    const char  *theirs = json_string_value(json_object_get(o, "identity"));
    basin_status s = BASIN_OK;
    if (!theirs)
        s = bad_line(path, 1, err);
    else if (strcmp(theirs, identity) != 0)
        s = bs_fail(
            err, BASIN_EARG,
            "%s: --resume: that search has other settings, ranges or data; use the same, or "
            "another -o",
            path);
    else
        s = bs_arithmetic_check(path, json_string_value(json_object_get(o, "arithmetic")),
                                t->arithmetic, &t->base.train, &t->log, err);
    json_decref(o);
    return s;
}

/* *used: bytes of whole lines. */
static basin_status take_lines(bs_tuning *t, const char *path, const bs_buf *text,
                               const char *identity, size_t *used, basin_error *err)
{
    basin_status s = BASIN_OK;
    *used = 0;
    for (int line = 1; !s && *used < text->len; line++) {
        const char *at = text->data + *used;
        const char *end = memchr(at, '\n', text->len - *used);
        if (!end)
            break;
        const size_t n = (size_t)(end - at);
        s = line == 1 ? take_head(t, path, at, n, identity, err)
                      : take_line(t, path, line, at, n, err);
        *used += n + 1;
    }
    return s;
}

/* ---- with rounds: written whole, the same by everybody ---- */

static basin_status agree(bs_tuning *t, const char *identity, basin_error *err)
{
    char         path[BS_OPTION_TEXT + 64], head[1 << 14];
    bs_buf       line;
    basin_status s = BASIN_OK;
    bs_buf_init(&line, sizeof head - 1);
    head_line(t, identity, &line);
    log_path(t, path);
    if (line.failed)
        s = bs_fail_nomem(err);
    if (!s)
        s = bs_share_first(t->o->folder, ".search", line.data, head, sizeof head, err);
    if (!s)
        s = take_head(t, path, head, strlen(head), identity, err);
    bs_buf_free(&line);
    return s;
}

basin_status bs_tune_log_rewrite(const bs_tuning *t, basin_error *err)
{
    char   identity[17];
    bs_buf text;
    bs_buf_init(&text, (size_t)1 << 30);
    basin_status s = identity_of(t, identity, err);
    if (!s)
        head_line(t, identity, &text);
    for (int i = 0; i < t->n && !s; i++)
        bs_tune_line(t, i, &text);
    if (!s)
        s = bs_runset_write(t->o->folder, "trials.jsonl", &text, err);
    bs_buf_free(&text);
    return s;
}

basin_status bs_tune_log_open(bs_tuning *t, basin_error *err)
{
    char         path[BS_OPTION_TEXT + 64], identity[17];
    size_t       used = 0;
    bs_buf       text;
    basin_status s = identity_of(t, identity, err);
    if (!s)
        s = find_arithmetic(t, err);
    if (s || t->round > 0)
        return s ? s : agree(t, identity, err);
    bs_buf_init(&text, (size_t)1 << 30);
    log_path(t, path);
    const bool there = t->o->resume && access(path, F_OK) == 0;
    if (!s && there)
        s = bs_read_file(path, &text, err);
    if (!s && there)
        s = take_lines(t, path, &text, identity, &used, err);
    bs_buf_free(&text);
    if (s)
        return s;
    t->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (t->fd < 0 || ftruncate(t->fd, (off_t)used) != 0)
        return bs_fail_io(err, path, errno);
    if (used == 0)
        head_line(t, identity, &text);
    return used > 0 ? BASIN_OK : append(t, &text, err);
}

/* ---- curves ---- */

double bs_tune_curve(const bs_tuning *t, int trial, int start, int epochs, int *best_epoch)
{
    char       folder[BS_OPTION_TEXT + 64];
    bs_history h;
    bs_arena   arena;
    double     best = NAN;
    bs_arena_init(&arena, 0);
    bs_tune_folder(t, trial, folder);
    const double *value = bs_history_read(&arena, folder, &h, NULL)
                              ? NULL
                              : bs_history_find(&h, "valid", t->task->metric[t->metric].name);
    for (int i = 0; i < h.n && value; i++) {
        const double x = bs_tune_score(t, value[i]);
        if (h.epoch[i] > start && h.epoch[i] <= start + epochs && !isnan(x) && !(x <= best)) {
            best = x;
            *best_epoch = (int)h.epoch[i];
        }
    }
    bs_arena_free(&arena);
    return best;
}
