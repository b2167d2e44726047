/* reader_xmc.c -- the extreme-classification repository's formats.
 *
 *     old:  "rows features labels", then LIBSVM rows; everything counts from 0
 *     new:  two files, "rows columns" and number:value rows each: .._X_Xf.txt holds
 *           features, .._X_Y.txt beside it the labels
 *
 * The header's sizes count, not what occurs; a different number of rows is an error. */
#include <string.h>

#include "data/scan.h"
#include "data/rows/svm.h"

typedef struct {
    bs_reading *r;
    bs_svm      svm; /* of a block */
    int64_t     rows, features, labels;
    bool        separate; /* labels are in a separate file */
    bs_input   *y;
    bool        weights; /* some label's value is not 1 */
} xmc;

/* The numbers in a header line: 2 or 3, else returns 0. */
static int header_numbers(const char *p, const char *end, int64_t out[3])
{
    int n = 0;
    while (p < end) {
        while (p < end && (bs_is_blank(*p) || *p == '\r'))
            p++;
        if (p == end)
            break;
        const char *start = p;
        int64_t     v = 0;
        for (; p < end && (unsigned char)(*p - '0') < 10; p++)
            v = v > INT64_MAX / 160 ? INT64_MAX / 16 : v * 10 + (*p - '0');
        if (p == start || n == 3 || (p < end && !bs_is_blank(*p) && *p != '\r'))
            return 0;
        out[n++] = v;
    }
    return n >= 2 ? n : 0;
}

static int sniff(const char *head, size_t n, const char *path)
{
    (void)path;
    int64_t     shape[3];
    const char *end = head + n, *nl = memchr(head, '\n', n);
    if (!nl || !header_numbers(head, nl, shape))
        return 0;
    bool features = false;
    for (int lines = 0; lines < 20 && nl + 1 < end && !features; lines++) {
        const char *start = nl + 1;
        nl = memchr(start, '\n', (size_t)(end - start));
        const char *stop = nl ? nl : end;
        if (nl || lines == 0)
            if (!bs_svm_looks_like(start, stop, &features))
                return 0;
        if (!nl)
            break;
    }
    return features ? 90 : 0;
}

/* --- header -------------------------------------------------------------- */

static basin_status check_shape(xmc *x, long line)
{
    const bs_read_options *o = x->r->o;
    if (x->features < 1 || x->features > o->max_features)
        return bs_error_at(x->r, line, 0,
                           "the header says %lld features; 1 to %d are possible "
                           "(data.max_features)",
                           (long long)x->features, o->max_features);
    if (x->labels < 1 || x->labels > o->max_labels)
        return bs_error_at(x->r, line, 0,
                           "the header says %lld labels; 1 to %d are possible "
                           "(data.max_labels)",
                           (long long)x->labels, o->max_labels);
    if (x->rows < 1 || x->rows > o->max_rows)
        return bs_error_at(x->r, line, 0,
                           "the header says %lld rows; 1 to %d are possible "
                           "(data.max_rows)",
                           (long long)x->rows, o->max_rows);
    return BASIN_OK;
}

/* trn_X_Xf.txt -> trn_X_Y.txt, and its header. */
static basin_status open_labels(xmc *x)
{
    bs_reading *r = x->r;
    const char *at = r->path ? strstr(r->path, "X_Xf") : NULL;
    for (const char *next; at && (next = strstr(at + 1, "X_Xf"));)
        at = next;
    if (!at)
        return bs_error_at(r, 1, 0,
                           "the header has two numbers, so the labels are in another file: "
                           "name the files NAME_X_Xf.txt and NAME_X_Y.txt, or write 'rows features "
                           "labels'");
    bs_buf path;
    bs_buf_init(&path, (size_t)1 << 20);
    bs_buf_add(&path, r->path, (size_t)(at - r->path));
    bs_buf_text(&path, "X_Y");
    bs_buf_text(&path, at + 4);
    basin_status s = path.failed ? bs_fail_nomem(r->err)
                                 : bs_input_open_found(path.data, r->o->max_mb, &x->y, r->err);
    bs_buf_free(&path);
    bs_line line;
    bool    more;
    int64_t shape[3];
    if (!s)
        s = bs_input_line(x->y, 1000, &line, &more, r->err);
    if (s)
        return s;
    if (!more || header_numbers(line.text, line.text + line.len, shape) != 2)
        return bs_fail(r->err, BASIN_EDATA, "%s:1: a label file begins with 'rows labels'",
                       bs_input_name(x->y));
    if (shape[0] != x->rows)
        return bs_fail(r->err, BASIN_EDATA, "%s:1: says %lld rows, %s says %lld",
                       bs_input_name(x->y), (long long)shape[0], r->name, (long long)x->rows);
    x->labels = shape[1];
    return BASIN_OK;
}

