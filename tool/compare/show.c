/* show.c -- a comparison for people, as Markdown and as a page, and as a JSON object.
 *
 * The table has a row per method and threshold, so that it fits a terminal. The page adds a plot (a
 * dot per seed, a bar at the mean) and all runs. */
#include <math.h>
#include <string.h>

#include "api/training.h"
#include "compare/compare.h"

double bs_compare_scale(const bs_comparison *c)
{
    return c->rows->task->metric[c->metric].greatest <= 1 ? 100 : 1;
}

int bs_compare_cuts(const bs_comparison *c)
{
    const bs_task *k = c->rows->task;
    return k->tunes && k->metric[c->metric].decided ? BS_CUTS : 1;
}

static const char *part_name(const bs_comparison *c, int cut)
{
    static const char *const name[2][BS_CUTS] = {{"valid", "valid_tuned"}, {"test", "test_tuned"}};
    return name[c->on_test][cut];
}

const char *bs_compare_rows(const bs_comparison *c)
{
    return c->on_test ? "test" : c->data.folds > 1 ? "out-of-fold" : "validation";
}

static const char *unit_of(const bs_comparison *c)
{
    return bs_compare_scale(c) > 1 ? " in percent" : "";
}

static const char *cut_name(const bs_comparison *c, int cut)
{
    return bs_compare_cuts(c) == 1 ? "-" : cut == BS_AT_HALF ? "0.5" : "tuned";
}

/* ---- methods ---- */

/* The cost is that of the training, whatever the threshold: it is shown once, but any order of the
 * rows keeps to it. */
static bs_cell effort_cell(double v, int digits, bool again)
{
    bs_cell c = bs_cell_number(v, digits);
    c.text = again ? "" : NULL;
    return c;
}

static void method_row(const bs_comparison *c, int method, int cut, bs_doc *d)
{
    const bs_compared *m = &c->method[method];
    const double       scale = bs_compare_scale(c);
    const bs_effort    e = bs_compare_effort(c, method);
    double             mean, sd;
    int                best, next;
    bs_cell diff[3] = {bs_cell_number(NAN, 0), bs_cell_number(NAN, 0), bs_cell_number(NAN, 0)};
    bs_cell name = bs_cell_name(m->name);
    name.after = method == c->baseline ? "baseline" : NULL;
    bs_compare_spread(c, method, cut, &mean, &sd);
    bs_compare_best(c, cut, &best, &next);
    bs_cell value = bs_cell_spread(scale * mean, scale * sd, 2);
    value.as = best == method && next >= 0 ? "best" : "";
    if (m->judged)
        bs_paired_cells(&c->rows->task->metric[c->metric], scale, 2,
                        &m->verdict[cut].bootstrap[c->metric],
                        m->verdict[cut].randomisation[c->metric].p, diff);
    BS_ROW(
        d, name, bs_cell_text(cut_name(c, cut)), value, diff[0], diff[1], diff[2],
        effort_cell(e.epochs, 0, cut > 0), effort_cell(e.seconds, e.seconds < 10 ? 2 : 1, cut > 0),
        effort_cell(e.train_rows_per_s, 0, cut > 0), effort_cell(e.predict_rows_per_s, 0, cut > 0));
}

static void methods(const bs_comparison *c, bs_doc *d)
{
    const bs_metric *m = &c->rows->task->metric[c->metric];
    char             speed[32], message[sizeof(basin_error) + 64];
    bs_print(speed, sizeof speed, "%s/s", c->rows->task->unit);
    const bs_column column[] = {
        {.name = "method", .text = true},
        {.name = "threshold", .text = true},
        {.name = m->name, .help = m->help, .first = true},
        {.name = "diff", .help = "against the baseline, with its 95 % interval"},
        {.name = "p boot", .help = "bootstrap over rows and seeds"},
        {.name = "p rand", .help = "approximate randomisation"},
        {.name = "epochs", .help = "of all stages", .first = true},
        {.name = "train s"},
        {.name = speed, .help = "of training"},
        {.name = "predict/s"}};
    BS_TABLE(d, NULL, column, BS_TABLE_SORTED);
    for (int i = 0; i < c->n; i++) {
        const bs_compared *at = &c->method[i];
        const bool         own = at->arm == BS_ARM_METHOD;
        for (int cut = 0; cut < bs_compare_cuts(c) && own && !at->failure; cut++)
            method_row(c, i, cut, d);
        if (!at->failure)
            continue;
        bs_print(message, sizeof message, "failed with seed %d: %s", at->failed_seed,
                 at->failure->msg);
        BS_ROW(d, bs_cell_name(at->name), bs_cell_text(""),
               {.kind = BS_CELL_CROSS, .text = message, .as = "failed"});
    }
    bs_doc_table_end(d);
}

