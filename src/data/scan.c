/* scan.c -- numbers, words and patterns out of text. Numbers with at most 19 digits take a fast
 * path that rounds once; others go to base/number.c. */
#include "data/scan.h"

#include <string.h>

#include "base/opt.h"

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* What the fast path cannot round by itself. */
static const char *scan_slowly(const char *start, const char *end, double *out)
{
    char   text[400];
    size_t n = (size_t)(end - start);
    if (n >= sizeof text)
        return NULL;
    memcpy(text, start, n);
    text[n] = '\0';
    return bs_parse_double(text, out) ? end : NULL;
}

/* Up to 19 digits fit the integer; up to 2^53 it is an exact double, as are powers of ten up to 22,
 * so a single operation rounds once. */
const char *bs_scan_double(const char *p, double *out)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char         *start = p;
    bool                negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    const char *digits = p;
    uint64_t    whole = 0;
    for (; is_digit(*p); p++)
        whole = whole * 10 + (uint64_t)(*p - '0');
    ptrdiff_t n = p - digits, exponent = 0;
    if (*p == '.') {
        const char *fraction = ++p;
        for (; is_digit(*p); p++)
            whole = whole * 10 + (uint64_t)(*p - '0');
        exponent = fraction - p;
        n += p - fraction;
    }
    if (n == 0)
        return NULL;
    if (*p == 'e' || *p == 'E') {
        const char *e = p + 1;
        bool        below = *e == '-';
        if (*e == '-' || *e == '+')
            e++;
        if (!is_digit(*e))
            return NULL;
        int64_t power;
        p = bs_scan_index(e, &power);
        power = power > 100000 ? 100000 : power;
        exponent += below ? -(ptrdiff_t)power : (ptrdiff_t)power;
    }
    if (n > 19 || whole > (uint64_t)1 << 53 || exponent < -22 || exponent > 22)
        return scan_slowly(start, p, out);
    double value = exponent < 0 ? (double)whole / tens[-exponent] : (double)whole * tens[exponent];
    *out = negative ? -value : value;
    return p;
}

size_t bs_trim(const char *text, size_t len)
{
    while (len && bs_is_blank(text[len - 1]))
        len--;
    return len;
}

int bs_truth(const char *text, size_t len)
{
    static const char *const no[] = {"0", "no", "false", "n", "f", "off", "0.0", "absent", NULL};
    static const char *const yes[] = {"1", "yes", "true", "y", "t", "on", "1.0", "present", NULL};
    for (int i = 0; no[i]; i++) {
        if (bs_same_word(text, len, no[i]))
            return 0;
        if (bs_same_word(text, len, yes[i]))
            return 1;
    }
    return -1;
}

bool bs_is_missing(const char *text, size_t len)
{
    static const char *const words[] = {"?", "na", "nan", "null", "none", "n/a", NULL};
    for (int i = 0; words[i]; i++)
        if (bs_same_word(text, len, words[i]))
            return true;
    return len == 0;
}

bool bs_is_utf8(const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        size_t n = bs_utf8_len(text + i, len - i);
        if (!n)
            return false;
        i += n;
    }
    return true;
}

const char *bs_to_utf8(bs_arena *arena, const char *text, size_t len, bool *converted)
{
    *converted = !bs_is_utf8(text, len);
    if (!*converted)
        return bs_arena_copy(arena, text, len);
    char *out = len < SIZE_MAX / 4 ? bs_arena_alloc(arena, 2 * len + 1) : NULL;
    if (!out)
        return NULL;
    char *o = out;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x80) {
            *o++ = (char)c;
        } else {
            *o++ = (char)(0xc0 | c >> 6);
            *o++ = (char)(0x80 | (c & 0x3f));
        }
    }
    *o = '\0';
    return out;
}

int bs_show(const char *text, size_t len)
{
    if (len <= 40)
        return (int)len;
    size_t n = 40;
    while (n > 36 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    return (int)n;
}
