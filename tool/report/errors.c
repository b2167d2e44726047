/* errors.c -- where models err: dispatch by task, and what all tasks draw alike. */
#include <math.h>
#include <string.h>

#include "report/report.h"
#include "doc/heat.h"
#include "tasks/tasks.h"

/* ---- reliability ---- */

void bs_reliability_add(bs_reliability *b, double p, double hit)
{
    int at = (int)(p * BS_RELIABILITY_BINS);
    if (!(p >= 0 && p <= 1))
        return;
    if (p < BS_UNLIKELY) {
        b->unlikely++;
        return;
    }
    at = at < BS_RELIABILITY_BINS ? at : BS_RELIABILITY_BINS - 1;
    b->n[at]++;
    b->sum[at] += p;
    b->hit[at] += hit;
}

void bs_reliability_draw(const bs_reliability *b, const char *what, int level, bs_buf *out)
{
    double      x[BS_RELIABILITY_BINS], y[BS_RELIABILITY_BINS], all = 0, gap = 0;
    const char *label[BS_RELIABILITY_BINS];
    char        text[BS_RELIABILITY_BINS][96], name[BS_RELIABILITY_BINS][32];
    bs_bar      bar[BS_RELIABILITY_BINS];
    int         n = 0;
    for (int i = 0; i < BS_RELIABILITY_BINS; i++)
        all += b->n[i];
    for (int i = 0; i < BS_RELIABILITY_BINS; i++) {
        char p[BS_FIXED_TEXT], q[BS_FIXED_TEXT];
        bs_fixed(fmax((double)i / BS_RELIABILITY_BINS, BS_UNLIKELY), 2, p);
        bs_fixed((i + 1.0) / BS_RELIABILITY_BINS, 2, q);
        bs_print(name[i], sizeof name[i], "%.6s to %.6s", p, q);
        bar[i] = (bs_bar){.name = name[i], .value = all > 0 ? 100 * b->n[i] / all : 0};
        if (b->n[i] == 0)
            continue;
        x[n] = b->sum[i] / b->n[i];
        y[n] = b->hit[i] / b->n[i];
        gap += fabs(b->hit[i] - b->sum[i]);
        bs_print(text[n], sizeof text[n], "%.0f %s of probability %s", b->n[i], what,
                 bs_fixed(x[n], 3, p));
        label[n] = text[n];
        n++;
    }
    const bs_series s = {.name = "share", .x = x, .y = y, .label = label, .n = n};
    char            percent[BS_FIXED_TEXT];
    bs_page_heading(level, "Calibration", out);
    bs_page_say(out, "quiet",
                "How often predictions come true, by their probability: on the dashed line, as "
                "often as predicted. %.0f %s in %d bins; the mean distance is %s %%.",
                all, what, BS_RELIABILITY_BINS,
                bs_fixed(all > 0 ? 100 * gap / all : 0, 2, percent));
    if (b->unlikely > 0)
        bs_page_say(out, "quiet",
                    "Only predictions with a probability of 0.05 or more; another %.0f have less.",
                    b->unlikely);
    bs_page_grid_begin(out);
    bs_chart_draw(&(bs_chart){.title = "reliability",
                              .series = &s,
                              .n = 1,
                              .diagonal = true,
                              .x_hi = 1,
                              .y_hi = 1,
                              .x_name = "probability",
                              .y_name = "share that is true",
                              .height = 330},
                  out);
    bs_bars_draw(&(bs_bars){.title = "share of predictions by probability, %",
                            .bar = bar,
                            .n = BS_RELIABILITY_BINS,
                            .digits = 2},
                 out);
}

/* ---- confusions ---- */

void bs_report_percent(const double *count, int n, float *out)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < n; k++)
            sum += count[i * n + k];
        for (int k = 0; k < n; k++)
            out[i * n + k] = sum > 0 ? (float)(100 * count[i * n + k] / sum) : (float)NAN;
    }
}

basin_status bs_report_confusions(const bs_report_group *g, const double *count, int n,
                                  const char *const *name, const char *title, bs_buf *page,
                                  basin_error *err)
{
    float *share = bs_arena_alloc(g->room, (size_t)n * (size_t)n * sizeof *share);
    if (!share)
        return bs_fail_nomem(err);
    bs_report_percent(count, n, share);
    bs_page_heading(g->level, "Confusions", page);
    bs_heat_draw(&(bs_heat){.title = title,
                            .row_title = "true",
                            .col_title = "predicted",
                            .rows = n,
                            .cols = n,
                            .value = share,
                            .row_name = name,
                            .lo = 0,
                            .hi = 100,
                            .root = n > 2,
                            .digits = 1},
                 page);
    return BASIN_OK;
}

/* ---- the sections ---- */

basin_status bs_report_errors(const bs_report *r, bs_doc *d, basin_error *err)
{
    basin_status s = BASIN_OK;
    bool         any = false;
    bs_json_open(d->json, "errors", '[');
    for (int i = 0; i < r->n && !s; i++) {
        const bs_report_group *g = &r->group[i];
        const bs_task_report  *how = bs_tool_of(g->task)->report;
        char                   title[BS_OPTION_TEXT + 64];
        if (!g->judged || !how)
            continue;
        bs_json_open(d->json, NULL, '{');
        bs_json_text(d->json, "run", g->name);
        if (r->n > 1 && !any)
            bs_page_heading(2, "Errors", d->page);
        bs_print(title, sizeof title, "Errors of %s", g->name);
        if (r->n > 1)
            bs_doc_details_begin(d, title, !any);
        any = true;
        if (g->n > 1)
            bs_doc_say(d, "quiet", "Of seed %d; the other seeds are in the scores above.",
                       g->run[g->shown].settings.train.seed);
        s = how->errors(g, d, err);
        bs_arena_free(g->room);
        if (r->n > 1)
            bs_doc_details_end(d);
        bs_json_close(d->json, '}');
    }
    bs_json_close(d->json, ']');
    return s;
}
