/* csv_header.c -- whether the first line of a CSV file holds names.
 *
 * Numbers are not names, with two exceptions: in quotes above an unquoted cell, as we write labels
 * that are numbers; and above columns of 0 and 1, where no other line has such numbers. */
#include <stdlib.h>

#include "data/rows/csv.h"
#include "data/scan.h"

enum { LOOK_AT = 1000 }; /* records below the first one */

/* What the first line looks like. */
typedef struct {
    double v;
    bool   number;  /* not a name ... */
    bool   missing; /* ... nor is "na" or the like ... */
    bool   quoted;  /* ... but quoted above an unquoted cell both are */
} first_cell;

/* The cells of the first record; whether quotes matter depends on the record below. */
static basin_status read_first(csv_table *t, csv_cursor *c, first_cell *cell)
{
    for (int32_t i = 0; i < t->n; i++) {
        csv_cell    raw;
        size_t      len;
        csv_step    step = bs_csv_next(c, &raw);
        const char *text = bs_csv_text(&raw, &t->scratch, &len);
        if (!text)
            return bs_fail_nomem(t->r->err);
        cell[i].number = bs_csv_number(text, len, &cell[i].v);
        cell[i].missing = len && bs_is_missing(text, len);
        cell[i].quoted = raw.quoted;
        if (step != CSV_CELL)
            break;
    }
    return BASIN_OK;
}

/* Looks at a record below: a quoted number above a quoted cell is data, and a bare one is a name
 * only above 0 and 1. False if the record cannot be read, which is reported elsewhere. */
static bool look_below(csv_table *t, csv_cursor *c, bool second, first_cell *cell, bool *names)
{
    csv_step step = CSV_CELL;
    for (int32_t i = 0; i < t->n && step == CSV_CELL; i++) {
        csv_cell raw;
        size_t   len;
        double   v;
        step = bs_csv_next(c, &raw);
        const char *text = step > CSV_END ? NULL : bs_csv_text(&raw, &t->scratch, &len);
        if (!text)
            return false;
        if (second && cell[i].quoted && !raw.quoted)
            cell[i].number = cell[i].missing = false;
        bool truth = bs_csv_number(text, len, &v) ? v == 0 || v == 1 : bs_is_missing(text, len);
        if (cell[i].number && !truth)
            *names = false;
    }
    return step == CSV_LAST;
}

static int by_value(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* All different, all whole, and at least two neither 0 nor 1: hardly a row of data. */
static basin_status like_names(const csv_table *t, const first_cell *cell, bool *out)
{
    size_t  n = 0, others = 0;
    double *v = bs_alloc((size_t)t->n * sizeof *v);
    if (!v)
        return bs_fail_nomem(t->r->err);
    *out = true;
    for (int32_t i = 0; i < t->n; i++) {
        if (!cell[i].number)
            continue;
        if (cell[i].v < 0 || cell[i].v > 1e9 || cell[i].v != (double)(long long)cell[i].v)
            *out = false;
        others += cell[i].v > 1;
        v[n++] = cell[i].v;
    }
    qsort(v, n, sizeof *v, by_value);
    for (size_t i = 1; i < n; i++)
        *out = *out && v[i] != v[i - 1];
    *out = *out && others >= 2;
    bs_free(v);
    return BASIN_OK;
}

bool bs_csv_headless(const bs_schema *like)
{
    return like && like->feature && like->n_features &&
           bs_csv_column_number(like->feature[0].attribute);
}

basin_status bs_csv_header(csv_table *t, csv_cursor c, bool *out)
{
    first_cell  *cell = bs_calloc((size_t)t->n, sizeof *cell);
    basin_status s = cell ? read_first(t, &c, cell) : bs_fail_nomem(t->r->err);
    bool         names = true, numbers = false;
    int32_t      below = 0;
    int64_t      blank = 0;
    while (!s && below < LOOK_AT && bs_csv_record(&c, &blank) &&
           look_below(t, &c, below == 0, cell, &names))
        below++;
    for (int32_t i = 0; !s && i < t->n; i++) {
        numbers = numbers || cell[i].number || cell[i].missing;
        names = names && !cell[i].missing;
    }
    *out = !numbers;
    if (!s && numbers && below >= 2 && names && !bs_csv_headless(t->r->o->like))
        s = like_names(t, cell, out);
    bs_free(cell);
    return s;
}