static basin_status take_header(xmc *x)
{
    bs_line      line;
    bool         more;
    int64_t      shape[3];
    basin_status s = bs_reading_line(x->r, &line, &more);
    if (s)
        return s;
    int n = more ? header_numbers(line.text, line.text + line.len, shape) : 0;
    if (!n)
        return bs_error_at(x->r, 1, 0,
                           "the file begins with 'rows features labels', as in 100 5000 "
                           "20");
    x->rows = shape[0];
    x->features = shape[1];
    x->labels = shape[2];
    x->separate = n == 2;
    if (x->separate)
        s = open_labels(x);
    return s ? s : check_shape(x, 1);
}

/* --- rows ---------------------------------------------------------------- */

static basin_status push_label(xmc *x, const char *name, const bs_line *line, const char *p,
                               const char **end)
{
    int64_t k;
    *end = bs_scan_index(p, &k);
    if (!*end || k >= x->labels)
        return bs_fail(x->r->err, BASIN_EDATA,
                       "%s:%ld:%zu: '%.*s' is not a label; the header says labels are 0..%lld",
                       name, line->number, (size_t)(p - line->text) + 1,
                       bs_show(p, strcspn(p, ", \t")), p, (long long)x->labels - 1);
    return bs_push_y(x->r->b, (int32_t)k) ? BASIN_OK : bs_fail_nomem(x->r->err);
}

/* "3,17,20" before the features. */
static basin_status inline_labels(xmc *x, const bs_line *line, const char *p, const char *end)
{
    while (p < end) {
        basin_status s = push_label(x, x->r->name, line, p, &p);
        if (s)
            return s;
        if (*p == ',')
            p++;
        else if (*p && !bs_is_blank(*p))
            return bs_error_at(x->r, line->number, (size_t)(p - line->text) + 1,
                               "expected a comma or a blank after a label");
        p = bs_skip_blanks(p);
    }
    return BASIN_OK;
}

/* "3:1 17:1" in the label file. */
static basin_status separate_labels(xmc *x, int64_t row)
{
    bs_line      line;
    bool         more;
    basin_status s =
        bs_input_line(x->y, (size_t)x->r->o->max_line_mb << 20, &line, &more, x->r->err);
    if (s)
        return s;
    const char *file = bs_input_name(x->y);
    if (!more)
        return bs_fail(x->r->err, BASIN_EDATA, "%s: ends after %lld rows, its header says %lld",
                       file, (long long)row, (long long)x->rows);
    const char *p = bs_skip_blanks(line.text);
    while (*p) {
        double v = 1;
        s = push_label(x, file, &line, p, &p);
        if (s)
            return s;
        if (*p == ':')
            p = bs_scan_double(p + 1, &v);
        if (!p || (*p && !bs_is_blank(*p)))
            return bs_fail(x->r->err, BASIN_EDATA, "%s:%ld: expected label:1 pairs", file,
                           line.number);
        x->weights = x->weights || v != 1;
        p = bs_skip_blanks(p);
    }
    return BASIN_OK;
}

static int64_t rows_read(const xmc *x)
{
    return x->r->before + x->r->b->rows;
}

