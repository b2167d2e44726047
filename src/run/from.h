/* from.h -- training that goes on with a model: other rows, perhaps more labels, features, words.
 *
 * The first values of parameters are those of the model where it has such (nn/inherit.h), and what
 * they depend on, scales of features for one, stays as it was. Everything else is a training like
 * any other. */
#ifndef BS_FROM_H
#define BS_FROM_H

#include "base/log.h"
#include "run/saved.h"

typedef struct {
    bs_saved   *model;
    const char *name; /* borrowed */
    uint64_t    hash; /* of its file: part of what a run is */
    bs_heritage heritage;
    bs_params  *grown[BS_AXES];
    int32_t    *unit[BS_AXES];
} bs_from;

/* name: for messages. */
basin_status bs_from_open(const char *path, const char *name, bs_from **out, basin_error *err);
void         bs_from_free(bs_from *f);

/* Once what is trained on is known; says what is new and what is given up. */
basin_status bs_from_relate(bs_from *f, const bs_known *known, const bs_spec *spec, bs_logger *log,
                            basin_error *err);

/* For the i-th of several trainings: an ensemble goes on with all of its models. */
bs_heritage bs_from_model(const bs_from *f, int i);

#endif
