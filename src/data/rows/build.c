/* build.c -- growing arrays of entries, and what ends a row: sorting, dropping zeros, finding
 * columns that occur twice. */
#include "data/rows/build.h"

#include <math.h>
#include <string.h>

#include "data/scan.h"

enum { MOST = INT32_MAX - 1 };

bool bs_entries_room(bs_entries *e, bool values)
{
    size_t     cap = e->cap, same = e->cap;
    const bool ok = BS_GROW(e->index, cap, e->n + 1, MOST) &&
                    (!values || BS_GROW(e->value, same, e->n + 1, MOST));
    if (ok)
        e->cap = cap;
    return ok;
}

/* Room for the end of one more row; the first row starts at 0. */
static bool room_for_row(bs_entries *e, int32_t rows)
{
    const bool ok = BS_GROW(e->start, e->start_cap, (size_t)rows + 2, MOST);
    if (ok && rows == 0)
        e->start[0] = 0;
    return ok;
}

static bool room_for_rows(bs_build *b)
{
    return room_for_row(&b->x, b->rows) && room_for_row(&b->y, b->rows) &&
           room_for_row(&b->u, b->rows);
}

static void end_row(bs_entries *e, int32_t rows)
{
    e->row = e->n;
    e->start[rows] = (int32_t)e->n;
}

static void free_entries(bs_entries *e)
{
    bs_free(e->index);
    bs_free(e->value);
    bs_free(e->start);
}

basin_status bs_build_init(bs_build *b, int32_t max_rows, basin_error *err)
{
    *b = (bs_build){.ones = true, .max_rows = max_rows};
    b->ds = bs_calloc(1, sizeof *b->ds);
    if (!b->ds)
        return bs_fail_nomem(err);
    bs_arena_init(&b->ds->arena, 0);
    b->ds->labelled = true;
    bs_names_init(&b->features, &b->ds->arena);
    bs_names_init(&b->labels, &b->ds->arena);
    return BASIN_OK;
}

void bs_build_free(bs_build *b)
{
    bs_names_free(&b->features);
    bs_names_free(&b->labels);
    bs_rows_free(b->ds);
    free_entries(&b->x);
    free_entries(&b->y);
    free_entries(&b->u);
    bs_free(b->feature);
    bs_free(b->row_id);
    bs_free(b->row_text);
    bs_free(b->document);
    *b = (bs_build){0};
}

bool bs_build_id(bs_build *b, const char *text, size_t len)
{
    bool latin1;
    if (!BS_GROW(b->row_id, b->id_cap, (size_t)b->rows + 1, MOST))
        return false;
    for (; b->n_ids < b->rows; b->n_ids++)
        b->row_id[b->n_ids] = NULL;
    b->row_id[b->rows] = bs_to_utf8(&b->ds->arena, text, len, &latin1);
    b->n_ids = b->rows + 1; /* not one more: a row may be named twice */
    return b->row_id[b->rows] != NULL;
}

bool bs_build_document(bs_build *b, const char *text, size_t len)
{
    bool latin1;
    if (!BS_GROW(b->document, b->document_cap, (size_t)b->rows + 1, MOST))
        return false;
    for (; b->n_documents < b->rows; b->n_documents++)
        b->document[b->n_documents] = (bs_row_text){"", 0};
    char *copy = bs_arena_copy(&b->ds->arena, text, len);
    for (size_t i = 0; copy && i < len; i++)
        copy[i] = copy[i] ? copy[i] : ' ';
    text = copy;
    if (copy && !bs_is_utf8(copy, len)) {
        text = bs_to_utf8(&b->ds->arena, copy, len, &latin1);
        len = text ? strlen(text) : 0;
        b->recoded++;
    }
    b->document[b->rows] = (bs_row_text){text, len};
    b->n_documents = b->rows + 1;
    return text != NULL;
}

bool bs_build_text(bs_build *b, const char *text, size_t len)
{
    if (!BS_GROW(b->row_text, b->text_cap, (size_t)b->rows, MOST))
        return false;
    for (; b->n_texts < b->rows; b->n_texts++)
        b->row_text[b->n_texts] = (bs_row_text){0};
    const char *copy = bs_arena_copy(&b->ds->arena, text, len);
    b->row_text[b->rows - 1] = (bs_row_text){copy, len};
    return copy != NULL;
}

