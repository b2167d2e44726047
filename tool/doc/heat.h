/* heat.h -- a matrix as a heat map inside a page (page.h).
 *
 * Small ones are SVG: every name, every value on hover, and printed in the cells if there is room.
 * Large ones (983 x 983 labels) are a canvas that the page's script fills from one byte per cell:
 * some names beside it, and below it row, column and value of the cell under the mouse, exact to
 * 1/254 of the range. */
#ifndef BS_HEAT_H
#define BS_HEAT_H

#include <stdbool.h>

#include "base/buf.h"

typedef struct {
    const char        *title;
    const char        *row_title, *col_title; /* "true", "predicted"; may be NULL */
    int                rows, cols;
    const float       *value;     /* [rows, cols]; NaN: an empty cell */
    const char *const *row_name;  /* [rows]; NULL: numbers from 1 */
    const char *const *col_name;  /* [cols]; NULL: those of the rows, if as many */
    double             lo, hi;    /* of the colours; equal: from the values */
    bool               diverging; /* blue below 0, orange above, from -hi to hi */
    bool               root;      /* emphasise small values: colours follow the square root */
    int                digits;    /* decimals of values */
} bs_heat;

void bs_heat_draw(const bs_heat *h, bs_buf *out);

#endif
