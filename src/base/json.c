/* json.c -- the one place that writes JSON syntax: commas, quotes, escapes, numbers. */
#include "base/json.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/opt.h"
#include "base/utf8.h"
#include "base/visible.h"

size_t bs_json_character(const char *p, size_t left, char spelled[BS_JSON_CHARACTER], size_t *n)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const size_t      valid = bs_utf8_len(p, left);
    const char       *hit = *p ? strchr(from, *p) : NULL;
    const unsigned    c = valid ? bs_invisible(p, valid) : 0;
    *n = 0;
    if (!valid)
        *n = (size_t)bs_print(spelled, BS_JSON_CHARACTER, "\xef\xbf\xbd");
    else if (hit)
        *n = (size_t)bs_print(spelled, BS_JSON_CHARACTER, "\\%c", to[hit - from]);
    else if (c || !*p)
        *n = (size_t)bs_print(spelled, BS_JSON_CHARACTER, "\\u%04x", c & 0xffffu);
    return valid ? valid : 1;
}

void bs_json_quote(bs_buf *out, const char *text, size_t len)
{
    size_t begin = 0;
    bs_buf_text(out, "\"");
    for (size_t at = 0, step, n; at < len; at += step) {
        char spelled[BS_JSON_CHARACTER];
        step = bs_json_character(text + at, len - at, spelled, &n);
        if (n == 0)
            continue;
        bs_buf_add(out, text + begin, at - begin);
        bs_buf_add(out, spelled, n);
        begin = at + step;
    }
    bs_buf_add(out, text + begin, len - begin);
    bs_buf_text(out, "\"");
}

void bs_json_key(bs_buf *out, const char *key)
{
    const char last = out->len ? out->data[out->len - 1] : '\n';
    if (!strchr("{[: \n", last))
        bs_buf_text(out, ", ");
    if (!key)
        return;
    bs_json_quote(out, key, strlen(key));
    bs_buf_text(out, ": ");
}

void bs_json_open(bs_buf *out, const char *key, char bracket)
{
    bs_json_key(out, key);
    bs_buf_add(out, &bracket, 1);
}

void bs_json_close(bs_buf *out, char bracket)
{
    bs_buf_add(out, &bracket, 1);
}

void bs_json_text_n(bs_buf *out, const char *key, const char *text, size_t n)
{
    bs_json_key(out, key);
    bs_json_quote(out, text, n);
}

void bs_json_text(bs_buf *out, const char *key, const char *text)
{
    bs_json_key(out, key);
    if (text)
        bs_json_quote(out, text, strlen(text));
    else
        bs_buf_text(out, "null");
}

void bs_json_texts(bs_buf *out, const char *key, const char *const *text, int n)
{
    bs_json_open(out, key, '[');
    for (int i = 0; i < n; i++)
        bs_json_text(out, NULL, text[i]);
    bs_json_close(out, ']');
}

void bs_json_int(bs_buf *out, const char *key, long long v)
{
    bs_json_key(out, key);
    bs_buf_printf(out, "%lld", v);
}

void bs_json_bool(bs_buf *out, const char *key, bool v)
{
    bs_json_key(out, key);
    bs_buf_text(out, v ? "true" : "false");
}

void bs_json_hash(bs_buf *out, const char *key, uint64_t v)
{
    bs_json_key(out, key);
    bs_buf_printf(out, "\"%016llx\"", (unsigned long long)v);
}

void bs_json_real(bs_buf *out, const char *key, double v)
{
    char text[BS_NUMBER_TEXT] = "null";
    if (isfinite(v))
        bs_format_double(v, text);
    bs_json_key(out, key);
    bs_buf_text(out, text);
}

void bs_json_known(bs_buf *out, const char *key, double v)
{
    if (isfinite(v))
        bs_json_real(out, key, v);
}

void bs_json_short(bs_buf *out, const char *key, int digits, double v)
{
    bs_json_key(out, key);
    bs_buf_printf(out, isfinite(v) ? "%.*g" : "null", digits, v);
}

void bs_json_fixed(bs_buf *out, const char *key, int digits, double v)
{
    bs_json_key(out, key);
    bs_buf_printf(out, isfinite(v) ? "%.*f" : "null", digits, v);
}

/* "%.6f": the value that comes next, and where its conversion ends. */
static const char *put_value(bs_buf *out, const char *key, const char *at, va_list *args)
{
    const bool some = at[1] == '.';
    const int  digits = some ? at[2] - '0' : 0;
    at += some ? 3 : 1;
    switch (*at) {
    case 'd': bs_json_int(out, key, va_arg(*args, int)); break;
    case 's': bs_json_text(out, key, va_arg(*args, const char *)); break;
    case 'f': bs_json_fixed(out, key, digits, va_arg(*args, double)); break;
    case 'g':
        if (some)
            bs_json_short(out, key, digits, va_arg(*args, double));
        else
            bs_json_real(out, key, va_arg(*args, double));
        break;
    case 'z': bs_json_int(out, key, (long long)va_arg(*args, size_t)); break;
    default: /* %ld or %lld */
        bs_json_int(out, key, at[1] == 'l' ? va_arg(*args, long long) : va_arg(*args, long));
    }
    return at + strspn(at, "dsfglzu");
}

void bs_json_members(bs_buf *out, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    while (*fmt) {
        char         key[64];
        const size_t n = strcspn(fmt, " ");
        bs_print(key, sizeof key, "%.*s", (int)n, fmt);
        fmt = put_value(out, key, fmt + n + 1, &args);
        fmt += *fmt == ' ';
    }
    va_end(args);
}
