/* dataset.h -- a multi-label data set in memory, and the schema that a model remembers of it.
 *
 * Features are CSR whatever the file was: zeros are left out, a missing value is
 * a NaN entry. Labels are CSR without values. What a file means (which column
 * is which feature, what reads as 1) is in the schema; bs_dataset_match()
 * brings another file into the shape of a training schema or refuses it. */
#ifndef BS_DATASET_H
#define BS_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/csr.h"
#include "base/err.h"
#include "base/mem.h"
#include "data/notes.h"

typedef enum {
    BS_FEATURE_NUMERIC,
    BS_FEATURE_BINARY, /* 0 or 1; from a nominal attribute, `value` is what reads as 1 */
    BS_FEATURE_ONEHOT, /* 1 where `attribute` has the category `value` */
} bs_feature_kind;

typedef struct {
    const char     *name;      /* "area", "landmass=3" */
    const char     *attribute; /* column of the file: "area", "landmass" */
    const char     *value;     /* NULL for numbers */
    bs_feature_kind kind;
} bs_feature;

typedef struct {
    int32_t            n_features, n_labels;
    const bs_feature  *feature; /* [n_features]; NULL: known by number only */
    const char *const *label;   /* [n_labels] names; numbers are names, too */
    int          index_base;    /* number of the first feature in the file, 0 or 1; 0 with names */
    bool         dense;         /* rows of the file list every feature */
    bool         binary;        /* all features are 0 or 1 */
    bool         open;          /* rows name what they have; a feature may be absent from a file */
    const float *fill;          /* [n_features] what a missing value becomes; NULL = 0 */
    const float *mean;          /* [n_features], with scale: (x - mean) * scale ... */
    const float *scale;         /* ... or both NULL: values are used as they are */
} bs_schema;

/* What the columns of the file were, for people: "80 (77 numeric, 3 nominal)". */
typedef struct {
    int32_t  attributes;       /* columns that are not labels */
    int32_t  numeric, nominal; /* of the file; the two sum up with texts and dates */
    int32_t  binary;           /* of the nominal ones */
    int32_t  skipped;          /* identifiers, texts, dates */
    bool     paired;           /* labels are in a file of their own */
    bool     recoded;          /* its text is not UTF-8 */
    bool     unnamed;          /* the first column has no name, the second has */
    uint64_t names;            /* of the column that names the rows, hashed in order; 0: none */
    char     labels_from[96];  /* "bibtex.xml", "-C 28 in the relation name", "--labels" */
} bs_source;

/* Some names for a message: the first BS_FEW that differ. */
enum { BS_FEW = 16 };
typedef struct {
    int  n;
    char name[BS_FEW][48];
} bs_few;

void bs_few_add(bs_few *f, const char *name);
void bs_few_category(bs_few *f, const bs_feature *of); /* "colour = pink", once a column */

/* How much of a file is known to the schema that it was matched with. */
typedef struct {
    uint8_t *seen;          /* [features of the schema]: the file has its column; owned */
    int32_t  features;      /* how many */
    int64_t  kept, dropped; /* entries of x */
    int64_t  unseen;        /* entries that are categories which the schema does not have ... */
    bs_few   categories;    /* ... of such columns, with one of them: "colour = pink" */
    bs_few   strangers;     /* columns that were dropped; none where they have no names */
} bs_met;
/* What was met in another file, or in the next piece; false: memory ran out. */
bool bs_met_add(bs_met *all, const bs_met *more, int32_t features);
void bs_met_free(bs_met *m);

typedef struct {
    bs_arena           arena;  /* names and everything small */
    const char        *format; /* name of the reader, static */
    bs_schema          schema;
    bs_source          source;
    int32_t            rows;
    int64_t            rows_before; /* of the file, in pieces read before */
    bs_csr             x;           /* [rows, n_features]; a missing value is NaN */
    bs_csr             y;           /* [rows, n_labels], value NULL */
    bs_csr             unknown;     /* labels the file leaves open ("?"); start NULL: none */
    const char *const *row_id;      /* [rows] or NULL */
    const int32_t     *row_number;  /* [rows] in the file, from 1; NULL: as they stand here */
    const uint8_t     *numbered; /* [rows]: row_id is but a number that the reader gave; NULL: no */
    const char *const *row_text; /* [rows] as they stand in the file; NULL: not kept */
    const char        *head_text;   /* of a table: the names of its columns; NULL: it has none */
    char               delimiter;   /* between its cells */
    bool               open_labels; /* rows name their labels; the file declares no list */
    bool               by_name;   /* rows name what they have; a column that none has is missing */
    bool               lenient;   /* some columns may be absent: their values are missing */
    bool               labelled;  /* false: the file has no labels at all, y is empty */
    int64_t            n_missing; /* NaN entries of x */
    bs_met             met;       /* of bs_dataset_match */
    uint64_t           hash;      /* of contents, names and order; independent of the format */

    /* The blocks behind x, y and unknown; owned. */
    int32_t *x_start, *x_index, *y_start, *y_index, *u_start, *u_index;
    float   *x_value;
} bs_dataset;

