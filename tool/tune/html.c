/* html.c -- a search as a page: what mattered, how it went, every option against the
 * score, all trials. */
#include <math.h>
#include <string.h>

#include "tune/tune.h"
#include "doc/chart.h"
#include "doc/page.h"

enum { MOST_CURVES = 12 };

static double shown(const bs_tuning *t, int trial)
{
    return t->scale * bs_tune_score(t, t->trial[trial].score);
}

/* ---- what mattered ---- */

static void importance(const bs_tuning *t, const bs_tune_findings *f, bs_buf *out)
{
    bs_tune_importance_show(t, f, &(bs_doc){.page = out});
    if (f->any)
        bs_page_say(out, "quiet",
                    "A Gaussian process is fitted to the scores of all trials; the share of an "
                    "option is the variance of the model's mean over its values, all other options "
                    "averaged over their ranges, against the variance over the whole space. What "
                    "is missing to 100 %% is interactions between options.");
}

/* ---- how it went ---- */

typedef struct {
    double *x, *y, *best;
    int     n;
} path;

static void history(const bs_tuning *t, path *p, bs_buf *out)
{
    double best = NAN;
    p->n = 0;
    for (int i = 0; i < t->n; i++) {
        const double score = t->trial[i].score;
        if (!isnan(score) && !(score <= best))
            best = score;
        p->x[p->n] = i;
        p->y[p->n] = shown(t, i);
        p->best[p->n++] = t->scale * bs_tune_score(t, best);
    }
    const bs_series series[] = {
        {.name = "trial", .x = p->x, .y = p->y, .n = p->n, .dots = true},
        {.name = "best so far", .x = p->x, .y = p->best, .n = p->n},
    };
    const bs_chart chart = {.title = "Scores in the order of trials",
                            .x_name = "trial",
                            .y_name = t->task->metric[t->metric].name,
                            .series = series,
                            .n = 2,
                            .width = 640,
                            .height = 300};
    bs_chart_draw(&chart, out);
}

/* Learning curves of the best trials, and of the first. */
static void curves(const bs_tuning *t, const bs_tune_findings *f, bs_buf *out)
{
    enum { ROOM = 2000 };
    bs_series series[MOST_CURVES];
    char      name[MOST_CURVES][32];
    double   *x = bs_calloc((size_t)MOST_CURVES * ROOM, sizeof *x);
    double   *y = bs_calloc((size_t)MOST_CURVES * ROOM, sizeof *y);
    int       n = 0;
    for (int i = 0; x && y && i < t->n && n < MOST_CURVES / 2; i++) {
        const int trial = f->order[i];
        double   *own_x = x + (size_t)n * ROOM, *own_y = y + (size_t)n * ROOM;
        const int points = bs_tune_values(t, trial, own_x, own_y, ROOM);
        if (points == 0)
            continue;
        for (int k = 0; k < points; k++)
            own_y[k] *= t->scale;
        bs_print(name[n], sizeof name[n], "trial %d", trial);
        series[n] = (bs_series){.name = name[n], .x = own_x, .y = own_y, .n = points};
        n++;
    }
    const bs_chart chart = {.title = "Validation score while training, best trials",
                            .x_name = "epoch",
                            .y_name = t->task->metric[t->metric].name,
                            .series = series,
                            .n = n,
                            .width = 640,
                            .height = 300};
    if (n > 0)
        bs_chart_draw(&chart, out);
    bs_free(x);
    bs_free(y);
}

/* ---- options ---- */

