/* opt.c -- setting and showing single options of a table; see opt.h.
 *
 * A message says where, which option, what was written and what would have
 * been accepted: "--set: gbi.steps: '0' is not a whole number from 1 to 1000". */
#include "base/opt.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/find.h"
#include "base/io.h"
#include "base/utf8.h"

/* --- names ------------------------------------------------------------------- */

const bs_option *bs_option_find(const bs_option *rows, const char *name)
{
    for (const bs_option *r = rows; r->name; r++)
        if (strcmp(r->name, name) == 0)
            return r;
    return NULL;
}

static basin_status fail_unknown(const bs_option *rows, const char *name, const char *where,
                                 basin_error *err)
{
    bs_near near = bs_near_to(name);
    char    hint[BS_NEAR_HINT];
    for (const bs_option *r = rows; r->name; r++) {
        const char *dot = strrchr(r->name, '.');
        bs_near_try(&near, r->name);
        if (dot) /* "steps" is no typing error for "gbi.steps", but it is probably what was meant */
            bs_near_try_as(&near, dot + 1, r->name);
    }
    if (near.best)
        return bs_fail(err, BASIN_EARG, "%s: unknown option '%.80s'%s", where, name,
                       bs_near_hint(&near, hint));

    bs_buf known;
    bs_buf_init(&known, sizeof err->msg);
    for (const bs_option *r = rows; r->name; r++)
        bs_buf_printf(&known, "%s%s", r == rows ? "" : ", ", r->name);
    bs_fail(err, BASIN_EARG, "%s: unknown option '%.80s'; known are: %s%s", where, name,
            known.data ? known.data : "", known.failed ? ", ..." : "");
    bs_buf_free(&known);
    return BASIN_EARG;
}

/* --- what is accepted -------------------------------------------------------- */

/* The next word of a |-separated list; false after the last. */
static bool next_choice(const char **list, const char **word, size_t *len)
{
    if (!*list || !**list)
        return false;
    *word = *list;
    *len = strcspn(*list, "|");
    *list += *len + ((*list)[*len] == '|');
    return true;
}

static basin_status fail_number(const bs_option *row, const char *value, const char *where,
                                basin_error *err)
{
    const char *what = row->kind == BS_INT ? "whole number" : "number";
    const char *lo = row->min, *hi = row->max;
    return bs_fail(err, BASIN_EARG, "%s: %s: '%.80s' is not a %s%s%s%s%s", where, row->name, value,
                   what,
                   lo && hi   ? " from "
                   : lo || hi ? " of "
                              : "",
                   lo   ? lo
                   : hi ? hi
                        : "",
                   lo && hi ? " to " : "",
                   lo && hi ? hi
                   : lo     ? " or more"
                   : hi     ? " or less"
                            : "");
}

static basin_status fail_choice(const bs_option *row, const char *value, const char *where,
                                basin_error *err)
{
    const char *list = row->choices, *word;
    size_t      n;
    bs_near     near = bs_near_to(value);
    bs_buf      words;
    char        hint[BS_NEAR_HINT];
    bs_buf_init(&words, sizeof err->msg);
    while (next_choice(&list, &word, &n)) {
        bs_buf_text(&words, words.len ? ", " : "");
        bs_buf_add(&words, word, n);
        bs_near_try_n(&near, word, n);
    }
    bs_fail(err, BASIN_EARG, "%s: %s: '%.80s' is not one of %s%s%s", where, row->name, value,
            words.data ? words.data : "the known words", words.failed ? ", ..." : "",
            bs_near_hint(&near, hint));
    bs_buf_free(&words);
    return BASIN_EARG;
}

static bool is_choice(const bs_option *row, const char *value)
{
    const char *list = row->choices, *word;
    size_t      n, len = strlen(value);
    if (!list)
        return true;
    while (next_choice(&list, &word, &n))
        if (n == len && memcmp(word, value, n) == 0)
            return true;
    return false;
}

/* --- setting ----------------------------------------------------------------- */

static basin_status set_int(const bs_option *row, void *field, const char *value, const char *where,
                            basin_error *err)
{
    long long v, bound;
    if (!bs_parse_int(value, &v) || (row->min && bs_parse_int(row->min, &bound) && v < bound) ||
        (row->max && bs_parse_int(row->max, &bound) && v > bound))
        return fail_number(row, value, where, err);
    if (v < INT_MIN || v > INT_MAX)
        return bs_fail(err, BASIN_EARG, "%s: %s: '%.80s' is not a whole number from %d to %d",
                       where, row->name, value, INT_MIN, INT_MAX);
    int narrow = (int)v;
    memcpy(field, &narrow, sizeof narrow);
    return BASIN_OK;
}

static basin_status set_float(const bs_option *row, void *field, const char *value,
                              const char *where, basin_error *err)
{
    double v, bound;
    if (!bs_parse_double(value, &v) ||
        (row->min && bs_parse_double(row->min, &bound) && v < bound) ||
        (row->max && bs_parse_double(row->max, &bound) && v > bound))
        return fail_number(row, value, where, err);
    memcpy(field, &v, sizeof v);
    return BASIN_OK;
}

