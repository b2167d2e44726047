/* api_compare_html.c -- a comparison as one HTML page that needs nothing from elsewhere.
 *
 * The table of the terminal with intervals, a dot plot (a dot per seed, a bar at the
 * mean), and all runs. What comes from outside -- names of files, messages -- is escaped. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api_compare.h"

static const char style[] =
    "body{font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;color:#1c2430;"
    "background:#fff;margin:2.5rem auto;max-width:86rem;padding:0 1.5rem}\n"
    "h1{font-size:1.5rem;font-weight:650;margin:0 0 .25rem}\n"
    "h2{font-size:1.05rem;font-weight:650;margin:2.25rem 0 .6rem}\n"
    "p{margin:.35rem 0;max-width:60rem}.quiet{color:#5b6675}\n"
    ".scroll{overflow-x:auto;margin:1rem 0 .8rem}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13.5px}\n"
    "th,td{padding:.38rem .55rem;text-align:right;white-space:nowrap}\n"
    "th{font-weight:600;color:#47525f;border-bottom:1px solid #c9d1da;vertical-align:bottom}\n"
    "th.group{text-align:center;border-bottom:1px solid #e3e8ee}\n"
    "td{border-bottom:1px solid #edf0f4}th.name,td.name{text-align:left}\n"
    "td.name{font-weight:600}tbody tr:hover{background:#f7f9fb}\n"
    ".first{border-left:1px solid #e3e8ee}.range{color:#7a8594;font-size:12px;font-weight:400}\n"
    ".better{color:#17693a}.worse{color:#a3312a}.best{font-weight:700}\n"
    ".tag{font-weight:400;color:#7a8594;font-size:12.5px}\n"
    ".failed{color:#a3312a;text-align:left}\n"
    "details{margin-top:2.25rem}summary{cursor:pointer;font-weight:650}\n"
    "svg{display:block;max-width:100%;height:auto}\n"
    "svg text{font:12.5px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:#47525f}\n"
    "svg .label{fill:#1c2430;font-size:13px}svg .title{fill:#1c2430;font-weight:600}\n"
    "svg .grid{stroke:#e6eaef}svg .row{stroke:#f0f2f5}\n"
    "svg .dot{fill:#2f6db3;fill-opacity:.55}svg .mean{stroke:#123e6d;stroke-width:2.5}\n"
    "svg .base{stroke:#9aa5b1;stroke-dasharray:4 3}\n"
    "@media print{body{margin:0;max-width:none}.scroll{overflow:visible}}\n";

static void escape(const char *text, bs_buf *out)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': bs_buf_text(out, "&amp;"); break;
        case '<': bs_buf_text(out, "&lt;"); break;
        case '>': bs_buf_text(out, "&gt;"); break;
        case '"': bs_buf_text(out, "&quot;"); break;
        case '\'': bs_buf_text(out, "&#39;"); break;
        default: bs_buf_add(out, text, 1);
        }
    }
}

static const char *cut_name(const bs_comparison *c, int cut)
{
    return bs_compare_cuts(c) == 1 ? "by scores"
           : cut == BS_CUT_HALF    ? "threshold 0.5"
                                   : "tuned threshold";
}

/* ---- the table ---- */

static void table_head(const bs_comparison *c, bs_buf *out)
{
    const int cuts = bs_compare_cuts(c);
    bs_buf_text(out, "<thead><tr><th class=\"name\" rowspan=\"2\">method</th>");
    for (int cut = 0; cut < cuts; cut++)
        bs_buf_printf(out, "<th class=\"group first\" colspan=\"4\">%s</th>", cut_name(c, cut));
    bs_buf_text(out, "<th class=\"group first\" colspan=\"4\">effort and speed</th></tr>\n<tr>");
    for (int cut = 0; cut < cuts; cut++)
        bs_buf_printf(out,
                      "<th class=\"first\">%s</th><th>difference</th><th>p boot</th>"
                      "<th>p rand</th>",
                      c->rows->kind->metric[c->metric].name);
    bs_buf_text(out, "<th class=\"first\">epochs</th><th>train s</th><th>rows/s</th>"
                     "<th>predict/s</th></tr></thead>\n");
}

/* The method with the best mean; -1 when there is none to compare with. */
static int best_method(const bs_comparison *c, int cut)
{
    int    best = -1, there = 0;
    double value = 0;
    for (int i = 0; i < c->n; i++) {
        double mean, sd;
        if (c->method[i].failure)
            continue;
        bs_compare_spread(c, i, cut, &mean, &sd);
        if (!c->rows->kind->metric[c->metric].higher)
            mean = -mean;
        if (best < 0 || mean > value) {
            best = i;
            value = mean;
        }
        there++;
    }
    return there > 1 ? best : -1;
}

