/* outcome.h -- outcome.json of a run folder: what `train --json` prints for a finished run, with
 * its settings and data. It is written last: a folder that has it is finished. */
#ifndef BS_API_OUTCOME_H
#define BS_API_OUTCOME_H

#include "api/api.h"

basin_status bs_outcome_write(const bs_data *data, const bs_settings *s, const bs_train_outcome *o,
                              const char *folder, basin_error *err);

/* --resume: *finished if the run in the folder is, with these settings and this data; *out is then
 * filled. A finished run never gets replaced by another one: that is an error, unless it only gets
 * more epochs or time and has a checkpoint to continue from. If it does not record its identity,
 * its checkpoint does. */
basin_status bs_outcome_take(const bs_data *data, const bs_settings *s, const char *folder,
                             bs_train_outcome *out, bool *finished, basin_error *err);
/* Whether a training has left a model there. */
bool bs_run_finished(const char *folder);

#endif
