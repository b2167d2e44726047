/* log.c -- lines and progress bars on a terminal or in a log file. A bar is one line without its
 * end, rewritten in place and erased with spaces. */
#include "base/log.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/print.h"
#include "base/visible.h"

static const double redraw_every = 0.1; /* seconds */

enum { LONGEST_LINE = 2048, LONGEST_BAR = 512 };

double bs_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bs_thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void look_at_window(bs_logger *log)
{
    struct winsize w;
    if (log->terminal && ioctl(fileno(log->file), TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
        log->columns = w.ws_col;
}

bs_logger bs_log_make(FILE *file, bs_log_level level)
{
    bs_logger log = {.file = file, .level = level, .columns = 80};
    if (!file)
        return log;
    int fd = fileno(file);
    log.terminal = fd >= 0 && isatty(fd);
    if (!log.terminal)
        return log;
    look_at_window(&log);

    /* NO_COLOR counts when it is set and not empty (no-color.org). */
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    log.color = term && *term && strcmp(term, "dumb") != 0 && !(no_color && *no_color);
    return log;
}

static bool speaks(const bs_logger *log, bs_log_level level)
{
    return log && log->file && level != BS_QUIET && level <= log->level;
}

/* Cuts the text to a number of columns, one per character, and returns how many it fills. */
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

static void put(const bs_logger *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(const bs_logger *log, const char *fmt, ...)
{
    char    text[LONGEST_LINE + 64]; /* a line and its colour */
    va_list args;
    va_start(args, fmt);
    const int n = bs_vprint(text, sizeof text, fmt, args);
    va_end(args);
    if (n > 0)
        fputs(text, log->file);
}

static void erase_bar(bs_logger *log)
{
    if (log->bar_len > 0)
        put(log, "\r%*s\r", log->bar_len, "");
    log->bar_len = 0;
}

/* One line, with nothing in it that a terminal would obey. */
static bool make_line(char text[LONGEST_LINE], const char *fmt, va_list args)
{
    int n = bs_vprint(text, LONGEST_LINE, fmt, args);
    if (n < 0)
        return false;
    if (n < LONGEST_LINE)
        while (n && text[n - 1] == '\n')
            text[--n] = '\0';
    bs_line_visible(text, LONGEST_LINE, n);
    return true;
}

/* How many bytes fit into `columns`, ending at a blank if there is one. */
static size_t fitting(const char *text, int columns)
{
    size_t blank = 0, n = 0;
    for (int used = 0; text[n]; n++) {
        const bool first = ((unsigned char)text[n] & 0xC0) != 0x80;
        if (first && used == columns)
            return text[n] == ' ' || blank == 0 ? n : blank;
        used += first;
        if (text[n] == ' ')
            blank = n;
    }
    return n;
}

/* On a terminal, wraps a long line between words and indents the rest; `used` columns of the first
 * line are taken. Files get lines as they are. */
static void put_wrapped(const bs_logger *log, const char *text, int used)
{
    enum { FEW = 20, FURTHER = 2 };
    const int indent = (int)strspn(text, " ") + FURTHER, all = log->columns - 1;
    if (!log->terminal || all - indent < FEW) {
        fputs(text, log->file);
        return;
    }
    for (int room = all - used; *text; room = all - indent) {
        const size_t n = fitting(text, room > FEW ? room : FEW);
        fwrite(text, 1, n, log->file);
        text += n;
        text += strspn(text, " ");
        if (*text)
            put(log, "\n%*s", indent, "");
    }
}

void bs_log_say(bs_logger *log, bs_log_level level, const char *fmt, ...)
{
    char    text[LONGEST_LINE];
    va_list args;
    if (!speaks(log, level) && !(log && log->event && level <= log->level))
        return;
    va_start(args, fmt);
    const bool ok = make_line(text, fmt, args);
    va_end(args);
    if (!ok)
        return;
    bs_event_message(log, level, text);
    if (!log->file)
        return;
    erase_bar(log);
    look_at_window(log);
    const char *label = level == BS_WARN ? "warning: " : "";
    bool        paint = log->color && level == BS_WARN;
    put(log, "%s%s%s", paint ? "\033[33m" : "", label, paint ? "\033[0m" : "");
    put_wrapped(log, text, (int)strlen(label));
    fputs("\n", log->file);
    fflush(log->file);
}

void bs_log_row(bs_logger *log, bs_log_style style, const char *fmt, ...)
{
    static const char *const code[] = {"", "\033[2m", "\033[32m"};
    char                     text[LONGEST_LINE];
    va_list                  args;
    if (!speaks(log, BS_INFO))
        return;
    va_start(args, fmt);
    const bool ok = make_line(text, fmt, args);
    va_end(args);
    if (!ok)
        return;
    erase_bar(log);
    look_at_window(log);
    if (log->terminal && log->columns > 1)
        fit_columns(text, log->columns);
    const bool paint = log->color && style != BS_PLAIN;
    put(log, "%s%s%s\n", paint ? code[style] : "", text, paint ? "\033[0m" : "");
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
    return (bs_progress){
        .log = log, .what = what, .unit = unit, .total = total, .started = now, .drawn = now};
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
    bs_print(out, size, "%.*f%s", decimals, v, suffix);
}

const char *bs_time_text(double seconds, char text[BS_TIME_TEXT])
{
    long s = seconds < 360000.0 ? (long)ceil(seconds > 0 ? seconds : 0) : 360000;
    if (s >= 360000)
        bs_print(text, BS_TIME_TEXT, ">99h");
    else if (s >= 3600)
        bs_print(text, BS_TIME_TEXT, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        bs_print(text, BS_TIME_TEXT, "%ld:%02ld", s / 60, s % 60);
    return text;
}

enum { MOST_CELLS = 24 };

static void fill_cells(char cells[MOST_CELLS + 1], int n, double part)
{
    const int full = (int)((part < 0 ? 0 : part > 1 ? 1 : part) * n);
    for (int i = 0; i < n; i++)
        cells[i] = i < full ? '#' : '.';
    cells[n] = '\0';
}

static void bar_text(const bs_progress *p, double done, double elapsed, char *out, size_t size)
{
    char   rate_text[32], count[32], left[BS_TIME_TEXT], after[BS_TIME_TEXT], all[64] = "";
    char   cells[MOST_CELLS + 1];
    double rate = elapsed > 0 ? done / elapsed : 0;
    short_number(rate, rate_text, sizeof rate_text);
    if (!(p->total > 0)) {
        short_number(done, count, sizeof count);
        bs_print(out, size, "%s  %s %s  %s %s/s", p->what, count, p->unit, rate_text, p->unit);
        return;
    }
    double part = done / p->total < 1 ? done / p->total : 1;
    fill_cells(cells, p->later > 0 ? MOST_CELLS / 2 : MOST_CELLS, part);
    if (rate > 0)
        bs_time_text((1 - part) * p->total / rate, left);
    else
        bs_print(left, sizeof left, "?");
    if (p->later > elapsed)
        bs_print(all, sizeof all, ", over in %s unless better",
                 bs_time_text(p->later - elapsed, after));
    bs_print(out, size, "%s [%s] %3d%%  %s %s/s  %s left%s", p->what, cells, (int)(part * 100),
             rate_text, p->unit, left, all);
}

bool bs_progress_due(const bs_progress *p)
{
    return draws(p) && bs_seconds() - p->drawn >= redraw_every;
}

/* The last columns stay free: many terminals would wrap there, at the latest when ^C is echoed. */
static void draw(bs_progress *p, char *text)
{
    bs_logger *log = p->log;
    const int  old = log->bar_len;
    look_at_window(log);
    const int len = fit_columns(text, log->columns > 20 ? log->columns - 3 : log->columns - 1);
    put(log, "\r%s%*s", text, old > len ? old - len : 0, "");
    log->bar_len = len;
    fflush(log->file);
    p->drawn = bs_seconds();
}

void bs_progress_set(bs_progress *p, double done)
{
    char text[LONGEST_BAR];
    bs_event_progress(p, done);
    if (!bs_progress_due(p))
        return;
    bar_text(p, done > 0 ? done : 0, bs_seconds() - p->started, text, sizeof text);
    draw(p, text);
}

void bs_progress_show(bs_progress *p, double part, const char *text)
{
    char line[LONGEST_BAR], cells[MOST_CELLS + 1];
    if (!draws(p))
        return;
    fill_cells(cells, MOST_CELLS / 2, part);
    bs_print(line, sizeof line, "[%s] %s", cells, text);
    draw(p, line);
}

void bs_progress_end(bs_progress *p)
{
    if (!draws(p))
        return;
    erase_bar(p->log);
    fflush(p->log->file);
}
