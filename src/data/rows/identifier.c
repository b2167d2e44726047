/* identifier.c -- leaves out columns that only name the rows.
 *
 * Nothing can be learnt from a category that no two rows share, nor from a running number, and both
 * make a model look better on its own rows. Their values become the row names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/rows/read.h"
#include "data/scan.h"

enum { FEWEST_ROWS = 10 }; /* with fewer, all values of an honest column may differ */

/* A column of the file: one feature, or all the values of a category. */
typedef struct {
    int32_t first; /* its first feature */
    int32_t total; /* entries in all rows */
    bool    twice; /* some feature of it occurs in two rows */
    bool    id;
} column;

typedef struct {
    bs_rows *ds;
    column  *column;
    int32_t  n;
    int32_t *of;       /* [n_features] the feature's column */
    int32_t *count;    /* [n_features] rows that have it */
    uint8_t *counting; /* [n_features] each value is one more than in the row before */
} columns;

/* --- columns ------------------------------------------------------------- */

static void free_columns(columns *c)
{
    bs_free(c->column);
    bs_free(c->of);
    bs_free(c->count);
    bs_free(c->counting);
}

/* Values of a category need not be adjacent: JSON rows may name them in any order. */
static bool group_features(columns *c, bs_names *names, int32_t *by_name)
{
    const bs_schema *s = &c->ds->schema;
    for (int32_t i = 0; i < s->n_features; i++) {
        const bs_feature *f = &s->feature[i];
        bool              fresh = true;
        int32_t           k = c->n, name = 0;
        if (f->kind == BS_FEATURE_ONEHOT) {
            name = bs_names_add(names, f->attribute, strlen(f->attribute), &fresh);
            if (name < 0)
                return false;
            if (fresh)
                by_name[name] = c->n;
            k = by_name[name];
        }
        c->of[i] = k;
        if (fresh)
            c->column[c->n++] = (column){.first = i};
    }
    return true;
}

static bool list_columns(columns *c)
{
    size_t   n = (size_t)c->ds->schema.n_features + 1;
    int32_t *by_name = bs_alloc(n * sizeof *by_name);
    bs_arena arena;
    bs_names names;
    c->column = bs_alloc(n * sizeof *c->column);
    c->of = bs_alloc(n * sizeof *c->of);
    c->count = bs_calloc(n, sizeof *c->count);
    c->counting = bs_alloc(n);
    bs_arena_init(&arena, 0);
    bs_names_init(&names, &arena);
    bool ok = by_name && c->column && c->of && c->count && c->counting &&
              group_features(c, &names, by_name);
    bs_names_free(&names);
    bs_arena_free(&arena);
    bs_free(by_name);
    return ok;
}

/* One pass over all entries. A zero that is not stored can only belong to the first row. */
static bool count_entries(columns *c)
{
    const bs_rows *ds = c->ds;
    const bs_csr  *x = &ds->x;
    float         *last = bs_calloc((size_t)ds->schema.n_features + 1, sizeof *last);
    if (!last)
        return false;
    memset(c->counting, 1, (size_t)ds->schema.n_features + 1);
    for (int32_t r = 0; r < ds->rows; r++)
        for (int32_t e = x->start[r]; e < x->start[r + 1]; e++) {
            int32_t f = x->index[e];
            float   v = x->value ? x->value[e] : 1;
            if (r > 0 && v != last[f] + 1)
                c->counting[f] = 0;
            last[f] = v;
            c->count[f]++;
        }
    for (int32_t f = 0; f < ds->schema.n_features; f++) {
        column *of = &c->column[c->of[f]];
        of->total += c->count[f];
        of->twice = of->twice || c->count[f] > 1;
        if (c->count[f] < ds->rows - 1 || ds->schema.feature[f].kind != BS_FEATURE_NUMERIC)
            c->counting[f] = 0;
    }
    bs_free(last);
    return true;
}

/* --- categories ---------------------------------------------------------- */

/* Every row has a value and no two share one; if rows list only what they have, nearly every row
 * suffices, as in a CSV file. */
static bool one_each(const bs_rows *ds, const column *k)
{
    int32_t few = ds->schema.open ? ds->rows / 20 : 0;
    return !k->twice && k->total >= ds->rows - few;
}

static bool name_rows(const columns *c, int32_t which)
{
    bs_rows     *ds = c->ds;
    const char **id = bs_arena_alloc(&ds->arena, (size_t)ds->rows * sizeof *id);
    if (!id)
        return false;
    for (int32_t r = 0; r < ds->rows; r++) {
        char text[24];
        id[r] = NULL;
        for (int32_t e = ds->x.start[r]; e < ds->x.start[r + 1]; e++)
            if (c->of[ds->x.index[e]] == which)
                id[r] = ds->schema.feature[ds->x.index[e]].value;
        if (!id[r]) {
            int n = bs_print(text, sizeof text, "%d", r + 1);
            id[r] = bs_arena_copy(&ds->arena, text, (size_t)n);
        }
        if (!id[r])
            return false;
    }
    ds->row_id = id;
    return true;
}

/* --- running numbers ----------------------------------------------------- */

bool bs_named_like_id(const char *name)
{
    static const char *const words[] = {"id",  "ids",      "uid",       "uuid",       "guid",
                                        "key", "index",    "rowid",     "row",        "no",
                                        "nr",  "instance", "sample_id", "unnamed: 0", NULL};
    size_t                   len = strlen(name);
    for (int i = 0; words[i]; i++)
        if (bs_same_word(name, len, words[i]))
            return true;
    return len > 3 && (bs_same_word(name + len - 3, 3, "_id") || strcmp(name + len - 2, "Id") == 0);
}

