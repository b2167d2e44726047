/* choice.c -- alone or shared? See bs_choice. */
#include "cpu/program.h"

enum { SHORTEST = 32, LONGEST = 1024, TRIAL = 3 };

bool bs_choice_alone(bs_choice *c)
{
    if (c->interval == 0) /* the first run ever */
        c->interval = c->left = SHORTEST;
    return c->trial > 0 ? !c->alone : c->alone;
}

static double mean(const bs_choice *c, int way)
{
    return c->runs[way] ? c->spent[way] / c->runs[way] : 0;
}

static void decide(bs_choice *c)
{
    bool change = mean(c, 1) < 0.9 * mean(c, 0);
    c->alone ^= change;
    c->interval = change ? SHORTEST : c->interval * 2 < LONGEST ? c->interval * 2 : LONGEST;
    c->left = c->interval;
    c->spent[0] = c->spent[1] = 0;
    c->runs[0] = c->runs[1] = 0;
}

void bs_choice_report(bs_choice *c, double seconds)
{
    int way = c->trial > 0;
    c->spent[way] += seconds;
    c->runs[way]++;
    if (c->trial > 0) {
        if (--c->trial == 0)
            decide(c);
    } else if (--c->left <= 0) {
        c->trial = TRIAL;
    }
}
