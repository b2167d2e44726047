/* err.h -- status and message in one call. */
#ifndef BS_ERR_H
#define BS_ERR_H

#include <stdarg.h>
#include <stddef.h>

#include "basin.h"

/* Fills err (may be NULL) with a formatted one-line message and returns s, so that a failing
 * function ends in `return bs_fail(err, BASIN_EDATA, ...)`. Control characters are escaped
 * (visible.h); a message that does not fit ends in "...". */
basin_status bs_fail(basin_error *err, basin_status s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* BASIN_EDATA about a place in a file, "NAME:LINE:COLUMN: ...", counted from 1; 0: unknown. */
basin_status bs_fail_at(basin_error *err, const char *name, long line, size_t column,
                        const char *fmt, va_list args);

/* The message of every failed allocation. */
basin_status bs_fail_nomem(basin_error *err);

/* After a failure: puts the file's name before a message that lacks it. Returns s. */
basin_status bs_fail_about(basin_error *err, basin_status s, const char *file);

/* Sets err to "no error". Accepts NULL. */
void bs_err_clear(basin_error *err);

#endif
