/* doc.c -- one table, three forms. A text table is aligned at its end, when the widest cell of each
 * column is known; pages and JSON are written row by row. */
#include "doc/doc.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/json.h"
#include "base/visible.h"

enum { LONGEST = 40, DIGITS = 6, COLUMNS = 80, WIDTH = 100, ITEM = 13 };

/* ---- words ---- */

static void text_heading(const char *text, bs_buf *out)
{
    if (!out)
        return;
    bs_buf_text(out, "\n");
    bs_buf_visible(out, text);
    bs_buf_text(out, "\n");
}

void bs_doc_heading(bs_doc *d, int level, const char *text)
{
    bs_page_heading(level, text, d->page);
    text_heading(text, d->text);
}

/* The rest of a line that has `indent` columns, and more such lines: at most WIDTH columns, broken
 * at blanks. */
static void wrapped(const char *text, int indent, bs_buf *out)
{
    int    column = indent;
    bs_buf line;
    bs_buf_init(&line, 1 << 20);
    bs_buf_visible(&line, text);
    out->failed = out->failed || line.failed;
    for (size_t n, at = 0; !line.failed && at < line.len; at += n) {
        char word[256];
        at += strspn(line.data + at, " ");
        n = strcspn(line.data + at, " ");
        bs_print(word, sizeof word, "%.*s", (int)n, line.data + at);
        const int wide = bs_page_width(word);
        if (column > indent && column + 1 + wide > WIDTH) {
            bs_buf_printf(out, "\n%*s", indent, "");
            column = indent;
        }
        bs_buf_text(out, column > indent ? " " : "");
        bs_buf_add(out, line.data + at, n);
        column += wide + (column > indent);
    }
    bs_buf_text(out, "\n");
    bs_buf_free(&line);
}

void bs_doc_say(bs_doc *d, const char *kind, const char *fmt, ...)
{
    va_list   args;
    char      text[4096];
    const int indent = d->markdown ? 0 : 2;
    va_start(args, fmt);
    bs_vprint(text, sizeof text, fmt, args);
    va_end(args);
    bs_page_say(d->page, kind, "%s", text);
    if (!d->text)
        return;
    if (strcmp(kind, "verdict") == 0) {
        bs_buf_visible(d->text, text);
        bs_buf_text(d->text, "\n");
    } else {
        bs_buf_printf(d->text, "%*s", indent, "");
        wrapped(text, indent, d->text);
    }
    bs_buf_text(d->text, d->markdown ? "\n" : "");
}

void bs_doc_tell(bs_doc *d, const char *kind, const bs_buf *text)
{
    bs_buf *out[] = {d->text, d->page, d->json};
    for (int i = 0; i < 3; i++)
        if (out[i])
            out[i]->failed = out[i]->failed || text->failed;
    if (!text->failed && text->len > 0)
        bs_doc_say(d, kind, "%s", text->data);
}

void bs_doc_list_begin(bs_doc *d)
{
    bs_page_put("<dl>\n", d->page);
    if (d->text)
        bs_buf_text(d->text, "\n");
}

void bs_doc_item(bs_doc *d, const char *name, const char *fmt, ...)
{
    va_list args;
    char    text[4096], room[BS_VISIBLE];
    va_start(args, fmt);
    bs_vprint(text, sizeof text, fmt, args);
    va_end(args);
    bs_page_wrap("<dt>", name, "</dt>", d->page);
    bs_page_wrap("<dd>", text, "</dd>\n", d->page);
    if (!d->text)
        return;
    bs_buf_printf(d->text, "  %-*s ", ITEM, bs_visible(name, LONGEST, room));
    wrapped(text, ITEM + 3, d->text);
}

void bs_doc_list_end(bs_doc *d)
{
    bs_page_put("</dl>\n", d->page);
}

void bs_doc_details_begin(bs_doc *d, const char *summary, bool open)
{
    bs_page_details_begin(summary, open, d->page);
    if (open) {
        text_heading(summary, d->text);
        return;
    }
    d->hidden = d->text;
    d->text = NULL;
}

void bs_doc_details_end(bs_doc *d)
{
    bs_page_details_end(d->page);
    d->text = d->hidden ? d->hidden : d->text;
    d->hidden = NULL;
}

/* ---- tables ---- */

/* Whether a form has the column. */
static bool shown(const bs_column *c, unsigned where)
{
    return !c->only || (c->only & where);
}

static void heading_cell(const bs_column *c, int number, bool deep, unsigned flags, bs_buf *out)
{
    bs_buf_printf(out, "<th class=\"%s%s\"%s", c->text ? "text" : "", c->first ? " first" : "",
                  deep ? " rowspan=\"2\"" : "");
    if (flags & BS_TABLE_SORTED)
        bs_buf_printf(out, " data-sort=\"%d\"", number);
    bs_page_help(c->help, out);
    bs_page_wrap(">", c->name, "</th>", out);
}

