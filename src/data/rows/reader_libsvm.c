/* reader_libsvm.c -- rows of labels and number:value pairs, "1,5,9 3:0.5 7:1", in two formats.
 *
 * libsvm: LIBSVM and SVMlight with several labels. Labels are words; numbers among them are sorted
 * by value. A row may start with its features (no labels) or be a blank line (no features either):
 * dropping blank lines would shift all later rows. Whether features count from 0 or 1 is decided on
 * the training file and kept in its schema.
 *
 * xmc: the extreme-classification repository's. A line "rows features labels" comes first, and all
 * count from 0. Its sizes count, not what occurs; another number of rows is an error. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/rows/read.h"
#include "data/scan.h"

/* The first line of an XMC file. */
typedef struct {
    int64_t rows, features, labels;
} shape;

typedef struct {
    bs_reading  *r;
    const shape *header;          /* NULL: LIBSVM */
    int64_t      limit;           /* feature numbers must be below */
    int64_t      lowest, highest; /* seen so far; lowest = INT64_MAX before the first */
    bool         queries;         /* a qid: was ignored */
    bs_names     listed;          /* names of the labels, from a file */
    bs_buf       file;            /* that file */
    int32_t      kept;            /* blank lines that became rows */
} svm;

/* --- recognising rows ---------------------------------------------------- */

/* Includes pairs that will be refused, such as 2:nan and -1:4: they are meant as pairs. */
static bool is_pair(const char *p, const char *end)
{
    p += p < end && *p == '-';
    const char *start = p;
    while (p < end && (unsigned char)(*p - '0') < 10)
        p++;
    if (p == start || p == end || *p != ':')
        return end - start > 4 && memcmp(start, "qid:", 4) == 0;
    return ++p < end && strchr("0123456789+-.nNiI", *p) != NULL;
}

/* Words, then only number:value, at least one of either. */
static bool looks_like_row(const char *p, const char *end, bool *features)
{
    bool pairs = false;
    for (;;) {
        while (p < end && (bs_is_blank(*p) || *p == '\r'))
            p++;
        if (p == end || *p == '#')
            return true;
        const char *start = p;
        while (p < end && !bs_is_blank(*p) && *p != '\r')
            p++;
        if (is_pair(start, p))
            *features = pairs = true;
        else if (pairs || memchr(start, ':', (size_t)(p - start)) ||
                 memchr(start, '"', (size_t)(p - start)))
            return false;
    }
}

/* The first lines, or with `few` those up to the first feature. */
static bool look_like_rows(const char *head, size_t n, bool few, bool *features)
{
    const char *end = head + n;
    for (int lines = 0; head < end && lines < 20 && !(few && *features); lines++) {
        const char *nl = memchr(head, '\n', (size_t)(end - head));
        if (!nl && lines > 0 && n >= (size_t)63 << 10)
            break; /* a line truncated by the end of the window */
        if (!looks_like_row(head, nl ? nl : end, features))
            return false;
        head = nl ? nl + 1 : end;
    }
    return true;
}

static int sniff_libsvm(const char *head, size_t n, const char *path)
{
    bool features = false;
    (void)path;
    return look_like_rows(head, n, false, &features) && features ? 80 : 0;
}

/* How many numbers a header has, 2 or 3; else 0. A line end or NUL follows. */
static int header_numbers(const char *p, int64_t out[3])
{
    int n = 0;
    for (p = bs_skip_blanks(p); *p && !strchr("\r\n", *p); p = bs_skip_blanks(p)) {
        p = n < 3 ? bs_scan_index(p, &out[n++]) : NULL;
        if (!p || !strchr(" \t\r\n", *p))
            return 0;
    }
    return n >= 2 ? n : 0;
}

static int sniff_xmc(const char *head, size_t n, const char *path)
{
    int64_t     numbers[3];
    bool        features = false;
    const char *nl = memchr(head, '\n', n);
    (void)path;
    if (!nl || !header_numbers(head, numbers))
        return 0;
    return look_like_rows(nl + 1, n - (size_t)(nl + 1 - head), true, &features) && features ? 90
                                                                                            : 0;
}

