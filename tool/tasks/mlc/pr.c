/* pr.c -- precision by recall for label sets: over all cells, for the mean label, and for single
 * labels. */
#include <math.h>
#include <string.h>

#include "tasks/mlc/report.h"
#include "doc/chart.h"
#include "doc/page.h"
#include "task/mlc/data.h"

enum {
    BINS = 1024,  /* of scores, by their log odds: rare labels have small probabilities */
    POINTS = 101, /* of recall */
    SHOWN = 4,    /* labels */
    MOST_LABELS = 4000,
};

/* Cells by their score. */
typedef struct {
    uint32_t all[BINS], on[BINS];
} histogram;

static int bin_of(float p)
{
    const double v = (double)fminf(fmaxf(p, 1e-6f), 1 - 1e-6f);
    const int    at = (int)((log(v / (1 - v)) + 14) / 28 * BINS);
    return at < 0 ? 0 : at >= BINS ? BINS - 1 : at;
}

/* Precision where recall first reaches 0, 0.01, ... 1, from high scores to low ones; 0 is where the
 * first positive is found. */
static void precision_of(const histogram *h, double out[POINTS])
{
    double positives = 0, found = 0, said = 0;
    int    k = 0;
    for (int i = 0; i < BINS; i++)
        positives += h->on[i];
    for (int i = BINS - 1; i >= 0 && k < POINTS; i--) {
        found += h->on[i];
        said += h->all[i];
        while (k < POINTS && found > 0 && found >= positives * k / (POINTS - 1))
            out[k++] = 100 * found / said;
    }
    while (k < POINTS)
        out[k++] = NAN;
}

static void fill(const bs_report_group *g, int32_t L, histogram *each, histogram *all)
{
    const bs_csr *y = &bs_dataset_mlc(g->part)->y;
    const float  *scores = g->run[g->shown].y.scores;
    for (int32_t r = 0; r < g->part->rows; r++) {
        int32_t e = y->start[r];
        for (int32_t l = 0; l < L; l++) {
            const bool on = e < y->start[r + 1] && y->index[e] == l;
            const int  at = bin_of(scores[(size_t)r * (size_t)L + (size_t)l]);
            e += on;
            all->all[at]++;
            all->on[at] += on;
            if (l < MOST_LABELS) {
                each[l].all[at]++;
                each[l].on[at] += on;
            }
        }
    }
}

static bool occurs(const histogram *h)
{
    for (int i = 0; i < BINS; i++)
        if (h->on[i])
            return true;
    return false;
}

/* The mean over labels that occur. */
static void mean_precision(const histogram *each, int32_t n, double out[POINTS])
{
    double one[POINTS], labels = 0;
    memset(out, 0, POINTS * sizeof *out);
    for (int32_t l = 0; l < n; l++) {
        if (!occurs(&each[l]))
            continue;
        precision_of(&each[l], one);
        labels++;
        for (int k = 0; k < POINTS; k++)
            out[k] += one[k];
    }
    for (int k = 0; k < POINTS; k++)
        out[k] = labels > 0 ? out[k] / labels : (double)NAN;
}

/* Recall and precision over all cells at the model's threshold, in percent. */
static void where_now(const bs_label_score *s, int32_t L, double *recall, double *precision)
{
    double both = 0, said = 0, there = 0;
    for (int32_t l = 0; l < L; l++) {
        both += (double)s[l].tp;
        said += (double)(s[l].tp + s[l].fp);
        there += (double)s[l].support;
    }
    *recall = 100 * both / there;
    *precision = 100 * both / said;
}

static void draw(const bs_report_group *g, const histogram *each, const histogram *all, int32_t L,
                 const bs_label_score *s, const int32_t *label, int n, bs_buf *out)
{
    const bs_report_run *run = &g->run[g->shown];
    double               x[POINTS], y[2 + SHOWN][POINTS], at[2];
    bs_series            series[3 + SHOWN];
    int                  lines = 2;
    for (int k = 0; k < POINTS; k++)
        x[k] = k;
    precision_of(all, y[0]);
    mean_precision(each, L < MOST_LABELS ? L : MOST_LABELS, y[1]);
    series[0] = (bs_series){.name = "micro: all cells", .x = x, .y = y[0], .n = POINTS};
    series[1] = (bs_series){.name = "macro: mean of the labels", .x = x, .y = y[1], .n = POINTS};
    for (int i = 0; i < n && i < SHOWN; i++) {
        if (label[i] >= MOST_LABELS)
            continue;
        precision_of(&each[label[i]], y[lines]);
        series[lines] =
            (bs_series){.name = bs_preprocess_mlc(&run->model->known)->schema.label[label[i]],
                        .x = x,
                        .y = y[lines],
                        .n = POINTS,
                        .dashed = true};
        lines++;
    }
    where_now(s, L, &at[0], &at[1]);
    series[lines] = (bs_series){.name = "the model's threshold",
                                .x = &at[0],
                                .y = &at[1],
                                .n = 1,
                                .colour = 7,
                                .dots = true};
    bs_chart_draw(&(bs_chart){.series = series,
                              .n = lines + 1,
                              .x_lo = 0,
                              .x_hi = 100,
                              .y_lo = 0,
                              .y_hi = 100,
                              .width = 640,
                              .height = 360,
                              .x_name = "recall %",
                              .y_name = "precision %"},
                  out);
}

basin_status bs_report_pr(const bs_report_group *g, const bs_label_score *s, const int32_t *label,
                          int n, bs_buf *out, basin_error *err)
{
    const int32_t L = bs_preprocess_mlc(&g->run[g->shown].model->known)->schema.n_labels;
    histogram    *each =
        bs_arena_alloc(g->room, ((size_t)(L < MOST_LABELS ? L : MOST_LABELS) + 1) * sizeof *each);
    histogram *all = each ? &each[L < MOST_LABELS ? L : MOST_LABELS] : NULL;
    if (!each)
        return bs_fail_nomem(err);
    fill(g, L, each, all);
    bs_page_heading(g->level, "Precision and recall", out);
    bs_page_say(out, "quiet",
                "Precision (share of predictions that are right) by recall (share of true labels "
                "found), as the threshold goes down%s.",
                n > 0 ? "; dashed: the labels that lose most" : "");
    draw(g, each, all, L, s, label, n, out);
    return BASIN_OK;
}
