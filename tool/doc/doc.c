/* doc.c -- one table, three forms. A text table is aligned at its end, when the widest cell of each
 * column is known; pages and JSON are written row by row. */
#include "doc/doc.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/json.h"
#include "base/visible.h"

enum { LONGEST = 32, DIGITS = 6, BAR = 12, COLUMNS = 40, WIDTH = 100 };

/* ---- words ---- */

void bs_doc_heading(bs_doc *d, int level, const char *text)
{
    if (d->page)
        bs_page_heading(level, text, d->page);
    if (d->text)
        bs_buf_printf(d->text, "\n%s\n", text);
}

/* Lines of at most WIDTH columns, broken at blanks. */
static void wrapped(const char *text, bs_buf *out)
{
    int column = 0;
    for (size_t n; *text; text += n) {
        text += strspn(text, " ");
        n = strcspn(text, " ");
        char word[256];
        bs_print(word, sizeof word, "%.*s", (int)n, text);
        const int wide = 1 + bs_page_width(word);
        if (column > 0 && column + wide > WIDTH) {
            bs_buf_text(out, "\n");
            column = 0;
        }
        bs_buf_text(out, column ? " " : "  ");
        bs_buf_add(out, text, n);
        column += column ? wide : 1 + wide;
    }
    bs_buf_text(out, "\n");
}

void bs_doc_say(bs_doc *d, const char *kind, const char *fmt, ...)
{
    va_list args;
    char    text[4096];
    va_start(args, fmt);
    bs_vprint(text, sizeof text, fmt, args);
    va_end(args);
    if (d->page)
        bs_page_say(d->page, kind, "%s", text);
    if (d->text)
        wrapped(text, d->text);
}

/* ---- tables ---- */

/* NULL if a form omits the column. */
static bool shown(const bs_column *c, unsigned where)
{
    return !c->only || (c->only & where);
}

void bs_doc_table(bs_doc *d, const char *key, const bs_column *column, int n, unsigned flags)
{
    bs_column page[COLUMNS];
    int       k = 0;
    d->column = column;
    d->columns = n;
    d->rows = 0;
    d->key = key;
    bs_buf_init(&d->cells, (size_t)1 << 28);
    for (int i = 0; i < n && k < COLUMNS; i++)
        if (shown(&column[i], BS_COLUMN_PAGE))
            page[k++] = column[i];
    if (d->page)
        bs_page_table_begin(page, k, flags, d->page);
    for (int i = 0; i < n && d->text; i++)
        bs_buf_add(&d->cells, column[i].name, strlen(column[i].name) + 1);
    if (d->json && key)
        bs_json_open(d->json, key, '[');
}

static void cell_text(const bs_cell *c, bs_buf *out)
{
    char number[BS_FIXED_TEXT], room[BS_VISIBLE];
    if (c->kind == BS_CELL_COUNT)
        bs_buf_printf(out, "%.0f", c->value);
    else if (c->kind != BS_CELL_NUMBER)
        bs_buf_text(out, bs_visible(c->text ? c->text : "?", LONGEST, room));
    else
        bs_buf_text(out, isnan(c->value) ? "-" : bs_fixed(c->value, c->digits, number));
    if (c->kind == BS_CELL_NUMBER && !isnan(c->spread))
        bs_buf_printf(out, " \xc2\xb1 %s", bs_fixed(c->spread, c->digits, number));
    bs_buf_add(out, "", 1);
}

static void cell_page(const bs_cell *c, bs_buf *out)
{
    char number[BS_FIXED_TEXT];
    switch (c->kind) {
    case BS_CELL_TEXT: bs_page_cell(c->text ? c->text : "?", out); return;
    case BS_CELL_NAME: bs_page_name(c->text, out); return;
    case BS_CELL_COUNT: bs_page_count((long long)c->value, out); return;
    case BS_CELL_CHIP:
        bs_page_cell_begin("", NAN, out);
        bs_page_chip(c->text, c->as, NULL, out);
        break;
    case BS_CELL_NUMBER:
        bs_page_cell_begin(c->as, c->value, out);
        bs_buf_text(out, isnan(c->value) ? "&ndash;" : bs_fixed(c->value, c->digits, number));
        if (!isnan(c->spread))
            bs_buf_printf(out, " <span class=\"range\">&plusmn; %s</span>",
                          bs_fixed(c->spread, c->digits, number));
    }
    bs_page_cell_end(out);
}

