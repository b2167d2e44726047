/* json.c -- the tokens of a JSON header, checked byte by byte. */
#include "base/print.h"
#include "base/utf8.h"
#include "file/json.h"

#include <string.h>

static bool fail(bs_json *j, const char *at, const char *what)
{
    if (!j->status)
        j->status = bs_fail(j->err, BASIN_EDATA, "%s: header, byte %zu: %s", j->where,
                            j->offset + (size_t)(at - j->start), what);
    return false;
}

static bool fail_expected(bs_json *j, const char *what)
{
    char          text[128];
    unsigned char c = (unsigned char)*j->at;
    if (j->at == j->end)
        bs_print(text, sizeof text, "expected %s, found the end", what);
    else if (c > ' ' && c < 0x7f)
        bs_print(text, sizeof text, "expected %s, found '%c'", what, c);
    else
        bs_print(text, sizeof text, "expected %s, found byte 0x%02x", what, (unsigned)c);
    return fail(j, j->at, text);
}

static void skip_blanks(bs_json *j)
{
    while (*j->at == ' ' || *j->at == '\n' || *j->at == '\r' || *j->at == '\t')
        j->at++;
}

bool bs_json_take(bs_json *j, char c)
{
    if (j->status)
        return false;
    skip_blanks(j);
    if (*j->at != c)
        return false;
    j->at++;
    return true;
}

bool bs_json_expect(bs_json *j, char c, const char *what)
{
    return bs_json_take(j, c) || fail_expected(j, what);
}

bool bs_json_more(bs_json *j, char close)
{
    if (bs_json_take(j, ','))
        return true;
    if (!bs_json_take(j, close))
        fail_expected(j, close == '}' ? "',' or '}'" : "',' or ']'");
    return false;
}

bool bs_json_finish(bs_json *j)
{
    if (j->status)
        return false;
    skip_blanks(j);
    return j->at == j->end || fail_expected(j, "nothing but spaces");
}

/* --- strings ----------------------------------------------------------------- */

/* The four digits of \uXXXX, -1 if they are invalid. */
static int32_t hex4(const char *p)
{
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        int  digit = c >= '0' && c <= '9'   ? c - '0'
                     : c >= 'a' && c <= 'f' ? c - 'a' + 10
                     : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                            : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static char *put_utf8(char *out, int32_t c)
{
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    int follow = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    *out++ = (char)((0xFF00 >> (follow + 1) & 0xFF) | c >> 6 * follow);
    while (follow-- > 0)
        *out++ = (char)(0x80 | (c >> 6 * follow & 0x3F));
    return out;
}

/* What follows \u, including the second half of a surrogate pair. */
static bool unescape_unicode(bs_json *j, char **out)
{
    char   *p = j->at;
    int32_t c = hex4(p + 2);
    if (c < 0)
        return fail(j, p, "\\u without four hexadecimal digits");
    if (c == 0)
        return fail(j, p, "a NUL character in a string");
    p += 6;
    if (c >= 0xD800 && c < 0xE000) {
        int32_t low = c < 0xDC00 && p[0] == '\\' && p[1] == 'u' ? hex4(p + 2) : -1;
        if (low < 0xDC00 || low > 0xDFFF)
            return fail(j, j->at, "half a surrogate pair");
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        p += 6;
    }
    *out = put_utf8(*out, c);
    j->at = p;
    return true;
}

static bool unescape(bs_json *j, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";

    char c = j->at[1];
    if (c == 'u')
        return unescape_unicode(j, out);
    if (j->at + 1 == j->end)
        return fail(j, j->at, "a string without end");
    const char *hit = c ? strchr(from, c) : NULL;
    if (!hit)
        return fail(j, j->at, "an unknown escape in a string");
    *(*out)++ = to[hit - from];
    j->at += 2;
    return true;
}

static bool plain_byte(char c)
{
    return c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

/* Eight bytes without quote, backslash, control or non-ASCII character. A borrow can only make a
 * good word look bad, which merely costs time. */
static bool plain_word(const char *p)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t       w;
    memcpy(&w, p, sizeof w);
    uint64_t bad = w | (w - ones * 0x20) | ((w ^ ones * '"') - ones) | ((w ^ ones * '\\') - ones);
    return (bad & ones * 0x80) == 0;
}

bool bs_json_string(bs_json *j, const char *what, char **text)
{
    if (!bs_json_expect(j, '"', what))
        return false;
    char *out = j->at;
    *text = out;
    for (;;) {
        while (j->end - j->at >= 8 && plain_word(j->at)) {
            memmove(out, j->at, 8);
            out += 8;
            j->at += 8;
        }
        while (plain_byte(*j->at))
            *out++ = *j->at++;
        unsigned char c = (unsigned char)*j->at;
        if (c == '"')
            break;
        if (c == '\\') {
            if (!unescape(j, &out))
                return false;
            continue;
        }
        if (c < 0x20)
            return fail(j, j->at,
                        j->at == j->end ? "a string without end"
                                        : "a control character in a string");
        size_t n = bs_utf8_len(j->at, 4);
        if (n == 0)
            return fail(j, j->at, "not UTF-8");
        memmove(out, j->at, n);
        out += n;
        j->at += n;
    }
    j->at++;
    *out = '\0';
    return true;
}

/* --- numbers ----------------------------------------------------------------- */

bool bs_json_count(bs_json *j, const char *what, int64_t *out)
{
    if (j->status)
        return false;
    skip_blanks(j);
    const char *p = j->at;
    if (*p < '0' || *p > '9')
        return fail_expected(j, what);
    int64_t value = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *p - '0', &value))
            return fail(j, j->at, "a number is too large");
    if (j->at[0] == '0' && p - j->at > 1)
        return fail(j, j->at, "a number starts with 0");
    j->at += p - j->at;
    *out = value;
    return true;
}
