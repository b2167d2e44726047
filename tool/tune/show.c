/* show.c -- a search for people: how it went, every option against the score, all trials, in a
 * terminal and on a page; and as a JSON object. */
#include <math.h>
#include <string.h>

#include "tune/tune.h"

enum { WIDEST = 100, SHOWN = 10, COLUMN = 8, CURVES = 6 };

/* "finished", "paused", "cut", "failed" */
static const char *state_of(const bs_tuning *t, int trial)
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
    bs_buf_printf(out, "  %5d %-8s %6d %8s %s %7.1f", trial, state_of(t, trial), r->epochs, score,
                  best ? "*" : " ", r->seconds);
    for (int i = 0; i < t->space.n && has_room(out, start); i++) {
        bs_space_text(&t->space.at[i], x->u[i], text);
        bs_buf_printf(out, " %*.*s", COLUMN, COLUMN, text);
    }
}

/* ---- the result ---- */

static double shown(const bs_tuning *t, int trial)
{
    return t->scale * bs_tune_score(t, t->trial[trial].score);
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
        const int n = bs_tune_count(t, kinds[i].state);
        if (n > 0)
            bs_buf_printf(out, "%s%d %s", any++ ? ", " : "", n, kinds[i].word);
    }
}

/* The result, and what next. */
static void verdict(const bs_tuning *t, bs_doc *d)
{
    const bs_metric *m = &t->task->metric[t->metric];
    const char      *unit = t->scale > 1 ? " %" : "", *points = t->scale > 1 ? " points" : "";
    const double     first = shown(t, 0), gain = fabs(shown(t, t->best) - first);
    bs_buf           text;
    bs_buf_init(&text, 1 << 14);
    bs_buf_printf(&text, "Trial %d of %d is best: %.2f%s %s on %d validation %s", t->best, t->n,
                  shown(t, t->best), unit, m->name, (int)t->data.part[1].rows, t->task->unit);
    if (t->best == 0)
        bs_buf_text(&text, ", and it is the one that the search began with");
    else if (!isnan(first))
        bs_buf_printf(&text, ", %.2f%s %s than where it started", gain, points,
                      m->higher ? "more" : "less");
    bs_buf_text(&text, "; the best of several on the same data looks better than it is, so next: "
                       "train it with several seeds and measure it on data that took no part, by "
                       "'basin train --config ");
    bs_put_word(t->o->folder, &text);
    bs_buf_text(&text, "/best.config --seeds 5'.");
    bs_doc_tell(d, "verdict", &text);
    bs_buf_free(&text);
}

static void summary(const bs_tuning *t, bs_doc *d)
{
    char   time[BS_TIME_TEXT], value[BS_TUNE_NAME];
    bs_doc page = {.page = d->page};
    bs_buf text;
    bs_buf_init(&text, 1 << 12);
    counts_text(t, &text);
    bs_doc_list_begin(d);
    bs_doc_item(d, "method", "%s, %d options", t->base.train.method, t->space.n);
    bs_doc_item(d, "trials", "%d in %s: %s", t->n, bs_time_text(bs_tune_elapsed(t), time),
                text.data ? text.data : "");
    bs_doc_item(d, "data", "%d %s to train, %d to validate; %s", (int)t->data.part[0].rows,
                t->task->unit, (int)t->data.part[1].rows, t->base.train.file_train);
    if (!isnan(t->trial[0].score))
        bs_doc_item(&page, "start", "trial 0, %.2f", shown(t, 0));
    for (int i = 0; i < t->space.n; i++) {
        bs_buf_clear(&text);
        bs_space_range(&t->space.at[i], &text);
        bs_space_text(&t->space.at[i], t->trial[t->best].u[i], value);
        bs_doc_item(&page, t->space.at[i].row.name, "%s  (of %s)", value,
                    text.data ? text.data : "");
    }
    bs_doc_list_end(d);
    bs_buf_free(&text);
}

/* ---- how it went ---- */

/* Room for two curves over trials. */
typedef struct {
    double *x, *y; /* [trials] */
} path;

static void wide_chart(const bs_tuning *t, const char *title, const char *x_name,
                       const bs_series *series, int n, bs_buf *page)
{
    bs_chart_draw(&(bs_chart){.title = title,
                              .x_name = x_name,
                              .y_name = t->task->metric[t->metric].name,
                              .series = series,
                              .n = n,
                              .width = 640,
                              .height = 300},
                  page);
}