static void cell_json(const bs_cell *c, const char *key, bs_buf *out)
{
    if (c->kind == BS_CELL_COUNT)
        bs_json_int(out, key, (long long)c->value);
    else if (c->kind == BS_CELL_NUMBER)
        bs_json_short(out, key, DIGITS, c->value);
    else
        bs_json_text(out, key, c->text);
}

void bs_doc_row(bs_doc *d, const bs_cell *cell, int n)
{
    d->rows++;
    for (int i = 0; i < n && d->text; i++)
        cell_text(&cell[i], &d->cells);
    if (d->page) {
        bs_page_row_begin(d->page);
        for (int i = 0; i < n; i++)
            if (!d->column || shown(&d->column[i], BS_COLUMN_PAGE))
                cell_page(&cell[i], d->page);
        bs_page_row_end(d->page);
    }
    if (d->json && d->key) {
        bs_json_open(d->json, NULL, '{');
        for (int i = 0; i < n; i++)
            if (d->column[i].key)
                cell_json(&cell[i], d->column[i].key, d->json);
        bs_json_close(d->json, '}');
    }
}

static void pad(const char *text, int width, bool left, bs_buf *out)
{
    const int blanks = width - bs_page_width(text);
    bs_buf_printf(out, "  %*s%s%*s", left ? 0 : blanks, "", text, left ? blanks : 0, "");
}

static void write_text(bs_doc *d)
{
    int         width[COLUMNS] = {0};
    const char *at = d->cells.data, *end = at + d->cells.len;
    for (int i = 0; at < end; i = (i + 1) % d->columns, at += strlen(at) + 1) {
        const int n = bs_page_width(at);
        width[i] = n > width[i] ? n : width[i];
    }
    at = d->cells.data;
    for (int r = 0; r <= d->rows; r++) {
        const size_t begin = d->text->len;
        for (int i = 0; i < d->columns; i++, at += strlen(at) + 1)
            if (shown(&d->column[i], BS_COLUMN_TEXT))
                pad(at, width[i], d->column[i].text, d->text);
        while (!d->text->failed && d->text->len > begin && d->text->data[d->text->len - 1] == ' ')
            d->text->len--;
        bs_buf_text(d->text, "\n");
    }
}

void bs_doc_table_end(bs_doc *d)
{
    if (d->page)
        bs_page_table_end(d->page);
    if (d->text && d->cells.failed)
        d->text->failed = true;
    else if (d->text && d->rows > 0)
        write_text(d);
    if (d->json && d->key)
        bs_json_close(d->json, ']');
    bs_buf_free(&d->cells);
}

/* ---- bars ---- */

void bs_doc_bars(bs_doc *d, const bs_bars *b)
{
    int  longest = 0;
    char number[BS_FIXED_TEXT];
    if (d->page)
        bs_bars_draw(b, d->page);
    for (int i = 0; i < b->n; i++) {
        const int n = bs_page_width(b->bar[i].name);
        longest = n > longest ? n : longest;
    }
    for (int i = 0; i < b->n && d->text; i++) {
        const double share = fmin(fmax(b->bar[i].value / b->hi, 0), 1);
        pad(b->bar[i].name, longest, true, d->text);
        bs_buf_printf(d->text, " %6s  ", bs_fixed(b->bar[i].value, b->digits, number));
        for (int k = 0; k < BAR; k++)
            bs_buf_text(d->text, k < (int)(share * BAR + 0.5) ? "#" : ".");
        bs_buf_printf(d->text, "%s%s\n", b->bar[i].note ? "  " : "",
                      b->bar[i].note ? b->bar[i].note : "");
    }
}
