/* method.h -- a training method: which nets exist and what one batch does.
 *
 * To add one: a file with a const bs_method and a line in methods.def. The
 * epoch loop, early stopping, checkpoints and logging come for free. */
#ifndef BS_METHOD_H
#define BS_METHOD_H

#include "model/mlc.h"
#include "plan/cache.h"
#include "train/feed.h"
#include "train/optim.h"
#include "train/options.h"

enum { BS_METHOD_SUMS = 8 };

/* What a method is given, and what of it must survive a restart: parameters,
 * optimiser state, step count and sums. Everything else is made by setup(). */
typedef struct {
    const bs_train_options *o;
    bs_mlc_shape            shape;
    const bs_backend       *backend;
    bs_workspace           *w;
    bs_params              *params;
    bs_optim               *net, *energy;        /* NULL where a method has none */
    uint64_t                step;                /* counts program runs; seeds the random leaves */
    double                  sum[BS_METHOD_SUMS]; /* of the quantities named below, this epoch */
    int64_t                 batches;             /* they are sums over */
    void                   *state;               /* the method's own */
} bs_learner;

typedef struct {
    const char *name, *help;
    const char *tasks;                  /* "mlc tag seg": those it makes sense for */
    const char *logged[BS_METHOD_SUMS]; /* names of the sums, for tables and metrics.jsonl */
    /* Declares parameters, allocates them, makes optimisers and state. */
    basin_status (*setup)(bs_learner *l, basin_error *err);
    basin_status (*step)(bs_learner *l, const bs_batch *b, basin_error *err);
    void (*free)(bs_learner *l); /* what setup made in state; accepts a half-made one */
} bs_method;

extern const bs_method *const bs_methods[]; /* ends with NULL */

/* By name; unknown, or not for this task: an error with the nearest name or the reason. */
basin_status bs_method_find(const char *name, const char *task, const bs_method **out,
                            basin_error *err);

/* An optimiser for the parameters with this prefix, with the settings' rule and clip. */
basin_status bs_learner_optim(bs_learner *l, const char *prefix, double rate, double decay,
                              bs_optim **out, basin_error *err);

#endif
