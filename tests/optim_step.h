/* optim_step.h -- one step of an optimiser, and the norm of its gradient at once. */
#ifndef TEST_OPTIM_STEP_H
#define TEST_OPTIM_STEP_H

#include "method/optim.h"
#include "tests/harness.h"

/* The log has room for a double. NaN where the norm was not made. */
static inline double step_now(bs_optim *o, bool measure, bs_buffer *log)
{
    *(double *)host_of(log) = NAN;
    bs_optim_step(o, measure, log, 0);
    return *(double *)host_of(log);
}

#endif
