/* compare.c -- basin_compare: several methods, several seeds, one table.
 *
 * The data is read once and shared by all runs, so methods whose presets would read it differently
 * are refused. Each run leaves everything in its own folder, and the comparison is made from these
 * folders alone, so it can be stopped at any moment. */
#include "api/training.h"
#include "base/find.h"
#include "compare/compare.h"

#include <limits.h>
#include <string.h>

#include "runs/jobs.h"
#include "base/io.h"
#include "base/threads.h"
#include "file/checksum.h"

/* ---- what is asked for ---- */

enum { LONGEST_NAME = BS_OPTION_TEXT - 128 }; /* controls add a setting to it */

/* METHOD of METHOD:KEY=VALUE:KEY=VALUE... */
static const char *method_of(const char *name, char method[64])
{
    bs_print(method, 64, "%.*s", (int)strcspn(name, ":"), name);
    return method;
}

/* The method's settings, then those in its name, which are more specific than all others. */
static basin_status resolve_one(bs_comparison *c, const basin_config *config, bs_compared *m,
                                basin_error *err)
{
    char         method[64];
    basin_status s = bs_config_resolve(config, method_of(m->name, method), &m->settings, err);
    const char  *more = strchr(m->name, ':');
    char        *words = s || !more ? NULL : bs_arena_copy(&c->arena, more + 1, strlen(more + 1));
    if (s || !more)
        return s;
    if (!words)
        return bs_fail_nomem(err);
    for (char *at = words; (at = strchr(at, ':')); *at = ' ')
        ;
    return bs_settings_words(&m->settings, words, m->name, err);
}

static basin_status check_method(const bs_comparison *c, int at, basin_error *err)
{
    static const bs_named table = {"--methods: no method", "methods",
                                   BS_NAMED_POINTERS(bs_methods)};
    const char           *name = c->method[at].name;
    char                  method[64];
    int                   i;
    if (!*name)
        return bs_fail(err, BASIN_EARG,
                       "--methods: '%s' has an empty name; give names with commas between them",
                       c->o->methods);
    for (i = 0; i < at; i++)
        if (strcmp(c->method[i].name, name) == 0)
            return bs_fail(err, BASIN_EARG, "--methods: '%s' is named twice; once is enough", name);
    if (strlen(name) >= LONGEST_NAME)
        return bs_fail(err, BASIN_EARG,
                       "--methods: '%.40s...' is too long; give settings that all have by --set",
                       name);
    if (strchr(name, '/'))
        return bs_fail(
            err, BASIN_EARG,
            "--methods: '%s' has a /, and it names a folder; give such a setting by --set", name);
    return bs_find_named(&table, method_of(name, method), &i, err);
}

/* Splits the list at its commas. */
static basin_status take_methods(bs_comparison *c, basin_error *err)
{
    const char *list = c->o->methods;
    if (!list || !*list)
        return bs_fail(err, BASIN_EARG,
                       "--methods: none is given; names with commas between them are needed, see "
                       "'basin list methods'");
    c->method = bs_calloc(BS_COMPARE_METHODS, sizeof *c->method);
    if (!c->method)
        return bs_fail_nomem(err);
    for (const char *at = list; at;) {
        const size_t n = strcspn(at, ",");
        if (c->n == BS_COMPARE_METHODS)
            return bs_fail(err, BASIN_EARG, "--methods: more than %d", BS_COMPARE_METHODS);
        c->method[c->n].name = bs_arena_copy(&c->arena, at, n);
        if (!c->method[c->n].name)
            return bs_fail_nomem(err);
        c->method[c->n].of = c->n;
        c->method[c->n].shown = true;
        basin_status s = check_method(c, c->n++, err);
        if (s)
            return s;
        at = at[n] ? at + n + 1 : NULL;
    }
    return BASIN_OK;
}

static basin_status take_baseline(bs_comparison *c, basin_error *err)
{
    const char *name = c->o->baseline;
    for (int i = 0; name && i < c->n; i++)
        if (strcmp(c->method[i].name, name) == 0) {
            c->baseline = i;
            return BASIN_OK;
        }
    if (!name)
        return BASIN_OK;
    return bs_fail(err, BASIN_EARG, "--baseline: '%s' is not one of --methods %s", name,
                   c->o->methods);
}

static basin_status take_numbers(bs_comparison *c, basin_error *err)
{
    enum { DEFAULT_SEEDS = 3 };
    c->seeds = c->o->seeds ? c->o->seeds : DEFAULT_SEEDS;
    c->jobs = c->o->jobs ? c->o->jobs : 1;
    if (c->seeds < 1 || c->seeds > BS_MOST_SEEDS)
        return bs_fail(err, BASIN_EARG, "--seeds: %d is not in 1..%d", c->seeds, BS_MOST_SEEDS);
    if (c->jobs < 1 || c->jobs > BS_MOST_JOBS)
        return bs_fail(err, BASIN_EARG, "--jobs: %d is not in 1..%d", c->jobs, BS_MOST_JOBS);
    return BASIN_OK;
}

