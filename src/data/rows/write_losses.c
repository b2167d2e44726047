/* write_losses.c -- notes on what a format cannot express about a data set. */
#include "data/rows/write.h"

static int32_t labels_never(const bs_rows *ds, uint8_t *seen)
{
    int32_t n = ds->schema.n_labels;
    for (int32_t e = 0; e < ds->y.start[ds->rows]; e++) {
        n -= !seen[ds->y.index[e]];
        seen[ds->y.index[e]] = 1;
    }
    for (int32_t e = 0; ds->unknown.start && e < ds->unknown.start[ds->rows]; e++) {
        n -= !seen[ds->unknown.index[e]];
        seen[ds->unknown.index[e]] = 1;
    }
    return n;
}

/* Of numbered features, only those after the last one that occurs are lost. */
static int32_t features_never(const bs_rows *ds, bool trailing, uint8_t *seen)
{
    int32_t n = ds->schema.n_features, last = -1;
    for (int32_t e = 0; e < ds->x.start[ds->rows]; e++) {
        n -= !seen[ds->x.index[e]];
        seen[ds->x.index[e]] = 1;
        last = ds->x.index[e] > last ? ds->x.index[e] : last;
    }
    return trailing ? ds->schema.n_features - 1 - last : n;
}

basin_status bs_note_losses(const bs_rows *ds, const bs_writer *writer, bs_notes *notes,
                            basin_error *err)
{
    const bs_schema *s = &ds->schema;
    unsigned         keeps = writer->keeps;
    size_t           most = (size_t)(s->n_features > s->n_labels ? s->n_features : s->n_labels);
    uint8_t         *seen = bs_calloc(2 * most + 2, 1);
    if (!seen)
        return bs_fail_nomem(err);
    int32_t labels = labels_never(ds, seen);
    int32_t features = features_never(ds, !(keeps & BS_KEEPS_NAMES), seen + most + 1);
    bs_free(seen);
    if (labels && !(keeps & BS_KEEPS_LABELS))
        bs_notes_add(notes, "lost", "%d labels that no row has are lost: %s names those of rows",
                     labels, writer->name);
    /* A list of numbers has a place for every feature. */
    bool list = keeps & BS_KEEPS_NAMES && !s->feature && s->dense;
    if (features && !list && !(keeps & BS_KEEPS_FEATURES))
        bs_notes_add(notes, "lost", "%d features that are 0 in all rows are lost: %s has no place",
                     features, writer->name);
    if (s->feature && !(keeps & BS_KEEPS_NAMES))
        bs_notes_add(notes, "lost", "names of features are lost: %s has numbers only",
                     writer->name);
    if (ds->row_id && !(keeps & BS_KEEPS_IDS))
        bs_notes_add(notes, "lost", "names of rows (ids) are lost: %s has no place for them",
                     writer->name);
    return BASIN_OK;
}