static void history(const bs_tuning *t, const path *p, bs_buf *page)
{
    double best = NAN;
    for (int i = 0; i < t->n; i++) {
        const double score = t->trial[i].score;
        if (!isnan(score) && !(score <= best))
            best = score;
        p[0].x[i] = i;
        p[0].y[i] = shown(t, i);
        p[1].y[i] = t->scale * bs_tune_score(t, best);
    }
    const bs_series series[] = {
        {.name = "trial", .x = p[0].x, .y = p[0].y, .n = t->n, .dots = true},
        {.name = "best so far", .x = p[0].x, .y = p[1].y, .n = t->n},
    };
    wide_chart(t, "Scores in the order of trials", "trial", series, 2, page);
}

/* Learning curves of the best trials. */
static void curves(const bs_tuning *t, const int *order, bs_buf *page)
{
    bs_series series[CURVES];
    char      name[CURVES][32], folder[BS_OPTION_TEXT + 64];
    int       n = 0;
    bs_arena  arena;
    bs_arena_init(&arena, 0);
    for (int i = 0; i < t->n && n < CURVES; i++) {
        bs_history h;
        bs_tune_folder(t, order[i], folder);
        const basin_status s = bs_history_read(&arena, folder, &h, NULL);
        const double      *valid = bs_history_find(&h, "valid", t->task->metric[t->metric].name);
        double            *y = bs_arena_alloc(&arena, (size_t)h.n * sizeof *y);
        if (s || !valid || !y)
            continue;
        for (int k = 0; k < h.n; k++)
            y[k] = t->scale * valid[k];
        bs_print(name[n], sizeof name[n], "trial %d", order[i]);
        series[n] = (bs_series){.name = name[n], .x = h.epoch, .y = y, .n = h.n};
        n++;
    }
    wide_chart(t, "Validation score while training, best trials", "epoch", series, n, page);
    bs_arena_free(&arena);
}

/* Scores over the values of an option, marked by the state of the trial. */
static void option_chart(const bs_tuning *t, int option, const path *p, bs_buf *page)
{
    const bs_dimension *d = &t->space.at[option];
    int                 n[2] = {0};
    bs_buf              words;
    for (int i = 0; i < t->n; i++) {
        const int at = t->trial[i].state == BS_TRIAL_FINISHED;
        if (isnan(t->trial[i].score))
            continue;
        p[at].x[n[at]] = bs_space_value(d, t->trial[i].u[option]);
        p[at].y[n[at]++] = shown(t, i);
    }
    const bs_series series[] = {
        {.name = "stopped early", .x = p[0].x, .y = p[0].y, .n = n[0], .dots = true, .colour = 3},
        {.name = "to the end", .x = p[1].x, .y = p[1].y, .n = n[1], .dots = true, .colour = 1}};
    const bs_series *from = n[0] > 0 ? series : series + 1;
    bs_chart_draw(
        &(bs_chart){
            .title = d->row.name,
            .y_name = t->task->metric[t->metric].name,
            .series = from,
            .n = (int)(series + 2 - from),
            .mark = &(bs_mark){.x = bs_space_value(d, t->trial[t->best].u[option]), .name = "best"},
            .marks = 1,
            .log_x = d->log},
        page);
    bs_buf_init(&words, 1 << 12);
    for (int i = 0; i < d->n_words; i++)
        bs_buf_printf(&words, "%s%d = %s", i ? ", " : "", i, d->word[i]);
    if (d->n_words > 0)
        bs_page_say(page, "quiet", "%s: %s", d->row.name, words.data ? words.data : "");
    bs_buf_free(&words);
}

static void charts(const bs_tuning *t, const int *order, bs_buf *page)
{
    const size_t n = (size_t)t->n;
    double      *block = bs_calloc(4 * n + 1, sizeof *block);
    if (!block) {
        page->failed = true;
        return;
    }
    const path p[2] = {{block, block + n}, {block + 2 * n, block + 3 * n}};
    bs_page_heading(2, "How it went", page);
    history(t, p, page);
    curves(t, order, page);
    bs_page_heading(2, "Options", page);
    bs_page_grid_begin(page);
    for (int i = 0; i < t->space.n; i++)
        option_chart(t, i, p, page);
    bs_page_grid_end(page);
    bs_free(block);
}

/* ---- all trials ---- */

