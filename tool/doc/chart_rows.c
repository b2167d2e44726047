/* chart_rows.c -- charts with a name for each row: bars, and dots with a mean. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "doc/chart.h"
#include "doc/page.h"
#include "doc/svg.h"

enum { BAR_ROW = 21, STRIP_ROW = 30, TOP = 30, BOTTOM = 26, MARKS = 5, ROOM = 64 };

typedef struct {
    int     width, height, left; /* left: where the drawing starts, after the names */
    int     row;
    double  top;
    bs_axis axis;
    bs_buf *out;
} sheet;

static void begin(sheet *k, const char *title, int n, int longest, double lo, double hi)
{
    const int room = (int)(0.45 * k->width); /* longer names are shown in full on hover */
    k->left = 8 * longest + 16 < room ? 8 * longest + 16 : room;
    k->top = title ? TOP : 8;
    k->height = (int)k->top + n * k->row + BOTTOM;
    k->axis = bs_axis_make(lo, hi, MARKS, false);
    k->axis.from = k->left;
    k->axis.to = k->width - 24;
    bs_svg_begin(k->width, k->height, title, k->out);
    if (title)
        bs_svg_text("title", k->left, 16, "start", title, k->out);
    double mark[ROOM];
    char   text[48];
    int    marks = bs_axis_marks(&k->axis, mark, ROOM);
    for (int i = 0; i < marks && i < ROOM; i++) {
        const double x = bs_axis_place(&k->axis, mark[i]), foot = k->height - BOTTOM + 4;
        bs_svg_line("grid", x, k->top - 4, x, foot, k->out);
        bs_svg_text("", x, foot + 15, "middle", bs_axis_text(&k->axis, mark[i], text), k->out);
    }
}

static void row_name(const sheet *k, int i, const char *name)
{
    bs_svg_name("label", k->left - 8, k->top + (i + 0.5) * k->row + 4.5, "end", (k->left - 14) / 7,
                0, name, k->out);
    bs_buf_text(k->out, "\n");
}

/* ---- bars ---- */

static void bar(const sheet *k, const bs_bars *b, int i)
{
    const bs_bar *r = &b->bar[i];
    const double  y = k->top + i * k->row, zero = bs_axis_place(&k->axis, 0);
    const double  end = bs_axis_place(&k->axis, r->value);
    const bool    left = r->value < 0;
    char          text[BS_FIXED_TEXT];
    row_name(k, i, r->name);
    if (!isfinite(r->value))
        return;
    bs_svg_box(left ? "dot f k1" : "dot f k0", fmin(zero, end), y + 3, fmax(fabs(end - zero), 0.5),
               k->row - 6, k->out);
    bs_page_wrap("><title>", r->name, "", k->out);
    bs_buf_printf(k->out, ": %s</title></rect>", bs_short(r->value, 4, text));
    bs_svg_text("in", end + (left ? -4 : 4), y + k->row / 2.0 + 4, left ? "end" : "start",
                bs_fixed(r->value, b->digits, text), k->out);
    bs_buf_text(k->out, "\n");
}

void bs_bars_draw(const bs_bars *b, bs_buf *out)
{
    sheet  k = {.width = 440, .row = BAR_ROW, .out = out};
    double lo = 0, hi = 0;
    int    longest = 0;
    if (!out)
        return;
    for (int i = 0; i < b->n; i++) {
        const int wide = bs_page_width(b->bar[i].name);
        longest = wide > longest ? wide : longest;
        if (isfinite(b->bar[i].value)) {
            lo = fmin(lo, b->bar[i].value);
            hi = fmax(hi, b->bar[i].value);
        }
    }
    const double room = 0.1 * (hi - lo); /* for numbers at the ends */
    hi = hi > 0 ? hi + room : hi;
    lo = lo < 0 ? lo - room : lo;
    begin(&k, b->title, b->n, longest, lo, hi > lo ? hi : lo + 1);
    const double zero = bs_axis_place(&k.axis, 0);
    bs_svg_line("axis", zero, k.top - 4, zero, k.height - BOTTOM + 4, out);
    for (int i = 0; i < b->n; i++)
        bar(&k, b, i);
    bs_svg_end(out);
}

