/* heat.c -- heat maps: SVG cells, or bytes for a canvas.
 *
 * Colours are one hue with varying opacity over the page, so that they suit light and dark pages
 * alike; two hues, orange and blue, if values have a sign. */
#include "doc/heat.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "doc/page.h"
#include "doc/svg.h"

enum {
    SMALL = 40,      /* rows and columns: up to this many are cells */
    PRINTED = 14,    /* columns: up to this many have values printed in the cells */
    SIDE = 760,      /* pixels that a large map aims for */
    NAME = 22,       /* characters of names beside the map */
    LETTER = 7,      /* pixels per character, roughly */
    KEY_CELLS = 32,  /* of the colour key */
    NAME_PITCH = 13, /* pixels between names of a large map */
};

typedef struct {
    const bs_heat *h;
    double         lo, hi;
    int            left, top; /* of the cells */
    double         cell_x, cell_y;
    bs_buf        *out;
} sheet;

static const char *name_of(const bs_heat *h, bool column, int i, char number[16])
{
    const char *const *name = h->row_name;
    if (column)
        name = h->col_name || h->rows != h->cols ? h->col_name : h->row_name;
    bs_print(number, 16, "%d", i + 1);
    return name ? name[i] : number;
}

static int longest(const bs_heat *h, bool column)
{
    char number[16];
    int  most = 1;
    for (int i = 0; i < (column ? h->cols : h->rows); i++) {
        const int n = bs_page_width(name_of(h, column, i, number));
        most = n > most ? n : most;
    }
    return most < NAME ? most : NAME;
}

static void find_range(sheet *k)
{
    const bs_heat *h = k->h;
    double         lo = INFINITY, hi = -INFINITY;
    for (size_t i = 0; i < (size_t)h->rows * (size_t)h->cols; i++)
        if (isfinite(h->value[i])) {
            lo = fmin(lo, (double)h->value[i]);
            hi = fmax(hi, (double)h->value[i]);
        }
    if (h->lo < h->hi) {
        lo = h->lo;
        hi = h->hi;
    } else if (!isfinite(lo)) {
        lo = 0;
        hi = 1;
    }
    if (h->diverging) {
        hi = fmax(fabs(lo), fabs(hi));
        lo = -hi;
    }
    if (hi <= lo)
        hi = lo + 1;
    k->lo = lo;
    k->hi = hi;
}

/* The strength of a value's colour, with its sign: -1 to 1. */
static double strength(const sheet *k, double v)
{
    const double t = k->h->diverging ? v / k->hi : (v - k->lo) / (k->hi - k->lo);
    const double size = fmin(1, fabs(t));
    const double s = k->h->root ? sqrt(size) : size;
    return t < 0 && k->h->diverging ? -s : t < 0 ? 0 : s;
}

static void fill(const sheet *k, double t)
{
    char text[BS_FIXED_TEXT];
    bs_buf_printf(k->out, " fill=\"var(--%s)\" fill-opacity=\"%s\"",
                  k->h->diverging && t > 0 ? "pos" : "neg", bs_fixed(fabs(t), 3, text));
}

/* The picture around the cells, and its titles. */
static void begin(const sheet *k)
{
    const bs_heat *h = k->h;
    const double   width = h->cols * k->cell_x, height = h->rows * k->cell_y;
    bs_svg_begin(k->left + (int)width + 8, k->top + (int)height + 8, h->title, k->out);
    if (h->col_title)
        bs_svg_text("", k->left + width / 2, 13, "middle", h->col_title, k->out);
    if (h->row_title)
        bs_svg_name("", 13, k->top + height / 2, "middle", 60, 1, h->row_title, k->out);
}

/* ---- cells ---- */

