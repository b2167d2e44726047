/* chart.h -- curves, dots and bars as SVG inside a page (page.h).
 *
 * Round numbers on the axes, a legend for two or more series, values on hover. Colours are the
 * page's variables --c0 to --c7, which colour-blind people can tell apart. Non-finite values are
 * left out and interrupt a line; a chart without points, or without a buffer (NULL), is not drawn.
 * Only the buffer can fail. */
#ifndef BS_CHART_H
#define BS_CHART_H

#include <stdbool.h>

#include "base/buf.h"

enum { BS_CHART_COLOURS = 8 };

/* ---- axes ---- */

typedef struct {
    double lo, hi, step; /* distance of marks; in decades for a log axis of three or more */
    bool   log;
    double from, to; /* pixels of lo and hi */
} bs_axis;

/* Whole steps of 1, 2 or 5 around the values, about `marks` of them. A log axis needs lo > 0. */
bs_axis bs_axis_make(double lo, double hi, int marks, bool log);
/* The same, but it ends exactly at lo and hi. */
bs_axis bs_axis_exact(double lo, double hi, int marks, bool log);
double  bs_axis_place(const bs_axis *a, double v); /* in pixels */
/* The marks in order: returns their number and the first `room` of them. */
int bs_axis_marks(const bs_axis *a, double *out, int room);
/* The text of a mark, with as many digits as the step needs. */
const char *bs_axis_text(const bs_axis *a, double v, char text[48]);

/* ---- curves ---- */

typedef struct {
    const char        *name;
    const double      *x;       /* [n], increasing; NULL: 1, 2, ... */
    const double      *y;       /* [n] */
    const double      *lo, *hi; /* [n], a band around y; or NULL */
    const char *const *label;   /* [n], on hover instead of x; or NULL */
    int                n;
    int                colour; /* 1 to 8, 0: by position */
    bool               dots;   /* dots instead of a line; short lines get both */
    bool               dashed;
} bs_series;

/* A vertical line at x, with a word at its upper end. */
typedef struct {
    double      x;
    const char *name;
    int         colour; /* as above; 0: grey */
} bs_mark;

typedef struct {
    const char      *title, *x_name, *y_name; /* may be NULL */
    const bs_series *series;
    int              n;
    const bs_mark   *mark;
    int              marks;
    bool             log_x, log_y;
    bool             diagonal;   /* draw the line y = x */
    double           x_lo, x_hi; /* equal: from the values */
    double           y_lo, y_hi;
    int              width, height; /* 0: 440 x 250 */
} bs_chart;

void bs_chart_draw(const bs_chart *c, bs_buf *out);

/* ---- bars ---- */

typedef struct {
    const char *name;
    double      value; /* negative ones have another colour */
} bs_bar;

typedef struct {
    const char   *title;
    const bs_bar *bar;
    int           n;
    int           digits; /* decimals of the values beside the bars */
} bs_bars;

void bs_bars_draw(const bs_bars *b, bs_buf *out);

/* ---- rows of dots: one a row, a dot for each seed, a line at the mean ---- */

typedef struct {
    double value;
    int    seed;
} bs_seed_dot;

typedef struct {
    const char        *name;
    const bs_seed_dot *dot; /* [n] */
    int                n;
    double             lo, hi; /* an interval around the mean; equal: none */
} bs_strip;

typedef struct {
    const char     *title;
    const bs_strip *strip;
    int             n;
    double          line;   /* dashed across all rows; NaN: none */
    double          lo, hi; /* of the axis; equal: from the values */
    int             width;  /* 0: 520 */
    int             digits; /* decimals on hover */
} bs_strips;

void bs_strips_draw(const bs_strips *s, bs_buf *out);

#endif
