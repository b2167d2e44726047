/* print.h -- printf, and calls of other libraries, unaffected by the locale.
 *
 * A program that calls setlocale() changes the decimal point of printf and strtod, the meaning of
 * [a-z] in regular expressions, the language of strerror and more, for its libraries too. Nothing
 * that Basin reads or writes depends on that. Numbers are read by bs_parse_double(). */
#ifndef BS_PRINT_H
#define BS_PRINT_H

#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* snprintf and vsnprintf in the C locale. Nothing else in src/ formats (bs_buf_printf, bs_fail and
 * the log call these); `make lint` checks it. */
int bs_print(char *to, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int bs_vprint(char *to, size_t size, const char *fmt, va_list args)
    __attribute__((format(printf, 3, 0)));

/* Wraps a call that depends on the locale: sets the C locale for this thread and returns the one to
 * restore. Other threads notice nothing. */
locale_t bs_locale_plain(void);
void     bs_locale_back(locale_t was);

/* pattern with *, ?, [a-z], [!a-z] and \x; the whole text must match. */
bool bs_glob_match(const char *pattern, const char *text);

#endif
