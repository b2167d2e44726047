/* utf8.c -- decoding and encoding by utf8proc, and comparison that ignores ASCII case. */
#include "base/utf8.h"

#include <utf8proc.h>

size_t bs_utf8_len(const char *text, size_t left)
{
    const unsigned char *p = (const unsigned char *)text;
    utf8proc_int32_t     code;
    if (left == 0 || *p < 0x80) /* most are */
        return left > 0;
    const utf8proc_ssize_t n = utf8proc_iterate(p, (utf8proc_ssize_t)left, &code);
    return n > 0 ? (size_t)n : 0;
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

bool bs_same_word(const char *text, size_t len, const char *word)
{
    for (size_t i = 0; i < len; i++)
        if (!word[i] || bs_lower(text[i]) != bs_lower(word[i]))
            return false;
    return word[len] == '\0';
}

char *bs_utf8_put(char *out, uint32_t c)
{
    const bool valid = c <= 0x10FFFF && utf8proc_codepoint_valid((utf8proc_int32_t)c);
    return out +
           utf8proc_encode_char(valid ? (utf8proc_int32_t)c : 0xFFFD, (utf8proc_uint8_t *)out);
}
