/* from.h -- training that continues from a model: other rows, perhaps more labels, features, words.
 *
 * Parameters start with the model's values if it has them (nn/inherit.h), and what they depend on,
 * such as scales of features, does not change. Otherwise it is a training like any other. */
#ifndef BS_FROM_H
#define BS_FROM_H

#include "base/log.h"
#include "run/saved.h"

typedef struct {
    bs_saved   *model;
    const char *name; /* borrowed */
    uint64_t    hash; /* of its file: part of the run's identity */
    bs_heritage heritage;
    bs_params  *grown[BS_AXES];
    int32_t    *unit[BS_AXES];
} bs_from;

/* name: for messages. */
basin_status bs_from_open(const char *path, const char *name, bs_from **out, basin_error *err);
void         bs_from_free(bs_from *f);

/* Once the training data is known; reports what is new and what is dropped. */
basin_status bs_from_relate(bs_from *f, const bs_known *known, const bs_spec *spec, bs_logger *log,
                            basin_error *err);

/* For the i-th of several trainings: an ensemble continues with all of its models. */
bs_heritage bs_from_model(const bs_from *f, int i);

#endif
