/* api/api.c -- small things behind basin.h: version, texts, sessions, configs. */
#include "api/api.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

const char *basin_version(void)
{
    return BASIN_VERSION;
}

/* ---- text ---- */

void basin_text_free(basin_text *t)
{
    BS_KEEP_ERRNO;
    if (!t)
        return;
    bs_free(t->table);
    bs_free(t->json);
    *t = (basin_text){NULL, NULL};
}

static char *take(bs_buf *b)
{
    bs_buf_add(b, "", 0); /* an empty buffer still needs its NUL */
    char *data = b->failed ? NULL : b->data;
    if (data)
        *b = (bs_buf){0};
    else
        bs_buf_free(b);
    return data;
}

basin_status bs_text_take(bs_buf *table, bs_buf *json, basin_text *out, basin_error *err)
{
    bool need_table = table != NULL, need_json = json != NULL;
    if (need_table)
        bs_buf_lines_visible(table);
    out->table = need_table ? take(table) : NULL;
    out->json = need_json ? take(json) : NULL;
    if ((need_table && !out->table) || (need_json && !out->json)) {
        basin_text_free(out);
        return bs_fail_nomem(err);
    }
    return BASIN_OK;
}

basin_status bs_text_give(basin_status s, bs_buf *table, bs_buf *json, basin_text *out,
                          basin_error *err)
{
    if (!s)
        return bs_text_take(table, json, out, err);
    bs_buf_free(table);
    bs_buf_free(json);
    return s;
}

/* $'...', understood by bash and zsh: a word with characters that must not be printed. */
static void put_bytes(const char *word, bs_buf *out)
{
    bs_buf_text(out, "$'");
    for (const char *p = word; *p; p++)
        if (*p == '\'' || *p == '\\')
            bs_buf_printf(out, "\\%c", *p);
        else if (*p >= 0x20 && *p < 0x7f)
            bs_buf_add(out, p, 1);
        else
            bs_buf_printf(out, "\\x%02x", (unsigned)(unsigned char)*p);
    bs_buf_text(out, "'");
}

void bs_put_word(const char *word, bs_buf *out)
{
    if (*word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-+=.,:/%@") == strlen(word)) {
        bs_buf_text(out, word);
        return;
    }
    if (!bs_is_visible(word)) {
        put_bytes(word, out);
        return;
    }
    bs_buf_text(out, "'");
    for (const char *p = word; *p; p++)
        if (*p == '\'')
            bs_buf_text(out, "'\\''");
        else
            bs_buf_add(out, p, 1);
    bs_buf_text(out, "'");
}

bs_logger bs_session_log(const basin_session *s)
{
    static const bs_log_level level[] = {BS_QUIET, BS_WARN, BS_INFO, BS_DEBUG};
    int                       v = s ? s->verbosity : 0;
    bs_logger log = bs_log_make(s ? s->messages : NULL, level[v < 0 ? 0 : v > 3 ? 3 : v]);
    if (s) {
        log.event = s->event;
        log.ctx = s->ctx;
        log.stop = s->stop;
    }
    return log;
}

basin_status bs_session_take(const basin_session *s, bs_logger *log, basin_error *err)
{
    basin_session own;
    basin_status  status = BS_TAKE(basin_session, s, &own, err);
    *log = bs_session_log(&own);
    return status;
}

/* ---- config ---- */

basin_status basin_config_new(basin_config **out, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_status s = BS_NEED(err, {"out", out});
    if (s)
        return s;
    basin_config *c = bs_calloc(1, sizeof *c);
    *out = NULL;
    if (!c)
        return bs_fail_nomem(err);
    bs_arena_init(&c->arena, 0);
    bs_buf_init(&c->lines, 1 << 24);
    bs_buf_init(&c->given, 1 << 24);
    s = bs_settings_default(&c->settings, err);
    if (s) {
        basin_config_free(c);
        return s;
    }
    *out = c;
    return BASIN_OK;
}

void basin_config_free(basin_config *c)
{
    BS_KEEP_ERRNO;
    if (!c)
        return;
    bs_arena_free(&c->arena);
    bs_buf_free(&c->lines);
    bs_buf_free(&c->given);
    bs_free(c);
}

basin_status basin_config_set(basin_config *c, const char *key, const char *value, basin_error *err)
{
    BS_KEEP_ERRNO;
    basin_status s = BS_NEED(err, {"config", c}, {"key", key}, {"value", value});
    if (!s)
        s = bs_settings_set(&c->settings, key, value, "--set", err);
    if (s)
        return s;
    bs_buf_printf(&c->given, "%s", key);
    bs_buf_add(&c->given, "", 1);
    bs_buf_printf(&c->given, "%s", value);
    bs_buf_add(&c->given, "", 1);
    return c->given.failed ? bs_fail_nomem(err) : BASIN_OK;
}