static int by_value(const void *a, const void *b)
{
    float p = *(const float *)a, q = *(const float *)b;
    return (p > q) - (p < q);
}

/* All whole and all different; a zero that is not stored counts once. */
static basin_status is_running(const bs_rows *ds, int32_t feature, bool *out, basin_error *err)
{
    float *v = bs_calloc((size_t)ds->rows, sizeof *v);
    if (!v)
        return bs_fail_nomem(err);
    bool whole = true;
    for (int32_t r = 0; r < ds->rows; r++)
        for (int32_t e = ds->x.start[r]; e < ds->x.start[r + 1]; e++)
            if (ds->x.index[e] == feature) {
                v[r] = ds->x.value ? ds->x.value[e] : 1;
                whole = whole && v[r] == floorf(v[r]);
            }
    *out = whole;
    if (whole) {
        qsort(v, (size_t)ds->rows, sizeof *v, by_value);
        for (int32_t r = 1; r < ds->rows && *out; r++)
            *out = v[r] != v[r - 1];
    }
    bs_free(v);
    return BASIN_OK;
}

/* --- both ---------------------------------------------------------------- */

/* An unnamed first column is the index written by pandas. */
static bool is_index(const columns *c, int32_t feature)
{
    const bs_rows *ds = c->ds;
    return ds->source.unnamed && feature == 0 && strcmp(ds->schema.feature[0].attribute, "c1") == 0;
}

static basin_status judge(columns *c, int32_t which, const bs_schema *like, bs_notes *notes,
                          basin_error *err)
{
    bs_rows          *ds = c->ds;
    column           *k = &c->column[which];
    const bs_feature *f = &ds->schema.feature[k->first];
    bool              many = ds->rows >= FEWEST_ROWS;
    bool              number = f->kind == BS_FEATURE_NUMERIC;
    bool              index = number && is_index(c, k->first);
    basin_status      s = BASIN_OK;
    if (many && f->kind == BS_FEATURE_ONEHOT)
        k->id = one_each(ds, k);
    else if (index && c->counting[k->first])
        k->id = true;
    else if (many && number && (index || bs_named_like_id(f->attribute)) &&
             k->total >= ds->rows - 1)
        s = is_running(ds, k->first, &k->id, err);
    int32_t hint = 0;
    bool    counts = many && c->counting[k->first];
    if (s || (!k->id && !counts))
        return s;
    /* What a model was trained on stays, whatever it looks like here. */
    if (bs_schema_attribute(like, f->attribute, &hint))
        k->id = false;
    else if (!k->id)
        bs_notes_add(notes, "identifier",
                     "column '%s' counts the rows one by one; if that is all it says, name it id, "
                     "and it is left out (data.keep_ids)",
                     f->attribute);
    return BASIN_OK;
}

/* Takes the row names from the column; `only`: it is the only one. */
static basin_status leave_out(columns *c, int32_t which, bool only, const bs_read_options *o,
                              bs_notes *notes, basin_error *err)
{
    bs_rows          *ds = c->ds;
    const bs_feature *f = &ds->schema.feature[c->column[which].first];
    /* Blocks of a file might take their names from different columns. */
    bool names = f->kind == BS_FEATURE_ONEHOT && !ds->row_id && !(o->like && ds->schema.open);
    if (names && !name_rows(c, which))
        return bs_fail_nomem(err);
    bs_notes_add(notes, "identifier",
                 "column '%s' has a different value in each of the %d rows: %s", f->attribute,
                 ds->rows,
                 only ? "an identifier, used only because there is no other feature"
                      : "an identifier, left out (data.keep_ids=yes uses it)");
    return BASIN_OK;
}

static basin_status drop(columns *c, const bs_read_options *o, bs_notes *notes, basin_error *err)
{
    const bs_schema *s = &c->ds->schema;
    int32_t          dropped = 0, kept = 0;
    basin_status     status = BASIN_OK;
    for (int32_t i = 0; !status && i < c->n; i++) {
        status = judge(c, i, o->like, notes, err);
        dropped += c->column[i].id;
    }
    for (int32_t i = 0; !status && i < c->n; i++)
        if (c->column[i].id)
            status = leave_out(c, i, dropped == c->n, o, notes, err);
    uint8_t *keep = status ? NULL : bs_alloc((size_t)s->n_features + 1);
    if (!status && !keep)
        status = bs_fail_nomem(err);
    for (int32_t f = 0; !status && f < s->n_features; f++)
        kept += keep[f] = !c->column[c->of[f]].id;
    /* A file of identifiers alone keeps them: having no features is worse. */
    if (!status && dropped && kept) {
        c->ds->source.skipped += dropped;
        status = bs_rows_keep_features(c->ds, keep, err);
    }
    bs_free(keep);
    return status;
}

basin_status bs_drop_identifiers(bs_rows *ds, const bs_read_options *o, bs_notes *notes,
                                 basin_error *err)
{
    columns c = {.ds = ds};
    if (!ds->schema.feature || (ds->rows < FEWEST_ROWS && !(ds->source.unnamed && ds->rows > 1)))
        return BASIN_OK;
    basin_status s = list_columns(&c) && count_entries(&c) ? BASIN_OK : bs_fail_nomem(err);
    if (!s)
        s = drop(&c, o, notes, err);
    free_columns(&c);
    return s;
}
