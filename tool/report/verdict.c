/* verdict.c -- one sentence on top of the page: how good it is, against what, what next.
 *
 * All of it follows from facts about the run: scores and intervals on the evaluated rows, baselines
 * on the same rows, the curves. Advice is sorted by its likely benefit; the first is part of the
 * sentence, the rest is listed below it. */
#include <math.h>
#include <string.h>

#include "report/report.h"
#include "tasks/tasks.h"

static const double level = 0.95;
static const double chance = 0.05; /* larger p values are put down to chance */

/* ---- words ---- */

static void put_value(const bs_task *k, int metric, double v, bs_buf *out)
{
    const bs_form f = bs_report_form(k, metric);
    bs_buf_printf(out, "%.*f%s", f.digits, f.scale * v, f.unit);
}

/* "1.30 points": without a sign. */
static void put_distance(const bs_task *k, int metric, double v, bs_buf *out)
{
    const bs_form f = bs_report_form(k, metric);
    bs_buf_printf(out, "%.*f%s", f.digits, fabs(f.scale * v), f.scale > 1 ? " points" : "");
}

/* Better by more than chance is likely to explain. */
static bool surely(const bs_task *k, int metric, const bs_paired *p)
{
    return p->p < chance && (p->difference > 0) == k->metric[metric].higher;
}

/* ---- how good, against what ---- */

static void put_scores(const bs_report_group *g, bs_buf *out)
{
    int                cut;
    const int          deciding = bs_report_deciding(g, &cut);
    const bs_form      f = bs_report_form(g->task, deciding);
    const bs_interval *v = &g->interval[cut][deciding];
    double             mean, sd;
    bs_report_spread(g, cut, deciding, &mean, &sd);
    if (g->models > 1)
        bs_buf_printf(out, "%d trainings get ", g->models);
    else
        bs_buf_text(out, "The model gets ");
    put_value(g->task, deciding, mean, out);
    bs_buf_printf(out, " %s", g->task->metric[deciding].name);
    if (isfinite(v->lo) && isfinite(v->hi))
        bs_buf_printf(out, " [%.*f, %.*f]", f.digits, f.scale * v->lo, f.digits, f.scale * v->hi);
    bs_buf_printf(out, "%s on %d %s %s", g->models > 1 ? " on average" : "", (int)g->part->rows,
                  strcmp(g->part_name, "test") == 0 ? "test" : "validation", g->task->unit);
}

static void put_base(const bs_report_group *g, const bs_baseline *b, bool told, bs_buf *out)
{
    int       cut;
    const int deciding = bs_report_deciding(g, &cut);
    if (!b->measured) {
        bs_buf_printf(out, "%s was not trained, for there is too much data to do that here",
                      b->name);
        return;
    }
    bs_buf_printf(out, "%s gets ", b->name);
    put_value(g->task, deciding, b->value[deciding], out);
    if (!told)
        return;
    const bool more = b->better.difference < 0;
    bs_buf_text(out, " (");
    put_distance(g->task, deciding, b->better.difference, out);
    bs_buf_printf(out, " %s, p %.3f)", more ? "more" : "less", b->better.p);
}

/* The baselines of a group, or of another one on the same rows. */
static const bs_report_group *based(const bs_report *r, const bs_report_group *g)
{
    for (int i = 0; i < r->n; i++)
        if (r->group[i].base[BS_BASE_TRIVIAL].name && r->group[i].part->hash == g->part->hash)
            return &r->group[i];
    return NULL;
}

static void put_bases(const bs_report *r, const bs_report_group *g, bs_buf *out)
{
    const bs_report_group *from = based(r, g);
    if (!from) {
        bs_buf_text(out, "; without the training data there is nothing to compare that with");
        return;
    }
    bs_buf_text(out, "; ");
    put_base(from, &from->base[BS_BASE_TRIVIAL], false, out);
    if (from->base[BS_BASE_SIMPLE].name) {
        bs_buf_text(out, ", ");
        put_base(from, &from->base[BS_BASE_SIMPLE], from == g, out);
    }
}

