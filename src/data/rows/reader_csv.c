/* reader_csv.c -- CSV and TSV: RFC 4180 quotes, several delimiters, columns of any kind.
 *
 * The text of a block is kept in memory: what a column holds is only known once all of it has been
 * seen (csv_columns.c, csv_roles.c). The block is the file, unless a model knows the columns. Here
 * the cells become entries. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "data/rows/cell.h"
#include "data/rows/csv.h"
#include "data/scan.h"

static int sniff(const char *head, size_t n, const char *path)
{
    (void)path;
    bool steady;
    if (!n || memchr(head, '\0', n) || strchr("{@<", *head))
        return 0;
    char delimiter = bs_csv_delimiter(head, n, &steady);
    return !delimiter ? 0 : steady ? 40 : 15;
}

static size_t column_of(const csv_table *t, const csv_cell *cell)
{
    const char *p = cell->text - cell->quoted;
    const char *start = p;
    while (start > t->text.data && start[-1] != '\n')
        start--;
    return (size_t)(p - start) + 1;
}

/* --- labels -------------------------------------------------------------- */

static basin_status add_label(csv_table *t, const csv_cell *cell, const char *text, size_t len)
{
    bool      latin1 = false;
    bs_build *b = t->r->b;
    while (len && bs_is_blank(*text)) {
        text++;
        len--;
    }
    len = bs_trim(text, len);
    if (!len)
        return BASIN_OK;
    if (memchr(text, '\0', len))
        return bs_error_at(t->r, cell->line, column_of(t, cell), "a NUL byte in a label");
    if (!bs_is_utf8(text, len)) {
        text = bs_to_utf8(&b->ds->arena, text, len, &latin1);
        len = text ? strlen(text) : 0;
        t->latin1 = true;
    }
    int32_t      k;
    basin_status s =
        text ? bs_add_listed_label(t->r, cell->line, text, len, &k) : bs_fail_nomem(t->r->err);
    if (s)
        return s;
    return bs_push_y(b, k) ? BASIN_OK : bs_fail_nomem(t->r->err);
}

/* ["a", "b"], ['a', 'b'], ('a',), {'a'}, [3 5]: lists as printed by JSON, Python and numpy. */
static basin_status listed_labels(csv_table *t, const csv_cell *cell, const char *text, size_t len)
{
    bs_list      list = bs_list_begin(text, len);
    basin_status s = BASIN_OK;
    bs_buf       item;
    bs_buf_init(&item, len + 8);
    while (!s && bs_list_next(&list, &item))
        s = add_label(t, cell, item.data ? item.data : "", item.len);
    if (!s && item.failed)
        s = bs_fail_nomem(t->r->err);
    if (!s && list.wrong)
        s = bs_error_at(t->r, cell->line, column_of(t, cell), "'%.*s' is not a list of labels",
                        bs_show(text, len), text);
    bs_buf_free(&item);
    return s;
}

static basin_status list_labels(csv_table *t, const csv_cell *cell, const char *text, size_t len)
{
    if (bs_is_missing(text, len))
        return BASIN_OK;
    if (strchr("[({", text[0]))
        return listed_labels(t, cell, text, len);
    if (bs_same_word(text, len, "set()"))
        return BASIN_OK;
    size_t      step = strlen(t->separator);
    const char *end = text + len;
    for (;;) {
        const char *cut = text;
        while (cut < end && ((size_t)(end - cut) < step || memcmp(cut, t->separator, step) != 0))
            cut++;
        basin_status s = add_label(t, cell, text, (size_t)(cut - text));
        if (s || cut == end)
            return s;
        text = cut + step;
    }
}

/* --- cells --------------------------------------------------------------- */

static basin_status put_number(csv_table *t, const csv_column *c, const csv_cell *cell,
                               const char *text, size_t len)
{
    double v = NAN;
    if (!bs_is_missing(text, len)) {
        bs_csv_value(c, text, len, &v);
        if (fabs(v) > (double)FLT_MAX)
            return bs_error_at(t->r, cell->line, column_of(t, cell),
                               "the value of '%s' is too large "
                               "(above 3.4e38)",
                               c->name);
    }
    if (v != 0 && !bs_push_number(t->r->b, c->column, v))
        return bs_fail_nomem(t->r->err);
    return BASIN_OK;
}

/* 0, 1, or -1 if the cell is undecided. */
static int truth_of(const csv_table *t, const csv_column *c, const char *text, size_t len)
{
    int truth = bs_cell_truth(t->r->o, text, len);
    if (truth < 0 && bs_same_word(text, len, "x"))
        return 1;
    /* If crosses mean yes, blank means no. */
    return truth < 0 && !c->truth && len == 0 ? 0 : truth;
}