/* --- features ------------------------------------------------------------ */

static basin_status fail_token(const svm *x, const bs_line *line, const char *p, const char *what)
{
    size_t n = strcspn(p, " \t");
    return bs_error_at(x->r, line->number, (size_t)(p - line->text) + 1, "'%.*s' %s", bs_show(p, n),
                       p, what);
}

/* Pushes "3:0.5 7:1 ..." from p to the end of the line, numbers unchanged. */
static basin_status take_features(svm *x, const bs_line *line, const char *p)
{
    for (;;) {
        int64_t i;
        double  v;
        p = bs_skip_blanks(p);
        if (!*p)
            return BASIN_OK;
        const char *colon = bs_scan_index(p, &i);
        if (!colon || *colon != ':') {
            if (strncmp(p, "qid:", 4) == 0) {
                x->queries = true;
                p += strcspn(p, " \t");
                continue;
            }
            return fail_token(x, line, p, "is not feature:value, as in 12:0.5");
        }
        const char *end = bs_scan_double(colon + 1, &v);
        if (!end || (*end && !bs_is_blank(*end)))
            return fail_token(x, line, p, "has no finite number after the colon");
        if (i >= x->limit)
            return bs_error_at(x->r, line->number, (size_t)(p - line->text) + 1,
                               x->header
                                   ? "feature %.*s, but the header says features are 0..%lld"
                                   : "feature %.*s is too large; data.max_features allows %lld",
                               (int)(colon - p < 20 ? colon - p : 20), p, (long long)x->limit - 1);
        if (fabs(v) > (double)FLT_MAX)
            return fail_token(x, line, p, "has a value too large (above 3.4e38)");
        if (!bs_push_number(x->r->b, (int32_t)i, v))
            return bs_fail_nomem(x->r->err);
        x->lowest = i < x->lowest ? i : x->lowest;
        x->highest = i > x->highest ? i : x->highest;
        p = end;
    }
}

/* --- labels -------------------------------------------------------------- */

/* With a list of names, a number is a position in it. */
static basin_status listed_label(svm *x, const bs_line *line, const char *p, size_t n, int32_t *out)
{
    int64_t     i;
    const char *end = bs_scan_index(p, &i);
    *out = bs_names_find(&x->listed, p, n);
    if (*out < 0 && end == p + n && i < x->listed.n)
        *out = (int32_t)i;
    if (*out < 0)
        return bs_error_at(
            x->r, line->number, (size_t)(p - line->text) + 1,
            "label '%.*s' is neither one of the %d names in %s nor a number from 0 to "
            "%d",
            bs_show(p, n), p, x->listed.n, x->file.data, x->listed.n - 1);
    return BASIN_OK;
}

static basin_status numbered_label(svm *x, const bs_line *line, const char *p, size_t n,
                                   int32_t *out)
{
    int64_t i;
    if (bs_scan_index(p, &i) != p + n || i >= x->header->labels)
        return bs_error_at(x->r, line->number, (size_t)(p - line->text) + 1,
                           "'%.*s' is not a label; the header says labels are 0..%lld",
                           bs_show(p, n), p, (long long)x->header->labels - 1);
    *out = (int32_t)i;
    return BASIN_OK;
}

static basin_status one_label(svm *x, const bs_line *line, const char *p, size_t n)
{
    bs_build *b = x->r->b;
    int32_t   k = -1;
    if (n == 0)
        return bs_error_at(x->r, line->number, (size_t)(p - line->text) + 1,
                           "an empty label; labels are separated by single commas");
    if (x->header || x->listed.n) {
        basin_status s =
            x->header ? numbered_label(x, line, p, n, &k) : listed_label(x, line, p, n, &k);
        if (s)
            return s;
    } else {
        if (!bs_is_utf8(p, n))
            return bs_error_at(x->r, line->number, (size_t)(p - line->text) + 1,
                               "the label is not UTF-8 text");
        basin_status s = bs_add_label(x->r, line->number, p, n, &k);
        if (s)
            return s;
    }
    return bs_push_y(b, k) ? BASIN_OK : bs_fail_nomem(x->r->err);
}

