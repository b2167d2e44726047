/* advice.c -- recognises from an epoch's numbers what goes wrong when two nets train in turns, and
 * says what helps. Each rule speaks once per run, after it has held for some epochs in a row. */
#include <math.h>

#include "run/trainer.h"

static double mean(const bs_learner *l, bs_diagnostic_id id)
{
    return l->diagnostic[id].n > 0 ? l->diagnostic[id].sum / (double)l->diagnostic[id].n : NAN;
}

/* Comparisons with NaN are false: a rule about something that was not measured never holds. */

static bool hinges_are_zero(const bs_learner *l)
{
    return mean(l, BS_DIAGNOSTIC_zero_hinges) > 0.98;
}

static bool net_is_stuck(const bs_learner *l)
{
    return mean(l, BS_DIAGNOSTIC_grad_net) < 1e-6;
}

static bool energy_lags(const bs_learner *l)
{
    double truth = mean(l, BS_DIAGNOSTIC_energy_truth),
           output = mean(l, BS_DIAGNOSTIC_energy_output);
    return output < truth && truth - output > fabs(truth) + 1;
}

static bool energies_drift(const bs_learner *l)
{
    return fabs(mean(l, BS_DIAGNOSTIC_energy_truth)) > 1e4;
}

static bool search_rests(const bs_learner *l)
{
    return mean(l, BS_DIAGNOSTIC_search_decrease) < 1e-6;
}

static bool series_diverges(const bs_learner *l)
{
    return mean(l, BS_DIAGNOSTIC_rate_lowered) > 0.5 ||
           mean(l, BS_DIAGNOSTIC_implicit_skipped) > 0.5;
}

/* To add advice: a condition above and a row here. */
static const struct {
    bool (*holds)(const bs_learner *l);
    int         epochs;
    const char *say;
} rules[] = {
    {hinges_are_zero, 3,
     "nearly all margin losses are zero: the energy has won and learns nothing; a stronger net "
     "(more steps.net, higher lr.net) or a lower lr.energy helps"},
    {net_is_stuck, 3,
     "the net's gradient is almost zero: it no longer learns; truncate=no and a ce.weight above 0 "
     "help"},
    {energy_lags, 10,
     "outputs have far lower energy than the truth: the energy lags behind; more steps.energy, a "
     "higher lr.energy or a lower energy.weight helps"},
    {energies_drift, 2,
     "energies grow without bound; energy.l2=0.1, more decay.energy or a lower lr.energy helps"},
    {search_rests, 3,
     "gradient-based inference does not lower the energy; a higher gbi.lr or gbi.rule=normalised "
     "helps"},
    {series_diverges, 3,
     "the implicit term is cut short or left out at most steps: the net's loss is too curved for "
     "it; a higher implicit.damping or a lower energy.weight helps"},
};

enum { RULES = sizeof rules / sizeof rules[0] };
_Static_assert((int)RULES <= (int)BS_ADVICE, "room for a counter a rule");

void bs_train_advise(bs_trainer *t)
{
    for (int i = 0; i < RULES; i++) {
        t->advice[i] = rules[i].holds(&t->learner) ? t->advice[i] + 1 : 0;
        if (t->advice[i] != rules[i].epochs || t->advised[i])
            continue;
        t->advised[i] = true;
        bs_log_say(t->job->log, BS_WARN, "epoch %d: %s", t->epoch, rules[i].say);
    }
}
