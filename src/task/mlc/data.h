/* data.h -- shared by the files of the task of multi-label data. */
#ifndef BS_TASK_MLC_H
#define BS_TASK_MLC_H

#include "task/task.h"
#include "task/mlc/nets.h"

extern const bs_task bs_task_mlc;

basin_status bs_feed_mlc(const bs_part *p, const bs_known *k, const bs_spec *spec,
                         const bs_train_options *o, bs_feed **out, basin_error *err);

/* Sparse nets read the rows as they are stored. */
bool bs_mlc_is_sparse(const bs_schema *schema);

/* Notes how well the features of an input fit a model. label_free: unknown columns cannot be labels
 * under another name. */
void bs_mlc_strange(const bs_met *s, const bs_schema *known, bool label_free, bs_logger *log);

#endif
