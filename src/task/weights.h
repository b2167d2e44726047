/* weights.h -- how much labels, tags and classes count in the cross-entropy of a net (weights). */
#ifndef BS_WEIGHTS_H
#define BS_WEIGHTS_H

#include "task/task.h"

/* What the option is about: one number a label, tag or class. */
typedef struct {
    int n;
    const char *(*name)(const void *of, int i); /* NULL: it is called by its number */
    const void   *of;
    const char   *one;   /* "label", "tag", "class" */
    const double *count; /* [n] of the training rows */
    double        rows;  /* labels: of so many; 0: of the sum, as one of them is true */
} bs_weighed;

bool bs_weights_wanted(const bs_train_options *o);
/* Puts them into *out, where they are wanted. */
basin_status bs_weights_fit(const bs_train_options *o, const bs_weighed *w, bs_logger *log,
                            bs_known *out, basin_error *err);

#endif
