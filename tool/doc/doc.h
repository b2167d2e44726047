/* doc.h -- results, stated once: as text for a terminal, as a page, as JSON, or as all of them.
 *
 *     bs_doc d = {.text = &table, .page = &page};
 *     bs_doc_heading(&d, 2, "Trials");
 *     bs_doc_table(&d, NULL, column, 3, BS_TABLE_SORTED);
 *     for (...)
 *         BS_ROW(&d, bs_cell_name(name), bs_cell_number(score, 2), bs_cell_count(epochs));
 *     bs_doc_table_end(&d);
 *
 * What only a page can show (a heat map, a picture, a long explanation) is drawn into d->page by
 * the functions of page.h, chart.h and heat.h, which draw nothing if that is NULL. Failures are
 * kept in the buffers. */
#ifndef BS_DOC_H
#define BS_DOC_H

#include "doc/chart.h"
#include "doc/page.h"

typedef struct {
    const char *name;
    const char *help;  /* shown when hovering over the name; may be NULL */
    const char *group; /* a common heading for neighbours with equal groups; may be NULL */
    bool        text;  /* left-aligned, sorted as words */
    bool        first; /* a line to its left */
    unsigned    only;  /* forms that show it; 0: all */
    const char *key;   /* in JSON; NULL: omitted */
} bs_column;

enum { BS_COLUMN_TEXT = 1, BS_COLUMN_PAGE = 2, BS_COLUMN_JSON = 4 };

enum {
    BS_TABLE_SORTED = 1, /* clicking a heading sorts */
    BS_TABLE_LONG = 2,   /* many rows: scrolls by itself, with a filter field above it */
};

typedef struct {
    bs_buf *text, *page, *json; /* NULL: not wanted */
    bool    markdown;           /* tables of the text are those of Markdown */
    int     brief;              /* rows of a table of the text, at most; 0: all */
    bs_buf *hidden;             /* the text, while what is written is only shown on request */
    /* the open table */
    const bs_column *column;
    int              columns, rows;
    const char      *key;   /* key in JSON; NULL: not in JSON */
    bs_buf           cells; /* of the text, NUL-terminated, one after the other */
} bs_doc;

/* ---- words ---- */

/* In a text it starts with a blank line. */
void bs_doc_heading(bs_doc *d, int level, const char *text);
/* A paragraph of the page, of the given kind, or lines of the text, indented; "verdict": a single
 * line. */
void bs_doc_say(bs_doc *d, const char *kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, of any length. */
void bs_doc_tell(bs_doc *d, const char *kind, const bs_buf *text);

/* Names and values. */
void bs_doc_list_begin(bs_doc *d);
void bs_doc_item(bs_doc *d, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void bs_doc_list_end(bs_doc *d);

/* A box that readers of the page open, unless `open`; then it is left out of the text, too. */
void bs_doc_details_begin(bs_doc *d, const char *summary, bool open);
void bs_doc_details_end(bs_doc *d);

/* ---- tables ---- */

typedef enum {
    BS_CELL_TEXT,
    BS_CELL_NAME, /* the subject of the row */
    BS_CELL_WRAP, /* long */
    BS_CELL_CHIP,
    BS_CELL_HTML,  /* only on the page, escaped by the caller */
    BS_CELL_CROSS, /* a text in place of all further cells; only `as` in a text */
    BS_CELL_COUNT,
    BS_CELL_NUMBER,
    BS_CELL_PERCENT, /* of a share, which it is in JSON */
} bs_cell_kind;

typedef struct {
    bs_cell_kind kind;
    const char  *text;                  /* of a number: shown instead of it */
    const char  *after;                 /* behind it in small print */
    const char  *help;                  /* shown on hover */
    double       value, spread, lo, hi; /* +- spread, [lo, hi], unless these are NaN */
    int          digits;
    bool         sign; /* + before what is not negative */
    const char  *as;   /* "better", "best", "right": a class of the page */
} bs_cell;

/* NULL is shown as "?". */
static inline bs_cell bs_cell_of(bs_cell_kind kind, const char *text)
{
    return (bs_cell){.kind = kind, .text = text ? text : "?", .as = ""};
}

static inline bs_cell bs_cell_text(const char *text)
{
    return (bs_cell){.kind = BS_CELL_TEXT, .text = text, .as = ""};
}

static inline bs_cell bs_cell_name(const char *text)
{
    return bs_cell_of(BS_CELL_NAME, text);
}

static inline bs_cell bs_cell_count(long long n)
{
    return (bs_cell){.kind = BS_CELL_COUNT, .value = (double)n, .as = ""};
}

/* A dash for NaN. */
static inline bs_cell bs_cell_number(double v, int digits)
{
    const double none = __builtin_nan("");
    return (bs_cell){.kind = BS_CELL_NUMBER,
                     .value = v,
                     .spread = none,
                     .lo = none,
                     .hi = none,
                     .digits = digits,
                     .as = ""};
}

static inline bs_cell bs_cell_percent(double share)
{
    bs_cell c = bs_cell_number(share, 2);
    c.kind = BS_CELL_PERCENT;
    return c;
}

static inline bs_cell bs_cell_as(const char *as, double v, int digits)
{
    bs_cell c = bs_cell_number(v, digits);
    c.as = as;
    return c;
}

static inline bs_cell bs_cell_spread(double v, double spread, int digits)
{
    bs_cell c = bs_cell_number(v, digits);
    c.spread = spread;
    return c;
}

/* key: of the list of objects in JSON, whose members are named by the columns' keys; or NULL. */
void bs_doc_table(bs_doc *d, const char *key, const bs_column *column, int n, unsigned flags);
void bs_doc_row(bs_doc *d, const bs_cell *cell, int n);
void bs_doc_table_end(bs_doc *d);

#define BS_TABLE(d, key, column, flags) \
    bs_doc_table(d, key, column, (int)(sizeof(column) / sizeof(bs_column)), flags)
#define BS_ROW(d, ...)                            \
    bs_doc_row(d, (const bs_cell[]){__VA_ARGS__}, \
               (int)(sizeof((const bs_cell[]){__VA_ARGS__}) / sizeof(bs_cell)))

#endif
