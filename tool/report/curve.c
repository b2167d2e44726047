/* curve.c -- charts of everything that metrics.jsonl has, over the epochs.
 *
 * For one run, related quantities share a chart; for several, every quantity has its own chart with
 * a line for each run. Several seeds give a line at the mean and a band from the lowest to the
 * highest. Quantities not named in the table here are drawn as well. */
#include <math.h>
#include <string.h>

#include "report/report.h"

enum { TOGETHER = 4, MOST_SERIES = 24, MOST_POINTS = 1 << 20 };

/* Quantities of training that share a chart; to add one: a row. `log`: by powers of ten. */
static const struct {
    const char *title, *name[TOGETHER];
    bool        log;
} panels[] = {
    {"loss of the net", {"loss_net", "cross_entropy", "cross_entropy_valid"}, false},
    {"loss of the energy", {"loss_energy"}, false},
    {"energies", {"energy_truth", "energy_output", "energy_samples"}, false},
    {"energy gap", {"energy_gap"}, false},
    {"norms of the gradients", {"grad_net", "grad_energy"}, true},
    {"soft scores on training rows", {"score_output", "score_augmented"}, false},
    {"learning rates", {"lr_net", "lr_energy"}, true},
};

static const struct {
    const char *name, *help;
} helps[] = {
#define DIAGNOSTIC(key, text) {#key, text},
#include "method/diagnostics.def"
#undef DIAGNOSTIC
    {"cross_entropy_valid", "the same of validation rows, without dropout; of searches, of what "
                            "they found"},
    {"lr_net", "learning rate of the net"},
    {"lr_energy", "learning rate of the energy"},
    {"energy_gap", "energy of what was found minus that of the truth"},
};

static const char *help_of(const char *name)
{
    for (size_t i = 0; i < sizeof helps / sizeof helps[0]; i++)
        if (strcmp(helps[i].name, name) == 0)
            return helps[i].help;
    return name;
}

/* ---- lines ---- */

/* A quantity of a group: mean, lowest and highest over its seeds at every epoch logged by any of
 * them. */
typedef struct {
    int     n;
    double *x, *mean, *lo, *hi;
} track;

static const double *values_of(const bs_history *h, const char *where, const char *name)
{
    for (int i = 0; i < h->curves; i++)
        if (strcmp(h->curve[i].name, name) == 0 && strcmp(h->curve[i].where, where) == 0)
            return h->curve[i].value;
    return NULL;
}

static int last_epoch(const bs_report_group *g)
{
    double last = 0;
    for (int i = 0; i < g->n; i++)
        for (int k = 0; k < g->run[i].history.n; k++)
            last = fmax(last, g->run[i].history.epoch[k]);
    return last < MOST_POINTS ? (int)last : MOST_POINTS;
}

/* Adds the values of one seed, epoch by epoch; mean holds a sum, count the seeds so far. */
static void add_seed(const bs_history *h, const double *value, int epochs, track *t, int *count,
                     bool *logged)
{
    for (int k = 0; k < h->n; k++) {
        const int at = (int)h->epoch[k] - 1;
        if (at < 0 || at >= epochs)
            continue;
        logged[at] = true;
        if (!value || !isfinite(value[k]))
            continue;
        t->mean[at] += value[k];
        t->lo[at] = count[at] ? fmin(t->lo[at], value[k]) : value[k];
        t->hi[at] = count[at] ? fmax(t->hi[at], value[k]) : value[k];
        count[at]++;
    }
}

static bool track_make(bs_arena *arena, const bs_report_group *g, const char *where,
                       const char *name, track *t)
{
    const int    epochs = last_epoch(g);
    const size_t room = (size_t)epochs + 1;
    int         *count = bs_arena_alloc(arena, room * sizeof *count);
    bool        *logged = bs_arena_alloc(arena, room);
    *t = (track){.x = bs_arena_alloc(arena, room * sizeof(double)),
                 .mean = bs_arena_alloc(arena, room * sizeof(double)),
                 .lo = bs_arena_alloc(arena, room * sizeof(double)),
                 .hi = bs_arena_alloc(arena, room * sizeof(double))};
    if (!count || !logged || !t->x || !t->mean || !t->lo || !t->hi)
        return false;
    for (int i = 0; i < g->n; i++) {
        const bs_history *h = &g->run[i].history;
        add_seed(h, values_of(h, where, name), epochs, t, count, logged);
    }
    for (int k = 0; k < epochs; k++) {
        if (!logged[k])
            continue;
        t->x[t->n] = k + 1;
        t->mean[t->n] = count[k] ? t->mean[k] / count[k] : (double)NAN;
        t->lo[t->n] = count[k] ? t->lo[k] : (double)NAN;
        t->hi[t->n] = count[k] ? t->hi[k] : (double)NAN;
        t->n++;
    }
    return true;
}

static bool is_there(const bs_report_group *g, const char *where, const char *name)
{
    for (int i = 0; i < g->n; i++)
        if (values_of(&g->run[i].history, where, name))
            return true;
    return false;
}

