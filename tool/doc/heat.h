/* heat.h -- a matrix as a map of colours inside a page (page.h).
 *
 * Small ones are SVG: every name, every value under the mouse, and printed in the cells where
 * there is room. Large ones (983 x 983 labels) are a canvas that the page's script fills from
 * one byte a cell: some of the names stand beside it, row, column and value of the cell under
 * the mouse below it; such values are exact to 1/254 of the range. */
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
    double             lo, hi;    /* of the colours; equal: by the values */
    bool               diverging; /* blue below 0, orange above, from -hi to hi */
    bool               root;      /* small values stand out: colours go with the square root */
    int                digits;    /* behind the point, of values */
} bs_heat;

void bs_heat_draw(const bs_heat *h, bs_buf *out);

#endif
