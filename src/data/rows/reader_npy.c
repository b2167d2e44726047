/* reader_npy.c -- arrays of numpy: X in a .npy file, X and Y in a .npz archive.
 *
 * Arrays have no names: columns are x0, x1, ..., labels y0, y1, ..., unless an archive has
 * feature_names or label_names. If a model knows the columns under other names, they are matched by
 * position, with a note. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "data/rows/npy.h"
#include "data/scan.h"

enum { BLOCK_BYTES = 32 << 20 };

typedef struct {
    bs_reading   *r;
    bs_buf        bytes;
    bs_npz        z;
    bs_npy        one;   /* of a .npy file */
    const bs_npy *x, *y; /* either may be NULL */
    const bs_npy *x_names, *y_names;
    uint8_t      *label;   /* [columns of x]: chosen by --labels */
    uint8_t      *dropped; /* ...: chosen by --drop */
    int32_t      *column;  /* [columns of x]: feature or label; -1: dropped */
    bool          classes; /* y is one class per row, a number or a text */
} npy;

static int sniff(const char *head, size_t n, const char *path)
{
    const uint8_t *b = (const uint8_t *)head;
    (void)path;
    if (bs_npy_is(head, n))
        return 100;
    if (n < 46 || memcmp(head, "PK\3\4", 4) != 0)
        return 0;
    size_t len = (size_t)b[26] | (size_t)b[27] << 8;
    return len > 4 && 30 + len <= n && memcmp(head + 30 + len - 4, ".npy", 4) == 0 ? 100 : 0;
}

/* --- which arrays -------------------------------------------------------- */

static basin_status open_archive(npy *a)
{
    static const char *const x_names[] = {"X", "features", "data", "inputs", "arr_0", NULL};
    static const char *const y_names[] = {"Y", "labels", "target", "targets", "arr_1", NULL};
    static const char *const columns[] = {"feature_names", "columns", NULL};
    static const char *const labels[] = {"label_names", "target_names", "classes", NULL};
    char                     list[200];
    basin_status s = bs_npz_open(a->r->name, a->bytes.data, a->bytes.len, a->bytes.ceiling,
                                 a->r->o->max_mb, &a->z, a->r->err);
    if (s)
        return s;
    a->x = bs_npz_find(&a->z, x_names);
    a->y = bs_npz_find(&a->z, y_names);
    a->x_names = bs_npz_find(&a->z, columns);
    a->y_names = bs_npz_find(&a->z, labels);
    if (a->r->o->only_labels && !a->y && a->z.n == 1) {
        a->y = &a->z.array[0];
        a->x = NULL;
    }
    if (!a->x && !(a->y && a->r->o->only_labels))
        return bs_error_at(a->r, 0, 0,
                           "holds the arrays %s; X and Y are read (np.savez(FILE, X=..., Y=...))",
                           bs_npz_list(&a->z, list, sizeof list));
    return BASIN_OK;
}

/* The header of an array that a model's rows are read from, in order. */
static basin_status open_file(bs_reading *r)
{
    enum { LONGEST = 1 << 20 };
    const char  *head;
    size_t       n, size = 0;
    bs_npy      *x;
    basin_status s = bs_input_peek(r->in, 12, &head, &n, r->err);
    if (s || !bs_npy_is(head, n) || !r->o->like || !r->o->label_free || r->o->only_labels)
        return s;
    s = bs_input_peek(r->in, LONGEST, &head, &n, r->err);
    if (!s && !(x = r->own = bs_calloc(1, sizeof *x)))
        s = bs_fail_nomem(r->err);
    if (!s)
        s = bs_npy_begin(r->name, head, n, x, &size, r->err);
    if (!s && !x->fortran && x->kind != 'U' && x->dims == 2 && x->dim[1] <= r->o->max_features)
        return bs_input_take(r->in, size, &r->head, r->err);
    bs_free(r->own);
    r->own = NULL;
    return s;
}

