/* log.c -- lines and progress bars on a terminal or in a log file.
 *
 * A bar is one line without its end, rewritten in place. It is erased with
 * spaces, not escape sequences, so it works on every terminal. */
#include "base/log.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const double redraw_every = 0.1; /* seconds */

enum { LONGEST_LINE = 2048, LONGEST_BAR = 512 };

double bs_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int terminal_columns(int fd)
{
    struct winsize w;
    if (ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
        return w.ws_col;
    return 80;
}

bs_logger bs_log_make(FILE *file, bs_log_level level)
{
    bs_logger log = { .file = file, .level = level, .columns = 80 };
    if (!file)
        return log;
    int fd = fileno(file);
    log.terminal = fd >= 0 && isatty(fd);
    if (!log.terminal)
        return log;
    log.columns = terminal_columns(fd);

    /* NO_COLOR counts when it is set and not empty (no-color.org). */
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    log.color = !(no_color && *no_color) && term && *term && strcmp(term, "dumb") != 0;
    return log;
}

static bool speaks(const bs_logger *log, bs_log_level level)
{
    return log && log->file && level != BS_QUIET && level <= log->level;
}

static void erase_bar(bs_logger *log)
{
    if (log->bar_len > 0)
        fprintf(log->file, "\r%*s\r", log->bar_len, "");
    log->bar_len = 0;
}

void bs_log_say(bs_logger *log, bs_log_level level, const char *fmt, ...)
{
    if (!speaks(log, level))
        return;

    char    text[LONGEST_LINE];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n < 0)
        return;
    if ((size_t)n >= sizeof text)
        memcpy(text + sizeof text - 4, "...", 4);

    /* One line, and nothing in it that a terminal would obey. */
    size_t len = strlen(text);
    while (len && text[len - 1] == '\n')
        text[--len] = '\0';
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = ' ';

    erase_bar(log);
    const char *label = level == BS_WARN ? "warning: " : "";
    bool        paint = log->color && level == BS_WARN;
    fprintf(log->file, "%s%s%s%s\n", paint ? "\033[33m" : "", label, paint ? "\033[0m" : "", text);
    fflush(log->file);
}

/* --- progress ---------------------------------------------------------------- */

static bool draws(const bs_progress *p)
{
    return speaks(p->log, BS_INFO) && p->log->terminal && p->log->columns > 1;
}

bs_progress bs_progress_start(bs_logger *log, const char *what, const char *unit, double total)
{
    double now = bs_seconds();
    return (bs_progress){ .log = log, .what = what, .unit = unit, .total = total, .started = now,
                          .drawn = now };
}

/* 950, 12.3k, 4.56M */
static void short_number(double v, char *out, size_t size)
{
    const char *suffix = "";
    if (v >= 999.5e6) {
        v /= 1e9;
        suffix = "G";
    } else if (v >= 999.5e3) {
        v /= 1e6;
        suffix = "M";
    } else if (v >= 999.5) {
        v /= 1e3;
        suffix = "k";
    }
    int decimals = v >= 99.95 || (*suffix == '\0' && v == floor(v)) ? 0 : v >= 9.995 ? 1 : 2;
    snprintf(out, size, "%.*f%s", decimals, v, suffix);
}

static void short_time(double seconds, char *out, size_t size)
{
    long s = seconds < 360000.0 ? (long)ceil(seconds) : 360000;
    if (s >= 360000)
        snprintf(out, size, ">99h");
    else if (s >= 3600)
        snprintf(out, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(out, size, "%ld:%02ld", s / 60, s % 60);
}

/* Cuts the text to a number of columns, each character taken for one, and
 * returns how many it fills. */
static int fit_columns(char *text, int columns)
{
    int   n = 0;
    char *c = text;
    for (; *c; c++) {
        bool first = ((unsigned char)*c & 0xC0) != 0x80;
        if (first && n == columns)
            break;
        n += first;
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = ' ';
    }
    *c = '\0';
    return n;
}

static void bar_text(const bs_progress *p, double done, double elapsed, char *out, size_t size)
{
    enum { CELLS = 24 };
    char   rate_text[32], count[32], left[32], cells[CELLS + 1];
    double rate = elapsed > 0 ? done / elapsed : 0;
    short_number(rate, rate_text, sizeof rate_text);
    if (!(p->total > 0)) {
        short_number(done, count, sizeof count);
        snprintf(out, size, "%s  %s %s  %s %s/s", p->what, count, p->unit, rate_text, p->unit);
        return;
    }
    double part = done / p->total < 1 ? done / p->total : 1;
    int    full = (int)(part * CELLS);
    for (int i = 0; i < CELLS; i++)
        cells[i] = i < full ? '#' : '.';
    cells[CELLS] = '\0';
    if (rate > 0)
        short_time((1 - part) * p->total / rate, left, sizeof left);
    else
        snprintf(left, sizeof left, "?");
    snprintf(out, size, "%s [%s] %3d%%  %s %s/s  %s left", p->what, cells, (int)(part * 100),
             rate_text, p->unit, left);
}

void bs_progress_set(bs_progress *p, double done)
{
    if (!draws(p))
        return;
    double now = bs_seconds();
    if (now - p->drawn < redraw_every)
        return;
    p->drawn = now;

    char text[LONGEST_BAR];
    bar_text(p, done > 0 ? done : 0, now - p->started, text, sizeof text);
    /* The last column stays free: many terminals would move on to a new line. */
    int len = fit_columns(text, p->log->columns - 1);
    int old = p->log->bar_len;
    fprintf(p->log->file, "\r%s%*s", text, old > len ? old - len : 0, "");
    p->log->bar_len = len;
    fflush(p->log->file);
}

void bs_progress_end(bs_progress *p)
{
    if (!draws(p))
        return;
    erase_bar(p->log);
    fflush(p->log->file);
}