/* ---- charts ---- */

typedef struct {
    const bs_report *r;
    bs_buf          *page;
    bs_arena         arena; /* of one chart */
    bs_series        series[MOST_SERIES];
    int              n;
    bs_mark          mark[BS_REPORT_RUNS];
    char             word[BS_REPORT_RUNS][32];
    int              marks;
} drawing;

/* A run has the same colour in all charts, whatever others have logged. */
static int colour_of(const bs_report *r, const bs_report_group *g)
{
    return (int)(g - r->group) % BS_CHART_COLOURS + 1;
}

static basin_status add_line(drawing *d, const bs_report_group *g, const char *where,
                             const char *name, const char *shown, basin_error *err)
{
    track t;
    if (d->n == MOST_SERIES || !is_there(g, where, name))
        return BASIN_OK;
    if (!track_make(&d->arena, g, where, name, &t))
        return bs_fail_nomem(err);
    d->series[d->n++] = (bs_series){.name = shown,
                                    .x = t.x,
                                    .y = t.mean,
                                    .lo = g->n > 1 ? t.lo : NULL,
                                    .hi = g->n > 1 ? t.hi : NULL,
                                    .colour = d->r->n > 1 ? colour_of(d->r, g) : 0,
                                    .n = t.n};
    return BASIN_OK;
}

/* The epoch of the model; several seeds have several. */
static void add_marks(drawing *d)
{
    for (int i = 0; i < d->r->n; i++) {
        const bs_report_group *g = &d->r->group[i];
        if (g->n > 1 || g->run[0].history.best < 1)
            continue;
        bs_print(d->word[d->marks], sizeof d->word[0], d->r->n > 1 ? "%d" : "best: %d",
                 g->run[0].history.best);
        d->mark[d->marks] = (bs_mark){.x = g->run[0].history.best,
                                      .name = d->word[d->marks],
                                      .colour = d->r->n > 1 ? colour_of(d->r, g) : 0};
        d->marks++;
    }
}

static bool all_positive(const drawing *d)
{
    for (int s = 0; s < d->n; s++)
        for (int i = 0; i < d->series[s].n; i++)
            if (d->series[s].y[i] <= 0)
                return false;
    return true;
}

static void finish(drawing *d, const char *title, bool log)
{
    bs_chart_draw(&(bs_chart){.title = title,
                              .series = d->series,
                              .n = d->n,
                              .mark = d->mark,
                              .marks = d->marks,
                              .log_y = log && all_positive(d),
                              .x_name = "epoch"},
                  d->page);
    bs_arena_free(&d->arena);
    d->n = 0;
}

/* One quantity, for every run. */
static basin_status draw_one(drawing *d, const char *where, const char *name, const char *title,
                             bool log, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int i = 0; i < d->r->n && !s; i++)
        s = add_line(d, &d->r->group[i], where, name, d->r->group[i].name, err);
    if (!s)
        finish(d, title, log);
    return s;
}

/* Related quantities of one run. */
static basin_status draw_panel(drawing *d, int panel, basin_error *err)
{
    basin_status s = BASIN_OK;
    for (int i = 0; i < TOGETHER && panels[panel].name[i] && !s; i++) {
        const char *name = panels[panel].name[i];
        if (d->r->n > 1)
            s = draw_one(d, "", name, name, panels[panel].log, err);
        else
            s = add_line(d, &d->r->group[0], "", name, name, err);
    }
    if (!s && d->r->n == 1)
        finish(d, panels[panel].title, panels[panel].log);
    return s;
}

static bool in_panel(const char *name)
{
    for (size_t p = 0; p < sizeof panels / sizeof panels[0]; p++)
        for (int i = 0; i < TOGETHER && panels[p].name[i]; i++)
            if (strcmp(panels[p].name[i], name) == 0)
                return true;
    return false;
}

/* ---- the gap ---- */

/* E(found) - E(truth), which learning makes positive: not logged, but worth seeing. */
static basin_status add_gap(bs_report *r, bs_history *h, basin_error *err)
{
    const double *truth = values_of(h, "", "energy_truth");
    const double *found = values_of(h, "", "energy_output");
    if (!truth || (!found && !(found = values_of(h, "", "energy_samples"))) ||
        values_of(h, "", "energy_gap"))
        return BASIN_OK;
    double *gap = bs_arena_alloc(&r->arena, (size_t)h->n * sizeof *gap + 1);
    if (!gap)
        return bs_fail_nomem(err);
    for (int i = 0; i < h->n; i++)
        gap[i] = found[i] - truth[i];
    h->curve[h->curves++] = (bs_curve){.name = "energy_gap", .where = "", .value = gap};
    return BASIN_OK;
}

/* ---- values on validation rows ---- */

static const bs_metric *metric_of(const bs_task *k, const char *name)
{
    for (int i = 0; i < k->n_metrics; i++)
        if (strcmp(k->metric[i].name, name) == 0)
            return &k->metric[i];
    return NULL;
}