static void close_file(bs_reading *r)
{
    bs_free(r->own);
}

/* The rows of a block; the array then has no others. */
static basin_status next_rows(npy *a)
{
    bs_reading   *r = a->r;
    const bs_npy *all = r->own;
    const size_t  row = (size_t)all->dim[1] * (size_t)all->size;
    int64_t       rows = all->dim[0] - r->before;
    const int64_t fit = row < BLOCK_BYTES ? (int64_t)(BLOCK_BYTES / row) : 1;
    const int64_t most = fit < r->most ? fit : r->most;
    rows = rows < most ? rows : most;
    size_t       more = 1, extra = 0;
    basin_status s = bs_input_take(r->in, (size_t)rows * row, &a->bytes, r->err);
    r->ended = r->before + rows == all->dim[0];
    while (!s && r->ended && more > 0) {
        const char *bytes;
        s = bs_input_some(r->in, &bytes, &more, r->err);
        extra += more;
    }
    if (!s && (a->bytes.len < (size_t)rows * row || extra >= (size_t)all->size))
        s = bs_npy_fail_size(
            r->name, all, ((uint64_t)r->before * row + a->bytes.len + extra) / (uint64_t)all->size,
            r->err);
    a->one = *all;
    a->one.dim[0] = rows;
    a->one.data = (const uint8_t *)a->bytes.data;
    a->x = &a->one;
    return s;
}

static basin_status open_arrays(npy *a)
{
    if (a->r->own && a->r->most < BS_ALL_ROWS)
        return next_rows(a);
    a->r->ended = true;
    bs_buf_add(&a->bytes, a->r->head.data ? a->r->head.data : "", a->r->head.len);
    basin_status s = bs_input_rest(a->r->in, &a->bytes, a->r->err);
    if (s)
        return s;
    const char *bytes = a->bytes.data ? a->bytes.data : "";
    if (!bs_npy_is(bytes, a->bytes.len))
        return open_archive(a);
    s = bs_npy_parse(a->r->name, bytes, a->bytes.len, &a->one, a->r->err);
    a->x = a->r->o->only_labels ? NULL : &a->one;
    a->y = a->r->o->only_labels ? &a->one : NULL;
    return s;
}

static basin_status check_arrays(npy *a)
{
    const bs_read_options *o = a->r->o;
    if (a->x && a->x->kind == 'U')
        return bs_error_at(a->r, 0, 0, "X holds texts; features are numbers");
    if (a->x && a->x->dims != 2)
        return bs_error_at(a->r, 0, 0,
                           "X has one dimension; rows and columns are two (X.reshape(-1, 1))");
    if (a->x && a->y && a->x->dim[0] != a->y->dim[0])
        return bs_error_at(a->r, 0, 0, "X has %lld rows, Y has %lld", (long long)a->x->dim[0],
                           (long long)a->y->dim[0]);
    const int64_t rows = a->x ? a->x->dim[0] : a->y->dim[0];
    if (rows > o->max_rows)
        return bs_error_at(a->r, 0, 0, "more than %d rows; data.max_rows allows more", o->max_rows);
    if (a->x && a->x->dim[1] > o->max_features)
        return bs_error_at(a->r, 0, 0, "%lld features; data.max_features allows %d",
                           (long long)a->x->dim[1], o->max_features);
    if (a->y && a->y->dim[1] > o->max_labels)
        return bs_error_at(a->r, 0, 0, "%lld labels; data.max_labels allows %d",
                           (long long)a->y->dim[1], o->max_labels);
    return BASIN_OK;
}

/* --- names --------------------------------------------------------------- */

/* "x12" and the like: names that merely number the columns; *last: the highest number. */
static bool numbers_only(const char *const *name, int32_t n, char letter, int64_t *last)
{
    for (int32_t i = 0; i < n; i++) {
        int64_t     k;
        const char *end = name[i][0] == letter ? bs_scan_index(name[i] + 1, &k) : NULL;
        if (!end || *end)
            return false;
        *last = k > *last ? k : *last;
    }
    return true;
}