/* ---- what next ---- */

static void advise_bases(const bs_report_group *g, bs_notes *advice)
{
    int                cut;
    const int          deciding = bs_report_deciding(g, &cut);
    const bs_baseline *trivial = &g->base[BS_BASE_TRIVIAL], *simple = &g->base[BS_BASE_SIMPLE];
    if (trivial->measured && !surely(g->task, deciding, &trivial->better)) {
        bs_notes_add(
            advice, "trivial",
            "find out why it is no better than %s: 'basin data inspect' looks for traps in "
            "the data, lr.net and epochs may be too small",
            trivial->name);
        return;
    }
    const bs_task_report *how = bs_tool_of(g->task)->report;
    const bool linear = how->is_simple && how->is_simple(&g->run[g->shown].settings.train);
    if (simple->measured && !linear && !surely(g->task, deciding, &simple->better)) {
        const bool up = (simple->better.difference > 0) == g->task->metric[deciding].higher;
        bs_notes_add(advice, "simple", how->base_advice, simple->name, up ? "may do" : "does");
    }
}

/* The best epoch is among the last ones, and training did not end by patience. */
static void advise_longer(const bs_report_run *run, bs_notes *advice)
{
    const bs_history *h = &run->history;
    const int         last = (int)h->epoch[h->n - 1], behind = last - h->best;
    const int         few = last > 20 ? last / 10 : 2;
    if (h->best < 1 || behind > few || behind >= run->settings.train.stop_patience)
        return;
    bs_notes_add(advice, "longer",
                 "train longer (--epochs %d): epoch %d of %d was the best, so training ended too "
                 "early",
                 2 * run->settings.train.epochs, h->best, last);
}

/* Validation loss has risen by a tenth or more while training loss fell. */
static void advise_overfitting(const bs_report_run *run, bs_notes *advice)
{
    const bs_history *h = &run->history;
    const double     *valid = bs_history_find(h, "", "cross_entropy_valid");
    const double     *train = bs_history_find(h, "", "cross_entropy");
    const int         last = h->n - 1;
    int               least = 0;
    train = train ? train : bs_history_find(h, "", "loss_net");
    if (!valid || !train)
        return;
    for (int i = 1; i < h->n; i++)
        least = valid[i] < valid[least] ? i : least;
    if (last - least < 3 || !(valid[last] > 1.1 * valid[least]) || !(train[last] < train[least]))
        return;
    bs_notes_add(advice, "overfitting",
                 "give it more training data or more dropout (net.dropout is %g): it overfits, the "
                 "loss of validation data rose by %.0f %% after epoch %.0f while that of training "
                 "fell",
                 (double)run->settings.train.net_dropout, 100 * (valid[last] / valid[least] - 1),
                 h->epoch[least]);
}

/* Whether twice the rows still help the linear model. */
static basin_status advise_data(const bs_report_group *g, bs_notes *advice, basin_error *err)
{
    const bs_baseline *half = &g->base[BS_BASE_HALF], *all = &g->base[BS_BASE_SIMPLE];
    int                cut;
    const int          deciding = bs_report_deciding(g, &cut);
    bs_paired          test[BS_VALUES_MAX];
    bs_buf             gain;
    if (!half->measured || !all->measured)
        return BASIN_OK;
    bs_sampled_set a = {&half->source, 1}, b = {&all->source, 1};
    basin_status   s = bs_paired_seeds(&a, &b, (uint64_t)g->run[g->shown].settings.train.seed,
                                       g->replicates, level, test, err);
    if (s || !surely(g->task, deciding, &test[deciding]))
        return s;
    bs_buf_init(&gain, 256);
    put_distance(g->task, deciding, test[deciding].difference, &gain);
    if (gain.failed)
        s = bs_fail_nomem(err);
    else
        bs_notes_add(advice, "data",
                     "get more rows: from half of them to all a linear model gains %s, so the "
                     "learning curve still rises",
                     gain.data);
    bs_buf_free(&gain);
    return s;
}

