/* profile.c -- BASIN_PROFILE=1: where the time of a program went. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "device/cpu/program.h"

static const char *kind_of(const bs_cpu_program *p, int i)
{
    return p->call[i].n_micro ? "group" : bs_ops[p->step[i].node.op]->name;
}

/* Calls of one label and kind are one row; `done` marks those already printed. */
static double sum_alike(const bs_cpu_program *p, int i, long *calls, int *steps)
{
    double seconds = 0;
    for (int k = i; k < p->n; k++) {
        if (p->timing[k].calls < 0 || strcmp(p->step[k].label, p->step[i].label) != 0 ||
            strcmp(kind_of(p, k), kind_of(p, i)) != 0)
            continue;
        seconds += p->timing[k].seconds;
        *calls += p->timing[k].calls;
        ++*steps;
        if (k > i)
            p->timing[k].calls = -1;
    }
    return seconds;
}

void bs_profile_print(const bs_cpu_program *p)
{
    bs_logger log = bs_log_make(stderr, BS_INFO);
    double    total = 0;
    for (int i = 0; i < p->n; i++)
        total += p->timing[i].seconds;
    if (total <= 0)
        return;
    bs_log_say(&log, BS_INFO, "profile: %d steps, %ld runs, %.3f s", p->n, p->timing[0].calls,
               total);
    bs_log_say(&log, BS_INFO, "  %-40s %-14s %6s %9s %6s", "part", "op", "steps", "us/run", "%");
    const long runs = p->timing[0].calls;
    for (int i = 0; i < p->n; i++) {
        long calls = 0;
        int  steps = 0;
        if (p->timing[i].calls < 0)
            continue;
        double seconds = sum_alike(p, i, &calls, &steps);
        bs_log_say(&log, BS_INFO, "  %-40.40s %-14s %6d %9.2f %6.1f", p->step[i].label,
                   kind_of(p, i), steps, 1e6 * seconds / (double)runs, 100 * seconds / total);
    }
}
