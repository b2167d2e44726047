/* svg.h -- the few SVG elements that charts and maps consist of. */
#ifndef BS_SVG_H
#define BS_SVG_H

#include "base/buf.h"

void bs_svg_begin(int width, int height, const char *label, bs_buf *out);
void bs_svg_end(bs_buf *out);

/* kind: classes of the style (page_style.c). */
void bs_svg_line(const char *kind, double x1, double y1, double x2, double y2, bs_buf *out);
/* A rectangle whose tag is left open. */
void bs_svg_box(const char *kind, double x, double y, double w, double h, bs_buf *out);
/* anchor: "start", "middle" or "end". */
void bs_svg_text(const char *kind, double x, double y, const char *anchor, const char *text,
                 bs_buf *out);
/* The same with at most `most` characters; a text that is cut is shown in full on hover. `turn`:
 * vertical. */
void bs_svg_name(const char *kind, double x, double y, const char *anchor, int most, int turn,
                 const char *text, bs_buf *out);

#endif
