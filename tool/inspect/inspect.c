/* inspect.c -- basin_data_*: inspecting data, converting, splitting, generating. The task-specific
 * side is in tool/tasks/TASK/inspect.c. */
#include "inspect/inspect.h"

#include <string.h>

#include "cli.h"
#include "tasks/tasks.h"

/* The task named in the settings, or that the first file looks like. */
static basin_status handling_of(bs_data_args *g, const bs_task_inspect **out, basin_error *err)
{
    if (g->n < 1)
        return bs_fail(err, BASIN_EARG, "no data given");
    basin_status s = bs_task_guess(g->settings, g->file[0], &g->task, err);
    if (s || (*out = bs_tool_of(g->task)->data))
        return s;
    return bs_fail(err, BASIN_EUNSUPPORTED, "basin data has nothing for task %s", g->task->name);
}

basin_status bs_data_describe(const bs_dataset *part, const bs_dataset *train, bs_buf *table,
                              basin_error *err)
{
    const bs_task_inspect *how = bs_tool_of(part->task)->data;
    return how ? how->describe(part, train, table, err) : BASIN_OK;
}

void bs_data_file(const char *path, int number, bs_buf *table)
{
    bs_buf_text(table, number ? "\nfile     " : "file     ");
    bs_buf_visible(table, path);
    bs_buf_text(table, "\n");
}

void bs_data_next(const char *path, bs_buf *table)
{
    bs_buf_text(table, "next     basin train ");
    bs_put_word(path, table);
    bs_buf_text(table, "\n");
}

/* " --labels VALUE", or " --set KEY=VALUE" for a setting without a flag. */
static void put_setting(const char *key, const char *value, bs_buf *table)
{
    for (const cli_option *o = cli_reading; o->name; o++)
        if (strcmp(o->key, key) == 0) {
            bs_buf_printf(table, " %s ", o->name);
            bs_put_word(value, table);
            return;
        }
    bs_buf both;
    bs_buf_init(&both, 1 << 16);
    bs_buf_printf(&both, "%s=%s", key, value);
    bs_buf_text(table, " --set ");
    bs_put_word(both.failed ? "" : both.data, table);
    table->failed = table->failed || both.failed;
    bs_buf_free(&both);
}

void bs_data_next_all(const bs_data_args *g, bool roles, const bs_option *rows, const void *now,
                      const void *usual, bs_buf *table)
{
    bs_buf value;
    bs_buf_init(&value, 1 << 16);
    bs_buf_text(table, "next     basin train");
    for (int i = 0; i < g->n; i++) {
        if (roles && i > 0 && g->n <= 3)
            bs_buf_text(table, g->n == 3 && i == 1 ? " --valid" : " --test");
        bs_buf_text(table, " ");
        bs_put_word(g->file[i], table);
    }
    if (strcmp(g->settings->train.task, "auto") != 0)
        put_setting("task", g->settings->train.task, table);
    for (const bs_option *row = rows; row->name; row++)
        if (bs_option_differs(row, now, usual, &value))
            put_setting(row->name, value.data ? value.data : "", table);
    bs_buf_text(table, "\n");
    table->failed = table->failed || value.failed;
    bs_buf_free(&value);
}

/* Start and end of every verb that prints. */
typedef struct {
    bs_notes notes;
    bs_buf   table, json;
} report;

static void report_open(report *r, basin_text *out)
{
    *out = (basin_text){NULL, NULL};
    bs_notes_init(&r->notes);
    bs_buf_init(&r->table, 1 << 24);
    bs_buf_init(&r->json, 1 << 24);
}

static void say_notes(const basin_session *session, const bs_notes *notes)
{
    bs_logger log = bs_session_log(session);
    bs_notes_log(notes, NULL, BS_INFO, &log);
}

static basin_status report_close(report *r, basin_status s, const basin_session *session,
                                 basin_text *out, basin_error *err)
{
    bs_input_forget();
    if (!s)
        say_notes(session, &r->notes);
    bs_notes_free(&r->notes);
    if (!s)
        return bs_text_take(&r->table, &r->json, out, err);
    if (r->table.len > 0 && s != BASIN_ENOMEM)
        bs_text_take(&r->table, &r->json, out, NULL);
    bs_buf_free(&r->table);
    bs_buf_free(&r->json);
    return s;
}