/* --- sorting a row ------------------------------------------------------- */

static void swap(int32_t *key, float *value, size_t i, size_t j)
{
    const int32_t k = key[i];
    key[i] = key[j];
    key[j] = k;
    if (value) {
        const float v = value[i];
        value[i] = value[j];
        value[j] = v;
    }
}

static void sift(int32_t *key, float *value, size_t root, size_t n)
{
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        child += child + 1 < n && key[child + 1] > key[child];
        if (key[root] >= key[child])
            return;
        swap(key, value, root, child);
    }
}

static bool increasing(const int32_t *key, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (key[i] <= key[i - 1])
            return false;
    return true;
}

/* Heap sort: rows come from foreign files, and no order may be slow. */
void bs_sort_entries(int32_t *key, float *value, size_t n)
{
    if (increasing(key, n))
        return;
    for (size_t i = n / 2; i-- > 0;)
        sift(key, value, i, n);
    for (size_t end = n; end-- > 1;) {
        swap(key, value, 0, end);
        sift(key, value, 0, end);
    }
}

/* Sorts the labels of the row and removes repetitions. */
static void tidy_labels(bs_build *b, bs_entries *e)
{
    int32_t     *key = e->index + e->row;
    const size_t n = e->n - e->row;
    size_t       kept = n > 0;
    if (increasing(key, n))
        return;
    bs_sort_entries(key, NULL, n);
    for (size_t i = 1; i < n; i++)
        if (key[i] != key[kept - 1])
            key[kept++] = key[i];
    b->repeated = b->repeated || kept < n;
    e->n = e->row + kept;
}

/* Sorts the features of the row and drops zeros. */
static void tidy_x(bs_build *b, int32_t *twice)
{
    int32_t *key = b->x.index + b->x.row;
    float   *value = b->x.value + b->x.row;
    size_t   n = b->x.n - b->x.row, kept = 0;
    if (!increasing(key, n)) {
        bs_sort_entries(key, value, n);
        b->reordered = true;
        for (size_t i = 1; i < n; i++)
            if (key[i] == key[i - 1])
                *twice = key[i];
    }
    for (size_t i = 0; i < n; i++) {
        if (value[i] == 0 && !b->keep_zeros)
            continue;
        b->ones = b->ones && value[i] == 1;
        b->ds->n_missing += isnan(value[i]) != 0;
        key[kept] = key[i];
        value[kept++] = value[i];
    }
    b->x.n = b->x.row + kept;
}

/* --- rows ---------------------------------------------------------------- */

basin_status bs_build_row(bs_build *b, int32_t *twice, basin_error *err)
{
    *twice = -1;
    if (b->rows >= b->max_rows)
        return bs_fail(err, BASIN_EDATA, "more than %d rows; data.max_rows allows more",
                       b->max_rows);
    if (!room_for_rows(b))
        return bs_fail_nomem(err);
    if (b->x.n > b->x.row)
        tidy_x(b, twice);
    if (b->y.n > b->y.row)
        tidy_labels(b, &b->y);
    if (b->u.n > b->u.row)
        tidy_labels(b, &b->u);
    b->rows++;
    end_row(&b->x, b->rows);
    end_row(&b->y, b->rows);
    end_row(&b->u, b->rows);
    return BASIN_OK;
}

int32_t bs_build_feature(bs_build *b, const char *name, const char *attribute, const char *value,
                         bs_feature_kind kind, bool *fresh)
{
    int32_t i = bs_names_add(&b->features, name, strlen(name), fresh);
    if (i < 0 || !*fresh)
        return i;
    if (!BS_GROW(b->feature, b->feature_cap, (size_t)i + 1, MOST))
        return -1;
    b->feature[i] = (bs_feature){
        .name = b->features.item[i].text, .attribute = attribute, .value = value, .kind = kind};
    return i;
}

/* --- the end ------------------------------------------------------------- */