static basin_status set_bool(const bs_option *row, void *field, const char *value,
                             const char *where, basin_error *err)
{
    static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (bs_same_word(value, strlen(value), words[i])) {
            bool v = i % 2;
            memcpy(field, &v, sizeof v);
            return BASIN_OK;
        }
    return bs_fail(err, BASIN_EARG,
                   "%s: %s: '%.80s' is not one of yes, no, true, false, on, off, 1, 0", where,
                   row->name, value);
}

static basin_status set_text(const bs_option *row, void *field, const char *value,
                             const char *where, basin_error *err)
{
    size_t len = strlen(value);
    if (row->kind == BS_NAME && !is_choice(row, value))
        return fail_choice(row, value, where, err);
    if (len >= BS_OPTION_TEXT)
        return bs_fail(err, BASIN_EARG, "%s: %s: '%.40s...' has %zu bytes; at most %d are accepted",
                       where, row->name, value, len, BS_OPTION_TEXT - 1);
    memmove(field, value, len + 1);
    return BASIN_OK;
}

basin_status bs_options_set(const bs_option *rows, void *opts, const char *name, const char *value,
                            const char *where, basin_error *err)
{
    const bs_option *row = bs_option_find(rows, name);
    if (!row)
        return fail_unknown(rows, name, where, err);
    void *field = (char *)opts + row->offset;
    switch (row->kind) {
    case BS_INT: return set_int(row, field, value, where, err);
    case BS_FLOAT: return set_float(row, field, value, where, err);
    case BS_BOOL: return set_bool(row, field, value, where, err);
    case BS_NAME:
    case BS_TEXT: return set_text(row, field, value, where, err);
    }
    return bs_fail(err, BASIN_EARG, "%s: %s: the option table has an unknown kind %d", where, name,
                   (int)row->kind);
}

basin_status bs_options_default(const bs_option *rows, void *opts, basin_error *err)
{
    for (const bs_option *r = rows; r->name; r++) {
        basin_status s = bs_options_set(rows, opts, r->name, r->def, "default", err);
        if (s)
            return s;
    }
    return BASIN_OK;
}

void bs_options_own_limits(const bs_option *rows, void *opts)
{
    for (const bs_option *r = rows; r->name; r++) {
        const bool limit = strstr(r->name, ".max_") && !(r->flags & BS_OPTION_KEEP);
        const bool file = r->flags & BS_OPTION_FILE;
        if (limit || (file && bs_is_special((const char *)opts + r->offset)))
            bs_options_set(rows, opts, r->name, r->def, "default", NULL);
    }
}

/* --- showing ----------------------------------------------------------------- */

void bs_option_format(const bs_option *row, const void *opts, bs_buf *out)
{
    const char *field = (const char *)opts + row->offset;
    char        number[BS_NUMBER_TEXT];
    int         i;
    double      d;
    bool        b;
    switch (row->kind) {
    case BS_INT:
        memcpy(&i, field, sizeof i);
        bs_buf_printf(out, "%d", i);
        break;
    case BS_FLOAT:
        memcpy(&d, field, sizeof d);
        bs_format_double(d, number);
        bs_buf_text(out, number);
        break;
    case BS_BOOL:
        memcpy(&b, field, sizeof b);
        bs_buf_text(out, b ? "yes" : "no");
        break;
    case BS_NAME:
    case BS_TEXT: bs_buf_text(out, field); break;
    }
}

basin_status bs_options_words(const bs_option *rows, void *opts, const char *words,
                              const char *where, basin_error *err)
{
    char pair[2 * BS_OPTION_TEXT];
    for (const char *at = words; *at;) {
        size_t n = strcspn(at, " ");
        if (n >= sizeof pair)
            return bs_fail(err, BASIN_EARG, "%s: '%.40s...' is too long", where, at);
        if (n > 0) {
            bs_print(pair, sizeof pair, "%.*s", (int)n, at);
            char *equals = strchr(pair, '=');
            if (!equals)
                return bs_fail(err, BASIN_EARG, "%s: '%s' is not KEY=VALUE", where, pair);
            *equals = '\0';
            basin_status status = bs_options_set(rows, opts, pair, equals + 1, where, err);
            if (status)
                return status;
        }
        at += n;
        at += *at == ' ';
    }
    return BASIN_OK;
}

bool bs_option_differs(const bs_option *row, const void *opts, const void *other, bs_buf *text)
{
    bs_buf unlike;
    if (text->failed)
        return false;
    bs_buf_init(&unlike, 1 << 16);
    bs_buf_clear(text);
    bs_option_format(row, opts, text);
    bs_option_format(row, other, &unlike);
    text->failed = text->failed || unlike.failed;
    bool differs =
        !text->failed && strcmp(text->data ? text->data : "", unlike.data ? unlike.data : "") != 0;
    bs_buf_free(&unlike);
    return differs;
}
