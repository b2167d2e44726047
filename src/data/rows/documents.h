/* documents.h -- rows that have a text: which columns hold it, and joining them.
 *
 * The text of a row is that of one column, or of several joined by blanks in the order of
 * --text-column. Without that option it is the column that looks most like running text. */
#ifndef BS_DOCUMENTS_H
#define BS_DOCUMENTS_H

#include "data/rows/cell.h"

enum { BS_MOST_TEXTS = 16 };

typedef struct {
    int         n;
    const char *name[BS_MOST_TEXTS];
    bs_buf      piece[BS_MOST_TEXTS]; /* of the current row */
    unsigned    seen;                 /* bit i: some row has the i-th, even if it is null */
    bool        given;                /* by the option or a model: nothing is guessed */
    bs_arena    arena;                /* of the names */
} bs_text_columns;

/* The columns that --text-column or the model names. Free them in any case. */
basin_status bs_text_columns_begin(bs_text_columns *t, const bs_reading *r);
void         bs_text_columns_free(bs_text_columns *t);

/* The place of a column among them, or -1. */
int          bs_text_place(const bs_text_columns *t, const char *column);
basin_status bs_text_add(bs_text_columns *t, const bs_reading *r, const char *column);
/* Fails if the option names a column that is not among these. */
basin_status bs_text_exist(const bs_text_columns *t, const bs_reading *r, const char *const *names,
                           int32_t n);

/* A piece of the current row's text, and the row's text itself, made of its pieces. */
basin_status bs_text_put(bs_text_columns *t, const bs_reading *r, int place, const char *text,
                         size_t len);
basin_status bs_text_end_row(bs_text_columns *t, const bs_reading *r);
/* Tells the finished data set which columns they are; it has no texts if none was seen. */
basin_status bs_text_finish(const bs_text_columns *t, const bs_reading *r);

/* "text", "body", "abstract", ...: a usual name of a column of texts. */
bool bs_named_like_text(const char *name);
/* How much a column looks like the text of rows; 0: not at all. `filled` cells have one. */
int bs_text_likeness(const char *name, const bs_texts *t, int32_t filled);
/* Notes that this column is the text of rows; or that another one is, which was found. */
void bs_text_note(const bs_reading *r, const char *column, const bs_texts *t, int32_t filled);
void bs_text_note_spare(const bs_reading *r, const char *column, const char *chosen);

#endif
