/* static.c -- shared by the SEAL-static methods: a new net whose loss is the frozen energy. */
#include <string.h>

#include "method/loss.h"

basin_status bs_enter_static(bs_learner *l, basin_error *err)
{
    /* the published runs loaded only label vectors and v: T and M were random */
    if (strcmp(l->o->mode, "code") == 0) {
        bs_params_renew(l->params, "energy/T/", (uint64_t)l->o->seed + 1);
        bs_params_renew(l->params, "energy/M/", (uint64_t)l->o->seed + 1);
    }
    return bs_enter_new_net(l, err);
}