static void small_cell(const sheet *k, int r, int c)
{
    const bs_heat *h = k->h;
    const double   v = (double)h->value[(size_t)r * (size_t)h->cols + (size_t)c];
    const double   x = k->left + c * k->cell_x, y = k->top + r * k->cell_y;
    char           a[16], b[16], text[BS_FIXED_TEXT];
    if (!isfinite(v)) {
        bs_svg_box("empty cell", x, y, k->cell_x, k->cell_y, k->out);
        bs_buf_text(k->out, "/>");
        return;
    }
    bs_svg_box("cell", x, y, k->cell_x, k->cell_y, k->out);
    fill(k, strength(k, v));
    bs_page_wrap("><title>", name_of(h, false, r, a), " &times; ", k->out);
    bs_page_escape(name_of(h, true, c, b), k->out);
    bs_buf_printf(k->out, ": %s</title></rect>", bs_fixed(v, h->digits, text));
    if (h->cols <= PRINTED && v != 0)
        bs_svg_text(fabs(strength(k, v)) > 0.6 ? "in on" : "in", x + k->cell_x / 2,
                    y + k->cell_y / 2 + 4, "middle", text, k->out);
}

static void small_map(sheet *k)
{
    const bs_heat *h = k->h;
    char           number[16];
    const int      side = LETTER * longest(h, false) + 22;
    /* Names of columns are horizontal if the cells are wide enough. */
    const int wide = LETTER * longest(h, true) + 10;
    k->cell_x = h->cols <= PRINTED ? 54 : 16;
    k->cell_y = h->cols <= PRINTED ? 26 : 16;
    const bool turn = wide > k->cell_x;
    k->left = side + (h->row_title ? 20 : 0);
    k->top = (turn ? wide : 20) + (h->col_title ? 20 : 0);
    begin(k);
    for (int c = 0; c < h->cols; c++) {
        const double x = k->left + (c + 0.5) * k->cell_x;
        bs_svg_name("label", turn ? x + 4 : x, k->top - 6, turn ? "start" : "middle", NAME, turn,
                    name_of(h, true, c, number), k->out);
    }
    for (int r = 0; r < h->rows; r++) {
        bs_svg_name("label", k->left - 6, k->top + (r + 0.5) * k->cell_y + 4, "end", NAME, 0,
                    name_of(h, false, r, number), k->out);
        for (int c = 0; c < h->cols; c++)
            small_cell(k, r, c);
        bs_buf_text(k->out, "\n");
    }
    bs_svg_end(k->out);
}

/* ---- bytes ---- */

static unsigned char quantised(const sheet *k, double v)
{
    if (!isfinite(v))
        return 0;
    const double t = (v - k->lo) / (k->hi - k->lo);
    return (unsigned char)(1 + (int)(254 * fmin(1, fmax(0, t)) + 0.5));
}

/* In pieces of whole groups of base64. */
static void bytes(const sheet *k)
{
    const size_t  cells = (size_t)k->h->rows * (size_t)k->h->cols;
    unsigned char hold[3 * 256];
    bs_buf_text(k->out, " data-m=\"");
    for (size_t at = 0; at < cells; at += sizeof hold) {
        const size_t n = cells - at < sizeof hold ? cells - at : sizeof hold;
        for (size_t i = 0; i < n; i++)
            hold[i] = quantised(k, (double)k->h->value[at + i]);
        bs_page_base64(hold, n, k->out);
    }
    bs_buf_text(k->out, "\"");
}

/* ["a", "b"] inside an attribute. */
static void names(const sheet *k, const char *key, bool column)
{
    const int n = column ? k->h->cols : k->h->rows;
    char      number[16];
    bs_buf    list;
    bs_buf_init(&list, (size_t)1 << 28);
    bs_json_open(&list, NULL, '[');
    for (int i = 0; i < n; i++)
        bs_json_text(&list, NULL, name_of(k->h, column, i, number));
    bs_json_close(&list, ']');
    bs_buf_printf(k->out, " %s=", key);
    bs_page_wrap("\"", list.failed ? "" : list.data, "\"", k->out);
    k->out->failed = k->out->failed || list.failed;
    bs_buf_free(&list);
}

static double pixels_of(int cells)
{
    const double size = (double)SIDE / cells;
    return size < 1 ? 1 : size > 12 ? 12 : size > 4 ? floor(size) : size;
}