/* ---- controls ---- */

static void control_row(const bs_comparison *c, const bs_compared *m, int cut, bs_doc *d)
{
    const double scale = bs_compare_scale(c);
    double       mean, sd;
    bs_cell      diff[3];
    bs_compare_spread(c, (int)(m - c->method), cut, &mean, &sd);
    bs_paired_cells(&c->rows->task->metric[c->metric], scale, 2, &m->gain[cut].bootstrap[c->metric],
                    m->gain[cut].randomisation[c->metric].p, diff);
    BS_ROW(d, bs_cell_name(c->method[m->of].name), bs_cell_text(bs_arm_text(m->arm)),
           bs_cell_text(cut_name(c, cut)), bs_cell_spread(scale * mean, scale * sd, 2), diff[0],
           diff[1], diff[2]);
}

/* What each method gains over its own controls. */
static void controls(const bs_comparison *c, bs_doc *d)
{
    const bs_metric *m = &c->rows->task->metric[c->metric];
    const bs_column  column[] = {{.name = "method", .text = true},
                                 {.name = "control", .text = true},
                                 {.name = "threshold", .text = true},
                                 {.name = m->name, .help = "of the control", .first = true},
                                 {.name = "gain", .help = "of the method, with its 95 % interval"},
                                 {.name = "p boot", .help = "bootstrap over rows and seeds"},
                                 {.name = "p rand", .help = "approximate randomisation"}};
    if (!c->o->controls)
        return;
    bs_doc_heading(d, 2, "Is it the energy?");
    BS_TABLE(d, "controls", column, BS_TABLE_SORTED);
    for (int i = 0; i < c->n; i++)
        for (int cut = 0; cut < bs_compare_cuts(c) && bs_is_control(c, &c->method[i]); cut++)
            control_row(c, &c->method[i], cut, d);
    bs_doc_table_end(d);
    bs_doc_say(
        d, "quiet",
        "Each control is trained like its method, but for one thing: the energy has no weight in "
        "the net's loss; or no terms that join labels (with the best by validation of a third, "
        "once and three times its weight); or there is none, and cross-entropy alone has the "
        "method's optimiser, schedule and epochs.");
}

/* ---- words ---- */

static void begin(const bs_comparison *c, bs_buf *page)
{
    const bs_task *k = c->rows->task;
    char           title[BS_OPTION_TEXT + 64], valid[32];
    bs_buf         about;
    bs_buf_init(&about, 1 << 16);
    bs_print(title, sizeof title, "Comparison: %s", c->method[0].settings.train.file_train);
    k->known_text(&c->data.known, &about);
    bs_print(valid, sizeof valid, c->data.folds > 1 ? "in %d folds" : "%d validation",
             c->data.folds > 1 ? c->data.folds : (int)c->data.part[1].rows);
    bs_buf_printf(&about, " \xC2\xB7 %s: %d train, %s, %d test \xC2\xB7 %d seed%s", k->unit,
                  (int)c->data.part[0].rows, valid, (int)c->data.part[2].rows, c->seeds,
                  c->seeds > 1 ? "s" : "");
    page->failed = page->failed || about.failed;
    bs_page_begin(title, about.failed ? NULL : about.data, page);
    bs_buf_free(&about);
}

