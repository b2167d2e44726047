/* dataset.c -- whole data sets: selecting rows and features, appending rows, hashing contents. */
#include "data/dataset.h"

#include <math.h>
#include <string.h>

#include "data/names.h"

void bs_rows_free(bs_rows *ds)
{
    if (!ds)
        return;
    bs_free(ds->x_start);
    bs_free(ds->x_index);
    bs_free(ds->x_value);
    bs_free(ds->y_start);
    bs_free(ds->y_index);
    bs_free(ds->u_start);
    bs_free(ds->u_index);
    bs_coverage_free(&ds->met);
    bs_arena_free(&ds->arena);
    bs_free(ds);
}

basin_status bs_rows_own(bs_rows *ds, basin_error *err)
{
    const size_t n = ds->x.start ? (size_t)ds->x.start[ds->rows] : 0;
    if (ds->x_index || n == 0)
        return BASIN_OK;
    ds->x_index = bs_alloc(n * sizeof *ds->x_index);
    ds->x_value = ds->x.value ? bs_alloc(n * sizeof *ds->x_value) : NULL;
    if (!ds->x_index || (ds->x.value && !ds->x_value))
        return bs_fail_nomem(err);
    memcpy(ds->x_index, ds->x.index, n * sizeof *ds->x_index);
    if (ds->x_value)
        memcpy(ds->x_value, ds->x.value, n * sizeof *ds->x_value);
    ds->x.index = ds->x_index;
    ds->x.value = ds->x_value;
    return BASIN_OK;
}

static int32_t entries(const bs_csr *m)
{
    return m->start ? m->start[m->rows] : 0;
}

/* --- choosing rows ------------------------------------------------------- */

/* The selected rows of one matrix; *value may be NULL if the source has none. */
static bool copy_rows(const bs_csr *from, const int32_t *rows, int32_t n, int32_t **start,
                      int32_t **index, float **value)
{
    int64_t total = 0;
    for (int32_t i = 0; i < n; i++)
        total += from->start[rows[i] + 1] - from->start[rows[i]];
    if (total >= INT32_MAX)
        return false;
    *start = bs_alloc(((size_t)n + 1) * sizeof **start);
    *index = bs_alloc((size_t)total * sizeof **index);
    bool ok = *start && *index;
    if (from->value) {
        *value = bs_alloc((size_t)total * sizeof **value);
        ok = ok && *value;
    }
    if (!ok)
        return false;

    int32_t at = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t first = from->start[rows[i]];
        size_t  len = (size_t)(from->start[rows[i] + 1] - first);
        (*start)[i] = at;
        if (!len)
            continue;
        memcpy(*index + at, from->index + first, len * sizeof **index);
        if (from->value)
            memcpy(*value + at, from->value + first, len * sizeof **value);
        at += (int32_t)len;
    }
    (*start)[n] = at;
    return true;
}

/* Points the three matrices at the blocks. */
static void set_views(bs_rows *ds)
{
    const bs_schema *s = &ds->schema;
    ds->x = (bs_csr){ds->rows, s->n_features, ds->x_start, ds->x_index, ds->x_value};
    ds->y = (bs_csr){ds->rows, s->n_labels, ds->y_start, ds->y_index, NULL};
    ds->unknown = (bs_csr){0};
    if (ds->u_start)
        ds->unknown = (bs_csr){ds->rows, s->n_labels, ds->u_start, ds->u_index, NULL};
    ds->n_missing = 0;
    for (int32_t i = 0, n = entries(&ds->x); ds->x_value && i < n; i++)
        ds->n_missing += isnan(ds->x_value[i]) != 0;
}

/* Gives n rows of `to`, from row `at` on, the names of the given rows of `from` (NULL: of all). */
static bool copy_ids(const bs_rows *from, const int32_t *rows, int32_t n, bs_rows *to,
                     const char **id, uint8_t *numbered, int32_t at)
{
    for (int32_t i = 0; i < n; i++) {
        const int32_t row = rows ? rows[i] : i;
        const char   *text = from->row_id[row];
        id[at + i] = bs_arena_copy(&to->arena, text, strlen(text));
        numbered[at + i] = from->numbered && from->numbered[row];
        if (!id[at + i])
            return false;
    }
    to->row_id = id;
    to->numbered = numbered;
    return true;
}

