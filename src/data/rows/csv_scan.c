/* csv_scan.c -- records and cells of RFC 4180, and the guess of the delimiter. */
#include <string.h>

#include "data/rows/csv.h"
#include "data/scan.h"

static bool at_line_end(const csv_cursor *c, const char *p)
{
    return p == c->end || *p == '\n' || (*p == '\r' && p + 1 < c->end && p[1] == '\n');
}

/* Moves past the delimiter or line end after a cell. */
static csv_step step_over(csv_cursor *c, const char *p)
{
    if (p < c->end && *p == c->delimiter) {
        c->p = p + 1;
        return CSV_CELL;
    }
    if (p < c->end && *p == '\r')
        p++;
    if (p < c->end) {
        p++;
        c->line++;
    }
    c->p = p;
    return CSV_LAST;
}

static csv_step quoted_cell(csv_cursor *c, csv_cell *cell)
{
    const char *p = c->p + 1;
    cell->text = p;
    cell->quoted = true;
    for (;; p++) {
        p = memchr(p, '"', (size_t)(c->end - p));
        if (!p)
            return CSV_UNCLOSED;
        if (p + 1 < c->end && p[1] == '"') {
            cell->doubled = true;
            p++;
            continue;
        }
        break;
    }
    cell->len = (size_t)(p - cell->text);
    for (const char *q = cell->text; q < p && (q = memchr(q, '\n', (size_t)(p - q))); q++)
        c->line++;
    p++;
    while (p < c->end && *p == ' ')
        p++;
    if (!at_line_end(c, p) && *p != c->delimiter) {
        c->p = p;
        return CSV_AFTER_QUOTE;
    }
    return step_over(c, p);
}

csv_step bs_csv_next(csv_cursor *c, csv_cell *cell)
{
    *cell = (csv_cell){.text = c->p, .line = c->line};
    const char *p = c->p;
    while (p < c->end && *p == ' ')
        p++;
    if (p < c->end && *p == '"') {
        c->p = p;
        return quoted_cell(c, cell);
    }
    p = c->p;
    while (p < c->end && *p != c->delimiter && *p != '\n')
        p++;
    cell->len = (size_t)(p - cell->text);
    if (cell->len && p[-1] == '\r' && (p == c->end || *p == '\n'))
        cell->len--;
    return step_over(c, p);
}

bool bs_csv_record(csv_cursor *c, int64_t *blank)
{
    while (c->p < c->end) {
        const char *p = c->p;
        while (p < c->end && (*p == ' ' || *p == '\r'))
            p++;
        if (p < c->end && *p != '\n')
            return true;
        c->line += p < c->end;
        c->p = p < c->end ? p + 1 : p;
        (*blank)++;
    }
    return false;
}

const char *bs_csv_text(const csv_cell *cell, bs_buf *scratch, size_t *len)
{
    const char *text = cell->text;
    size_t      n = cell->len;
    if (!cell->quoted) {
        while (n && bs_is_blank(*text)) {
            text++;
            n--;
        }
        n = bs_trim(text, n);
    }
    *len = n;
    if (!cell->doubled)
        return text;
    bs_buf_clear(scratch);
    for (size_t i = 0; i < n; i++) {
        bs_buf_add(scratch, text + i, 1);
        i += text[i] == '"';
    }
    *len = scratch->len;
    return scratch->failed ? NULL : scratch->data;
}

/* --- the delimiter ------------------------------------------------------- */

enum { LOOK_AT = 30 };

/* Counts of one delimiter in each of the first records. */
static int count_in_records(const char *text, size_t n, char delimiter, int counts[LOOK_AT])
{
    int  records = 0;
    bool quoted = false;
    counts[0] = 0;
    for (size_t i = 0; i < n && records < LOOK_AT; i++) {
        if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted && text[i] == delimiter)
            counts[records]++;
        else if (!quoted && text[i] == '\n') {
            if (++records < LOOK_AT)
                counts[records] = 0;
        }
    }
    /* A last line without an end may be truncated, so it counts only if it is the only one. */
    return records ? records : 1;
}

char bs_csv_delimiter(const char *text, size_t n, bool *steady)
{
    static const char candidates[] = "\t,;|";
    char              best = 0;
    int               best_same = 0;
    *steady = false;
    for (int k = 0; candidates[k]; k++) {
        int counts[LOOK_AT], same = 0;
        int records = count_in_records(text, n, candidates[k], counts);
        for (int i = 0; i < records; i++)
            same += counts[i] == counts[0];
        if (counts[0] == 0 || same <= best_same)
            continue;
        best = candidates[k];
        best_same = same;
        *steady = same == records;
    }
    return best;
}

static const struct {
    const char *name;
    char        delimiter;
} delimiters[] = {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"pipe", '|'}};

char bs_csv_choose(const char *text, size_t n, const char *option)
{
    bool steady;
    for (size_t i = 0; i < sizeof delimiters / sizeof *delimiters; i++)
        if (strcmp(delimiters[i].name, option) == 0)
            return delimiters[i].delimiter;
    return bs_csv_delimiter(text, n, &steady);
}

bool bs_csv_open(const char *line, size_t n, char delimiter, bool open)
{
    const char *p = line, *end = line + n;
    for (;;) {
        while (!open && p < end && *p == ' ')
            p++;
        if (!open && p < end && *p == '"') {
            open = true;
            p++;
        }
        for (; open; p++) {
            p = memchr(p, '"', (size_t)(end - p));
            if (!p)
                return true;
            open = p + 1 < end && p[1] == '"';
            p += open;
        }
        p = p < end ? memchr(p, delimiter, (size_t)(end - p)) : NULL;
        if (!p++)
            return false;
    }
}

csv_cursor bs_csv_begin(const bs_buf *whole, const char *option)
{
    const char *text = whole->data ? whole->data : "";
    size_t      n = whole->len, skip = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    size_t      window = n - skip < (size_t)64 << 10 ? n - skip : (size_t)64 << 10;
    csv_cursor  c = {.p = text + skip, .end = text + n, .line = 1};
    c.delimiter = bs_csv_choose(text + skip, window, option);
    return c;
}
