/* keep.c -- splits the text of rows into columns again, for output before the predictions. */
#include "task/mlc/keep.h"

#include <string.h>

#include "base/tree.h"
#include "data/rows/cell.h"
#include "data/rows/csv.h"
#include "data/scan.h"

void bs_put_cell(const char *text, size_t len, const char *delimiter, bool quoted, bool safe,
                 bs_buf *out)
{
    quoted = quoted || memchr(text, *delimiter, len) || memchr(text, '"', len) ||
             memchr(text, '\n', len) || memchr(text, '\r', len) ||
             (len && (*text == ' ' || text[len - 1] == ' '));
    bs_buf_text(out, quoted ? "\"" : "");
    bs_buf_text(out, bs_cell_guard(safe, text, len));
    for (size_t i = 0; i < len; i++) {
        bs_buf_text(out, text[i] == '"' ? "\"" : "");
        bs_buf_add(out, text + i, 1);
    }
    bs_buf_text(out, quoted ? "\"" : "");
}

/* ---- columns ---- */

static csv_cursor cursor_of(const bs_rows *d, const char *text, size_t n)
{
    return (csv_cursor){.p = text, .end = text + n, .delimiter = d->delimiter, .line = 1};
}

static csv_cursor row_of(const bs_rows *d, int32_t row)
{
    return cursor_of(d, d->row_text[row].bytes, d->row_text[row].n);
}

/* The text of the next cell as UTF-8, valid until the next call. */
static const char *next_cell(bs_input_columns *k, csv_cursor *c, csv_cell *cell, csv_step *step,
                             size_t *len)
{
    bool latin1;
    *step = bs_csv_next(c, cell);
    const char *text = bs_csv_text(cell, &k->scratch, len);
    if (!text || bs_is_utf8(text, *len))
        return text;
    text = bs_to_utf8(&k->arena, text, *len, &latin1);
    *len = text ? strlen(text) : 0;
    return text;
}

/* Names in the header, or c1, c2, ... as elsewhere. */
static basin_status take_names(bs_input_columns *k, const bs_rows *d, basin_error *err)
{
    csv_cursor c = k->head ? cursor_of(d, k->head, strlen(k->head)) : row_of(d, 0);
    csv_step   step = CSV_CELL;
    size_t     cap = 0;
    int64_t    blank = 0;
    bs_csv_record(&c, &blank);
    while (step == CSV_CELL) {
        csv_cell    cell;
        size_t      len;
        char        number[24];
        const char *text = next_cell(k, &c, &cell, &step, &len);
        void       *name = k->name;
        const bool  ok = text && bs_grow(&name, &cap, (size_t)k->n + 1, sizeof *k->name, INT32_MAX);
        k->name = name;
        if (!ok)
            return bs_fail_nomem(err);
        if (!k->head || len == 0) {
            len = (size_t)bs_print(number, sizeof number, "c%d", (int)k->n + 1);
            text = number;
        }
        if (!(k->name[k->n++] = bs_arena_copy(&k->arena, text, len)))
            return bs_fail_nomem(err);
    }
    return BASIN_OK;
}

basin_status bs_input_columns_begin(bs_input_columns *k, const bs_rows *d, int64_t number,
                                    basin_error *err)
{
    const char *head = d->head_text;
    if (d->rows == 0)
        return BASIN_OK;
    const bool table = strcmp(d->format, "csv") == 0;
    if (!table && strcmp(d->format, "jsonl") != 0)
        return bs_fail(err, BASIN_EARG,
                       "--keep-columns: is for CSV, TSV and rows of JSON in UTF-8; row %lld is of "
                       "format %s",
                       (long long)number, d->format);
    if (k->begun &&
        (table != k->table || !head != !k->head || (head && strcmp(head, k->head) != 0)))
        return bs_fail(err, BASIN_EDATA,
                       "--keep-columns: row %lld is of a file whose columns are not those of the "
                       "first file",
                       (long long)number);
    if (k->begun)
        return BASIN_OK;
    bs_arena_init(&k->arena, 0);
    bs_buf_init(&k->scratch, (size_t)1 << 30);
    k->begun = true;
    k->table = table;
    if (head && !(k->head = bs_arena_copy(&k->arena, head, strlen(head))))
        return bs_fail_nomem(err);
    return table ? take_names(k, d, err) : BASIN_OK;
}