basin_status basin_config_read(basin_config *c, const char *path, basin_error *err)
{
    BS_KEEP_ERRNO;
    bs_buf       text;
    basin_status s = BS_NEED(err, {"config", c}, {"path", path});
    if (s)
        return s;
    const bs_settings was = c->settings;
    bs_buf_init(&text, 1 << 24);
    s = bs_read_file_most(path, 0, &text, err);
    if (!s)
        s = bs_settings_config(&c->settings, text.data ? text.data : "", text.len, path, err);
    if (!s)
        s = bs_settings_from_elsewhere(&c->settings, &was, path, &c->left_out, err);
    if (!s && text.len > 0) {
        bs_buf_add(&c->lines, text.data, text.len);
        bs_buf_text(&c->lines, "\n");
    }
    bs_buf_free(&text);
    return !s && c->lines.failed ? bs_fail_nomem(err) : s;
}

/* The first n roles. */
static basin_status find_role(const char *role, int n, int *out, basin_error *err)
{
    for (*out = 0; *out < n; ++*out)
        if (strcmp(role, bs_role_names[*out]) == 0)
            return BASIN_OK;
    return bs_fail(err, BASIN_EARG, "'%s' is not %s", role,
                   n == BS_ROLES ? "train, valid, test or unlabelled" : "train, valid or test");
}

basin_status basin_config_file(basin_config *c, const char *role, const char *path,
                               basin_error *err)
{
    BS_KEEP_ERRNO;
    int          i = 0;
    basin_status s = BS_NEED(err, {"config", c}, {"role", role}, {"path", path});
    if (!s)
        s = find_role(role, BS_ROLES, &i, err);
    if (s)
        return s;
    if (strchr(path, '|'))
        return bs_fail(err, BASIN_EARG,
                       "%s: '|' stands between the names of files in RUN/config; rename the file, "
                       "or link to it",
                       path);
    if (c->files.n[i] == BS_MOST_FILES)
        return bs_fail(err, BASIN_EARG, "more than %d files for %s", BS_MOST_FILES, role);
    char *copy = bs_arena_copy(&c->arena, path, strlen(path));
    if (!copy)
        return bs_fail_nomem(err);
    c->files.file[i][c->files.n[i]++] = copy;
    return BASIN_OK;
}

basin_status bs_data_new(const bs_task *task, const char *type, const void *rows, size_t size,
                         basin_data **out, basin_error *err)
{
    basin_status s = BS_NEED(err, {"out", out}, {"rows", rows});
    if (out)
        *out = NULL;
    if (s)
        return s;
    basin_data *d = bs_alloc(sizeof *d + size);
    if (!d)
        return bs_fail_nomem(err);
    d->task = task;
    s = bs_take_sized(type, rows, size, d->rows, err);
    if (s)
        bs_free(d);
    else
        *out = d;
    return s;
}

void basin_data_free(basin_data *d)
{
    BS_KEEP_ERRNO;
    bs_free(d);
}

basin_status basin_config_data(basin_config *c, const char *role, const basin_data *d,
                               basin_error *err)
{
    BS_KEEP_ERRNO;
    int          i = 0;
    basin_status s = BS_NEED(err, {"config", c}, {"role", role}, {"data", d});
    if (!s)
        s = find_role(role, BS_ROLE_UNLABELLED, &i, err);
    if (s)
        return s;
    if (c->files.n[i] > 0 || (c->files.task && c->files.task != d->task))
        return bs_fail(err, BASIN_EARG,
                       "%s: files or other data were given before, or data of another task", role);
    c->files.task = d->task;
    c->files.given[i] = d->rows;
    c->files.file[i][0] = BS_IN_MEMORY;
    c->files.n[i] = 1;
    return BASIN_OK;
}

/* ---- paths ---- */

int bs_find_seeds(const char *folder, const char *file, int *seed, int most)
{
    DIR *dir = opendir(folder);
    int  n = 0;
    for (struct dirent *e; dir && n < most && (e = readdir(dir));) {
        long long number;
        char      name[32];
        if (strncmp(e->d_name, "seed-", 5) != 0 || !bs_parse_int(e->d_name + 5, &number) ||
            number < 0 || number > INT32_MAX)
            continue;
        bs_print(name, sizeof name, "seed-%d", (int)number);
        if (!bs_path_there(bs_path_in(folder, name).text, file))
            continue;
        int at = n++;
        for (; at > 0 && seed[at - 1] > (int)number; at--)
            seed[at] = seed[at - 1];
        seed[at] = (int)number;
    }
    if (dir)
        closedir(dir);
    return n;
}

