/* csv.h -- shared by the parts of the CSV reader: cells, columns. */
#ifndef BS_CSV_H
#define BS_CSV_H

#include "data/rows/documents.h"

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

/* The next cell; CSV_LAST ends its record; CSV_END: there is none. With `blank`, skips and counts
 * empty lines. */
csv_step bs_csv_next(csv_cursor *c, csv_cell *cell);
/* Skips blank lines at the start of a record; false at the end. */
bool bs_csv_record(csv_cursor *c, int64_t *blank);

/* The delimiter whose count is the same in most of the first lines, or 0. *steady is set if it is
 * the same in all. */
char bs_csv_delimiter(const char *text, size_t n, bool *steady);

/* The delimiter given by data.delimiter, or else found. */
char bs_csv_choose(const char *text, size_t n, const char *option);

/* Whether a quote is open at the end of a line; `open`: one was at its start. */
bool bs_csv_open(const char *line, size_t n, char delimiter, bool open);

/* Whether the model was trained on rows without column names, and so gets such rows. */
bool bs_csv_headless(const bs_schema *like);

/* A cursor at the first cell of a file; delimiter 0: none was found. option: data.delimiter. */
csv_cursor bs_csv_begin(const bs_buf *whole, const char *option);

/* The content without doubled quotes and surrounding blanks; in scratch if it differs. NULL: no
 * memory. */
const char *bs_csv_text(const csv_cell *cell, bs_buf *scratch, size_t *len);

typedef enum {
    CSV_SKIP,
    CSV_NUMBER,
    CSV_TRUTH,
    CSV_CATEGORY,
    CSV_LABEL,
    CSV_LIST,
    CSV_TEXT,
    CSV_ID
} csv_role;

typedef struct {
    const char *name;
    bool        number;       /* every cell that is not missing is a number */
    bool        truth;        /* ... yes or no, true or false, 0 or 1 */
    bool        cross;        /* ... or an x: blank means no */
    int32_t     filled;       /* cells that are not missing */
    int32_t     nearly;       /* those that are numbers, also with a decimal comma ... */
    int32_t     commas;       /* ... those with a comma ... */
    int32_t     sure;         /* ... that does not separate groups of three digits */
    char        decimal;      /* in its numbers: '.' or ',', or 0 if no cell has either */
    long        odd;          /* line of the first cell that is not a number, or 0 ... */
    char        odd_text[48]; /* ... and the start of its text */
    bs_names    values;       /* the different texts of non-numeric columns */
    const char *yes;          /* a text that reads as 1 */
    csv_role    role;
    int32_t     column; /* feature, label or place of a text */
} csv_column;

/* What the blocks of a file share. */
typedef struct {
    bool    blocks;    /* a model knows the columns: the rows need not all be seen */
    bool    header;    /* the first line holds names */
    char    delimiter; /* of blocks */
    int32_t id;        /* the column that names the rows, unless its name says so; -1: none */
} csv_file;

typedef struct {
    bs_reading *r;
    csv_file   *file;
    bool        told;  /* the columns of this block are those of an earlier one, or of the model */
    long        first; /* line of the first row below a header; 0: it follows */
    bs_buf      text, scratch;
    csv_cursor  start; /* at the first row, once names are taken */
    csv_column *column;
    int32_t     n;
    int32_t     loose; /* columns at the end without a name: did the header end in a comma? */
    int32_t     extra; /* cells after the last column, empty or absent in every row */
    int32_t     rows;
    int64_t     blank, skipped; /* blank lines among the rows, and before them in a block */
    bool        header;         /* the first line holds names */
    int32_t     names;          /* the column that seems to hold row names, or -1 */
    bs_text_columns texts;
    const char     *separator; /* between the labels of a list */
    bool            latin1;
    int32_t         hint; /* for bs_schema_attribute() */
} csv_table;

/* Column names, then the kind of values in each column. */
basin_status bs_csv_columns(csv_table *t);

/* Whether the first record holds names; c is at its start. csv_header.c */
basin_status bs_csv_header(csv_table *t, csv_cursor c, bool *out);

/* "text follows ...": what is wrong with a cell. */
basin_status bs_csv_fail(csv_table *t, csv_step step, const csv_cell *cell);
/* The number in a generated name: 7 for "c7"; else 0. */
int32_t bs_csv_column_number(const char *name);
bool    bs_csv_number(const char *text, size_t len, double *v);
/* A number in a column, with that column's decimal comma or point. */
bool bs_csv_value(const csv_column *c, const char *text, size_t len, double *v);
/* In rows without column names and without labels: the training columns minus its labels. */
basin_status bs_csv_name_unlabelled(csv_table *t);
/* The kind of the column in training, or -1. */
int bs_csv_trained(csv_table *t, const csv_column *c);
/* "labels", "tags", "topics", ...: a usual name of a column that lists labels. */
bool bs_csv_named_labels(const char *name);
/* Which columns are labels, and the roles of the others. */
basin_status bs_csv_roles(csv_table *t);

#endif
