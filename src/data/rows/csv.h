/* csv.h -- what the parts of the CSV reader share: cells, columns. */
#ifndef BS_CSV_H
#define BS_CSV_H

#include "data/rows/read.h"

typedef struct {
    const char *text; /* not NUL-terminated; a delimiter, quote or line end follows */
    size_t      len;
    bool        quoted, doubled; /* "" inside stands for one quote */
    long        line;
} csv_cell;

typedef struct {
    const char *p, *end; /* *end is a NUL */
    char        delimiter;
    long        line; /* of p, from 1 */
} csv_cursor;

typedef enum { CSV_CELL, CSV_LAST, CSV_END, CSV_UNCLOSED, CSV_AFTER_QUOTE } csv_step;

/* The next cell; CSV_LAST ends its record; CSV_END means there is none. Lines with
 * nothing in them are skipped when `blank` counts them. */
csv_step bs_csv_next(csv_cursor *c, csv_cell *cell);
/* Skips blank lines at the start of a record; false at the end. */
bool bs_csv_record(csv_cursor *c, int64_t *blank);

/* The delimiter whose count is the same in most of the first lines, or 0. *steady is
 * set when it was the same in all. */
char bs_csv_delimiter(const char *text, size_t n, bool *steady);

/* The one that data.delimiter names, or that is found; and its name. */
char        bs_csv_choose(const char *text, size_t n, const char *option);
const char *bs_csv_delimiter_name(char delimiter);

/* Whether a quote is open at the end of a line; open: one is at its beginning. */
bool bs_csv_open(const char *line, size_t n, char delimiter, bool open);

/* A model of rows without names is asked about rows without names. */
bool bs_csv_headless(const bs_schema *like);

/* At the first cell of a file; its delimiter is 0 when none was found. option: data.delimiter. */
csv_cursor bs_csv_begin(const bs_buf *whole, const char *option);

/* The content without doubled quotes and surrounding blanks; scratch holds it if need be.
 * NULL when memory ran out. */
const char *bs_csv_text(const csv_cell *cell, bs_buf *scratch, size_t *len);

typedef enum {
    CSV_SKIP,
    CSV_NUMBER,
    CSV_TRUTH,
    CSV_CATEGORY,
    CSV_LABEL,
    CSV_LIST,
    CSV_ID
} csv_role;

typedef struct {
    const char *name;
    bool        number;       /* every cell that is not missing is one */
    bool        truth;        /* ... is yes or no, true or false, 0 or 1 */
    bool        cross;        /* ... or an x: blank means no */
    int32_t     filled;       /* cells that are not missing */
    int32_t     nearly;       /* of them numbers, also with a decimal comma ... */
    int32_t     commas;       /* ... of which have one ... */
    int32_t     sure;         /* ... that does not stand before groups of three digits */
    char        decimal;      /* of its numbers: '.' or ',' or, where no cell has either, 0 */
    bool        date;         /* every cell that is not missing is one */
    bool        dropped;      /* --drop */
    long        odd;          /* line of the first cell that is not a number, or 0 ... */
    char        odd_text[48]; /* ... and its beginning */
    bs_names    values;       /* different texts of columns that are not numbers */
    const char *yes;          /* a text that reads as 1 */
    csv_role    role;
    int32_t     column;       /* feature or label */
    bool        named_labels; /* --labels chose it */
} csv_column;

typedef struct {
    bs_reading *r;
    bs_buf      text, scratch;
    csv_cursor  start; /* at the first record of data */
    csv_column *column;
    int32_t     n;
    int32_t     loose; /* of them at the end, without a name: a comma that ends the header? */
    int32_t     extra; /* behind them: cells that are empty in every row, or not there */
    int32_t     rows;
    int64_t     blank;
    bool        header;    /* the first line holds names */
    int32_t     names;     /* the column that seems to name the rows, or -1 */
    const char *separator; /* within a list of labels */
    bool        latin1;
    int32_t     hint; /* for bs_schema_attribute() */
} csv_table;

/* Names, then what kind of values every column has. */
basin_status bs_csv_columns(csv_table *t);

/* Whether the cells of the first record are names; c is at its beginning. csv_header.c */
basin_status bs_csv_header(csv_table *t, csv_cursor c, bool *out);

/* "text follows ...": what is wrong with a cell. */
basin_status bs_csv_fail(csv_table *t, csv_step step, const csv_cell *cell);
/* The number of a column without a name: "c7" is 7; else 0. */
int32_t bs_csv_column_number(const char *name);
bool    bs_csv_number(const char *text, size_t len, double *v);
/* The same in a column: with its decimal comma or point. */
bool bs_csv_value(const csv_column *c, const char *text, size_t len, double *v);
/* Which columns are labels, and the roles of the others. */
basin_status bs_csv_roles(csv_table *t);

#endif
