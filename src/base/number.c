/* number.c -- numbers to text and back, the same in every locale.
 *
 * strtod() uses the decimal point of the host program's locale. We therefore hand it only digits
 * and an exponent ("1.25" as "125e-2"); no other file calls it. */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/opt.h"

/* No double needs more than 767 digits to decide its rounding; of the rest only whether any is
 * nonzero matters. */
enum { MAX_DIGITS = 770 };

typedef struct {
    char   digits[MAX_DIGITS + 32]; /* without leading zeros; room for one more digit and the
                                       exponent */
    size_t n;
    long   exponent; /* value = digits * 10^exponent */
    bool   any;      /* saw at least one digit, perhaps a zero */
} decimal;

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

/* Takes the digits and the point at p; returns where they end. */
static const char *take_digits(const char *p, decimal *d)
{
    bool point = false, lost = false;
    for (;; p++) {
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(*p))
            break;
        d->any = true;
        if (d->n == MAX_DIGITS) {
            lost = lost || *p != '0';
            d->exponent += !point;
            continue;
        }
        if (d->n || *p != '0')
            d->digits[d->n++] = *p;
        d->exponent -= point;
    }
    if (lost) {
        d->digits[d->n++] = '1';
        d->exponent--;
    }
    return p;
}

/* Takes "e-12" at p; returns where it ends, or NULL when digits are missing. */
static const char *take_exponent(const char *p, decimal *d)
{
    if (*p != 'e' && *p != 'E')
        return p;
    p++;
    bool negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    if (!is_digit(*p))
        return NULL;
    long e = 0;
    for (; is_digit(*p); p++)
        if (e < 1000000000)
            e = e * 10 + (*p - '0');
    d->exponent += negative ? -e : e;
    return p;
}

static double magnitude(decimal *d)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

    /* Nearly every number in a data file: both factors are exact doubles, so a single operation
     * rounds once, to the nearest double. */
    if (d->n <= 15 && d->exponent >= -22 && d->exponent <= 22) {
        int64_t whole = 0;
        for (size_t i = 0; i < d->n; i++)
            whole = whole * 10 + (d->digits[i] - '0');
        return d->exponent < 0 ? (double)whole / tens[-d->exponent]
                               : (double)whole * tens[d->exponent];
    }
    if (d->n == 0)
        return 0.0;
    long e = d->exponent < -99999 ? -99999 : d->exponent > 99999 ? 99999 : d->exponent;
    bs_print(d->digits + d->n, sizeof d->digits - d->n, "e%ld", e);
    return strtod(d->digits, NULL);
}

int bs_parse_double(const char *text, double *out)
{
    decimal d;
    d.n = 0;
    d.exponent = 0;
    d.any = false;

    bool negative = *text == '-';
    if (*text == '-' || *text == '+')
        text++;
    text = take_digits(text, &d);
    if (!d.any)
        return 0;
    text = take_exponent(text, &d);
    if (!text || *text)
        return 0;

    double value = magnitude(&d);
    if (!isfinite(value))
        return 0;
    *out = negative ? -value : value;
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
