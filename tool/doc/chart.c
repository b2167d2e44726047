/* chart.c -- curves with bands, dots, marks and a legend. */
#include "doc/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "doc/page.h"
#include "doc/svg.h"

enum {
    WIDTH = 440,
    HEIGHT = 250,
    MARKS = 5,
    ROOM = 64,  /* for marks of an axis */
    HITS = 48,  /* most points of a series that show a value on hover */
    FEW = 16,   /* most points that are also shown as dots */
    LETTER = 7, /* pixels per character, roughly */
    DIGITS = 4, /* significant digits on hover */
};

typedef struct {
    const bs_chart *c;
    bs_axis         x, y;
    int             width, height, legend; /* legend: height */
    double          left, right, top, bottom;
    bs_buf         *out;
} canvas;

static double x_at(const bs_series *s, int i)
{
    return s->x ? s->x[i] : i + 1;
}

static int colour_of(const bs_series *s, int place)
{
    return (s->colour > 0 ? s->colour - 1 : place) % BS_CHART_COLOURS;
}

/* Whether a point can be drawn. */
static bool seen(const canvas *k, double x, double y)
{
    return isfinite(x) && isfinite(y) && (!k->x.log || x > 0) && (!k->y.log || y > 0);
}

/* ---- axes ---- */

static void widen(double v, bool log, double *lo, double *hi)
{
    if (!isfinite(v) || (log && v <= 0))
        return;
    *lo = fmin(*lo, v);
    *hi = fmax(*hi, v);
}

static void find_axes(canvas *k)
{
    const bs_chart *c = k->c;
    double          x_lo = INFINITY, x_hi = -INFINITY, y_lo = INFINITY, y_hi = -INFINITY;
    bool            counts = !c->log_x;
    for (int s = 0; s < c->n; s++)
        for (int i = 0; i < c->series[s].n; i++) {
            const bs_series *r = &c->series[s];
            if (!isfinite(r->y[i]))
                continue;
            counts = counts && x_at(r, i) == floor(x_at(r, i));
            widen(x_at(r, i), c->log_x, &x_lo, &x_hi);
            widen(r->y[i], c->log_y, &y_lo, &y_hi);
            if (r->lo && r->hi) {
                widen(r->lo[i], c->log_y, &y_lo, &y_hi);
                widen(r->hi[i], c->log_y, &y_lo, &y_hi);
            }
        }
    k->x = c->x_lo < c->x_hi ? bs_axis_exact(c->x_lo, c->x_hi, MARKS + 1, c->log_x)
                             : bs_axis_exact(x_lo, x_hi, MARKS + 1, c->log_x);
    if (counts) /* no marks between epochs or trials */
        k->x.step = fmax(k->x.step, 1);
    k->y = c->y_lo < c->y_hi ? bs_axis_exact(c->y_lo, c->y_hi, MARKS, c->log_y)
                             : bs_axis_make(y_lo, y_hi, MARKS, c->log_y);
}

static int y_label_width(const bs_axis *a)
{
    double mark[ROOM];
    char   text[48];
    int    n = bs_axis_marks(a, mark, ROOM), most = 1;
    for (int i = 0; i < n && i < ROOM; i++) {
        const int len = (int)strlen(bs_axis_text(a, mark[i], text));
        most = len > most ? len : most;
    }
    return LETTER * most;
}

/* Rows of the legend after filling its entries into lines. */
static int legend_rows(const canvas *k)
{
    double used = 0;
    int    rows = 1;
    for (int i = 0; i < k->c->n; i++) {
        const double need = 30 + LETTER * bs_page_width(k->c->series[i].name);
        if (used > 0 && used + need > k->right - k->left) {
            rows++;
            used = 0;
        }
        used += need;
    }
    return rows;
}

static void lay_out(canvas *k)
{
    const bs_chart *c = k->c;
    k->width = c->width > 0 ? c->width : WIDTH;
    k->height = c->height > 0 ? c->height : HEIGHT;
    find_axes(k);
    k->left = 12 + y_label_width(&k->y) + (c->y_name ? 18 : 0);
    k->right = k->width - 14;
    k->top = (c->title ? 26 : 8) + (c->marks > 0 ? 14 : 0);
    k->bottom = k->height - 24 - (c->x_name ? 16 : 0);
    k->legend = c->n > 1 ? 18 * legend_rows(k) : 0;
    k->height += k->legend; /* below the drawing, so that charts in a row stay level */
    k->x.from = k->left;
    k->x.to = k->right;
    k->y.from = k->bottom;
    k->y.to = k->top;
}

