/* score.c -- tables of metrics: for one run, or for several and their differences. */
#include <math.h>
#include <string.h>

#include "report/report.h"
#include "doc/chart.h"
#include "doc/page.h"
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

/* Metrics of scores are the same at any threshold. */
static bool differs(const bs_task *k, int cut, int metric)
{
    return cut == BS_AT_HALF || k->metric[metric].decided;
}

static void range(const bs_interval *v, const bs_form *f, bs_buf *out)
{
    char a[BS_FIXED_TEXT], b[BS_FIXED_TEXT];
    if (isfinite(v->lo) && isfinite(v->hi))
        bs_buf_printf(out, " <span class=\"range\">[%s, %s]</span>",
                      bs_fixed(f->scale * v->lo, f->digits, a),
                      bs_fixed(f->scale * v->hi, f->digits, b));
}

static void value_cell(const bs_report_group *g, int cut, int metric, const char *kind, bs_buf *out)
{
    const bs_form f = bs_report_form(g->task, metric);
    double        mean, sd;
    char          text[BS_FIXED_TEXT];
    bs_report_spread(g, cut, metric, &mean, &sd);
    if (!g->judged || isnan(mean)) {
        bs_page_number_as(kind, NAN, 0, out);
        return;
    }
    bs_page_cell_begin(kind, f.scale * mean, out);
    bs_buf_text(out, bs_fixed(f.scale * mean, f.digits, text));
    if (isfinite(sd))
        bs_buf_printf(out, " &plusmn; %s", bs_fixed(f.scale * sd, f.digits, text));
    range(&g->interval[cut][metric], &f, out);
    bs_page_cell_end(out);
}

/* ---- one run ---- */

static void metric_name(const bs_task *k, int metric, bs_buf *out)
{
    const bs_metric *m = &k->metric[metric];
    bs_buf_text(out, "<td class=\"name\" title=\"");
    bs_page_escape(m->help, out);
    bs_buf_text(out, "\">");
    bs_page_escape(m->name, out);
    bs_buf_printf(out, " <span class=\"tag\">%s%s</span></td>", bs_report_form(k, metric).unit,
                  m->higher ? "" : " lower is better");
}

static void one_run(const bs_report_group *g, bs_buf *out)
{
    const bs_task *k = g->task;
    const int      cuts = bs_report_cuts(g);
    const bool     test = g->judged && strcmp(g->part_name, "test") == 0;
    bs_column      column[1 + 2 * BS_CUTS] = {{.name = "metric", .text = true}};
    int            n = 1;
    for (int cut = 0; cut < cuts; cut++)
        column[n++] =
            (bs_column){.name = cut_name(k, cut), .group = g->part_name, .first = cut == 0};
    for (int cut = 0; cut < cuts && test; cut++)
        column[n++] =
            (bs_column){.name = cut_name(k, cut), .group = "validation", .first = cut == 0};
    bs_page_table_begin(column, n, BS_TABLE_SORTED, out);
    for (int i = 0; i < k->n_metrics; i++) {
        const bs_form f = bs_report_form(k, i);
        bs_page_row_begin(out);
        metric_name(k, i, out);
        for (int cut = 0; cut < cuts; cut++)
            value_cell(g, differs(k, cut, i) ? cut : BS_AT_HALF, i, cut ? "" : "first", out);
        for (int cut = 0; cut < cuts && test; cut++)
            bs_page_number_as(cut ? "" : "first", f.scale * bs_report_card_mean(g, 0, cut, i),
                              f.digits, out);
        bs_page_row_end(out);
    }
    bs_page_table_end(out);
}

/* Without the rows, what the model records about itself. */
static void from_card(const bs_report_group *g, bs_buf *out)
{
    static const char *const part[] = {"validation", "test"};
    const bs_task           *k = g->task;
    const int                cuts = bs_report_cuts(g);
    bs_column                column[1 + 2 * BS_CUTS] = {{.name = "metric", .text = true}};
    int                      n = 1;
    for (int i = 0; i < 2 * cuts; i++)
        column[n++] = (bs_column){
            .name = cut_name(k, i % cuts), .group = part[i / cuts], .first = i % cuts == 0};
    bs_page_say(out, "note",
                "These are the scores that the model had at the end of its training; without the "
                "data there are no intervals and no examples.");
    bs_page_table_begin(column, n, BS_TABLE_SORTED, out);
    for (int i = 0; i < k->n_metrics; i++) {
        const bs_form f = bs_report_form(k, i);
        bs_page_row_begin(out);
        metric_name(k, i, out);
        for (int c = 0; c < 2 * cuts; c++)
            bs_page_number_as(c % cuts ? "" : "first",
                              f.scale * bs_report_card_mean(g, c / cuts, c % cuts, i), f.digits,
                              out);
        bs_page_row_end(out);
    }
    bs_page_table_end(out);
}

