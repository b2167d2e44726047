/* arff_rows.c -- the rows of an ARFF file, dense and sparse.
 *
 * The inner loops. A number goes straight from the line to the arrays; a nominal value is compared
 * with the declared ones. In a sparse row an absent attribute is 0 or, if nominal, its FIRST
 * declared value: {YES,NO} makes it YES. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "data/rows/arff.h"
#include "data/scan.h"

typedef struct {
    bs_reading     *r;
    arff_header    *h;
    arff_attribute *a;
    bs_line         line;
    int32_t        *implied; /* attributes whose absence is not 0 */
    int32_t         n_implied;
    int32_t        *seen;    /* [n] last row that gave such an attribute */
    bs_buf          scratch; /* unescaped values */
    const char     *ends;    /* characters that end a bare value of a dense row */
    int32_t         id;      /* attribute with the row names, or -1 */
    bool            sparse, weighted, unsorted;
} rows;

static size_t column_of(const rows *x, const char *p)
{
    return (size_t)(p - x->line.text) + 1;
}

#define FAIL_AT(x, p, ...) bs_error_at((x)->r, (x)->line.number, column_of(x, p), __VA_ARGS__)

/* --- values -------------------------------------------------------------- */

static inline basin_status put_number(rows *x, const arff_attribute *a, double v, const char *p)
{
    if (a->role == ARFF_LABEL) {
        if (v != 0 && v != 1)
            return FAIL_AT(x, p, "label '%s' is %g; a label is 0 or 1", a->name, v);
        if (v == 1 && !bs_push_y(x->r->b, a->column))
            return bs_fail_nomem(x->r->err);
        return BASIN_OK;
    }
    if (a->role == ARFF_SKIP)
        return BASIN_OK;
    if (fabs(v) > (double)FLT_MAX)
        return FAIL_AT(x, p, "the value of '%s' is too large (above 3.4e38)", a->name);
    if (v != 0 && !bs_push_number(x->r->b, a->column, v))
        return bs_fail_nomem(x->r->err);
    return BASIN_OK;
}

static basin_status put_missing(rows *x, const arff_attribute *a)
{
    bool ok = true;
    if (a->role == ARFF_LABEL)
        ok = bs_build_unknown(x->r->b, a->column);
    else if (a->role == ARFF_FEATURE && a->coding != ARFF_AS_ONEHOT)
        ok = bs_push_x(x->r->b, a->column, NAN);
    return ok ? BASIN_OK : bs_fail_nomem(x->r->err);
}

static inline basin_status put_value(rows *x, const arff_attribute *a, int32_t value)
{
    bool ok = true;
    if (a->role == ARFF_SKIP)
        return BASIN_OK;
    if (a->coding == ARFF_AS_BINARY) {
        if (value == a->one)
            ok = a->role == ARFF_LABEL ? bs_push_y(x->r->b, a->column)
                                       : bs_push_x(x->r->b, a->column, 1);
    } else if (a->coding == ARFF_AS_ONEHOT) {
        ok = bs_push_x(x->r->b, a->column + value, 1);
    } else if (value) {
        ok = bs_push_x(x->r->b, a->column, (float)value);
    }
    return ok ? BASIN_OK : bs_fail_nomem(x->r->err);
}

static inline int32_t find_value(const arff_attribute *a, const char *text, size_t len)
{
    for (int32_t i = 0; i < a->values.n && i < 4; i++)
        if (a->values.item[i].len == len && memcmp(a->values.item[i].text, text, len) == 0)
            return i;
    return a->values.n <= 4 ? -1 : bs_names_find(&a->values, text, len);
}

/* "12/01@42/01": every class named, and all that they imply. */
static basin_status put_classes(rows *x, const char *text, size_t len)
{
    arff_classes *c = &x->h->classes;
    const char   *end = text + len;
    while (text < end) {
        const char *at = memchr(text, '@', (size_t)(end - text));
        size_t      n = (size_t)((at ? at : end) - text);
        int32_t     k = bs_names_find(&c->names, text, n);
        if (k < 0 && bs_same_word(text, n, "root")) {
            text = at ? at + 1 : end;
            continue;
        }
        if (k < 0)
            return FAIL_AT(x, text, "'%.*s' is not a class of the hierarchy (declared in line %ld)",
                           bs_show(text, n), text, x->h->attribute[x->h->hierarchy].line);
        c->written++;
        for (int32_t e = c->start[k]; e < c->start[k + 1]; e++)
            if (!bs_push_y(x->r->b, c->up[e]))
                return bs_fail_nomem(x->r->err);
        text = at ? at + 1 : end;
    }
    return BASIN_OK;
}

