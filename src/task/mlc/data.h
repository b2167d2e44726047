/* data.h -- pieces of the task of multi-label data. */
#ifndef BS_TASK_MLC_H
#define BS_TASK_MLC_H

#include "task/task.h"

extern const bs_task bs_task_mlc;

basin_status bs_feed_mlc(const bs_part *p, const bs_known *k, const bs_spec *spec,
                         const bs_train_options *o, bs_feed **out, basin_error *err);

#endif
