/* tree.h -- JSON through jansson, the same in every locale.
 *
 * jansson reads and writes numbers with strtod and printf and expects a decimal point of one byte;
 * where it has two, as in Persian, it aborts the program. Use only these functions to read and
 * write. */
#ifndef BS_TREE_H
#define BS_TREE_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"

/* As json_loadb; `why` may be NULL. */
json_t *bs_tree_read(const char *text, size_t len, size_t flags, json_error_t *why);

/* Whether the value at the start of the text may have more than `most` members: a tree is many
 * times the size of its text. */
bool bs_tree_larger(const char *text, size_t len, size_t most);

/* An object, the whole text of a file that `name` is for messages; the caller frees it. At most
 * `most` values. */
basin_status bs_tree_object(const char *name, const char *text, size_t len, size_t most,
                            json_t **out, basin_error *err);

/* Members of an object, which may be NULL; without one, or with null: what is given, or NaN. */
bool        bs_tree_bool(const json_t *o, const char *key, bool otherwise);
const char *bs_tree_text(const json_t *o, const char *key, const char *otherwise);
double      bs_tree_number(const json_t *o, const char *key);

/* For messages: "a list", "null". */
const char *bs_tree_kind(const json_t *v);

/* Appends any value as JSON; false if value is NULL or memory ran out. */
bool bs_tree_write(const json_t *value, bs_buf *out);

/* As much of a value as fits, for messages; false if value is NULL. */
bool bs_tree_show(const json_t *value, size_t flags, char *text, size_t size);

#endif
