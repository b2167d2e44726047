/* optim.h -- optimisers over a net's share of the parameter block.
 *
 * A net is every parameter whose name has a prefix, so two nets trained by
 * turns have one optimiser each and share the blocks. The rules themselves are
 * loops of the device, clipping and the guard that keeps a bad gradient from the
 * parameters included; here are rates, steps, and which parameters are meant. */
#ifndef BS_OPTIM_H
#define BS_OPTIM_H

#include "base/opt.h"
#include "nn/params.h"
#include "device/device.h"

typedef struct {
    char   rule[BS_OPTION_TEXT]; /* adam, adamw, sgd */
    double rate, momentum, beta1, beta2, eps, decay, clip;
} bs_optim_options;

extern const bs_option bs_optim_rows[];

typedef struct {
    bs_workspace     *w;
    bs_params        *params;
    bs_update         update;
    double            decay, clip;
    bs_span_update   *span; /* [n] */
    int               n;
    const bs_program *program; /* of the last bs_optim_use_rows() */
} bs_optim;

/* Uses m and v of the parameters, made if missing. */
basin_status bs_optim_new(bs_workspace *w, bs_params *params, const char *prefix,
                          const bs_optim_options *o, bs_optim **out, basin_error *err);
void         bs_optim_free(bs_optim *o);
/* Multiplies rate and decay of the parameters that `is` names. */
void bs_optim_scale(bs_optim *o, bool (*is)(const char *name), double rate, double decay);

/* Lets segments whose gradient this program writes by rows skip the rest. Call it with each program
 * that feeds the optimiser, when it is new and when it was not the last one: sums over rows and
 * over whole segments round differently, and what ran before must not matter. */
void bs_optim_use_rows(bs_optim *o, bs_program *p);

/* One step with the gradients as they are. The norm of the gradient before clipping goes to
 * log[at], a double; it costs a pass, so without clipping it is only made where asked for. When it
 * is not finite nothing has been changed: who reads the log tells. */
void bs_optim_step(bs_optim *o, bool measure, bs_buffer *log, int64_t at);

#endif