basin_status basin_data_inspect(const basin_config *c, const char *const *files, int n, int check,
                                const basin_session *session, basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    const bs_task_inspect *how;
    report                 r;
    basin_status           s = bs_need_text(out, BS_ARGUMENTS({"config", c}), err);
    if (!s)
        s = bs_need_files(files, n, err);
    if (s)
        return s;
    bs_data_args g = {&c->settings, files, n, NULL};
    report_open(&r, out);
    s = handling_of(&g, &how, err);
    if (!s)
        s = how->inspect(&g, check, &r.table, &r.json, err);
    return report_close(&r, s, session, out, err);
}

basin_status basin_data_convert(const basin_config *c, const char *const *files, int n,
                                const char *out, const char *format, const basin_session *session,
                                basin_error *err)
{
    BS_KEEP_ERRNO;
    const bs_task_inspect *how;
    bs_notes               notes;
    basin_status           s = BS_NEED(err, {"config", c}, {"out", out});
    if (!s)
        s = bs_need_files(files, n, err);
    if (s)
        return s;
    bs_data_args g = {&c->settings, files, n, NULL};
    bs_notes_init(&notes);
    s = handling_of(&g, &how, err);
    if (!s)
        s = how->convert(&g, out, format, &notes, err);
    bs_input_forget();
    if (!s)
        say_notes(session, &notes);
    bs_notes_free(&notes);
    return s;
}

/* ---- split ---- */

/* "60,20,20" to numbers; returns how many, or 0 with a message. */
static int parse_shares(const char *text, double share[BS_MOST_PARTS], basin_error *err)
{
    int n = 0;
    for (const char *at = text; n < BS_MOST_PARTS;) {
        char   one[32];
        size_t len = strcspn(at, ",");
        bs_print(one, sizeof one, "%.*s", (int)(len < 31 ? len : 31), at);
        if (!bs_parse_double(one, &share[n]) || share[n] <= 0) {
            bs_fail(err, BASIN_EARG,
                    "--shares: '%s' is not a list of positive numbers such as "
                    "60,20,20",
                    text);
            return 0;
        }
        n++;
        at += len;
        if (!*at)
            break;
        at++;
    }
    if (n < 2)
        bs_fail(err, BASIN_EARG, "--shares: '%s' gives one part; two or more are needed", text);
    return n < 2 ? 0 : n;
}

enum { LONGEST_NAME = 63 };

/* Where the name of part i starts in "train,test", or NULL. */
static const char *name_at(const char *names, int i)
{
    for (; names && i > 0; i--) {
        names = strchr(names, ',');
        names = names ? names + 1 : NULL;
    }
    return names;
}

/* Parts with the same name would overwrite each other, and an unnamed part would get a name that
 * nobody chose. */
static basin_status check_names(const bs_cutting *cut, basin_error *err)
{
    const char *names = cut->o->names;
    int         n = 0;
    for (const char *at = names; at; at = name_at(at, 1), n++) {
        size_t len = strcspn(at, ",");
        if (len == 0 || len > LONGEST_NAME)
            return bs_fail(err, BASIN_EARG, "--names: '%s' has a name of %zu bytes; 1 to %d fit",
                           names, len, (int)LONGEST_NAME);
        for (int k = 0; k < n; k++) {
            const char *other = name_at(names, k);
            if (strcspn(other, ",") == len && strncmp(other, at, len) == 0)
                return bs_fail(err, BASIN_EARG, "--names: two parts are named '%.*s'", (int)len,
                               at);
        }
    }
    if (names && n != cut->parts)
        return bs_fail(err, BASIN_EARG, "--names: '%s' has %d names, --shares makes %d parts",
                       names, n, cut->parts);
    return BASIN_OK;
}

