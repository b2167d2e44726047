/* print.c -- formatting in the C locale, set for this thread and this call only. The locale object
 * is made once and kept. */
#include "base/print.h"

#include <fnmatch.h>
#include <stdio.h>

/* If the C locale cannot be had (glibc and musl keep it ready and allocate nothing), the thread
 * keeps its own. */
locale_t bs_locale_plain(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void bs_locale_back(locale_t was)
{
    uselocale(was);
}

int bs_vprint(char *to, size_t size, const char *fmt, va_list args)
{
    const locale_t was = bs_locale_plain();
    const int      n = vsnprintf(to, size, fmt, args);
    bs_locale_back(was);
    return n;
}

int bs_print(char *to, size_t size, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const int n = bs_vprint(to, size, fmt, args);
    va_end(args);
    return n;
}

bool bs_glob_match(const char *pattern, const char *text)
{
    const locale_t was = bs_locale_plain();
    const bool     match = fnmatch(pattern, text, 0) == 0;
    bs_locale_back(was);
    return match;
}