/* Short texts become row names; a long one is a document. */
static basin_status put_id(rows *x, const arff_attribute *a, const char *at, const char *text,
                           size_t len)
{
    if (x->id < 0 || a != &x->a[x->id])
        return BASIN_OK;
    if (x->r->b->n_ids > x->r->b->rows)
        return FAIL_AT(x, at, "attribute '%s' occurs twice in the row", a->name);
    if (len > 200 || len == 0) {
        x->id = -1;
        x->r->b->n_ids = 0;
        return BASIN_OK;
    }
    return bs_build_id(x->r->b, text, len) ? BASIN_OK : bs_fail_nomem(x->r->err);
}

static basin_status refuse_value(rows *x, const arff_attribute *a, const char *p, const char *text,
                                 size_t len)
{
    if (a->type == ARFF_NUMBER)
        return FAIL_AT(
            x, p,
            len ? "'%.*s' is not a finite number; attribute '%s' is numeric (? is missing)"
                : "%.*sempty value of '%s'; write ? for a missing one",
            bs_show(text, len), text, a->name);
    return FAIL_AT(x, p, "'%.*s' is not a value of attribute '%s' {%.30s%s%.30s%s}",
                   bs_show(text, len), text, a->name, a->values.item[0].text,
                   a->values.n > 1 ? "," : "", a->values.n > 1 ? a->values.item[1].text : "",
                   a->values.n > 2 ? ",..." : "");
}

/* Anything but a plain number: quoted, nominal, missing or text. Moves *p past it. */
static basin_status take_word(rows *x, const arff_attribute *a, const char **p, const char *stops)
{
    arff_word   word;
    const char *start = *p;
    *p = bs_arff_word(start, stops, &word);
    if (!*p)
        return FAIL_AT(x, start, "the quote of the value of '%s' is not closed", a->name);
    const char *text = word.text;
    size_t      len = word.len;
    if (len == 1 && *text == '?' && !word.quoted)
        return put_missing(x, a);
    if (word.escaped) {
        bs_buf_clear(&x->scratch);
        bs_buf_add(&x->scratch, text, len);
        if (x->scratch.failed)
            return bs_fail_nomem(x->r->err);
        len = bs_arff_unescape(&word, x->scratch.data);
        text = x->scratch.data;
    }
    if (a->role == ARFF_CLASSES)
        return put_classes(x, word.text, word.len);
    if (a->type == ARFF_STRING || a->type == ARFF_DATE || a->role == ARFF_SKIP)
        return put_id(x, a, start, text, len);
    if (a->type == ARFF_NUMBER) {
        double      v;
        const char *end = bs_scan_double(text, &v);
        if (!end || end != text + len)
            return refuse_value(x, a, start, text, len);
        return put_number(x, a, v, start);
    }
    int32_t value = find_value(a, text, len);
    return value < 0 ? refuse_value(x, a, start, text, len) : put_value(x, a, value);
}

/* --- dense --------------------------------------------------------------- */

static inline bool ends_here(const char *stops, char c)
{
    return c == ',' || c == '\0' || c == '\t' || (c == ' ' && stops[2] == ' ');
}

/* The weight of a row, ",{5}", is ignored. */
static basin_status take_weight(rows *x, const char *p)
{
    double v;
    p = bs_skip_blanks(p);
    if (*p == ',') {
        const char *w = bs_skip_blanks(p + 1);
        const char *end = *w == '{' ? bs_scan_double(bs_skip_blanks(w + 1), &v) : NULL;
        end = end ? bs_skip_blanks(end) : NULL;
        if (end && *end == '}') {
            x->weighted = true;
            p = bs_skip_blanks(end + 1);
        }
    }
    if (!*p && p != x->line.text + x->line.len)
        return FAIL_AT(x, p, "a NUL byte in a text file");
    if (*p && *p != '%')
        return FAIL_AT(x, p,
                       x->sparse ? "unexpected text after the closing }"
                                 : "more values than the %d attributes of the header",
                       x->h->n);
    return BASIN_OK;
}