static basin_status one_row(void *self, bs_line *line)
{
    xmc         *x = self;
    basin_status s = bs_svm_clean(x->r, line);
    if (s)
        return s;
    const char *p = bs_skip_blanks(line->text);
    if (rows_read(x) == x->rows)
        return *p ? bs_error_at(x->r, line->number, 0,
                                "the header says %lld rows, here is one more", (long long)x->rows)
                  : BASIN_OK;
    const char *features = x->separate ? p : bs_svm_labels_end(p);
    s = x->separate ? separate_labels(x, rows_read(x)) : inline_labels(x, line, p, features);
    if (!s)
        s = bs_svm_features(x->r, &x->svm, line, features);
    return s ? s : bs_reading_row(x->r, line->number);
}

/* --- the end ------------------------------------------------------------- */

/* "0", "1", ... */
static basin_status number_labels(xmc *x, const char **name)
{
    for (int64_t i = 0; i < x->labels; i++) {
        char text[24];
        int  n = bs_print(text, sizeof text, "%lld", (long long)i);
        name[i] = bs_arena_copy(&x->r->b->ds->arena, text, (size_t)n);
        if (!name[i])
            return bs_fail_nomem(x->r->err);
    }
    return BASIN_OK;
}

static basin_status name_labels(xmc *x)
{
    bs_reading  *r = x->r;
    bs_arena    *arena = &r->b->ds->arena;
    bs_names     listed;
    bs_buf       file;
    const char **name = bs_arena_alloc(arena, (size_t)x->labels * sizeof *name);
    if (!name)
        return bs_fail_nomem(r->err);
    r->b->ds->schema.label = name;
    bs_names_init(&listed, arena);
    basin_status s = bs_labels_file(r, &file);
    if (!s && !file.len) {
        s = number_labels(x, name);
    } else if (!s) {
        s = bs_read_names(file.data, r->o->max_mb, r->o->max_labels, &listed, r->err);
        if (!s && listed.n != x->labels)
            s = bs_error_at(r, 0, 0, "the header says %lld labels, %s names %d",
                            (long long)x->labels, file.data, listed.n);
        for (int32_t i = 0; !s && i < listed.n; i++)
            name[i] = listed.item[i].text;
    }
    bs_names_free(&listed);
    bs_buf_free(&file);
    return s;
}

static basin_status finish(xmc *x)
{
    bs_reading *r = x->r;
    bs_build   *b = r->b;
    b->ds->schema.open = true;
    b->ds->schema.binary = b->ones;
    b->ds->source.attributes = b->ds->source.numeric = (int32_t)x->features;
    bs_print(b->ds->source.labels_from, sizeof b->ds->source.labels_from, "the header");
    if (x->svm.highest + 1 < x->features)
        bs_notes_add(r->notes, "width",
                     "the header says %lld features, the highest that occurs is "
                     "%lld: the header wins",
                     (long long)x->features, (long long)x->svm.highest);
    if (x->weights)
        bs_notes_add(r->notes, "weights", "labels have weights other than 1: they are not used");
    basin_status s = name_labels(x);
    return s ? s : bs_build_finish(b, (int32_t)x->features, (int32_t)x->labels, r->err);
}

static basin_status open_file(bs_reading *r)
{
    xmc *x = r->own = bs_calloc(1, sizeof *x);
    if (!x)
        return bs_fail_nomem(r->err);
    x->r = r;
    return take_header(x);
}

static basin_status next(bs_reading *r)
{
    xmc *x = r->own;
    x->svm = (bs_svm){.limit = x->features, .lowest = INT64_MAX, .highest = -1, .header = true};
    basin_status s = bs_reading_lines(r, x, one_row);
    if (!s && r->ended && rows_read(x) != x->rows)
        s = bs_error_at(r, 0, 0, "the header says %lld rows, there are %lld", (long long)x->rows,
                        (long long)rows_read(x));
    return s || bs_reading_over(r) ? s : finish(x);
}

static void close_file(bs_reading *r)
{
    xmc *x = r->own;
    if (x)
        bs_input_close(x->y);
    bs_free(x);
}

const bs_reader bs_reader_xmc = {
    .name = "xmc",
    .help = "extreme-classification repository: 'rows features labels', then LIBSVM rows from 0",
    .extensions = ".txt .xmc",
    .uses = "data.labels",
    .sniff = sniff,
    .open = open_file,
    .next = next,
    .close = close_file,
};