/* The model's names if it has as many columns; NULL if the numbered names are right. */
static basin_status trained_names(npy *a, const char *const *known, int32_t n_known, int32_t n,
                                  char letter, const char *what, bool *take)
{
    const bs_schema *like = a->r->o->like;
    int64_t          last = -1, label = -1;
    *take = false;
    if (!n_known)
        return BASIN_OK;
    if (numbers_only(known, n_known, letter, &last)) {
        /* Labels may have been columns of the same array. */
        if (letter == 'x' && numbers_only(like->label, like->n_labels, letter, &label))
            last = label > last ? label : last;
        if (n > last + 1 && !a->r->o->drop[0])
            return bs_error_at(a->r, 0, 0, "has %d columns; the training data had %lld", (int)n,
                               (long long)last + 1);
        return BASIN_OK;
    }
    if (n_known != n)
        return bs_error_at(a->r, 0, 0, "has %d columns; the training data had %d %s ('%.60s'%s)",
                           (int)n, (int)n_known, what, known[0], n_known > 1 ? ", ..." : "");
    *take = true;
    bs_notes_add(a->r->notes, BS_NOTE_GUESS,
                 "%s: its columns have no names and are taken for the %d %s of the training data, "
                 "in their order ('%.60s'%s)",
                 a->r->name, (int)n, what, known[0], n > 1 ? ", ..." : "");
    return BASIN_OK;
}

/* The names of columns: those in the archive, those of the model, or the letter and a number. */
static basin_status name_columns(npy *a, const bs_npy *names, const char *const *known,
                                 int32_t n_known, int32_t n, char letter, const char **out)
{
    const char  *what = letter == 'x' ? "features" : "labels";
    bs_arena    *arena = &a->r->b->ds->arena;
    bool         take = false;
    basin_status s = BASIN_OK;
    if (names && (names->kind != 'U' || names->dim[0] * names->dim[1] != n))
        return bs_error_at(a->r, 0, 0, "'%s' are not the %lld names of the %s", names->name,
                           (long long)n, what);
    if (!names && known)
        s = trained_names(a, known, n_known, n, letter, what, &take);
    for (int32_t i = 0; !s && i < n; i++) {
        char        text[24];
        const char *name = take ? known[i] : text;
        bs_print(text, sizeof text, "%c%d", letter, (int)i);
        out[i] = names ? bs_npy_text(names, i, arena) : bs_arena_copy(arena, name, strlen(name));
        if (!out[i])
            s = bs_fail_nomem(a->r->err);
    }
    return s;
}

static basin_status feature_names(npy *a, const char **out)
{
    const bs_schema *like = a->x_names ? NULL : a->r->o->like;
    const int32_t n = (int32_t)a->x->dim[1], n_known = like && like->feature ? like->n_features : 0;
    const char  **known = bs_alloc(((size_t)n_known + 1) * sizeof *known);
    basin_status  s = known ? BASIN_OK : bs_fail_nomem(a->r->err);
    for (int32_t i = 0; !s && i < n_known; i++) {
        known[i] = like->feature[i].attribute;
        if (like->feature[i].kind == BS_FEATURE_ONEHOT)
            s = bs_error_at(a->r, 0, 0,
                            "has no names of columns; the training data had '%.60s', which is "
                            "not a number",
                            known[i]);
    }
    if (!s)
        s = name_columns(a, a->x_names, known, n_known, n, 'x', out);
    bs_free(known);
    return s;
}

/* A new label or feature; *column is its number. */
static basin_status add_column(npy *a, const char *name, bool label, int32_t *column)
{
    bs_build             *b = a->r->b;
    const bs_feature_kind kind = a->x && a->x->kind == 'b' ? BS_FEATURE_BINARY : BS_FEATURE_NUMERIC;
    bool                  fresh;
    *column = label ? bs_names_add(&b->labels, name, strlen(name), &fresh)
                    : bs_build_feature(b, name, name, NULL, kind, &fresh);
    if (*column < 0)
        return bs_fail_nomem(a->r->err);
    return fresh ? BASIN_OK : bs_error_at(a->r, 0, 0, "two columns are named '%s'", name);
}

