/* memory.c -- rows in a program's memory. They are treated like rows from a file: the same checks
 * and notes, and the same data set as from a .npy file (dense) or LIBSVM rows (sparse).
 *
 * Sparse features that are as a data set keeps them (sorted, without zeros, nothing missing) are
 * not copied: the data set points at the caller's arrays. */
#include <math.h>
#include <string.h>

#include "data/rows/read.h"
#include "data/scan.h"

typedef struct {
    const bs_reading       *r;
    const basin_label_sets *g;
    bool                    borrow;
} memory;

static basin_status fail_row(const memory *m, int32_t row, const char *what, long long number)
{
    return bs_fail(m->r->err, BASIN_EARG, "%s: row %d: %s %lld", m->r->name, (int)row, what,
                   number);
}

/* --- what is given ------------------------------------------------------- */

static basin_status check_given(const bs_reading *r, const basin_label_sets *g)
{
    const char *wrong = NULL;
    if (g->rows < 0 || g->features < 0 || g->labels < 0)
        wrong = "a negative number of rows, features or labels";
    else if (g->rows > 0 && !g->dense && !g->start && !g->texts)
        wrong = "neither dense features nor the starts of sparse rows";
    else if (g->dense && g->start)
        wrong = "both dense and sparse features";
    else if (g->rows > 0 && g->start && g->start[g->rows] > 0 && !g->index)
        wrong = "sparse rows without the numbers of their features";
    else if (g->rows > 0 && g->label_start && g->label_start[g->rows] > 0 && !g->label)
        wrong = "starts of label sets without labels";
    if (wrong)
        return bs_fail(r->err, BASIN_EARG, "%s: %s", r->name, wrong);
    if (g->rows > r->o->max_rows)
        return bs_error_at(r, 0, 0, "more than %d rows; data.max_rows allows more", r->o->max_rows);
    if (g->features > r->o->max_features)
        return bs_error_at(r, 0, 0, "%d features; data.max_features allows %d", (int)g->features,
                           r->o->max_features);
    if (g->labels > r->o->max_labels)
        return bs_error_at(r, 0, 0, "%d labels; data.max_labels allows %d", (int)g->labels,
                           r->o->max_labels);
    return BASIN_OK;
}

/* Whether a row is already in the form that data sets use. */
static bool is_tidy(const basin_label_sets *g, int64_t from, int64_t to)
{
    for (int64_t k = from; k < to; k++)
        if ((k > from && g->index[k] <= g->index[k - 1]) ||
            (g->value && (g->value[k] == 0 || isnan(g->value[k]))))
            return false;
    return true;
}

/* Of starts that never fall, each row lies within what the last one promises. */
static basin_status check_starts(const memory *m, const int64_t *start, const char *falls)
{
    for (int32_t i = 0; start && i < m->g->rows; i++)
        if (start[i] < 0 || start[i + 1] < start[i])
            return fail_row(m, i, falls, (long long)start[i + 1]);
    return BASIN_OK;
}

static basin_status check_rows(memory *m)
{
    const basin_label_sets *g = m->g;
    basin_status            s = check_starts(m, g->start, "its features end before they start, at");
    if (!s)
        s = check_starts(m, g->label_start, "its labels end before they start, at");
    if (s)
        return s;
    m->borrow = g->start && (g->rows == 0 || g->start[0] == 0);
    for (int32_t i = 0; i < g->rows; i++) {
        const int64_t from = g->start ? g->start[i] : 0, to = g->start ? g->start[i + 1] : 0;
        for (int64_t k = from; k < to; k++)
            if (g->index[k] < 0 || g->index[k] >= g->features)
                return fail_row(m, i, "there is no feature", g->index[k]);
            else if (g->value && isinf(g->value[k]))
                return fail_row(m, i, "infinite is the value of feature", g->index[k]);
        for (int32_t k = 0; g->dense && k < g->features; k++)
            if (isinf(g->dense[(size_t)i * (size_t)g->features + (size_t)k]))
                return fail_row(m, i, "infinite is the value of feature", k);
        m->borrow = m->borrow && is_tidy(g, from, to);
    }
    m->borrow = m->borrow && (g->rows == 0 || g->start[g->rows] < INT32_MAX);
    return BASIN_OK;
}

