/* static.c -- what the SEAL-static methods share: the net anew, its loss the frozen energy. */
#include <string.h>

#include "method/loss.h"

basin_status bs_enter_static(bs_learner *l, basin_error *err)
{
    /* in the published runs only label vectors and v were loaded: T and M were random */
    if (strcmp(l->o->mode, "code") == 0) {
        bs_params_renew(l->params, "energy/T/", (uint64_t)l->o->seed + 1);
        bs_params_renew(l->params, "energy/M/", (uint64_t)l->o->seed + 1);
    }
    return bs_enter_new_net(l, err);
}