/* --- features ------------------------------------------------------------ */

static basin_status use_features(npy *a)
{
    const size_t n = (size_t)a->x->dim[1] + 1;
    bs_reading  *r = a->r;
    const char **name = bs_calloc(n, sizeof *name);
    a->label = bs_calloc(n, 1);
    a->dropped = bs_calloc(n, 1);
    a->column = bs_calloc(n, sizeof *a->column);
    basin_status s = name && a->label && a->dropped && a->column ? feature_names(a, name)
                                                                 : bs_fail_nomem(r->err);
    if (!s && r->o->labels[0] && !a->y) {
        s = bs_select_labels(r, name, (int32_t)n - 1, a->label);
        bs_print(r->b->ds->source.labels_from, sizeof r->b->ds->source.labels_from, "--labels");
    }
    if (!s)
        s = bs_select_dropped(r, name, (int32_t)n - 1, a->dropped);
    for (int32_t i = 0; !s && i < a->x->dim[1]; i++)
        if (!a->dropped[i])
            s = add_column(a, name[i], a->label[i], &a->column[i]);
    bs_free(name);
    bs_source *source = &r->b->ds->source;
    source->attributes = r->b->features.n;
    if (a->x->kind == 'b')
        source->nominal = source->binary = source->attributes;
    else
        source->numeric = source->attributes;
    return s;
}

/* --- labels -------------------------------------------------------------- */

/* One number per row, not only 0 and 1, or one text: the name of a class. */
static bool are_classes(const bs_npy *y)
{
    if (y->dim[1] != 1)
        return false;
    for (int64_t i = 0; i < y->dim[0] && y->kind != 'U'; i++) {
        double v = bs_npy_number(y, i, 0);
        if (v != floor(v) || fabs(v) > 1e9)
            return false;
    }
    for (int64_t i = 0; i < y->dim[0]; i++)
        if (y->kind == 'U' || (bs_npy_number(y, i, 0) != 0 && bs_npy_number(y, i, 0) != 1))
            return true;
    return false;
}

static basin_status use_labels(npy *a)
{
    const bs_schema *like = a->r->o->like;
    const int32_t    n = (int32_t)a->y->dim[1];
    bs_build        *b = a->r->b;
    bs_print(b->ds->source.labels_from, sizeof b->ds->source.labels_from, "%s",
             *a->y->name ? a->y->name : "a file of labels");
    a->classes = are_classes(a->y);
    if (a->classes) {
        b->ds->open_labels = true;
        bs_notes_add(a->r->notes, "labels", "%s holds one class per row: each class is a label",
                     *a->y->name ? a->y->name : a->r->name);
        return BASIN_OK;
    }
    if (a->y->kind == 'U')
        return bs_error_at(a->r, 0, 0, "Y holds texts in %d columns; labels are columns of 0 and 1",
                           (int)n);
    const char **name = bs_calloc((size_t)n + 1, sizeof *name);
    basin_status s = name ? name_columns(a, a->y_names, like ? like->label : NULL,
                                         like ? like->n_labels : 0, n, 'y', name)
                          : bs_fail_nomem(a->r->err);
    for (int32_t i = 0, k; !s && i < n; i++)
        s = add_column(a, name[i], true, &k);
    bs_free(name);
    return s;
}

static basin_status put_label(npy *a, int64_t row, int64_t column, double v, int32_t label)
{
    bool ok = true;
    if (isnan(v))
        ok = bs_build_unknown(a->r->b, label);
    else if (v == 1)
        ok = bs_push_y(a->r->b, label);
    else if (v != 0)
        return bs_error_at(a->r, 0, 0, "row %lld, column %lld is %g; labels are 0 and 1",
                           (long long)row + 1, (long long)column + 1, v);
    return ok ? BASIN_OK : bs_fail_nomem(a->r->err);
}