static bool select_ids(const bs_rows *from, const int32_t *rows, int32_t n, bs_rows *to)
{
    if (!from->row_id)
        return true;
    const char **id = bs_arena_alloc(&to->arena, ((size_t)n + 1) * sizeof *id);
    uint8_t     *numbered = bs_arena_alloc(&to->arena, (size_t)n + 1);
    return id && numbered && copy_ids(from, rows, n, to, id, numbered, 0);
}

/* Row numbers of the file, so that people can find them. */
static bool copy_numbers(const bs_rows *from, const int32_t *rows, int32_t n, bs_rows *to)
{
    int32_t *number = bs_arena_alloc(&to->arena, ((size_t)n + 1) * sizeof *number);
    for (int32_t i = 0; number && i < n; i++)
        number[i] = from->row_number ? from->row_number[rows[i]] : rows[i] + 1;
    to->row_number = number;
    return number != NULL;
}

/* The texts of the given rows (NULL: of all) of `from`, into an arena. */
static bool copy_documents(const bs_rows *from, const int32_t *rows, int32_t n, bs_arena *arena,
                           bs_row_text *out)
{
    for (int32_t i = 0; i < n; i++) {
        out[i] = from->document[rows ? rows[i] : i];
        if (!(out[i].bytes = bs_arena_copy(arena, out[i].bytes, out[i].n)))
            return false;
    }
    return true;
}

static bool select_documents(const bs_rows *from, const int32_t *rows, int32_t n, bs_rows *to)
{
    if (!from->document)
        return true;
    bs_row_text *text = bs_arena_alloc(&to->arena, ((size_t)n + 1) * sizeof *text);
    to->document = text;
    return text && copy_documents(from, rows, n, &to->arena, text);
}

basin_status bs_rows_select(const bs_rows *ds, const int32_t *rows, int32_t n, bs_rows **out,
                            basin_error *err)
{
    *out = NULL;
    for (int32_t i = 0; i < n; i++)
        if (rows[i] < 0 || rows[i] >= ds->rows)
            return bs_fail(err, BASIN_EARG, "row %d is not in 0..%d", rows[i], ds->rows - 1);
    bs_rows *to = bs_calloc(1, sizeof *to);
    if (!to)
        return bs_fail_nomem(err);
    bs_arena_init(&to->arena, 0);
    to->format = ds->format;
    to->source = ds->source;
    to->labelled = ds->labelled;
    to->open_labels = ds->open_labels;
    to->rows = n;
    float *none = NULL;
    bool   ok = !bs_schema_copy(&ds->schema, &to->arena, &to->schema, err) &&
              copy_rows(&ds->x, rows, n, &to->x_start, &to->x_index, &to->x_value) &&
              copy_rows(&ds->y, rows, n, &to->y_start, &to->y_index, &none) &&
              select_ids(ds, rows, n, to) && copy_numbers(ds, rows, n, to) &&
              select_documents(ds, rows, n, to);
    if (ok && ds->unknown.start)
        ok = copy_rows(&ds->unknown, rows, n, &to->u_start, &to->u_index, &none);
    if (!ok) {
        bs_rows_free(to);
        return bs_fail_nomem(err);
    }
    set_views(to);
    to->hash = bs_rows_hash(to);
    *out = to;
    return BASIN_OK;
}

/* --- choosing features --------------------------------------------------- */

