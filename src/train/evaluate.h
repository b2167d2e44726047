/* evaluate.h -- scores of a data set by a net, and metrics of them. */
#ifndef BS_EVALUATE_H
#define BS_EVALUATE_H

#include "data/metric.h"
#include "model/score.h"
#include "data/dataset.h"

/* All rows: scores [rows, labels], energies [rows] or NULL, caller-owned. */
basin_status bs_score_dataset(bs_scorer *s, const bs_spec *spec, const bs_dataset *data,
                              const bs_schema *schema, float *scores, float *energies,
                              basin_error *err);

/* Metrics of stored scores at one threshold; want = 0 for all. */
basin_status bs_measure(const bs_dataset *data, const float *scores, const bs_threshold *t,
                        bs_profile_id profile, uint32_t want, double out[BS_METRIC_COUNT],
                        basin_error *err);

/* {"example_f1": 0.43, ...}, values that are NaN left out. */
void bs_metrics_json(const double values[BS_METRIC_COUNT], bs_buf *out);

#endif