/* Unnamed rows get their number as a name, so that every row has one. */
static bool finish_ids(bs_build *b)
{
    bs_rows *ds = b->ds;
    if (!b->n_ids || !b->rows)
        return true;
    const char **id = bs_arena_alloc(&ds->arena, (size_t)b->rows * sizeof *id);
    uint8_t     *numbered = bs_arena_alloc(&ds->arena, (size_t)b->rows);
    if (!id || !numbered)
        return false;
    for (int32_t i = 0; i < b->rows; i++) {
        id[i] = i < b->n_ids ? b->row_id[i] : NULL;
        numbered[i] = !id[i];
        if (!id[i]) {
            char text[24];
            int  n = bs_print(text, sizeof text, "%lld", (long long)(b->rows_before + i + 1));
            id[i] = bs_arena_copy(&ds->arena, text, (size_t)n);
        }
        if (!id[i])
            return false;
    }
    ds->row_id = id;
    ds->numbered = numbered;
    return true;
}

static bool finish_names(bs_build *b, int32_t n_features, int32_t n_labels)
{
    bs_rows   *ds = b->ds;
    bs_schema *s = &ds->schema;
    s->n_features = n_features >= 0 ? n_features : b->features.n;
    s->n_labels = n_labels >= 0 ? n_labels : b->labels.n;
    if (n_features < 0) {
        size_t      n = (size_t)s->n_features;
        bs_feature *list = bs_arena_alloc(&ds->arena, (n ? n : 1) * sizeof *list);
        if (!list)
            return false;
        if (n)
            memcpy(list, b->feature, n * sizeof *list);
        s->feature = list;
    }
    if (!s->label) {
        const char **label = bs_arena_alloc(&ds->arena, ((size_t)s->n_labels + 1) * sizeof *label);
        if (!label)
            return false;
        for (int32_t i = 0; i < s->n_labels; i++)
            label[i] = b->labels.item[i].text;
        s->label = label;
    }
    return true;
}

static bool finish_texts(bs_build *b)
{
    const size_t size = (size_t)b->n_texts * sizeof *b->row_text;
    bs_row_text *text = b->n_texts ? bs_arena_alloc(&b->ds->arena, size) : NULL;
    if (text)
        memcpy(text, b->row_text, size);
    b->ds->row_text = text;
    return text || !b->n_texts;
}

/* Rows without a text have an empty one if any row has one. */
static bool finish_documents(bs_build *b)
{
    const size_t n = (size_t)b->rows;
    bs_row_text *text = b->n_documents ? bs_arena_alloc(&b->ds->arena, n * sizeof *text) : NULL;
    for (size_t i = 0; text && i < n; i++)
        text[i] = i < (size_t)b->n_documents ? b->document[i] : (bs_row_text){"", 0};
    b->ds->document = text;
    return text || !b->n_documents;
}

basin_status bs_build_finish(bs_build *b, int32_t n_features, int32_t n_labels, basin_error *err)
{
    bs_rows *ds = b->ds;
    if (!finish_ids(b) || !finish_names(b, n_features, n_labels) || !finish_texts(b) ||
        !finish_documents(b) || (b->rows == 0 && !room_for_rows(b)))
        return bs_fail_nomem(err);
    if (b->ones) {
        bs_free(b->x.value);
        b->x.value = NULL;
    }
    ds->rows = b->rows;
    ds->rows_before = b->rows_before;
    ds->x_start = b->x.start;
    ds->x_index = b->x.index;
    ds->x_value = b->x.value;
    ds->y_start = b->y.start;
    ds->y_index = b->y.index;
    b->x = b->y = (bs_entries){0};
    ds->x = (bs_csr){b->rows, ds->schema.n_features, ds->x_start, ds->x_index, ds->x_value};
    ds->y = (bs_csr){b->rows, ds->schema.n_labels, ds->y_start, ds->y_index, NULL};
    if (b->u.n) {
        ds->u_start = b->u.start;
        ds->u_index = b->u.index;
        b->u = (bs_entries){0};
        ds->unknown = (bs_csr){b->rows, ds->schema.n_labels, ds->u_start, ds->u_index, NULL};
    }
    ds->hash = bs_rows_hash(ds);
    return BASIN_OK;
}