basin_status bs_rows_keep_features(bs_rows *ds, const uint8_t *keep, basin_error *err)
{
    bs_schema *s = &ds->schema;
    int32_t    kept = 0, at = 0;
    size_t     n = (size_t)s->n_features;
    int32_t   *map = bs_alloc((n ? n : 1) * sizeof *map);
    if (!map || bs_rows_own(ds, err)) {
        bs_free(map);
        return bs_fail_nomem(err);
    }
    for (int32_t i = 0; i < s->n_features; i++)
        map[i] = keep[i] ? kept++ : -1;

    bs_feature *list = NULL;
    if (s->feature) {
        list = bs_arena_alloc(&ds->arena, ((size_t)kept + 1) * sizeof *list);
        if (!list) {
            bs_free(map);
            return bs_fail_nomem(err);
        }
        for (int32_t i = 0; i < s->n_features; i++)
            if (keep[i])
                list[map[i]] = s->feature[i];
    }
    for (int32_t r = 0, first = 0; r < ds->rows; r++) {
        int32_t end = ds->x_start[r + 1];
        for (int32_t e = first; e < end; e++) {
            int32_t to = map[ds->x_index[e]];
            if (to < 0)
                continue;
            ds->x_index[at] = to;
            if (ds->x_value)
                ds->x_value[at] = ds->x_value[e];
            at++;
        }
        first = end;
        ds->x_start[r + 1] = at;
    }
    bs_free(map);
    s->feature = list;
    s->n_features = kept;
    set_views(ds);
    ds->hash = bs_rows_hash(ds);
    return BASIN_OK;
}

/* --- appending ----------------------------------------------------------- */

typedef struct {
    int32_t *start, *index;
    float   *value;
} block;

/* One matrix on top of another; a NULL start means an empty one. */
static bool stack(const bs_csr *a, int32_t rows_a, const bs_csr *b, int32_t rows_b, bool values,
                  block *out)
{
    int32_t na = entries(a), nb = entries(b);
    if (na > INT32_MAX - 1 - nb || rows_a > INT32_MAX - 1 - rows_b)
        return false;
    size_t total = (size_t)(na + nb), rows = (size_t)(rows_a + rows_b);
    out->start = bs_alloc((rows + 1) * sizeof *out->start);
    out->index = bs_alloc(total * sizeof *out->index);
    out->value = values ? bs_alloc(total * sizeof *out->value) : NULL;
    if (!out->start || !out->index || (values && !out->value))
        return false;
    for (int32_t i = 0; i <= rows_a; i++)
        out->start[i] = a->start ? a->start[i] : 0;
    for (int32_t i = 1; i <= rows_b; i++)
        out->start[rows_a + i] = na + (b->start ? b->start[i] : 0);
    if (na)
        memcpy(out->index, a->index, (size_t)na * sizeof *out->index);
    if (nb)
        memcpy(out->index + na, b->index, (size_t)nb * sizeof *out->index);
    for (int32_t i = 0; values && i < na; i++)
        out->value[i] = a->value ? a->value[i] : 1;
    for (int32_t i = 0; values && i < nb; i++)
        out->value[na + i] = b->value ? b->value[i] : 1;
    return true;
}

/* Exchanges the block for what is there. */
static void put(block *b, int32_t **start, int32_t **index, float **value)
{
    const block was = {*start, *index, value ? *value : NULL};
    *start = b->start;
    *index = b->index;
    if (value)
        *value = b->value;
    *b = was;
}

static void free_block(block *b)
{
    bs_free(b->start);
    bs_free(b->index);
    bs_free(b->value);
}

static bool append_ids(bs_rows *a, const bs_rows *b)
{
    if (!a->row_id || !b->row_id) {
        a->row_id = NULL;
        a->numbered = NULL;
        return true;
    }
    size_t       n = (size_t)a->rows + (size_t)b->rows;
    const char **id = bs_arena_alloc(&a->arena, (n + 1) * sizeof *id);
    uint8_t     *numbered = bs_arena_alloc(&a->arena, n + 1);
    if (!id || !numbered)
        return false;
    memcpy(id, a->row_id, (size_t)a->rows * sizeof *id);
    for (int32_t i = 0; i < a->rows; i++)
        numbered[i] = a->numbered && a->numbered[i];
    return copy_ids(b, NULL, b->rows, a, id, numbered, a->rows);
}

static bool append_documents(bs_rows *a, const bs_rows *b)
{
    if (!a->document || !b->document) {
        a->document = NULL;
        return true;
    }
    const size_t n = (size_t)a->rows + (size_t)b->rows;
    bs_row_text *text = bs_arena_alloc(&a->arena, (n + 1) * sizeof *text);
    if (!text)
        return false;
    memcpy(text, a->document, (size_t)a->rows * sizeof *text);
    a->document = text;
    return copy_documents(b, NULL, b->rows, &a->arena, text + a->rows);
}