/* --- names --------------------------------------------------------------- */

static const char *name_of(const char *const *names, char letter, int32_t i, char room[24])
{
    bs_print(room, 24, "%c%d", letter, (int)i);
    return names ? names[i] : room;
}

static basin_status add_label_names(const memory *m)
{
    char room[24];
    bool fresh;
    for (int32_t i = 0; i < m->g->labels; i++) {
        const char *name = name_of(m->g->label_names, 'y', i, room);
        if (!name)
            return bs_fail(m->r->err, BASIN_EARG, "%s: label %d has no name", m->r->name, (int)i);
        if (bs_names_add(&m->r->b->labels, name, strlen(name), &fresh) < 0)
            return bs_fail_nomem(m->r->err);
        if (!fresh)
            return bs_error_at(m->r, 0, 0, "two labels are named '%.60s'", name);
    }
    return BASIN_OK;
}

/* The column whose category a feature stands for; NULL: it is a number. */
static const char *column_of(const basin_label_sets *g, int32_t i)
{
    return g->feature_column && g->feature_value && g->feature_value[i] ? g->feature_column[i]
                                                                        : NULL;
}

/* For people: columns of the caller, of which features may have made several. */
static void count_columns(const basin_label_sets *g, bs_source *out)
{
    const char *last = NULL;
    for (int32_t i = 0; i < g->features; i++) {
        const char *column = column_of(g, i);
        out->numeric += !column;
        out->nominal += column && (!last || strcmp(column, last) != 0);
        last = column;
    }
    out->attributes = out->numeric + out->nominal;
}

static basin_status add_feature_names(const memory *m)
{
    char room[24];
    bool fresh;
    for (int32_t i = 0; i < m->g->features; i++) {
        const char *name = name_of(m->g->feature_names, 'x', i, room);
        if (!name)
            return bs_fail(m->r->err, BASIN_EARG, "%s: feature %d has no name", m->r->name, (int)i);
        const char *column = column_of(m->g, i), *value = column ? m->g->feature_value[i] : NULL;
        const bs_feature_kind kind = column ? BS_FEATURE_ONEHOT : BS_FEATURE_NUMERIC;
        bs_arena             *arena = &m->r->b->ds->arena;
        name = bs_arena_copy(arena, name, strlen(name));
        value = value ? bs_arena_copy(arena, value, strlen(value)) : NULL;
        column = column ? bs_arena_copy(arena, column, strlen(column)) : name;
        if (!name || !column || (kind == BS_FEATURE_ONEHOT && !value) ||
            bs_build_feature(m->r->b, name, column, value, kind, &fresh) < 0)
            return bs_fail_nomem(m->r->err);
        if (!fresh)
            return bs_error_at(m->r, 0, 0, "two features are named '%.60s'", name);
    }
    return BASIN_OK;
}

/* --- rows ---------------------------------------------------------------- */

static basin_status put_labels(const memory *m, int32_t row)
{
    const basin_label_sets *g = m->g;
    const int64_t           to = g->label_start ? g->label_start[row + 1] : 0;
    int64_t                 k = g->label_start ? g->label_start[row] : 0;
    for (; k < to; k++) {
        if (g->label[k] < 0 || g->label[k] >= g->labels)
            return fail_row(m, row, "there is no label", g->label[k]);
        if (!bs_push_y(m->r->b, g->label[k]))
            return bs_fail_nomem(m->r->err);
    }
    return BASIN_OK;
}

