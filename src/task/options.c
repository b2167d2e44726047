/* options.c -- the table of options.def, and settings as text. */
#include "task/options.h"

#include <stddef.h>
#include <string.h>

#define KEEP   BS_OPTION_KEEP
#define LOG    (BS_OPTION_KEEP | BS_OPTION_TUNE_LOG)
#define LINEAR (BS_OPTION_KEEP | BS_OPTION_TUNE)
#define ROW(kind, field, key, def, least, most, words, flags, help) \
    {key, kind, offsetof(bs_train_options, field), def, least, most, words, help, flags},
#define TEXT(field, key, def, flags, help) \
    ROW(BS_TEXT, field, key, def, NULL, NULL, NULL, flags, help)
#define NAME(field, key, def, words, flags, help) \
    ROW(BS_NAME, field, key, def, NULL, NULL, words, flags, help)
#define BOOL(field, key, def, flags, help) \
    ROW(BS_BOOL, field, key, def, NULL, NULL, NULL, flags, help)
#define INT(field, ...)  ROW(BS_INT, field, __VA_ARGS__)
#define REAL(field, ...) ROW(BS_FLOAT, field, __VA_ARGS__)

const bs_option bs_train_rows[] = {
#include "task/options.def"
    {.name = NULL},
};

const void *bs_encoder_options(const bs_train_options *o, const bs_encoder *e)
{
    return e->rows ? o->encoders.bytes + bs_encoder_place(e) : NULL;
}

/* One table over all structs, so that every form of text is one loop. */
static int append_rows(bs_option *out, int n, const bs_option *rows, size_t shift, unsigned flags)
{
    for (; rows->name; rows++) {
        if (flags && !(rows->flags & flags))
            continue;
        if (n < BS_SETTINGS_ROWS) {
            out[n] = *rows;
            out[n].offset += shift;
        }
        n++;
    }
    return n;
}

/* Rows with any of the flags, or all if flags = 0. How many: bs_settings_default makes sure that
 * there is room for all. */
static int merge(bs_option out[BS_SETTINGS_ROWS], unsigned flags)
{
    int n = append_rows(out, 0, bs_train_rows, offsetof(bs_settings, train), flags);
    for (int i = 0; bs_encoders[i]; i++)
        if (bs_encoders[i]->rows)
            n = append_rows(
                out, n, bs_encoders[i]->rows,
                offsetof(bs_settings, train.encoders) + bs_encoder_place(bs_encoders[i]), flags);
    n = append_rows(out, n, bs_read_rows, offsetof(bs_settings, read), flags);
    n = append_rows(out, n, bs_corpus_rows, offsetof(bs_settings, text), flags);
    n = append_rows(out, n, bs_lexicon_rows, offsetof(bs_settings, words), flags);
    n = append_rows(out, n, bs_image_rows, offsetof(bs_settings, image), flags);
    if (n < BS_SETTINGS_ROWS)
        out[n] = (bs_option){.name = NULL};
    return n;
}

basin_status bs_settings_default(bs_settings *s, basin_error *err)
{
    bs_option rows[BS_SETTINGS_ROWS];
    memset(s, 0, sizeof *s);
    s->read = bs_read_options_default();
    s->text = bs_corpus_options_default();
    s->words = bs_lexicon_options_default();
    s->image = bs_image_options_default();
    basin_status status = bs_options_default(bs_train_rows, &s->train, err);
    if (bs_encoder_place(NULL) > BS_ENCODERS_ROOM || merge(rows, 0) >= BS_SETTINGS_ROWS)
        return bs_fail(err, BASIN_EARG,
                       "there are more settings than BS_ENCODERS_ROOM or BS_SETTINGS_ROWS allow");
    for (int i = 0; bs_encoders[i] && !status; i++)
        if (bs_encoders[i]->rows)
            status =
                bs_options_default(bs_encoders[i]->rows,
                                   s->train.encoders.bytes + bs_encoder_place(bs_encoders[i]), err);
    return status;
}

void bs_settings_rows(bs_option out[BS_SETTINGS_ROWS])
{
    merge(out, 0);
}

basin_status bs_settings_set(bs_settings *s, const char *key, const char *value, const char *where,
                             basin_error *err)
{
    bs_option rows[BS_SETTINGS_ROWS];
    merge(rows, 0);
    return bs_options_set(rows, s, key, value, where, err);
}

basin_status bs_settings_words(bs_settings *s, const char *words, const char *where,
                               basin_error *err)
{
    bs_option rows[BS_SETTINGS_ROWS];
    merge(rows, 0);
    return bs_options_words(rows, s, words, where, err);
}

