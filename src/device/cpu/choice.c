/* choice.c -- alone or shared? See bs_choice. */
#include "device/cpu/program.h"

enum {
    SHORTEST = 32,
    LONGEST = 2048,
    TRIAL = 10,
    WARMUP = 2, /* runs of a trial that do not count: threads wake, caches move */
    ENOUGH = 2, /* runs that count, of a trial that is clearly worse */
};

/* Nanoseconds: shorter work, by itself, is finished before other threads have started. */
static const double STARTING = 2e6;

bool bs_choice_alone(bs_choice *c, double cost)
{
    if (c->interval == 0) { /* the first run ever */
        c->interval = c->left = SHORTEST;
        return cost < STARTING;
    }
    return c->trial > 0 ? !c->alone : c->alone;
}

static double mean(const bs_choice *c, int way)
{
    return c->runs[way] ? c->spent[way] / c->runs[way] : 0;
}

/* In doubt work is shared: that is what the user asked for. */
static void decide(bs_choice *c)
{
    double now = mean(c, 0), other = mean(c, 1);
    bool   change = c->alone ? other < now : other < 0.8 * now;
    c->alone ^= change;
    c->interval = change ? SHORTEST : c->interval * 2 < LONGEST ? c->interval * 2 : LONGEST;
    c->left = c->interval;
    c->spent[0] = c->spent[1] = 0;
    c->runs[0] = c->runs[1] = 0;
}

void bs_choice_report(bs_choice *c, double seconds)
{
    bool counts = c->trial > 0 ? c->trial <= TRIAL - WARMUP : c->left <= c->interval - WARMUP;
    int  way = c->trial > 0;
    if (counts) {
        c->spent[way] += seconds;
        c->runs[way]++;
    }
    if (c->trial > 0) {
        bool worse = c->runs[1] >= ENOUGH && mean(c, 1) > 1.3 * mean(c, 0);
        if (--c->trial == 0 || worse) {
            c->trial = 0;
            decide(c);
        }
    } else if (--c->left <= 0) {
        c->trial = TRIAL;
    }
}
