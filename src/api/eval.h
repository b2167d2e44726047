/* eval.h -- the task-specific side of an evaluation. */
#ifndef BS_API_EVAL_H
#define BS_API_EVAL_H

#include "api/api.h"

typedef struct {
    const basin_model  *model; /* borrowed */
    bs_dataset          data;
    bs_outputs          y;
    bs_measurement      counts;
    bs_threshold        own;       /* of decisions; borrows from the model */
    const bs_threshold *threshold; /* that one */
    bs_profile_id       profile;
    bool                per_label;
    bool                constrained; /* requested */
    double              seconds;
    double              value[BS_MOST_METRICS];
    bs_interval         interval[BS_MOST_METRICS];
} bs_evaluation;

/* Functions may be NULL. */
typedef struct bs_task_eval {
    /* Checks, before any work, options that do not fit the task or each other. */
    basin_status (*check)(const basin_eval_options *o, basin_error *err);
    /* Notes what is worth knowing about the truth. */
    void (*remark)(const bs_evaluation *e, bs_logger *log);
    /* Text instead of all tables, if the options ask for it; otherwise *done stays false. */
    basin_status (*instead)(const bs_evaluation *e, const basin_eval_options *o, bs_buf *out,
                            bool *done, basin_error *err);
    /* Exceptional counts, below the table of metrics. */
    basin_status (*special)(const bs_evaluation *e, bs_buf *out, basin_error *err);
    /* The table of --per-label. */
    basin_status (*labels)(const bs_evaluation *e, bs_buf *out, basin_error *err);
    /* Further members of the JSON object, ", ..."; and of its metrics, without a leading comma. */
    basin_status (*json)(const bs_evaluation *e, bs_buf *out, basin_error *err);
    basin_status (*json_metrics)(const bs_evaluation *e, bs_buf *out, basin_error *err);
} bs_task_eval;

#endif
