/* tree.h -- JSON through jansson, the same in every locale.
 *
 * jansson reads and writes numbers with strtod and printf and expects a decimal point of one byte;
 * where it has two, as in Persian, it aborts the program. Use only these functions to read and
 * write. */
#ifndef BS_TREE_H
#define BS_TREE_H

#include <jansson.h>

#include "base/buf.h"

/* As json_loadb; `why` may be NULL. */
json_t *bs_tree_read(const char *text, size_t len, size_t flags, json_error_t *why);

/* Whether the value at the start of the text may have more than `most` members: a tree is many
 * times the size of its text. */
bool bs_tree_larger(const char *text, size_t len, size_t most);

/* Appends any value as JSON; false if value is NULL or memory ran out. */
bool bs_tree_write(const json_t *value, bs_buf *out);

/* As much of a value as fits, for messages; false if value is NULL. */
bool bs_tree_show(const json_t *value, size_t flags, char *text, size_t size);

#endif
