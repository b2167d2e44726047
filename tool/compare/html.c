/* html.c -- a comparison as one self-contained HTML page.
 *
 * The table of the terminal with intervals, a dot plot (a dot per seed, a bar at the mean), and all
 * runs. Foreign text, such as file names and messages, is escaped. */
#include <math.h>
#include <string.h>

#include "compare/compare.h"
#include "doc/chart.h"
#include "doc/page.h"

static const char *cut_name(const bs_comparison *c, int cut)
{
    return bs_compare_cuts(c) == 1 ? "by scores"
           : cut == BS_AT_HALF     ? "threshold 0.5"
                                   : "tuned threshold";
}

/* ---- the table ---- */

static void table_head(const bs_comparison *c, bs_buf *out)
{
    const char *metric = c->rows->task->metric[c->metric].name;
    bs_column   column[1 + 4 * BS_CUTS + 4] = {{.name = "method", .text = true}};
    int         n = 1;
    char        speed[32];
    bs_print(speed, sizeof speed, "%s/s", c->rows->task->unit);
    for (int cut = 0; cut < bs_compare_cuts(c); cut++) {
        const char *group = cut_name(c, cut);
        column[n++] = (bs_column){.name = metric, .group = group, .first = true};
        column[n++] = (bs_column){.name = "difference", .group = group};
        column[n++] =
            (bs_column){.name = "p boot", .group = group, .help = "bootstrap over rows and seeds"};
        column[n++] =
            (bs_column){.name = "p rand", .group = group, .help = "approximate randomisation"};
    }
    const char *group = "effort and speed";
    column[n++] = (bs_column){.name = "epochs", .group = group, .first = true};
    column[n++] = (bs_column){.name = "train s", .group = group};
    column[n++] = (bs_column){.name = speed, .group = group};
    column[n++] = (bs_column){.name = "predict/s", .group = group};
    bs_page_table_begin(column, n, BS_TABLE_SORTED, out);
}

/* The method with the best mean; -1 if there is nothing to compare. */
static int best_method(const bs_comparison *c, int cut)
{
    int best, next;
    bs_compare_best(c, cut, &best, &next);
    return next < 0 ? -1 : best;
}

/* A difference is coloured if both tests find it. */
static void difference(const bs_comparison *c, const bs_comparison_result *v, bs_buf *out)
{
    const bs_paired *b = &v->bootstrap[c->metric];
    const double     scale = bs_compare_scale(c), p = v->randomisation[c->metric].p;
    const bool       sure = b->p < 0.05 && !(p >= 0.05);
    const bool       up = (b->difference > 0) == c->rows->task->metric[c->metric].higher;
    bs_page_cell_begin(!sure ? "" : up ? "better" : "worse", scale * b->difference, out);
    bs_buf_printf(out, "%+.2f <span class=\"range\">[%+.2f, %+.2f]</span>", scale * b->difference,
                  scale * b->lo, scale * b->hi);
    bs_page_cell_end(out);
    bs_page_number(b->p, 3, out);
    bs_page_number(p, 3, out);
}

static void value_cells(const bs_comparison *c, int method, int cut, bs_buf *out)
{
    const double scale = bs_compare_scale(c);
    double       mean, sd;
    bs_compare_spread(c, method, cut, &mean, &sd);
    bs_page_cell_begin(best_method(c, cut) == method ? "first best" : "first", scale * mean, out);
    bs_buf_printf(out, "%.2f", scale * mean);
    if (!isnan(sd))
        bs_buf_printf(out, " <span class=\"range\">&plusmn; %.2f</span>", scale * sd);
    bs_page_cell_end(out);
    if (c->method[method].judged) {
        difference(c, &c->method[method].verdict[cut], out);
        return;
    }
    for (int i = 0; i < 3; i++)
        bs_page_number(NAN, 0, out);
}

static void table_row(const bs_comparison *c, int method, bs_buf *out)
{
    const bs_compared *m = &c->method[method];
    const int          cuts = bs_compare_cuts(c);
    bs_page_row_begin(out);
    bs_buf_text(out, "<td class=\"name\">");
    bs_page_escape(m->name, out);
    bs_buf_printf(out, "%s</td>",
                  method == c->baseline ? " <span class=\"tag\">baseline</span>" : "");
    if (m->failure) {
        bs_buf_printf(out,
                      "<td class=\"failed first\" data-v=\"\" colspan=\"%d\">failed with seed "
                      "%d: ",
                      4 * cuts + 4, m->failed_seed);
        bs_page_escape(m->failure->msg, out);
        bs_page_cell_end(out);
        bs_page_row_end(out);
        return;
    }
    for (int cut = 0; cut < cuts; cut++)
        value_cells(c, method, cut, out);
    const bs_effort e = bs_compare_effort(c, method);
    bs_page_number_as("first", e.epochs, 0, out);
    bs_page_number(e.seconds, e.seconds < 10 ? 2 : 1, out);
    bs_page_number(e.train_rows_per_s, 0, out);
    bs_page_number(e.predict_rows_per_s, 0, out);
    bs_page_row_end(out);
}