/* ---- dots ---- */

static double mean_of(const bs_strip *r)
{
    double sum = 0;
    for (int i = 0; i < r->n; i++)
        sum += r->dot[i].value;
    return r->n > 0 ? sum / r->n : NAN;
}

static void whisker(const sheet *k, double lo, double hi, double y, double size)
{
    const double a = bs_axis_place(&k->axis, lo), b = bs_axis_place(&k->axis, hi);
    bs_svg_line("whisker", a, y, b, y, k->out);
    bs_svg_line("whisker", a, y - size, a, y + size, k->out);
    bs_svg_line("whisker", b, y - size, b, y + size, k->out);
}

static void strip(const sheet *k, const bs_strips *s, int i)
{
    const bs_strip *r = &s->strip[i];
    const double    y = k->top + (i + 0.5) * k->row, mean = mean_of(r);
    char            text[BS_FIXED_TEXT];
    row_name(k, i, r->name);
    bs_svg_line("row", k->axis.from, y, k->axis.to, y, k->out);
    for (int j = 0; j < r->n; j++) {
        if (!isfinite(r->dot[j].value))
            continue;
        bs_buf_text(k->out, "<circle class=\"dot f k0\"");
        bs_page_px("cx", bs_axis_place(&k->axis, r->dot[j].value), k->out);
        bs_page_px("cy", y, k->out);
        bs_buf_printf(k->out, " r=\"4.5\"><title>seed %d: %s</title></circle>", r->dot[j].seed,
                      bs_fixed(r->dot[j].value, s->digits, text));
    }
    if (r->lo < r->hi)
        whisker(k, r->lo, r->hi, y, 4);
    if (!isfinite(mean))
        return;
    const double x = bs_axis_place(&k->axis, mean);
    bs_buf_text(k->out, "<line class=\"mean\"");
    bs_page_px("x1", x, k->out);
    bs_page_px("y1", y - 10, k->out);
    bs_page_px("x2", x, k->out);
    bs_page_px("y2", y + 10, k->out);
    bs_buf_printf(k->out, "><title>mean: %s</title></line>\n", bs_fixed(mean, s->digits, text));
}

void bs_strips_draw(const bs_strips *s, bs_buf *out)
{
    sheet  k = {.width = s->width > 0 ? s->width : 520, .row = STRIP_ROW, .out = out};
    double lo = INFINITY, hi = -INFINITY;
    int    longest = 0;
    if (!out)
        return;
    for (int i = 0; i < s->n; i++) {
        const bs_strip *r = &s->strip[i];
        const int       wide = bs_page_width(r->name);
        longest = wide > longest ? wide : longest;
        for (int j = 0; j < r->n; j++)
            if (isfinite(r->dot[j].value)) {
                lo = fmin(lo, r->dot[j].value);
                hi = fmax(hi, r->dot[j].value);
            }
        if (r->lo < r->hi) {
            lo = fmin(lo, r->lo);
            hi = fmax(hi, r->hi);
        }
    }
    const double margin = 0.05 * fmax(hi - lo, 1e-3 * fmax(fabs(hi), 1));
    const bool   given = s->lo < s->hi;
    begin(&k, s->title, s->n, longest, given ? s->lo : lo - margin, given ? s->hi : hi + margin);
    if (isfinite(s->line)) {
        const double x = bs_axis_place(&k.axis, s->line);
        bs_svg_line("base", x, k.top - 4, x, k.height - BOTTOM + 4, out);
    }
    for (int i = 0; i < s->n; i++)
        strip(&k, s, i);
    bs_svg_end(out);
}
