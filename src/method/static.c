/* static.c -- shared by the SEAL-static methods: a new net whose loss is the frozen energy. */
#include <string.h>

#include "method/loss.h"

basin_status bs_enter_static(bs_learner *l, basin_error *err)
{
    /* in the published runs only label vectors and v were loaded: T and M were random */
    const bool     code = strcmp(l->o->mode, "code") == 0;
    const uint64_t seed = (uint64_t)l->o->seed + 1;
    basin_status   s = code ? bs_params_renew(l->params, "energy/T/", seed, err) : BASIN_OK;
    if (!s && code)
        s = bs_params_renew(l->params, "energy/M/", seed, err);
    return s ? s : bs_enter_new_net(l, err);
}
