/* svm.h -- what LIBSVM and extreme-classification rows share: lists of number:value. */
#ifndef BS_SVM_H
#define BS_SVM_H

#include "data/rows/read.h"

typedef struct {
    int64_t limit;           /* feature numbers must be below */
    int64_t lowest, highest; /* met so far; lowest = INT64_MAX before the first */
    bool    header;          /* the limit is the header's, not an option's */
    bool    queries;         /* a qid: was read over */
} bs_svm;

/* Pushes "3:0.5 7:1 ..." from p to the end of the line, numbers as they are. */
basin_status bs_svm_features(bs_reading *r, bs_svm *s, const bs_line *line, const char *p);

/* Where the features of a row begin: behind the leading words without a colon. */
const char *bs_svm_labels_end(const char *p);

/* Cuts a comment off; refuses NUL bytes. */
basin_status bs_svm_clean(bs_reading *r, bs_line *line);

/* True when the line is a row: words, then only number:value, at least one of either. */
bool bs_svm_looks_like(const char *p, const char *end, bool *features);

#endif
