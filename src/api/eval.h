/* eval.h -- what the evaluation of a task has of its own. */
#ifndef BS_API_EVAL_H
#define BS_API_EVAL_H

#include "api/api.h"

typedef struct {
    basin_model  *model;
    bs_part       data;
    bs_outputs    y;
    bs_counts     counts;
    bs_threshold  own; /* when one was asked for */
    bs_profile_id profile;
    bool          per_label;
    bool          constrained; /* asked for */
    double        seconds;
    double        value[BS_MOST_METRICS];
    bs_interval   interval[BS_MOST_METRICS];
} bs_evaluation;

/* Functions may be NULL. */
typedef struct {
    const char *task;
    /* Before any work is done: options that do not fit the task or each other. */
    basin_status (*check)(const basin_eval_options *o, basin_error *err);
    /* What is worth knowing about the truth. */
    void (*remark)(const bs_evaluation *e, bs_logger *log);
    /* Text in place of all tables, when the options ask for it; else *done stays false. */
    basin_status (*instead)(const bs_evaluation *e, const basin_eval_options *o, bs_buf *out,
                            bool *done, basin_error *err);
    /* What did not count as usual, below the table of metrics. */
    basin_status (*special)(const bs_evaluation *e, bs_buf *out, basin_error *err);
    /* The table of --per-label. */
    basin_status (*labels)(const bs_evaluation *e, bs_buf *out, basin_error *err);
    /* Further members of the JSON object, ", ..."; and of its metrics, without a comma. */
    basin_status (*json)(const bs_evaluation *e, bs_buf *out, basin_error *err);
    basin_status (*json_metrics)(const bs_evaluation *e, bs_buf *out, basin_error *err);
} bs_measuring;

extern const bs_measuring bs_measuring_mlc, bs_measuring_tag, bs_measuring_seg;

#endif