/* ---- the plot ---- */

typedef struct {
    bs_strip strip[BS_COMPARE_METHODS];
    char     name[BS_COMPARE_METHODS][64];
    double  *value;     /* [methods, seeds] */
    char (*seed)[32];   /* the same */
    const char **label; /* the same */
} dots;

static bool dots_make(const bs_comparison *c, dots *d)
{
    const size_t n = (size_t)c->n * (size_t)c->seeds;
    d->value = bs_calloc(n, sizeof *d->value);
    d->seed = bs_calloc(n, sizeof *d->seed);
    d->label = bs_calloc(n, sizeof *d->label);
    return d->value && d->seed && d->label;
}

static void dots_free(dots *d)
{
    bs_free(d->value);
    bs_free(d->seed);
    bs_free(d->label);
    bs_free(d);
}

static void dots_fill(const bs_comparison *c, int cut, dots *d)
{
    for (int i = 0; i < c->n; i++) {
        const bool   failed = c->method[i].failure != NULL;
        const size_t at = (size_t)i * (size_t)c->seeds;
        bs_print(d->name[i], sizeof d->name[i], "%.48s%s", c->method[i].name,
                 failed ? " (failed)" : "");
        for (int k = 0; k < c->seeds && !failed; k++) {
            d->value[at + (size_t)k] =
                bs_compare_scale(c) * bs_compare_values(c, i, k, cut)[c->metric];
            bs_print(d->seed[at + (size_t)k], sizeof *d->seed, "seed %d",
                     c->method[i].settings.train.seed + k);
            d->label[at + (size_t)k] = d->seed[at + (size_t)k];
        }
        d->strip[i] = (bs_strip){.name = d->name[i],
                                 .value = d->value + at,
                                 .label = d->label + at,
                                 .n = failed ? 0 : c->seeds};
    }
}

/* All thresholds share one axis. */
static void widest(const dots *d, int n, double *lo, double *hi)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < d->strip[i].n; k++) {
            *lo = fmin(*lo, d->strip[i].value[k]);
            *hi = fmax(*hi, d->strip[i].value[k]);
        }
}

static void plot(const bs_comparison *c, bs_buf *out)
{
    dots  *d = bs_calloc(1, sizeof *d);
    double lo = INFINITY, hi = -INFINITY, mean, sd;
    if (!d || !dots_make(c, d)) {
        out->failed = true;
        if (d)
            dots_free(d);
        return;
    }
    for (int cut = 0; cut < bs_compare_cuts(c); cut++) {
        dots_fill(c, cut, d);
        widest(d, c->n, &lo, &hi);
    }
    const double margin = 0.05 * fmax(hi - lo, 1e-3 * fmax(fabs(hi), 1));
    const bool   some = isfinite(lo) && isfinite(hi);
    bs_page_grid_begin(out);
    for (int cut = 0; cut < bs_compare_cuts(c); cut++) {
        dots_fill(c, cut, d);
        bs_compare_spread(c, c->baseline, cut, &mean, &sd);
        bs_strips_draw(&(bs_strips){.title = cut_name(c, cut),
                                    .strip = d->strip,
                                    .n = c->n,
                                    .line = c->method[c->baseline].failure
                                                ? (double)NAN
                                                : bs_compare_scale(c) * mean,
                                    .lo = some ? lo - margin : 0,
                                    .hi = some ? hi + margin : 1,
                                    .digits = 2},
                       out);
    }
    bs_page_grid_end(out);
    dots_free(d);
}

/* ---- all runs ---- */

static void run_row(const bs_comparison *c, int method, int seed, bs_buf *out)
{
    const bs_train_outcome *o = &c->outcome[method * c->seeds + seed];
    const double            scale = bs_compare_scale(c);
    if (!c->run[method * c->seeds + seed].finished)
        return;
    bs_page_row_begin(out);
    bs_page_name(c->method[method].name, out);
    bs_page_count(c->method[method].settings.train.seed + seed, out);
    bs_page_count(o->epochs, out);
    bs_page_count(o->best_epoch, out);
    for (int cut = 0; cut < bs_compare_cuts(c); cut++)
        bs_page_number(scale * bs_compare_values(c, method, seed, cut)[c->metric], 2, out);
    char text[BS_THRESHOLD_TEXT];
    if (!bs_threshold_is_one(&o->threshold))
        bs_buf_printf(out, "<td data-v=\"\">%s</td>", bs_threshold_text(&o->threshold, text));
    else
        bs_page_number((double)o->threshold.global, 3, out);
    bs_page_count(o->params_net, out);
    bs_page_count(o->params_energy, out);
    bs_page_number(o->seconds, 1, out);
    bs_page_row_end(out);
}