void bs_input_columns_free(bs_input_columns *k)
{
    if (!k->begun)
        return;
    bs_arena_free(&k->arena);
    bs_buf_free(&k->scratch);
    bs_free(k->name);
}

basin_status bs_input_columns_refuse(const bs_input_columns *k, const char *name, basin_error *err)
{
    for (int32_t i = 0; i < k->n; i++)
        if (strcmp(k->name[i], name) == 0)
            return bs_fail(err, BASIN_EDATA,
                           "--keep-columns: the input has a column '%.60s' already, as a "
                           "prediction is called; rename it",
                           name);
    return BASIN_OK;
}

/* ---- tables ---- */

void bs_input_columns_head(const bs_input_columns *k, const char *delimiter, bool safe, bs_buf *out)
{
    for (int32_t i = 0; i < k->n; i++) {
        bs_buf_text(out, i ? delimiter : "");
        bs_put_cell(k->name[i], strlen(k->name[i]), delimiter, false, safe, out);
    }
}

/* A member of a JSON object: numbers as JSON writes them; others, such as 007 and +1, are texts. */
static void put_member(const char *text, size_t len, bool quoted, bs_buf *out)
{
    const bool maybe = !quoted && len > 0 && strchr("-0123456789", *text);
    json_t    *number =
        maybe ? bs_tree_read(text, len, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL) : NULL;
    if (len == 0 && !quoted)
        bs_buf_text(out, "null");
    else if (json_is_number(number))
        bs_buf_add(out, text, len);
    else
        bs_json_text_n(out, NULL, text, len);
    json_decref(number);
}

basin_status bs_input_columns_cells(bs_input_columns *k, const bs_rows *d, int32_t row,
                                    const char *delimiter, bool safe, bs_buf *out, basin_error *err)
{
    csv_cursor c = row_of(d, row);
    csv_step   step = CSV_CELL;
    for (int32_t i = 0; i < k->n; i++) {
        csv_cell    cell = {0};
        size_t      len = 0;
        const char *text = step == CSV_CELL ? next_cell(k, &c, &cell, &step, &len) : "";
        if (!text)
            return bs_fail_nomem(err);
        if (delimiter) {
            bs_buf_text(out, i ? delimiter : "");
            bs_put_cell(text, len, delimiter, cell.quoted, safe, out);
        } else {
            bs_json_key(out, k->name[i]);
            put_member(text, len, cell.quoted, out);
        }
    }
    return BASIN_OK;
}

/* ---- JSON ---- */

static basin_status check_taken(const char *text, int64_t number, const char *const *taken,
                                basin_error *err)
{
    json_t      *object = bs_tree_read(text, strlen(text), 0, NULL);
    basin_status s = object ? BASIN_OK : bs_fail_nomem(err); /* it was parsed before */
    for (int i = 0; !s && taken[i]; i++)
        if (json_object_get(object, taken[i]))
            s = bs_fail(err, BASIN_EDATA,
                        "--keep-columns: row %lld has a member '%s' already, as a prediction is "
                        "called; rename it",
                        (long long)number, taken[i]);
    json_decref(object);
    return s;
}

basin_status bs_input_columns_members(bs_input_columns *k, const bs_rows *d, int32_t row,
                                      int64_t number, const char *const *taken, bs_buf *out,
                                      basin_error *err)
{
    const char *text = d->row_text[row].bytes;
    if (k->table)
        return bs_input_columns_cells(k, d, row, NULL, false, out, err);
    basin_status s = check_taken(text, number, taken, err);
    const char  *first = strchr(text, '{'), *last = strrchr(text, '}');
    if (s || !first || !last)
        return s;
    first++;
    while (first < last && strchr(" \t\r", *first))
        first++;
    while (last > first && strchr(" \t\r", last[-1]))
        last--;
    bs_buf_add(out, first, (size_t)(last - first));
    return BASIN_OK;
}