static void trials(const bs_tuning *t, const int *order, bs_doc *page)
{
    bs_column column[BS_TUNE_MOST + 6] = {{.name = "trial"},
                                          {.name = "state", .text = true},
                                          {.name = "from",
                                           .text = true,
                                           .help = "default: where the search started; sequence: "
                                                   "spread evenly; model: where most was expected"},
                                          {.name = "epochs"},
                                          {.name = t->task->metric[t->metric].name},
                                          {.name = "seconds"}};
    for (int i = 0; i < t->space.n; i++)
        column[6 + i] = (bs_column){.name = t->space.at[i].row.name, .first = i == 0};
    bs_doc_heading(page, 2, "Trials");
    bs_doc_table(page, NULL, column, 6 + t->space.n, BS_TABLE_SORTED | BS_TABLE_LONG);
    for (int i = 0; i < t->n; i++) {
        const int             at = order[i];
        const bs_tune_record *r = &t->record[at];
        char                  text[BS_TUNE_MOST][BS_TUNE_NAME];
        bs_cell               cell[BS_TUNE_MOST + 6];
        cell[0] = bs_cell_count(at);
        cell[1] = bs_cell_text(state_of(t, at));
        cell[2] = bs_cell_text(bs_trial_sources[r->from]);
        cell[3] = bs_cell_count(r->epochs);
        cell[4] = bs_cell_as(at == t->best ? "best" : "", shown(t, at), 2);
        cell[5] = bs_cell_number(r->seconds, 1);
        for (int k = 0; k < t->space.n; k++) {
            bs_space_text(&t->space.at[k], t->trial[at].u[k], text[k]);
            cell[6 + k] = bs_cell_number(bs_space_value(&t->space.at[k], t->trial[at].u[k]), 0);
            cell[6 + k].text = text[k];
        }
        bs_doc_row(page, cell, 6 + t->space.n);
    }
    bs_doc_table_end(page);
}

/* A terminal gets the lines that it got while trials ended. */
static void best_trials(const bs_tuning *t, const int *order, bs_buf *text)
{
    bs_buf_text(text, "\n");
    bs_tune_head(t, text);
    bs_buf_text(text, "\n");
    for (int i = 0; i < t->n && i < SHOWN; i++) {
        bs_tune_row(t, order[i], order[i] == t->best, text);
        bs_buf_text(text, "\n");
    }
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

void bs_tune_show(const bs_tuning *t, const int *order, bs_doc *d)
{
    char title[BS_OPTION_TEXT + 64];
    bs_print(title, sizeof title, "Tuning %s", t->base.train.method);
    bs_page_begin(title, t->o->folder, d->page);
    verdict(t, d);
    summary(t, d);
    best_trials(t, order, d->text);
    charts(t, order, d->page);
    trials(t, order, &(bs_doc){.page = d->page});
    bs_page_end(d->page);
    next_text(t, d->text);
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
    bs_json_members(out, "trial %d state %s from %s", trial, state_of(t, trial),
                    bs_trial_sources[r->from]);
    bs_tune_values_json(t, trial, out);
    bs_json_members(out, "score %g epochs %d best_epoch %d seconds %g",
                    bs_tune_score(t, t->trial[trial].score), r->epochs, r->best_epoch, r->seconds);
    bs_json_close(out, '}');
}

void bs_tune_json(const bs_tuning *t, const int *order, bs_buf *out)
{
    char config[BS_OPTION_TEXT + 64];
    bs_print(config, sizeof config, "%s/best.config", t->o->folder);
    bs_json_open(out, NULL, '{');
    bs_json_members(out,
                    "task %s method %s metric %s part %s seed %d trials %d finished %d "
                    "paused %d failed %d seconds %g folder %s config %s",
                    t->base.train.task, t->base.train.method, t->task->metric[t->metric].name,
                    "valid", t->base.train.seed, t->n, bs_tune_count(t, BS_TRIAL_FINISHED),
                    bs_tune_count(t, BS_TRIAL_PAUSED), bs_tune_count(t, BS_TRIAL_FAILED),
                    bs_tune_elapsed(t), t->o->folder, config);
    trial_json(t, "best", t->best, out);
    trial_json(t, "start", 0, out);
    bs_tune_space_json(&t->space, out);
    bs_json_open(out, "top", '[');
    for (int i = 0; i < t->n && i < SHOWN; i++)
        trial_json(t, NULL, order[i], out);
    bs_buf_text(out, "]}");
}
