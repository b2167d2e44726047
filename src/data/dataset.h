/* dataset.h -- a multi-label data set in memory, and the schema that a model keeps of it.
 *
 * Features are CSR whatever the format: zeros are left out, a missing value is a NaN entry. Labels
 * are CSR without values. What a file means (which column is which feature, what reads as 1) is in
 * the schema; bs_rows_match() brings another file into the shape of a training schema or refuses
 * it. */
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

struct json_t;

typedef enum {
    BS_FEATURE_NUMERIC,
    BS_FEATURE_BINARY, /* 0 or 1; from a nominal attribute if `value` is set, which reads as 1 */
    BS_FEATURE_ONEHOT, /* 1 where `attribute` has the category `value` */
} bs_feature_kind;

typedef struct {
    const char     *name;      /* "area", "landmass=3" */
    const char     *attribute; /* the column in the file: "area", "landmass" */
    const char     *value;     /* NULL for numeric features */
    bs_feature_kind kind;
} bs_feature;

typedef struct {
    int32_t            n_features, n_labels;
    const bs_feature  *feature; /* [n_features]; NULL: known by number only */
    const char *const *label;   /* [n_labels] names; numbers count as names */
    int          index_base;    /* number of the first feature in the file, 0 or 1; 0 with names */
    bool         dense;         /* rows of the file list every feature */
    bool         binary;        /* all features are 0 or 1 */
    bool         open;          /* rows list what they have; a file may lack a feature entirely */
    const float *fill;          /* [n_features] replaces a missing value; NULL = 0 */
    const float *mean;          /* [n_features], together with scale: (x - mean) * scale ... */
    const float *scale;         /* ... or both NULL: values are used unchanged */
    int32_t      n_texts;       /* columns that hold the text of rows, joined by blanks ... */
    const char *const *text;    /* [n_texts] ... and their names; no features */
} bs_schema;

/* The columns of the file, for people: "80 (77 numeric, 3 nominal)". */
typedef struct {
    int32_t  attributes;       /* columns that are not labels */
    int32_t  numeric, nominal; /* in the file; they add up with texts and dates */
    int32_t  binary;           /* among the nominal ones */
    int32_t  texts;            /* that are the text of rows */
    int32_t  skipped;          /* identifiers, other texts, dates */
    bool     paired;           /* labels are in a separate file */
    bool     recoded;          /* its text was not UTF-8 */
    bool     marked;           /* it begins with a byte order mark */
    bool     unnamed;          /* the first column has no name, the second does */
    uint64_t names;            /* hash of the row names in their column, in order; 0: none */
    char     labels_from[96];  /* "bibtex.xml", "-C 28 in the relation name", "--labels" */
} bs_source;

/* A few names for a message: the first BS_FEW different ones. */
enum { BS_FEW = 16 };
typedef struct {
    int  n;
    char name[BS_FEW][48];
} bs_examples;

void bs_examples_add(bs_examples *f, const char *name);
void bs_examples_category(bs_examples      *f,
                          const bs_feature *of); /* "colour = pink", once per column */

/* The text of a row in its file, with the line end; NULL: it is no line of the file. */
typedef struct {
    const char *bytes; /* [n], NUL-terminated */
    size_t      n;
} bs_row_text;

/* How much of a file fits the schema that it was matched with. */
typedef struct {
    uint8_t    *seen;          /* [features of the schema]: the file has the column; owned */
    int32_t     features;      /* how many */
    int64_t     kept, dropped; /* entries of x */
    int64_t     unseen;        /* entries that are categories missing from the schema ... */
    bs_examples categories;    /* ... of those columns, one example each: "colour = pink" */
    bs_examples strangers;     /* columns that were dropped; none if they have no names */
} bs_coverage;
/* Adds what another file, or the next block, was like; false: memory ran out. */
bool bs_coverage_add(bs_coverage *all, const bs_coverage *more, int32_t features);
void bs_coverage_free(bs_coverage *m);

typedef struct {
    bs_arena           arena;  /* names and other small things */
    const char        *format; /* name of the reader, static */
    bs_schema          schema;
    bs_source          source;
    int32_t            rows;
    int64_t            rows_before; /* rows of the file in earlier blocks */
    bs_csr             x;           /* [rows, n_features]; NaN is a missing value */
    bs_csr             y;           /* [rows, n_labels], value NULL */
    bs_csr             unknown;     /* labels left open in the file ("?"); start NULL: none */
    const char *const *row_id;      /* [rows] or NULL */
    const int32_t     *row_number;  /* [rows] numbers in the file, from 1; NULL: in order */
    const uint8_t     *numbered; /* [rows]: row_id is only a number given by the reader; NULL: no */
    const bs_row_text *row_text; /* [rows] their text in the file; NULL: not kept */
    /* Documents: the text of row i, document[i].n bytes of valid UTF-8 without a NUL inside; it may
     * be empty. In the arena; NULL: rows have no text. */
    const bs_row_text *document;
    const char        *head_text;   /* what precedes the rows of a kept text; NULL: nothing */
    char               delimiter;   /* between its cells */
    bool               open_labels; /* rows name their labels; the file declares no list of them */
    bool               by_name;   /* rows list what they have; a column found in none is missing */
    bool               lenient;   /* some columns may be absent: their values are missing */
    bool               labelled;  /* false: the file has no labels at all, y is empty */
    int64_t            n_missing; /* NaN entries of x */
    bs_coverage        met;       /* of bs_rows_match */
    uint64_t           hash;      /* of contents, names and order; independent of the format */

    /* The memory behind x, y and unknown; owned. x_index and x_value are NULL if x points at a
     * program's rows. */
    int32_t *x_start, *x_index, *y_start, *y_index, *u_start, *u_index;
    float   *x_value;
} bs_rows;

