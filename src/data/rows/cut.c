/* cut.c -- finds the rows of a file in its bytes, and writes some of them unchanged. What counts as
 * a row is defined by the readers: reader_*.c, arff_rows.c. */
#include "data/rows/cut.h"

#include <string.h>
#include <sys/stat.h>

#include "data/rows/csv.h"
#include "data/scan.h"
#include "data/rows/write.h"

typedef struct {
    size_t at, len;
} span;

struct bs_cut {
    const bs_rows *ds;
    bs_buf         text;
    size_t         head; /* length of what every part starts with */
    span          *row;
    size_t         n, cap;
    bool           blank;     /* a blank line before a row is a row (LIBSVM) */
    const char    *extension; /* of the label list, or NULL */
    bs_buf         labels;
};

void bs_cut_close(bs_cut *cut)
{
    if (!cut)
        return;
    bs_buf_free(&cut->text);
    bs_buf_free(&cut->labels);
    bs_free(cut->row);
    bs_free(cut);
}

/* --- finding rows -------------------------------------------------------- */

static bool add_row(bs_cut *cut, size_t at, size_t end)
{
    void *list = cut->row;
    bool  ok = bs_grow(&list, &cut->cap, cut->n + 1, sizeof *cut->row, INT32_MAX - 1);
    cut->row = list;
    if (ok)
        cut->row[cut->n++] = (span){at, end - at};
    return ok;
}

static size_t line_end(const bs_cut *cut, size_t at)
{
    const char *nl = memchr(cut->text.data + at, '\n', cut->text.len - at);
    return nl ? (size_t)(nl - cut->text.data) + 1 : cut->text.len;
}

/* The first non-blank character of a line, or 0. */
static char first_letter(const bs_cut *cut, size_t at, size_t end)
{
    while (at < end && strchr(" \t\r\n", cut->text.data[at]))
        at++;
    return at < end ? cut->text.data[at] : '\0';
}

/* Lines that do not start with `comment` are rows. */
static bool find_lines(bs_cut *cut, char comment)
{
    bool gap = false, ok = true;
    for (size_t at = cut->head, end; ok && at < cut->text.len; at = end) {
        end = line_end(cut, at);
        char c = first_letter(cut, at, end);
        gap = gap || !c || (c == comment && cut->text.data[at] != c);
        if (!c || c == comment)
            continue;
        cut->blank = cut->blank || gap;
        ok = add_row(cut, at, end);
    }
    return ok;
}

/* The ARFF header: everything up to @data. */
static void find_data(bs_cut *cut)
{
    for (size_t at = cut->head, end; at < cut->text.len; at = end) {
        end = line_end(cut, at);
        while (at < end && bs_is_blank(cut->text.data[at]))
            at++;
        cut->head = end;
        if (end - at >= 5 && bs_same_word(cut->text.data + at, 5, "@data"))
            return;
    }
}

/* Records may span lines. One more than rows: the first holds the names. If the file has changed
 * since and cannot be read, the number of rows will not match. */
static bool find_records(bs_cut *cut, const char *delimiter)
{
    csv_cursor c = bs_csv_begin(&cut->text, delimiter);
    int64_t    blank = 0;
    bool       ok = true;
    while (ok && c.delimiter && bs_csv_record(&c, &blank)) {
        const char *start = c.p;
        csv_cell    cell;
        csv_step    step;
        while ((step = bs_csv_next(&c, &cell)) == CSV_CELL)
            ;
        if (step != CSV_LAST) {
            cut->n = 0;
            return true;
        }
        ok = add_row(cut, (size_t)(start - cut->text.data), (size_t)(c.p - cut->text.data));
    }
    if (ok && cut->n == (size_t)cut->ds->rows + 1) {
        cut->head = cut->row[0].at + cut->row[0].len;
        memmove(cut->row, cut->row + 1, --cut->n * sizeof *cut->row);
    }
    return ok;
}

