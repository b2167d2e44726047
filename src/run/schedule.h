/* schedule.h -- how learning rates decrease.
 *
 * Plateau, as in the published runs: after more than `patience` evaluations in a row without a
 * better score, the rate is multiplied by `factor` and counting starts again. */
#ifndef BS_SCHEDULE_H
#define BS_SCHEDULE_H

#include <stdbool.h>

typedef struct {
    double factor, floor; /* rates stay above the floor */
    int    patience;
    double best; /* the score to beat; set by the first evaluation */
    int    bad;  /* evaluations without a better one */
    bool   started;
} bs_plateau;

bs_plateau bs_plateau_make(double factor, int patience, double floor);

/* The rate from now on; a NaN score counts as worse. */
double bs_plateau_rate(bs_plateau *p, double score, double rate);

/* Half a cosine (Loshchilov and Hutter 2017): the factor on the first rate when `done` of `all`
 * epochs, or time, is over. */
double bs_cosine_share(double done, double all);

/* A straight line from 0 to 1 in the first `warmup` of a phase, then one down to 0 at its end: the
 * factor when the share `done` of it is over. */
double bs_linear_share(double done, double warmup);

#endif
