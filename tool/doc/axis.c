/* axis.c -- positions of values on a chart, and round numbers for its axes. */
#include <math.h>
#include <stdio.h>

#include "doc/chart.h"
#include "doc/page.h"

enum { DECADES = 3 }; /* with this many decades a log axis only marks powers of ten */

/* The nearest of 1, 2 and 5 times a power of ten. */
static double round_down(double v)
{
    const double power = pow(10, floor(log10(v))), unit = v / power;
    return power * (unit >= 5 ? 5 : unit >= 2 ? 2 : 1);
}

static double round_up(double v, double slack)
{
    const double power = pow(10, floor(log10(v))), unit = v / power - slack;
    return power * (unit > 5 ? 10 : unit > 2 ? 5 : unit > 1 ? 2 : 1);
}

static void log_step(bs_axis *a, int marks)
{
    const double decades = log10(a->hi / a->lo);
    a->step = decades < DECADES ? 1 : ceil(decades / (marks > 1 ? marks : 2));
}

bs_axis bs_axis_exact(double lo, double hi, int marks, bool log)
{
    bs_axis a = {.lo = lo, .hi = hi, .log = log && lo > 0 && hi > 0};
    if (!isfinite(lo) || !isfinite(hi))
        a = (bs_axis){.lo = 0, .hi = 1};
    if (a.hi <= a.lo) /* a single value: an interval around it */
        a.hi = a.lo + (a.log ? 9 * a.lo : fmax(1e-9, 1e-3 * fabs(a.lo)));
    if (a.log)
        log_step(&a, marks);
    else
        a.step = round_up((a.hi - a.lo) / (marks > 1 ? marks : 2), 0.0001);
    return a;
}

bs_axis bs_axis_make(double lo, double hi, int marks, bool log)
{
    bs_axis a = bs_axis_exact(lo, hi, marks, log);
    if (a.log) {
        const bool flat = hi <= lo; /* such a line runs in the middle */
        a.lo = round_down(flat ? lo * 0.999 : lo * 1.000001);
        a.hi = round_up(flat ? hi * 1.001 : hi * 0.999999, 0);
        if (a.hi / a.lo >= pow(10, DECADES)) {
            a.lo = pow(10, floor(log10(lo) + 1e-9));
            a.hi = pow(10, ceil(log10(hi) - 1e-9));
        }
        log_step(&a, marks);
        return a;
    }
    if (lo == 0 && hi == 0)
        a = bs_axis_exact(0, 1, marks, false);
    else if (lo == hi && isfinite(lo))
        a = bs_axis_exact(lo - 0.05 * fabs(lo), hi + 0.05 * fabs(hi), marks, false);
    a.lo = floor(a.lo / a.step + 1e-9) * a.step;
    a.hi = ceil(a.hi / a.step - 1e-9) * a.step;
    return a;
}

double bs_axis_place(const bs_axis *a, double v)
{
    const double t =
        a->log ? log(fmax(v, 1e-300) / a->lo) / log(a->hi / a->lo) : (v - a->lo) / (a->hi - a->lo);
    return a->from + t * (a->to - a->from);
}

static int log_marks(const bs_axis *a, double *out, int room)
{
    static const double few[] = {1}, more[] = {1, 2, 5};
    const bool          dense = log10(a->hi / a->lo) < DECADES;
    const double       *unit = dense ? more : few;
    const int           units = dense ? 3 : 1;
    int                 n = 0;
    for (double p = floor(log10(a->lo) + 1e-9); p <= log10(a->hi) + 1e-9; p += a->step)
        for (int i = 0; i < units; i++) {
            const double v = unit[i] * pow(10, p);
            if (v < a->lo * (1 - 1e-9) || v > a->hi * (1 + 1e-9))
                continue;
            if (n < room)
                out[n] = v;
            n++;
        }
    return n;
}

int bs_axis_marks(const bs_axis *a, double *out, int room)
{
    if (a->log)
        return log_marks(a, out, room);
    const double first = ceil(a->lo / a->step - 1e-6), last = floor(a->hi / a->step + 1e-6);
    int          n = 0;
    for (double i = first; i <= last && n < 1000; i++) {
        if (n < room)
            out[n] = i * a->step;
        n++;
    }
    return n;
}

const char *bs_axis_text(const bs_axis *a, double v, char text[48])
{
    if (a->log)
        return bs_short(v, 3, text);
    const int power = (int)floor(log10(a->step) + 1e-9);
    if (power >= 6 || power < -5 || fabs(a->hi) >= 1e7 || fabs(a->lo) >= 1e7)
        return bs_short(fabs(v) < 1e-6 * a->step ? 0 : v, 4, text);
    return bs_fixed(v, power < 0 ? -power : 0, text);
}
