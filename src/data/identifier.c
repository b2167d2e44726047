/* identifier.c -- columns that only name the rows are left out.
 *
 * A category that no two rows share cannot be learnt from, and neither can a
 * running number; both make a model look better on its own rows. The values
 * become the names of the rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/read.h"
#include "data/scan.h"

enum { FEWEST_ROWS = 10 }; /* below, all values of an honest column may differ */

/* --- categories ---------------------------------------------------------- */

/* True when every row has one of the features first .. end, and no two the same. */
static bool one_each(const bs_dataset *ds, const int32_t *count, int32_t first, int32_t end)
{
    int32_t total = 0;
    for (int32_t f = first; f < end; f++) {
        if (count[f] > 1)
            return false;
        total += count[f];
    }
    return total == ds->rows;
}

static bool name_rows(bs_dataset *ds, int32_t first, int32_t end)
{
    const char **id = bs_arena_alloc(&ds->arena, (size_t)ds->rows * sizeof *id);
    if (!id)
        return false;
    for (int32_t r = 0; r < ds->rows; r++)
        for (int32_t e = ds->x.start[r]; e < ds->x.start[r + 1]; e++)
            if (ds->x.index[e] >= first && ds->x.index[e] < end)
                id[r] = ds->schema.feature[ds->x.index[e]].value;
    ds->row_id = id;
    return true;
}

/* --- running numbers ----------------------------------------------------- */

static bool named_like_id(const char *name)
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
static basin_status is_running(const bs_dataset *ds, int32_t feature, bool *out, basin_error *err)
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

/* Looks at the attribute whose features are first .. end; clears keep when it names rows. */
static basin_status judge(bs_dataset *ds, const int32_t *count, int32_t first, int32_t end,
                          const bs_schema *like, uint8_t *keep, bs_notes *notes, basin_error *err)
{
    const bs_feature *f = &ds->schema.feature[first];
    bool              id = false;
    if (f->kind == BS_FEATURE_ONEHOT) {
        id = end - first >= ds->rows && one_each(ds, count, first, end);
    } else if (f->kind == BS_FEATURE_NUMERIC && named_like_id(f->attribute) &&
               count[first] >= ds->rows - 1) {
        basin_status s = is_running(ds, first, &id, err);
        if (s)
            return s;
    }
    int32_t hint = 0;
    if (!id || bs_schema_attribute(like, f->attribute, &hint))
        return BASIN_OK;
    memset(keep + first, 0, (size_t)(end - first));
    if (f->kind == BS_FEATURE_ONEHOT && !ds->row_id && !name_rows(ds, first, end))
        return bs_fail_nomem(err);
    bs_notes_add(notes, "identifier",
                 "column '%s' has a different value in each of the %d rows: "
                 "an identifier, left out (data.keep_ids=yes uses it)",
                 f->attribute, ds->rows);
    return BASIN_OK;
}

basin_status bs_drop_identifiers(bs_dataset *ds, const bs_read_options *o, bs_notes *notes,
                                 basin_error *err)
{
    const bs_schema *s = &ds->schema;
    if (!s->feature || ds->rows < FEWEST_ROWS)
        return BASIN_OK;
    size_t       n = (size_t)s->n_features;
    int32_t     *count = bs_calloc(n + 1, sizeof *count);
    uint8_t     *keep = bs_alloc(n + 1);
    basin_status status = count && keep ? BASIN_OK : bs_fail_nomem(err);
    if (!status) {
        memset(keep, 1, n);
        for (int32_t e = 0; e < ds->x.start[ds->rows]; e++)
            count[ds->x.index[e]]++;
    }
    int32_t columns = 0, dropped = 0;
    for (int32_t first = 0, end; !status && first < s->n_features; first = end) {
        for (end = first + 1; end < s->n_features && s->feature[first].kind == BS_FEATURE_ONEHOT &&
                              s->feature[end].attribute == s->feature[first].attribute;)
            end++;
        status = judge(ds, count, first, end, o->like, keep, notes, err);
        columns += !status && !keep[first];
        dropped += !status && !keep[first] ? end - first : 0;
    }
    /* A file of nothing but identifiers keeps them: no features is worse. */
    if (!status && dropped && dropped < s->n_features) {
        ds->source.skipped += columns;
        status = bs_dataset_keep_features(ds, keep, err);
    }
    bs_free(count);
    bs_free(keep);
    return status;
}