static basin_status advise(const bs_report *r, const bs_report_group *g, bs_notes *advice,
                           basin_error *err)
{
    const bs_report_run   *run = &g->run[g->shown];
    const bs_report_group *from = based(r, g);
    basin_status           s = BASIN_OK;
    advise_longer(run, advice);
    if (from == g)
        advise_bases(g, advice);
    advise_overfitting(run, advice);
    if (from)
        s = advise_data(from, advice, err);
    if (!s && bs_tool_of(g->task)->report)
        s = bs_tool_of(g->task)->report->advise(g, advice, err);
    if (g->models == 1)
        bs_notes_add(advice, "seeds", "train several seeds (--seeds 5) to see how much is luck");
    bs_notes_add(advice, "tune", "let 'basin tune' search for better settings");
    return s;
}

/* ---- several runs ---- */

static void advise_winner(const bs_best_of *w, bs_notes *advice)
{
    if (bs_best_of_matters(w))
        return;
    if (w->seeds == 1)
        bs_notes_add(advice, "winner", "train several seeds of each (--seeds 5) to decide");
    else
        bs_notes_add(advice, "winner",
                     "take the simpler or faster of the two: more seeds or more %s rows would have "
                     "to decide",
                     w->part);
}

/* ---- the sentence ---- */

static void without_rows(const bs_report_group *g, bs_buf *out)
{
    const bs_report_run *run = &g->run[g->shown];
    int                  cut;
    if (!run->model) {
        bs_buf_printf(out,
                      "There is no model yet after %.0f epoch%s; next: continue it with 'basin "
                      "train --config ",
                      run->history.epoch[run->history.n - 1], run->history.n == 1 ? "" : "s");
        bs_put_word(run->folder, out);
        bs_buf_text(out, "/config --resume -o ");
        bs_put_word(run->folder, out);
        bs_buf_text(out, "'.");
        return;
    }
    const int    deciding = bs_report_deciding(g, &cut);
    const double test = bs_report_card_mean(g, 1, cut, deciding);
    const double value = isnan(test) ? bs_report_card_mean(g, 0, cut, deciding) : test;
    if (isnan(value)) {
        bs_buf_text(out, "It is unknown how good the model is, since its data is missing; next: "
                         "'basin "
                         "eval' on data with labels.");
        return;
    }
    bs_buf_text(out, "At the end of its training the model had ");
    put_value(g->task, deciding, value, out);
    bs_buf_printf(out,
                  " %s on %s %s, which are missing now, so there are no baselines; next: restore "
                  "the data, or 'basin eval' on other data.",
                  g->task->metric[deciding].name, isnan(test) ? "validation" : "test",
                  g->task->unit);
}

basin_status bs_report_verdict(bs_report *r, basin_error *err)
{
    bs_buf                *out = &r->verdict;
    const bs_report_group *g = &r->group[0];
    basin_status           s = BASIN_OK;
    for (int i = 1; i < r->n; i++)
        g = r->group[i].name == r->winner.best ? &r->group[i] : g;
    for (int i = 1; i < r->n && !g->judged; i++)
        g = r->group[i].judged ? &r->group[i] : g;
    if (!g->judged) {
        without_rows(&r->group[0], out);
        return out->failed ? bs_fail_nomem(err) : BASIN_OK;
    }
    if (r->winner.best) {
        bs_best_of_text(&r->winner, out);
        if (!out->failed && out->len > 0)
            out->data[--out->len] = '\0'; /* removes the full stop: the sentence continues */
        advise_winner(&r->winner, &r->advice);
    } else {
        if (r->n > 1)
            bs_buf_text(out,
                        "The runs cannot be compared: they were evaluated on different data. ");
        put_scores(g, out);
    }
    put_bases(r, g, out);
    s = advise(r, g, &r->advice, err);
    if (!s && (out->failed || r->advice.failed))
        s = bs_fail_nomem(err);
    if (!s)
        bs_buf_printf(out, "; next: %s.", r->advice.note[0].text);
    return !s && out->failed ? bs_fail_nomem(err) : s;
}