static const char *category_text(csv_table *t, const char *text, size_t *len)
{
    bool latin1;
    if (bs_is_utf8(text, *len))
        return text;
    text = bs_to_utf8(&t->r->b->ds->arena, text, *len, &latin1);
    *len = text ? strlen(text) : 0;
    return text;
}

static basin_status put_cell(csv_table *t, csv_column *c, const csv_cell *cell)
{
    bs_build   *b = t->r->b;
    size_t      len;
    int         truth;
    bool        ok = true;
    const char *text = bs_csv_text(cell, &t->scratch, &len);
    if (!text)
        return bs_fail_nomem(t->r->err);
    switch (c->role) {
    case CSV_NUMBER: return put_number(t, c, cell, text, len);
    case CSV_LIST: return list_labels(t, cell, text, len);
    case CSV_LABEL:
        truth = truth_of(t, c, text, len);
        ok = truth > 0   ? bs_push_y(b, c->column)
             : truth < 0 ? bs_build_unknown(b, c->column)
                         : true;
        break;
    case CSV_TRUTH:
        truth = truth_of(t, c, text, len);
        ok = truth == 0 || bs_push_x(b, c->column, truth < 0 ? NAN : 1.0f);
        break;
    case CSV_CATEGORY:
        if (bs_is_missing(text, len))
            break;
        text = category_text(t, text, &len);
        int32_t value = text ? bs_names_find(&c->values, text, len) : -1;
        ok = text && (value < 0 || bs_push_x(b, c->column + value, 1));
        break;
    case CSV_TEXT: return bs_text_put(&t->texts, t->r, c->column, text, len);
    case CSV_ID: ok = b->n_ids > b->rows || bs_build_id(b, text, len); break;
    case CSV_SKIP: break;
    }
    return ok ? BASIN_OK : bs_fail_nomem(t->r->err);
}

static basin_status read_rows(csv_table *t)
{
    csv_cursor   c = t->start;
    int64_t      blank = 0;
    basin_status s = BASIN_OK;
    while (!s && bs_csv_record(&c, &blank)) {
        const char *start = c.p;
        long        line = c.line;
        csv_step    step = CSV_CELL;
        for (int32_t i = 0; !s && step == CSV_CELL; i++) {
            csv_cell cell;
            step = bs_csv_next(&c, &cell);
            if (i == t->names)
                t->r->b->ds->source.names =
                    bs_hash_bytes(cell.text, cell.len, t->r->b->ds->source.names);
            if (i < t->n)
                s = put_cell(t, &t->column[i], &cell);
        }
        if (!s)
            s = bs_text_end_row(&t->texts, t->r);
        if (!s)
            s = bs_reading_row(t->r, line);
        if (!s && t->r->o->keep_text && !bs_build_text(t->r->b, start, (size_t)(c.p - start)))
            s = bs_fail_nomem(t->r->err);
    }
    return s;
}

/* --- the table ----------------------------------------------------------- */

enum { MOST_OPEN = 64 << 20 };

static basin_status open_file(bs_reading *r)
{
    const bs_read_options *o = r->o;
    const char            *head;
    size_t                 n;
    csv_file              *f = r->own = bs_calloc(1, sizeof *f);
    if (!f)
        return bs_fail_nomem(r->err);
    f->id = -1;
    f->header =
        strcmp(o->header, "auto") == 0 ? !bs_csv_headless(o->like) : strcmp(o->header, "yes") == 0;
    if (!o->like || !(o->like->feature || o->like->n_texts) || !o->label_free)
        return BASIN_OK;
    basin_status s = bs_input_peek_lines(r->in, (size_t)64 << 10, &head, &n, r->err);
    if (!s)
        f->delimiter = bs_csv_choose(head, n, o->delimiter);
    if (!s && !f->delimiter && o->like->n_texts)
        f->delimiter = '\t'; /* one column, of texts */
    f->blocks = f->delimiter != '\0';
    return s;
}

static void close_file(bs_reading *r)
{
    bs_free(r->own);
}

/* Blanks only, as bs_csv_record() sees it. */
static bool is_blank_line(const bs_line *line)
{
    return line->len == strspn(line->text, " \r");
}

/* The header and the lines of a block; a row ends where no quote is open. Blank lines before the
 * first row are left out, so that there may be any number of them. */
