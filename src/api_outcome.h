/* api_outcome.h -- outcome.json of a run folder: what `train --json` says of a finished run, and
 * of which settings and data it is. It is written last: a folder that has it is finished. */
#ifndef BS_API_OUTCOME_H
#define BS_API_OUTCOME_H

#include "api.h"

basin_status bs_outcome_write(const bs_prepared *data, const bs_settings *s,
                              const bs_train_outcome *o, const char *folder, basin_error *err);

typedef enum {
    BS_OUTCOME_NONE,
    BS_OUTCOME_SAME,  /* of these settings and this data: *out is filled */
    BS_OUTCOME_OTHER, /* of others, or of fewer epochs */
} bs_outcome_match;

basin_status bs_outcome_read(const bs_prepared *data, const bs_settings *s, const char *folder,
                             bs_outcome_match *match, bs_train_outcome *out, basin_error *err);
bool bs_outcome_there(const char *folder);
/* --resume of a run that is another one, or was finished with fewer epochs and has
 * no state to go on from. */
basin_status bs_outcome_refuse(const bs_prepared *data, const bs_settings *s, const char *folder,
                               basin_error *err);

#endif