basin_status bs_model_path(const char *model, char path[BS_OPTION_TEXT + 64], basin_error *err)
{
    struct stat st;
    if (strlen(model) >= BS_OPTION_TEXT)
        return bs_fail(err, BASIN_EARG, "the name of the model is too long");
    bs_print(path, BS_OPTION_TEXT + 64, "%s", model);
    if (stat(model, &st) != 0 || !S_ISDIR(st.st_mode))
        return BASIN_OK;
    static const char *const name[] = {BS_UNFINISHED_FILE, BS_MODEL_FILE};
    for (int i = 0; i < 2; i++) {
        bs_print(path, BS_OPTION_TEXT + 64, "%s/%s", model, name[i]);
        if (access(path, F_OK) == 0)
            return BASIN_OK;
    }
    int seed[BS_MOST_SEEDS];
    if (bs_find_seeds(model, "best.safetensors", seed, BS_MOST_SEEDS) > 0)
        return bs_fail(err, BASIN_EIO,
                       "%s: a folder of several seeds; name one, such as %s/seed-%d", model, model,
                       seed[0]);
    return bs_fail(err, BASIN_EIO,
                   "%s: a folder without " BS_MODEL_FILE "; is the training finished?", model);
}

/* ---- tables ---- */

void bs_metric_header(const bs_task *k, bs_buf *out)
{
    bs_buf_printf(out, "%-14s", "");
    for (int i = 0; i < BS_SHOWN && k->shown[i].heading; i++)
        bs_buf_printf(out, " %*s", k->shown[i].width, k->shown[i].heading);
    bs_buf_text(out, "\n");
}

void bs_metric_row(const bs_task *k, const bs_preprocess *known, const char *name,
                   const double v[BS_MOST_METRICS], double margin, bs_buf *out)
{
    char shown[BS_VISIBLE];
    bs_buf_printf(out, "%-14s", bs_visible(name, 0, shown));
    for (int i = 0; i < BS_SHOWN && k->shown[i].heading; i++) {
        const bs_shown *c = &k->shown[i];
        char            text[48];
        const double    scale = c->percent ? 100 : 1, x = scale * v[c->metric];
        if (isnan(x))
            bs_print(text, sizeof text, "n/a");
        else if (c->metric == known->deciding && margin > 0)
            bs_print(text, sizeof text, "%.*f +-%.1f", c->digits, x, scale * margin);
        else
            bs_print(text, sizeof text, "%.*f", c->digits, x);
        bs_buf_printf(out, " %*s", c->width, text);
    }
    bs_buf_text(out, "\n");
}

/* ---- reading for a model ---- */

/* What a model was made for does not depend on the file. */
static bool is_fixed(const char *key)
{
    static const char *const fixed[] = {"text.to",    "image.size",   "image.channels",
                                        "mask.names", "mask.classes", NULL};
    int                      i = 0;
    while (fixed[i] && strcmp(key, fixed[i]) != 0)
        i++;
    return fixed[i] != NULL;
}

static basin_status fail_key(const bs_model_file *m, const char *key, const bs_option *rows,
                             basin_error *err)
{
    const bool all = rows == bs_read_rows;
    bs_buf     known;
    bs_buf_init(&known, 1 << 12);
    for (; rows->name; rows++)
        if (!is_fixed(rows->name))
            bs_buf_printf(&known, " %s", rows->name);
    for (rows = bs_read_rows; rows->name && !all; rows++)
        if (bs_tasks_share(rows->name))
            bs_buf_printf(&known, " %s", rows->name);
    basin_status s =
        bs_fail(err, BASIN_EARG, "--set: '%.40s' is not an option of reading %s; those are:%s", key,
                m->task->unit, known.failed ? "" : known.data);
    bs_buf_free(&known);
    return s;
}

static basin_status set_one(bs_model_file *m, const char *key, const char *value, bool files,
                            basin_error *err)
{
    const bs_option *rows;
    void            *to = m->task->reading(&m->settings, &m->known, &rows);
    bool             searches;
    basin_status     s = bs_model_file_set(m, key, value, &searches, err);
    if (searches)
        return s;
    if (!files)
        return bs_fail(err, BASIN_EARG,
                       "set: %s is an option of reading files; this data is in memory", key);
    if (bs_tasks_share(key))
        return bs_options_set(bs_read_rows, &m->settings.read, key, value, "--set", err);
    if (!bs_option_find(rows, key) || is_fixed(key))
        return fail_key(m, key, rows, err);
    return bs_options_set(rows, to, key, value, "--set", err);
}

