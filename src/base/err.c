/* err.c -- formats the one line that a failing function hands to its caller. */
#include "base/err.h"

#include <string.h>

#include "base/print.h"
#include "base/visible.h"

basin_status bs_fail(basin_error *err, basin_status s, const char *fmt, ...)
{
    if (!err)
        return s;

    /* Formatted into a copy: callers prefix context with bs_fail(err, s, "%s: %s", where,
     * err->msg). */
    char    text[sizeof err->msg];
    va_list args;
    va_start(args, fmt);
    int n = bs_vprint(text, sizeof text, fmt, args);
    va_end(args);
    if (n < 0)
        n = bs_print(text, sizeof text, "failed, and the message could not be formatted");

    /* Names and values come from foreign files; a message must stay one line. */
    bs_line_visible(text, sizeof text, n);

    err->status = s;
    memcpy(err->msg, text, strlen(text) + 1);
    return s;
}

basin_status bs_fail_at(basin_error *err, const char *name, long line, size_t column,
                        const char *fmt, va_list args)
{
    char text[sizeof err->msg] = "";
    if (bs_vprint(text, sizeof text, fmt, args) < 0)
        text[0] = '\0';
    if (line && column)
        return bs_fail(err, BASIN_EDATA, "%s:%ld:%zu: %s", name, line, column, text);
    if (line)
        return bs_fail(err, BASIN_EDATA, "%s:%ld: %s", name, line, text);
    return bs_fail(err, BASIN_EDATA, "%s: %s", name, text);
}

basin_status bs_fail_nomem(basin_error *err)
{
    return bs_fail(err, BASIN_ENOMEM, "out of memory");
}

basin_status bs_fail_about(basin_error *err, basin_status s, const char *file)
{
    char shown[BS_VISIBLE];
    if (!err || !s || s == BASIN_ENOMEM || strstr(err->msg, bs_visible(file, 0, shown)))
        return s;
    return bs_fail(err, s, "%s: %s", file, err->msg);
}

void bs_err_clear(basin_error *err)
{
    if (!err)
        return;
    err->status = BASIN_OK;
    err->msg[0] = '\0';
}
