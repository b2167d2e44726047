/* log.h -- messages and progress for people; results never go through here.
 *
 * There is no global log: code that may report is handed a bs_logger. */
#ifndef BS_LOG_H
#define BS_LOG_H

#include <stdbool.h>
#include <stdio.h>

typedef enum { BS_QUIET, BS_WARN, BS_INFO, BS_DEBUG } bs_log_level;

typedef struct {
    FILE        *file; /* stderr, usually; NULL says nothing */
    bs_log_level level;
    bool         terminal; /* bars and colour need one */
    bool         color;    /* false when NO_COLOR is set or TERM is dumb */
    int          columns;  /* looked up again whenever a bar is drawn */
    int          bar_len;  /* columns the unfinished bar occupies now, 0 = none */
    /* A listening program (basin_session.event), or NULL; it returns nonzero to stop. */
    int (*event)(void *ctx, const char *json);
    void               *ctx;
    double              heard; /* when it was last sent progress */
    bool                stopped;
    const volatile int *stop; /* another way to stop: a flag that becomes nonzero */
} bs_logger;

/* Looks at the file: a terminal? how wide? colour wanted? */
bs_logger bs_log_make(FILE *file, bs_log_level level);

/* One line; a bar on show is removed first and redrawn later. */
void bs_log_say(bs_logger *log, bs_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with a style, where there is colour; level BS_INFO. For tables: lines too long for a
 * terminal are cut, not wrapped. */
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
    double      later; /* seconds from the start until everything is over; 0 = unknown */
} bs_progress;

bs_progress bs_progress_start(bs_logger *log, const char *what, const char *unit, double total);
void        bs_progress_set(bs_progress *p, double done);
void        bs_progress_end(bs_progress *p); /* removes the bar */
/* True when a redraw is due: making its text may be costly. */
bool bs_progress_due(const bs_progress *p);
/* A bar followed by the caller's text, `part` from 0 to 1. Drawn now, due or not. */
void bs_progress_show(bs_progress *p, double part, const char *text);
/* "1:05", "2:00:00" */
#define BS_TIME_TEXT 32
const char *bs_time_text(double seconds, char text[BS_TIME_TEXT]);

double bs_seconds(void);        /* monotonic clock */
double bs_thread_seconds(void); /* CPU time of this thread */

/* ---- events (event.c): the same facts as JSON objects, for a program that listens ---- */

/* Sends an object; does nothing without a listener. */
void bs_event_send(bs_logger *log, const char *json);
/* Called by bs_log_say and bs_progress_set; progress at most ten times a second. */
void bs_event_message(bs_logger *log, bs_log_level level, const char *text);
void bs_event_progress(bs_progress *p, double done);
/* Whether the listener, or the flag, has asked for a stop. Long work without a bar calls this
 * regularly, which gives the listener a chance to ask. log may be NULL. */
bool bs_event_stopped(bs_logger *log);

/* Whether to stop: the flag of a session, set by another thread or a handler. */
static inline bool bs_stop_asked(const volatile int *stop)
{
    return stop && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}

#endif
