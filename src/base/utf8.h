/* utf8.h -- UTF-8: length and validity of characters, encoding, comparing words without case. */
#ifndef BS_UTF8_H
#define BS_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at p, of which `left` may be read; 0 when it is not valid (RFC 3629: no
 * overlong forms, no surrogates, nothing above U+10FFFF) or cut off. A NUL ends any character, so
 * `left` may be 4 for NUL-terminated text. */
size_t bs_utf8_len(const char *p, size_t left);

bool bs_is_utf8(const char *text, size_t len);

/* Of ASCII letters, in any locale. */
static inline char bs_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Equal but for the case of ASCII letters, in any locale; word is NUL-terminated. */
bool bs_same_word(const char *text, size_t len, const char *word);

/* Writes a character, at most 4 bytes, and returns its end; an invalid one becomes U+FFFD. */
char *bs_utf8_put(char *out, uint32_t c);

#endif