basin_status bs_settings_config(bs_settings *s, const char *text, size_t len, const char *where,
                                basin_error *err)
{
    bs_option rows[BS_SETTINGS_ROWS];
    merge(rows, 0);
    return bs_options_from_config(rows, s, text, len, where, err);
}

void bs_settings_write_config(const bs_settings *s, bs_buf *out)
{
    bs_option rows[BS_SETTINGS_ROWS];
    merge(rows, 0);
    bs_options_config(rows, s, out);
}

static bool named(const char *name, const char *const *list)
{
    for (; *list; list++) {
        size_t n = strlen(*list);
        bool   group = n > 0 && (*list)[n - 1] == '.';
        if (group ? strncmp(name, *list, n) == 0 : strcmp(name, *list) == 0)
            return true;
    }
    return false;
}

void bs_settings_json_but(const bs_settings *s, const char *const *but, bs_buf *out)
{
    bs_option rows[BS_SETTINGS_ROWS];
    int       n = 0;
    merge(rows, BS_OPTION_KEEP);
    for (int i = 0; rows[i].name; i++)
        if (!named(rows[i].name, but))
            rows[n++] = rows[i];
    rows[n] = (bs_option){.name = NULL};
    bs_options_json(rows, s, out);
}

void bs_settings_json(const bs_settings *s, bs_buf *out)
{
    bs_settings_json_but(s, (const char *const[]){NULL}, out);
}

basin_status bs_settings_take(bs_settings *s, const bs_settings *from, const char *const *list,
                              bool but, basin_error *err)
{
    bs_option    rows[BS_SETTINGS_ROWS];
    bs_buf       value;
    basin_status status = BASIN_OK;
    merge(rows, BS_OPTION_KEEP);
    bs_buf_init(&value, 1 << 16);
    for (const bs_option *r = rows; r->name && !status; r++) {
        if (named(r->name, list) == but)
            continue;
        bs_buf_clear(&value);
        bs_option_format(r, from, &value);
        status = value.failed ? bs_fail_nomem(err)
                              : bs_options_set(rows, s, r->name, value.data ? value.data : "",
                                               "--from", err);
    }
    bs_buf_free(&value);
    return status;
}

basin_status bs_settings_from_json(bs_settings *s, const char *json, size_t len, const char *where,
                                   basin_error *err)
{
    bs_option rows[BS_SETTINGS_ROWS];
    merge(rows, 0);
    basin_status status = bs_options_from_json(rows, s, json, len, where, err);
    bs_options_own_limits(rows, s);
    for (const bs_option *r = rows; r->name; r++)
        if (r->flags & (BS_OPTION_FILE | BS_OPTION_WRITTEN) && !(r->flags & BS_OPTION_KEEP))
            bs_options_set(rows, s, r->name, r->def, where, NULL); /* never stored in a model */
    return status;
}

/* One of the files between the | does not exist or is not a regular file. */
static bool names_special(const char *files)
{
    char one[BS_OPTION_TEXT];
    for (const char *at = files; *at;) {
        const size_t n = strcspn(at, "|");
        bs_print(one, sizeof one, "%.*s", (int)n, at);
        if (bs_is_special(one))
            return true;
        at += n + (at[n] == '|');
    }
    return false;
}

basin_status bs_settings_from_elsewhere(bs_settings *s, const bs_settings *was, const char *where,
                                        bool *left_out, basin_error *err)
{
    bs_option rows[BS_SETTINGS_ROWS];
    merge(rows, 0);
    for (const bs_option *r = rows; r->name; r++) {
        char       *now = (char *)s + r->offset;
        const char *old = (const char *)was + r->offset;
        if (!(r->flags & (BS_OPTION_FILE | BS_OPTION_WRITTEN)) || strcmp(now, old) == 0)
            continue;
        if (r->flags & BS_OPTION_FILE && names_special(now))
            return bs_fail(err, BASIN_EARG,
                           "%s: %s: '%.200s' is not a regular file; anything else must be named "
                           "on the command line, not in a file",
                           where, r->name, now);
        if (r->flags & BS_OPTION_WRITTEN) {
            bs_print(now, BS_OPTION_TEXT, "%s", old);
            *left_out = true;
        }
    }
    return BASIN_OK;
}

void bs_settings_help(bs_buf *out)
{
    bs_option rows[BS_SETTINGS_ROWS];
    merge(rows, 0);
    bs_options_help(rows, out);
}
