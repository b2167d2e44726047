/* score.c -- tables of metrics: for one run, or for several and their differences. */
#include <math.h>
#include <string.h>

#include "report/report.h"
#include "tasks/tasks.h"

bs_form bs_report_form(const bs_task *k, int metric)
{
    const bs_metric *m = &k->metric[metric];
    for (int i = 0; i < BS_SHOWN && k->shown[i].heading; i++)
        if (k->shown[i].metric == metric && !k->shown[i].percent)
            return (bs_form){1, k->shown[i].digits, ""};
    if (m->least == 0 && m->greatest == 1)
        return (bs_form){100, 2, " %"};
    return (bs_form){1, 3, ""};
}

static const char *cut_name(const bs_task *k, int cut)
{
    return !k->tunes ? "value" : cut == BS_AT_HALF ? "threshold 0.5" : "tuned threshold";
}

static bs_cell cell_of(const bs_task *k, int metric, double v)
{
    const bs_form f = bs_report_form(k, metric);
    bs_cell       c = bs_cell_number(v, f.digits);
    c.kind = f.scale > 1 ? BS_CELL_PERCENT : BS_CELL_NUMBER;
    return c;
}

/* Metrics of scores are the same at any threshold. */
static bool differs(const bs_task *k, int cut, int metric)
{
    return cut == BS_AT_HALF || k->metric[metric].decided;
}

static bs_cell value_cell(const bs_report_group *g, int cut, int metric)
{
    double mean, sd;
    cut = differs(g->task, cut, metric) ? cut : BS_AT_HALF;
    if (!g->judged)
        return bs_cell_number(NAN, 0);
    bs_report_spread(g, cut, metric, &mean, &sd);
    bs_cell c = cell_of(g->task, metric, mean);
    c.spread = sd;
    c.lo = g->interval[cut][metric].lo;
    c.hi = g->interval[cut][metric].hi;
    return c;
}

/* Columns for the metrics that the task's tables show, after `n` others. */
static int shown_columns(const bs_task *k, bs_column *column, int n)
{
    for (int i = 0; i < BS_SHOWN && k->shown[i].heading; i++)
        column[n++] = (bs_column){.name = k->metric[k->shown[i].metric].name,
                                  .help = k->metric[k->shown[i].metric].help};
    return n;
}

/* ---- one run ---- */

/* All metrics, on the evaluated part and as the model recorded them when it was trained: on the
 * validation part, and without the rows on the test part, too. */
static void one_run(const bs_report_group *g, bs_doc *d)
{
    const bs_task    *k = g->task;
    const int         cuts = bs_report_cuts(g);
    const bool        test = g->judged && strcmp(g->part_name, "test") == 0;
    const char *const part[] = {g->judged ? g->part_name : "validation",
                                g->judged ? "validation" : "test"};
    const int parts = !g->judged || test ? 2 : 1;
    bs_column column[1 + 2 * BS_CUTS] = {{.name = "metric", .text = true}};
    for (int i = 0; i < parts * cuts; i++)
        column[1 + i] = (bs_column){
            .name = cut_name(k, i % cuts), .group = part[i / cuts], .first = i % cuts == 0};
    bs_doc_table(d, NULL, column, 1 + parts * cuts, BS_TABLE_SORTED);
    for (int i = 0; i < k->n_metrics; i++) {
        bs_cell row[1 + 2 * BS_CUTS] = {bs_cell_name(k->metric[i].name)};
        char    after[32];
        bs_print(after, sizeof after, "%s%s", bs_report_form(k, i).unit,
                 k->metric[i].higher ? "" : " lower is better");
        row[0].help = k->metric[i].help;
        row[0].after = after;
        for (int c = 0; c < parts * cuts; c++)
            row[1 + c] =
                g->judged && c < cuts
                    ? value_cell(g, c, i)
                    : cell_of(k, i, bs_report_card_mean(g, g->judged ? 0 : c / cuts, c % cuts, i));
        bs_doc_row(d, row, 1 + parts * cuts);
    }
    bs_doc_table_end(d);
}

/* ---- several runs ---- */

static void all_runs(const bs_report *r, int cut, bs_doc *d)
{
    const bs_task *k = r->group[0].task;
    bs_column      column[1 + BS_SHOWN] = {{.name = "run", .text = true}};
    const int      n = shown_columns(k, column, 1);
    if (k->tunes)
        bs_doc_heading(d, 3, cut_name(k, cut));
    bs_doc_table(d, NULL, column, n, BS_TABLE_SORTED);
    for (int i = 0; i < r->n; i++) {
        bs_cell row[1 + BS_SHOWN] = {bs_cell_name(r->group[i].name)};
        for (int m = 1; m < n; m++)
            row[m] = value_cell(&r->group[i], cut, k->shown[m - 1].metric);
        bs_doc_row(d, row, n);
    }
    bs_doc_table_end(d);
}

