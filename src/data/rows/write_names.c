/* write_names.c -- one name for every column of a table.
 *
 * A word and a tag may both be called "python". In a table the two columns would share a name, and
 * a reader could take the wrong one for the label. Labels keep their names, since predictions use
 * them; features get a suffix. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "data/names.h"
#include "data/rows/write.h"

const char *bs_id_column(const bs_rows *ds)
{
    static const char *const words[] = {"id", "row_id", "basin_row_id"};
    int                      k = 0;
    for (int32_t i = 0; i < ds->schema.n_labels && k < 2; i++)
        if (strcmp(ds->schema.label[i], words[k]) == 0) {
            k++;
            i = -1;
        }
    return words[k];
}

static bool take(bs_names *taken, const char *name, bool *fresh)
{
    return bs_names_add(taken, name, strlen(name), fresh) >= 0;
}

/* "python_feature", "python_feature2", ...: the first that is free. */
static const char *other_name(bs_names *taken, const char *name)
{
    bool        fresh = false;
    bs_buf      text;
    const char *found = NULL;
    bs_buf_init(&text, (size_t)1 << 28);
    for (int k = 1; !fresh; k++) {
        bs_buf_clear(&text);
        bs_buf_printf(&text, k > 1 ? "%s_feature%d" : "%s_feature", name, k);
        if (text.failed || !take(taken, text.data, &fresh))
            break;
        if (fresh)
            found = taken->item[taken->n - 1].text;
    }
    bs_buf_free(&text);
    return found;
}

/* The list of features, created if there were numbers only. */
static bs_feature *copy_features(const bs_rows *ds, bs_arena *arena)
{
    const bs_schema *s = &ds->schema;
    bs_feature      *list = bs_arena_alloc(arena, ((size_t)s->n_features + 1) * sizeof *list);
    for (int32_t i = 0; list && i < s->n_features; i++) {
        char        scratch[24];
        const char *name = s->feature ? NULL : bs_feature_name(ds, i, scratch);
        if (s->feature) {
            list[i] = s->feature[i];
            continue;
        }
        name = bs_arena_copy(arena, name, strlen(name));
        list[i] = (bs_feature){.name = name, .attribute = name, .value = NULL};
        list[i].kind = ds->x.value ? BS_FEATURE_NUMERIC : BS_FEATURE_BINARY;
        if (!name)
            return NULL;
    }
    return list;
}

/* Takes the names of labels and of the row name column, then those of features that can keep
 * theirs: clash[i] is set for the others. */
static bool take_names(const bs_rows *ds, bool ids, bs_names *taken, uint8_t *clash, int32_t *n)
{
    bool fresh, ok = true;
    char scratch[24];
    for (int32_t i = 0; ok && i < ds->schema.n_labels; i++)
        ok = take(taken, ds->schema.label[i], &fresh);
    if (ok && ids && ds->row_id)
        ok = take(taken, bs_id_column(ds), &fresh);
    for (int32_t i = 0; ok && i < ds->schema.n_features; i++) {
        ok = take(taken, bs_feature_name(ds, i, scratch), &fresh);
        clash[i] = ok && !fresh;
        *n += clash[i];
    }
    return ok;
}

basin_status bs_distinct_names(const bs_rows *ds, bool ids, bs_arena *arena, bs_rows *out,
                               bs_notes *notes, basin_error *err)
{
    bs_names    taken;
    int32_t     n = 0;
    bool        told = false;
    bs_feature *list = NULL;
    uint8_t    *clash = bs_calloc((size_t)ds->schema.n_features + 1, 1);
    *out = *ds;
    bs_names_init(&taken, arena);
    bool ok = clash && take_names(ds, ids, &taken, clash, &n);
    if (ok && n)
        ok = (list = copy_features(ds, arena)) != NULL;
    for (int32_t i = 0; ok && n && i < ds->schema.n_features; i++) {
        if (!clash[i])
            continue;
        const char *name = other_name(&taken, list[i].name);
        ok = name != NULL;
        if (!told && ok) {
            told = true;
            bs_notes_add(notes, "renamed",
                         "feature '%.60s' has the name of %s: it is written as '%.80s'%s",
                         list[i].name,
                         ids && ds->row_id && strcmp(list[i].name, bs_id_column(ds)) == 0
                             ? "the column of row names"
                             : "a label",
                         name, n > 1 ? ", and others like it" : "");
        }
        list[i].name = name;
    }
    if (n)
        out->schema.feature = list;
    bs_names_free(&taken);
    bs_free(clash);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}
