/* history.h -- what a training has logged epoch by epoch: RUN/metrics.jsonl. */
#ifndef BS_HISTORY_H
#define BS_HISTORY_H

#include "base/mem.h"
#include "base/err.h"

enum { BS_PHASES_SEEN = 8 };

typedef struct {
    const char *name;  /* "loss_net" */
    const char *where; /* "" for training, else the object it is in: "valid" */
    double     *value; /* [n] of the history; NaN: not in that line */
} bs_curve;

typedef struct {
    int       n;     /* lines of metrics.jsonl */
    double   *epoch; /* [n] */
    bs_curve *curve;
    int       curves;
    struct {
        const char *name;
        double      epoch; /* the first one */
    } phase[BS_PHASES_SEEN];
    int    phases;
    int    best;    /* epoch of the model; 0: unknown */
    double seconds; /* when the last line was written */
} bs_history;

/* Everything is in the arena. A truncated last line belongs to a run that was killed. */
basin_status bs_history_read(bs_arena *arena, const char *folder, bs_history *h, basin_error *err);
/* [n] values of one curve; NULL: none were logged. */
const double *bs_history_find(const bs_history *h, const char *where, const char *name);

#endif