basin_status bs_rows_append(bs_rows *a, const bs_rows *b, basin_error *err)
{
    if (a->schema.n_features != b->schema.n_features || a->schema.n_labels != b->schema.n_labels)
        return bs_fail(err, BASIN_EARG,
                       "rows of %d features and %d labels cannot follow rows of "
                       "%d and %d",
                       b->schema.n_features, b->schema.n_labels, a->schema.n_features,
                       a->schema.n_labels);
    block x = {0}, y = {0}, u = {0};
    bool  open = a->unknown.start || b->unknown.start;
    bool  ok = stack(&a->x, a->rows, &b->x, b->rows, a->x.value || b->x.value, &x) &&
              stack(&a->y, a->rows, &b->y, b->rows, false, &y) &&
              (!open || stack(&a->unknown, a->rows, &b->unknown, b->rows, false, &u)) &&
              append_ids(a, b) && append_documents(a, b);
    if (ok) {
        put(&x, &a->x_start, &a->x_index, &a->x_value);
        put(&y, &a->y_start, &a->y_index, NULL);
        put(&u, &a->u_start, &a->u_index, NULL);
        a->rows += b->rows;
        a->row_number = NULL; /* of which file? */
        a->labelled = a->labelled && b->labelled;
        a->schema.dense = a->schema.dense && b->schema.dense;
        a->schema.binary = a->schema.binary && b->schema.binary;
        set_views(a);
        a->hash = bs_rows_hash(a);
    }
    free_block(&x);
    free_block(&y);
    free_block(&u);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

/* --- hash ---------------------------------------------------------------- */

/* Eight at a time: the cost is that of reading the memory. */
static uint64_t hash_ints(const int32_t *v, size_t n, uint64_t h)
{
    for (size_t i = 0; i < n; i += 8)
        h = bs_hash_bytes(v + i, (n - i < 8 ? n - i : 8) * sizeof *v, h);
    return h;
}

/* Ones hash like ones that are not stored. */
static uint64_t hash_values(const float *v, size_t n, uint64_t h)
{
    int32_t bits[64];
    for (size_t i = 0; i < n;) {
        size_t k = 0;
        for (; k < 64 && i < n; k++, i++) {
            float f = v ? v[i] : 1.0f;
            if (isnan(f))
                bits[k] = 0x7fc00000;
            else
                memcpy(&bits[k], &f, sizeof f);
        }
        h = hash_ints(bits, k, h);
    }
    return h;
}

static uint64_t hash_matrix(const bs_csr *m, bool values, uint64_t h)
{
    if (!m->start)
        return h;
    size_t n = (size_t)entries(m);
    h = hash_ints(m->start, (size_t)m->rows + 1, h);
    h = hash_ints(m->index, n, h);
    return values ? hash_values(m->value, n, h) : h;
}

uint64_t bs_rows_hash(const bs_rows *ds)
{
    const bs_schema *s = &ds->schema;
    int32_t          shape[3] = {ds->rows, s->n_features, s->n_labels};
    uint64_t         h = hash_ints(shape, 3, 1);
    for (int32_t i = 0; s->feature && i < s->n_features; i++)
        h = bs_hash_bytes(s->feature[i].name, strlen(s->feature[i].name), h);
    for (int32_t i = 0; i < s->n_labels; i++)
        h = bs_hash_bytes(s->label[i], strlen(s->label[i]), h);
    for (int32_t i = 0; ds->document && i < ds->rows; i++)
        h = bs_hash_bytes(ds->document[i].bytes, ds->document[i].n, h);
    h = hash_matrix(&ds->x, true, h);
    h = hash_matrix(&ds->y, false, h);
    return hash_matrix(&ds->unknown, false, h);
}

uint64_t bs_row_hash(const bs_rows *ds, int32_t row, uint64_t seed)
{
    const bs_csr *x = &ds->x;
    const int32_t first = x->start[row];
    const size_t  n = (size_t)(x->start[row + 1] - first);
    uint64_t      h = seed;
    if (ds->document)
        h = bs_hash_bytes(ds->document[row].bytes, ds->document[row].n, h);
    if (n)
        h = bs_hash_bytes(x->index + first, n * sizeof *x->index, h);
    return x->value && n ? bs_hash_bytes(x->value + first, n * sizeof *x->value, h) : h;
}
