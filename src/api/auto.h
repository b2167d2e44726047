/* auto.h -- method=auto: trains candidates that suit the task (bs_task.candidates), cheapest first,
 * and keeps the best by out-of-fold or validation scores. */
#ifndef BS_API_AUTO_H
#define BS_API_AUTO_H

#include "api/api.h"

/* Whether nothing says which method to train. */
bool bs_auto_wanted(const basin_config *c, const bs_train_request *o);

/* Trains into o->folder, whose lock is held; each attempt gets a subfolder try-NAME. */
basin_status bs_auto_train(const basin_config *c, const bs_train_request *o,
                           const basin_session *session, bs_logger *log, bs_buf *table,
                           bs_buf *json, basin_error *err);

#endif
