/* text.c -- a search as a table for people and as a JSON object. */
#include <math.h>
#include <string.h>

#include "tune/tune.h"

enum { WIDEST = 100, SHOWN = 10, COLUMN = 8 };

const char *bs_tune_state(const bs_tuning *t, int trial)
{
    const bs_trial *x = &t->trial[trial];
    return x->state == BS_TRIAL_RUNNING ? "cut" : bs_trial_states[x->state];
}

/* ---- rows of trials ---- */

static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

/* energy.weight -> weight; if another option has the same ending: steps.energy -> s.energy */
static void short_name(const bs_space *s, int option, char out[COLUMN + 1])
{
    const char *name = s->at[option].row.name, *last = last_part(name);
    bool        alone = true;
    for (int i = 0; i < s->n; i++)
        alone = alone && (i == option || strcmp(last_part(s->at[i].row.name), last) != 0);
    if (strlen(name) <= COLUMN)
        bs_print(out, COLUMN + 1, "%s", name);
    else if (alone)
        bs_print(out, COLUMN + 1, "%.*s", COLUMN, last);
    else
        bs_print(out, COLUMN + 1, "%c.%.*s", name[0], COLUMN - 2, last);
}

static const char *heading(const bs_tuning *t)
{
    const bs_task *k = t->task;
    for (int i = 0; i < BS_SHOWN && k->shown[i].heading; i++)
        if (k->shown[i].metric == t->metric)
            return k->shown[i].heading;
    return k->metric[t->metric].name;
}

static bool has_room(const bs_buf *out, size_t start)
{
    return out->len - start + COLUMN + 1 <= WIDEST;
}

void bs_tune_head(const bs_tuning *t, bs_buf *out)
{
    const size_t start = out->len;
    bs_buf_printf(out, "  %5s %-8s %6s %8.8s   %7s", "trial", "state", "epochs", heading(t),
                  "seconds");
    for (int i = 0; i < t->space.n && has_room(out, start); i++) {
        char name[COLUMN + 1];
        short_name(&t->space, i, name);
        bs_buf_printf(out, " %*s", COLUMN, name);
    }
}

void bs_tune_row(const bs_tuning *t, int trial, bool best, bs_buf *out)
{
    const bs_trial       *x = &t->trial[trial];
    const bs_tune_record *r = &t->record[trial];
    const size_t          start = out->len;
    char                  score[32] = "-", text[BS_TUNE_NAME];
    if (!isnan(x->score))
        bs_print(score, sizeof score, "%.2f", t->scale * bs_tune_score(t, x->score));
    bs_buf_printf(out, "  %5d %-8s %6d %8s %s %7.1f", trial, bs_tune_state(t, trial), r->epochs,
                  score, best ? "*" : " ", r->seconds);
    for (int i = 0; i < t->space.n && has_room(out, start); i++) {
        bs_space_text(&t->space.at[i], x->u[i], text);
        bs_buf_printf(out, " %*.*s", COLUMN, COLUMN, text);
    }
}

/* ---- the table ---- */

static int count(const bs_tuning *t, bs_trial_state state)
{
    int n = 0;
    for (int i = 0; i < t->n; i++)
        n += t->trial[i].state == state;
    return n;
}

static void counts_text(const bs_tuning *t, bs_buf *out)
{
    static const struct {
        bs_trial_state state;
        const char    *word;
    } kinds[] = {{BS_TRIAL_FINISHED, "trained to the end"},
                 {BS_TRIAL_PAUSED, "stopped early"},
                 {BS_TRIAL_FAILED, "failed"},
                 {BS_TRIAL_RUNNING, "cut off"}};
    for (int i = 0, any = 0; i < 4; i++) {
        const int n = count(t, kinds[i].state);
        if (n > 0)
            bs_buf_printf(out, "%s%d %s", any++ ? ", " : "", n, kinds[i].word);
    }
}

/* The value at which the curve of an option is highest. */
static void best_text(const bs_tuning *t, const bs_tune_findings *f, int option,
                      char text[BS_TUNE_NAME])
{
    const double *curve = f->importance[option].curve;
    int           at = 0;
    for (int i = 1; i < BS_TUNE_GRID; i++)
        if (curve[i] > curve[at])
            at = i;
    bs_space_text(&t->space.at[option], at / (double)(BS_TUNE_GRID - 1), text);
}