static void verdict(const bs_comparison *c, bs_doc *d)
{
    const bs_metric *m = &c->rows->task->metric[c->metric];
    bs_buf           text;
    char             folds[64] = "";
    if (c->data.folds > 1)
        bs_print(folds, sizeof folds, ", the same %d folds", c->data.folds);
    bs_buf_init(&text, 1 << 14);
    bs_best_of_text(&c->winner, &text);
    bs_doc_tell(d, "verdict", &text);
    bs_buf_free(&text);
    bs_doc_say(d, "", "%s %s%s%s: mean%s of %d seed%s%s; diff and p against %s",
               c->on_test          ? "Test"
               : c->data.folds > 1 ? "Out-of-fold"
                                   : "Validation (there is no test part)",
               m->name, unit_of(c), m->higher ? "" : ", lower is better",
               c->seeds > 1 ? " \xc2\xb1 standard deviation" : "", c->seeds,
               c->seeds > 1 ? "s" : "", folds, c->method[c->baseline].name);
    if (!c->on_test)
        bs_doc_say(d, "warn",
                   "The best epochs, and thresholds where there are some, were chosen on the same "
                   "data.");
}

static void explanation(const bs_comparison *c, bs_doc *d)
{
    const char *unit = c->rows->task->unit;
    bs_buf      text;
    bs_buf_init(&text, 1 << 14);
    bs_buf_printf(&text,
                  "%d %s %s; p boot by a bootstrap over %s%s, as the 95 %% interval, p rand by "
                  "approximate randomisation of %s for these very trainings: two-sided, %d "
                  "replicates, not corrected for the number of methods.",
                  (int)c->rows->rows, bs_compare_rows(c), unit, unit,
                  c->seeds > 1 ? " and seeds" : "", unit, BS_COMPARE_REPLICATES);
    if (c->rows->task->tunes)
        bs_buf_printf(&text, " Conventions: %s.", bs_profile_name(c->profile));
    bs_buf_printf(&text,
                  " Epochs (all stages), train s, %s/s of training: mean of a run; predict/s: %s/s "
                  "on %d thread%s",
                  unit, unit, c->threads, c->threads > 1 ? "s" : "");
    if (c->jobs > 1)
        bs_buf_printf(&text, "; %d runs at a time shared the machine", c->jobs);
    bs_buf_text(&text, ".");
    bs_doc_tell(d, "quiet", &text);
    bs_page_say(d->page, "quiet", "Differences are coloured where both p are below 0.05.");
    bs_buf_free(&text);
    for (int i = 0; i < c->n && d->text; i++)
        if (c->method[i].failure)
            bs_buf_printf(d->text, "failed: %s, seed %d: %s\n\n", c->method[i].name,
                          c->method[i].failed_seed, c->method[i].failure->msg);
}

/* ---- seeds ---- */

/* All thresholds share one axis. */
static void plot(const bs_comparison *c, bs_doc *d)
{
    const int    cuts = bs_compare_cuts(c);
    const double scale = bs_compare_scale(c);
    bs_seed_dot *dot = bs_calloc((size_t)(cuts * c->asked * c->seeds), sizeof *dot);
    bs_strip     strip[BS_CUTS][BS_COMPARE_METHODS];
    double       lo = INFINITY, hi = -INFINITY, mean, sd;
    d->page->failed = d->page->failed || !dot;
    for (int at = 0; at < cuts * c->asked && dot; at++) {
        const int    method = at % c->asked, cut = at / c->asked;
        bs_seed_dot *own = dot + at * c->seeds;
        const int    n = c->method[method].failure ? 0 : c->seeds;
        for (int k = 0; k < n; k++) {
            own[k] = (bs_seed_dot){scale * bs_compare_values(c, method, k, cut)[c->metric],
                                   c->method[method].settings.train.seed + k};
            lo = fmin(lo, own[k].value);
            hi = fmax(hi, own[k].value);
        }
        strip[cut][method] = (bs_strip){.name = c->method[method].name, .dot = own, .n = n};
    }
    const double margin = 0.05 * fmax(hi - lo, 1e-3 * fmax(fabs(hi), 1));
    const bool   some = isfinite(lo) && isfinite(hi);
    bs_page_grid_begin(d->page);
    for (int cut = 0; cut < cuts && dot; cut++) {
        bs_compare_spread(c, c->baseline, cut, &mean, &sd);
        bs_strips_draw(
            &(bs_strips){.title = cuts == 1           ? "by scores"
                                  : cut == BS_AT_HALF ? "threshold 0.5"
                                                      : "tuned threshold",
                         .strip = strip[cut],
                         .n = c->asked,
                         .line = c->method[c->baseline].failure ? (double)NAN : scale * mean,
                         .lo = some ? lo - margin : 0,
                         .hi = some ? hi + margin : 1,
                         .digits = 2},
            d->page);
    }
    bs_page_grid_end(d->page);
    bs_page_say(d->page, "quiet",
                "A dot is a seed, a bar the mean; the dashed line is the mean of the baseline.");
    bs_free(dot);
}