static void draw_axes(const canvas *k)
{
    double mark[ROOM];
    char   label[48];
    int    n = bs_axis_marks(&k->y, mark, ROOM);
    for (int i = 0; i < n && i < ROOM; i++) {
        const double y = bs_axis_place(&k->y, mark[i]);
        bs_svg_line("grid", k->left, y, k->right, y, k->out);
        bs_svg_text("", k->left - 6, y + 4, "end", bs_axis_text(&k->y, mark[i], label), k->out);
    }
    n = bs_axis_marks(&k->x, mark, ROOM);
    for (int i = 0; i < n && i < ROOM; i++) {
        const double x = bs_axis_place(&k->x, mark[i]);
        bs_svg_line("axis", x, k->bottom, x, k->bottom + 4, k->out);
        bs_svg_text("", x, k->bottom + 17, "middle", bs_axis_text(&k->x, mark[i], label), k->out);
    }
    bs_svg_line("axis", k->left, k->bottom, k->right, k->bottom, k->out);
    if (k->c->x_name)
        bs_svg_text("", (k->left + k->right) / 2, k->bottom + 34, "middle", k->c->x_name, k->out);
    if (k->c->y_name)
        bs_svg_name("", 13, (k->top + k->bottom) / 2, "middle", 60, 1, k->c->y_name, k->out);
    bs_buf_text(k->out, "\n");
}

/* ---- series ---- */

static void point(const canvas *k, char op, double x, double y)
{
    char a[BS_FIXED_TEXT], b[BS_FIXED_TEXT];
    bs_buf_printf(k->out, "%c%s %s", op, bs_fixed(bs_axis_place(&k->x, x), 1, a),
                  bs_fixed(bs_axis_place(&k->y, y), 1, b));
}

/* The band between lo and hi over points from .. end - 1, none of which is missing. */
static void band_piece(const canvas *k, const bs_series *s, int from, int end, int colour)
{
    bs_buf_printf(k->out, "<path class=\"band f k%d\" d=\"", colour);
    for (int i = from; i < end; i++)
        point(k, i == from ? 'M' : 'L', x_at(s, i), s->hi[i]);
    for (int i = end - 1; i >= from; i--)
        point(k, 'L', x_at(s, i), s->lo[i]);
    bs_buf_text(k->out, "Z\"/>\n");
}

static void draw_band(const canvas *k, const bs_series *s, int colour)
{
    int from = 0;
    if (!s->lo || !s->hi)
        return;
    for (int i = 0; i <= s->n; i++) {
        if (i < s->n && seen(k, x_at(s, i), s->lo[i]) && seen(k, x_at(s, i), s->hi[i]))
            continue;
        if (i - from > 1)
            band_piece(k, s, from, i, colour);
        from = i + 1;
    }
}

static void draw_line(const canvas *k, const bs_series *s, int colour)
{
    bool pen = false;
    bs_buf_printf(k->out, "<path class=\"line s k%d%s\" d=\"", colour, s->dashed ? " dash" : "");
    for (int i = 0; i < s->n; i++) {
        const bool there = seen(k, x_at(s, i), s->y[i]);
        if (there)
            point(k, pen ? 'L' : 'M', x_at(s, i), s->y[i]);
        pen = there;
    }
    bs_buf_text(k->out, "\"/>\n");
}

