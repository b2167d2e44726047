/* text.c -- a comparison as a markdown table and as a JSON object.
 *
 * The table has a line per method and threshold, so that it fits a terminal; columns are aligned,
 * so that it is readable as plain text. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "compare/compare.h"

#define PLUS_MINUS "\xc2\xb1" /* in UTF-8 */

double bs_compare_scale(const bs_comparison *c)
{
    return c->rows->task->metric[c->metric].greatest <= 1 ? 100 : 1;
}

const char *bs_compare_unit(const bs_comparison *c)
{
    return bs_compare_scale(c) > 1 ? " in percent" : "";
}

int bs_compare_cuts(const bs_comparison *c)
{
    const bs_task *k = c->rows->task;
    return k->tunes && k->metric[c->metric].decided ? BS_CUTS : 1;
}

const char *bs_compare_part(const bs_comparison *c, int cut)
{
    static const char *const name[2][BS_CUTS] = {{"valid", "valid_tuned"}, {"test", "test_tuned"}};
    return name[c->on_test][cut];
}

const char *bs_compare_rows(const bs_comparison *c)
{
    return c->on_test ? "test" : c->data.folds > 1 ? "out-of-fold" : "validation";
}

/* ---- a grid of short texts ---- */

enum { COLUMNS = 10, CELL = 64 };

typedef struct {
    char (*row)[COLUMNS][CELL];
    int n, most;
} grid;

static const char *const head[COLUMNS] = {"method", "cut",    "",        "diff", "p boot",
                                          "p rand", "epochs", "train s", "",     "predict/s"};