/* ---- several runs ---- */

static void all_runs(const bs_report *r, int cut, bs_buf *out)
{
    const bs_task *k = r->group[0].task;
    bs_column      column[1 + BS_SHOWN] = {{.name = "run", .text = true}};
    int            n = 1;
    for (int i = 0; i < BS_SHOWN && k->shown[i].heading; i++)
        column[n++] = (bs_column){.name = k->metric[k->shown[i].metric].name,
                                  .help = k->metric[k->shown[i].metric].help};
    if (k->tunes)
        bs_page_heading(3, cut_name(k, cut), out);
    bs_page_table_begin(column, n, BS_TABLE_SORTED, out);
    for (int i = 0; i < r->n; i++) {
        bs_page_row_begin(out);
        bs_page_name(r->group[i].name, out);
        for (int m = 0; m < BS_SHOWN && k->shown[m].heading; m++) {
            const int metric = k->shown[m].metric;
            value_cell(&r->group[i], differs(k, cut, metric) ? cut : BS_AT_HALF, metric, "", out);
        }
        bs_page_row_end(out);
    }
    bs_page_table_end(out);
}

static void difference_row(const bs_report_group *g, int cut, int metric, bs_buf *out)
{
    const bs_task   *k = g->task;
    const bs_paired *b = &g->verdict[cut].bootstrap[metric];
    const double     p = g->verdict[cut].randomisation[metric].p;
    const bs_form    f = bs_report_form(k, metric);
    const bool       sure = b->p < 0.05 && !(p >= 0.05);
    const bool       up = (b->difference > 0) == k->metric[metric].higher;
    char             text[BS_FIXED_TEXT], lo[BS_FIXED_TEXT], hi[BS_FIXED_TEXT];
    if (isnan(b->difference))
        return;
    bs_page_row_begin(out);
    bs_page_name(g->name, out);
    bs_page_cell(k->metric[metric].name, out);
    if (k->tunes)
        bs_page_cell(k->metric[metric].decided ? cut_name(k, cut) : "by scores", out);
    bs_page_cell_begin(!sure ? "" : up ? "better" : "worse", f.scale * b->difference, out);
    bs_buf_printf(out, "%s%s <span class=\"range\">[%s, %s]</span>", b->difference > 0 ? "+" : "",
                  bs_fixed(f.scale * b->difference, f.digits, text),
                  bs_fixed(f.scale * b->lo, f.digits, lo), bs_fixed(f.scale * b->hi, f.digits, hi));
    bs_page_cell_end(out);
    bs_page_number(b->p, 3, out);
    bs_page_number(p, 3, out);
    bs_page_row_end(out);
}

static void differences(const bs_report *r, bs_buf *out)
{
    const bs_task *k = r->group[0].task;
    bs_column      column[6] = {{.name = "run", .text = true}, {.name = "metric", .text = true}};
    int            n = 2, compared = 0;
    char           title[BS_OPTION_TEXT];
    for (int i = 1; i < r->n; i++)
        compared += r->group[i].compared;
    if (compared == 0)
        return;
    if (k->tunes)
        column[n++] = (bs_column){.name = "cut", .text = true};
    column[n++].name = "difference";
    column[n++] = (bs_column){.name = "p boot", .help = "bootstrap over rows and seeds"};
    column[n++] = (bs_column){.name = "p rand", .help = "approximate randomisation"};
    bs_print(title, sizeof title, "Differences against %.900s", r->group[0].name);
    bs_page_heading(3, title, out);
    bs_page_table_begin(column, n, BS_TABLE_SORTED, out);
    for (int i = 1; i < r->n; i++)
        for (int m = 0; r->group[i].compared && m < BS_SHOWN && k->shown[m].heading; m++)
            for (int cut = 0; cut < bs_report_cuts(&r->group[i]); cut++)
                if (differs(k, cut, k->shown[m].metric))
                    difference_row(&r->group[i], cut, k->shown[m].metric, out);
    bs_page_table_end(out);
    bs_page_say(out, "quiet",
                "On the same %d %s, two-sided p values with %d replicates, not corrected for the "
                "number of runs and metrics: p boot by a bootstrap over %s and seeds, as the 95 %% "
                "interval, p rand by approximate randomisation of %s, for these very trainings. "
                "Coloured where both p are below 0.05.",
                (int)r->group[0].part->rows, k->unit, r->group[0].replicates, k->unit, k->unit);
}