static void probability(double p, bs_buf *out)
{
    if (isnan(p))
        bs_buf_text(out, "<td>&ndash;</td>");
    else
        bs_buf_printf(out, "<td>%.3f</td>", p);
}

/* A difference is coloured when both tests find it. */
static void difference(const bs_comparison *c, const bs_verdict *v, bs_buf *out)
{
    const bs_paired *b = &v->bootstrap[c->metric];
    const double     scale = bs_compare_scale(c), p = v->randomisation[c->metric].p;
    const bool       sure = b->p < 0.05 && !(p >= 0.05);
    const bool       up = (b->difference > 0) == c->rows->kind->metric[c->metric].higher;
    bs_buf_printf(out, "<td class=\"%s\">%+.2f <span class=\"range\">[%+.2f, %+.2f]</span></td>",
                  !sure ? ""
                  : up  ? "better"
                        : "worse",
                  scale * b->difference, scale * b->lo, scale * b->hi);
    probability(b->p, out);
    probability(p, out);
}

static void value_cells(const bs_comparison *c, int method, int cut, bs_buf *out)
{
    const double scale = bs_compare_scale(c);
    double       mean, sd;
    bs_compare_spread(c, method, cut, &mean, &sd);
    bs_buf_printf(out, "<td class=\"first%s\">%.2f", best_method(c, cut) == method ? " best" : "",
                  scale * mean);
    if (!isnan(sd))
        bs_buf_printf(out, " <span class=\"range\">&plusmn; %.2f</span>", scale * sd);
    bs_buf_text(out, "</td>");
    if (c->method[method].judged)
        difference(c, &c->method[method].verdict[cut], out);
    else
        bs_buf_text(out, "<td>&ndash;</td><td>&ndash;</td><td>&ndash;</td>");
}

static void table_row(const bs_comparison *c, int method, bs_buf *out)
{
    const bs_compared *m = &c->method[method];
    const int          cuts = bs_compare_cuts(c);
    bs_buf_text(out, "<tr><td class=\"name\">");
    escape(m->name, out);
    bs_buf_printf(out, "%s</td>",
                  method == c->baseline ? " <span class=\"tag\">baseline</span>" : "");
    if (m->failure) {
        bs_buf_printf(out, "<td class=\"failed first\" colspan=\"%d\">failed with seed %d: ",
                      4 * cuts + 4, m->failed_seed);
        escape(m->failure->msg, out);
        bs_buf_text(out, "</td></tr>\n");
        return;
    }
    for (int cut = 0; cut < cuts; cut++)
        value_cells(c, method, cut, out);
    const bs_effort e = bs_compare_effort(c, method);
    bs_buf_printf(
        out, "<td class=\"first\">%.0f</td><td>%.*f</td><td>%.0f</td><td>%.0f</td></tr>\n",
        e.epochs, e.seconds < 10 ? 2 : 1, e.seconds, e.train_rows_per_s, e.predict_rows_per_s);
}

/* ---- the plot ---- */

enum { PANEL = 400, GAP = 72, ROW = 30, TOP = 34, BOTTOM = 34 };

typedef struct {
    double lo, hi, step; /* in shown units */
    int    left;         /* where the panels begin: the names stand there */
} axis;

static int label_width(const bs_comparison *c)
{
    size_t longest = 0;
    for (int i = 0; i < c->n; i++) {
        size_t n = strlen(c->method[i].name) + (c->method[i].failure ? 9 : 0);
        longest = n > longest ? n : longest;
    }
    return 8 * (int)longest + 24;
}

/* Three to six round numbers over the values of all seeds, cuts and methods. */
static axis make_axis(const bs_comparison *c)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < c->n * c->seeds * BS_CUTS; i++) {
        const int run = i / BS_CUTS;
        if (c->method[run / c->seeds].failure)
            continue;
        double v = bs_compare_scale(c) *
                   bs_compare_values(c, run / c->seeds, run % c->seeds, i % BS_CUTS)[c->metric];
        lo = fmin(lo, v);
        hi = fmax(hi, v);
    }
    if (!isfinite(lo) || !isfinite(hi))
        return (axis){0, 1, 0.5, label_width(c)};
    const double span = fmax(hi - lo, 1e-3 * fmax(fabs(hi), 1));
    const double power = pow(10, floor(log10(span / 3))), unit = span / 3 / power;
    const double step = power * (unit >= 5 ? 5 : unit >= 2 ? 2 : 1);
    return (axis){floor((lo - 0.05 * span) / step) * step, ceil((hi + 0.05 * span) / step) * step,
                  step, label_width(c)};
}

