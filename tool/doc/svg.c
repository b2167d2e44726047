/* svg.c -- lines and text. */
#include "doc/svg.h"

#include <string.h>

#include "doc/page.h"

void bs_svg_begin(int width, int height, const char *label, bs_buf *out)
{
    bs_buf_printf(out, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\"", width,
                  height, width, height);
    bs_page_wrap(" aria-label=\"", label ? label : "chart", "\">\n", out);
}

void bs_svg_end(bs_buf *out)
{
    bs_buf_text(out, "</svg>\n");
}

void bs_svg_line(const char *kind, double x1, double y1, double x2, double y2, bs_buf *out)
{
    bs_buf_printf(out, "<line class=\"%s\"", kind);
    bs_page_px("x1", x1, out);
    bs_page_px("y1", y1, out);
    bs_page_px("x2", x2, out);
    bs_page_px("y2", y2, out);
    bs_buf_text(out, "/>");
}

void bs_svg_box(const char *kind, double x, double y, double w, double h, bs_buf *out)
{
    bs_buf_printf(out, "<rect class=\"%s\"", kind);
    bs_page_px("x", x, out);
    bs_page_px("y", y, out);
    bs_page_px("width", w, out);
    bs_page_px("height", h, out);
}

static void text_begin(const char *kind, double x, double y, const char *anchor, int turn,
                       bs_buf *out)
{
    char a[BS_FIXED_TEXT], b[BS_FIXED_TEXT];
    bs_buf_text(out, "<text");
    if (*kind)
        bs_buf_printf(out, " class=\"%s\"", kind);
    if (turn) {
        bs_buf_printf(out, " transform=\"translate(%s %s) rotate(-90)\"", bs_fixed(x, 1, a),
                      bs_fixed(y, 1, b));
    } else {
        bs_page_px("x", x, out);
        bs_page_px("y", y, out);
    }
    if (strcmp(anchor, "start") != 0)
        bs_buf_printf(out, " text-anchor=\"%s\"", anchor);
    bs_buf_text(out, ">");
}

void bs_svg_text(const char *kind, double x, double y, const char *anchor, const char *text,
                 bs_buf *out)
{
    text_begin(kind, x, y, anchor, 0, out);
    bs_page_wrap("", text, "</text>", out);
}

/* Bytes of the first n characters. */
static size_t cut_at(const char *text, int n)
{
    size_t i = 0;
    for (; text[i] && n > 0; n--)
        do
            i++;
        while (((unsigned char)text[i] & 0xC0) == 0x80);
    return i;
}

void bs_svg_name(const char *kind, double x, double y, const char *anchor, int most, int turn,
                 const char *text, bs_buf *out)
{
    text_begin(kind, x, y, anchor, turn, out);
    if (bs_page_width(text) > most) {
        bs_page_wrap("<title>", text, "</title>", out);
        bs_page_escape_n(text, cut_at(text, most > 1 ? most - 1 : 1), out);
        bs_buf_text(out, "&hellip;");
    } else {
        bs_page_escape(text, out);
    }
    bs_buf_text(out, "</text>");
}
