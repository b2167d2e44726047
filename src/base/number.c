/* number.c -- numbers to text and back, the same in every locale.
 *
 * Numbers with at most 19 digits take a fast path that rounds once; strtod(), which no other file
 * calls, reads the others in the C locale. It would also read "inf", "0x1p3" and blanks, so what
 * it gets to see has been checked before. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/opt.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int bs_parse_int(const char *text, long long *out)
{
    bool negative = *text == '-';
    if (*text == '-' || *text == '+')
        text++;
    if (!is_digit(*text))
        return 0;

    /* Computed as a negative number: that range is larger by one. */
    long long value = 0;
    for (; is_digit(*text); text++) {
        int digit = *text - '0';
        if (value < (LLONG_MIN + digit) / 10)
            return 0;
        value = value * 10 - digit;
    }
    if (*text || (!negative && value == LLONG_MIN))
        return 0;
    *out = negative ? value : -value;
    return 1;
}

static const char *skip_digits(const char *p, uint64_t *whole)
{
    for (; is_digit(*p); p++)
        *whole = *whole * 10 + (uint64_t)(*p - '0');
    return p;
}

/* Takes "e-12" at p; returns where it ends, or NULL when digits are missing. */
static const char *take_exponent(const char *p, ptrdiff_t *exponent)
{
    if (*p != 'e' && *p != 'E')
        return p;
    p++;
    const bool negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    if (!is_digit(*p))
        return NULL;
    ptrdiff_t e = 0;
    for (; is_digit(*p); p++)
        e = e < 100000 ? e * 10 + (*p - '0') : e;
    *exponent += negative ? -e : e;
    return p;
}

/* What the fast path cannot round by itself. */
static double read_slowly(const char *p)
{
    const locale_t was = bs_locale_plain();
    const double   value = strtod(p, NULL);
    bs_locale_back(was);
    return value;
}

/* Up to 19 digits fit the integer; up to 2^53 it is an exact double, as are powers of ten up to 22,
 * so a single operation rounds once. */
const char *bs_scan_double(const char *p, double *out)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *const   start = p;
    const bool          negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    const char *digits = p;
    uint64_t    whole = 0;
    p = skip_digits(p, &whole);
    ptrdiff_t n = p - digits, exponent = 0;
    if (*p == '.') {
        const char *fraction = p + 1;
        p = skip_digits(fraction, &whole);
        exponent = fraction - p;
        n += p - fraction;
    }
    const char *end = n > 0 ? take_exponent(p, &exponent) : NULL;
    if (!end)
        return NULL;
    double value;
    if (n > 19 || whole > (uint64_t)1 << 53 || exponent < -22 || exponent > 22) {
        value = read_slowly(start);
    } else {
        value = exponent < 0 ? (double)whole / tens[-exponent] : (double)whole * tens[exponent];
        value = negative ? -value : value;
    }
    if (!isfinite(value))
        return NULL;
    *out = value;
    return end;
}

int bs_parse_double(const char *text, double *out)
{
    double      value;
    const char *end = bs_scan_double(text, &value);
    if (!end || *end)
        return 0;
    *out = value;
    return 1;
}

void bs_format_double(double value, char out[BS_NUMBER_TEXT])
{
    if (!isfinite(value)) {
        bs_print(out, BS_NUMBER_TEXT, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    /* The shortest %g of twenty is "2e+01", which nobody would write. */
    if (fabs(value) < 1e15 && value == floor(value)) {
        bs_print(out, BS_NUMBER_TEXT, "%.0f", value);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        double back;
        bs_print(out, BS_NUMBER_TEXT, "%.*g", digits, value);
        if (bs_parse_double(out, &back) && back == value)
            return;
    }
}
