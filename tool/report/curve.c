/* curve.c -- charts of everything that metrics.jsonl has, over the epochs.
 *
 * For one run, related quantities share a chart; for several, every quantity has its own chart with
 * a line for each run. Several seeds give a line at the mean and a band from the lowest to the
 * highest. Quantities not named in the table here are drawn as well. */
#include <math.h>
#include <string.h>

#include "report/report.h"

enum { TOGETHER = 4, MOST_SERIES = 24, MOST_QUANTITIES = 512, MOST_POINTS = 1 << 20 };

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
#define DIAGNOSTIC(key, least, most, text) {#key, text},
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
        add_seed(h, bs_history_find(h, where, name), epochs, t, count, logged);
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

/* ---- the gap ---- */

/* E(found) - E(truth), which learning makes positive: not logged, but worth seeing. */
static basin_status add_gap(bs_report *r, bs_history *h, basin_error *err)
{
    const double *truth = bs_history_find(h, "", "energy_truth");
    const double *found = bs_history_find(h, "", "energy_output");
    if (!truth || (!found && !(found = bs_history_find(h, "", "energy_samples"))) ||
        bs_history_find(h, "", "energy_gap"))
        return BASIN_OK;
    double *gap = bs_arena_alloc(&r->arena, (size_t)h->n * sizeof *gap + 1);
    if (!gap)
        return bs_fail_nomem(err);
    for (int i = 0; i < h->n; i++)
        gap[i] = found[i] - truth[i];
    h->curve[h->curves++] = (bs_curve){.name = "energy_gap", .where = "", .value = gap};
    return BASIN_OK;
}

/* ---- what is drawn ---- */

/* For one run, neighbours with the same title share a chart. */
typedef struct {
    const char *where, *name;
    char        title[128]; /* of the chart of one run */
    int         rank;       /* order of drawing */
    bool        log;
} quantity;

static const bs_metric *metric_of(const bs_task *k, const char *name)
{
    for (int i = 0; i < k->n_metrics; i++)
        if (strcmp(k->metric[i].name, name) == 0)
            return &k->metric[i];
    return NULL;
}

/* Scores of an evaluation share a chart, other values of it have their own; then come those of
 * training that have a panel, and the others. */
static quantity describe(const bs_task *k, const bs_curve *c)
{
    enum { SCORES, EVALUATED, PANELS, OTHERS = 1000 };
    const bs_metric *m = *c->where ? metric_of(k, c->name) : NULL;
    quantity         q = {.where = c->where, .name = c->name, .rank = OTHERS};
    bs_print(q.title, sizeof q.title, "%s%s%s", c->where, *c->where ? ": " : "", c->name);
    if (*c->where)
        q.rank = EVALUATED;
    if (m && m->higher && m->least == 0 && m->greatest == 1) {
        q.rank = SCORES;
        bs_print(q.title, sizeof q.title, "scores on %s rows",
                 strcmp(c->where, "valid") == 0 ? "validation" : c->where);
    }
    for (int at = 0; !*c->where && at < (int)(TOGETHER * sizeof panels / sizeof panels[0]); at++) {
        const char *name = panels[at / TOGETHER].name[at % TOGETHER];
        if (!name || strcmp(name, c->name) != 0)
            continue;
        q.rank = PANELS + at;
        q.log = panels[at / TOGETHER].log;
        bs_print(q.title, sizeof q.title, "%s", panels[at / TOGETHER].title);
    }
    return q;
}

static bool same(const quantity *q, const bs_curve *c)
{
    return strcmp(q->name, c->name) == 0 && strcmp(q->where, c->where) == 0;
}

/* Everything that a run has logged, by rank. */
static int collect(const bs_report *r, quantity *out)
{
    int n = 0;
    for (int i = 0; i < r->n; i++)
        for (int c = 0; c < r->group[i].run[0].history.curves && n < MOST_QUANTITIES; c++) {
            const bs_curve *v = &r->group[i].run[0].history.curve[c];
            const quantity  q = describe(r->group[0].task, v);
            int             at = 0;
            while (at < n && !same(&out[at], v))
                at++;
            if (at < n)
                continue;
            for (at = n++; at > 0 && out[at - 1].rank > q.rank; at--)
                out[at] = out[at - 1];
            out[at] = q;
        }
    return n;
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
    quantity         quantity[MOST_QUANTITIES];
} drawing;

/* A run has the same colour in all charts, whatever others have logged. */
static int colour_of(const bs_report *r, const bs_report_group *g)
{
    return r->n > 1 ? (int)(g - r->group) % BS_CHART_COLOURS + 1 : 0;
}

static basin_status add_line(drawing *d, const bs_report_group *g, const quantity *q,
                             basin_error *err)
{
    bool  there = false;
    track t;
    for (int i = 0; i < g->n; i++)
        there = there || bs_history_find(&g->run[i].history, q->where, q->name);
    if (d->n == MOST_SERIES || !there)
        return BASIN_OK;
    if (!track_make(&d->arena, g, q->where, q->name, &t))
        return bs_fail_nomem(err);
    d->series[d->n++] = (bs_series){.name = d->r->n > 1 ? g->name : q->name,
                                    .x = t.x,
                                    .y = t.mean,
                                    .lo = g->n > 1 ? t.lo : NULL,
                                    .hi = g->n > 1 ? t.hi : NULL,
                                    .colour = colour_of(d->r, g),
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
        d->mark[d->marks] = (bs_mark){
            .x = g->run[0].history.best, .name = d->word[d->marks], .colour = colour_of(d->r, g)};
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

/* Quantities from .. end - 1 in one chart. */
static basin_status draw_chart(drawing *d, int from, int end, basin_error *err)
{
    const quantity *q = &d->quantity[from];
    char            alone[256];
    basin_status    s = BASIN_OK;
    d->n = 0;
    for (int k = from; k < end; k++)
        for (int i = 0; i < d->r->n && !s; i++)
            s = add_line(d, &d->r->group[i], &d->quantity[k], err);
    bs_print(alone, sizeof alone, "%s%s%s", q->where, *q->where ? ": " : "", q->name);
    if (!s)
        bs_chart_draw(&(bs_chart){.title = d->r->n > 1 ? alone : q->title,
                                  .series = d->series,
                                  .n = d->n,
                                  .mark = d->mark,
                                  .marks = d->marks,
                                  .log_y = q->log && all_positive(d),
                                  .x_name = "epoch"},
                      d->page);
    bs_arena_free(&d->arena);
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
    bs_doc            d = {.page = page};
    bs_page_details_begin("What the names mean", false, page);
    bs_doc_list_begin(&d);
    for (int c = 0; c < h->curves; c++) {
        const bs_metric *m = metric_of(r->group[0].task, h->curve[c].name);
        bs_doc_item(&d, h->curve[c].name, "%s",
                    *h->curve[c].where && m ? m->help : help_of(h->curve[c].name));
    }
    bs_doc_list_end(&d);
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
    const int n = collect(r, d->quantity);
    for (int from = 0, end; from < n && !s; from = end) {
        for (end = from + 1; end < n && r->n == 1; end++)
            if (strcmp(d->quantity[end].title, d->quantity[from].title) != 0)
                break;
        s = draw_chart(d, from, end, err);
    }
    bs_page_grid_end(page);
    list_names(r, page);
    bs_free(d);
    return s;
}
