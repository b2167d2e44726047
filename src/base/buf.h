/* buf.h -- growing memory, always with a ceiling given at creation. */
#ifndef BS_BUF_H
#define BS_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/print.h"

/* A growing byte string, NUL-terminated once something has been added. An append that fails
 * (memory, ceiling) sets `failed` and leaves the content alone, and so do all later appends: a
 * caller checks once at the end. */
typedef struct {
    char  *data;
    size_t len, cap, ceiling;
    bool   failed;
} bs_buf;

void bs_buf_init(bs_buf *b, size_t ceiling);
void bs_buf_add(bs_buf *b, const void *bytes, size_t n);
void bs_buf_text(bs_buf *b, const char *text);
void bs_buf_printf(bs_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void bs_buf_clear(bs_buf *b); /* keeps the memory, forgets content and failure */
void bs_buf_free(bs_buf *b);

/* Makes room for `need` elements in a growing array: doubles cap (in elements) and moves the array.
 * False when memory runs out or need exceeds ceiling (in elements); both are then unchanged.
 *
 *     if (!BS_GROW(list->item, list->cap, list->n + 1, INT32_MAX))
 *         return bs_fail_nomem(err); */
#define BS_GROW(array, cap, need, ceiling) \
    bs_grow(&(array), &(cap), (need), sizeof *(array), (ceiling))
bool bs_grow(void *array, size_t *cap, size_t need, size_t size, size_t ceiling);

#endif