static void difference_row(const bs_report_group *g, int cut, int metric, bs_doc *d)
{
    const bs_task              *k = g->task;
    const bs_comparison_result *v = &g->verdict[cut];
    const bs_form               f = bs_report_form(k, metric);
    bs_cell                     c[3];
    if (isnan(v->bootstrap[metric].difference))
        return;
    bs_paired_cells(&k->metric[metric], f.scale, f.digits, &v->bootstrap[metric],
                    v->randomisation[metric].p, c);
    BS_ROW(d, bs_cell_name(g->name), bs_cell_text(k->metric[metric].name),
           bs_cell_text(k->metric[metric].decided ? cut_name(k, cut) : "by scores"), c[0], c[1],
           c[2]);
}

static void differences(const bs_report *r, bs_doc *d)
{
    const bs_task  *k = r->group[0].task;
    const bs_column column[] = {
        {.name = "run", .text = true, .key = "run"},
        {.name = "metric", .text = true, .key = "metric"},
        {.name = "threshold",
         .text = true,
         .only = k->tunes ? 0 : BS_COLUMN_JSON,
         .key = "threshold"},
        {.name = "difference", .key = "difference"},
        {.name = "p boot", .help = "bootstrap over rows and seeds", .key = "p_bootstrap"},
        {.name = "p rand", .help = "approximate randomisation", .key = "p_randomisation"}};
    int  compared = 0;
    char title[BS_OPTION_TEXT];
    for (int i = 1; i < r->n; i++)
        compared += r->group[i].compared;
    if (compared == 0)
        return;
    bs_print(title, sizeof title, "Differences against %.900s", r->group[0].name);
    bs_doc_heading(d, 3, title);
    BS_TABLE(d, "differences", column, BS_TABLE_SORTED);
    for (int i = 1; i < r->n; i++)
        for (int m = 0; r->group[i].compared && m < BS_SHOWN && k->shown[m].heading; m++)
            for (int cut = 0; cut < bs_report_cuts(&r->group[i]); cut++)
                if (differs(k, cut, k->shown[m].metric))
                    difference_row(&r->group[i], cut, k->shown[m].metric, d);
    bs_doc_table_end(d);
    bs_page_say(d->page, "quiet",
                "On the same %d %s, two-sided p values with %d replicates, not corrected for the "
                "number of runs and metrics: p boot by a bootstrap over %s and seeds, as the 95 %% "
                "interval, p rand by approximate randomisation of %s, for these very trainings. "
                "Coloured where both p are below 0.05.",
                (int)r->group[0].part->rows, k->unit, r->group[0].replicates, k->unit, k->unit);
}

/* The deciding metric, for every seed. */
static void draw_runs(const bs_report *r, bs_buf *page)
{
    const bs_task *k = r->group[0].task;
    int            cut;
    const int      deciding = bs_report_deciding(&r->group[0], &cut);
    const bs_form  f = bs_report_form(k, deciding);
    bs_seed_dot   *dot = bs_calloc(BS_REPORT_RUNS * BS_REPORT_SEEDS, sizeof *dot);
    bs_strip       strip[BS_REPORT_RUNS];
    char           title[160];
    if (!dot) {
        page->failed = true;
        return;
    }
    for (int i = 0; i < r->n; i++) {
        const bs_report_group *g = &r->group[i];
        bs_seed_dot           *own = dot + i * BS_REPORT_SEEDS;
        strip[i] = (bs_strip){.name = g->name, .dot = own};
        for (int s = 0; s < g->n && g->judged; s++)
            if (g->run[s].model)
                own[strip[i].n++] = (bs_seed_dot){f.scale * g->run[s].value[cut][deciding],
                                                  g->run[s].settings.train.seed};
        if (g->judged) {
            strip[i].lo = f.scale * g->interval[cut][deciding].lo;
            strip[i].hi = f.scale * g->interval[cut][deciding].hi;
        }
    }
    bs_print(title, sizeof title, "%s%s, %s", k->metric[deciding].name, f.unit,
             k->tunes ? cut_name(k, cut) : "every seed");
    bs_strips_draw(&(bs_strips){.title = title,
                                .strip = strip,
                                .n = r->n,
                                .line = NAN,
                                .width = 720,
                                .digits = f.digits},
                   page);
    bs_page_say(page, "quiet", "A dot is a seed, the bar their mean with its 95 %% interval.");
    bs_free(dot);
}

