/* csv_columns.c -- names of the columns, and what kind of values each has.
 *
 * Two passes over the text in memory: one for "all numbers?", one that collects the different texts
 * of the columns that are not. */
#include <string.h>

#include "data/rows/cell.h"
#include "data/rows/csv.h"
#include "data/scan.h"

enum { MOST_COLUMNS = 4 << 20, MOST_VALUES = 100000 };

bool bs_csv_number(const char *text, size_t len, double *v)
{
    const char *end = bs_scan_double(text, v);
    return end && end == text + len;
}

basin_status bs_csv_fail(csv_table *t, csv_step step, const csv_cell *cell)
{
    if (step == CSV_UNCLOSED)
        return bs_error_at(t->r, cell->line, 0, "a quote that opens here is never closed");
    return bs_error_at(t->r, cell->line, 0,
                       "text follows the closing quote of a cell; a quote "
                       "inside is written twice");
}

/* --- names --------------------------------------------------------------- */

static basin_status add_column(csv_table *t, size_t *cap)
{
    if (t->n >= MOST_COLUMNS)
        return bs_error_at(t->r, t->start.line, 0, "more than %d columns", (int)MOST_COLUMNS);
    if (!BS_GROW(t->column, *cap, (size_t)t->n + 1, MOST_COLUMNS))
        return bs_fail_nomem(t->r->err);
    t->column[t->n] = (csv_column){.number = true, .truth = true, .cross = true};
    bs_names_init(&t->column[t->n].values, &t->r->b->ds->arena);
    t->n++;
    return BASIN_OK;
}

/* Counts the columns of the first record. */
static basin_status count_columns(csv_table *t, csv_cursor c)
{
    size_t   cap = 0;
    csv_cell cell;
    csv_step step;
    do {
        basin_status s = add_column(t, &cap);
        step = bs_csv_next(&c, &cell);
        if (!s && step > CSV_END)
            s = bs_csv_fail(t, step, &cell);
        if (s)
            return s;
    } while (step == CSV_CELL);
    return BASIN_OK;
}

static basin_status take_names(csv_table *t, bool header)
{
    bs_arena *arena = &t->r->b->ds->arena;
    bs_names  seen;
    bool      fresh, latin1;
    bs_names_init(&seen, arena);
    basin_status s = BASIN_OK;
    for (int32_t i = 0; !s && i < t->n; i++) {
        csv_cell    cell = {.line = 0};
        size_t      len = 0;
        const char *text = "";
        char        number[24];
        if (header) {
            bs_csv_next(&t->start, &cell);
            text = bs_csv_text(&cell, &t->scratch, &len);
            if (!text) {
                s = bs_fail_nomem(t->r->err);
                break;
            }
        }
        t->loose = header && !len ? t->loose + 1 : 0;
        if (!len && header && i < 2) /* the index column written by pandas */
            t->r->b->ds->source.unnamed = i == 0;
        if (!len) {
            const bool alone = t->r->o->only_labels && !header;
            len = (size_t)bs_print(number, sizeof number, alone ? "y%d" : "c%d",
                                   alone ? (int)i : (int)i + 1);
            text = number;
        }
        const char *name = memchr(text, '\0', len) ? NULL : bs_to_utf8(arena, text, len, &latin1);
        if (!name && memchr(text, '\0', len))
            s = bs_error_at(t->r, t->start.line, 0, "a NUL byte in the name of column %d", i + 1);
        else if (!name || bs_names_add(&seen, name, strlen(name), &fresh) < 0)
            s = bs_fail_nomem(t->r->err);
        else if (!fresh)
            s = bs_error_at(t->r, 1, 0, "two columns are named '%s'", name);
        t->latin1 = t->latin1 || (name && latin1);
        t->column[i].name = name;
    }
    bs_names_free(&seen);
    return s;
}

/* --- kinds --------------------------------------------------------------- */

bool bs_csv_value(const csv_column *c, const char *text, size_t len, double *v)
{
    return c->decimal ? bs_cell_number(text, len, c->decimal, v) : bs_csv_number(text, len, v);
}

static void look_at_cell(csv_table *t, csv_column *c, const char *text, size_t len, long line)
{
    const char decimal = strcmp(t->r->o->decimal, "point") == 0 ? '.' : ',';
    double     v;
    if (bs_is_missing(text, len))
        return;
    c->filled++;
    bool number = bs_csv_number(text, len, &v);
    bool comma = !number && memchr(text, ',', len) && bs_cell_number(text, len, decimal, &v);
    c->nearly += number || comma;
    c->commas += comma;
    c->sure += comma && !bs_cell_ambiguous(text, len);
    if (!number && c->number) {
        c->number = false;
        c->odd = line;
        bs_print(c->odd_text, sizeof c->odd_text, "%.*s", bs_show(text, len), text);
    }
    if (!c->truth && !c->cross)
        return;
    int truth = bs_cell_truth(t->r->o, text, len);
    if (truth < 0)
        c->truth = false;
    if (truth < 0 && !bs_same_word(text, len, "x"))
        c->cross = false;
}

static basin_status collect_value(csv_table *t, csv_column *c, const char *text, size_t len)
{
    bool fresh, latin1;
    if (c->number || c->role == CSV_SKIP || bs_is_missing(text, len))
        return BASIN_OK;
    if (memchr(text, '\0', len))
        return bs_error_at(t->r, t->start.line, 0, "a NUL byte in column '%s'", c->name);
    if (bs_names_find(&c->values, text, len) >= 0)
        return BASIN_OK;
    if (c->values.n >= MOST_VALUES && c->values.n < t->rows) {
        c->role = CSV_SKIP; /* texts: nothing to learn from, not worth the memory */
        return BASIN_OK;
    }
    const char *clean = bs_to_utf8(&t->r->b->ds->arena, text, len, &latin1);
    if (!clean || bs_names_add(&c->values, clean, strlen(clean), &fresh) < 0)
        return bs_fail_nomem(t->r->err);
    t->latin1 = t->latin1 || latin1;
    return BASIN_OK;
}

