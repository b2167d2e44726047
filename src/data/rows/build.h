/* build.h -- a data set under construction: readers push entries and end rows.
 *
 * Arrays grow by doubling and become the data set's at the end. Features are either declared by
 * name (in any order, numbered as they arrive) or only numbered; columns within a row may come in
 * any order. */
#ifndef BS_BUILD_H
#define BS_BUILD_H

#include "data/dataset.h"
#include "data/names.h"

/* Row i is start[i] .. start[i + 1] of index, and of value if entries have one. */
typedef struct {
    int32_t *index, *start;
    float   *value;
    size_t   n, row; /* entries; where the current row starts */
    size_t   cap, start_cap;
} bs_entries;

typedef struct {
    bs_rows   *ds;      /* its arena holds all texts */
    bs_entries x, y, u; /* features, labels, labels left open */
    int32_t    rows, max_rows;
    int64_t    rows_before;   /* in earlier blocks of the file: rows are named by number */
    bool       keep_zeros;    /* rows keep zeros for now: the reader still needs them */
    bool       ones;          /* all values so far are 1 */
    bool       reordered;     /* some row's features were not in increasing order */
    bool       repeated;      /* some row named a label twice */
    int64_t    rounded;       /* whole numbers that a float cannot hold ... */
    double     first_rounded; /* ... and the first of them */

    bs_names     features, labels; /* by name; unused if numbers suffice */
    bs_feature  *feature;
    size_t       feature_cap;
    const char **row_id;
    size_t       id_cap;
    int32_t      n_ids;
    bs_row_text *row_text; /* empty for rows added without one */
    size_t       text_cap;
    int32_t      n_texts;
    bs_row_text *document; /* the same */
    size_t       document_cap;
    int32_t      n_documents;
    int32_t      recoded; /* documents that were not UTF-8 */
} bs_build;

basin_status bs_build_init(bs_build *b, int32_t max_rows, basin_error *err);
void         bs_build_free(bs_build *b); /* whatever was not handed over */

bool bs_entries_room(bs_entries *e, bool values);

/* False when memory runs out (or at 2^31 entries). */
static inline bool bs_push_x(bs_build *b, int32_t feature, float value)
{
    if (b->x.n == b->x.cap && !bs_entries_room(&b->x, true))
        return false;
    b->x.index[b->x.n] = feature;
    b->x.value[b->x.n++] = value;
    return true;
}

/* The same for a number as read. Counts whole numbers that lose digits: they may be codes, and two
 * codes may become one. */
static inline bool bs_push_number(bs_build *b, int32_t feature, double value)
{
    const double size = value < 0 ? -value : value;
    if (size > 16777216 /* 2^24: floats are exact up to here */ && size < 9e15 &&
        (double)(float)value != value && (double)(int64_t)value == value) {
        b->first_rounded = b->rounded ? b->first_rounded : value;
        b->rounded++;
    }
    return bs_push_x(b, feature, (float)value);
}

static inline bool bs_push_label(bs_entries *e, int32_t label)
{
    if (e->n == e->cap && !bs_entries_room(e, false))
        return false;
    e->index[e->n++] = label;
    return true;
}

static inline bool bs_push_y(bs_build *b, int32_t label)
{
    return bs_push_label(&b->y, label);
}

/* A label that this row leaves open. */
static inline bool bs_build_unknown(bs_build *b, int32_t label)
{
    return bs_push_label(&b->u, label);
}

/* Sorts a row by column; value may be NULL. */
void bs_sort_entries(int32_t *key, float *value, size_t n);

/* Ends a row: sorts its entries, drops zeros and repeated labels. *twice is a
 * feature that occurs twice, else -1. */
basin_status bs_build_row(bs_build *b, int32_t *twice, basin_error *err);

/* Names the current row; the last call counts. Rows without a name get their number if any row has
 * one. */
bool bs_build_id(bs_build *b, const char *text, size_t len);

/* The document of the current row: repaired if it is not UTF-8 (Latin-1 then), without NUL. */
bool bs_build_document(bs_build *b, const char *text, size_t len);

/* Keeps the text of the last row that ended. */
bool bs_build_text(bs_build *b, const char *text, size_t len);

/* A named feature; -1 when memory runs out. *fresh = false if the name exists. */
int32_t bs_build_feature(bs_build *b, const char *name, const char *attribute, const char *value,
                         bs_feature_kind kind, bool *fresh);

/* Hands over the arrays. n_features and n_labels: -1 for those of the name tables. Computes the
 * hash. */
basin_status bs_build_finish(bs_build *b, int32_t n_features, int32_t n_labels, basin_error *err);

#endif