static basin_status put_class(npy *a, int64_t row)
{
    char        number[32];
    bs_build   *b = a->r->b;
    const char *text = number;
    if (a->y->kind == 'U')
        text = bs_npy_text(a->y, row, &b->ds->arena);
    else
        bs_print(number, sizeof number, "%.0f", bs_npy_number(a->y, row, 0));
    if (text && !*text)
        return BASIN_OK; /* no class */
    int32_t      k;
    basin_status s =
        text ? bs_add_label(a->r, 0, text, strlen(text), &k) : bs_fail_nomem(a->r->err);
    if (s)
        return s;
    return bs_push_y(b, k) ? BASIN_OK : bs_fail_nomem(a->r->err);
}

/* --- rows ---------------------------------------------------------------- */

static basin_status put_row(npy *a, int64_t row)
{
    basin_status s = BASIN_OK;
    for (int64_t i = 0; a->x && !s && i < a->x->dim[1]; i++) {
        double v = a->dropped[i] ? 0 : bs_npy_number(a->x, row, i);
        if (a->dropped[i])
            continue;
        if (a->label[i])
            s = put_label(a, row, i, v, a->column[i]);
        else if (fabs(v) > (double)FLT_MAX)
            s = bs_error_at(a->r, 0, 0,
                            "row %lld, column %lld is infinite or too large (above 3.4e38)",
                            (long long)(a->r->before + row) + 1, (long long)i + 1);
        else if (v != 0 && !bs_push_number(a->r->b, a->column[i], v))
            s = bs_fail_nomem(a->r->err);
    }
    if (!s && a->y && a->classes)
        s = put_class(a, row);
    for (int64_t i = 0; a->y && !a->classes && !s && i < a->y->dim[1]; i++)
        s = put_label(a, row, i, bs_npy_number(a->y, row, i), (int32_t)i);
    return s ? s : bs_reading_row(a->r, 0);
}

static basin_status finish(npy *a)
{
    bs_build *b = a->r->b;
    b->ds->schema.dense = true;
    b->ds->schema.binary = b->ones || (a->x && a->x->kind == 'b');
    b->ds->labelled = a->y || b->labels.n;
    if (!b->ds->labelled && !a->r->o->label_free)
        return a->r->o->like
                   ? bs_fail_no_labels(a->r)
                   : bs_error_at(a->r, 0, 0,
                                 "has no labels: give a second file (X.npy Y.npy), or say with "
                                 "--labels which columns they are, as in --labels last:6");
    if (b->ds->labelled && b->labels.n == 0)
        return bs_error_at(a->r, 0, 0, "no row has a label");
    return bs_build_finish(b, -1, -1, a->r->err);
}

static basin_status next(bs_reading *r)
{
    npy a = {.r = r};
    bs_buf_init(&a.bytes, (size_t)1 << 36);
    basin_status s = open_arrays(&a);
    if (!s)
        s = check_arrays(&a);
    if (!s && a.x)
        s = use_features(&a);
    if (!s && a.y)
        s = use_labels(&a);
    const int64_t rows = s ? 0 : a.x ? a.x->dim[0] : a.y->dim[0];
    for (int64_t i = 0; !s && i < rows; i++)
        s = put_row(&a, i);
    if (!s)
        s = finish(&a);
    bs_npz_free(&a.z);
    bs_free(a.label);
    bs_free(a.dropped);
    bs_free(a.column);
    bs_buf_free(&a.bytes);
    return s;
}

const bs_reader bs_reader_npy = {
    .name = "npy",
    .help = "numpy: X in a .npy file and Y in a second one, or X and Y in a .npz archive",
    .extensions = ".npy .npz",
    .uses = "data.labels data.drop",
    .sniff = sniff,
    .open = open_file,
    .next = next,
    .close = close_file,
};
