/* halving.c -- which trials continue: asynchronous successive halving (Li et al. 2020).
 *
 * A trial pauses at a rung. Whenever a worker is free, a trial among the best third of those that
 * reached its rung is continued, highest rung first; only if there is none does a new one start. So
 * nothing waits, and a poor trial costs only part of a training. Best does not mean the highest
 * score at the rung, but the highest expected at the end.
 *
 * The rungs are at half and at all of the epochs that the first trial took. Earlier ones would be
 * cheaper, but after a few epochs the highest learning rate and the least dropout look best, not
 * what is best in the end. */
#include <math.h>

#include "tune/search.h"

const char *const bs_trial_states[] = {"running", "paused", "finished", "failed"};

/* What a trial gains after a rung, as a share of what it gained in the second half of the way
 * there: typical of multi-label curves at half-time, and as good as fitting it to the trials. */
static const double keeps_rising = 0.4;

double bs_tune_expected(const bs_trial *t, int rung)
{
    return t->rung[rung] + keeps_rising * t->rise[rung];
}

int bs_tune_rungs(int epochs, int rung[BS_TUNE_RUNGS])
{
    const int half = (epochs + 1) / 2;
    int       n = 0;
    rung[n++] = half > 1 ? half : 1;
    if (epochs > half)
        rung[n++] = epochs;
    return n;
}

/* The expected final score of a trial that passed a rung, or its actual one if it has ended. */
static double at_rung(const bs_trial *t, int rung)
{
    if (rung < t->passed)
        return bs_tune_expected(t, rung);
    return t->state == BS_TRIAL_FINISHED ? t->score : (double)NAN;
}

bool bs_tune_worth(const bs_search *s, int trial, int rungs, bool closing)
{
    const int rung = s->trial[trial].passed - 1;
    int       all = 0, better = 0;
    if (rung < 0 || rung >= rungs)
        return true;
    const double mine = at_rung(&s->trial[trial], rung);
    for (int i = 0; i < s->n; i++) {
        const double other = at_rung(&s->trial[i], rung);
        if (isnan(other))
            continue;
        all++;
        better += other > mine || (other == mine && i < trial);
    }
    return better < all / BS_TUNE_ETA || (closing && better == 0);
}

int bs_tune_promoted(const bs_search *s, int rungs, bool closing)
{
    int best = -1;
    for (int i = 0; i < s->n; i++) {
        const bs_trial *t = &s->trial[i];
        if (t->state != BS_TRIAL_PAUSED || !bs_tune_worth(s, i, rungs, closing))
            continue;
        const bs_trial *b = best >= 0 ? &s->trial[best] : NULL;
        if (!b || t->passed > b->passed ||
            (t->passed == b->passed && at_rung(t, t->passed - 1) > at_rung(b, b->passed - 1)))
            best = i;
    }
    return best;
}
