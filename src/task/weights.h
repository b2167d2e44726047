/* weights.h -- how much labels, tags and classes count in a net's cross-entropy (weights). */
#ifndef BS_WEIGHTS_H
#define BS_WEIGHTS_H

#include "task/task.h"

/* The subject of the option: one number per label, tag or class. */
typedef struct {
    int n;
    const char *(*name)(const void *of, int i); /* NULL: called by number */
    const void   *of;
    const char   *one;   /* "label", "tag", "class" */
    const double *count; /* [n] in the training rows */
    double        rows;  /* labels: out of this many; 0: out of the sum, as one is true */
} bs_weighed;

bool bs_weights_wanted(const bs_train_options *o);
/* Sets *out, if weights are wanted. */
basin_status bs_weights_fit(const bs_train_options *o, const bs_weighed *w, bs_logger *log,
                            bs_preprocess *out, basin_error *err);

#endif