static double place(const axis *a, int cut, double v)
{
    return a->left + cut * (PANEL + GAP) + (v - a->lo) / (a->hi - a->lo) * PANEL;
}

static void plot_axis(const bs_comparison *c, const axis *a, int cut, int height, bs_buf *out)
{
    const int digits = a->step >= 1 ? 0 : a->step >= 0.1 ? 1 : a->step >= 0.01 ? 2 : 4;
    bs_buf_printf(out, "<text class=\"title\" x=\"%d\" y=\"16\">%s</text>\n",
                  a->left + cut * (PANEL + GAP), cut_name(c, cut));
    for (int i = 0; i <= (int)((a->hi - a->lo) / a->step + 0.5); i++) {
        const double v = a->lo + i * a->step, x = place(a, cut, v);
        bs_buf_printf(out,
                      "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
                      "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.*f</text>\n",
                      x, TOP - 8, x, height - BOTTOM + 4, x, height - BOTTOM + 20, digits, v);
    }
}

static void plot_method(const bs_comparison *c, const axis *a, int method, int cut, bs_buf *out)
{
    const double scale = bs_compare_scale(c), y = TOP + (method + 0.5) * ROW;
    double       mean, sd;
    bs_compare_spread(c, method, cut, &mean, &sd);
    for (int k = 0; k < c->seeds; k++) {
        const double v = scale * bs_compare_values(c, method, k, cut)[c->metric];
        bs_buf_printf(out,
                      "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"><title>seed %d: "
                      "%.2f</title></circle>",
                      place(a, cut, v), y, c->method[method].settings.train.seed + k, v);
    }
    const double x = place(a, cut, scale * mean);
    bs_buf_printf(out,
                  "<line class=\"mean\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"><title>"
                  "mean: %.2f</title></line>\n",
                  x, y - 10, x, y + 10, scale * mean);
}

static void plot_panel(const bs_comparison *c, const axis *a, int cut, int height, bs_buf *out)
{
    double mean, sd;
    plot_axis(c, a, cut, height, out);
    for (int i = 0; i < c->n; i++) {
        const double y = TOP + (i + 0.5) * ROW, left = place(a, cut, a->lo);
        bs_buf_printf(out,
                      "<line class=\"row\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
                      "y2=\"%.1f\"/>\n",
                      left, y, left + PANEL, y);
    }
    if (!c->method[c->baseline].failure) {
        bs_compare_spread(c, c->baseline, cut, &mean, &sd);
        const double x = place(a, cut, bs_compare_scale(c) * mean);
        bs_buf_printf(out, "<line class=\"base\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n",
                      x, TOP - 8, x, height - BOTTOM + 4);
    }
    for (int i = 0; i < c->n; i++)
        if (!c->method[i].failure)
            plot_method(c, a, i, cut, out);
}

static void plot(const bs_comparison *c, bs_buf *out)
{
    const axis a = make_axis(c);
    const int  cuts = bs_compare_cuts(c), height = TOP + c->n * ROW + BOTTOM;
    const int  width = a.left + cuts * (PANEL + GAP);
    bs_buf_printf(out,
                  "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
                  "aria-label=\"%s of every seed\">\n",
                  width, height, width, height, c->rows->kind->metric[c->metric].name);
    for (int i = 0; i < c->n; i++) {
        const double y = TOP + (i + 0.5) * ROW;
        bs_buf_printf(out, "<text class=\"label\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
                      a.left - 14, y + 4.5);
        escape(c->method[i].name, out);
        bs_buf_text(out, c->method[i].failure ? " (failed)</text>\n" : "</text>\n");
    }
    for (int cut = 0; cut < cuts; cut++)
        plot_panel(c, &a, cut, height, out);
    bs_buf_text(out, "</svg>\n");
}

/* ---- all runs ---- */

static void run_row(const bs_comparison *c, int method, int seed, bs_buf *out)
{
    const bs_train_outcome *o = &c->outcome[method * c->seeds + seed];
    const double            scale = bs_compare_scale(c);
    if (!c->run[method * c->seeds + seed].finished)
        return;
    bs_buf_text(out, "<tr><td class=\"name\">");
    escape(c->method[method].name, out);
    bs_buf_printf(out, "</td><td>%d</td><td>%d</td><td>%d</td>",
                  c->method[method].settings.train.seed + seed, o->epochs, o->best_epoch);
    for (int cut = 0; cut < bs_compare_cuts(c); cut++)
        bs_buf_printf(out, "<td>%.2f</td>",
                      scale * bs_compare_values(c, method, seed, cut)[c->metric]);
    if (o->threshold.kind == BS_THRESHOLD_TOP_K)
        bs_buf_text(out, "<td>top-k</td>");
    else
        bs_buf_printf(out, "<td>%.3f</td>", (double)o->threshold.global);
    bs_buf_printf(out, "<td>%lld</td><td>%lld</td><td>%.1f</td></tr>\n", (long long)o->params_net,
                  (long long)o->params_energy, o->seconds);
}