basin_status bs_model_file_set_all(bs_model_file *m, const char *const *set, bool files,
                                   basin_error *err)
{
    basin_status s = BASIN_OK;
    for (; set && *set && !s; set++) {
        char        key[64];
        const char *equals = strchr(*set, '=');
        const int   n = equals ? (int)(equals - *set) : 0;
        if (n == 0 || n >= (int)sizeof key)
            return bs_fail(err, BASIN_EARG, "--set: '%.80s' is not KEY=VALUE", *set);
        bs_print(key, sizeof key, "%.*s", n, *set);
        s = set_one(m, key, equals + 1, files, err);
    }
    return s;
}

/* The task that a file looks like, if that is not the model's; `understood`: it has been read. */
static const bs_task *other_task(const bs_model_file *m, const char *file, bool understood)
{
    enum { SURE = 50, CERTAIN = 90 };
    const bs_task *task;
    struct stat    st;
    int            sure;
    if (stat(file, &st) || S_ISFIFO(st.st_mode))
        return NULL; /* a pipe has nothing left to examine */
    if (bs_task_sniff(file, &task, &sure, NULL) || task == m->task ||
        sure < (understood ? CERTAIN : SURE))
        return NULL;
    if ((understood || sure < CERTAIN) && bs_task_sniff_file(m->task, file) >= SURE)
        return NULL; /* JSON rows with a text could be either */
    return task;
}

/* A file that cannot be read may belong to another task, which makes a better message. */
basin_status bs_error_other_task(const bs_model_file *m, const char *file, basin_status s,
                                 basin_error *err)
{
    const bs_task *task = s == BASIN_EDATA || s == BASIN_EARG ? other_task(m, file, false) : NULL;
    return task ? bs_fail(err, BASIN_EDATA, "%s: is data for the task %s, but the model is for %s",
                          file, task->name, m->task->name)
                : s;
}

/* A model of texts can read any lines. */
void bs_remark_other_task(const bs_model_file *m, const char *file, bs_logger *log)
{
    const bs_task *task =
        strcmp(m->settings.read.format, "auto") == 0 ? other_task(m, file, true) : NULL;
    if (task)
        bs_log_say(log, BS_WARN, "%s: looks like data for the task %s, but the model is for %s",
                   file, task->name, m->task->name);
}

basin_status bs_error_in_files(const char *const *files, int n, basin_status s, basin_error *err)
{
    if (!err || n < 1)
        return s;
    if (n == 1)
        return bs_fail(err, s, "%.200s: %s", files[0], err->msg);
    return bs_fail(err, s, "%.200s and %d more: %s", files[0], n - 1, err->msg);
}

/* Training data must not serve as test data by accident. */
static basin_status choose_part(const bs_model_file *m, bs_read_request *w, const char *part,
                                bs_logger *log, basin_error *err)
{
    bool has[BS_ROLES] = {false};
    if (part && strcmp(part, "all") == 0)
        return BASIN_OK;
    if (part && !m->task->parts)
        return bs_fail(err, BASIN_EARG, "--part: files of task %s have no parts", m->task->name);
    w->part = part;
    if (part || w->label_free || !m->task->parts)
        return BASIN_OK;
    basin_status s = m->task->parts(&m->settings, w, has, err);
    if (!s && has[2]) {
        w->part = "test";
        bs_log_say(log, BS_INFO, "%s: only its part test counts; --part all takes everything",
                   w->file[0]);
    }
    return s;
}

basin_status bs_read_for(const bs_model_file *m, const char *const *files, int n, const char *part,
                         bool label_free, bs_logger *log, bs_dataset *out, basin_error *err)
{
    void           *opened = NULL;
    bs_read_request wish = {.task = m->task,
                            .file = files,
                            .n = n,
                            .known = &m->known,
                            .label_free = label_free,
                            .opened = &opened};
    bs_notes        notes;
    *out = (bs_dataset){0};
    bs_notes_init(&notes);
    basin_status s = choose_part(m, &wish, part, log, err);
    if (!s)
        s = m->task->read(&m->settings, &wish, &notes, out, err);
    if (!s) /* most were reported in training */
        bs_notes_log(&notes, NULL, BS_DEBUG, log);
    if (!s && m->task->remark)
        m->task->remark(out, &m->known, label_free, log);
    bs_notes_free(&notes);
    if (opened)
        m->task->close(opened);
    return s && n > 0 ? bs_error_other_task(m, files[0], s, err) : s;
}
