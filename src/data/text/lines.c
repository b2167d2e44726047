/* lines.c -- splits lines into cells, eight bytes at a time; see lines.h. */
#include "data/text/lines.h"

static const char *over_line_end(const char *p, const char *end)
{
    if (p < end && *p == '\r')
        p++;
    return p < end ? p + 1 : p;
}

/* 7, 7-8 or 7.1 */
static bs_line_kind number_kind(const bs_cell *cell)
{
    bs_line_kind kind = BS_LINE_TOKEN;
    bool         digit = false;
    for (size_t i = 0; i < cell->len; i++) {
        char c = cell->at[i];
        if (c >= '0' && c <= '9') {
            digit = true;
        } else if ((c == '-' || c == '.') && digit && kind == BS_LINE_TOKEN) {
            kind = BS_LINE_ASIDE;
            digit = false;
        } else {
            return BS_LINE_STRANGE;
        }
    }
    return digit ? kind : BS_LINE_STRANGE;
}

static bool is_mark(const bs_cell *cell)
{
    static const char mark[] = "-DOCSTART-";
    return cell->len == sizeof mark - 1 && memcmp(cell->at, mark, sizeof mark - 1) == 0;
}

static void scan_blanks(const char *p, const char *end, bs_row *row)
{
    int n = 0;
    for (;;) {
        while (*p == ' ' || *p == '\t')
            p++;
        if (bs_at_line_end(p, end))
            break;
        const char *stop = bs_cell_end(p, end, false);
        if (n < BS_MOST_CELLS)
            row->cell[n] = (bs_cell){p, (size_t)(stop - p)};
        n++;
        p = stop;
    }
    row->n = n;
    row->end = p;
}

/* Blanks around a cell are not part of it. */
static void scan_tabs(const char *p, const char *end, bs_row *row)
{
    int  n = 0;
    bool something = false;
    for (;; p++) {
        const char *stop = bs_cell_end(p, end, true), *last = stop;
        while (p < last && *p == ' ')
            p++;
        while (p < last && last[-1] == ' ')
            last--;
        something = something || p < last;
        if (n < BS_MOST_CELLS)
            row->cell[n] = (bs_cell){p, (size_t)(last - p)};
        n++;
        p = stop;
        if (*p != '\t')
            break;
    }
    row->n = something ? n : 0;
    row->end = p;
}

void bs_row_scan(const char *p, const char *end, bs_cut cut, bs_row *row)
{
    if (cut.conllu && *p == '#') {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        row->kind = BS_LINE_COMMENT;
        row->n = 0;
        row->end = stop > p && stop[-1] == '\r' ? stop - 1 : stop;
        row->next = over_line_end(row->end, end);
        return;
    }
    if (cut.tabs)
        scan_tabs(p, end, row);
    else
        scan_blanks(p, end, row);
    row->next = over_line_end(row->end, end);
    if (row->n == 0)
        row->kind = BS_LINE_BLANK;
    else if (cut.conllu)
        row->kind = number_kind(&row->cell[0]);
    else if (cut.columns && row->n != cut.columns && bs_is_hash_line(p, end))
        row->kind = BS_LINE_COMMENT;
    else
        row->kind = !cut.all && is_mark(&row->cell[0]) ? BS_LINE_DOCUMENT : BS_LINE_TOKEN;
}