/* Visits all cells; `collect` tells the two passes apart. */
static basin_status pass(csv_table *t, bool collect)
{
    csv_cursor c = t->start;
    int64_t    blank = 0;
    int32_t    rows = 0;
    while (bs_csv_record(&c, &blank)) {
        long     line = c.line;
        csv_step step = CSV_CELL;
        for (int32_t i = 0; step == CSV_CELL; i++) {
            csv_cell cell;
            size_t   len;
            step = bs_csv_next(&c, &cell);
            if (step > CSV_END)
                return bs_csv_fail(t, step, &cell);
            if (i >= t->n + t->extra)
                return bs_error_at(t->r, line, 0, "more cells than the %d of the first line", t->n);
            if (step == CSV_LAST && i + 1 < t->n - (collect ? 0 : t->loose))
                return bs_error_at(t->r, line, 0, "%d cells, the first line has %d", i + 1, t->n);
            const char *text = bs_csv_text(&cell, &t->scratch, &len);
            if (!text)
                return bs_fail_nomem(t->r->err);
            if (!collect) {
                look_at_cell(t, &t->column[i], text, len, cell.line);
                continue;
            }
            basin_status s = collect_value(t, &t->column[i], text, len);
            if (s)
                return s;
        }
        if (rows++ >= t->r->o->max_rows)
            return bs_error_at(t->r, line, 0, "more than %d rows; data.max_rows allows more",
                               t->r->o->max_rows);
    }
    t->rows = rows;
    t->blank = blank;
    return BASIN_OK;
}

/* Columns whose numbers have commas. If all could also be groups of three digits, another column
 * may decide; otherwise we must not choose. */
static basin_status find_decimals(csv_table *t)
{
    const bool  given = strcmp(t->r->o->decimal, "auto") != 0;
    const char  decimal = strcmp(t->r->o->decimal, "point") == 0 ? '.' : ',';
    const char *first = NULL;
    int32_t     n = 0;
    bool        sure = given;
    for (int32_t i = 0; i < t->n; i++)
        sure = sure || (t->column[i].sure && t->column[i].nearly == t->column[i].filled);
    for (int32_t i = 0; i < t->n; i++) {
        csv_column *c = &t->column[i];
        const bool  list = strcmp(c->name, t->r->o->labels) == 0 || bs_csv_named_labels(c->name);
        if (!c->commas || c->nearly < c->filled || list || bs_text_place(&t->texts, c->name) >= 0)
            continue;
        if (!sure)
            return bs_error_at(t->r, c->odd, 0,
                               "'%s' in column '%s' is a number with a decimal comma, or with a "
                               "comma between thousands: data.decimal=comma or data.decimal=point "
                               "says which",
                               c->odd_text, c->name);
        c->decimal = decimal;
        c->odd = 0;
        c->number = true;
        first = first ? first : c->name;
        n++;
    }
    if (n && decimal == ',')
        bs_notes_add(t->r->notes, "decimal",
                     "numbers have decimal commas in %d %s, '%s'%s: 1,5 is read as 1.5 "
                     "(data.decimal)",
                     (int)n, n > 1 ? "columns" : "column", first, n > 1 ? " for one" : "");
    return BASIN_OK;
}

/* A comma at the end of the header makes an empty column: rows may have it or not. */
static void drop_loose(csv_table *t)
{
    while (t->loose > 0 && t->n > 1 && t->column[t->n - 1].filled == 0) {
        t->loose--;
        t->extra++;
        t->n--;
    }
    if (t->extra)
        bs_notes_add(t->r->notes, "header",
                     "the header ends in %d empty name%s above empty cells: no column%s", t->extra,
                     t->extra > 1 ? "s" : "", t->extra > 1 ? "s" : "");
}

basin_status bs_csv_columns(csv_table *t)
{
    int64_t     blank = 0;
    const char *option = t->r->o->header;
    if (!bs_csv_record(&t->start, &blank))
        return bs_error_at(t->r, 0, 0, "the file is empty");
    basin_status s = count_columns(t, t->start);
    const bool   guess = strcmp(option, "auto") == 0 && !t->told;
    t->header = t->told ? t->file->header : strcmp(option, "yes") == 0;
    if (!s && guess)
        s = bs_csv_header(t, t->start, &t->header);
    if (!s)
        s = take_names(t, t->header);
    if (!s && t->header && t->first)
        t->start.line = t->first;
    if (!s && guess)
        bs_notes_add(t->r->notes, "header",
                     t->header ? "the first line holds the names of the columns "
                                 "(data.header)"
                               : "the first line has numbers, so columns are named c1, c2, ... "
                                 "(data.header)");
    if (!s)
        s = pass(t, false);
    if (!s)
        drop_loose(t);
    if (!s)
        s = find_decimals(t);
    if (!s)
        s = bs_csv_name_unlabelled(t);
    for (int32_t i = 0; !s && i < t->n; i++) {
        csv_column *c = &t->column[i];
        c->role = CSV_NUMBER;
        /* Numbers that were a category in training are texts. */
        c->number = c->number && bs_csv_trained(t, c) != BS_FEATURE_ONEHOT;
        if (bs_text_place(&t->texts, c->name) >= 0) /* its values need not be known */
            c->role = CSV_SKIP;
    }
    return s ? s : pass(t, true);
}