static basin_status take_metric(bs_comparison *c, basin_error *err)
{
    const bs_task *k;
    basin_status   s = bs_task_find(c->method[0].settings.train.task, &k, err);
    if (!s)
        s = bs_task_metric(k, &c->data.known, c->o->metric ? c->o->metric : "auto", &c->metric,
                           err);
    return s && err ? bs_fail(err, s, "--metric: %s", err->msg) : s;
}

/* ---- settings ---- */

/* Settings that decide which rows a method sees and how it is measured on them. */
static bool shapes_data(const char *key)
{
    static const char *const keys[] = {"seed",        "split.valid",       "split.test", "folds",
                                       "standardise", "rules.temperature", "rules.file", "profile"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return strncmp(key, "data.", 5) == 0;
}

static basin_status same_rows(const bs_comparison *c, int other, const bs_option *rows,
                              const void *a, const void *b, basin_error *err)
{
    basin_status s = BASIN_OK;
    bs_buf       x, y;
    bs_buf_init(&x, 1 << 16);
    bs_buf_init(&y, 1 << 16);
    for (; rows->name && !s && !x.failed && !y.failed; rows++) {
        if (!shapes_data(rows->name) || !bs_option_differs(rows, a, b, &x))
            continue;
        bs_option_format(rows, b, &y);
        s = bs_fail(err, BASIN_EARG,
                    "--methods: %s has %s = %s and %s has %s, but all must see the same data; "
                    "--set %s=... makes them agree",
                    c->method[0].name, rows->name, x.data ? x.data : "", c->method[other].name,
                    y.data ? y.data : "", rows->name);
    }
    if (x.failed || y.failed)
        s = bs_fail_nomem(err);
    bs_buf_free(&x);
    bs_buf_free(&y);
    return s;
}

static basin_status resolve(bs_comparison *c, const basin_config *config, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int i = 0; i < c->n && !s; i++)
        s = resolve_one(c, config, &c->method[i], err);
    if (!s)
        bs_config_remark(config, &c->log);
    for (int i = 0; i < c->n && !s; i++)
        bs_preset_remark(&c->method[i].settings, &c->log);
    if (s && err && strncmp(err->msg, "--method:", 9) == 0)
        s = bs_fail(err, s, "--methods%s", err->msg + 8);
    c->asked = c->n;
    if (!s && c->o->controls)
        s = bs_compare_add_controls(c, err);
    const bs_settings *first = &c->method[0].settings;
    for (int i = 1; i < c->n && !s; i++) {
        const bs_settings *other = &c->method[i].settings;
        s = same_rows(c, i, bs_train_rows, &first->train, &other->train, err);
        if (!s)
            s = same_rows(c, i, bs_read_rows, &first->read, &other->read, err);
    }
    if (!s && first->train.seed > INT_MAX - c->seeds)
        s = bs_fail(err, BASIN_EARG, "seed: %d and %d more are beyond the largest seed",
                    first->train.seed, c->seeds - 1);
    if (!s)
        s = bs_profile_parse(first->train.profile, &c->profile, err);
    c->threads = bs_threads(first->train.threads);
    c->where = (bs_machine){first->train.device, c->threads};
    return s;
}

void bs_compare_settings(const bs_comparison *c, int method, int seed, bs_settings *out)
{
    *out = c->method[method].settings;
    out->train.seed += seed;
}

/* ---- data ---- */

static basin_status read_data(bs_comparison *c, const basin_config *config, basin_error *err)
{
    char         names[BS_ROLES][BS_OPTION_TEXT];
    bs_sources   files;
    bs_settings *first = &c->method[0].settings;
    for (int i = c->n - 1; i >= 0; i--) {
        files = config->files;
        bs_config_files(&files, &c->method[i].settings.train, names);
    }
    basin_status s = bs_base_model_refuse(&first->train, "compare", err);
    if (!s)
        s = bs_prepare(first, &files, &c->log, &c->data, err);
    for (int i = 0; i < c->n && !s; i++)
        c->method[i].settings.train.folds = c->data.folds;
    c->on_test = !s && bs_data_test(&c->data);
    c->rows = &c->data.part[c->on_test ? 2 : 1];
    return s;
}

/* FOLDER/NAME/seed-N; a name that no file can have becomes METHOD:HASH. */
static void folder_of(const bs_comparison *c, int method, int seed, char *out, size_t size)
{
    const char *name = c->method[method].name;
    char        first[64], hashed[96];
    bs_print(hashed, sizeof hashed, "%s:%016llx", method_of(name, first),
             (unsigned long long)bs_hash64(name, strlen(name)));
    bs_print(out, size, "%s/%s/seed-%d", c->o->folder, strlen(name) > NAME_MAX ? hashed : name,
             c->method[method].settings.train.seed + seed);
}

