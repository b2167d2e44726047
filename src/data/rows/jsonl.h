/* jsonl.h -- shared by the parts of the JSONL reader: members of rows. */
#ifndef BS_JSONL_H
#define BS_JSONL_H

#include "data/rows/read.h"

typedef enum { JSONL_UNDECIDED, JSONL_NAMED, JSONL_NUMBERED } jsonl_style;

/* A member of the rows; "outer.inner" inside an object. */
typedef struct {
    const char *name;
    int32_t     number;                 /* feature for its numeric values, -1: none yet */
    int64_t     numbers, truths, texts; /* how many rows have it as ... */
    int64_t     nulls, zeros;           /* ... null, and numbers that are 0, counting false */
    int64_t     others;                 /* numbers that are neither 0 nor 1 */
    bool        category;               /* a category in the training schema */
} jsonl_member;

typedef struct {
    bs_reading   *r;
    long          line;
    bs_buf        name; /* "colour=red" */
    jsonl_style   style;
    size_t        width;         /* length of lists of numbers */
    bool          bag;           /* rows have a "features" object */
    bool          labels;        /* some row has a "labels" member */
    char          label_key[64]; /* its name */
    int32_t       without;       /* rows without it */
    bs_names      members;
    jsonl_member *member; /* [members.n] */
    size_t        cap;
    int32_t      *of; /* [features]: their member */
    size_t        of_cap;
    int32_t       hint; /* for bs_schema_attribute() */
} jsonl;

/* Turns features in order of arrival into columns: finds labels and members to leave out, puts the
 * values of a category side by side, and makes absent members missing, or 0 if rows list little of
 * what there is. */
basin_status bs_jsonl_columns(jsonl *x);

#endif
