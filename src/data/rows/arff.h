/* arff.h -- what the parts of the ARFF reader share: the header and the roles of its attributes. */
#ifndef BS_ARFF_H
#define BS_ARFF_H

#include "data/rows/read.h"

typedef enum { ARFF_NUMBER, ARFF_NOMINAL, ARFF_STRING, ARFF_DATE, ARFF_HIERARCHY } arff_type;

typedef enum { ARFF_SKIP, ARFF_FEATURE, ARFF_LABEL, ARFF_CLASSES, ARFF_ID } arff_role;

typedef enum {
    ARFF_AS_NUMBER,
    ARFF_AS_BINARY,   /* 1 where the value is number `one` */
    ARFF_AS_ONEHOT,   /* feature column + number of the value */
    ARFF_AS_POSITION, /* the number of the value is the number */
} arff_coding;

typedef struct {
    const char *name;    /* without quotes and escapes, UTF-8 */
    const char *raw;     /* as it stands in the file, without quotes */
    bool        renamed; /* another has that name, too */
    arff_type   type;
    arff_role   role;
    arff_coding coding;
    bs_names    values; /* nominal: in the declared order */
    int32_t     one;    /* ARFF_AS_BINARY: number of the value that reads as 1, -1 = none */
    int32_t     column; /* feature or label; of one-hot ones the first */
    long        line;
} arff_attribute;

/* Classes of a hierarchical attribute; each with its ancestors, itself included. */
typedef struct {
    bs_names names;
    int32_t *start; /* [names.n + 1] */
    int32_t *up;    /* classes a class implies */
    bool     dag;
    int64_t  written; /* classes as written in the rows, without what they imply */
} arff_classes;

typedef struct {
    char           *relation;
    arff_attribute *attribute; /* [n] */
    int32_t         n;
    size_t          cap;
    bs_names        names; /* to find repeated ones */
    arff_classes    classes;
    int32_t         hierarchy; /* its attribute, or -1 */
    long            data_line;
    int32_t         n_escaped, n_latin1, n_renamed; /* names with \', not in UTF-8, repeated */
    const char     *escaped;                        /* one of them */
} arff_header;

void bs_arff_free(arff_header *h);

/* Reads up to and including the @data line. */
basin_status bs_arff_header(bs_reading *r, arff_header *h);

/* The declaration behind "hierarchical". */
basin_status bs_arff_hierarchy(bs_reading *r, arff_header *h, const char *text, long line);

/* Which attributes are labels, and what becomes of the others. */
basin_status bs_arff_roles(bs_reading *r, arff_header *h);

/* Sets mark[i] for the attributes that labels say are labels; *found = false when there is no
 * usable label file. `file` gets its name without the folder. */
basin_status bs_arff_xml(bs_reading *r, const arff_header *h, uint8_t *mark, bool *found,
                         char *file, size_t size);

/* Everything behind @data. */
basin_status bs_arff_rows(bs_reading *r, arff_header *h);

/* A quoted or bare word at p, ending at one of `stops` when bare: its raw text, and where it
 * ends. NULL when the quote is not closed. */
typedef struct {
    const char *text;
    size_t      len;
    bool        quoted, escaped;
} arff_word;
const char *bs_arff_word(const char *p, const char *stops, arff_word *word);

/* Copies without the backslashes; in a bare word only those before quotes and the like. */
size_t bs_arff_unescape(const arff_word *word, char *out);

#endif
