/* svm.h -- shared by LIBSVM and extreme-classification rows: lists of number:value. */
#ifndef BS_SVM_H
#define BS_SVM_H

#include "data/rows/read.h"

typedef struct {
    int64_t limit;           /* feature numbers must be below */
    int64_t lowest, highest; /* seen so far; lowest = INT64_MAX before the first */
    bool    header;          /* the limit comes from the header, not from an option */
    bool    queries;         /* a qid: was ignored */
} bs_svm;

/* Pushes "3:0.5 7:1 ..." from p to the end of the line, numbers unchanged. */
basin_status bs_svm_features(bs_reading *r, bs_svm *s, const bs_line *line, const char *p);

/* Where the features of a row start: after the leading words without a colon. */
const char *bs_svm_labels_end(const char *p);

/* Cuts off a comment; refuses NUL bytes. */
basin_status bs_svm_clean(bs_reading *r, bs_line *line);

/* True if the line is a row: words, then only number:value, at least one of either. */
bool bs_svm_looks_like(const char *p, const char *end, bool *features);

#endif
