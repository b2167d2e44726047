/* jobs.h -- several trainings at a time, for compare and tune, and the single terminal line that
 * shows how far each has got. */
#ifndef BS_API_JOBS_H
#define BS_API_JOBS_H

#include "base/log.h"
#include "run/trainer.h"

enum { BS_MOST_JOBS = 1024 };

/* Calls work(ctx, 0 .. workers - 1) at the same time and waits for all. Number 0 is the caller; a
 * thread that cannot be started makes it slower, not wrong. */
basin_status bs_work_together(int workers, void (*work)(void *ctx, int worker), void *ctx,
                              basin_error *err);

/* ---- the board: functions are called under a lock of the caller's ---- */

enum { BS_BOARD_SLOTS = 8 };

typedef struct {
    bs_progress bar;
    double      scale; /* of scores */
    struct {
        char   name[48]; /* empty: nothing to show */
        int    epoch;
        double best;
    } slot[BS_BOARD_SLOTS];
} bs_status_line;

void bs_status_line_start(bs_status_line *b, bs_logger *log, double scale);
/* What a worker is doing; NULL: nothing. */
void bs_status_line_name(bs_status_line *b, int worker, const char *name);
void bs_status_line_news(bs_status_line *b, int worker, const bs_progress_event *n);
/* "LEAD  ce, seed 1: epoch 3, 43.20", if it is time to redraw; part: share of everything that is
 * done, 0 to 1. */
void bs_status_line_draw(bs_status_line *b, double part, const char *lead);
void bs_status_line_end(bs_status_line *b);

#endif
