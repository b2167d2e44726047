/* utf8.c -- decoding with the checks of RFC 3629, encoding, and comparison that ignores ASCII
 * case. */
#include "base/utf8.h"

size_t bs_utf8_len(const char *text, size_t left)
{
    const unsigned char *p = (const unsigned char *)text;
    if (left == 0)
        return 0;
    size_t   n = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    unsigned lo = 0x80, hi = 0xBF;
    if (n <= 1)
        return n;
    if (p[0] > 0xF4 || n > left)
        return 0;
    if (p[0] == 0xE0)
        lo = 0xA0;
    if (p[0] == 0xED)
        hi = 0x9F;
    if (p[0] == 0xF0)
        lo = 0x90;
    if (p[0] == 0xF4)
        hi = 0x8F;
    if (p[1] < lo || p[1] > hi)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    return n;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool bs_same_word(const char *text, size_t len, const char *word)
{
    for (size_t i = 0; i < len; i++)
        if (!word[i] || lower(text[i]) != lower(word[i]))
            return false;
    return word[len] == '\0';
}

char *bs_utf8_put(char *out, uint32_t c)
{
    if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        c = 0xFFFD;
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    *out++ = (char)((0xFF00 >> (more + 1) & 0xFF) | c >> 6 * more);
    for (int i = more - 1; i >= 0; i--)
        *out++ = (char)(0x80 | (c >> 6 * i & 0x3F));
    return out;
}
