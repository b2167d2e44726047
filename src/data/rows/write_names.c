/* write_names.c -- one name for every column of a table, and what a format loses.
 *
 * A word and a tag may both be called "python". In a table the two columns would share a name, and
 * a reader could take the wrong one for the label. Labels keep their names, since predictions use
 * them; features get a suffix. */
#include <string.h>

#include "base/buf.h"
#include "data/names.h"
#include "data/rows/documents.h"
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

basin_status bs_distinct_names(const bs_rows *ds, bool ids, bs_arena *arena, bs_rows *out,
                               bs_notes *notes, basin_error *err)
{
    const bs_schema *s = &ds->schema;
    bs_names         taken;
    bs_buf           text;
    bool             fresh, ok = true;
    int32_t          renamed = 0;
    bs_feature      *list = bs_arena_alloc(arena, ((size_t)s->n_features + 1) * sizeof *list);
    bs_names_init(&taken, arena);
    bs_buf_init(&text, (size_t)1 << 28);
    for (int32_t i = 0; ok && i < s->n_labels; i++)
        ok = bs_names_add(&taken, s->label[i], strlen(s->label[i]), &fresh) >= 0;
    if (ok && ids && ds->row_id)
        ok = bs_names_add(&taken, bs_id_column(ds), strlen(bs_id_column(ds)), &fresh) >= 0;
    ok = ok && list;
    /* Features that can keep their names do; the others have none for now. */
    for (int32_t i = 0; ok && i < s->n_features; i++) {
        char          scratch[24];
        const char   *name = bs_feature_name(ds, i, scratch);
        const int32_t at = bs_names_add(&taken, name, strlen(name), &fresh);
        ok = at >= 0;
        list[i] = (bs_feature){.attribute = ok ? taken.item[at].text : NULL,
                               .kind = ds->x.value ? BS_FEATURE_NUMERIC : BS_FEATURE_BINARY};
        if (s->feature)
            list[i] = s->feature[i];
        list[i].name = ok && fresh ? taken.item[at].text : NULL;
        renamed += !fresh;
    }
    *out = *ds;
    if (ok && renamed)
        out->schema.feature = list;
    for (int32_t i = 0, told = 0; ok && i < s->n_features; i++) {
        char        scratch[24];
        const char *name = bs_feature_name(ds, i, scratch);
        /* "python_feature", "python_feature2", ...: the first that is free */
        for (int k = 1; ok && !list[i].name; k++) {
            bs_buf_clear(&text);
            bs_buf_printf(&text, k > 1 ? "%s_feature%d" : "%s_feature", name, k);
            ok = !text.failed && bs_names_add(&taken, text.data, text.len, &fresh) >= 0;
            if (!ok || !fresh)
                continue;
            list[i].name = taken.item[taken.n - 1].text;
            if (told++)
                continue;
            bs_notes_add(notes, "renamed",
                         "feature '%.60s' has the name of %s: it is written as '%.80s'%s", name,
                         ids && ds->row_id && strcmp(name, bs_id_column(ds)) == 0
                             ? "the column of row names"
                             : "a label",
                         list[i].name, renamed > 1 ? ", and others like it" : "");
        }
    }
    bs_buf_free(&text);
    bs_names_free(&taken);
    return ok ? BASIN_OK : bs_fail_nomem(err);
}

/* --- what is lost -------------------------------------------------------- */

static void mark_columns(const bs_csr *m, int32_t rows, uint8_t *seen)
{
    for (int32_t e = 0; m->start && e < m->start[rows]; e++)
        seen[m->index[e]] = 1;
}

const char *bs_text_column(const bs_rows *ds)
{
    const bs_schema *s = &ds->schema;
    return s->n_texts == 1 && bs_named_like_text(s->text[0]) ? s->text[0] : "text";
}

basin_status bs_note_losses(const bs_rows *ds, const bs_writer *writer, bs_notes *notes,
                            basin_error *err)
{
    const bs_schema *s = &ds->schema;
    const unsigned   keeps = writer->keeps;
    int32_t          labels = 0, features = 0;
    uint8_t         *seen = bs_calloc((size_t)s->n_labels + (size_t)s->n_features + 1, 1);
    if (!seen)
        return bs_fail_nomem(err);
    mark_columns(&ds->y, ds->rows, seen);
    mark_columns(&ds->unknown, ds->rows, seen);
    mark_columns(&ds->x, ds->rows, seen + s->n_labels);
    for (int32_t i = 0; i < s->n_labels; i++)
        labels += !seen[i];
    /* Of numbered features, only those after the last one that occurs are lost. */
    for (int32_t i = 0; i < s->n_features; i++)
        features = !seen[s->n_labels + i] ? features + 1 : keeps & BS_KEEPS_NAMES ? features : 0;
    bs_free(seen);
    if (ds->document && !(keeps & BS_KEEPS_TEXTS) && s->n_features == 0)
        return bs_fail(err, BASIN_EARG, "texts cannot be written as %s; use jsonl, csv or fasttext",
                       writer->name);
    if (ds->document && !(keeps & BS_KEEPS_TEXTS))
        bs_notes_add(notes, "lost", "texts are lost: %s has no place for them", writer->name);
    if (labels && !(keeps & BS_KEEPS_LABELS))
        bs_notes_add(notes, "lost", "%d labels that no row has are lost: %s names those of rows",
                     labels, writer->name);
    /* A list of numbers has a place for every feature. */
    bool list = keeps & BS_KEEPS_NAMES && !s->feature && s->dense;
    if (features && !list && !(keeps & BS_KEEPS_FEATURES))
        bs_notes_add(notes, "lost", "%d features that are 0 in all rows are lost: %s has no place",
                     features, writer->name);
    if (s->n_features > 0 && keeps == BS_KEEPS_TEXTS)
        bs_notes_add(notes, "lost", "features are lost: %s has texts only", writer->name);
    else if (s->feature && s->n_features > 0 && !(keeps & BS_KEEPS_NAMES))
        bs_notes_add(notes, "lost", "names of features are lost: %s has numbers only",
                     writer->name);
    if (ds->row_id && !(keeps & BS_KEEPS_IDS))
        bs_notes_add(notes, "lost", "names of rows (ids) are lost: %s has no place for them",
                     writer->name);
    return BASIN_OK;
}