/* With groups there is a row above: their names, and columns without one, which span both. */
static void headings(const bs_column *column, int n, unsigned flags, bs_buf *out)
{
    bool grouped = false;
    for (int i = 0; i < n; i++)
        grouped = grouped || column[i].group;
    bs_buf_printf(out, "<div class=\"scroll%s\"><table%s><thead>\n<tr>",
                  flags & BS_TABLE_LONG ? " long" : "",
                  flags & BS_TABLE_SORTED ? " class=\"sorted\"" : "");
    for (int i = 0, end; i < n && grouped; i = end) {
        const char *group = column[i].group;
        for (end = i + 1; group && end < n && column[end].group; end++)
            if (strcmp(group, column[end].group) != 0)
                break;
        if (group) {
            bs_buf_printf(out, "<th class=\"group first\" colspan=\"%d\"", end - i);
            bs_page_wrap(">", group, "</th>", out);
        } else {
            heading_cell(&column[i], i, true, flags, out);
        }
    }
    bs_buf_text(out, grouped ? "</tr>\n<tr>" : "");
    for (int i = 0; i < n; i++)
        if (!grouped || column[i].group)
            heading_cell(&column[i], i, false, flags, out);
    bs_buf_text(out, "</tr></thead>\n<tbody>\n");
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
        headings(page, k, flags, d->page);
    for (int i = 0; i < n && d->text; i++)
        bs_buf_add(&d->cells, column[i].name, strlen(column[i].name) + 1);
    if (d->json && key)
        bs_json_open(d->json, key, '[');
}

static bool is_number(const bs_cell *c)
{
    return c->kind == BS_CELL_NUMBER || c->kind == BS_CELL_PERCENT;
}

/* A number as it is shown: "+1.20". */
static const char *number_of(const bs_cell *c, double v, char text[BS_FIXED_TEXT])
{
    char plain[BS_FIXED_TEXT];
    bs_fixed(c->kind == BS_CELL_PERCENT ? 100 * v : v, c->digits, plain);
    bs_print(text, BS_FIXED_TEXT, "%s%s", c->sign && *plain != '-' ? "+" : "", plain);
    return text;
}

static void cell_text(const bs_cell *c, bs_buf *out)
{
    char number[BS_FIXED_TEXT], room[BS_VISIBLE];
    if (c->kind == BS_CELL_COUNT)
        bs_buf_printf(out, "%.0f", c->value);
    else if (c->kind == BS_CELL_CROSS)
        bs_buf_text(out, c->as);
    else if (c->kind == BS_CELL_HTML)
        bs_buf_text(out, "");
    else if (!is_number(c) || c->text)
        bs_buf_text(out, bs_visible(c->text ? c->text : "?", LONGEST, room));
    else
        bs_buf_text(out, isnan(c->value) ? "-" : number_of(c, c->value, number));
    if (is_number(c) && !isnan(c->value) && !isnan(c->spread))
        bs_buf_printf(out, " \xc2\xb1 %s", number_of(c, c->spread, number));
    bs_buf_add(out, "", 1);
}

static void small(const char *kind, const char *before, const char *text, bs_buf *out)
{
    bs_buf_printf(out, " <span class=\"%s\">", kind);
    bs_page_wrap(before, text, "</span>", out);
}

static void number_page(const bs_cell *c, bs_buf *out)
{
    char lo[BS_FIXED_TEXT], hi[BS_FIXED_TEXT], range[2 * BS_FIXED_TEXT + 8];
    if (c->text)
        bs_page_escape(c->text, out);
    else
        bs_buf_text(out, isnan(c->value) ? "&ndash;" : number_of(c, c->value, lo));
    if (isnan(c->value))
        return;
    if (!isnan(c->spread))
        small("range", "&plusmn; ", number_of(c, c->spread, lo), out);
    if (!isfinite(c->lo) || !isfinite(c->hi))
        return;
    bs_print(range, sizeof range, "[%s, %s]", number_of(c, c->lo, lo), number_of(c, c->hi, hi));
    small("range", "", range, out);
}

/* Tables are sorted by data-v. */
static void cell_begin(const bs_cell *c, bool first, int rest, bs_buf *out)
{
    static const char *const class[] = {[BS_CELL_TEXT] = "text",
                                        [BS_CELL_NAME] = "name",
                                        [BS_CELL_WRAP] = "wrap",
                                        [BS_CELL_CHIP] = "text"};
    const char *kind = c->kind < BS_CELL_HTML ? class[c->kind] : "";
    char        text[BS_FIXED_TEXT];
    const char *word[] = {kind, first ? "first" : "", c->kind == BS_CELL_CHIP ? "" : c->as};
    int         n = 0;
    bs_buf_text(out, "<td");
    for (int i = 0; i < 3; i++)
        if (*word[i])
            bs_buf_printf(out, "%s%s", n++ ? " " : " class=\"", word[i]);
    bs_buf_text(out, n ? "\"" : "");
    if (c->kind == BS_CELL_COUNT)
        bs_buf_printf(out, " data-v=\"%.0f\"", c->value);
    else if (is_number(c))
        bs_buf_printf(out, " data-v=\"%s\"", isnan(c->value) ? "" : bs_short(c->value, 7, text));
    else if (c->kind == BS_CELL_CROSS)
        bs_buf_printf(out, " data-v=\"\" colspan=\"%d\"", rest);
    bs_page_help(c->help, out);
    bs_buf_text(out, ">");
}