static void all_runs(const bs_comparison *c, bs_buf *out)
{
    bs_buf_text(out, "<details><summary>All runs</summary><div class=\"scroll\"><table><thead><tr>"
                     "<th class=\"name\">method</th><th>seed</th><th>epochs</th><th>best</th>");
    for (int cut = 0; cut < bs_compare_cuts(c); cut++)
        bs_buf_printf(out, "<th>%s</th>", cut_name(c, cut));
    bs_buf_text(out, "<th>cut</th><th>net parameters</th><th>energy parameters</th>"
                     "<th>seconds</th></tr></thead><tbody>\n");
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < c->seeds; k++)
            run_row(c, i, k, out);
    bs_buf_text(out, "</tbody></table></div></details>\n");
}

/* ---- the page ---- */

static void summary(const bs_comparison *c, bs_buf *out)
{
    const bs_metric *m = &c->rows->kind->metric[c->metric];
    const bs_kind   *k = c->rows->kind;
    bs_buf_text(out, "<h1>Comparison of methods</h1>\n<p class=\"quiet\">");
    escape(c->method[0].settings.train.file_train, out);
    bs_buf_text(out, " &middot; ");
    k->known_text(&c->data.known, out);
    bs_buf_printf(out, " &middot; %s: %d train, %d validation, %d test &middot; %d seed%s</p>\n",
                  k->unit, (int)c->data.part[0].rows, (int)c->data.part[1].rows,
                  (int)c->data.part[2].rows, c->seeds, c->seeds > 1 ? "s" : "");
    bs_buf_printf(out,
                  "<p>%s <strong>%s</strong>%s (%s; %s is better): mean &plusmn; standard "
                  "deviation over seeds.%s</p>\n",
                  c->on_test ? "Test" : "Validation", m->name, bs_compare_unit(c), m->help,
                  m->higher ? "higher" : "lower",
                  c->on_test ? ""
                             : " <strong>There is no test part; these are the rows that the best "
                               "epoch and the threshold were chosen on.</strong>");
}

static void explanation(const bs_comparison *c, bs_buf *out)
{
    bs_buf_printf(
        out,
        "<p class=\"quiet\">Differences are against %s, with a 95&nbsp;%% interval and "
        "two-sided p values of a paired bootstrap and of approximate randomisation: %d "
        "replicates over %d rows, each with all seeds at once, not corrected for the "
        "number of methods; they are about other rows for these very trainings, the spread "
        "over seeds is not in them. Coloured where both p are below 0.05. Conventions of the "
        "metrics: %s. Epochs of all stages, seconds and rows/s of a training on average%s; rows/s "
        "of prediction on %d thread%s.</p>\n",
        c->method[c->baseline].name, BS_COMPARE_REPLICATES, (int)c->rows->rows,
        bs_profile_name(c->profile), c->jobs > 1 ? ", several at a time" : "", c->threads,
        c->threads > 1 ? "s" : "");
}

void bs_compare_html(const bs_comparison *c, bs_buf *out)
{
    bs_buf_text(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                     "<title>Comparison: ");
    escape(c->method[0].settings.train.file_train, out);
    bs_buf_printf(out, "</title>\n<style>\n%s</style></head>\n<body>\n", style);
    summary(c, out);
    bs_buf_text(out, "<div class=\"scroll\"><table>\n");
    table_head(c, out);
    bs_buf_text(out, "<tbody>\n");
    for (int i = 0; i < c->n; i++)
        table_row(c, i, out);
    bs_buf_text(out, "</tbody></table></div>\n");
    explanation(c, out);
    bs_buf_printf(out, "<h2>%s of every seed%s</h2>\n<div class=\"scroll\">",
                  c->rows->kind->metric[c->metric].name, bs_compare_unit(c));
    plot(c, out);
    bs_buf_text(out, "</div>\n<p class=\"quiet\">A dot is a seed, a bar the mean; the dashed line "
                     "is the mean of the baseline.</p>\n");
    all_runs(c, out);
    bs_buf_printf(out,
                  "<p class=\"quiet\" style=\"margin-top:2.25rem\">basin %s</p>\n"
                  "</body></html>\n",
                  basin_version());
}