static void run_row(const bs_comparison *c, int at, bs_doc *d)
{
    const int               method = at / c->seeds, seed = at % c->seeds;
    const bs_train_outcome *o = &c->outcome[at];
    const double            scale = bs_compare_scale(c);
    char                    text[BS_THRESHOLD_TEXT];
    double                  value[BS_CUTS];
    for (int cut = 0; cut < BS_CUTS; cut++)
        value[cut] = scale * bs_compare_values(c, method, seed, cut)[c->metric];
    bs_cell threshold = bs_cell_number((double)o->threshold.global, 3);
    if (!bs_threshold_is_one(&o->threshold))
        threshold.text = bs_threshold_text(&o->threshold, text);
    BS_ROW(d, bs_cell_name(c->method[method].name),
           bs_cell_count(c->method[method].settings.train.seed + seed), bs_cell_count(o->epochs),
           bs_cell_count(o->best_epoch), bs_cell_number(value[0], 2), bs_cell_number(value[1], 2),
           threshold, bs_cell_count(o->params_net), bs_cell_count(o->params_energy),
           bs_cell_number(o->seconds, 1));
}

static void all_runs(const bs_comparison *c, bs_doc *d)
{
    const unsigned  tuned = bs_compare_cuts(c) > 1 ? 0 : BS_COLUMN_JSON;
    const bs_column column[] = {{.name = "method", .text = true},
                                {.name = "seed"},
                                {.name = "epochs"},
                                {.name = "best"},
                                {.name = tuned ? "by scores" : "threshold 0.5"},
                                {.name = "tuned threshold", .only = tuned},
                                {.name = "chosen threshold"},
                                {.name = "net parameters"},
                                {.name = "energy parameters"},
                                {.name = "seconds"}};
    bs_doc_details_begin(d, "All runs", false);
    BS_TABLE(d, NULL, column, BS_TABLE_SORTED);
    for (int i = 0; i < c->n * c->seeds; i++)
        if (c->run[i].finished)
            run_row(c, i, d);
    bs_doc_table_end(d);
    bs_doc_details_end(d);
}

void bs_compare_show(const bs_comparison *c, bs_doc *d)
{
    char heading[128];
    begin(c, d->page);
    verdict(c, d);
    methods(c, d);
    explanation(c, d);
    controls(c, d);
    bs_print(heading, sizeof heading, "%s of every seed%s", c->rows->task->metric[c->metric].name,
             unit_of(c));
    bs_page_heading(2, heading, d->page);
    plot(c, d);
    all_runs(c, d);
    bs_page_end(d->page);
}

/* ---- JSON ---- */

/* The object of a training, with one more member. */
static void run_json(const bs_comparison *c, int method, int seed, bs_buf *out)
{
    const int   at = method * c->seeds + seed;
    bs_settings settings;
    bs_compare_settings(c, method, seed, &settings);
    bs_json_open(out, NULL, '{');
    bs_outcome_members(c->rows->task, &settings, &c->outcome[at], c->run[at].folder, out);
    if (!c->method[method].failure)
        bs_json_known(out, "predict_rows_per_s", c->run[at].predict_rows_per_s);
    bs_json_close(out, '}');
}