static basin_status put_features(const memory *m, int32_t row)
{
    const basin_label_sets *g = m->g;
    const float            *dense = g->dense;
    bool                    ok = true;
    if (m->borrow)
        return BASIN_OK;
    for (int64_t k = g->start ? g->start[row] : 0; ok && g->start && k < g->start[row + 1]; k++)
        if (!g->value || g->value[k] != 0)
            ok = bs_push_x(m->r->b, g->index[k], g->value ? g->value[k] : 1);
    dense += dense ? (size_t)row * (size_t)g->features : 0;
    for (int32_t k = 0; ok && dense && k < g->features; k++)
        if (dense[k] != 0)
            ok = bs_push_x(m->r->b, k, dense[k]);
    return ok ? BASIN_OK : bs_fail_nomem(m->r->err);
}

static basin_status put_text(const memory *m, int32_t row)
{
    const char *text = m->g->texts ? m->g->texts[row] : "";
    if (!text)
        return bs_fail(m->r->err, BASIN_EARG, "%s: row %d has no text", m->r->name, (int)row);
    if (!bs_is_utf8(text, strlen(text)))
        return bs_fail(m->r->err, BASIN_EDATA, "%s: row %d: its text is not UTF-8", m->r->name,
                       (int)row);
    return !m->g->texts || bs_build_document(m->r->b, text, strlen(text))
               ? BASIN_OK
               : bs_fail_nomem(m->r->err);
}

static bool all_ones(const float *value, int64_t n)
{
    int64_t k = 0;
    while (value && k < n && value[k] == 1)
        k++;
    return !value || k == n;
}

/* The features of the finished data set: the caller's, with starts of our own. */
static basin_status point_at(const memory *m)
{
    const basin_label_sets *g = m->g;
    bs_rows                *ds = m->r->b->ds;
    const bool              ones = all_ones(g->value, g->rows ? g->start[g->rows] : 0);
    for (int32_t i = 0; i < g->rows; i++)
        ds->x_start[i + 1] = (int32_t)g->start[i + 1];
    bs_free(ds->x_index);
    bs_free(ds->x_value);
    ds->x_index = NULL;
    ds->x_value = NULL;
    ds->x =
        (bs_csr){ds->rows, ds->schema.n_features, ds->x_start, g->index, ones ? NULL : g->value};
    ds->schema.binary = ones;
    ds->hash = bs_rows_hash(ds);
    return BASIN_OK;
}

static const char *const text_column[] = {"text"};

static basin_status next(bs_reading *r)
{
    memory       m = {.r = r, .g = r->given};
    bs_build    *b = r->b;
    const bool   alone = m.g->texts && m.g->features == 0;
    const bool   named = m.g->feature_names || m.g->dense || alone;
    basin_status s = check_given(r, m.g);
    if (!s)
        s = check_rows(&m);
    if (!s && m.g->label_start)
        s = add_label_names(&m);
    if (!s && named)
        s = add_feature_names(&m);
    for (int32_t i = 0; !s && i < m.g->rows; i++) {
        s = put_features(&m, i);
        if (!s)
            s = put_labels(&m, i);
        if (!s)
            s = put_text(&m, i);
        if (!s)
            s = bs_reading_row(r, 0);
    }
    r->ended = true;
    if (s)
        return s;
    b->ds->schema.dense = m.g->dense || alone;
    b->ds->schema.open = !m.g->dense && !alone;
    b->ds->schema.text = text_column;
    b->ds->schema.n_texts = m.g->texts != NULL;
    b->ds->schema.binary = b->ones;
    b->ds->labelled = m.g->label_start != NULL;
    count_columns(m.g, &b->ds->source);
    bs_print(b->ds->source.labels_from, sizeof b->ds->source.labels_from, "memory");
    s = bs_build_finish(b, named ? -1 : m.g->features, -1, r->err);
    return !s && m.borrow ? point_at(&m) : s;
}

const bs_reader bs_reader_memory = {.name = "memory", .uses = "", .next = next};
