/* utf8.h -- how long a UTF-8 character is, and whether it is one; words without their case. */
#ifndef BS_UTF8_H
#define BS_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at p, of which `left` may be read; 0 when it is not valid (RFC 3629:
 * no overlong forms, no surrogates, nothing above U+10FFFF) or cut off. A NUL ends any
 * character, so text that has one at its end may give 4. */
size_t bs_utf8_len(const char *p, size_t left);

/* Equal without regard to the case of ASCII letters, in any locale; word is NUL-terminated. */
bool bs_same_word(const char *text, size_t len, const char *word);

/* Writes a character, at most 4 bytes, and returns where it ends; what is none becomes U+FFFD. */
char *bs_utf8_put(char *out, uint32_t c);

#endif
