/* schedule.h -- how learning rates fall.
 *
 * Plateau, as in the published runs: after more than `patience` evaluations in a row without
 * a better score, the rate is multiplied by `factor` and counting starts anew. */
#ifndef BS_SCHEDULE_H
#define BS_SCHEDULE_H

#include <stdbool.h>

typedef struct {
    double factor, floor; /* rates are not lowered below the floor */
    int    patience;
    double best; /* the score to beat; set on the first evaluation */
    int    bad;  /* evaluations without a better one */
    bool   started;
} bs_plateau;

bs_plateau bs_plateau_make(double factor, int patience, double floor);

/* The rate to use from now on; a score that is not a number counts as worse. */
double bs_plateau_rate(bs_plateau *p, double score, double rate);

/* Half a cosine (Loshchilov and Hutter 2017): the share of the first rate that is left when so many
 * of all epochs, or so much of the time, is done. */
double bs_cosine_share(double done, double all);

#endif