void bs_part_path(const bs_cutting *cut, int i, const char *extension, char out[BS_OPTION_TEXT])
{
    static const char *const usual[] = {"train", "valid", "test"};
    char                     name[LONGEST_NAME + 1];
    bs_print(name, sizeof name, "%d", i + 1);
    if (cut->parts <= 3)
        bs_print(name, sizeof name, "%s", cut->parts == 2 && i == 1 ? "test" : usual[i]);
    const char *at = name_at(cut->o->names, i);
    if (at)
        bs_print(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
    bs_print(out, BS_OPTION_TEXT, "%.700s-%s%s", cut->prefix, name, extension);
}

basin_status basin_data_split(const basin_config *c, const char *const *files, int n,
                              const char *out_prefix, const basin_split_options *o,
                              const basin_session *session, basin_text *out, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_split_options    none = {0};
    bs_cutting             cut = {.prefix = out_prefix, .o = o ? o : &none};
    const bs_task_inspect *how;
    report                 r;
    basin_status           s =
        bs_need_text(out, BS_ARGUMENTS({"config", c}, {"out_prefix", out_prefix}), err);
    if (!s)
        s = bs_need_files(files, n, err);
    if (s)
        return s;
    bs_data_args g = {&c->settings, files, n, NULL};
    report_open(&r, out);
    cut.parts = parse_shares(cut.o->shares ? cut.o->shares : "60,20,20", cut.share, err);
    s = cut.parts ? check_names(&cut, err) : BASIN_EARG;
    if (!s)
        s = handling_of(&g, &how, err);
    if (!s)
        s = how->split(&g, &cut, &r.notes, &r.table, &r.json, err);
    return report_close(&r, s, session, out, err);
}

/* ---- make ---- */

basin_status bs_make_options(const bs_option *rows, void *options, const char *words,
                             basin_error *err)
{
    basin_status s = bs_options_default(rows, options, err);
    return s ? s : bs_options_words(rows, options, words, "make", err);
}

static const char *other_kind(const bs_task *task)
{
    const bs_task_inspect *how = bs_tool_of(task)->data;
    return how ? how->also : NULL;
}

static basin_status fail_kind(const char *kind, basin_error *err)
{
    char all[256] = "";
    for (int i = 0, at = 0; bs_tasks[i]; i++)
        if (bs_tool_of(bs_tasks[i])->generator)
            at += bs_print(all + at, sizeof all - (size_t)at, "%s%s%s%s", at ? ", " : "",
                           bs_tasks[i]->name, other_kind(bs_tasks[i]) ? ", " : "",
                           other_kind(bs_tasks[i]) ? other_kind(bs_tasks[i]) : "");
    return bs_fail(err, BASIN_EARG, "make: '%s' is not a kind of data that can be made: %s", kind,
                   all);
}

basin_status basin_data_make(const char *kind, const char *options, uint64_t seed, const char *out,
                             const char *format, const basin_session *session, basin_text *text,
                             basin_error *err)
{
    BS_KEEP_ERRNO;
    report       r;
    basin_status s = bs_need_text(text, BS_ARGUMENTS({"kind", kind}), err);
    if (s)
        return s;
    const bs_task         *task = NULL;
    const bs_task_inspect *how = NULL;
    bs_buf                 words;
    report_open(&r, text);
    bs_buf_init(&words, 1 << 16);
    if (!bs_task_find(kind, &task, NULL))
        how = bs_tool_of(task)->data;
    for (int i = 0; !how && bs_tasks[i]; i++)
        if (other_kind(bs_tasks[i]) && strcmp(other_kind(bs_tasks[i]), kind) == 0) {
            how = bs_tool_of(bs_tasks[i])->data;
            bs_buf_text(&words, how->options);
        }
    bs_buf_text(&words, options ? options : "");
    if (words.failed)
        s = bs_fail_nomem(err);
    else if (!how)
        s = fail_kind(kind, err);
    else if (!out)
        s = bs_fail(err, BASIN_EARG, "make: needs -o FILE");
    else if (seed > INT32_MAX)
        s = bs_fail(err, BASIN_EARG, "--seed: at most %d", INT32_MAX);
    if (!s)
        s = how->make(words.data ? words.data : "", (int)seed, out, format, &r.notes, &r.table,
                      &r.json, err);
    bs_buf_free(&words);
    return report_close(&r, s, session, text, err);
}
