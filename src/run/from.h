/* from.h -- training that continues from a model: other rows, perhaps more labels, features, words.
 *
 * Parameters start with the model's values if it has them (nn/inherit.h), and what they depend on,
 * such as scales of features, does not change. Otherwise it is a training like any other. */
#ifndef BS_FROM_H
#define BS_FROM_H

#include "base/log.h"
#include "run/saved.h"

typedef struct {
    bs_model_file *model;
    const char    *name; /* borrowed */
    uint64_t       hash; /* of its file: part of the run's identity */
    bs_warm_start  heritage;
    bs_params     *grown[BS_AXES];
    int32_t       *unit[BS_AXES];
} bs_base_model;

/* name: for messages. encoder: as for bs_model_file_read. */
basin_status bs_base_model_open(const char *path, const char *name, const char *encoder,
                                bs_base_model **out, basin_error *err);
void         bs_base_model_free(bs_base_model *f);

/* Once the training data is known; reports what is new and what is dropped. */
basin_status bs_base_model_relate(bs_base_model *f, const bs_preprocess *known,
                                  const bs_net_spec *spec, bs_logger *log, basin_error *err);

/* from[is]: for each unit of a growing dimension (bs_task.grows) the one of the model with its name
 * or, without names, its number; -1: none. */
basin_status bs_units_relate(const bs_preprocess *then, int32_t was, const bs_preprocess *now,
                             int32_t is, int growth, int32_t *from, basin_error *err);

/* For the i-th of several trainings: an ensemble continues with all of its models. */
bs_warm_start bs_base_model_file(const bs_base_model *f, int i);

#endif