/* Words without a colon, each with labels between commas; *end is where the features start. */
static basin_status take_labels(svm *x, const bs_line *line, const char *p, const char **end)
{
    for (;;) {
        p = *end = bs_skip_blanks(p);
        const size_t n = strcspn(p, " \t");
        if (!n || memchr(p, ':', n))
            return BASIN_OK;
        for (const char *stop = p + n, *cut; p <= stop; p = cut + 1) {
            cut = memchr(p, ',', (size_t)(stop - p));
            cut = cut ? cut : stop;
            basin_status s = one_label(x, line, p, (size_t)(cut - p));
            if (s)
                return s;
        }
        p = *end + n;
    }
}

typedef struct {
    const char *text;
    long long   number; /* 0 unless all names are numbers */
    int32_t     old;
} label_rank;

static int by_name(const void *a, const void *b)
{
    const label_rank *p = a, *q = b;
    return p->number != q->number ? (p->number > q->number) - (p->number < q->number)
                                  : strcmp(p->text, q->text);
}

/* Labels in an order independent of that of the rows. */
static basin_status order_labels(svm *x)
{
    bs_build    *b = x->r->b;
    int32_t      L = b->labels.n;
    label_rank  *rank = bs_alloc(((size_t)L + 1) * sizeof *rank);
    int32_t     *map = bs_alloc(((size_t)L + 1) * sizeof *map);
    const char **name = bs_arena_alloc(&b->ds->arena, ((size_t)L + 1) * sizeof *name);
    if (!rank || !map || !name) {
        bs_free(rank);
        bs_free(map);
        return bs_fail_nomem(x->r->err);
    }
    bool numbers = true;
    for (int32_t i = 0; i < L; i++) {
        rank[i] = (label_rank){.text = b->labels.item[i].text, .old = i};
        numbers = numbers && bs_parse_int(rank[i].text, &rank[i].number);
    }
    for (int32_t i = 0; i < L && !numbers; i++)
        rank[i].number = 0;
    qsort(rank, (size_t)L, sizeof *rank, by_name);
    for (int32_t i = 0; i < L; i++) {
        map[rank[i].old] = i;
        name[i] = rank[i].text;
    }
    for (size_t e = 0; e < b->y.n; e++)
        b->y.index[e] = map[b->y.index[e]];
    for (int32_t i = 0; i < b->rows; i++)
        if (b->y.start[i + 1] > b->y.start[i] + 1)
            bs_sort_entries(b->y.index + b->y.start[i], NULL,
                            (size_t)(b->y.start[i + 1] - b->y.start[i]));
    b->ds->schema.label = name;
    bs_free(rank);
    bs_free(map);
    return BASIN_OK;
}

/* --- rows ---------------------------------------------------------------- */

/* Cuts off a comment; refuses NUL bytes. */
static basin_status clean(bs_reading *r, bs_line *line)
{
    size_t n = strlen(line->text);
    if (n != line->len)
        return bs_error_at(r, line->number, n + 1, "a NUL byte in a text file");
    line->len = strcspn(line->text, "#");
    line->text[line->len] = '\0';
    return BASIN_OK;
}

/* A row follows the blank lines, so they are rows, too. */
static basin_status blank_rows(svm *x, long line)
{
    bs_reading  *r = x->r;
    basin_status s = BASIN_OK;
    for (; !s && r->blank && r->b->rows < r->most; r->blank--, x->kept++)
        s = bs_reading_row(r, line);
    return s;
}

