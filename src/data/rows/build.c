/* build.c -- growing arrays of entries, and what ends a row: sorting, dropping zeros, finding
 * columns that occur twice. */
#include "data/rows/build.h"

#include <math.h>
#include <string.h>

#include "data/scan.h"

enum { MOST = INT32_MAX - 1 };

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
    bs_free(b->x_index);
    bs_free(b->y_index);
    bs_free(b->u_index);
    bs_free(b->x_value);
    bs_free(b->x_start);
    bs_free(b->y_start);
    bs_free(b->u_start);
    bs_free(b->feature);
    bs_free(b->row_id);
    bs_free(b->row_text);
    *b = (bs_build){0};
}

static bool grow_ints(int32_t **list, size_t *cap, size_t need)
{
    void *p = *list;
    bool  ok = bs_grow(&p, cap, need, sizeof **list, MOST);
    *list = p;
    return ok;
}

/* Both arrays have capacity x_cap. */
bool bs_build_room_x(bs_build *b)
{
    size_t index_cap = b->x_cap;
    void  *value = b->x_value;
    if (!grow_ints(&b->x_index, &index_cap, b->nx + 1))
        return false;
    bool ok = bs_grow(&value, &b->v_cap, b->nx + 1, sizeof *b->x_value, MOST);
    b->x_value = value;
    if (ok)
        b->x_cap = index_cap < b->v_cap ? index_cap : b->v_cap;
    return ok;
}

bool bs_build_room_y(bs_build *b)
{
    return grow_ints(&b->y_index, &b->y_cap, b->ny + 1);
}

bool bs_build_unknown(bs_build *b, int32_t label)
{
    if (!grow_ints(&b->u_index, &b->u_cap, b->nu + 1))
        return false;
    b->u_index[b->nu++] = label;
    return true;
}

bool bs_build_id(bs_build *b, const char *text, size_t len)
{
    void *list = b->row_id;
    bool  ok = bs_grow(&list, &b->id_cap, (size_t)b->rows + 1, sizeof *b->row_id, MOST);
    b->row_id = list;
    if (!ok)
        return false;
    for (; b->n_ids < b->rows; b->n_ids++)
        b->row_id[b->n_ids] = NULL;
    bool latin1;
    b->row_id[b->rows] = bs_to_utf8(&b->ds->arena, text, len, &latin1);
    b->n_ids = b->rows + 1; /* not one more: a row may be named twice */
    return b->row_id[b->rows] != NULL;
}

bool bs_build_text(bs_build *b, const char *text, size_t len)
{
    void *list = b->row_text;
    bool  ok = bs_grow(&list, &b->text_cap, (size_t)b->rows, sizeof *b->row_text, MOST);
    b->row_text = list;
    if (!ok)
        return false;
    for (; b->n_texts < b->rows; b->n_texts++)
        b->row_text[b->n_texts] = (bs_row_text){0};
    const char *copy = bs_arena_copy(&b->ds->arena, text, len);
    b->row_text[b->rows - 1] = (bs_row_text){copy, len};
    return copy != NULL;
}

/* --- sorting a row ------------------------------------------------------- */

static void sift(int32_t *key, float *value, size_t root, size_t n)
{
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && key[child + 1] > key[child])
            child++;
        if (key[root] >= key[child])
            return;
        int32_t k = key[root];
        key[root] = key[child];
        key[child] = k;
        if (value) {
            float v = value[root];
            value[root] = value[child];
            value[child] = v;
        }
    }
}

static bool increasing(const int32_t *key, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (key[i] <= key[i - 1])
            return false;
    return true;
}

static void insert_sort(int32_t *key, float *value, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        int32_t k = key[i];
        float   v = value ? value[i] : 0;
        size_t  j = i;
        for (; j > 0 && key[j - 1] > k; j--) {
            key[j] = key[j - 1];
            if (value)
                value[j] = value[j - 1];
        }
        key[j] = k;
        if (value)
            value[j] = v;
    }
}

/* Heap sort for long rows: they come from foreign files, and no order may be slow. */
void bs_sort_entries(int32_t *key, float *value, size_t n)
{
    if (increasing(key, n))
        return;
    if (n <= 64) {
        insert_sort(key, value, n);
        return;
    }
    for (size_t i = n / 2; i-- > 0;)
        sift(key, value, i, n);
    for (size_t end = n; end-- > 1;) {
        int32_t k = key[0];
        key[0] = key[end];
        key[end] = k;
        if (value) {
            float v = value[0];
            value[0] = value[end];
            value[end] = v;
        }
        sift(key, value, 0, end);
    }
}

