/* winner.h -- which of several is best, and whether that is significant, in one sentence:
 * comparisons and reports of several runs start with it. */
#ifndef BS_API_WINNER_H
#define BS_API_WINNER_H

#include "basin_tool.h"
#include "doc/doc.h"

typedef struct {
    const char      *best, *next; /* names; next is NULL if there is no other */
    const bs_metric *metric;
    const char      *part, *unit; /* "test", "rows" */
    int              rows;
    int              others; /* how many the best was chosen from */
    int              seeds;  /* the smaller number for the two */
    double           value;  /* of the best */
    bs_paired        test;   /* the best minus the second best, over rows and seeds */
} bs_best_of;

/* The best was picked by looking at all, so its p value is multiplied by the number of others. */
double bs_best_of_p(const bs_best_of *w);
bool   bs_best_of_matters(const bs_best_of *w);
/* A difference from another run with its interval, and two p values; coloured if both are small. */
void bs_paired_cells(const bs_metric *m, double scale, int digits, const bs_paired *bootstrap,
                     double p_randomisation, bs_cell out[3]);
/* Plain text, with a full stop. */
void bs_best_of_text(const bs_best_of *w, bs_buf *out);

#endif
