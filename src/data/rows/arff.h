/* arff.h -- shared by the parts of the ARFF reader: the header and the roles of attributes. */
#ifndef BS_ARFF_H
#define BS_ARFF_H

#include "data/rows/read.h"

typedef enum { ARFF_NUMBER, ARFF_NOMINAL, ARFF_STRING, ARFF_DATE, ARFF_HIERARCHY } arff_type;

typedef enum { ARFF_SKIP, ARFF_FEATURE, ARFF_LABEL, ARFF_CLASSES, ARFF_ID } arff_role;

typedef enum {
    ARFF_AS_NUMBER,
    ARFF_AS_BINARY,   /* 1 where the value is number `one` */
    ARFF_AS_ONEHOT,   /* feature column + number of the value */
    ARFF_AS_POSITION, /* the value's number is the feature's value */
} arff_coding;

typedef struct {
    const char *name;    /* without quotes and escapes, UTF-8 */
    const char *raw;     /* as in the file, without quotes */
    bool        renamed; /* another attribute has the same name */
    arff_type   type;
    arff_role   role;
    arff_coding coding;
    bs_names    values; /* nominal: in declared order */
    int32_t     one;    /* ARFF_AS_BINARY: number of the value that reads as 1, -1 = none */
    int32_t     column; /* feature or label; for one-hot the first */
    long        line;
} arff_attribute;

/* Classes of a hierarchical attribute; each with its ancestors, itself included. */
typedef struct {
    bs_names names;
    int32_t *start; /* [names.n + 1] */
    int32_t *up;    /* classes a class implies */
    bool     dag;
    int64_t  written; /* classes named in rows, without those they imply */
} arff_classes;

typedef struct {
    char           *relation;
    arff_attribute *attribute; /* [n] */
    int32_t         n;
    size_t          cap;
    bs_names        names; /* to find repeated names */
    arff_classes    classes;
    int32_t         hierarchy; /* the hierarchical attribute, or -1 */
    long            data_line;
    int32_t         n_escaped, n_latin1, n_renamed; /* names with \', not in UTF-8, repeated */
    const char     *escaped;                        /* an example */
} arff_header;

void bs_arff_free(arff_header *h);

/* Reads up to and including the @data line. */
basin_status bs_arff_header(bs_reading *r, arff_header *h);

/* The declaration after "hierarchical". */
basin_status bs_arff_hierarchy(bs_reading *r, arff_header *h, const char *text, long line);

/* Which attributes are labels, and how the others become features. */
basin_status bs_arff_roles(bs_reading *r, arff_header *h);

/* Sets mark[i] for the attributes that a label file names; *found = false if there is no usable
 * one. `file` receives its name without the folder. */
basin_status bs_arff_xml(bs_reading *r, const arff_header *h, uint8_t *mark, bool *found,
                         char *file, size_t size);

/* Everything after @data. */
basin_status bs_arff_rows(bs_reading *r, arff_header *h);

/* A quoted or bare word at p; a bare one ends at one of `stops`. Gives its raw text and its end,
 * NULL if a quote is not closed. */
typedef struct {
    const char *text;
    size_t      len;
    bool        quoted, escaped;
} arff_word;
const char *bs_arff_word(const char *p, const char *stops, arff_word *word);

/* Copies without backslashes; in a bare word only those before quotes and the like go. */
size_t bs_arff_unescape(const arff_word *word, char *out);

#endif