static basin_status gather(csv_table *t)
{
    bs_reading  *r = t->r;
    const char   delimiter = t->file->delimiter;
    int32_t      rows = r->before == 0 && t->file->header ? -1 : 0; /* the header is none */
    bool         open = false, more = true;
    basin_status s = BASIN_OK;
    bs_buf_add(&t->text, r->head.data ? r->head.data : "", r->head.len);
    while (!s && (open || !bs_reading_full(r, rows))) {
        bs_line line;
        s = bs_reading_line(r, &line, &more);
        r->ended = !s && !more;
        if (s || r->ended)
            break;
        const bool blank = !open && is_blank_line(&line);
        if (blank && rows <= 0) {
            t->skipped += rows == 0;
            continue;
        }
        if (t->text.len == 0)
            t->start.line = line.number;
        else if (rows == 0)
            t->first = line.number;
        rows += !open && !blank;
        open = bs_csv_open(line.text, line.len, delimiter, open);
        bs_line_put(&line, &t->text);
        if (open && t->text.len > MOST_OPEN)
            s = bs_error_at(r, line.number, 0,
                            "a quote that opened before is not closed within %d MiB",
                            (int)(MOST_OPEN >> 21));
    }
    return !s && t->text.failed ? bs_fail_nomem(r->err) : s;
}

static basin_status start_table(csv_table *t)
{
    bs_reading *r = t->r;
    bs_buf_init(&t->text, (size_t)1 << 36);
    bs_buf_init(&t->scratch, (size_t)1 << 32);
    t->told = t->file->blocks && (r->before > 0 || bs_input_live(r->in));
    t->start.line = 1;
    basin_status s = t->file->blocks && r->most < BS_ALL_ROWS
                         ? gather(t)
                         : bs_input_text(r->in, (size_t)r->o->max_line_mb << 20, &t->text, r->err);
    if (s)
        return s;
    r->ended |= r->most == BS_ALL_ROWS || !t->file->blocks;
    const long line = t->start.line;
    t->start = bs_csv_begin(&t->text, r->o->delimiter);
    t->start.line = line;
    if (t->file->blocks)
        t->start.delimiter = t->file->delimiter;
    if (!t->start.delimiter && r->o->only_labels)
        t->start.delimiter = '\t'; /* one column */
    if (!t->start.delimiter)
        return bs_error_at(r, 1, 0,
                           "the first line has no comma, semicolon, tab or | between cells");
    return BASIN_OK;
}

/* What precedes the rows, for later blocks and for what keeps the text. */
static basin_status keep_header(csv_table *t)
{
    bs_reading *r = t->r;
    const char *text = t->text.data;
    if (r->before == 0 && t->header) {
        text += strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        bs_buf_add(&r->head, text, (size_t)(t->start.p - text));
    }
    t->file->header = t->header;
    r->b->ds->delimiter = t->start.delimiter;
    return r->head.failed ? bs_fail_nomem(r->err) : BASIN_OK;
}

static basin_status finish(csv_table *t)
{
    bs_build *b = t->r->b;
    bool      binary = true, nothing = b->labels.n == 0;
    for (int32_t i = 0; i < b->features.n; i++)
        binary = binary && b->feature[i].kind != BS_FEATURE_NUMERIC;
    b->ds->schema.dense = true;
    b->ds->schema.binary = binary || b->ones;
    if (t->blank + t->skipped)
        bs_notes_add(t->r->notes, "blank lines", "%lld blank lines were skipped",
                     (long long)(t->blank + t->skipped));
    if (t->latin1)
        bs_notes_add(t->r->notes, "encoding", "some texts are not UTF-8 and were read as Latin-1");
    if (b->ds->labelled && nothing)
        return bs_error_at(t->r, 0, 0, "no row has a label");
    return bs_build_finish(b, -1, -1, t->r->err);
}

static basin_status read_table(csv_table *t)
{
    basin_status s = bs_text_columns_begin(&t->texts, t->r);
    if (!s)
        s = bs_csv_columns(t);
    if (!s)
        s = keep_header(t);
    if (!s)
        s = bs_csv_roles(t);
    if (!s)
        s = read_rows(t);
    if (!s)
        s = bs_text_finish(&t->texts, t->r);
    return s ? s : finish(t);
}

static basin_status next(bs_reading *r)
{
    csv_table    t = {.r = r, .file = r->own};
    basin_status s = start_table(&t);
    if (!s && (r->before == 0 || t.text.len > r->head.len))
        s = read_table(&t);
    for (int32_t i = 0; i < t.n; i++)
        bs_names_free(&t.column[i].values);
    bs_text_columns_free(&t.texts);
    bs_free(t.column);
    bs_buf_free(&t.text);
    bs_buf_free(&t.scratch);
    return s;
}

const bs_reader bs_reader_csv = {
    .name = "csv",
    .help = "CSV or TSV; labels are 0/1 columns (--labels), one column of lists or a second file",
    .extensions = ".csv .tsv .tab",
    .uses = "data.labels data.label_sep data.text_column data.label_names data.header "
            "data.delimiter data.drop data.true data.false data.decimal",
    .sniff = sniff,
    .open = open_file,
    .next = next,
    .close = close_file,
};
