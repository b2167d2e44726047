/* opt_text.c -- option tables as config files and as help.
 *
 * A config line is "key = value"; # starts a comment. A value that could be misread is quoted, with
 * \" \\ \n \r \t and \xHHas escapes. */
#include <stdbool.h>
#include <string.h>

#include "base/opt.h"

/* --- writing ----------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

static bool needs_quotes(const char *text)
{
    size_t len = strlen(text);
    if (len == 0 || text[0] == '"' || is_blank(text[0]) || is_blank(text[len - 1]))
        return true;
    for (const char *c = text; *c; c++)
        if (*c == '#' || is_control(*c))
            return true;
    return false;
}

static void add_quoted(bs_buf *out, const char *text)
{
    bs_buf_text(out, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            bs_buf_printf(out, "\\%c", *c);
        else if (*c == '\n')
            bs_buf_text(out, "\\n");
        else if (*c == '\r')
            bs_buf_text(out, "\\r");
        else if (*c == '\t')
            bs_buf_text(out, "\\t");
        else if (is_control(*c))
            bs_buf_printf(out, "\\x%02x", (unsigned)(unsigned char)*c);
        else
            bs_buf_add(out, c, 1);
    }
    bs_buf_text(out, "\"");
}

void bs_options_config(const bs_option *rows, const void *opts, bs_buf *out)
{
    for (const bs_option *r = rows; r->name; r++) {
        const char *text = (const char *)opts + r->offset;
        bool        is_text = r->kind == BS_TEXT || r->kind == BS_NAME;
        if (r->flags & BS_OPTION_ONCE)
            continue;
        bs_buf_printf(out, "%s = ", r->name);
        if (is_text && needs_quotes(text))
            add_quoted(out, text);
        else
            bs_option_format(r, opts, out);
        bs_buf_text(out, "\n");
    }
}

/* --- reading ----------------------------------------------------------------- */

/* Longer than any value that could be accepted. */
enum { VALUE_TEXT = 4 * BS_OPTION_TEXT };

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The character that the escape after a backslash stands for, or -1. Moves *p past it. */
static int unescape(const char **p, const char *end)
{
    char c = *p < end ? *(*p)++ : '\0';
    switch (c) {
    case '"':
    case '\\': return c;
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'x':
        if (end - *p >= 2 && hex_digit((*p)[0]) >= 0 && hex_digit((*p)[1]) >= 0) {
            int v = hex_digit((*p)[0]) * 16 + hex_digit((*p)[1]);
            *p += 2;
            return v ? v : -1;
        }
        return -1;
    default: return -1;
    }
}

/* Reads the quoted value at p; returns NULL, or what is wrong with it. */
static const char *take_quoted(const char *p, const char *end, char value[VALUE_TEXT])
{
    size_t n = 0;
    for (p++; p < end && *p != '"';) {
        int c = (unsigned char)*p++;
        if (c == '\\')
            c = unescape(&p, end);
        if (c < 0)
            return "unknown escape after '\\'; known are \\\" \\\\ \\n \\r \\t \\xHH";
        if (n == VALUE_TEXT - 1)
            return "the value is too long";
        value[n++] = (char)c;
    }
    if (p == end)
        return "the closing quote is missing";
    value[n] = '\0';
    for (p++; p < end && is_blank(*p); p++)
        ;
    return p == end || *p == '#' ? NULL : "unexpected text after the closing quote";
}

static const char *take_plain(const char *p, const char *end, char value[VALUE_TEXT])
{
    const char *hash = memchr(p, '#', (size_t)(end - p));
    if (hash)
        end = hash;
    while (end > p && is_blank(end[-1]))
        end--;
    size_t n = (size_t)(end - p);
    if (n >= VALUE_TEXT)
        return "the value is too long";
    memcpy(value, p, n);
    value[n] = '\0';
    return NULL;
}

