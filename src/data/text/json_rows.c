/* json_rows.c -- steps through rows of JSON, one per line or in a list, and tells their kind. */
#include "data/text/json_rows.h"

#include <string.h>
#include "base/json.h"

enum { MOST_VALUES = 1 << 24 }; /* in one row */

/* --- one after the other ------------------------------------------------- */

static void skip(bs_json_rows *rows, bool commas)
{
    for (; rows->p < rows->end && strchr(" \t\r\n,", *rows->p); rows->p++) {
        if (*rows->p == ',' && !commas)
            return;
        rows->line += *rows->p == '\n';
    }
}

void bs_json_rows_begin(bs_json_rows *rows, const char *text, size_t len)
{
    *rows = (bs_json_rows){.text = text, .p = text, .end = text + len, .line = 1};
    skip(rows, false);
    if (rows->p == rows->end || *rows->p != '[')
        return;
    /* a list of rows, not a row ["text", {...}] */
    const bs_json_rows here = *rows;
    rows->p++;
    skip(rows, false);
    rows->list = rows->p < rows->end && (*rows->p == '{' || *rows->p == '[');
    if (!rows->list)
        *rows = here;
}

/* Nothing may follow the end of the list. */
static bool at_end(bs_json_rows *rows)
{
    if (rows->list && rows->p < rows->end && *rows->p == ']') {
        rows->p++;
        skip(rows, false);
        rows->list = false;
    }
    return rows->p == rows->end;
}

json_t *bs_json_rows_next(bs_json_rows *rows, long *line, bool *ok)
{
    *ok = true;
    skip(rows, rows->list);
    if (at_end(rows))
        return NULL;
    *line = rows->line;
    const size_t left = (size_t)(rows->end - rows->p);
    json_t      *row = NULL;
    if (bs_tree_larger(rows->p, left, MOST_VALUES)) {
        rows->problem = (json_error_t){.line = 1};
        bs_print(rows->problem.text, sizeof rows->problem.text, "a row of more than %d values",
                 (int)MOST_VALUES);
    } else {
        row = bs_tree_read(rows->p, left, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK,
                           &rows->problem);
    }
    *ok = row != NULL;
    if (!row) {
        rows->problem.line += (int)(rows->line - 1);
        return NULL;
    }
    const char *next = rows->p + rows->problem.position;
    for (; rows->p < next && rows->p < rows->end; rows->p++)
        rows->line += *rows->p == '\n';
    return row;
}

basin_status bs_json_rows_read(bs_corpus_reading *r,
                               basin_status (*take)(void *to, json_t *row, long line), void *to)
{
    bs_json_rows rows;
    basin_status s = BASIN_OK;
    long         line = 0;
    bool         ok = true;
    bs_json_rows_begin(&rows, r->c->text, r->c->text_len);
    for (json_t *row; !s && (row = bs_json_rows_next(&rows, &line, &ok));) {
        s = take(to, row, line);
        json_decref(row);
    }
    if (!s && !ok)
        s = bs_corpus_fail(r, rows.problem.line,
                           rows.problem.column > 0 ? (size_t)rows.problem.column : 0, "%s",
                           rows.problem.text);
    return s;
}

/* --- what a row is ------------------------------------------------------- */

const char *bs_json_words_key(const json_t *row)
{
    static const char *const known[] = {"tokens", "words"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const json_t *list = json_object_get(row, known[i]);
        if (json_is_array(list) &&
            (json_array_size(list) == 0 || json_is_string(json_array_get(list, 0))))
            return known[i];
    }
    return NULL;
}

const char *bs_json_tags_key(const json_t *row)
{
    static const char *const known[] = {"tags",     "ner_tags", "labels",     "ner",
                                        "bio_tags", "iob_tags", "chunk_tags", "pos_tags"};
    const char              *words = bs_json_words_key(row);
    const size_t             n = words ? json_array_size(json_object_get(row, words)) : 0;
    for (size_t i = 0; words && i < sizeof known / sizeof *known; i++) {
        const json_t *list = json_object_get(row, known[i]);
        const json_t *one = json_array_get(list, 0);
        if (json_is_array(list) && json_array_size(list) == n &&
            (!one || json_is_string(one) || json_is_integer(one) || json_is_null(one)))
            return known[i];
    }
    return NULL;
}

