/* schedule.c -- learning rates by plateau, by cosine and by straight lines. */
#include "run/schedule.h"

#include <math.h>

bs_plateau bs_plateau_make(double factor, int patience, double floor)
{
    return (bs_plateau){.factor = factor, .patience = patience, .floor = floor};
}

double bs_plateau_rate(bs_plateau *p, double score, double rate)
{
    if (score > p->best || (!p->started && score == score)) {
        p->started = true;
        p->best = score;
        p->bad = 0;
        return rate;
    }
    if (++p->bad <= p->patience)
        return rate;
    p->bad = 0;
    double lower = rate * p->factor;
    return lower > p->floor ? lower : rate < p->floor ? rate : p->floor;
}

double bs_cosine_share(double done, double all)
{
    const double pi = 3.14159265358979323846;
    return 0.5 * (1 + cos(pi * done / all));
}

double bs_linear_share(double done, double warmup)
{
    if (done < warmup)
        return done / warmup;
    return warmup < 1 && done < 1 ? (1 - done) / (1 - warmup) : 0;
}
