/* task.c -- the list of tasks, and what is common to them. */
#include "task/task.h"
#include "base/json.h"
#include "base/find.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/opt.h"
#include "base/tree.h"

enum { PEEK = 1 << 16 };

basin_status bs_task_go_on(const volatile int *stop, basin_error *err)
{
    if (bs_stop_asked(stop))
        return bs_fail(err, BASIN_EINTERRUPTED, "stopped on request; nothing was written");
    return BASIN_OK;
}

basin_status bs_task_find(const char *task, const bs_task **out, basin_error *err)
{
    const bs_named table = {"--task: no task", "tasks", BS_NAMED_POINTERS(bs_tasks)};
    return bs_find_pointer(&table, task, out, err);
}

static basin_status look_at(const char *file, bs_input **in, const char **head, size_t *n,
                            basin_error *err)
{
    struct stat st;
    const bool  there = strcmp(file, "-") != 0 && stat(file, &st) == 0;
    const bool  folder = there && S_ISDIR(st.st_mode), again = there && S_ISREG(st.st_mode);
    *in = NULL;
    *head = NULL;
    *n = 0;
    if (folder)
        return BASIN_OK;
    basin_status s = bs_input_open(file, in, err);
    if (!s)
        s = bs_input_peek(*in, PEEK, head, n, err);
    if (!s && *n >= 3 && memcmp(*head, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
        *head += 3;
        *n -= 3;
    }
    /* The reader explains it better, if the input can be read again. */
    return s == BASIN_ENOMEM || (*file && !again && s != BASIN_EIO) ? s : BASIN_OK;
}

basin_status bs_task_sniff(const char *file, const bs_task **out, int *sure, basin_error *err)
{
    bs_input   *in = NULL;
    const char *head;
    size_t      n;
    *out = bs_tasks[0];
    *sure = -1;
    basin_status status = look_at(file, &in, &head, &n, err);
    for (int i = 0; bs_tasks[i] && !status; i++) {
        int fits = bs_tasks[i]->sniff(file, head, n);
        if (fits < 0)
            status = bs_fail_nomem(err);
        if (fits > *sure) {
            *sure = fits;
            *out = bs_tasks[i];
        }
    }
    bs_input_put_back(in);
    return status;
}

int bs_task_sniff_file(const bs_task *k, const char *file)
{
    bs_input   *in = NULL;
    const char *head;
    size_t      n;
    const int   fits = look_at(file, &in, &head, &n, NULL) ? 0 : k->sniff(file, head, n);
    bs_input_put_back(in);
    return fits;
}

basin_status bs_task_guess(const bs_settings *s, const char *file, const bs_task **out,
                           basin_error *err)
{
    int sure;
    if (strcmp(s->train.task, "auto") != 0)
        return bs_task_find(s->train.task, out, err);
    *out = bs_tasks[0];
    return file ? bs_task_sniff(file, out, &sure, err) : BASIN_OK;
}

static bool is_own(const bs_task *k, const char *key)
{
    char         word[64];
    const size_t n = strcspn(key, ".");
    bs_print(word, sizeof word, " %.*s. ", n < 40 ? (int)n : 40, key);
    return k->options && strstr(k->options, word);
}

bool bs_tasks_share(const char *key)
{
    return strcmp(key, "data.max_mb") == 0 || strcmp(key, "data.max_line_mb") == 0;
}

basin_status bs_task_accepts(const bs_task *k, const char *key, basin_error *err)
{
    if (bs_tasks_share(key) || is_own(k, key))
        return BASIN_OK;
    for (int i = 0; bs_tasks[i]; i++)
        if (bs_tasks[i] != k && is_own(bs_tasks[i], key))
            return bs_fail(err, BASIN_EARG, "%s: is for %s (task %s), but the task is %s", key,
                           bs_tasks[i]->unit, bs_tasks[i]->name, k->name);
    return BASIN_OK;
}

int32_t bs_batches_fit_all(bs_batches *f, const int32_t *index, int32_t n)
{
    (void)f;
    (void)index;
    return n;
}

void bs_dataset_free(bs_dataset *p)
{
    if (p->task)
        p->task->free(p);
    bs_free(p->soft);
    *p = (bs_dataset){0};
}

void *bs_preprocess_begin(bs_preprocess *k, const bs_task *task, size_t n)
{
    k->task = task;
    k->size = n;
    k->own = bs_arena_alloc(&k->arena, n);
    return k->own;
}

bool bs_preprocess_share(const bs_preprocess *k, bs_arena *arena, bs_preprocess *out)
{
    *out = *k;
    out->own = bs_arena_alloc(arena, k->size);
    if (out->own)
        memcpy(out->own, k->own, k->size);
    return out->own != NULL;
}

basin_status bs_preprocess_read(const bs_task *task, const char *json, const char *where,
                                bs_preprocess *out, basin_error *err)
{
    json_error_t why;
    json_t      *o = bs_tree_read(json, strlen(json), JSON_REJECT_DUPLICATES, &why);
    if (!o && json_error_code(&why) == json_error_out_of_memory)
        return bs_fail_nomem(err);
    if (!o)
        return bs_fail(err, BASIN_EDATA, "%s: its schema is not JSON: %s", where, why.text);
    out->task = task;
    basin_status s = task->known_read(o, where, out, err);
    json_decref(o);
    return s;
}

void bs_preprocess_free(bs_preprocess *k)
{
    if (k->own && k->task->known_free)
        k->task->known_free(k);
    k->own = NULL; /* what fails to be read is freed, and freed again by its owner */
    bs_arena_free(&k->arena);
}

double bs_log_loss(double p)
{
    return -log(fmax(p, 1e-7));
}

void bs_outputs_free(bs_outputs *y)
{
    if (y->own && y->task->outputs_free)
        y->task->outputs_free(y);
    bs_free(y->scores);
    bs_free(y->energy);
    bs_free(y->on);
    bs_free(y->own);
    *y = (bs_outputs){0};
}

basin_status bs_task_decide(const bs_task *k, const bs_train_options *o, const char *asked,
                            bs_inference *how, basin_error *err)
{
    bs_decision   by;
    bs_profile_id profile;
    basin_status  s = bs_decision_parse(asked ? asked : o->decide, &by, err);
    if (!s)
        s = bs_profile_parse(o->profile, &profile, err);
    if (s)
        return s;
    if (by != BS_DECIDE_THRESHOLD && !(k->decides >> by & 1))
        return bs_fail(err, BASIN_EARG,
                       "decide: task %s has no decision by %s; see docs/methods.md", k->name,
                       bs_decision_name(by));
    how->decide = (int)by;
    how->decide_samples = o->decide_samples;
    how->decide_empty = bs_profile_row_empty(profile);
    return BASIN_OK;
}

basin_status bs_task_metric(const bs_task *k, const bs_preprocess *known, const char *name,
                            int *out, basin_error *err)
{
    *out = known->deciding;
    if (strcmp(name, "auto") == 0)
        return BASIN_OK;
    const bs_named table = {"no metric", NULL, BS_NAMED_ROWS(k->metric), .n = k->n_metrics};
    return bs_find_named(&table, name, out, err);
}

void bs_task_members(const bs_task *k, const double values[BS_MOST_METRICS], bs_buf *out)
{
    for (int i = 0; i < k->n_metrics; i++)
        bs_json_real(out, k->metric[i].name, values[i]);
}

void bs_task_json_known(const bs_task *k, const char *key, const double values[BS_MOST_METRICS],
                        bs_buf *out)
{
    bs_json_open(out, key, '{');
    for (int i = 0; i < k->n_metrics; i++)
        bs_json_known(out, k->metric[i].name, values[i]);
    bs_json_close(out, '}');
}

void bs_task_json(const bs_task *k, const char *key, const double values[BS_MOST_METRICS],
                  bs_buf *out)
{
    bs_json_open(out, key, '{');
    bs_task_members(k, values, out);
    bs_json_close(out, '}');
}

basin_status bs_task_measure(const bs_dataset *p, const bs_preprocess *k, const bs_outputs *y,
                             const bs_threshold *threshold, const bs_counting *how,
                             double out[BS_MOST_METRICS], basin_error *err)
{
    bs_measurement c;
    basin_status   s = p->task->count(p, k, y, threshold, how, &c, err);
    if (s)
        return s;
    s = p->task->values(&c, out, err);
    p->task->counts_free(&c);
    return s;
}

basin_status bs_task_intervals(bs_measurement *c, uint64_t seed, bs_logger *log,
                               bs_interval out[BS_MOST_METRICS], basin_error *err)
{
    bs_interval  all[BS_VALUES_MAX];
    bs_sampled   source;
    basin_status s = c->task->sampled(c, &source, err);
    source.log = log;
    if (!s)
        s = bs_bootstrap(&source, seed, 1000, 0.95, all, err);
    for (int i = 0; i < c->task->n_metrics && !s; i++) {
        const bs_metric *m = &c->task->metric[i];
        out[i] = all[i];
        if (isnan(out[i].value))
            continue;
        out[i].lo = fmin(fmax(out[i].lo, m->least), m->greatest);
        out[i].hi = fmin(fmax(out[i].hi, m->least), m->greatest);
    }
    return s;
}
