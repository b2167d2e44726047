/* cell.h -- what a text in a table can be: yes or no, a number, a date, a list, prose. */
#ifndef BS_CELL_H
#define BS_CELL_H

#include "data/rows/read.h"

/* bs_truth() with the words of data.true and data.false. */
int bs_cell_truth(const bs_read_options *o, const char *text, size_t len);

/* "1,5" with decimal ',' or "1.5" with '.'; the other of the two may stand before groups of three
 * digits. The whole text. */
bool bs_cell_number(const char *text, size_t len, char decimal, double *out);
/* "1,234": with a decimal comma it is one number, with a decimal point another. */
bool bs_cell_ambiguous(const char *text, size_t len);

/* 2024-01-31, 31.1.2024, 1/31/24, perhaps with a time behind. */
bool bs_cell_date(const char *text, size_t len);

/* What a spreadsheet would run as a formula when it opens a table with this cell: a text that
 * begins, blanks aside, with = + - @, a tab or a line end, and is no number. */
bool bs_cell_formula(const char *text, size_t len);
/* What stands before such a text so that it stays one: an apostrophe, or nothing. */
const char *bs_cell_guard(bool safe, const char *text, size_t len);

/* Texts that people wrote, or of which hardly one is there twice: no categories. `words` is how
 * many all `values` different ones have, by bs_count_words(); *mean is that of one. */
bool    bs_is_prose(int32_t values, int64_t words, int32_t filled, int *mean);
int64_t bs_count_words(const char *text);

/* The items of a list in brackets, one by one: quoted as in JSON or Python, or bare. */
typedef struct {
    const char *p, *end;
    char        close;
    bool        wrong; /* it is no list */
} bs_list;

bs_list bs_list_begin(const char *text, size_t len); /* at its bracket */
/* False at the end. None and nan are no items. */
bool bs_list_next(bs_list *l, bs_buf *item);

/* Notes on columns that are left out. */
void bs_note_prose(const bs_reading *r, const char *column, int32_t values, int32_t filled,
                   int words);
void bs_note_date(const bs_reading *r, const char *column, const char *example);

#endif