/* Columns on a terminal: counts bytes that do not continue a character. */
static int columns(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

static void pad(const char *text, int width, bool right, bs_buf *out)
{
    const int blanks = width - columns(text);
    bs_buf_printf(out, "%*s%s%*s", right ? blanks : 0, "", text, right ? 0 : blanks, "");
}

static bool left(int column)
{
    return column < 2;
}

static void grid_write(const grid *g, bs_buf *out)
{
    int width[COLUMNS] = {0};
    for (int i = 0; i < g->n; i++)
        for (int k = 0; k < COLUMNS; k++) {
            int n = columns(g->row[i][k]);
            width[k] = n > width[k] ? n : width[k];
        }
    for (int i = 0; i < g->n; i++) {
        for (int k = 0; k < COLUMNS; k++) {
            bs_buf_text(out, k ? " | " : "| ");
            pad(g->row[i][k], width[k], !left(k), out);
        }
        bs_buf_text(out, " |\n");
        for (int k = 0; k < COLUMNS && i == 0; k++) {
            bs_buf_text(out, "|");
            for (int j = 0; j < width[k] + 1; j++)
                bs_buf_text(out, "-");
            bs_buf_text(out, left(k) ? "-" : ":");
        }
        bs_buf_text(out, i == 0 ? "|\n" : "");
    }
}

static void cell(grid *g, int column, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void cell(grid *g, int column, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    bs_vprint(g->row[g->n][column], CELL, fmt, args);
    va_end(args);
}

/* ---- the table ---- */

static void probability(grid *g, int column, double p)
{
    if (isnan(p))
        cell(g, column, "-");
    else
        cell(g, column, "%.3f", p);
}

static void value_cells(const bs_comparison *c, int method, int cut, grid *g)
{
    const bs_compared *m = &c->method[method];
    const double       scale = bs_compare_scale(c);
    double             mean, sd;
    bs_compare_spread(c, method, cut, &mean, &sd);
    if (isnan(sd))
        cell(g, 2, "%.2f", scale * mean);
    else
        cell(g, 2, "%.2f " PLUS_MINUS " %.2f", scale * mean, scale * sd);
    if (!m->judged) {
        for (int k = 3; k < 6; k++)
            cell(g, k, "-");
        return;
    }
    cell(g, 3, "%+.2f", scale * m->verdict[cut].bootstrap[c->metric].difference);
    probability(g, 4, m->verdict[cut].bootstrap[c->metric].p);
    probability(g, 5, m->verdict[cut].randomisation[c->metric].p);
}

static void method_rows(const bs_comparison *c, int method, grid *g)
{
    const int cuts = bs_compare_cuts(c);
    cell(g, 0, "%s", c->method[method].name);
    if (c->method[method].failure) {
        cell(g, 2, "failed");
        g->n++;
        return;
    }
    const bs_effort e = bs_compare_effort(c, method);
    cell(g, 6, "%.0f", e.epochs);
    cell(g, 7, e.seconds < 10 ? "%.2f" : "%.1f", e.seconds);
    cell(g, 8, "%.0f", e.train_rows_per_s);
    cell(g, 9, "%.0f", e.predict_rows_per_s);
    for (int cut = 0; cut < cuts; cut++) {
        cell(g, 1, "%s", cuts == 1 ? "-" : cut == BS_AT_HALF ? "0.5" : "tuned");
        value_cells(c, method, cut, g);
        g->n++;
    }
}

void bs_compare_heading(const bs_comparison *c, bs_buf *out)
{
    const bs_metric *m = &c->rows->task->metric[c->metric];
    char             folds[64] = "";
    if (c->data.folds > 1)
        bs_print(folds, sizeof folds, ", the same %d folds", c->data.folds);
    bs_best_of_text(&c->winner, out);
    bs_buf_printf(out, "\n\n%s %s%s%s: mean%s of %d seed%s%s; diff and p against %s\n\n",
                  c->on_test          ? "Test"
                  : c->data.folds > 1 ? "Out-of-fold"
                                      : "Validation (there is no test part)",
                  m->name, bs_compare_unit(c), m->higher ? "" : ", lower is better",
                  c->seeds > 1 ? " " PLUS_MINUS " standard deviation" : "", c->seeds,
                  c->seeds > 1 ? "s" : "", folds, c->method[c->baseline].name);
}

static void notes(const bs_comparison *c, bs_buf *out)
{
    const char *unit = c->rows->task->unit;
    bs_buf_printf(out,
                  "\n%d %s %s; p boot by a bootstrap over %s%s, p rand by approximate "
                  "randomisation of %s for\nthese very trainings: two-sided, %d replicates, not "
                  "corrected for the number of methods.",
                  (int)c->rows->rows, bs_compare_rows(c), unit, unit,
                  c->seeds > 1 ? " and seeds" : "", unit, BS_COMPARE_REPLICATES);
    if (c->rows->task->tunes)
        bs_buf_printf(out, " Conventions: %s.", bs_profile_name(c->profile));
    bs_buf_printf(out,
                  "\nepochs (all stages), train s, %s/s of training: mean of a run; predict/s: "
                  "%s/s on %d thread%s",
                  unit, unit, c->threads, c->threads > 1 ? "s" : "");
    if (c->jobs > 1)
        bs_buf_printf(out, "; %d runs at a time shared the machine", c->jobs);
    bs_buf_text(out, "\n");
    for (int i = 0; i < c->n; i++)
        if (c->method[i].failure)
            bs_buf_printf(out, "\nfailed: %s, seed %d: %s\n", c->method[i].name,
                          c->method[i].failed_seed, c->method[i].failure->msg);
}

void bs_compare_table(const bs_comparison *c, bs_buf *out)
{
    grid g = {.most = 1 + c->n * BS_CUTS};
    g.row = bs_calloc((size_t)g.most, sizeof *g.row);
    if (!g.row) {
        out->failed = true;
        return;
    }
    for (int k = 0; k < COLUMNS; k++)
        cell(&g, k, "%s", head[k]);
    cell(&g, 2, "%s", c->rows->task->metric[c->metric].name);
    cell(&g, 8, "%s/s", c->rows->task->unit);
    g.n = 1;
    for (int i = 0; i < c->n; i++)
        method_rows(c, i, &g);
    grid_write(&g, out);
    bs_free(g.row);
    notes(c, out);
}

/* ---- JSON ---- */

/* The object of a training, plus one member. */
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
    if (m->failure) {
        bs_json_members(out, "failed_seed %d message %s", m->failed_seed, m->failure->msg);
    }
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
    if (m->judged) {
        bs_json_open(out, "against_baseline", '{');
        for (int cut = 0; cut < BS_CUTS; cut++)
            verdict_json(c, bs_compare_part(c, cut), &m->verdict[cut], out);
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
                    bs_compare_part(c, BS_AT_HALF), c->data.folds, c->rows->rows,
                    bs_profile_name(c->profile), c->method[c->baseline].name, c->seeds,
                    BS_COMPARE_REPLICATES, 0.95, c->threads, c->jobs, c->o->folder);
    winner_json(&c->winner, out);
    bs_json_open(out, "methods", '[');
    for (int i = 0; i < c->n; i++)
        method_json(c, i, out);
    bs_buf_text(out, "]}");
}