/* Shares that should grow share a chart. */
static bool is_score(const bs_task *k, const char *name)
{
    const bs_metric *m = metric_of(k, name);
    return m && m->higher && m->least == 0 && m->greatest == 1;
}

/* Quantities in the order of the first run, skipping those already drawn. */
static basin_status draw_all(drawing *d, bool training, basin_error *err)
{
    const bs_report *r = d->r;
    basin_status     s = BASIN_OK;
    for (int i = 0; i < r->n && !s; i++) {
        const bs_history *h = &r->group[i].run[0].history;
        for (int c = 0; c < h->curves && !s; c++) {
            const bs_curve *v = &h->curve[c];
            bool            had = false;
            char            title[128];
            for (int j = 0; j < i; j++)
                had = had || is_there(&r->group[j], v->where, v->name);
            if (had || training != !*v->where)
                continue;
            if (training ? in_panel(v->name) : r->n == 1 && is_score(r->group[0].task, v->name))
                continue;
            bs_print(title, sizeof title, "%s%s%s", v->where, *v->where ? ": " : "", v->name);
            s = draw_one(d, v->where, v->name, title, false, err);
        }
    }
    return s;
}

static basin_status draw_scores(drawing *d, basin_error *err)
{
    const bs_report_group *g = &d->r->group[0];
    const bs_history      *h = &g->run[0].history;
    basin_status           s = BASIN_OK;
    for (int c = 0; c < h->curves && !s; c++) {
        const char *where = h->curve[c].where;
        bool        first = *where != '\0';
        char        title[128];
        for (int k = 0; k < c; k++)
            first = first && strcmp(h->curve[k].where, where) != 0;
        if (!first)
            continue;
        for (int k = c; k < h->curves && !s; k++)
            if (strcmp(h->curve[k].where, where) == 0 && is_score(g->task, h->curve[k].name))
                s = add_line(d, g, where, h->curve[k].name, h->curve[k].name, err);
        bs_print(title, sizeof title, "scores on %s rows",
                 strcmp(where, "valid") == 0 ? "validation" : where);
        if (!s)
            finish(d, title, false);
    }
    return s;
}

/* ---- the section ---- */

static void explain(const bs_report *r, bs_buf *page)
{
    const bs_report_group *g = &r->group[0];
    bool                   seeds = false, marked = false;
    for (int i = 0; i < r->n; i++) {
        seeds = seeds || r->group[i].n > 1;
        marked = marked || (r->group[i].n == 1 && r->group[i].run[0].history.best > 0);
    }
    bs_page_say(page, "quiet",
                "Means over an epoch of what metrics.jsonl holds, and scores of the validation "
                "%s%s.%s%s",
                g->task->unit, g->task->tunes ? " at a threshold of 0.5" : "",
                marked ? " The dashed line marks the epoch of the model." : "",
                seeds ? " For several seeds: the mean, and a band from the lowest to the highest "
                        "of those that got this far."
                      : "");
    if (r->n == 1 && g->run[0].history.phases > 1) {
        bs_buf text;
        bs_buf_init(&text, 1 << 14);
        for (int i = 0; i < g->run[0].history.phases; i++)
            bs_buf_printf(&text, "%s%s from epoch %.0f", i ? "; " : "",
                          g->run[0].history.phase[i].name, g->run[0].history.phase[i].epoch);
        if (!text.failed)
            bs_page_say(page, "quiet", "Phases: %s.", text.data);
        bs_buf_free(&text);
    }
}

static void list_names(const bs_report *r, bs_buf *page)
{
    const bs_history *h = &r->group[0].run[0].history;
    bs_page_details_begin("What the names mean", false, page);
    bs_page_list_begin(page);
    for (int c = 0; c < h->curves; c++) {
        const bs_metric *m = metric_of(r->group[0].task, h->curve[c].name);
        bs_page_item(page, h->curve[c].name, "%s",
                     *h->curve[c].where && m ? m->help : help_of(h->curve[c].name));
    }
    bs_page_list_end(page);
    bs_page_details_end(page);
}

basin_status bs_report_curves(bs_report *r, bs_buf *page, basin_error *err)
{
    basin_status s = BASIN_OK;
    drawing     *d = bs_calloc(1, sizeof *d);
    if (!d)
        return bs_fail_nomem(err);
    d->r = r;
    d->page = page;
    bs_arena_init(&d->arena, 0);
    for (int i = 0; i < r->n && !s; i++)
        for (int k = 0; k < r->group[i].n && !s; k++)
            s = add_gap(r, &r->group[i].run[k].history, err);
    bs_page_heading(2, "Curves", page);
    explain(r, page);
    add_marks(d);
    bs_page_grid_begin(page);
    if (!s && r->n == 1)
        s = draw_scores(d, err);
    if (!s)
        s = draw_all(d, false, err);
    for (size_t p = 0; p < sizeof panels / sizeof panels[0] && !s; p++)
        s = draw_panel(d, (int)p, err);
    if (!s)
        s = draw_all(d, true, err);
    bs_page_grid_end(page);
    list_names(r, page);
    bs_arena_free(&d->arena);
    bs_free(d);
    return s;
}
