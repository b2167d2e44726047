/* gbi.h -- gradient-based inference: searching for the y with the lowest objective.
 *
 * The steps are nodes of the graph, so a search can be differentiated through (SPEN end to end) or
 * treated as constant (all other methods), and needs one program. Rows are searched independently,
 * K starts each. A search that only predicts may have any number of steps: its program then holds a
 * few of them and runs repeatedly (bs_gbi_loop).
 *
 *   projected:  y <- P(y - step)            P the projection to relaxed outputs
 *   logits:     z <- z - step, y = relax(z)
 *   mirror:     z <- z - rate / sqrt(t) * df/dy, y = relax(z)  (entropic mirror descent)
 *
 * where step is the gradient times the rate, with momentum, by Adam, or divided by its norm (ALEN,
 * eq. 12). */
#ifndef BS_GBI_H
#define BS_GBI_H

#include "model/view.h"

typedef enum {
    BS_GBI_PLAIN,
    BS_GBI_MOMENTUM,
    BS_GBI_ADAM,
    BS_GBI_NORMALISED,
    BS_GBI_MIRROR,
} bs_gbi_rule;
typedef enum { BS_GBI_ZEROS, BS_GBI_UNIFORM, BS_GBI_RANDOM, BS_GBI_NET } bs_gbi_start;

typedef struct {
    bs_gbi_rule  rule;
    bs_gbi_start start;
    bool         logits;        /* the iterate is a logit; always so for mirror */
    int          steps, starts; /* starts > 1: random ones, the best is returned */
    double       rate, momentum;
    double       entropy;   /* weight of the entropy, which smooths the objective; 0 = none */
    double       tolerance; /* a row stops when no component of its iterate moves further; 0 =
                               never */
    int          halvings;  /* of a step that does not lower the objective; 0 = no line search */
    bool         best;      /* return the best iterate, else the last */
    bool         skip_last; /* do not evaluate the last iterate: a quirk of published code */
} bs_gbi;

/* What is minimised: [rows, K, 1] from y. */
typedef bs_id (*bs_objective)(bs_output_space *v, void *ctx, bs_id y);
bs_id bs_energy_objective(bs_output_space *v, void *ctx, bs_id y); /* the energy; ctx unused */

typedef struct {
    bs_id y;     /* [rows, 1, ...] */
    bs_id value; /* objective there, [rows, 1, 1]; 0 if it was not needed */
    bs_id first; /* objective at the start */
    bs_id steps; /* mean number of steps taken, [1] */
} bs_found;

/* The starting point: gbi->start, with the net "net" for BS_GBI_NET. */
bs_id bs_gbi_begin(bs_output_space *v, const bs_gbi *o, uint32_t stream);

bs_found bs_gbi_search(bs_output_space *v, const bs_gbi *o, bs_objective f, void *ctx, bs_id start);

/* What searches of at[0] < at[1] < ... steps find, at[n - 1] being the longest: ignores o->steps.
 * They share their steps, so all together cost about as much as the longest. */
void bs_gbi_trace(bs_output_space *v, const bs_gbi *o, bs_objective f, void *ctx, bs_id start,
                  const int *at, int n, bs_found *out);

/* The same search as a program of three turns (bs_graph_loop), whatever the number of steps: the
 * first turn takes `first` steps, the second takes `block` more from a given state and returns the
 * next, the third evaluates what was found. */
enum { BS_GBI_STATE = 6 };
typedef struct {
    bs_id begun[BS_GBI_STATE]; /* the state after the first turn, ... */
    bs_id next[BS_GBI_STATE];  /* after the second, ... */
    bs_id input[BS_GBI_STATE]; /* and before the second or third: leaves */
    bs_id rates;               /* a leaf, [2 * block, 1]; 0: no factor depends on the step */
} bs_gbi_turns;

bs_found bs_gbi_loop(bs_output_space *v, const bs_gbi *o, bs_objective f, void *ctx, bs_id start,
                     int first, int block, bs_gbi_turns *out);

/* How many values a state has; narrow[i]: [rows, K, 1], else like y. In searches where rows may
 * stop, the last one is nonzero where a row moves. */
int bs_gbi_state(const bs_gbi *o, bool narrow[BS_GBI_STATE]);
/* The values to bind to `rates` for the n steps after the first t. */
void bs_gbi_rates(const bs_gbi *o, int t, int n, real *out);

#endif
