/* reader_libsvm.c -- "1,5,9 3:0.5 7:1": LIBSVM and SVMlight with several labels.
 *
 * Labels are words; numbers among them are sorted by value. A row may start with its features (no
 * labels) or be a blank line (no features either): dropping blank lines would shift all later rows.
 * Whether features count from 0 or 1 is decided on the training file and kept in its schema. */
#include <stdlib.h>
#include <string.h>

#include "data/scan.h"
#include "data/rows/svm.h"

typedef struct {
    bs_reading *r;
    bs_svm      svm;
    bs_names    listed;       /* names of the labels, from a file */
    bs_buf      file;         /* that file */
    int32_t     kept;         /* blank lines that became rows */
    int32_t     small[10000]; /* label + 1 of the words "0" to "9999", 0 = not seen yet */
} libsvm;

static int sniff(const char *head, size_t n, const char *path)
{
    (void)path;
    const char *end = head + n;
    bool        features = false;
    int         lines = 0;
    while (head < end && lines < 20) {
        const char *nl = memchr(head, '\n', (size_t)(end - head));
        if (!nl && n >= (size_t)64 << 10 && lines > 0)
            break; /* a line truncated by the end of the window */
        if (!bs_svm_looks_like(head, nl ? nl : end, &features))
            return 0;
        lines++;
        head = nl ? nl + 1 : end;
    }
    return features ? 80 : 0;
}

/* --- labels -------------------------------------------------------------- */

/* With a list of names, a number is a position in it. */
static basin_status listed_label(libsvm *x, const bs_line *line, const char *p, size_t n,
                                 int32_t *out)
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

/* Numbers are looked up without hashing: most labels are numbers. */
static int32_t *small_slot(libsvm *x, const char *p, size_t n)
{
    int value = 0;
    if (n == 0 || n > 4 || (*p == '0' && n > 1))
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)(p[i] - '0') >= 10)
            return NULL;
        value = value * 10 + (p[i] - '0');
    }
    return &x->small[value];
}

static basin_status one_label(libsvm *x, const bs_line *line, const char *p, size_t n)
{
    bs_build *b = x->r->b;
    int32_t   k, *slot = small_slot(x, p, n);
    bool      fresh;
    if (slot && *slot)
        return bs_push_y(b, *slot - 1) ? BASIN_OK : bs_fail_nomem(x->r->err);
    if (n == 0)
        return bs_error_at(x->r, line->number, (size_t)(p - line->text) + 1,
                           "an empty label; labels are separated by single commas");
    if (x->listed.n) {
        basin_status s = listed_label(x, line, p, n, &k);
        if (s)
            return s;
    } else {
        if (!bs_is_utf8(p, n))
            return bs_error_at(x->r, line->number, (size_t)(p - line->text) + 1,
                               "the label is not UTF-8 text");
        k = bs_names_add(&b->labels, p, n, &fresh);
        if (k >= x->r->o->max_labels)
            return bs_error_at(x->r, line->number, 0,
                               "more than %d labels; data.max_labels allows more",
                               x->r->o->max_labels);
    }
    if (k < 0 || !bs_push_y(b, k))
        return bs_fail_nomem(x->r->err);
    if (slot)
        *slot = k + 1;
    return BASIN_OK;
}

static basin_status take_labels(libsvm *x, const bs_line *line, const char *p, const char *end)
{
    while (p < end) {
        p = bs_skip_blanks(p);
        size_t word = strcspn(p, " \t");
        if (p >= end)
            break;
        for (const char *stop = p + word;; p++) {
            const char  *comma = memchr(p, ',', (size_t)(stop - p));
            const char  *cut = comma ? comma : stop;
            basin_status s = one_label(x, line, p, (size_t)(cut - p));
            if (s)
                return s;
            p = cut;
            if (!comma)
                break;
        }
    }
    return BASIN_OK;
}

typedef struct {
    const char *text;
    long long   number;
    int32_t     old;
} label_rank;

static int by_number(const void *a, const void *b)
{
    const label_rank *p = a, *q = b;
    if (p->number != q->number)
        return p->number < q->number ? -1 : 1;
    return strcmp(p->text, q->text);
}

static int by_text(const void *a, const void *b)
{
    const label_rank *p = a, *q = b;
    return strcmp(p->text, q->text);
}

/* Labels in an order independent of that of the rows. */
static basin_status order_labels(libsvm *x)
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
    qsort(rank, (size_t)L, sizeof *rank, numbers ? by_number : by_text);
    for (int32_t i = 0; i < L; i++) {
        map[rank[i].old] = i;
        name[i] = rank[i].text;
    }
    for (size_t e = 0; e < b->ny; e++)
        b->y_index[e] = map[b->y_index[e]];
    for (int32_t i = 0; i < b->rows; i++)
        if (b->y_start[i + 1] > b->y_start[i] + 1)
            bs_sort_entries(b->y_index + b->y_start[i], NULL,
                            (size_t)(b->y_start[i + 1] - b->y_start[i]));
    b->ds->schema.label = name;
    bs_free(rank);
    bs_free(map);
    return BASIN_OK;
}

/* --- rows ---------------------------------------------------------------- */

