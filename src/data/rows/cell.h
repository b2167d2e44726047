/* cell.h -- what a table cell can be: yes or no, a number, a date, a list, prose. */
#ifndef BS_CELL_H
#define BS_CELL_H

#include "data/rows/read.h"

/* bs_truth() plus the words of data.true and data.false. */
int bs_cell_truth(const bs_read_options *o, const char *text, size_t len);

/* "1,5" with decimal ',' or "1.5" with '.'; the other character may separate groups of three
 * digits. The whole text must match. */
bool bs_cell_number(const char *text, size_t len, char decimal, double *out);
/* "1,234": one number with a decimal comma, another with a decimal point. */
bool bs_cell_ambiguous(const char *text, size_t len);

/* 2024-01-31, 31.1.2024, 1/31/24, optionally followed by a time. */
bool bs_cell_date(const char *text, size_t len);

/* A text that a spreadsheet would run as a formula when it opens the table: after blanks it begins
 * with = + - @, a tab or a line end, and it is not a number. */
bool bs_cell_formula(const char *text, size_t len);
/* The prefix that keeps such a text a text: an apostrophe, or nothing. */
const char *bs_cell_guard(bool safe, const char *text, size_t len);

/* The items of a bracketed list, one by one: quoted as in JSON or Python, or bare. */
typedef struct {
    const char *p, *end;
    char        close;
    bool        wrong; /* it is not a list */
} bs_list;

bs_list bs_list_begin(const char *text, size_t len); /* at its bracket */
/* False at the end. None and nan are skipped. */
bool bs_list_next(bs_list *l, bs_buf *item);

/* The different texts of a column; starts as zero. columns.c */
typedef struct {
    int32_t     values;
    int64_t     words;
    bool        others; /* some text is not a date */
    const char *example;
} bs_texts;

void bs_texts_add(bs_texts *t, const char *value);
/* Whether they are dates, written texts or texts that hardly ever repeat, with a note: no
 * categories. `filled` cells have one of them. */
bool bs_texts_left_out(const bs_reading *r, const char *column, const bs_texts *t, int32_t filled);

#endif
