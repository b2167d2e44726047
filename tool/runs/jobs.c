/* jobs.c -- a pool of workers, and the status line that they share. */
#include "runs/jobs.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"

/* ---- workers ---- */

typedef struct {
    void (*work)(void *ctx, int worker);
    void     *ctx;
    int       number;
    pthread_t thread;
} helper;

static void *begin(void *arg)
{
    helper *w = arg;
    w->work(w->ctx, w->number);
    return NULL;
}

basin_status bs_work_together(int workers, void (*work)(void *ctx, int worker), void *ctx,
                              basin_error *err)
{
    helper *h = bs_calloc((size_t)workers, sizeof *h);
    int     n = 1;
    if (!h)
        return bs_fail_nomem(err);
    for (; n < workers; n++) {
        h[n] = (helper){.work = work, .ctx = ctx, .number = n};
        if (pthread_create(&h[n].thread, NULL, begin, &h[n]) != 0)
            break;
    }
    work(ctx, 0);
    for (int i = 1; i < n; i++)
        pthread_join(h[i].thread, NULL);
    bs_free(h);
    return BASIN_OK;
}

/* ---- the board ---- */

void bs_status_line_start(bs_status_line *b, bs_logger *log, double scale)
{
    *b = (bs_status_line){.bar = bs_progress_start(log, "", "", 1), .scale = scale};
}

void bs_status_line_name(bs_status_line *b, int worker, const char *name)
{
    if (worker >= BS_BOARD_SLOTS)
        return;
    bs_print(b->slot[worker].name, sizeof b->slot[worker].name, "%s", name ? name : "");
    b->slot[worker].epoch = 0;
    b->slot[worker].best = NAN;
}

void bs_status_line_news(bs_status_line *b, int worker, const bs_progress_event *n)
{
    if (worker >= BS_BOARD_SLOTS)
        return;
    b->slot[worker].epoch = n->epoch;
    b->slot[worker].best = n->best;
}

void bs_status_line_draw(bs_status_line *b, double part, const char *lead)
{
    char text[512];
    int  n = 0;
    if (!bs_progress_due(&b->bar))
        return;
    n += bs_print(text, sizeof text, "%s", lead);
    for (int i = 0; i < BS_BOARD_SLOTS && n < 300; i++) {
        if (!b->slot[i].name[0])
            continue;
        n += bs_print(text + n, sizeof text - (size_t)n, "%s%s", n ? "  " : "", b->slot[i].name);
        if (b->slot[i].epoch > 0)
            n += bs_print(text + n, sizeof text - (size_t)n, ": epoch %d", b->slot[i].epoch);
        if (!isnan(b->slot[i].best))
            n += bs_print(text + n, sizeof text - (size_t)n, ", %.2f", b->scale * b->slot[i].best);
    }
    bs_progress_show(&b->bar, part, text);
}

void bs_status_line_end(bs_status_line *b)
{
    bs_progress_end(&b->bar);
}
