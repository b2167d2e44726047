/* api.c -- small things behind basin.h: version, texts, sessions, configs. */
#include "api.h"

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
    out->table = need_table ? take(table) : NULL;
    out->json = need_json ? take(json) : NULL;
    if ((need_table && !out->table) || (need_json && !out->json)) {
        basin_text_free(out);
        return bs_fail_nomem(err);
    }
    return BASIN_OK;
}

bs_logger bs_session_log(const basin_session *s)
{
    static const bs_log_level level[] = {BS_QUIET, BS_WARN, BS_INFO, BS_DEBUG};
    int                       v = s ? s->verbosity : 0;
    return bs_log_make(s ? s->messages : NULL, level[v < 0 ? 0 : v > 3 ? 3 : v]);
}

/* ---- config ---- */

basin_status basin_config_new(basin_config **out, basin_error *err)
{
    basin_config *c = bs_calloc(1, sizeof *c);
    *out = NULL;
    if (!c)
        return bs_fail_nomem(err);
    bs_arena_init(&c->arena, 0);
    bs_buf_init(&c->lines, 1 << 24);
    bs_buf_init(&c->given, 1 << 24);
    basin_status s = bs_settings_default(&c->settings, err);
    if (s) {
        basin_config_free(c);
        return s;
    }
    *out = c;
    return BASIN_OK;
}

void basin_config_free(basin_config *c)
{
    if (!c)
        return;
    bs_arena_free(&c->arena);
    bs_buf_free(&c->lines);
    bs_buf_free(&c->given);
    bs_free(c);
}

basin_status basin_config_set(basin_config *c, const char *key, const char *value, basin_error *err)
{
    basin_status s = bs_settings_set(&c->settings, key, value, "--set", err);
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
    bs_buf text;
    bs_buf_init(&text, 1 << 24);
    basin_status s = bs_read_file(path, &text, err);
    if (!s)
        s = bs_settings_config(&c->settings, text.data ? text.data : "", text.len, path, err);
    if (!s && text.len > 0) {
        bs_buf_add(&c->lines, text.data, text.len);
        bs_buf_text(&c->lines, "\n");
    }
    bs_buf_free(&text);
    return !s && c->lines.failed ? bs_fail_nomem(err) : s;
}

basin_status basin_config_file(basin_config *c, const char *role, const char *path,
                               basin_error *err)
{
    static const char *const name[BS_ROLES] = {"train", "valid", "test"};
    for (int i = 0; i < BS_ROLES; i++) {
        if (strcmp(role, name[i]) != 0)
            continue;
        if (c->files.n[i] == BS_MOST_FILES)
            return bs_fail(err, BASIN_EARG, "more than %d files for %s", BS_MOST_FILES, role);
        char *copy = bs_arena_copy(&c->arena, path, strlen(path));
        if (!copy)
            return bs_fail_nomem(err);
        c->files.file[i][c->files.n[i]++] = copy;
        return BASIN_OK;
    }
    return bs_fail(err, BASIN_EARG, "'%s' is not train, valid or test", role);
}

/* ---- paths ---- */

basin_status bs_model_path(const char *model, char path[BS_OPTION_TEXT + 64], basin_error *err)
{
    struct stat st;
    if (strlen(model) >= BS_OPTION_TEXT)
        return bs_fail(err, BASIN_EARG, "the name of the model is too long");
    snprintf(path, BS_OPTION_TEXT + 64, "%s", model);
    if (stat(model, &st) != 0 || !S_ISDIR(st.st_mode))
        return BASIN_OK;
    snprintf(path, BS_OPTION_TEXT + 64, "%s/best.safetensors", model);
    if (access(path, F_OK) != 0)
        return bs_fail(err, BASIN_EIO,
                       "%s: a folder without best.safetensors; is the training finished?", model);
    return BASIN_OK;
}

/* ---- tables ---- */

static const bs_metric_id shown[] = {
    BS_METRIC_example_f1,   BS_METRIC_micro_f1, BS_METRIC_macro_f1, BS_METRIC_subset_accuracy,
    BS_METRIC_hamming_loss, BS_METRIC_lrap,     BS_METRIC_ece};

void bs_metric_header(bs_buf *out)
{
    bs_buf_printf(out, "%-14s %12s %7s %7s %7s %8s %6s %6s\n", "", "ex-F1", "mi-F1", "ma-F1",
                  "subset", "hamming", "LRAP", "ECE");
}

void bs_metric_row(const char *name, const double v[BS_METRIC_COUNT], double margin, bs_buf *out)
{
    char first[32];
    if (margin > 0)
        snprintf(first, sizeof first, "%.2f +-%.1f", 100 * v[shown[0]], 100 * margin);
    else
        snprintf(first, sizeof first, "%.2f", 100 * v[shown[0]]);
    bs_buf_printf(out, "%-14s %12s %7.2f %7.2f %7.2f %8.4f %6.3f %6.3f\n", name, first,
                  100 * v[shown[1]], 100 * v[shown[2]], 100 * v[shown[3]], v[shown[4]], v[shown[5]],
                  v[shown[6]]);
}

/* ---- reading for a model ---- */

basin_status bs_read_for(const bs_saved *m, const char *const *files, int n, bool label_free,
                         bs_logger *log, bs_dataset **out, basin_error *err)
{
    bs_read_options o = m->settings.read;
    bs_notes        notes;
    o.like = &m->schema;
    o.label_free = label_free;
    o.drop_unlabelled = false;
    bs_notes_init(&notes);
    basin_status s = bs_dataset_read(files, n, &o, out, &notes, err);
    if (!s) {
        s = bs_dataset_match(&m->schema, *out, files[0], &notes, err);
        if (s) {
            bs_dataset_free(*out);
            *out = NULL;
        }
    }
    for (size_t i = 0; !s && i < notes.n; i++)
        bs_log_say(log, BS_DEBUG, "%s", notes.note[i].text);
    if (!s && m->spec.mlc.sparse && (*out)->n_missing > 0)
        bs_dataset_fill(*out, &m->schema);
    bs_notes_free(&notes);
    return s;
}