void bs_rows_free(bs_rows *ds); /* accepts NULL */

/* Call before changing features in place: copies those owned by somebody else. */
basin_status bs_rows_own(bs_rows *ds, basin_error *err);

/* A copy of the given rows, in the given order; rows may repeat. */
basin_status bs_rows_select(const bs_rows *ds, const int32_t *rows, int32_t n, bs_rows **out,
                            basin_error *err);

/* Keeps the features with keep[i] != 0 and renumbers them. */
basin_status bs_rows_keep_features(bs_rows *ds, const uint8_t *keep, basin_error *err);

/* Appends the rows of b, which has the same schema (see bs_rows_match), to a. */
basin_status bs_rows_append(bs_rows *a, const bs_rows *b, basin_error *err);

/* Puts ds into the order of `want`: features and labels by name, or by number if there are no
 * names. Unknown features are dropped with a note; an unknown label, a missing column and a column
 * read in two ways are errors. `file` is for messages. On failure ds may only be freed. A note that
 * affects scores is a warning. */
basin_status bs_rows_match(const bs_schema *want, bs_rows *ds, const char *file, bs_notes *notes,
                           basin_error *err);

/* Called before that for files given to a model: drops labels that `want` lacks, with a note; or
 * all labels, which then cannot be wrong. */
basin_status bs_rows_known_labels(const bs_schema *want, bs_rows *ds, const char *file,
                                  bs_notes *notes, basin_error *err);
void         bs_rows_forget_labels(bs_rows *ds);

/* Adds to a the features (if its format is open) and categories that only `other` has, and its
 * labels if rows name them: for files that are read as one. widen.c */
basin_status bs_rows_widen(bs_rows *a, const bs_rows *other, basin_error *err);

/* Gives every row, which must lack them, missing values of the features with which[i] != 0. */
basin_status bs_rows_add_missing(bs_rows *ds, const uint8_t *which, int32_t n_features,
                                 basin_error *err);

uint64_t bs_rows_hash(const bs_rows *ds);
/* Of the features and the text of one row. */
uint64_t bs_row_hash(const bs_rows *ds, int32_t row, uint64_t seed);

/* --- schema: schema.c, schema_json.c ------------------------------------- */

/* A feature made from this attribute, or NULL. *hint is where to look first, so that files in the
 * order of the schema cost one comparison per attribute; start with 0. */
const bs_feature *bs_schema_attribute(const bs_schema *s, const char *attribute, int32_t *hint);

/* Copies into an arena. */
basin_status bs_schema_copy(const bs_schema *from, bs_arena *arena, bs_schema *out,
                            basin_error *err);

/* Sets what depends on the values rather than the file: `binary` (all are 0 or 1) and `dense` (at
 * least a quarter of the numbers are not 0). */
void bs_schema_judge(const bs_rows *train, bs_schema *schema);

/* Computes fill (mean of the values present) and, with `standardise`, mean and scale (1 / standard
 * deviation; 0 and 1 for binary, one-hot and constant features) of the training data; memory from
 * arena. */
basin_status bs_schema_fit(const bs_rows *train, bool standardise, bs_arena *arena,
                           bs_schema *schema, basin_error *err);

/* Rows index[0..n), or first .. first + n if index is NULL, as a dense [n, n_features] matrix:
 * missing values filled, standardised as the schema says. */
void bs_rows_dense(const bs_rows *ds, const bs_schema *schema, const int32_t *index, int32_t first,
                   int32_t n, float *out);

/* Replaces missing values in place; zeros stay zeros and nothing is standardised. */
void bs_rows_fill(bs_rows *ds, const bs_schema *schema);

/* One JSON object for the model file, and back (strings go into the arena). */
void         bs_schema_json(const bs_schema *schema, bs_buf *out);
basin_status bs_schema_take(struct json_t *o, const char *where, bs_arena *arena, bs_schema *out,
                            basin_error *err);

/* --- summary.c ----------------------------------------------------------- */

typedef struct {
    int32_t rows, features, labels;
    double  density;                     /* share of nonzero entries in x */
    double  cardinality;                 /* mean number of labels per row */
    int32_t label_sets;                  /* different sets of labels */
    int32_t rows_unlabelled, rows_empty; /* without labels; without features */
    int32_t duplicates;                  /* rows equal to an earlier one, labels included */
    int32_t contradictions;    /* rows with the features of an earlier one, but always other
                                  labels */
    int32_t features_constant; /* with the same value in every row */
    int32_t labels_never, labels_always;
    int32_t rarest, rarest_rows; /* the rarest label that occurs; -1: none does */
    int32_t commonest, commonest_rows;
    int64_t missing; /* values and categories */
    bool    texts;   /* rows have them */
} bs_summary;

/* Cells of nominal columns that have no value. */
basin_status bs_blank_categories(const bs_rows *ds, int64_t *out, basin_error *err);

basin_status bs_rows_summary(const bs_rows *ds, bs_summary *out, basin_error *err);
/* How many rows have the inputs of a row of train, which has the same columns. */
basin_status bs_rows_shared(const bs_rows *ds, const bs_rows *train, int32_t *out,
                            basin_error *err);

#endif