static void cell_page(const bs_cell *c, bool first, int rest, bs_buf *out)
{
    cell_begin(c, first, rest, out);
    if (c->kind == BS_CELL_HTML)
        bs_buf_text(out, c->text ? c->text : "");
    else if (c->kind == BS_CELL_CHIP)
        bs_page_chip(c->text, c->as, NULL, out);
    else if (c->kind == BS_CELL_COUNT)
        bs_buf_printf(out, "%.0f", c->value);
    else if (is_number(c))
        number_page(c, out);
    else
        bs_page_escape(c->text ? c->text : "?", out);
    if (c->after)
        small(c->kind == BS_CELL_NAME ? "tag" : "range", "", c->after, out);
    bs_buf_text(out, "</td>");
}

static void cell_json(const bs_cell *c, const char *key, bs_buf *out)
{
    if (c->kind == BS_CELL_COUNT)
        bs_json_int(out, key, (long long)c->value);
    else if (is_number(c))
        bs_json_short(out, key, DIGITS, c->value);
    else
        bs_json_text(out, key, c->text);
}

void bs_doc_row(bs_doc *d, const bs_cell *cell, int n)
{
    const bool crossed = n > 0 && cell[n - 1].kind == BS_CELL_CROSS;
    d->rows++;
    for (int i = 0; i < d->columns && d->text && (!d->brief || d->rows <= d->brief); i++)
        cell_text(i < n ? &cell[i] : &(bs_cell){.text = "", .as = ""}, &d->cells);
    if (d->page)
        bs_buf_text(d->page, "<tr>");
    for (int i = 0; i < n && d->page; i++)
        if (shown(&d->column[i], BS_COLUMN_PAGE))
            cell_page(&cell[i], d->column[i].first, d->columns - i, d->page);
    if (d->page)
        bs_buf_text(d->page, "</tr>\n");
    if (d->json && d->key && !crossed) {
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
    bs_buf_printf(out, "%*s%s%*s", left ? 0 : blanks, "", text, left ? blanks : 0, "");
}

/* The line of Markdown below the names of columns. */
static void rule(const bs_doc *d, const int *width)
{
    for (int i = 0; i < d->columns; i++) {
        if (!shown(&d->column[i], BS_COLUMN_TEXT))
            continue;
        bs_buf_text(d->text, "|");
        for (int k = 0; k < width[i] + 1; k++)
            bs_buf_text(d->text, "-");
        bs_buf_text(d->text, d->column[i].text ? "-" : ":");
    }
    bs_buf_text(d->text, "|\n");
}

static void write_text(bs_doc *d)
{
    int         width[COLUMNS] = {0};
    const int   rows = d->brief && d->rows > d->brief ? d->brief : d->rows;
    const char *at = d->cells.data, *end = at + d->cells.len;
    for (int i = 0; at < end; i = (i + 1) % d->columns, at += strlen(at) + 1) {
        const int n = bs_page_width(at);
        width[i] = n > width[i] ? n : width[i];
    }
    at = d->cells.data;
    for (int r = 0; r <= rows; r++) {
        const size_t begin = d->text->len;
        for (int i = 0; i < d->columns; i++, at += strlen(at) + 1) {
            if (!shown(&d->column[i], BS_COLUMN_TEXT))
                continue;
            bs_buf_text(d->text, !d->markdown ? "  " : i ? " | " : "| ");
            pad(at, width[i], d->column[i].text, d->text);
        }
        while (!d->markdown && !d->text->failed && d->text->len > begin &&
               d->text->data[d->text->len - 1] == ' ')
            d->text->len--;
        bs_buf_text(d->text, d->markdown ? " |\n" : "\n");
        if (d->markdown && r == 0)
            rule(d, width);
    }
    if (rows < d->rows)
        bs_buf_printf(d->text, "  ... %d more\n", d->rows - rows);
    bs_buf_text(d->text, d->markdown ? "\n" : "");
}

void bs_doc_table_end(bs_doc *d)
{
    bs_page_put("</tbody></table></div>\n", d->page);
    if (d->text && d->cells.failed)
        d->text->failed = true;
    else if (d->text && d->rows > 0)
        write_text(d);
    if (d->json && d->key)
        bs_json_close(d->json, ']');
    bs_buf_free(&d->cells);
}
