/* print.h -- printf, and calls of other libraries, the same in every locale.
 *
 * A program that calls setlocale() changes the decimal point of printf and strtod, the meaning of
 * [a-z] in regular expressions, the language of strerror and more, for the libraries in it too.
 * What Basin reads and writes does not depend on that. Numbers are read by bs_parse_double(). */
#ifndef BS_PRINT_H
#define BS_PRINT_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>

/* As snprintf and vsnprintf in the C locale. Only these format in src/, bs_buf_printf, bs_fail and
 * the log among their callers; `make lint` knows. */
int bs_print(char *to, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int bs_vprint(char *to, size_t size, const char *fmt, va_list args)
    __attribute__((format(printf, 3, 0)));

/* Around a call that looks at the locale: puts the C locale in place of this thread's and gives
 * the one to put back. Other threads notice nothing. */
locale_t bs_locale_plain(void);
void     bs_locale_back(locale_t was);

#endif
