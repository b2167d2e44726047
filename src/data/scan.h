/* scan.h -- parsing numbers and words of NUL-terminated text; the inner loop of every reader. */
#ifndef BS_SCAN_H
#define BS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/opt.h"
#include "base/utf8.h"

/* Digits at p: returns their end, or NULL if there are none. A number above INT64_MAX / 16 reads as
 * that. */
static inline const char *bs_scan_index(const char *p, int64_t *out)
{
    const char *start = p;
    int64_t     value = 0;
    for (; (unsigned char)(*p - '0') < 10; p++)
        value = value > INT64_MAX / 160 ? INT64_MAX / 16 : value * 10 + (*p - '0');
    *out = value;
    return p == start ? NULL : p;
}

static inline bool bs_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline const char *bs_skip_blanks(const char *p)
{
    while (bs_is_blank(*p))
        p++;
    return p;
}

/* Length without trailing blanks. */
size_t bs_trim(const char *text, size_t len);

/* "no", "false", "0", ... read as 0, "yes", "true", "1", ... as 1, anything else as -1. */
int bs_truth(const char *text, size_t len);

/* "?", "na", "nan", "null", "none" and the empty text. */
bool bs_is_missing(const char *text, size_t len);

/* The text, converted to UTF-8 if it must be Latin-1; copied into the arena. */
const char *bs_to_utf8(bs_arena *arena, const char *text, size_t len, bool *converted);

/* For "%.*s" in messages: at most 40 bytes of a foreign word, whole characters only. */
int bs_show(const char *text, size_t len);

#endif
