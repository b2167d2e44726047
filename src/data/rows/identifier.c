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
static bool is_running(const bs_rows *ds, int32_t feature, float *v)
{
    memset(v, 0, (size_t)ds->rows * sizeof *v);
    for (int32_t r = 0; r < ds->rows; r++)
        for (int32_t e = ds->x.start[r]; e < ds->x.start[r + 1]; e++)
            if (ds->x.index[e] == feature)
                v[r] = ds->x.value ? ds->x.value[e] : 1;
    qsort(v, (size_t)ds->rows, sizeof *v, by_value);
    for (int32_t r = 0; r < ds->rows; r++)
        if (v[r] != floorf(v[r]) || (r > 0 && v[r] == v[r - 1]))
            return false;
    return true;
}

/* A column of the file: one feature, or all the values of a category, which readers put side by
 * side. Returns where the next one begins. */
static int32_t column_end(const bs_schema *s, int32_t first)
{
    int32_t           end = first + 1;
    const bs_feature *f = s->feature;
    while (end < s->n_features && f[first].kind == BS_FEATURE_ONEHOT &&
           f[end].kind == BS_FEATURE_ONEHOT && strcmp(f[end].attribute, f[first].attribute) == 0)
        end++;
    return end;
}

/* count[f]: rows with the feature; v: memory for a number of each row. */
static bool names_rows(const bs_rows *ds, int32_t first, int32_t end, const int32_t *count,
                       float *v)
{
    const bs_feature *f = &ds->schema.feature[first];
    const bool        many = ds->rows >= FEWEST_ROWS;
    int32_t           total = 0;
    bool              twice = false;
    for (int32_t i = first; i < end; i++) {
        total += count[i];
        twice = twice || count[i] > 1;
    }
    /* If rows list only what they have, nearly every row suffices, as in a CSV file. */
    if (f->kind == BS_FEATURE_ONEHOT)
        return many && !twice && total >= ds->rows - (ds->schema.open ? ds->rows / 20 : 0);
    /* An unnamed first column is the index written by pandas. */
    const bool index = ds->source.unnamed && first == 0 && strcmp(f->attribute, "c1") == 0;
    return f->kind == BS_FEATURE_NUMERIC && (index || (many && bs_named_like_id(f->attribute))) &&
           total >= ds->rows - 1 && is_running(ds, first, v);
}

/* The values of a category as row names. */
static bool take_names(bs_rows *ds, int32_t first, int32_t end)
{
    const char **id = bs_arena_alloc(&ds->arena, (size_t)ds->rows * sizeof *id);
    for (int32_t r = 0; id && r < ds->rows; r++) {
        char text[24];
        for (int32_t e = ds->x.start[r]; e < ds->x.start[r + 1]; e++)
            if (ds->x.index[e] >= first && ds->x.index[e] < end)
                id[r] = ds->schema.feature[ds->x.index[e]].value;
        if (!id[r])
            id[r] =
                bs_arena_copy(&ds->arena, text, (size_t)bs_print(text, sizeof text, "%d", r + 1));
        if (!id[r])
            return false;
    }
    ds->row_id = id;
    return id != NULL;
}

basin_status bs_drop_identifiers(bs_rows *ds, const bs_read_options *o, bs_notes *notes,
                                 basin_error *err)
{
    const bs_schema *s = &ds->schema;
    const size_t     n = (size_t)s->n_features + 1;
    int32_t          dropped = 0, columns = 0, hint = 0;
    if (!s->feature || (ds->rows < FEWEST_ROWS && !(ds->source.unnamed && ds->rows > 1)))
        return BASIN_OK;
    int32_t *count = bs_calloc(n, sizeof *count);
    uint8_t *keep = bs_alloc(n);
    float   *v = bs_alloc((size_t)ds->rows * sizeof *v);
    bool     ok = count && keep && v;
    for (int32_t e = 0; ok && e < ds->x.start[ds->rows]; e++)
        count[ds->x.index[e]]++;
    for (int32_t first = 0, end; ok && first < s->n_features; first = end) {
        end = column_end(s, first);
        /* What a model was trained on stays, whatever it looks like here. */
        const bool id = names_rows(ds, first, end, count, v) &&
                        !bs_schema_attribute(o->like, s->feature[first].attribute, &hint);
        memset(keep + first, !id, (size_t)(end - first));
        dropped += id;
        columns++;
    }
    for (int32_t first = 0, end; ok && dropped && first < s->n_features; first = end) {
        end = column_end(s, first);
        if (keep[first])
            continue;
        /* Blocks of a file might take their names from different columns. */
        if (s->feature[first].kind == BS_FEATURE_ONEHOT && !ds->row_id && !(o->like && s->open))
            ok = take_names(ds, first, end);
        bs_notes_add(
            notes, "identifier", "column '%s' has a different value in each of the %d rows: %s",
            s->feature[first].attribute, ds->rows,
            dropped == columns ? "an identifier, used only because there is no other feature"
                               : "an identifier, left out (data.keep_ids=yes uses it)");
    }
    basin_status status = ok ? BASIN_OK : bs_fail_nomem(err);
    /* A file of identifiers alone keeps them: having no features is worse. */
    if (ok && dropped && dropped < columns) {
        ds->source.skipped += dropped;
        status = bs_rows_keep_features(ds, keep, err);
    }
    bs_free(count);
    bs_free(keep);
    bs_free(v);
    return status;
}