/* The deciding metric, for every seed. */
static void draw_runs(const bs_report *r, bs_buf *out)
{
    const bs_task *k = r->group[0].task;
    int            cut;
    const int      deciding = bs_report_deciding(&r->group[0], &cut);
    const bs_form  f = bs_report_form(k, deciding);
    double        *value = bs_calloc(BS_REPORT_RUNS * BS_REPORT_SEEDS, sizeof *value);
    bs_strip       strip[BS_REPORT_RUNS];
    char           title[160];
    if (!value) {
        out->failed = true;
        return;
    }
    for (int i = 0; i < r->n; i++) {
        const bs_report_group *g = &r->group[i];
        strip[i] = (bs_strip){.name = g->name, .value = value + i * BS_REPORT_SEEDS};
        for (int s = 0; s < g->n && g->judged; s++)
            if (g->run[s].model)
                value[i * BS_REPORT_SEEDS + strip[i].n++] =
                    f.scale * g->run[s].value[cut][deciding];
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
                   out);
    bs_page_say(out, "quiet", "A dot is a seed, the bar their mean with its 95 %% interval.");
    bs_free(value);
}

/* Baselines beside the model, at its own threshold. */
static void baselines(const bs_report_group *g, bs_buf *out)
{
    const bs_task *k = g->task;
    bs_column      column[2 + BS_SHOWN] = {{.name = "baseline", .text = true}};
    int            n = 1, cut;
    const int      deciding = bs_report_deciding(g, &cut);
    const bs_form  first = bs_report_form(k, deciding);
    for (int i = 0; i < BS_SHOWN && k->shown[i].heading; i++)
        column[n++] = (bs_column){.name = k->metric[k->shown[i].metric].name,
                                  .help = k->metric[k->shown[i].metric].help};
    column[n++] = (bs_column){.name = "better by",
                              .help = "how much better the model is, by the metric that counts"};
    bs_page_heading(3, "Baselines", out);
    bs_page_table_begin(column, n, 0, out);
    for (int b = 0; b < BS_BASES; b++) {
        const bs_baseline *base = &g->base[b];
        char               text[BS_FIXED_TEXT];
        if (!base->name || !base->measured)
            continue;
        bs_page_row_begin(out);
        bs_page_name(base->name, out);
        for (int i = 0; i < BS_SHOWN && k->shown[i].heading; i++) {
            const bs_form f = bs_report_form(k, k->shown[i].metric);
            bs_page_number(f.scale * base->value[k->shown[i].metric], f.digits, out);
        }
        const double by = (k->metric[deciding].higher ? 1 : -1) * base->better.difference;
        bs_page_cell_begin(base->better.p >= 0.05 ? "" : by > 0 ? "better" : "worse", by, out);
        bs_buf_printf(out, "%s <span class=\"range\">p ",
                      bs_fixed(first.scale * by, first.digits, text));
        bs_buf_printf(out, "%s</span>", bs_fixed(base->better.p, 3, text));
        bs_page_cell_end(out);
        bs_page_row_end(out);
    }
    bs_page_table_end(out);
    bs_page_say(
        out, "quiet",
        "Learnt from the same training %s%s, measured on the same %s %s%s. p by a bootstrap "
        "over %s%s.",
        k->unit, k->tunes ? ", with a threshold chosen on validation rows as the model's" : "",
        g->part_name, k->unit, bs_tool_of(g->task)->report->base_note, k->unit,
        g->models > 1 ? " and seeds" : "");
}

void bs_report_scores(const bs_report *r)
{
    const bs_report_group *g = &r->group[0];
    bool                   any = false;
    for (int i = 0; i < r->n; i++)
        any = any || r->group[i].judged;
    bs_page_heading(2, "Scores", r->out);
    if (!any) {
        for (int i = 0; i < r->n; i++) {
            if (r->n > 1)
                bs_page_heading(3, r->group[i].name, r->out);
            if (r->group[i].run[r->group[i].shown].model)
                from_card(&r->group[i], r->out);
            else
                bs_page_say(r->out, "quiet", "There is no model yet; see the curves.");
        }
        return;
    }
    if (r->n == 1) {
        one_run(g, r->out);
    } else {
        draw_runs(r, r->out);
        for (int cut = bs_report_cuts(g) - 1; cut >= 0; cut--)
            all_runs(r, cut, r->out);
        differences(r, r->out);
    }
    bs_page_say(r->out, "quiet",
                "In brackets: 95 %% intervals by bootstrap over %s, %d replicates%s.%s%s%s",
                g->task->unit, g->replicates,
                g->n > 1 ? ", of the mean over seeds; \xC2\xB1 is the standard deviation over seeds"
                         : "",
                g->task->tunes ? " The threshold was tuned on validation rows. Conventions: " : "",
                g->task->tunes ? g->run[0].settings.train.profile : "", g->task->tunes ? "." : "");
    for (int i = 0; i < r->n; i++)
        if (r->group[i].base[BS_BASE_TRIVIAL].measured)
            baselines(&r->group[i], r->out);
}