/* Baselines beside the model, at its own threshold. */
static void baselines(const bs_report_group *g, bs_doc *d)
{
    const bs_task *k = g->task;
    bs_column      column[3 + BS_SHOWN] = {{.name = "baseline", .text = true, .key = "baseline"}};
    int            cut, n = shown_columns(k, column, 1);
    const int      deciding = bs_report_deciding(g, &cut);
    for (int i = 1; i < n; i++) {
        column[i].key = column[i].name;
        column[i].only = k->shown[i - 1].metric == deciding ? 0 : BS_COLUMN_PAGE;
    }
    column[n++] = (bs_column){.name = "better by",
                              .help = "how much better the model is, by the metric that counts",
                              .key = "better_by"};
    column[n++] = (bs_column){.name = "p", .key = "p"};
    bs_doc_heading(d, 3, "Baselines");
    bs_doc_table(d, "baselines", column, n, 0);
    for (int b = 0; b < BS_BASES; b++) {
        const bs_baseline *base = &g->base[b];
        const double       by = (k->metric[deciding].higher ? 1 : -1) * base->better.difference;
        bs_cell            row[3 + BS_SHOWN];
        if (!base->name || !base->measured)
            continue;
        row[0] = bs_cell_name(base->name);
        for (int i = 1; i < n - 2; i++)
            row[i] = cell_of(k, k->shown[i - 1].metric, base->value[k->shown[i - 1].metric]);
        row[n - 2] = cell_of(k, deciding, by);
        row[n - 2].as = base->better.p >= 0.05 ? "" : by > 0 ? "better" : "worse";
        row[n - 1] = bs_cell_number(base->better.p, 3);
        bs_doc_row(d, row, n);
    }
    bs_doc_table_end(d);
    bs_page_say(
        d->page, "quiet",
        "Learnt from the same training %s%s, measured on the same %s %s%s. p by a bootstrap "
        "over %s%s.",
        k->unit, k->tunes ? ", with a threshold chosen on validation rows as the model's" : "",
        g->part_name, k->unit, bs_tool_of(g->task)->report->base_note, k->unit,
        g->models > 1 ? " and seeds" : "");
}

/* ---- the section ---- */

/* A terminal gets the lines that 'basin eval' prints instead of all metrics. */
static void metric_rows(const bs_report *r, bs_buf *out)
{
    bool header = false;
    for (int i = 0; i < r->n; i++) {
        const bs_report_group *g = &r->group[i];
        double                 value[BS_MOST_METRICS], sd;
        const int              cut = bs_report_cuts(g) - 1;
        if (!g->judged)
            continue;
        if (!header)
            bs_metric_header(g->task, out);
        header = true;
        const bs_preprocess *known = &g->run[g->shown].model->known;
        for (int m = 0; m < g->task->n_metrics; m++)
            bs_report_spread(g, differs(g->task, cut, m) ? cut : BS_AT_HALF, m, &value[m], &sd);
        const bs_interval *v = &g->interval[cut][known->deciding];
        bs_metric_row(g->task, known, g->name, value, (v->hi - v->lo) / 2, out);
    }
}

static void unjudged(const bs_report *r, bs_doc *page)
{
    for (int i = 0; i < r->n; i++) {
        if (r->n > 1)
            bs_doc_heading(page, 3, r->group[i].name);
        if (!r->group[i].run[r->group[i].shown].model) {
            bs_doc_say(page, "quiet", "There is no model yet; see the curves.");
            continue;
        }
        bs_doc_say(page, "note",
                   "These are the scores that the model had at the end of its training; without "
                   "the data there are no intervals and no examples.");
        one_run(&r->group[i], page);
    }
}

void bs_report_scores(const bs_report *r, bs_doc *d)
{
    const bs_report_group *g = &r->group[0];
    bs_doc                 page = {.page = d->page};
    bool                   any = false;
    for (int i = 0; i < r->n; i++)
        any = any || r->group[i].judged;
    bs_page_heading(2, "Scores", d->page);
    if (!any) {
        unjudged(r, &page);
        return;
    }
    if (d->text) {
        bs_buf_text(d->text, "\n");
        metric_rows(r, d->text);
    }
    if (r->n == 1)
        one_run(g, &page);
    else
        draw_runs(r, d->page);
    for (int cut = bs_report_cuts(g) - 1; cut >= 0 && r->n > 1; cut--)
        all_runs(r, cut, &page);
    if (r->n > 1)
        differences(r, d);
    bs_page_say(d->page, "quiet",
                "In brackets: 95 %% intervals by bootstrap over %s, %d replicates%s.%s%s%s",
                g->task->unit, g->replicates,
                g->n > 1 ? ", of the mean over seeds; \xC2\xB1 is the standard deviation over seeds"
                         : "",
                g->task->tunes ? " The threshold was tuned on validation rows. Conventions: " : "",
                g->task->tunes ? g->run[0].settings.train.profile : "", g->task->tunes ? "." : "");
    for (int i = 0; i < r->n; i++)
        if (r->group[i].base[BS_BASE_TRIVIAL].measured)
            baselines(&r->group[i], d);
}
