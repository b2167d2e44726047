/* runset.h -- a folder of runs, as compare and tune make it: who may write there, and what is
 * written beside the runs. */
#ifndef BS_RUNSET_H
#define BS_RUNSET_H

#include "basin_tool.h"

/* Locks the folder for a new set of runs, or for one that is resumed, and removes what a crash has
 * left, `depth` folders down. what: "comparison", for messages; of: "runs". */
basin_status bs_runset_open(const char *folder, const char *what, const char *of, bool resume,
                            int depth, bs_lock **lock, basin_error *err);

/* A file beside the runs; the second one ends in a line end. */
basin_status bs_runset_write(const char *folder, const char *name, const bs_buf *text,
                             basin_error *err);
basin_status bs_runset_write_line(const char *folder, const char *name, const bs_buf *text,
                                  basin_error *err);

/* Over seeds; the deviation of fewer than two is NaN. */
void bs_runset_spread(const double *value, int n, double *mean, double *sd);
/* The best and the second best of n means, -1 where there is none; NaN does not take part. */
void bs_runset_best(const double *mean, int n, bool higher, int *best, int *next);

#endif
