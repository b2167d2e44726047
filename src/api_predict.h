/* api_predict.h -- how predictions of a task are written. */
#ifndef BS_API_PREDICT_H
#define BS_API_PREDICT_H

#include "api.h"

typedef struct {
    const char *task;
    /* Before any work is done: options that do not fit the task or each other. */
    basin_status (*check)(const bs_saved *m, const basin_predict_options *o, basin_error *err);
    basin_status (*write)(const bs_saved *m, const basin_predict_options *o, const bs_part *data,
                          const bs_outputs *y, FILE *out, basin_error *err);
} bs_prediction;

extern const bs_prediction bs_prediction_mlc, bs_prediction_tag;

#endif
