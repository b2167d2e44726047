/* doc.h -- results, stated once: as text for a terminal, as a page, as JSON, or as all of them.
 *
 *     bs_doc d = {.text = &table, .page = &page};
 *     bs_doc_heading(&d, 2, "Trials");
 *     bs_doc_table(&d, NULL, column, 3, BS_TABLE_SORTED);
 *     for (...)
 *         BS_ROW(&d, bs_cell_name(name), bs_cell_number(score, 2), bs_cell_count(epochs));
 *     bs_doc_table_end(&d);
 *
 * What only one form can show (a heat map, a picture) is drawn into d->page by the functions of
 * page.h, chart.h and heat.h. Failures are kept in the buffers. */
#ifndef BS_DOC_H
#define BS_DOC_H

#include "doc/chart.h"
#include "doc/page.h"

typedef struct {
    bs_buf *text, *page, *json; /* NULL: not wanted */
    /* the open table */
    const bs_column *column;
    int              columns, rows;
    const char      *key;   /* key in JSON; NULL: not in JSON */
    bs_buf           cells; /* of the text, NUL-terminated, one after the other */
} bs_doc;

/* ---- words ---- */

/* In a text it starts with a blank line. */
void bs_doc_heading(bs_doc *d, int level, const char *text);
/* A paragraph of the page, of the given kind, or a line of the text. */
void bs_doc_say(bs_doc *d, const char *kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- tables ---- */

typedef enum {
    BS_CELL_TEXT,
    BS_CELL_NAME,
    BS_CELL_CHIP,
    BS_CELL_COUNT,
    BS_CELL_NUMBER
} bs_cell_kind;

typedef struct {
    bs_cell_kind kind;
    const char  *text;
    double       value, spread; /* +- spread, unless that is NaN */
    int          digits;
    const char  *as; /* "better", "best", "right": a class of the page */
} bs_cell;

static inline bs_cell bs_cell_text(const char *text)
{
    return (bs_cell){.kind = BS_CELL_TEXT, .text = text, .as = ""};
}

/* The subject of the row. */
static inline bs_cell bs_cell_name(const char *text)
{
    return (bs_cell){.kind = BS_CELL_NAME, .text = text, .as = ""};
}

static inline bs_cell bs_cell_chip(const char *text, const char *as)
{
    return (bs_cell){.kind = BS_CELL_CHIP, .text = text, .as = as};
}

static inline bs_cell bs_cell_count(long long n)
{
    return (bs_cell){.kind = BS_CELL_COUNT, .value = (double)n, .as = ""};
}

static inline bs_cell bs_cell_spread(const char *as, double v, double spread, int digits)
{
    return (bs_cell){
        .kind = BS_CELL_NUMBER, .value = v, .spread = spread, .digits = digits, .as = as};
}

static inline bs_cell bs_cell_as(const char *as, double v, int digits)
{
    return bs_cell_spread(as, v, __builtin_nan(""), digits);
}

/* A dash for NaN. */
static inline bs_cell bs_cell_number(double v, int digits)
{
    return bs_cell_as("", v, digits);
}

/* key: of the list of objects in JSON, whose members are named by the columns' keys; or NULL. */
void bs_doc_table(bs_doc *d, const char *key, const bs_column *column, int n, unsigned flags);
void bs_doc_row(bs_doc *d, const bs_cell *cell, int n);
void bs_doc_table_end(bs_doc *d);

#define BS_ROW(d, ...)                            \
    bs_doc_row(d, (const bs_cell[]){__VA_ARGS__}, \
               (int)(sizeof((const bs_cell[]){__VA_ARGS__}) / sizeof(bs_cell)))

/* A row of a page's own table (page.h). */
#define BS_PAGE_ROW(out, ...) BS_ROW((&(bs_doc){.page = (out)}), __VA_ARGS__)

/* ---- bars ---- */

/* If lo = 0, texts also get bars, as shares of `hi`. */
void bs_doc_bars(bs_doc *d, const bs_bars *b);

#endif
