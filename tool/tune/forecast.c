/* forecast.c -- estimates where a trial paused at a rung would end.
 *
 * Curves that still rise at a rung keep rising: those of high dropout, strong decay and low rates,
 * which are behind there and often ahead at the end. So
 *
 *   end - score = gain + ratio * rise,
 *
 * where rise is what the score gained in the second half of the way to the rung. Both are fitted to
 * the trials that finished, with the ratio shrunk towards that of typical multi-label curves at
 * half-time; the fits use pairs, so it does not matter that only good trials continued. */
#include <math.h>

#include "tune/search.h"

static const double usual_ratio = 0.4;
enum { USUAL_TRIALS = 2 }; /* weight of the usual ratio */

static bool is_known(const bs_trial *t, int rung)
{
    return rung < t->passed && !isnan(t->rung[rung]) && !isnan(t->rise[rung]);
}

bs_forecast bs_tune_forecast(const bs_search *s, int rung)
{
    double rises = 0, products = 0, squares = 0, gains = 0, residuals = 0;
    int    n = 0, ended = 0;
    for (int i = 0; i < s->n; i++) {
        const bs_trial *t = &s->trial[i];
        if (!is_known(t, rung))
            continue;
        squares += t->rise[rung] * t->rise[rung];
        n++;
        if (t->state != BS_TRIAL_FINISHED)
            continue;
        rises += t->rise[rung] * t->rise[rung];
        products += t->rise[rung] * (t->score - t->rung[rung]);
        ended++;
    }
    const double usual = n > 0 ? USUAL_TRIALS * squares / n : 0;
    bs_forecast  f = {.ratio = usual_ratio};
    if (rises + usual > 0)
        f.ratio = (products + usual * usual_ratio) / (rises + usual);
    for (int i = 0; i < s->n; i++) {
        const bs_trial *t = &s->trial[i];
        if (t->state == BS_TRIAL_FINISHED && is_known(t, rung))
            gains += t->score - bs_tune_expected(&f, t, rung);
    }
    f.gain = ended > 0 ? gains / ended : 0;
    for (int i = 0; i < s->n; i++) {
        const bs_trial *t = &s->trial[i];
        if (t->state == BS_TRIAL_FINISHED && is_known(t, rung)) {
            const double off = t->score - bs_tune_expected(&f, t, rung);
            residuals += off * off;
        }
    }
    f.variance = ended > 2 ? residuals / ended : f.gain * f.gain + squares / (n > 0 ? n : 1);
    return f;
}