static void all_runs(const bs_comparison *c, bs_buf *out)
{
    bs_column column[8 + BS_CUTS] = {
        {.name = "method", .text = true}, {.name = "seed"}, {.name = "epochs"}, {.name = "best"}};
    int n = 4;
    for (int cut = 0; cut < bs_compare_cuts(c); cut++)
        column[n++].name = cut_name(c, cut);
    column[n++].name = "cut";
    column[n++].name = "net parameters";
    column[n++].name = "energy parameters";
    column[n++].name = "seconds";
    bs_page_details_begin("All runs", false, out);
    bs_page_table_begin(column, n, BS_TABLE_SORTED, out);
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < c->seeds; k++)
            run_row(c, i, k, out);
    bs_page_table_end(out);
    bs_page_details_end(out);
}

/* ---- the page ---- */

static void begin(const bs_comparison *c, bs_buf *out)
{
    const bs_task *k = c->rows->task;
    char           title[BS_OPTION_TEXT + 64];
    char           valid[32];
    bs_buf         about;
    bs_buf_init(&about, 1 << 16);
    bs_print(title, sizeof title, "Comparison: %s", c->method[0].settings.train.file_train);
    k->known_text(&c->data.known, &about);
    bs_print(valid, sizeof valid, c->data.folds > 1 ? "in %d folds" : "%d validation",
             c->data.folds > 1 ? c->data.folds : (int)c->data.part[1].rows);
    bs_buf_printf(&about, " \xC2\xB7 %s: %d train, %s, %d test \xC2\xB7 %d seed%s", k->unit,
                  (int)c->data.part[0].rows, valid, (int)c->data.part[2].rows, c->seeds,
                  c->seeds > 1 ? "s" : "");
    out->failed = out->failed || about.failed;
    bs_page_begin(title, about.failed ? NULL : about.data, out);
    bs_buf_free(&about);
}

static void verdict(const bs_comparison *c, bs_buf *out)
{
    bs_buf text;
    bs_buf_init(&text, 1 << 14);
    bs_best_of_text(&c->winner, &text);
    out->failed = out->failed || text.failed;
    if (!out->failed)
        bs_page_say(out, "verdict", "%s", text.data);
    bs_buf_free(&text);
}

static void summary(const bs_comparison *c, bs_buf *out)
{
    const bs_metric *m = &c->rows->task->metric[c->metric];
    bs_buf_printf(out,
                  "<p>%s <strong>%s</strong>%s (%s; %s is better): mean &plusmn; standard "
                  "deviation over seeds.%s</p>\n",
                  c->on_test          ? "Test"
                  : c->data.folds > 1 ? "Out-of-fold"
                                      : "Validation",
                  m->name, bs_compare_unit(c), m->help, m->higher ? "higher" : "lower",
                  c->on_test ? ""
                             : " <strong>There is no test part: the best epochs, and thresholds "
                               "where there are some, were chosen on the same data.</strong>");
}

static void explanation(const bs_comparison *c, bs_buf *out)
{
    const char *unit = c->rows->task->unit;
    bs_buf_printf(out,
                  "<p class=\"quiet\">Differences are against %s, with a 95&nbsp;%% interval and "
                  "two-sided p values, not corrected for the number of methods: p boot by a paired "
                  "bootstrap over %d %s%s, as the interval, p rand by approximate randomisation of "
                  "%s, for these very trainings; %d replicates each. Coloured where both p are "
                  "below 0.05.",
                  c->method[c->baseline].name, (int)c->rows->rows, unit,
                  c->seeds > 1 ? " and the seeds" : "", unit, BS_COMPARE_REPLICATES);
    if (c->rows->task->tunes)
        bs_buf_printf(out, " Conventions of the metrics: %s.", bs_profile_name(c->profile));
    bs_buf_printf(out,
                  " Epochs of all stages, seconds and %s/s of a training on average%s; %s/s of "
                  "prediction on %d thread%s.</p>\n",
                  unit, c->jobs > 1 ? ", several at a time" : "", unit, c->threads,
                  c->threads > 1 ? "s" : "");
}

void bs_compare_html(const bs_comparison *c, bs_buf *out)
{
    char heading[128];
    begin(c, out);
    verdict(c, out);
    summary(c, out);
    table_head(c, out);
    for (int i = 0; i < c->n; i++)
        table_row(c, i, out);
    bs_page_table_end(out);
    explanation(c, out);
    bs_print(heading, sizeof heading, "%s of every seed%s", c->rows->task->metric[c->metric].name,
             bs_compare_unit(c));
    bs_page_heading(2, heading, out);
    plot(c, out);
    bs_page_say(out, "quiet",
                "A dot is a seed, a bar the mean; the dashed line is the mean of the baseline.");
    all_runs(c, out);
    bs_page_end(out);
}
