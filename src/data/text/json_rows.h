/* json_rows.h -- JSON rows, one per line or all in one list, read one by one. */
#ifndef BS_TEXT_JSON_ROWS_H
#define BS_TEXT_JSON_ROWS_H

#include "base/tree.h"

#include "data/text/corpus_part.h"

typedef struct {
    const char  *text, *p, *end;
    long         line;    /* of p */
    bool         list;    /* all rows are in one list */
    json_error_t problem; /* of the last thing that was not a row; its line is that of the file */
} bs_json_rows;

void bs_json_rows_begin(bs_json_rows *rows, const char *text, size_t len);
/* The next row, which the caller releases, and its first line. NULL: there is none, or, with *ok =
 * false, something else is there. */
json_t *bs_json_rows_next(bs_json_rows *rows, long *line, bool *ok);

/* Passes each row of a file to `take`, which returns its status. */
basin_status bs_json_rows_read(bs_corpus_reading *r,
                               basin_status (*take)(void *to, json_t *row, long line), void *to);

/* What a row is. */
typedef enum { BS_ROW_OTHER, BS_ROW_TOKENS, BS_ROW_TEXT } bs_row_kind;

/* *tagged: it also has tags, or spans. */
bs_row_kind bs_json_row_kind(const json_t *row, bool *tagged);
/* How sure the beginning of a file makes us that its rows are of this kind, 0 to 100. */
int bs_json_sniff(const char *head, size_t n, bs_row_kind kind);

/* In rows of words: the key of the list of words, and of the list of tags; NULL: none. */
const char *bs_json_words_key(const json_t *row);
const char *bs_json_tags_key(const json_t *row);
/* A row of a text: "..." and its list of spans; NULL where there is none. */
const json_t *bs_json_row_text(const json_t *row);
const json_t *bs_json_spans(const json_t *row);

/* Members except those in used [n], as JSON without braces, into out. */
void bs_json_rest(json_t *row, const char *const *used, int n, bs_buf *out);

#endif
