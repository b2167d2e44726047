/* winner.h -- who is best of several, and whether that matters, in one sentence: comparisons
 * and reports of several runs begin with it. */
#ifndef BS_API_WINNER_H
#define BS_API_WINNER_H

#include "basin_tool.h"

typedef struct {
    const char      *best, *next; /* names; next is NULL when there is no other */
    const bs_metric *metric;
    const char      *part, *unit; /* "test", "rows" */
    int              rows;
    int              others; /* that the best was chosen from */
    int              seeds;  /* of the best and the next, the fewer */
    double           value;  /* of the best */
    bs_paired        test;   /* the best minus the next, over rows and seeds */
} bs_winner;

/* Both are shown in percent: 100, or 1. */
double bs_winner_scale(const bs_winner *w);
/* The best is the best of several by looking at them, so its p value is taken times the others. */
double bs_winner_p(const bs_winner *w);
bool   bs_winner_matters(const bs_winner *w);
/* Plain text, with a full stop. */
void bs_winner_text(const bs_winner *w, bs_buf *out);

#endif