static basin_status one_line(void *self, bs_line *line)
{
    svm         *x = self;
    bs_reading  *r = x->r;
    const char  *p = bs_skip_blanks(line->text);
    basin_status s = BASIN_OK;
    if (r->blank && *p && *p != '#')
        s = blank_rows(x, line->number);
    if (!s && r->b->rows >= r->most) { /* the next block begins with it */
        bs_input_unread(r->in, line);
        return BASIN_OK;
    }
    const bool comment = line->text[0] == '#';
    if (!s)
        s = clean(r, line);
    if (s || comment)
        return s;
    if (x->header && r->before + r->b->rows == x->header->rows)
        return *p ? bs_error_at(r, line->number, 0, "the header says %lld rows, here is one more",
                                (long long)x->header->rows)
                  : BASIN_OK;
    if (!*p && !x->header) {
        r->blank++;
        return BASIN_OK;
    }
    s = take_labels(x, line, p, &p);
    if (!s)
        s = take_features(x, line, p);
    return s ? s : bs_reading_row(r, line->number);
}

/* --- the end ------------------------------------------------------------- */

/* Numbers become columns once it is known where they start. */
static basin_status choose_base(svm *x, bool any)
{
    bs_reading            *r = x->r;
    const bs_read_options *o = r->o;
    int                    base = any && x->lowest == 0 ? 0 : 1;
    if (o->like && !o->like->feature)
        base = o->like->index_base;
    if (strcmp(o->index_base, "auto") != 0)
        base = o->index_base[0] - '0';
    else if (!o->like)
        bs_notes_add(r->notes, "index base",
                     base ? "no feature is numbered 0: they count from 1 (data.index_base)"
                          : "features count from 0 (data.index_base)");
    if (any && x->lowest < base)
        return bs_error_at(r, 0, 0, "has a feature 0, but features were to count from 1 (%s)",
                           o->like ? "as in the training data" : "data.index_base");
    for (size_t e = 0; base && e < r->b->x.n; e++)
        r->b->x.index[e] -= base;
    r->b->ds->schema.index_base = base;
    return BASIN_OK;
}

/* The names of a file, or "0", "1", ... */
static basin_status name_labels(svm *x, int32_t n)
{
    bs_reading  *r = x->r;
    const char **name = bs_arena_alloc(&r->b->ds->arena, (size_t)n * sizeof *name);
    if (x->listed.n && x->listed.n != n)
        return bs_error_at(r, 0, 0, "the header says %d labels, %s names %d", (int)n, x->file.data,
                           (int)x->listed.n);
    for (int32_t i = 0; name && i < n; i++) {
        char text[24];
        int  len = bs_print(text, sizeof text, "%d", (int)i);
        name[i] = x->listed.n ? x->listed.item[i].text
                              : bs_arena_copy(&r->b->ds->arena, text, (size_t)len);
        if (!name[i])
            return bs_fail_nomem(r->err);
    }
    r->b->ds->schema.label = name;
    return name ? BASIN_OK : bs_fail_nomem(r->err);
}

static basin_status finish_libsvm(svm *x)
{
    bs_reading  *r = x->r;
    bs_build    *b = r->b;
    const bool   any = x->highest >= 0;
    basin_status s = choose_base(x, any);
    if (s)
        return s;
    b->ds->open_labels = x->listed.n == 0;
    if (x->kept)
        bs_notes_add(r->notes, "blank lines",
                     "%d blank lines were read as rows without labels and features", x->kept);
    if (r->ended && r->blank)
        bs_notes_add(r->notes, "blank lines", "%lld blank lines at the end were not read as rows",
                     (long long)r->blank);
    if (x->queries)
        bs_notes_add(r->notes, "left out", "qid: entries are not used");
    if (b->reordered)
        bs_notes_add(r->notes, "unsorted",
                     "some rows do not have their features in increasing order");
    b->ds->source.attributes = any ? (int32_t)(x->highest + 1 - b->ds->schema.index_base) : 0;
    b->ds->labelled = b->labels.n > 0 || x->listed.n > 0;
    if (!b->ds->labelled && !r->o->label_free)
        return bs_error_at(r, 0, 0, "no row has a label; a row is 'label,label number:value ...'");
    return x->listed.n ? name_labels(x, x->listed.n) : order_labels(x);
}

static basin_status finish_xmc(svm *x)
{
    bs_source *source = &x->r->b->ds->source;
    source->attributes = (int32_t)x->header->features;
    bs_print(source->labels_from, sizeof source->labels_from, "the header");
    if (x->highest + 1 < x->header->features)
        bs_notes_add(x->r->notes, "width",
                     "the header says %lld features, the highest that occurs is %lld: the header "
                     "wins",
                     (long long)x->header->features, (long long)x->highest);
    return name_labels(x, (int32_t)x->header->labels);
}

