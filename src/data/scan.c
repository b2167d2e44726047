/* scan.c -- words that files use for 0, 1 and missing values, and text that may not be UTF-8. */
#include "data/scan.h"

#include <string.h>

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