/* One chart: scores over the values of an option, marked by the state of the trial. */
static void option_chart(const bs_tuning *t, const bs_tune_findings *f, int option, path p[3],
                         bs_buf *out)
{
    const bs_dimension *d = &t->space.at[option];
    double              line_x[BS_TUNE_GRID], line_y[BS_TUNE_GRID];
    bs_series           series[3];
    int                 n = 0;
    p[0].n = p[1].n = 0;
    for (int i = 0; i < t->n; i++) {
        path *q = &p[t->trial[i].state == BS_TRIAL_FINISHED ? 0 : 1];
        if (isnan(t->trial[i].score))
            continue;
        q->x[q->n] = bs_space_value(d, t->trial[i].u[option]);
        q->y[q->n++] = shown(t, i);
    }
    if (p[1].n > 0)
        series[n++] = (bs_series){.name = "stopped early",
                                  .x = p[1].x,
                                  .y = p[1].y,
                                  .n = p[1].n,
                                  .dots = true,
                                  .colour = 3};
    if (p[0].n > 0)
        series[n++] = (bs_series){
            .name = "to the end", .x = p[0].x, .y = p[0].y, .n = p[0].n, .dots = true, .colour = 1};
    for (int k = 0; k < BS_TUNE_GRID; k++) {
        line_x[k] = bs_space_value(d, k / (double)(BS_TUNE_GRID - 1));
        line_y[k] = t->scale * bs_tune_score(t, f->importance[option].curve[k]);
    }
    if (f->any && d->n_words == 0)
        series[n++] =
            (bs_series){.name = "model", .x = line_x, .y = line_y, .n = BS_TUNE_GRID, .colour = 2};
    const double   chosen = bs_space_value(d, t->trial[t->best].u[option]);
    const bs_mark  mark = {.x = chosen, .name = "best"};
    const bs_chart chart = {.title = d->row.name,
                            .y_name = t->task->metric[t->metric].name,
                            .series = series,
                            .n = n,
                            .mark = &mark,
                            .marks = 1,
                            .log_x = d->log};
    if (n > 0)
        bs_chart_draw(&chart, out);
    if (d->n_words > 0) {
        bs_buf words;
        bs_buf_init(&words, 1 << 12);
        for (int i = 0; i < d->n_words; i++)
            bs_buf_printf(&words, "%s%d = %s", i ? ", " : "", i, d->word[i]);
        bs_page_say(out, "quiet", "%s: %s", d->row.name, words.data ? words.data : "");
        bs_buf_free(&words);
    }
}

/* ---- all trials ---- */

static void trials(const bs_tuning *t, const bs_tune_findings *f, bs_buf *out)
{
    bs_column column[BS_TUNE_MOST + 6] = {{.name = "trial"},
                                          {.name = "state", .text = true},
                                          {.name = "from",
                                           .text = true,
                                           .help = "default: where the search started; sequence: "
                                                   "spread evenly; model: where most was expected"},
                                          {.name = "epochs"},
                                          {.name = t->task->metric[t->metric].name},
                                          {.name = "seconds"}};
    int       n = 6;
    for (int i = 0; i < t->space.n; i++)
        column[n++] = (bs_column){.name = t->space.at[i].row.name, .first = i == 0};
    bs_page_heading(2, "Trials", out);
    bs_page_table_begin(column, n, BS_TABLE_SORTED | BS_TABLE_LONG, out);
    for (int i = 0; i < t->n; i++) {
        const int             at = f->order[i];
        const bs_tune_record *r = &t->record[at];
        bs_page_row_begin(out);
        bs_page_count(at, out);
        bs_page_cell(bs_tune_state(t, at), out);
        bs_page_cell(bs_trial_sources[r->from], out);
        bs_page_count(r->epochs, out);
        bs_page_number_as(at == t->best ? "best" : "", shown(t, at), 2, out);
        bs_page_number(r->seconds, 1, out);
        for (int k = 0; k < t->space.n; k++) {
            char text[BS_TUNE_NAME];
            bs_space_text(&t->space.at[k], t->trial[at].u[k], text);
            bs_page_cell_begin(k == 0 ? "first" : "",
                               bs_space_value(&t->space.at[k], t->trial[at].u[k]), out);
            bs_page_escape(text, out);
            bs_page_cell_end(out);
        }
        bs_page_row_end(out);
    }
    bs_page_table_end(out);
}

/* ---- the page ---- */

