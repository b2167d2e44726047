/* adjust.h -- what basin_model_threshold and basin_model_calibrate share: they judge a model by
 * labelled rows and replace some texts in its file. */
#ifndef BS_API_ADJUST_H
#define BS_API_ADJUST_H

#include "api/api.h"

typedef struct {
    bs_api_call  call;
    char         path[BS_OPTION_TEXT + 64]; /* of the model's file */
    bs_dataset   data;                      /* task NULL: no rows were given */
    bs_outputs   y;
    bs_counting  how;
    bs_threshold threshold; /* the new one */
    double       before[BS_MOST_METRICS], after[BS_MOST_METRICS];
    bs_buf       table, json;
} bs_adjustment;

/* Opens the model of a->call, one with a threshold, and reads its files, if there are any. */
basin_status bs_adjust_open(bs_adjustment *a, const basin_session *session, basin_error *err);
/* The outputs for these rows, and their metrics at a threshold. */
basin_status bs_adjust_predict(bs_adjustment *a, basin_error *err);
basin_status bs_adjust_measure(const bs_adjustment *a, const bs_outputs *y,
                               const bs_threshold *threshold, double out[BS_MOST_METRICS],
                               basin_error *err);
/* Replaces the file atomically by one with the new threshold and, if it is not NULL, calibration;
 * tensors keep their bytes. */
basin_status bs_adjust_write(const bs_adjustment *a, const char *calibration, basin_error *err);
/* Hands over table and JSON, unless s is an error, and releases everything. */
basin_status bs_adjust_close(bs_adjustment *a, basin_status s, basin_text *out, basin_error *err);

#endif
