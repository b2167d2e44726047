/* err.c -- formats the one line that a failing function hands to its caller. */
#include "base/err.h"

#include <stdarg.h>
#include <string.h>

#include "base/print.h"

/* Ends a text that was cut off at size - 1 bytes in "...". Steps back to the
 * start of a UTF-8 character, so that a terminal never gets half of one. */
static void mark_cut(char *text, size_t size)
{
    size_t cut = size - 4;
    for (int i = 0; i < 3 && ((unsigned char)text[cut] & 0xC0) == 0x80; i++)
        cut--;
    memcpy(text + cut, "...", 4);
}

basin_status bs_fail(basin_error *err, basin_status s, const char *fmt, ...)
{
    if (!err)
        return s;

    /* Formatted aside: callers put more context before a message with
     * bs_fail(err, s, "%s: %s", where, err->msg). */
    char    text[sizeof err->msg];
    va_list args;
    va_start(args, fmt);
    int n = bs_vprint(text, sizeof text, fmt, args);
    va_end(args);
    if (n < 0)
        bs_print(text, sizeof text, "failed, and the message could not be formatted");
    else if ((size_t)n >= sizeof text)
        mark_cut(text, sizeof text);

    /* Names and values come from foreign files: no escape sequence of theirs
     * may reach a terminal, and one message stays one line. */
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = ' ';

    err->status = s;
    memcpy(err->msg, text, strlen(text) + 1);
    return s;
}

basin_status bs_fail_nomem(basin_error *err)
{
    return bs_fail(err, BASIN_ENOMEM, "out of memory");
}

void bs_err_clear(basin_error *err)
{
    if (!err)
        return;
    err->status = BASIN_OK;
    err->msg[0] = '\0';
}
