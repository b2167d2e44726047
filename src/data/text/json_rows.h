/* json_rows.h -- rows of JSON: one a line, or all of them in one list, as they come. */
#ifndef BS_TEXT_JSON_ROWS_H
#define BS_TEXT_JSON_ROWS_H

#include "base/tree.h"

#include "data/text/corpus_part.h"

typedef struct {
    const char  *text, *p, *end;
    long         line;    /* of p */
    bool         list;    /* all rows are in one list */
    json_error_t problem; /* of the last row that was none; its line is that of the file */
} bs_json_rows;

void bs_json_rows_begin(bs_json_rows *rows, const char *text, size_t len);
/* The next row, which the caller releases, and the line it begins in. NULL: there is none, or, with
 * *ok = false, something else stands there. */
json_t *bs_json_rows_next(bs_json_rows *rows, long *line, bool *ok);

/* The rows of a file, each given to `take`, which says how it went. */
basin_status bs_json_rows_read(bs_corpus_reading *r,
                               basin_status (*take)(void *to, json_t *row, long line), void *to);

/* What a row is. */
typedef enum { BS_ROW_OTHER, BS_ROW_TOKENS, BS_ROW_TEXT } bs_row_kind;

/* *tagged: it also has tags, or spans. */
bs_row_kind bs_json_row_kind(const json_t *row, bool *tagged);
/* How sure the beginning of a file makes us that its rows are of a kind, 0 to 100. */
int bs_json_sniff(const char *head, size_t n, bs_row_kind kind);

/* Members of rows of words: the list of words, and which list holds tags; NULL: none. */
const char *bs_json_words_key(const json_t *row);
const char *bs_json_tags_key(const json_t *row);
/* A row of a text: "..." and its list of spans; NULL where there is none. */
const json_t *bs_json_text(const json_t *row);
const json_t *bs_json_spans(const json_t *row);

/* Members without those of used [n], as JSON without braces, into out. */
void bs_json_rest(json_t *row, const char *const *used, int n, bs_buf *out);
/* "a list", "null" */
const char *bs_json_type(const json_t *v);

#endif