/* Sorts and removes repetitions; returns the new length. */
static size_t tidy_set(int32_t *key, size_t n, bool *repeated)
{
    if (increasing(key, n))
        return n;
    bs_sort_entries(key, NULL, n);
    size_t kept = 1;
    for (size_t i = 1; i < n; i++)
        if (key[i] != key[kept - 1])
            key[kept++] = key[i];
    *repeated = *repeated || kept < n;
    return kept;
}

/* Sorts the features of the row and drops zeros. */
static void tidy_x(bs_build *b, int32_t *twice)
{
    int32_t *key = b->x_index + b->x_row;
    float   *value = b->x_value + b->x_row;
    size_t   n = b->nx - b->x_row, kept = 0;
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
    b->nx = b->x_row + kept;
}

/* --- rows ---------------------------------------------------------------- */

basin_status bs_build_row(bs_build *b, int32_t *twice, basin_error *err)
{
    *twice = -1;
    if (b->rows >= b->max_rows)
        return bs_fail(err, BASIN_EDATA, "more than %d rows; data.max_rows allows more",
                       b->max_rows);
    size_t need = (size_t)b->rows + 2;
    if (!grow_ints(&b->x_start, &b->xs_cap, need) || !grow_ints(&b->y_start, &b->ys_cap, need) ||
        !grow_ints(&b->u_start, &b->us_cap, need))
        return bs_fail_nomem(err);
    if (b->nx > b->x_row)
        tidy_x(b, twice);
    if (b->ny > b->y_row + 1)
        b->ny = b->y_row + tidy_set(b->y_index + b->y_row, b->ny - b->y_row, &b->repeated);
    if (b->nu > b->u_row + 1)
        b->nu = b->u_row + tidy_set(b->u_index + b->u_row, b->nu - b->u_row, &b->repeated);

    b->x_start[b->rows] = (int32_t)b->x_row;
    b->y_start[b->rows] = (int32_t)b->y_row;
    b->u_start[b->rows] = (int32_t)b->u_row;
    b->rows++;
    b->x_start[b->rows] = (int32_t)b->nx;
    b->y_start[b->rows] = (int32_t)b->ny;
    b->u_start[b->rows] = (int32_t)b->nu;
    b->x_row = b->nx;
    b->y_row = b->ny;
    b->u_row = b->nu;
    return BASIN_OK;
}

int32_t bs_build_feature(bs_build *b, const char *name, const char *attribute, const char *value,
                         bs_feature_kind kind, bool *fresh)
{
    int32_t i = bs_names_add(&b->features, name, strlen(name), fresh);
    if (i < 0 || !*fresh)
        return i;
    void *list = b->feature;
    bool  ok = bs_grow(&list, &b->feature_cap, (size_t)i + 1, sizeof *b->feature, MOST);
    b->feature = list;
    if (!ok)
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

/* A start array needs its one element even without rows. */
static bool finish_starts(bs_build *b)
{
    if (b->rows)
        return true;
    if (!grow_ints(&b->x_start, &b->xs_cap, 1) || !grow_ints(&b->y_start, &b->ys_cap, 1) ||
        !grow_ints(&b->u_start, &b->us_cap, 1))
        return false;
    b->x_start[0] = b->y_start[0] = b->u_start[0] = 0;
    return true;
}

basin_status bs_build_finish(bs_build *b, int32_t n_features, int32_t n_labels, basin_error *err)
{
    bs_rows *ds = b->ds;
    if (!finish_ids(b) || !finish_names(b, n_features, n_labels) || !finish_starts(b) ||
        !finish_texts(b))
        return bs_fail_nomem(err);
    if (b->ones) {
        bs_free(b->x_value);
        b->x_value = NULL;
    }
    ds->rows = b->rows;
    ds->rows_before = b->rows_before;
    ds->x_start = b->x_start;
    ds->x_index = b->x_index;
    ds->x_value = b->x_value;
    ds->y_start = b->y_start;
    ds->y_index = b->y_index;
    b->x_start = b->x_index = b->y_start = b->y_index = NULL;
    b->x_value = NULL;
    ds->x = (bs_csr){b->rows, ds->schema.n_features, ds->x_start, ds->x_index, ds->x_value};
    ds->y = (bs_csr){b->rows, ds->schema.n_labels, ds->y_start, ds->y_index, NULL};
    if (b->nu) {
        ds->u_start = b->u_start;
        ds->u_index = b->u_index;
        b->u_start = b->u_index = NULL;
        ds->unknown = (bs_csr){b->rows, ds->schema.n_labels, ds->u_start, ds->u_index, NULL};
    }
    ds->hash = bs_rows_hash(ds);
    return BASIN_OK;
}