void bs_tune_importance_show(const bs_tuning *t, const bs_tune_findings *f, bs_doc *d)
{
    bs_bar bar[BS_TUNE_MOST];
    char   note[BS_TUNE_MOST][160];
    int    order[BS_TUNE_MOST];
    bs_doc_heading(d, 2, "What mattered");
    if (!f->any) {
        bs_doc_say(d, "note", "Too few trials have a score to tell; %d would do.", t->space.n + 3);
        return;
    }
    for (int i = 0; i < t->space.n; i++) {
        int at = i;
        for (; at > 0 && f->importance[order[at - 1]].share < f->importance[i].share; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (int i = 0; i < t->space.n; i++) {
        const bs_dimension *o = &t->space.at[order[i]];
        char                best[BS_TUNE_NAME];
        bs_buf              range;
        bs_buf_init(&range, 1 << 12);
        bs_space_range(o, &range);
        best_text(t, f, order[i], best);
        bs_print(note[i], sizeof note[i], "%s of %s", best, range.data ? range.data : "");
        bs_buf_free(&range);
        bar[i] = (bs_bar){
            .name = o->row.name, .value = 100 * f->importance[order[i]].share, .note = note[i]};
    }
    bs_doc_bars(d, &(bs_bars){.title = "Share of the differences that an option explains by "
                                       "itself, %",
                              .bar = bar,
                              .n = t->space.n,
                              .lo = 0,
                              .hi = 100,
                              .width = 640,
                              .digits = 0});
    bs_doc_say(d, "quiet",
               "In %% of the differences that an option explains by itself, with the value that "
               "is best on average.");
    if (!isnan(f->explains))
        bs_doc_say(d, f->explains < 0.3 ? "warn" : "quiet",
                   "How far to trust it: of the differences between trials that were left out of "
                   "the fit, the model explains %.0f %%.",
                   100 * fmax(f->explains, 0));
}

static void next_text(const bs_tuning *t, bs_buf *out)
{
    const char *folder = t->o->folder;
    bs_buf_text(out, "\nwrote ");
    bs_buf_visible(out, folder);
    bs_buf_text(out, ": best.config, trials.jsonl, tune.html, tune.json, trial-N\n"
                     "next: basin train --config ");
    bs_put_word(folder, out);
    bs_buf_text(out, "/best.config --seeds 5 -o RUN");
    if (!*t->base.train.file_test && t->base.train.file_valid[0])
        bs_buf_text(out, " --test FILE");
    bs_buf_text(out, "\n");
}

void bs_tune_table(const bs_tuning *t, const bs_tune_findings *f, bs_buf *out)
{
    char         time[BS_TIME_TEXT];
    const char  *name = t->task->metric[t->metric].name;
    const double best = t->scale * bs_tune_score(t, t->trial[t->best].score);
    bs_buf_printf(out, "%s, %d options, %d trials in %s: ", t->base.train.method, t->space.n, t->n,
                  bs_time_text(bs_tune_elapsed(t), time));
    counts_text(t, out);
    bs_buf_text(out, "\n");
    bs_tune_head(t, out);
    bs_buf_text(out, "\n");
    for (int i = 0; i < t->n && i < SHOWN; i++) {
        bs_tune_row(t, f->order[i], f->order[i] == t->best, out);
        bs_buf_text(out, "\n");
    }
    bs_tune_importance_show(t, f, &(bs_doc){.text = out});
    bs_buf_printf(out, "\nbest: trial %d, %s %.2f on validation", t->best, name, best);
    if (t->n > 0 && t->best > 0 && !isnan(t->trial[0].score))
        bs_buf_printf(out, "; trial 0, where it started: %.2f",
                      t->scale * bs_tune_score(t, t->trial[0].score));
    bs_buf_printf(out, "\nthe best of %d trials on the same rows looks better than it is\n", t->n);
    next_text(t, out);
}

/* ---- JSON ---- */

void bs_tune_values_json(const bs_tuning *t, int trial, bs_buf *out)
{
    bs_json_open(out, "values", '{');
    for (int i = 0; i < t->space.n; i++) {
        const bs_dimension *d = &t->space.at[i];
        char                text[BS_TUNE_NAME];
        bs_space_text(d, t->trial[trial].u[i], text);
        bs_json_key(out, d->row.name);
        if (d->n_words > 0)
            bs_json_text(out, NULL, text);
        else
            bs_buf_text(out, text);
    }
    bs_json_close(out, '}');
}

void bs_tune_space_json(const bs_space *s, bs_buf *out)
{
    bs_json_open(out, "space", '{');
    for (int i = 0; i < s->n; i++) {
        bs_buf range;
        bs_buf_init(&range, 1 << 12);
        bs_space_range(&s->at[i], &range);
        bs_json_text(out, s->at[i].row.name, range.data);
        out->failed = out->failed || range.failed;
        bs_buf_free(&range);
    }
    bs_json_close(out, '}');
}

static void trial_json(const bs_tuning *t, const char *key, int trial, bs_buf *out)
{
    const bs_tune_record *r = &t->record[trial];
    bs_json_open(out, key, '{');
    bs_json_members(out, "trial %d state %s from %s", trial, bs_tune_state(t, trial),
                    bs_trial_sources[r->from]);
    bs_tune_values_json(t, trial, out);
    bs_json_members(out, "score %g epochs %d best_epoch %d seconds %g",
                    bs_tune_score(t, t->trial[trial].score), r->epochs, r->best_epoch, r->seconds);
    bs_json_close(out, '}');
}

void bs_tune_json(const bs_tuning *t, const bs_tune_findings *f, bs_buf *out)
{
    char config[BS_OPTION_TEXT + 64];
    bs_print(config, sizeof config, "%s/best.config", t->o->folder);
    bs_json_open(out, NULL, '{');
    bs_json_members(out,
                    "task %s method %s metric %s part %s seed %d trials %d finished %d "
                    "paused %d failed %d seconds %g folder %s config %s",
                    t->base.train.task, t->base.train.method, t->task->metric[t->metric].name,
                    "valid", t->base.train.seed, t->n, count(t, BS_TRIAL_FINISHED),
                    count(t, BS_TRIAL_PAUSED), count(t, BS_TRIAL_FAILED), bs_tune_elapsed(t),
                    t->o->folder, config);
    trial_json(t, "best", t->best, out);
    trial_json(t, "start", 0, out);
    if (f->any) {
        bs_json_real(out, "model_explains", f->explains);
        bs_json_open(out, "importance", '{');
        for (int i = 0; i < t->space.n; i++)
            bs_json_real(out, t->space.at[i].row.name, f->importance[i].share);
        bs_json_close(out, '}');
    }
    bs_tune_space_json(&t->space, out);
    bs_json_open(out, "top", '[');
    for (int i = 0; i < t->n && i < SHOWN; i++)
        trial_json(t, NULL, f->order[i], out);
    bs_buf_text(out, "]}");
}