static void large_names(const sheet *k, bool column)
{
    const int    n = column ? k->h->cols : k->h->rows;
    const double pitch = column ? k->cell_x : k->cell_y;
    const int    stride = (int)ceil(NAME_PITCH / pitch);
    char         number[16];
    for (int i = 0; i < n; i += stride) {
        const double at = (i + 0.5) * pitch;
        if (column)
            bs_svg_name("", k->left + at + 4, k->top - 6, "start", NAME, 1,
                        name_of(k->h, true, i, number), k->out);
        else
            bs_svg_name("", k->left - 6, k->top + at + 4, "end", NAME, 0,
                        name_of(k->h, false, i, number), k->out);
    }
    bs_buf_text(k->out, "\n");
}

static void large_map(sheet *k)
{
    const bs_heat *h = k->h;
    char           a[BS_FIXED_TEXT], b[BS_FIXED_TEXT];
    k->cell_x = pixels_of(h->cols);
    k->cell_y = pixels_of(h->rows);
    if (h->rows == h->cols || (h->rows > SMALL && h->cols > SMALL)) /* square cells */
        k->cell_x = k->cell_y = fmin(k->cell_x, k->cell_y);
    k->left = LETTER * longest(h, false) + 14 + (h->row_title ? 20 : 0);
    k->top = LETTER * longest(h, true) + 10 + (h->col_title ? 20 : 0);
    bs_buf_text(k->out, "<div class=\"map\">\n");
    begin(k);
    large_names(k, true);
    large_names(k, false);
    bs_svg_end(k->out);
    bs_buf_printf(k->out,
                  "<canvas width=\"%d\" height=\"%d\" data-at=\"%d %d %d %d\" data-lo=\"%s\" "
                  "data-hi=\"%s\" data-div=\"%d\" data-g=\"%s\"",
                  h->cols, h->rows, k->left, k->top, (int)(h->cols * k->cell_x),
                  (int)(h->rows * k->cell_y), bs_short(k->lo, 7, a), bs_short(k->hi, 7, b),
                  h->diverging, h->root ? "0.5" : "1");
    names(k, "data-r", false);
    if (h->col_name || h->rows != h->cols)
        names(k, "data-k", true);
    bytes(k);
    bs_buf_text(k->out, "></canvas></div>\n");
}

/* ---- the key ---- */

static void colour_key(const sheet *k)
{
    enum { STEP = 6, HIGH = 12 };
    char         text[BS_FIXED_TEXT];
    const double wide = KEY_CELLS * STEP;
    bs_svg_begin((int)wide + 120, 34, "colours", k->out);
    for (int i = 0; i < KEY_CELLS; i++) {
        const double v = k->lo + (i + 0.5) / KEY_CELLS * (k->hi - k->lo);
        bs_svg_box("key", 60 + i * STEP, 2, STEP, HIGH, k->out);
        fill(k, strength(k, v));
        bs_buf_text(k->out, "/>");
    }
    bs_svg_text("", 60, 28, "middle", bs_short(k->lo, 3, text), k->out);
    if (k->h->diverging)
        bs_svg_text("", 60 + wide / 2, 28, "middle", "0", k->out);
    bs_svg_text("", 60 + wide, 28, "middle", bs_short(k->hi, 3, text), k->out);
    bs_svg_end(k->out);
}

void bs_heat_draw(const bs_heat *h, bs_buf *out)
{
    sheet k = {.h = h, .out = out};
    if (!out || h->rows <= 0 || h->cols <= 0)
        return;
    const bool large = h->rows > SMALL || h->cols > SMALL;
    find_range(&k);
    bs_buf_text(out, "<figure>");
    if (h->title)
        bs_page_wrap("<figcaption>", h->title, "</figcaption>\n", out);
    bs_buf_text(out, "<div class=\"scroll\">");
    if (large)
        large_map(&k);
    else
        small_map(&k);
    bs_buf_text(out, "</div>\n");
    colour_key(&k);
    if (large)
        bs_buf_text(out, "<p class=\"quiet map-at\">Row, column and value of the cell under the "
                         "mouse are shown here.</p>\n");
    bs_buf_text(out, "</figure>\n");
}