/* A row follows the blank lines, so they are rows, too. */
static basin_status blank_rows(libsvm *x, long line)
{
    bs_reading  *r = x->r;
    basin_status s = BASIN_OK;
    for (; !s && r->blank && r->b->rows < r->most; r->blank--, x->kept++)
        s = bs_reading_row(r, line);
    return s;
}

static basin_status one_line(void *self, bs_line *line)
{
    libsvm      *x = self;
    bs_reading  *r = x->r;
    const char   first = *bs_skip_blanks(line->text);
    basin_status s = BASIN_OK;
    if (r->blank && first && first != '#')
        s = blank_rows(x, line->number);
    if (!s && r->b->rows >= r->most) { /* the next block begins with it */
        bs_input_unread(r->in, line);
        return BASIN_OK;
    }
    const bool comment = line->text[0] == '#';
    if (!s)
        s = bs_svm_clean(r, line);
    if (s || comment)
        return s;
    const char *p = bs_skip_blanks(line->text);
    if (!*p) {
        r->blank++;
        return BASIN_OK;
    }
    const char *features = bs_svm_labels_end(p);
    if (!s)
        s = take_labels(x, line, p, features);
    if (!s)
        s = bs_svm_features(x->r, &x->svm, line, features);
    return s ? s : bs_reading_row(x->r, line->number);
}

/* Numbers become columns once it is known where they start. */
static basin_status finish(libsvm *x)
{
    bs_reading            *r = x->r;
    bs_build              *b = r->b;
    const bs_read_options *o = r->o;
    bool                   any = x->svm.highest >= 0;
    int                    base = any && x->svm.lowest == 0 ? 0 : 1;
    if (o->like && !o->like->feature)
        base = o->like->index_base;
    if (strcmp(o->index_base, "auto") != 0)
        base = o->index_base[0] - '0';
    else if (!o->like)
        bs_notes_add(r->notes, "index base",
                     base ? "no feature is numbered 0: they count from 1 "
                            "(data.index_base)"
                          : "features count from 0 (data.index_base)");
    if (any && x->svm.lowest < base)
        return bs_error_at(r, 0, 0, "has a feature 0, but features were to count from 1 (%s)",
                           o->like ? "as in the training data" : "data.index_base");
    for (size_t e = 0; base && e < b->nx; e++)
        b->x_index[e] -= base;
    b->ds->schema.index_base = base;
    b->ds->schema.open = true;
    b->ds->open_labels = x->listed.n == 0;
    b->ds->schema.binary = b->ones;
    if (x->kept)
        bs_notes_add(r->notes, "blank lines",
                     "%d blank lines were read as rows without labels and "
                     "features",
                     x->kept);
    if (r->ended && r->blank)
        bs_notes_add(r->notes, "blank lines", "%lld blank lines at the end were not read as rows",
                     (long long)r->blank);
    if (x->svm.queries)
        bs_notes_add(r->notes, "left out", "qid: entries are not used");
    if (b->reordered)
        bs_notes_add(r->notes, "unsorted",
                     "some rows do not have their features in increasing "
                     "order");
    b->ds->source.attributes = any ? (int32_t)(x->svm.highest + 1 - base) : 0;
    b->ds->source.numeric = b->ds->source.attributes;
    b->ds->labelled = b->labels.n > 0 || x->listed.n > 0;
    if (!b->ds->labelled && !o->label_free)
        return bs_error_at(r, 0, 0, "no row has a label; a row is 'label,label number:value ...'");
    int32_t n_labels = -1;
    if (x->listed.n) {
        const char **name = bs_arena_alloc(&b->ds->arena, (size_t)x->listed.n * sizeof *name);
        if (!name)
            return bs_fail_nomem(r->err);
        for (int32_t i = 0; i < x->listed.n; i++)
            name[i] = x->listed.item[i].text;
        b->ds->schema.label = name;
        n_labels = x->listed.n;
    } else {
        basin_status s = order_labels(x);
        if (s)
            return s;
    }
    return bs_build_finish(b, b->ds->source.attributes, n_labels, r->err);
}

static basin_status next(bs_reading *r)
{
    libsvm *x = bs_calloc(1, sizeof *x);
    if (!x)
        return bs_fail_nomem(r->err);
    x->r = r;
    x->svm = (bs_svm){.limit = (int64_t)r->o->max_features + 1, .lowest = INT64_MAX, .highest = -1};
    bs_names_init(&x->listed, &r->b->ds->arena);
    basin_status s = bs_labels_file(r, &x->file);
    if (!s && x->file.len)
        s = bs_read_names(x->file.data, r->o->max_mb, r->o->max_labels, &x->listed, r->err);
    if (!s)
        s = bs_reading_lines(r, x, one_line);
    if (!s && !bs_reading_over(r))
        s = finish(x);
    bs_names_free(&x->listed);
    bs_buf_free(&x->file);
    bs_free(x);
    return s;
}

const bs_reader bs_reader_libsvm = {
    .name = "libsvm",
    .help = "LIBSVM or SVMlight rows with several labels: 1,5,9 3:0.5 7:1",
    .extensions = ".libsvm .svm .svmlight .txt",
    .uses = "data.labels data.index_base",
    .sniff = sniff,
    .next = next,
};
