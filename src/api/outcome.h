/* outcome.h -- outcome.json of a run folder: what `train --json` says of a finished run, and
 * of which settings and data it is. It is written last: a folder that has it is finished. */
#ifndef BS_API_OUTCOME_H
#define BS_API_OUTCOME_H

#include "api/api.h"

basin_status bs_outcome_write(const bs_prepared *data, const bs_settings *s,
                              const bs_train_outcome *o, const char *folder, basin_error *err);

/* --resume: *finished when the run in there is, with these settings and this data; *out is filled
 * then. A finished run is never made again in the place of another one: that is an error, unless
 * it only gets more epochs or time and has a checkpoint to go on from. Where it does not say
 * what it is of, its checkpoint does. */
basin_status bs_outcome_take(const bs_prepared *data, const bs_settings *s, const char *folder,
                             bs_train_outcome *out, bool *finished, basin_error *err);
/* There is a model that a training came to. */
bool bs_run_finished(const char *folder);

#endif