static basin_status config_line(const bs_option *rows, void *opts, const char *p, const char *end,
                                const char *place, basin_error *err)
{
    while (p < end && is_blank(*p))
        p++;
    if (p == end || *p == '#')
        return BASIN_OK;
    if (memchr(p, '\0', (size_t)(end - p)))
        return bs_fail(err, BASIN_EARG, "%s: the line contains a NUL byte", place);

    int         shown = end - p > 80 ? 80 : (int)(end - p);
    const char *equals = memchr(p, '=', (size_t)(end - p));
    const char *hash = memchr(p, '#', (size_t)(end - p));
    if (!equals || equals == p || (hash && hash < equals))
        return bs_fail(err, BASIN_EARG, "%s: expected 'key = value', found '%.*s'", place, shown,
                       p);
    const char *key_end = equals;
    while (key_end > p && is_blank(key_end[-1]))
        key_end--;
    char   key[128], value[VALUE_TEXT];
    size_t n = (size_t)(key_end - p);
    if (n >= sizeof key)
        return bs_fail(err, BASIN_EARG, "%s: unknown option '%.*s...'", place, shown, p);
    memcpy(key, p, n);
    key[n] = '\0';

    for (p = equals + 1; p < end && is_blank(*p); p++)
        ;
    const char *wrong =
        p < end && *p == '"' ? take_quoted(p, end, value) : take_plain(p, end, value);
    if (wrong)
        return bs_fail(err, BASIN_EARG, "%s: %s: %s", place, key, wrong);
    return bs_options_set(rows, opts, key, value, place, err);
}

basin_status bs_options_from_config(const bs_option *rows, void *opts, const char *text, size_t len,
                                    const char *where, basin_error *err)
{
    const char *p = text, *end = text + len;
    if (len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    for (long number = 1; p < end; number++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        const char *stop = nl ? nl : end;
        const char *next = nl ? nl + 1 : end;
        if (stop > p && stop[-1] == '\r')
            stop--;
        char place[300];
        bs_print(place, sizeof place, "%.260s:%ld", where, number);
        basin_status s = config_line(rows, opts, p, stop, place, err);
        if (s)
            return s;
        p = next;
    }
    return BASIN_OK;
}

/* --- help -------------------------------------------------------------------- */

void bs_option_range(const bs_option *row, bs_buf *out)
{
    bs_buf_clear(out);
    switch (row->kind) {
    case BS_INT:
    case BS_FLOAT:
        if (row->min && row->max)
            bs_buf_printf(out, "%s..%s", row->min, row->max);
        else if (row->min || row->max)
            bs_buf_printf(out, "%s %s", row->min ? ">=" : "<=", row->min ? row->min : row->max);
        else
            bs_buf_text(out, row->kind == BS_INT ? "whole number" : "number");
        break;
    case BS_BOOL: bs_buf_text(out, "yes|no"); break;
    case BS_NAME: bs_buf_text(out, row->choices ? row->choices : "name"); break;
    case BS_TEXT: bs_buf_text(out, "text"); break;
    }
}

void bs_options_help(const bs_option *rows, bs_buf *out)
{
    /* Columns as wide as their content, but one long list of choices must not push all other help
     * to the right. */
    const size_t widest = 24;
    size_t       name_w = 0, range_w = 0, def_w = 0;
    bs_buf       range;
    bs_buf_init(&range, 4096);
    for (const bs_option *r = rows; r->name; r++) {
        bs_option_range(r, &range);
        size_t n = strlen(r->name), d = *r->def ? strlen(r->def) : 2;
        name_w = n > name_w ? n : name_w;
        range_w = range.len > range_w && range.len <= widest ? range.len : range_w;
        def_w = d > def_w && d <= widest ? d : def_w;
    }
    for (const bs_option *r = rows; r->name; r++) {
        bs_option_range(r, &range);
        size_t start = out->len;
        bs_buf_printf(out, "  %-*s  %-*s  %-*s", (int)name_w, r->name, (int)range_w,
                      range.data ? range.data : "", (int)def_w, *r->def ? r->def : "\"\"");
        /* what does not fit goes on the next line */
        bool   tuned = r->choices && (r->kind == BS_INT || r->kind == BS_FLOAT);
        size_t n = strlen(r->help) + (tuned ? strlen("; tune ") + strlen(r->choices) : 0);
        bs_buf_printf(out, out->len - start + 2 + n <= 100 ? "  %s%s%s\n" : "\n        %s%s%s\n",
                      r->help, tuned ? "; tune " : "", tuned ? r->choices : "");
    }
    /* Without memory for the range the text would be wrong, not just shorter. */
    out->failed = out->failed || range.failed;
    bs_buf_free(&range);
}
