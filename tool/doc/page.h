/* page.h -- one self-contained HTML page.
 *
 *     bs_page_begin("Report", "runs/a", out);
 *     bs_page_heading(2, "Scores", out);
 *     bs_page_say(out, "quiet", "%d rows", n);
 *     bs_page_end(out);
 *
 * Style and script are included, and a policy in the head forbids the browser to fetch anything or
 * apply any other style or script: an attribute style= or onclick= has no effect. Light or dark
 * like the system, or by a button; colours are CSS variables, so that charts (chart.h) and maps
 * (heat.h) follow. Arguments are plain text and are escaped here; callers append their own HTML
 * by bs_page_put, or directly to the buffer. Failures are kept in the buffer. Where there is no
 * buffer (NULL), nothing is written. Rows of tables: doc.h. */
#ifndef BS_PAGE_H
#define BS_PAGE_H

#include <stdbool.h>

#include "base/buf.h"

/* ---- text and numbers, for elements and for attributes ---- */

/* Text shown literally. Invalid UTF-8 becomes U+FFFD, control characters become blanks. */
void bs_page_escape(const char *text, bs_buf *out);
void bs_page_escape_n(const char *text, size_t n, bs_buf *out);
/* Text between HTML as it is; nothing where there is no buffer. */
void bs_page_wrap(const char *before, const char *text, const char *after, bs_buf *out);
/* " title="...""; nothing for NULL. */
void bs_page_help(const char *text, bs_buf *out);

#define BS_FIXED_TEXT 48
/* A number with this many decimals (0 to 9), the same in any locale; large ones with an
 * exponent. */
const char *bs_fixed(double v, int digits, char text[BS_FIXED_TEXT]);
/* About this many significant digits: 0.00123, 12.3, 12346, 1.2e+09; no trailing zeros. */
const char *bs_short(double v, int digits, char text[BS_FIXED_TEXT]);
/* " name="12.3"": a coordinate in pixels. */
void bs_page_px(const char *name, double v, bs_buf *out);
/* Characters, not bytes. */
int bs_page_width(const char *text);

/* ---- the page ---- */

/* HTML as it is. */
void bs_page_put(const char *html, bs_buf *out);

/* Title of window and page, and a muted line below it (may be NULL). */
void bs_page_begin(const char *title, const char *about, bs_buf *out);
/* The footer names this program and its version. */
void bs_page_end(bs_buf *out);

/* level 2 or 3. Three or more headings of level 2 give a table of contents. */
void bs_page_heading(int level, const char *text, bs_buf *out);

/* A paragraph. kind: "", "quiet", "note" (a remark in a box), "warn" (must be seen), "verdict" (the
 * conclusion, on top of the page). */
void bs_page_say(bs_buf *out, const char *kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- boxes ---- */

void bs_page_details_begin(const char *summary, bool open, bs_buf *out);
void bs_page_details_end(bs_buf *out);
/* Everything in between is laid out side by side, as much as fits. */
void bs_page_grid_begin(bs_buf *out);
void bs_page_grid_end(bs_buf *out);

/* A word in a rounded box. kind: "" (neutral), "right" (true and found), "wrong" (found, not true),
 * "missed" (true, not found); the last three also differ without colours. help: shown on hover, may
 * be NULL. */
void bs_page_chip(const char *text, const char *kind, const char *help, bs_buf *out);

/* Bytes as base64, for images and maps inside the page. */
void bs_page_base64(const unsigned char *bytes, size_t n, bs_buf *out);
/* A picture from the bytes of a PNG file, shown at width x height pixels with sharp edges. */
void bs_page_png(const unsigned char *bytes, size_t n, int width, int height, const char *alt,
                 bs_buf *out);

#endif
