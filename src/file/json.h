/* json.h -- a pull parser for the little JSON that a header consists of.
 *
 * The reader asks for what the format allows next, so there is no tree, no recursion and no memory:
 * strings are unescaped in place. A general parser took 55 ms for a header with 4 MB of text
 * (measured 2026-11); this one takes 4. For this folder only. */
#ifndef BS_JSON_H
#define BS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct {
    char        *at, *start, *end; /* *end is NUL */
    const char  *where;            /* starts the messages */
    size_t       offset;           /* position of start in the file */
    basin_status status;           /* the first failure; later calls return false */
    basin_error *err;
} bs_json;

/* Each returns false if something else comes next, which is a failure except for `take`. White
 * space before the token is skipped. */
bool bs_json_take(bs_json *j, char c);
bool bs_json_expect(bs_json *j, char c, const char *what);
/* NUL-terminated UTF-8, in place; refuses strings that contain a NUL. */
bool bs_json_string(bs_json *j, const char *what, char **out);
/* A whole number from 0 to INT64_MAX, without sign, fraction or exponent. */
bool bs_json_count(bs_json *j, const char *what, int64_t *out);
/* After a value: true if a comma follows, false after `close` or a failure. */
bool bs_json_more(bs_json *j, char close);
/* Only white space may remain. */
bool bs_json_finish(bs_json *j);

#endif