/* False when memory runs out. */
static bool find_rows(bs_cut *cut, const bs_read_options *o)
{
    const char *format = cut->ds->format;
    if (strcmp(format, "csv") == 0)
        return find_records(cut, o->delimiter);
    cut->head = cut->text.len >= 3 && memcmp(cut->text.data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (strcmp(format, "arff") == 0)
        find_data(cut);
    return find_lines(cut, strcmp(format, "arff") == 0 ? '%' : '#');
}

/* --- labels -------------------------------------------------------------- */

/* Labels may come from an option; the parts should be readable without it. */
static bool name_labels(bs_cut *cut)
{
    const bs_rows   *ds = cut->ds;
    const bs_writer *writer = bs_writer_find(ds->format);
    bool             classes = strncmp(ds->source.labels_from, "hierarchical", 12) == 0;
    bs_buf_init(&cut->labels, (size_t)1 << 31);
    cut->extension = writer ? writer->side_extension : NULL;
    if (strcmp(ds->format, "arff") == 0 && ds->schema.n_labels && !classes)
        writer->side(ds, &cut->labels);
    if (strcmp(ds->format, "libsvm") == 0 && !ds->open_labels)
        bs_list_labels(ds, &cut->labels);
    return !cut->labels.failed;
}

/* --- opening ------------------------------------------------------------- */

/* Why the file cannot be cut, if that is known without reading it. */
static const char *refuse(const char *path, const bs_rows *ds, const bs_read_options *o)
{
    struct stat st;
    if (strcmp(ds->format, "xmc") == 0)
        return "the first line has the number of rows";
    if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return "the data is not a file that can be read twice";
    if (strcmp(ds->format, "npy") == 0)
        return "its rows are not lines";
    if (ds->source.paired)
        return "labels are in a file of their own";
    if (ds->source.recoded)
        return "it is UTF-16";
    return o->drop_unlabelled ? "rows without labels were left out" : NULL;
}

basin_status bs_cut_open(const char *path, const bs_rows *ds, const bs_read_options *o,
                         bs_cut **out, const char **why, basin_error *err)
{
    *out = NULL;
    *why = refuse(path, ds, o);
    if (*why)
        return BASIN_OK;
    bs_cut *cut = bs_calloc(1, sizeof *cut);
    if (!cut)
        return bs_fail_nomem(err);
    cut->ds = ds;
    bs_buf_init(&cut->text, (size_t)1 << 36);
    bs_input    *in = NULL;
    basin_status s = bs_input_open_most(path, o->max_mb, &in, err);
    if (!s)
        s = bs_input_text(in, (size_t)o->max_line_mb << 20, &cut->text, err);
    bs_input_close(in);
    if (!s && (!find_rows(cut, o) || !name_labels(cut)))
        s = bs_fail_nomem(err);
    if (!s && cut->blank && strcmp(ds->format, "libsvm") == 0)
        *why = "blank lines are rows there";
    else if (!s && cut->n != (size_t)ds->rows)
        *why = "its rows are not its lines";
    if (s || *why)
        bs_cut_close(cut);
    else
        *out = cut;
    return s;
}

/* --- writing ------------------------------------------------------------- */

typedef struct {
    const bs_cut  *cut;
    const int32_t *rows;
    int32_t        n;
} part;

static basin_status put(bs_output *out, const bs_cut *cut, span s, basin_error *err)
{
    const char  *bytes = cut->text.data + s.at;
    basin_status status = s.len ? bs_output_write(out, bytes, s.len, err) : BASIN_OK;
    /* The last line of a file may lack an end, but here another row follows it. */
    if (!status && s.len && bytes[s.len - 1] != '\n')
        status = bs_output_write(out, "\n", 1, err);
    return status;
}

static basin_status fill(const void *what, bs_output *out, basin_error *err)
{
    const part  *p = what;
    const span   head = {0, p->cut->head};
    basin_status s = head.len == 3 ? bs_output_write(out, p->cut->text.data, 3, err)
                                   : put(out, p->cut, head, err);
    for (int32_t i = 0; i < p->n && !s; i++)
        s = put(out, p->cut, p->cut->row[p->rows[i]], err);
    return s;
}

basin_status bs_cut_write(const bs_cut *cut, const int32_t *rows, int32_t n, const char *path,
                          bs_notes *notes, basin_error *err)
{
    const part p = {cut, rows, n};
    return bs_write_pair(path, fill, &p, cut->extension, &cut->labels, notes, err);
}