static void summary(const bs_tuning *t, bs_buf *out)
{
    char time[BS_TIME_TEXT], text[BS_TUNE_NAME];
    bs_page_list_begin(out);
    bs_page_item(out, "Best", "trial %d, %s %.2f on validation", t->best,
                 t->task->metric[t->metric].name, shown(t, t->best));
    if (!isnan(t->trial[0].score))
        bs_page_item(out, "Start", "trial 0, %.2f", shown(t, 0));
    bs_page_item(out, "Trials", "%d in %s", t->n, bs_time_text(bs_tune_elapsed(t), time));
    bs_page_item(out, "Data", "%d %s to train, %d to validate; %s", (int)t->data.part[0].rows,
                 t->task->unit, (int)t->data.part[1].rows, t->base.train.file_train);
    for (int i = 0; i < t->space.n; i++) {
        bs_buf range;
        bs_buf_init(&range, 1 << 12);
        bs_space_range(&t->space.at[i], &range);
        bs_space_text(&t->space.at[i], t->trial[t->best].u[i], text);
        bs_page_item(out, t->space.at[i].row.name, "%s  (of %s)", text,
                     range.data ? range.data : "");
        bs_buf_free(&range);
    }
    bs_page_list_end(out);
}

/* The result, what mattered, what next. */
static void verdict(const bs_tuning *t, const bs_tune_findings *f, bs_buf *out)
{
    const bs_metric *m = &t->task->metric[t->metric];
    const char      *unit = t->scale > 1 ? " %" : "", *points = t->scale > 1 ? " points" : "";
    const double     first = shown(t, 0), gain = fabs(shown(t, t->best) - first);
    int              most = 0;
    bs_buf           text;
    bs_buf_init(&text, 1 << 14);
    bs_buf_printf(&text, "Trial %d of %d is best: %.2f%s %s on %d validation %s", t->best, t->n,
                  shown(t, t->best), unit, m->name, (int)t->data.part[1].rows, t->task->unit);
    if (t->best == 0)
        bs_buf_text(&text, ", and it is the one that the search began with");
    else if (!isnan(first))
        bs_buf_printf(&text, ", %.2f%s %s than where it started", gain, points,
                      m->higher ? "more" : "less");
    for (int i = 1; i < t->space.n && f->any; i++)
        most = f->importance[i].share > f->importance[most].share ? i : most;
    if (f->any && t->space.n > 0)
        bs_buf_printf(&text, "; what mattered most is %s", t->space.at[most].row.name);
    bs_buf_text(&text, "; the best of several on the same data looks better than it is, so next: "
                       "train it with several seeds and measure it on data that took no part, by "
                       "'basin train --config ");
    bs_put_word(t->o->folder, &text);
    bs_buf_text(&text, "/best.config --seeds 5'.");
    out->failed = out->failed || text.failed;
    if (!out->failed)
        bs_page_say(out, "verdict", "%s", text.data);
    bs_buf_free(&text);
}

static bool paths_make(path p[3], int n)
{
    bool ok = true;
    for (int i = 0; i < 3; i++) {
        p[i] = (path){.x = bs_calloc((size_t)n + 1, sizeof(double)),
                      .y = bs_calloc((size_t)n + 1, sizeof(double)),
                      .best = bs_calloc((size_t)n + 1, sizeof(double))};
        ok = ok && p[i].x && p[i].y && p[i].best;
    }
    return ok;
}

static void paths_free(path p[3])
{
    for (int i = 0; i < 3; i++) {
        bs_free(p[i].x);
        bs_free(p[i].y);
        bs_free(p[i].best);
    }
}

void bs_tune_html(const bs_tuning *t, const bs_tune_findings *f, bs_buf *out)
{
    char title[BS_OPTION_TEXT + 64];
    path p[3];
    if (!paths_make(p, t->n)) {
        out->failed = true;
        paths_free(p);
        return;
    }
    bs_print(title, sizeof title, "Tuning %s", t->base.train.method);
    bs_page_begin(title, t->o->folder, out);
    verdict(t, f, out);
    summary(t, out);
    importance(t, f, out);
    bs_page_heading(2, "How it went", out);
    history(t, &p[0], out);
    curves(t, f, out);
    bs_page_heading(2, "Options", out);
    bs_page_grid_begin(out);
    for (int i = 0; i < t->space.n; i++)
        option_chart(t, f, i, p, out);
    bs_page_grid_end(out);
    trials(t, f, out);
    bs_page_end(out);
    paths_free(p);
}
