/* jsonl.h -- what the parts of the JSONL reader share: members of rows. */
#ifndef BS_JSONL_H
#define BS_JSONL_H

#include "data/rows/read.h"

typedef enum { JSONL_UNDECIDED, JSONL_NAMED, JSONL_NUMBERED } jsonl_style;

/* A member of the rows; those of objects inside are "outer.inner". */
typedef struct {
    const char *name;
    int32_t     number;                 /* feature of its numbers, -1: none yet */
    int64_t     numbers, truths, texts; /* rows by what it is there ... */
    int64_t     nulls, zeros;           /* ... and numbers that are 0, false among them */
    int64_t     others;                 /* numbers that are neither 0 nor 1 */
    bool        category;               /* in the schema that the rows are to be like */
} jsonl_member;

typedef struct {
    bs_reading   *r;
    long          line;
    bs_buf        name; /* "colour=red" */
    jsonl_style   style;
    size_t        width;         /* of lists of numbers */
    bool          bag;           /* rows have a "features" object */
    bool          labels;        /* some row has a "labels" member */
    char          label_key[64]; /* its name */
    int32_t       without;       /* rows that have none */
    bs_names      members;
    jsonl_member *member; /* [members.n] */
    size_t        cap;
    int32_t      *of; /* [features]: member */
    size_t        of_cap;
    int32_t       hint; /* for bs_schema_attribute() */
} jsonl;

/* From features as they came to columns: labels and members to leave out are found, values of a
 * category stand together, and what a row does not name is missing, or 0 where rows name little
 * of all there is. */
basin_status bs_jsonl_columns(jsonl *x);

#endif
