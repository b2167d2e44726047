/* json.h -- writes JSON piece by piece into a buffer.
 *
 *     bs_json_open(out, NULL, '{');
 *     bs_json_text(out, "method", "seal");
 *     bs_json_open(out, "scores", '[');
 *     bs_json_real(out, NULL, 0.5);
 *     bs_json_close(out, ']');
 *     bs_json_close(out, '}');            {"method": "seal", "scores": [0.5]}
 *
 * Without a key (NULL) a value is an element of a list, or the whole text. There is no state beside
 * the buffer: outside of strings the last character of JSON tells whether a comma is due, so that
 * any function can add members to an object that its caller has opened. Texts may be any bytes, and
 * what comes out is valid UTF-8 all the same; numbers that are not finite become null. */
#ifndef BS_BASE_JSON_H
#define BS_BASE_JSON_H

#include <stdint.h>

#include "base/buf.h"

enum { BS_JSON_CHARACTER = 8 };
/* How to write the character at p, of which `left` bytes may be read, inside a string: up to 6
 * bytes, *n of them. Returns how many bytes of the text it consumes; *n is 0 if it needs no escape.
 * Escapes what a terminal would obey (visible.h); invalid UTF-8 becomes U+FFFD. */
size_t bs_json_character(const char *p, size_t left, char spelled[BS_JSON_CHARACTER], size_t *n);
/* A whole string, in its quotes. */
void bs_json_quote(bs_buf *out, const char *text, size_t n);

void bs_json_open(bs_buf *out, const char *key, char bracket);
void bs_json_close(bs_buf *out, char bracket);
/* The comma and the key; the caller appends the value. */
void bs_json_key(bs_buf *out, const char *key);

void bs_json_text(bs_buf *out, const char *key, const char *text); /* NULL: null */
void bs_json_text_n(bs_buf *out, const char *key, const char *text, size_t n);
void bs_json_texts(bs_buf *out, const char *key, const char *const *text, int n);
void bs_json_int(bs_buf *out, const char *key, long long v);
void bs_json_bool(bs_buf *out, const char *key, bool v);
void bs_json_hash(bs_buf *out, const char *key, uint64_t v); /* 16 hexadecimal digits, a text */

/* Several members at once: "rows %d share %.6f name %s". Keys are words, and the compiler checks
 * arguments as for printf: %d %ld %lld %zu, %s (NULL: null), %.6f and %.6g (decimals, or
 * significant digits), %g (as bs_json_real). */
void bs_json_members(bs_buf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The fewest digits that read back as the same number; bs_json_known omits a member that is not
 * finite. */
void bs_json_real(bs_buf *out, const char *key, double v);
void bs_json_known(bs_buf *out, const char *key, double v);
/* Significant digits, as %g; or decimals. */
void bs_json_short(bs_buf *out, const char *key, int digits, double v);
void bs_json_fixed(bs_buf *out, const char *key, int digits, double v);

#endif