static basin_status make_runs(bs_comparison *c, basin_error *err)
{
    const size_t runs = (size_t)c->n * (size_t)c->seeds;
    c->run = bs_calloc(runs, sizeof *c->run);
    c->outcome = bs_calloc(runs, sizeof *c->outcome);
    if (!c->run || !c->outcome)
        return bs_fail_nomem(err);
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < c->seeds; k++) {
            bs_compare_run *r = &c->run[i * c->seeds + k];
            folder_of(c, i, k, r->folder, sizeof r->folder);
        }
    return BASIN_OK;
}

/* ---- the whole ---- */

static void comparison_free(bs_comparison *c)
{
    for (int i = 0; i < c->n * c->seeds; i++) {
        for (int k = 0; k < BS_CUTS && c->run; k++)
            if (c->run[i].counts[k].task)
                c->run[i].counts[k].task->counts_free(&c->run[i].counts[k]);
        if (c->outcome)
            bs_threshold_free(&c->outcome[i].threshold);
    }
    bs_lock_free(c->folder);
    bs_free(c->run);
    bs_free(c->outcome);
    bs_free(c->method);
    bs_input_forget(); /* if it failed before the data was read */
    bs_data_free(&c->data);
    bs_arena_free(&c->arena);
}

/* Writes the texts to the folder; the table also says where. */
static basin_status publish(const bs_comparison *c, bs_buf *table, bs_buf *json, basin_error *err)
{
    const char *folder = c->o->folder;
    bs_buf      page;
    bs_buf_init(&page, 1 << 26);
    bs_compare_show(c, &(bs_doc){.text = table, .page = &page, .markdown = true});
    bs_compare_json(c, json);
    basin_status s = bs_runset_write(folder, "compare.md", table, err);
    if (!s)
        s = bs_runset_write_line(folder, "compare.json", json, err);
    if (!s)
        s = bs_runset_write(folder, "compare.html", &page, err);
    if (!s && c->o->html)
        s = bs_write_file(c->o->html, page.data, page.len, err);
    bs_buf_free(&page);
    bs_buf_text(table, "wrote ");
    bs_buf_visible(table, folder);
    bs_buf_text(table, ": compare.md, compare.html, compare.json, METHOD/seed-N\n");
    int best, next;
    bs_compare_best(c, bs_compare_cuts(c) - 1, &best, &next);
    if (best >= 0) {
        bs_buf_text(table, "next: basin predict ");
        bs_put_word(c->run[best * c->seeds].folder, table);
        bs_buf_text(table, " DATA\n");
    }
    return s;
}

/* BASIN_OK if all went well; otherwise a line about those that did not. */
static basin_status failures(const bs_comparison *c, basin_error *err)
{
    const bs_compared *first = c->method;
    if (c->failed == 0)
        return BASIN_OK;
    while (!first->failure)
        first++;
    if (c->failed == c->n) /* probably for the same reason */
        return bs_fail(err, first->failure->status, "%s", first->failure->msg);
    return bs_fail(err, first->failure->status, "%d of %d methods failed: %s, seed %d: %s",
                   c->failed, c->n, first->name, first->failed_seed, first->failure->msg);
}

static basin_status compare(bs_comparison *c, const basin_config *config, bs_buf *table,
                            bs_buf *json, basin_error *err)
{
    basin_status s = take_methods(c, err);
    if (!s)
        s = take_baseline(c, err);
    if (!s)
        s = take_numbers(c, err);
    if (!s)
        s = resolve(c, config, err);
    if (!s && c->o->metric) /* before any work is done */
        s = take_metric(c, err);
    if (!s)
        s = bs_runset_open(c->o->folder, "comparison", "runs",
                           bs_runset_how_of(c->o->resume, c->o->shared), 4, &c->folder, err);
    if (!s && c->o->shared)
        s = bs_run_together(c->o->folder, &c->method[0].settings.train, &c->log, err);
    if (!s)
        s = read_data(c, config, err);
    if (!s && !c->o->metric)
        s = take_metric(c, err);
    if (!s)
        s = make_runs(c, err);
    if (!s)
        s = bs_compare_restore(c, err);
    if (!s)
        s = bs_compare_train(c, err);
    if (!s && c->failed == c->n)
        return failures(c, err);
    if (!s)
        s = bs_compare_judge(c, err);
    if (!s)
        s = publish(c, table, json, err);
    return s;
}

basin_status basin_compare(const basin_config *config, const basin_compare_options *o,
                           const basin_session *session, basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    bs_buf        table, json;
    bs_comparison c = {
        .o = o, .stop = session ? session->stop : NULL, .log = bs_session_log(session)};
    basin_status s = bs_need_text(out, BS_ARGUMENTS({"config", config}, {"options", o}), err);
    if (s)
        return s;
    bs_buf_init(&table, 1 << 24);
    bs_buf_init(&json, 1 << 28);
    bs_arena_init(&c.arena, 0);
    s = compare(&c, config, &table, &json, err);
    s = bs_text_give(s, &table, &json, out, err);
    if (!s)
        s = failures(&c, err);
    comparison_free(&c);
    return s;
}