void bs_dataset_free(bs_dataset *ds); /* accepts NULL */

/* A copy of the given rows, in this order; rows may repeat. */
basin_status bs_dataset_select(const bs_dataset *ds, const int32_t *rows, int32_t n,
                               bs_dataset **out, basin_error *err);

/* Keeps the features with keep[i] != 0 and renumbers them. */
basin_status bs_dataset_keep_features(bs_dataset *ds, const uint8_t *keep, basin_error *err);

/* Appends the rows of b, which has the same schema (see bs_dataset_match), to a. */
basin_status bs_dataset_append(bs_dataset *a, const bs_dataset *b, basin_error *err);

/* Brings ds into the order of `want`: features and labels by name, or by number
 * where there are no names. Unknown features are dropped with a note; an unknown
 * label, a missing column or two readings of one column are errors. `file` is
 * for messages. On failure ds may only be freed. A note that scores depend on
 * is a warning. */
basin_status bs_dataset_match(const bs_schema *want, bs_dataset *ds, const char *file,
                              bs_notes *notes, basin_error *err);

/* Before that, for a file that a model is asked about: leaves out labels that `want` does not have,
 * with such a note; or all labels, which then cannot be wrong. */
basin_status bs_dataset_known_labels(const bs_schema *want, bs_dataset *ds, const char *file,
                                     bs_notes *notes, basin_error *err);
void         bs_dataset_forget_labels(bs_dataset *ds);

/* Adds to a the features (where its format is open) and categories that only `other` has,
 * and its labels where rows name them: for files that are read as one. widen.c */
basin_status bs_dataset_widen(bs_dataset *a, const bs_dataset *other, basin_error *err);

/* Gives every row a missing value of the features with which[i] != 0, which it does not have. */
basin_status bs_dataset_add_missing(bs_dataset *ds, const uint8_t *which, int32_t n_features,
                                    basin_error *err);

uint64_t bs_dataset_hash(const bs_dataset *ds);

/* --- schema: schema.c, schema_json.c ------------------------------------- */

/* A feature made of this attribute, or NULL. *hint is where to look first, so that files in
 * the schema's order cost one comparison per attribute; start with 0. */
const bs_feature *bs_schema_attribute(const bs_schema *s, const char *attribute, int32_t *hint);

/* Copies into an arena. */
basin_status bs_schema_copy(const bs_schema *from, bs_arena *arena, bs_schema *out,
                            basin_error *err);

/* Sets what the values say and not the file: `binary` (none is other than 0 and 1) and `dense` (at
 * least a quarter of the numbers is not 0). */
void bs_schema_judge(const bs_dataset *train, bs_schema *schema);

/* Computes fill (mean of the values that are there) and, when `standardise`,
 * mean and scale (1 / standard deviation; binary and one-hot features and
 * constants keep 0 and 1) of the training data; memory from arena. */
basin_status bs_schema_fit(const bs_dataset *train, bool standardise, bs_arena *arena,
                           bs_schema *schema, basin_error *err);

/* Rows index[0..n), or first .. first + n when index is NULL, as a dense
 * [n, n_features] matrix: missing values filled, standardised as the schema says. */
void bs_dataset_dense(const bs_dataset *ds, const bs_schema *schema, const int32_t *index,
                      int32_t first, int32_t n, float *out);

/* Replaces missing values in place; zeros stay zeros, nothing is standardised. */
void bs_dataset_fill(bs_dataset *ds, const bs_schema *schema);

/* One JSON object, for the model file; and back (strings go into the arena). */
void         bs_schema_json(const bs_schema *schema, bs_buf *out);
basin_status bs_schema_from_json(const char *json, size_t len, const char *where, bs_arena *arena,
                                 bs_schema *out, basin_error *err);

/* --- summary.c ----------------------------------------------------------- */

typedef struct {
    int32_t rows, features, labels;
    double  density;                     /* share of entries of x that are not zero */
    double  cardinality;                 /* mean number of labels of a row */
    int32_t label_sets;                  /* different sets of labels */
    int32_t rows_unlabelled, rows_empty; /* without label; without feature */
    int32_t duplicates;                  /* rows equal to an earlier one, labels included */
    int32_t contradictions;    /* rows whose features occur earlier, but never with these labels */
    int32_t features_constant; /* the same value in every row */
    int32_t labels_never, labels_always;
    int32_t rarest, rarest_rows; /* the rarest label that occurs; -1 = no label occurs */
    int32_t commonest, commonest_rows;
    int64_t missing; /* values and categories */
} bs_summary;

/* Cells of nominal columns without a value. */
basin_status bs_blank_categories(const bs_dataset *ds, int64_t *out, basin_error *err);

basin_status bs_dataset_summary(const bs_dataset *ds, bs_summary *out, basin_error *err);

#endif