/* Dots, or places that show their value on hover. */
static void draw_dots(const canvas *k, const bs_series *s, int colour, bool shown)
{
    const int stride = shown ? 1 : (s->n + HITS - 1) / HITS;
    char      x[BS_FIXED_TEXT], y[BS_FIXED_TEXT];
    for (int i = 0; i < s->n; i++) {
        if (!seen(k, x_at(s, i), s->y[i]) || (i % stride && i != s->n - 1))
            continue;
        bs_buf_text(k->out, "<circle class=\"");
        if (shown)
            bs_buf_printf(k->out, "dot f k%d\"", colour);
        else
            bs_buf_text(k->out, "hit\"");
        bs_page_px("cx", bs_axis_place(&k->x, x_at(s, i)), k->out);
        bs_page_px("cy", bs_axis_place(&k->y, s->y[i]), k->out);
        bs_buf_printf(k->out, " r=\"%s\"><title>", shown ? "3.5" : "5");
        if (k->c->n > 1)
            bs_page_wrap("", s->name, ", ", k->out);
        bs_page_escape(s->label ? s->label[i] : bs_short(x_at(s, i), DIGITS, x), k->out);
        bs_buf_printf(k->out, ": %s", bs_short(s->y[i], DIGITS, y));
        if (s->lo && s->hi)
            bs_buf_printf(k->out, " (%s to %s)", bs_short(s->lo[i], DIGITS, x),
                          bs_short(s->hi[i], DIGITS, y));
        bs_buf_text(k->out, "</title></circle>");
    }
    bs_buf_text(k->out, "\n");
}

static void draw_marks(const canvas *k)
{
    for (int i = 0; i < k->c->marks; i++) {
        const bs_mark *m = &k->c->mark[i];
        if (!isfinite(m->x) || m->x < k->x.lo || m->x > k->x.hi)
            continue;
        const double x = bs_axis_place(&k->x, m->x);
        /* the word stays inside the picture */
        const double half = LETTER * bs_page_width(m->name) / 2.0;
        const double at = fmin(fmax(x, k->left + half), k->width - half - 2);
        bs_buf_printf(k->out, "<g class=\"k%d\">", m->colour > 0 ? m->colour - 1 : 6);
        bs_svg_line("base s", x, k->top, x, k->bottom, k->out);
        bs_svg_text("", at, k->top - 5, "middle", m->name, k->out);
        bs_buf_text(k->out, "</g>\n");
    }
}

static void draw_legend(const canvas *k)
{
    double x = k->left, y = k->height - k->legend + 12;
    for (int i = 0; i < k->c->n; i++) {
        const bs_series *s = &k->c->series[i];
        const double     need = 30 + LETTER * bs_page_width(s->name);
        if (x > k->left && x + need > k->left + (k->right - k->left)) {
            x = k->left;
            y += 18;
        }
        bs_buf_printf(k->out, "<g class=\"k%d\">", colour_of(s, i));
        if (s->dots)
            bs_buf_printf(k->out, "<circle class=\"dot f\" cx=\"%d\" cy=\"%d\" r=\"4\"/>",
                          (int)x + 9, (int)y - 4);
        else
            bs_svg_line(s->dashed ? "line s dash" : "line s", x, y - 4, x + 18, y - 4, k->out);
        bs_svg_text("", x + 23, y, "start", s->name, k->out);
        bs_buf_text(k->out, "</g>\n");
        x += need;
    }
}

static void draw_series(const canvas *k, int place)
{
    const bs_series *s = &k->c->series[place];
    const int        colour = colour_of(s, place);
    if (!s->dots)
        draw_line(k, s, colour);
    draw_dots(k, s, colour, s->dots || s->n <= FEW);
}

void bs_chart_draw(const bs_chart *c, bs_buf *out)
{
    canvas k = {.c = c, .out = out};
    int    points = 0;
    for (int i = 0; i < c->n; i++)
        points += c->series[i].n;
    if (!out || points == 0)
        return;
    lay_out(&k);
    bs_svg_begin(k.width, k.height, c->title, out);
    if (c->title)
        bs_svg_text("title", k.left, 16, "start", c->title, out);
    draw_axes(&k);
    if (c->diagonal) {
        const double lo = fmax(k.x.lo, k.y.lo), hi = fmin(k.x.hi, k.y.hi);
        bs_svg_line("base", bs_axis_place(&k.x, lo), bs_axis_place(&k.y, lo),
                    bs_axis_place(&k.x, hi), bs_axis_place(&k.y, hi), out);
    }
    draw_marks(&k);
    for (int i = 0; i < c->n; i++)
        draw_band(&k, &c->series[i], colour_of(&c->series[i], i));
    for (int i = 0; i < c->n; i++)
        draw_series(&k, i);
    if (c->n > 1)
        draw_legend(&k);
    bs_svg_end(out);
}
