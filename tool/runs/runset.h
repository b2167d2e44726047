/* runset.h -- a set of runs, as compare, tune and report have it: the folder, what is written
 * beside the runs, and how their models compare on the same rows. */
#ifndef BS_RUNSET_H
#define BS_RUNSET_H

#include "runs/winner.h"

/* Locks the folder for a new set of runs, or for one that is resumed, and removes what a crash has
 * left, `depth` folders down; or joins others that work on one. what: "comparison", for messages;
 * of: "runs". */
typedef enum { BS_RUNSET_NEW, BS_RUNSET_RESUMED, BS_RUNSET_SHARED } bs_runset_how;
static inline bs_runset_how bs_runset_how_of(bool resume, bool shared)
{
    return shared ? BS_RUNSET_SHARED : resume ? BS_RUNSET_RESUMED : BS_RUNSET_NEW;
}
basin_status bs_runset_open(const char *folder, const char *what, const char *of, bs_runset_how how,
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

/* What each row contributes to the metrics: decisions at 0.5, and (cuts > 1) at the model's own
 * threshold. `runs` of these are kept at a time. */
basin_status bs_runset_count(const bs_dataset *rows, const bs_preprocess *known,
                             const bs_outputs *y, const bs_threshold *own, bs_profile_id profile,
                             int cuts, int runs, bs_measurement *counts, basin_error *err);

/* b against a. The bootstrap draws rows, the same for all, and the seeds of each; randomisation
 * swaps rows in all seeds at once, up to the smaller number of seeds. */
basin_status bs_runset_test(const bs_sampled_set *a, const bs_sampled_set *b, uint64_t seed,
                            int replicates, bs_comparison_result *out, basin_error *err);

enum { BS_CONTENDERS = 64 };
typedef struct {
    const char           *name;
    double                mean; /* of the metric; NaN: does not take part */
    const bs_sampled_set *set;
} bs_contender;

/* The best against the second best of at most BS_CONTENDERS; best NULL if there is none, next NULL
 * if there is only one. part: "test". */
basin_status bs_runset_winner(const bs_contender *c, int n, const bs_dataset *rows, int metric,
                              const char *part, uint64_t seed, int replicates, bs_best_of *out,
                              basin_error *err);

#endif
