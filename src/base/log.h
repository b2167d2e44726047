/* log.h -- messages and progress for people; results never go through here.
 *
 * There is no global log: whoever may speak is handed a bs_logger. */
#ifndef BS_LOG_H
#define BS_LOG_H

#include <stdbool.h>
#include <stdio.h>

typedef enum { BS_QUIET, BS_WARN, BS_INFO, BS_DEBUG } bs_log_level;

typedef struct {
    FILE        *file;     /* stderr, usually; NULL says nothing */
    bs_log_level level;
    bool         terminal; /* bars and colour only here */
    bool         color;    /* false when NO_COLOR is set or TERM is dumb */
    int          columns;
    int          bar_len;  /* columns the unfinished bar occupies now, 0 = none */
} bs_logger;

/* Looks at the file: a terminal? how wide? colour wanted? */
bs_logger bs_log_make(FILE *file, bs_log_level level);

/* One line; a bar that is being shown is taken away first and redrawn later. */
void bs_log_say(bs_logger *log, bs_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A progress bar with rate and time left. On a terminal it is redrawn at most
 * ten times a second; elsewhere it prints nothing at all (rows of the training
 * table are plain lines and are enough). */
typedef struct {
    bs_logger     *log;
    const char *what, *unit; /* "epoch 3", "rows" */
    double      total, started, drawn;
} bs_progress;

bs_progress bs_progress_start(bs_logger *log, const char *what, const char *unit, double total);
void        bs_progress_set(bs_progress *p, double done);
void        bs_progress_end(bs_progress *p); /* takes the bar away */

double bs_seconds(void); /* monotonic clock */

#endif
