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

/* Looks at the cells of a record, the first one or one below: there a quoted number above a quoted
 * cell is data, and a bare one is a name only above 0 and 1. False if the record cannot be read,
 * which is reported elsewhere. */
static bool look_at(csv_table *t, csv_cursor *c, int32_t record, first_cell *cell, bool *names)
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
        const bool number = bs_csv_number(text, len, &v), missing = bs_is_missing(text, len);
        if (record == 0)
            cell[i] = (first_cell){.v = v, number, len && missing, raw.quoted};
        if (record == 1 && cell[i].quoted && !raw.quoted)
            cell[i].number = cell[i].missing = false;
        if (record > 0 && cell[i].number && (number ? v != 0 && v != 1 : !missing))
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
    if (like && like->n_texts)
        return bs_csv_column_number(like->text[0]);
    return like && like->feature && like->n_features &&
           bs_csv_column_number(like->feature[0].attribute);
}

basin_status bs_csv_header(csv_table *t, csv_cursor c, bool *out)
{
    first_cell  *cell = bs_calloc((size_t)t->n, sizeof *cell);
    basin_status s = BASIN_OK;
    bool         names = true, numbers = false;
    int32_t      records = 0;
    int64_t      blank = 0;
    while (cell && records <= LOOK_AT && bs_csv_record(&c, &blank) &&
           look_at(t, &c, records, cell, &names))
        records++;
    if (!cell || t->scratch.failed)
        s = bs_fail_nomem(t->r->err);
    for (int32_t i = 0; !s && i < t->n; i++) {
        numbers = numbers || cell[i].number || cell[i].missing;
        names = names && !cell[i].missing;
    }
    *out = !numbers;
    if (!s && numbers && records > 2 && names && !bs_csv_headless(t->r->o->like))
        s = like_names(t, cell, out);
    bs_free(cell);
    return s;
}