static basin_status finish(svm *x)
{
    bs_build    *b = x->r->b;
    basin_status s = x->header ? finish_xmc(x) : finish_libsvm(x);
    if (s)
        return s;
    b->ds->schema.open = true;
    b->ds->schema.binary = b->ones;
    b->ds->source.numeric = b->ds->source.attributes;
    return bs_build_finish(b, b->ds->source.attributes,
                           x->header     ? (int32_t)x->header->labels
                           : x->listed.n ? x->listed.n
                                         : -1,
                           x->r->err);
}

static basin_status next(bs_reading *r)
{
    const shape *header = r->own;
    svm          x = {.r = r, .header = header, .lowest = INT64_MAX, .highest = -1};
    x.limit = header ? header->features : (int64_t)r->o->max_features + 1;
    bs_names_init(&x.listed, &r->b->ds->arena);
    basin_status s = bs_labels_file(r, &x.file);
    if (!s && x.file.len)
        s = bs_read_names(x.file.data, r->o->max_mb, r->o->max_labels, &x.listed, r->err);
    if (!s)
        s = bs_reading_lines(r, &x, one_line);
    if (!s && header && r->ended && r->before + r->b->rows != header->rows)
        s = bs_error_at(r, 0, 0, "the header says %lld rows, there are %lld",
                        (long long)header->rows, (long long)(r->before + r->b->rows));
    if (!s && !bs_reading_over(r))
        s = finish(&x);
    bs_names_free(&x.listed);
    bs_buf_free(&x.file);
    return s;
}

/* --- the header of XMC --------------------------------------------------- */

static basin_status check_size(const bs_reading *r, const char *what, int64_t n, int most)
{
    if (n >= 1 && n <= most)
        return BASIN_OK;
    return bs_error_at(r, 1, 0, "the header says %lld %s; 1 to %d are possible (data.max_%s)",
                       (long long)n, what, most, what);
}

static basin_status open_xmc(bs_reading *r)
{
    bs_line      line;
    bool         more;
    int64_t      number[3];
    basin_status s = bs_reading_line(r, &line, &more);
    if (!s && more)
        s = clean(r, &line);
    if (s)
        return s;
    const int n = more ? header_numbers(line.text, number) : 0;
    if (n == 2)
        return bs_error_at(r, 1, 0,
                           "the header has two numbers, so the labels are in another file; write "
                           "'rows features labels', and the labels before the features of a row");
    if (n == 0)
        return bs_error_at(r, 1, 0,
                           "the file begins with 'rows features labels', as in 100 5000 20");
    s = check_size(r, "features", number[1], r->o->max_features);
    if (!s)
        s = check_size(r, "labels", number[2], r->o->max_labels);
    if (!s)
        s = check_size(r, "rows", number[0], r->o->max_rows);
    shape *own = s ? NULL : bs_alloc(sizeof *own);
    if (!own)
        return s ? s : bs_fail_nomem(r->err);
    *own = (shape){number[0], number[1], number[2]};
    r->own = own;
    return BASIN_OK;
}

static void close_xmc(bs_reading *r)
{
    bs_free(r->own);
}

const bs_reader bs_reader_libsvm = {
    .name = "libsvm",
    .help = "LIBSVM or SVMlight rows with several labels: 1,5,9 3:0.5 7:1",
    .extensions = ".libsvm .svm .svmlight .txt",
    .uses = "data.labels data.index_base",
    .sniff = sniff_libsvm,
    .next = next,
};

const bs_reader bs_reader_xmc = {
    .name = "xmc",
    .help = "extreme-classification repository: 'rows features labels', then LIBSVM rows from 0",
    .extensions = ".txt .xmc",
    .uses = "data.labels",
    .sniff = sniff_xmc,
    .open = open_xmc,
    .next = next,
    .close = close_xmc,
};