static basin_status dense_row(rows *x, const char *p)
{
    const int32_t n = x->h->n;
    for (int32_t i = 0; i < n; i++) {
        const arff_attribute *a = &x->a[i];
        basin_status          s;
        double                v;
        p = bs_skip_blanks(p);
        const char *end =
            a->coding == ARFF_AS_NUMBER && a->type == ARFF_NUMBER ? bs_scan_double(p, &v) : NULL;
        if (end && (ends_here(x->ends, *end) || bs_is_blank(*end))) {
            s = put_number(x, a, v, p);
            p = end;
        } else if (!*p) {
            return bs_error_at(x->r, x->line.number, 0,
                               "%d values, the header declares %d attributes", i, n);
        } else {
            s = take_word(x, a, &p, x->ends);
        }
        if (s)
            return s;
        p = bs_skip_blanks(p);
        if (i + 1 == n)
            break;
        if (*p == ',')
            p++;
        else if (!*p)
            return bs_error_at(x->r, x->line.number, 0,
                               "%d values, the header declares %d attributes", i + 1, n);
        else if (!bs_is_blank(p[-1]))
            return FAIL_AT(x, p, "expected a comma after the value of '%s'", a->name);
    }
    return take_weight(x, p);
}

/* --- sparse -------------------------------------------------------------- */

static basin_status sparse_entry(rows *x, const char **at, int64_t *last)
{
    const char *p = *at;
    int64_t     i;
    const char *end = bs_scan_index(p, &i);
    if (!end || !bs_is_blank(*end))
        return FAIL_AT(x, p, "expected an attribute number and a value, as in {3 1, 7 0.5}");
    if (i >= x->h->n)
        return FAIL_AT(x, p, "attribute number %.*s is not in 0..%d",
                       (int)(end - p < 20 ? end - p : 20), p, x->h->n - 1);
    if (i == *last)
        return FAIL_AT(x, p, "attribute number %lld occurs twice", (long long)i);
    x->unsorted = x->unsorted || i < *last;
    *last = i;
    const arff_attribute *a = &x->a[i];
    p = bs_skip_blanks(end);
    if (x->seen)
        x->seen[i] = x->r->b->rows + 1;

    /* By far the most frequent entries: a number, or a 0/1 value of one character. */
    if (a->type == ARFF_NUMBER) {
        double v;
        end = bs_scan_double(p, &v);
        if (end && (*end == ',' || *end == '}' || bs_is_blank(*end))) {
            *at = end;
            return put_number(x, a, v, p);
        }
    } else if (a->type == ARFF_NOMINAL && p[0] && (p[1] == ',' || p[1] == '}')) {
        int32_t value = find_value(a, p, 1);
        if (value >= 0) {
            *at = p + 1;
            return put_value(x, a, value);
        }
    }
    *at = p;
    return take_word(x, a, at, ",}");
}

static basin_status sparse_row(rows *x, const char *p)
{
    const char *open = p++;
    int64_t     last = -1;
    p = bs_skip_blanks(p);
    while (*p != '}') {
        if (!*p)
            return FAIL_AT(x, open, "the row has no closing }");
        basin_status s = sparse_entry(x, &p, &last);
        if (s)
            return s;
        p = bs_skip_blanks(p);
        if (*p == ',')
            p = bs_skip_blanks(p + 1);
        else if (*p != '}')
            return *p ? FAIL_AT(x, p, "expected , or } after a value")
                      : FAIL_AT(x, open, "the row has no closing }");
    }
    for (int32_t k = 0; k < x->n_implied; k++) {
        int32_t i = x->implied[k];
        if (x->seen[i] == x->r->b->rows + 1)
            continue;
        basin_status s = put_value(x, &x->a[i], 0);
        if (s)
            return s;
    }
    return take_weight(x, p + 1);
}

/* --- all rows ------------------------------------------------------------ */