/* ["text", {"entities": [...]}], spaCy's old format. */
static const json_t *second(const json_t *row)
{
    return json_array_size(row) == 2 && json_is_object(json_array_get(row, 1))
               ? json_array_get(row, 1)
               : NULL;
}

const json_t *bs_json_row_text(const json_t *row)
{
    const json_t *text = json_is_array(row) ? second(row) ? json_array_get(row, 0) : NULL
                                            : json_object_get(row, "text");
    if (!text && json_is_object(row))
        text = json_object_get(row, "data"); /* doccano's former name for text */
    return json_is_string(text) ? text : NULL;
}

/* {"start": 0, ...} or [0, 5, "PER"] */
static bool is_span(const json_t *v)
{
    return json_is_integer(json_object_get(v, "start")) ||
           json_is_integer(json_object_get(v, "start_offset")) ||
           (json_array_size(v) >= 3 && json_is_integer(json_array_get(v, 0)) &&
            json_is_integer(json_array_get(v, 1)) && json_is_string(json_array_get(v, 2)));
}

const json_t *bs_json_spans(const json_t *row)
{
    static const char *const known[] = {"spans", "entities", "label", "labels", "annotations"};
    const json_t            *empty = NULL;
    row = json_is_array(row) ? second(row) : row;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const json_t *list = json_object_get(row, known[i]);
        if (json_is_array(list) && json_array_size(list) > 0 && is_span(json_array_get(list, 0)))
            return list;
        if (json_is_array(list) && json_array_size(list) == 0 && !empty)
            empty = list;
    }
    return empty;
}

bs_row_kind bs_json_row_kind(const json_t *row, bool *tagged)
{
    const bool words = bs_json_words_key(row) != NULL, text = bs_json_row_text(row) != NULL;
    *tagged = words && bs_json_tags_key(row);
    if (words && (*tagged || !text))
        return BS_ROW_TOKENS;
    if (!text)
        return BS_ROW_OTHER;
    const json_t *spans = bs_json_spans(row);
    *tagged = json_array_size(spans) > 0;
    return BS_ROW_TEXT;
}

int bs_json_sniff(const char *head, size_t n, bs_row_kind kind)
{
    enum { ROWS = 40, SURE = 95, PERHAPS = 60 };
    bs_json_rows rows;
    long         line;
    bool         ok, tagged = false, fits = false;
    bs_json_rows_begin(&rows, head, n);
    if (rows.p == rows.end || (*rows.p != '{' && *rows.p != '['))
        return 0;
    for (int i = 0; i < ROWS && !tagged; i++) {
        json_t *row = bs_json_rows_next(&rows, &line, &ok);
        if (!row)
            break;
        const bool same = bs_json_row_kind(row, &tagged) == kind;
        json_decref(row);
        if (!same)
            return 0;
        fits = true;
    }
    return !fits ? 0 : tagged ? SURE : PERHAPS;
}

/* --- what is left -------------------------------------------------------- */

/* Either used here or written by predictions. */
static bool is_among(const char *key, const char *const *list, int n)
{
    static const char *const own[] = {"tags", "spans", "scores", "nbest", "energy"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(key, own[i]) == 0)
            return true;
    for (int i = 0; i < n; i++)
        if (strcmp(key, list[i]) == 0)
            return true;
    return false;
}

void bs_json_rest(json_t *row, const char *const *used, int n, bs_buf *out)
{
    const char *key;
    json_t     *v;
    bs_buf_clear(out);
    bs_buf_add(out, "", 0);
    json_object_foreach(row, key, v)
    {
        if (is_among(key, used, n))
            continue;
        bs_json_key(out, key);
        if (!bs_tree_write(v, out))
            out->failed = true;
    }
}
