/* log.h -- messages and progress for people; results never go through here.
 *
 * There is no global log: whoever may speak is handed a bs_logger. */
#ifndef BS_LOG_H
#define BS_LOG_H

#include <stdbool.h>
#include <stdio.h>

typedef enum { BS_QUIET, BS_WARN, BS_INFO, BS_DEBUG } bs_log_level;

typedef struct {
    FILE        *file; /* stderr, usually; NULL says nothing */
    bs_log_level level;
    bool         terminal; /* bars and colour only here */
    bool         color;    /* false when NO_COLOR is set or TERM is dumb */
    bool         moves;    /* the terminal obeys more than \r: TERM is not dumb */
    int          columns;  /* looked up again whenever a bar is drawn */
    int          bar_len;  /* columns the unfinished bar occupies now, 0 = none */
} bs_logger;

/* Looks at the file: a terminal? how wide? colour wanted? */
bs_logger bs_log_make(FILE *file, bs_log_level level);

/* One line; a bar that is being shown is taken away first and redrawn later. */
void bs_log_say(bs_logger *log, bs_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, in a style where there is colour; level BS_INFO. For tables: lines that a terminal is
 * too narrow for are cut by it, not wrapped between words. */
typedef enum { BS_PLAIN, BS_DIM, BS_GOOD } bs_log_style;
void bs_log_row(bs_logger *log, bs_log_style style, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A progress bar with rate and time left. On a terminal it is redrawn at most
 * ten times a second; elsewhere it prints nothing at all (rows of the training
 * table are plain lines and are enough). */
typedef struct {
    bs_logger  *log;
    const char *what, *unit; /* "epoch 3", "rows" */
    double      total, started, drawn;
    double      later; /* seconds until all is over, counted from the start; 0 = not known */
} bs_progress;

bs_progress bs_progress_start(bs_logger *log, const char *what, const char *unit, double total);
void        bs_progress_set(bs_progress *p, double done);
void        bs_progress_end(bs_progress *p); /* takes the bar away */
/* True when a bar is due to be drawn again: making its text may cost something. */
bool bs_progress_due(const bs_progress *p);
/* A bar with words of the caller's own behind it; part from 0 to 1. Due or not. */
void bs_progress_show(bs_progress *p, double part, const char *text);
/* "1:05", "2:00:00" */
#define BS_TIME_TEXT 32
const char *bs_time_text(double seconds, char text[BS_TIME_TEXT]);

double bs_seconds(void); /* monotonic clock */

/* Whether work is to stop: the flag of a session, which another thread or a handler sets. */
static inline bool bs_stop_asked(const volatile int *stop)
{
    return stop && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}

#endif