static void verdict_json(const bs_comparison *c, const char *key, const bs_comparison_result *v,
                         bs_buf *out)
{
    bs_json_open(out, key, '{');
    for (int i = 0; i < c->rows->task->n_metrics; i++) {
        const bs_paired *p = &v->bootstrap[i];
        if (!isfinite(p->difference))
            continue;
        bs_json_open(out, c->rows->task->metric[i].name, '{');
        bs_json_known(out, "difference", p->difference);
        bs_json_known(out, "lo", p->lo);
        bs_json_known(out, "hi", p->hi);
        bs_json_known(out, "p_bootstrap", p->p);
        bs_json_known(out, "p_randomisation", v->randomisation[i].p);
        bs_json_close(out, '}');
    }
    bs_json_close(out, '}');
}

static void method_json(const bs_comparison *c, int method, bs_buf *out)
{
    const bs_compared      *m = &c->method[method];
    const bs_train_outcome *first = &c->outcome[method * c->seeds];
    bs_json_open(out, NULL, '{');
    bs_json_members(out, "method %s status %s", m->name, m->failure ? "failed" : "done");
    if (m->failure)
        bs_json_members(out, "failed_seed %d message %s", m->failed_seed, m->failure->msg);
    bs_json_open(out, "runs", '[');
    for (int k = 0; k < c->seeds; k++)
        if (c->run[method * c->seeds + k].finished)
            run_json(c, method, k, out);
    bs_json_close(out, ']');
    if (!m->failure) {
        const bs_effort e = bs_compare_effort(c, method);
        bs_json_known(out, "epochs", e.epochs);
        bs_json_known(out, "seconds", e.seconds);
        bs_json_known(out, "train_rows_per_s", e.train_rows_per_s);
        bs_json_known(out, "predict_rows_per_s", e.predict_rows_per_s);
        bs_spread_json(c->rows->task, "mean", first, c->seeds, false, out);
        bs_spread_json(c->rows->task, "sd", first, c->seeds, true, out);
    }
    if (bs_is_control(c, m)) {
        bs_json_members(out, "control_of %s control %s", c->method[m->of].name,
                        bs_arm_text(m->arm));
        bs_json_open(out, "gain_of_method", '{');
        for (int cut = 0; cut < BS_CUTS; cut++)
            verdict_json(c, part_name(c, cut), &m->gain[cut], out);
        bs_json_close(out, '}');
    }
    if (m->judged) {
        bs_json_open(out, "against_baseline", '{');
        for (int cut = 0; cut < BS_CUTS; cut++)
            verdict_json(c, part_name(c, cut), &m->verdict[cut], out);
        bs_json_close(out, '}');
    }
    bs_json_close(out, '}');
}

static void winner_json(const bs_best_of *w, bs_buf *out)
{
    bs_json_open(out, "best", '{');
    bs_json_text(out, "method", w->best);
    if (w->next) {
        bs_json_text(out, "next", w->next);
        bs_json_known(out, "difference", w->test.difference);
        bs_json_known(out, "lo", w->test.lo);
        bs_json_known(out, "hi", w->test.hi);
        bs_json_known(out, "p", bs_best_of_p(w));
    }
    bs_json_bool(out, "matters", bs_best_of_matters(w));
    bs_json_close(out, '}');
}

void bs_compare_json(const bs_comparison *c, bs_buf *out)
{
    bs_json_open(out, NULL, '{');
    bs_json_members(out,
                    "task %s metric %s part %s folds %d rows %d profile %s baseline %s seeds %d "
                    "replicates %d level %.2g threads %d jobs %d folder %s",
                    c->method[0].settings.train.task, c->rows->task->metric[c->metric].name,
                    part_name(c, BS_AT_HALF), c->data.folds, c->rows->rows,
                    bs_profile_name(c->profile), c->method[c->baseline].name, c->seeds,
                    BS_COMPARE_REPLICATES, 0.95, c->threads, c->jobs, c->o->folder);
    winner_json(&c->winner, out);
    bs_json_open(out, "methods", '[');
    for (int i = 0; i < c->n; i++)
        method_json(c, i, out);
    bs_buf_text(out, "]}");
}