/* Nominal attributes whose first value does not read as 0. */
static basin_status list_implied(rows *x)
{
    size_t n = (size_t)x->h->n;
    x->implied = bs_alloc(n * sizeof *x->implied);
    if (!x->implied)
        return bs_fail_nomem(x->r->err);
    int32_t labels = 0;
    for (int32_t i = 0; i < x->h->n; i++) {
        const arff_attribute *a = &x->a[i];
        if (a->type != ARFF_NOMINAL || a->role == ARFF_SKIP || a->coding == ARFF_AS_POSITION)
            continue;
        if (a->coding == ARFF_AS_ONEHOT || a->one == 0) {
            x->implied[x->n_implied++] = i;
            labels += a->role == ARFF_LABEL;
        }
    }
    if (!x->n_implied)
        return BASIN_OK;
    x->seen = bs_calloc(n, sizeof *x->seen);
    if (!x->seen)
        return bs_fail_nomem(x->r->err);
    const arff_attribute *a = &x->a[x->implied[0]];
    bs_notes_add(x->r->notes, "sparse default",
                 "%d nominal attributes (%d labels) have a first "
                 "value other than 0: where a sparse row omits '%s' it is '%s'",
                 x->n_implied, labels, a->name, a->values.item[0].text);
    return BASIN_OK;
}

static basin_status first_row(rows *x, const char *p)
{
    x->sparse = *p == '{';
    x->r->b->ds->schema.dense = !x->sparse;
    if (!strchr(p, ','))
        x->ends = ",\t ";
    return x->sparse ? list_implied(x) : BASIN_OK;
}

static basin_status one_row(void *self, bs_line *line)
{
    rows *x = self;
    x->line = *line;
    const char *p = bs_skip_blanks(x->line.text);
    if (!*p || *p == '%')
        return *p == '%' || x->line.len == (size_t)(p - x->line.text)
                   ? BASIN_OK
                   : FAIL_AT(x, p, "a NUL byte in a text file");
    basin_status s = x->r->b->rows == 0 ? first_row(x, p) : BASIN_OK;
    if (s)
        return s;
    if (x->sparse != (*p == '{'))
        return FAIL_AT(x, p,
                       x->sparse ? "a dense row in a sparse file; a sparse row begins with {"
                                 : "a sparse row in a dense file");
    s = x->sparse ? sparse_row(x, p) : dense_row(x, p);
    return s ? s : bs_reading_row(x->r, x->line.number);
}

static basin_status finish(rows *x)
{
    bs_build *b = x->r->b;
    if (x->weighted)
        bs_notes_add(x->r->notes, "weights", "rows have weights: they are not used");
    if (x->unsorted)
        bs_notes_add(x->r->notes, "unsorted", "some sparse rows are not in increasing order");
    if (x->h->classes.written && b->rows)
        bs_notes_add(x->r->notes, "hierarchy",
                     "%.3f classes per row as written, %.3f with their "
                     "ancestors",
                     (double)x->h->classes.written / b->rows, (double)b->y.n / b->rows);
    if (x->id >= 0 && b->n_ids)
        bs_notes_add(x->r->notes, "identifier", "text attribute '%s' names the rows",
                     x->a[x->id].name);
    /* Hierarchies imply classes many times over; not worth a note. */
    b->repeated = b->repeated && x->h->hierarchy < 0;
    bool numbers = false;
    for (int32_t i = 0; i < b->features.n; i++)
        numbers = numbers || b->feature[i].kind == BS_FEATURE_NUMERIC;
    b->ds->schema.binary = !numbers || b->ones;
    if (numbers && b->ones && b->x.n)
        bs_notes_add(x->r->notes, "binary", "numeric attributes hold nothing but 0 and 1");
    return bs_build_finish(b, -1, -1, x->r->err);
}

basin_status bs_arff_rows(bs_reading *r, arff_header *h)
{
    rows x = {.r = r, .h = h, .a = h->attribute, .ends = ",\t", .id = -1};
    bs_buf_init(&x.scratch, (size_t)1 << 31);
    for (int32_t i = h->n; i-- > 0;)
        x.id = h->attribute[i].role == ARFF_ID ? i : x.id;
    basin_status s = bs_reading_lines(r, &x, one_row);
    if (!s && !bs_reading_over(r))
        s = finish(&x);
    bs_buf_free(&x.scratch);
    bs_free(x.implied);
    bs_free(x.seen);
    return s;
}
