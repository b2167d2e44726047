/* jsonl.h -- shared by the parts of the JSONL reader: members of rows. */
#ifndef BS_JSONL_H
#define BS_JSONL_H

#include "data/rows/documents.h"

typedef enum { JSONL_UNDECIDED, JSONL_NAMED, JSONL_NUMBERED } jsonl_style;

typedef enum { JSONL_FEATURE, JSONL_LABEL, JSONL_TEXT, JSONL_SKIP } jsonl_role;

/* A member of the rows; "outer.inner" inside an object. */
typedef struct {
    const char *name;
    int32_t     number;                 /* feature for its numeric values, -1: none yet */
    int32_t     first, last;            /* its features: a list through `next`, -1: none */
    int64_t     numbers, truths, texts; /* how many rows have it as ... */
    int64_t     nulls, zeros;           /* ... null, and numbers that are 0, counting false */
    int64_t     others;                 /* numbers that are neither 0 nor 1 */
    bool        category;               /* a category in the training schema */
    jsonl_role  role;
    int32_t     label; /* for a JSONL_LABEL, its number; for a JSONL_TEXT, its place */
    int32_t     seen;  /* the last row with it, from 1 */
} jsonl_member;

typedef struct {
    int32_t member, next;
} jsonl_feature;

typedef struct {
    bs_reading     *r;
    long            line;
    bs_buf          name; /* "colour=red" */
    jsonl_style     style;
    size_t          width;         /* length of lists of numbers */
    bool            bag;           /* rows have a "features" object */
    bs_text_columns texts;         /* members that are the text of rows */
    bool            labels;        /* some row has a "labels" member */
    bool            lists;         /* ... that is more than one string */
    char            label_key[64]; /* its name */
    bool            named;         /* ... is that of --labels */
    int32_t         without;       /* rows without it */
    bs_names        members;
    jsonl_member   *member; /* [members.n] */
    size_t          cap;
    jsonl_feature  *feature; /* [features] */
    size_t          feature_cap;
    int32_t         hint; /* for bs_schema_attribute() */
} jsonl;

/* Turns features in order of arrival into columns: finds labels and members to leave out, puts the
 * values of a category side by side, and makes absent members missing, or 0 if rows list little of
 * what there is. */
basin_status bs_jsonl_columns(jsonl *x);

#endif
