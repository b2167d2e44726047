/* show.c -- an explanation for people: tables on a terminal, and a page with these plus maps,
 * curves and pictures. */
#include <math.h>
#include <string.h>

#include "explain/explain.h"
#include "doc/heat.h"
#include "data/image/picture.h"

enum {
    ZOOM = 36,  /* labels of maps shown side by side, and of the close-up */
    PAIRS = 20, /* of the tables of the page, and of a terminal */
    FEW_PAIRS = 8,
    SHOWN_TERMS = 24 /* labels of a row that are neither predicted nor true */
};

/* ---- short ---- */

/* Number of standard deviations from the mean of shuffled labels. */
static const double sure = 3;

static void mean_pairs(const bs_explanation *e, bs_buf *out)
{
    const bs_explained_pairs *p = &e->pairs;
    const bs_agreement       *a = &p->given_expected;
    const double              z = a->sd > 0 ? (a->rho - a->mean) / a->sd : 0;
    const char               *what = p->ordered ? "tags follow each other" : "labels go together";
    bs_explained_pair         pair;
    bs_buf_printf(out,
                  z > sure    ? "The energy has learnt which %s in the data"
                  : z < -sure ? "The energy goes against which %s in the data"
                              : "The energy shows no sign of knowing which %s in the data",
                  what);
    bs_buf_printf(out,
                  " (rank correlation %.3f given frequencies; with shuffled %s %.3f, deviation "
                  "%.3f)",
                  a->rho, p->ordered ? "tags" : "labels", a->mean, a->sd);
    if (bs_explain_strongest(e, true, 1, &pair) > 0)
        bs_buf_printf(out, "; what it rewards most is %s %s %s", e->name[pair.i],
                      p->ordered ? "before" : "with", e->name[pair.j]);
    const double times = p->moves_shared > 0 ? p->moves_local / p->moves_shared : (double)NAN;
    if (!p->ordered && times > 3)
        bs_buf_printf(out,
                      "; but it goes by the input: that moves its gradient %.0f times as much "
                      "as other labels do",
                      times);
    else if (!p->ordered && times > 0)
        bs_buf_printf(out, "; other labels move its gradient %.1f times as much as the input does",
                      1 / times);
}

static void mean_pixels(const bs_explanation *e, bs_buf *out)
{
    double ring[BS_EXPLAIN_REACH];
    int    reach = 0;
    bs_explain_rings(e->pixels.interaction, ring);
    while (reach < BS_EXPLAIN_REACH && ring[reach] > 0 && ring[reach] >= 0.1 * ring[0])
        reach++;
    if (reach == 0)
        bs_buf_text(out, "The energy does not want neighbouring pixels to be of one class");
    else
        bs_buf_printf(out, "The energy wants pixels of one class together, up to %d pixel%s away",
                      reach, reach > 1 ? "s" : "");
}

/* Whether searching pays: starting from the net if that was tried, else from its own start. */
static void mean_steps(const bs_explanation *e, bs_buf *out)
{
    const bs_explained_search *x = e->steps.n > 0 ? &e->steps.search[e->steps.n - 1] : NULL;
    const bs_metric           *m = &e->m->task->metric[e->m->known.deciding];
    if (!x || !e->steps.direct)
        return;
    const double now = x->score[x->n - 1], by = (m->higher ? 1 : -1) * (now - e->steps.score);
    bs_buf_printf(out, "; a search of it (%s) %s %s from %.2f %% of the %s to %.2f %%", x->name,
                  fabs(by) < 0.0005 ? "leaves"
                  : by > 0          ? "improves"
                                    : "worsens",
                  m->name, 100 * e->steps.score, e->steps.direct, 100 * now);
    bs_buf_printf(out, by > 0.0005 ? ", so predict with --infer %s" : ", so predict without it",
                  x->name);
}

/* What the following sections amount to. */
static void meaning(const bs_explanation *e, bs_doc *d)
{
    bs_buf text;
    bs_buf_init(&text, 1 << 16);
    if (e->pairs.n > 0 && !isnan(e->pairs.given_expected.rho))
        mean_pairs(e, &text);
    else if (e->pixels.n > 0)
        mean_pixels(e, &text);
    else
        bs_buf_text(&text, "There is too little data to say what the energy has learnt");
    mean_steps(e, &text);
    bs_page_say(d->page, "verdict", "%s.", text.failed ? "" : text.data);
    if (d->text && !text.failed) {
        bs_buf_visible(d->text, text.data);
        bs_buf_text(d->text, ".\n");
    }
    bs_buf_free(&text);
}

static void summary(const bs_explanation *e, bs_doc *d)
{
    bs_buf text;
    bs_buf_init(&text, 1 << 20);
    bs_buf_visible(&text, e->model_name);
    bs_buf_printf(&text, ": method %s, %d of %d %s of ", e->m->settings.train.method,
                  (int)e->data.rows, (int)e->all.rows, e->m->task->unit);
    bs_buf_visible(&text, e->data_name);
    if (d->page)
        bs_page_begin("What the energy learned", text.failed ? NULL : text.data, d->page);
    if (d->text)
        bs_buf_printf(d->text, "%s, %.1f s\n", text.failed ? "" : text.data, e->seconds);
    bs_buf_free(&text);
    meaning(e, d);
}

/* ---- pairs ---- */

/* A matrix in drawing order, the diagonal empty if it is not a pair; n of the labels. */
static void draw_matrix(const bs_explanation *e, const double *matrix, const int32_t *order, int n,
                        bs_heat h, bs_buf *out)
{
    const bs_explained_pairs *p = &e->pairs;
    float                    *value = bs_calloc((size_t)n * (size_t)n, sizeof *value);
    const char              **name = bs_calloc((size_t)n, sizeof *name);
    for (int i = 0; i < n && value && name; i++) {
        name[i] = e->name[order[i]];
        for (int j = 0; j < n; j++) {
            const double v = matrix[(size_t)order[i] * (size_t)p->n + (size_t)order[j]];
            value[(size_t)i * (size_t)n + (size_t)j] = i == j && !p->ordered ? NAN : (float)v;
        }
    }
    h.rows = h.cols = n;
    h.value = value;
    h.row_name = name;
    h.row_title = p->ordered ? "tag" : NULL;
    h.col_title = p->ordered ? "next tag" : NULL;
    if (value && name)
        bs_heat_draw(&h, out);
    else
        out->failed = true;
    bs_free(value);
    bs_free(name);
}

/* The specific part of pairs, from the energy and from the data; or both unchanged. */
static void draw_two(const bs_explanation *e, const int32_t *order, int n, bool own, bs_buf *out)
{
    const bs_explained_pairs *p = &e->pairs;
    bs_heat                   energy = {.diverging = true, .root = true, .digits = 3};
    bs_heat                   data = {.root = !own, .diverging = own, .digits = own ? 2 : 0};
    energy.title = own ? "Energy: interaction, pairs alone" : "Energy: interaction";
    data.title = own          ? "Data: information, log of count over expected"
                 : p->ordered ? "Data: how often a tag follows"
                              : "Data: how often they occur together";
    draw_matrix(e, own ? p->own : p->interaction, order, n, energy, out);
    draw_matrix(e, own ? p->information : p->count, order, n, data, out);
}

static void draw_small(const bs_explanation *e, const int32_t *order, int n, bs_buf *out)
{
    bs_page_grid_begin(out);
    draw_two(e, order, n, true, out);
    draw_two(e, order, n, false, out);
    bs_page_grid_end(out);
}

/* The most frequent labels of a large matrix, in the same order. */
static void draw_zoom(const bs_explanation *e, bs_buf *out)
{
    const bs_explained_pairs *p = &e->pairs;
    const size_t              n = (size_t)p->n;
    int32_t                   shown[ZOOM], k = 0;
    for (int32_t i = 0; i < p->n && k < ZOOM; i++) {
        const size_t a = (size_t)p->order[i];
        int32_t      more = 0;
        for (size_t b = 0; b < n; b++)
            more += p->count[b * n + b] > p->count[a * n + a] ||
                    (!(p->count[b * n + b] < p->count[a * n + a]) && b < a);
        if (more < ZOOM)
            shown[k++] = p->order[i];
    }
    bs_page_heading(3, "The labels that occur most", out);
    draw_small(e, shown, k, out);
}

static void agreement_row(const char *name, const char *what, const bs_agreement *a, bs_doc *d)
{
    BS_ROW(d, bs_cell_name(name), bs_cell_text(what), bs_cell_number(a->rho, 3),
           bs_cell_number(a->mean, 3), bs_cell_number(a->sd, 3),
           bs_cell_number((a->rho - a->mean) / a->sd, 1), bs_cell_number(a->p, 3));
}

static void agreements(const bs_explanation *e, bs_doc *d)
{
    static const bs_column column[] = {
        {.name = "interaction against", .text = true},
        {.name = "that is", .text = true, .only = BS_COLUMN_PAGE},
        {.name = "rank correlation", .help = "Spearman, over pairs of two different ones"},
        {.name = "shuffled", .group = "labels shuffled", .first = true, .help = "mean"},
        {.name = "deviation", .group = "labels shuffled"},
        {.name = "away", .group = "labels shuffled", .help = "in deviations"},
        {.name = "p", .group = "labels shuffled", .help = "share that gives as much"}};
    const bs_explained_pairs *p = &e->pairs;
    bs_doc_table(d, NULL, column, sizeof column / sizeof column[0], 0);
    agreement_row("counts", p->ordered ? "how often a tag follows" : "rows that have both labels",
                  &p->with_count, d);
    agreement_row("counts, given frequencies",
                  "partial correlation: what frequent labels explain is taken out",
                  &p->given_expected, d);
    agreement_row("information", "log of count over what independence would give",
                  &p->with_information, d);
    agreement_row("information, pairs alone",
                  p->ordered ? "means of rows and columns of the interaction taken out"
                             : "the mean interaction of each label with all others taken out",
                  &p->own_with_information, d);
    bs_doc_table_end(d);
}

/* How pairs that occur together rank among all pairs. */
static void groups(const bs_explanation *e, bs_doc *d)
{
    const bs_explained_pairs *p = &e->pairs;
    bs_bar                    bar[BS_EXPLAIN_GROUPS];
    char                      name[BS_EXPLAIN_GROUPS][64];
    int                       n = 0;
    for (int i = 0; i < p->groups; i++) {
        const bs_explained_group *g = &p->group[i];
        char                      to[24] = "";
        if (g->pairs == 0)
            continue;
        if (isinf(g->most))
            bs_print(to, sizeof to, " and more");
        else if (g->most > g->least)
            bs_print(to, sizeof to, " to %.0f", g->most);
        bs_print(name[n], sizeof name[n], "%.0f%s: %lld pairs", g->least, to, (long long)g->pairs);
        bar[n] = (bs_bar){.name = name[n], .value = 100 * g->rank};
        n++;
    }
    bs_doc_heading(d, 3,
                   p->ordered ? "Rank of pairs by how often they follow"
                              : "Rank of pairs by how often they occur together");
    bs_page_say(d->page, "",
                "Pairs that occur so often: the mean rank of their interaction among all "
                "pairs, 0 the lowest and 100 the highest. Where counts meant nothing to the "
                "energy, all would be at 50.");
    bs_doc_bars(d, &(bs_bars){.bar = bar, .n = n, .lo = 0, .hi = 100, .digits = 1, .width = 640});
}

static void pair_table(const bs_explanation *e, bool positive, bs_doc *d)
{
    const bs_explained_pairs *p = &e->pairs;
    const bool                tag = p->ordered;
    const char               *title = positive ? "rewarded most" : "punished most";
    const bs_column           column[] = {
                  {.name = d->page ? tag ? "tag" : "label" : title, .text = true},
                  {.name = "", .text = true, .only = BS_COLUMN_TEXT},
                  {.name = d->page ? tag ? "next tag" : "label" : "", .text = true},
                  {.name = "interaction"},
                  {.name = tag ? "times" : "rows", .help = tag ? NULL : "that have both"},
                  {.name = "expected", .help = "if independent"}};
    bs_explained_pair pair[PAIRS];
    const int         n = bs_explain_strongest(e, positive, d->page ? PAIRS : FEW_PAIRS, pair);
    if (d->page) {
        bs_buf_text(d->page, "<div>");
        bs_page_heading(3, positive ? "Rewarded most" : "Punished most", d->page);
    } else {
        bs_buf_text(d->text, "\n");
    }
    bs_doc_table(d, NULL, column, sizeof column / sizeof column[0], BS_TABLE_SORTED);
    for (int i = 0; i < n; i++) {
        const size_t at = (size_t)pair[i].i * (size_t)p->n + (size_t)pair[i].j;
        BS_ROW(d, bs_cell_text(e->name[pair[i].i]), bs_cell_text(tag ? ">" : "+"),
               bs_cell_text(e->name[pair[i].j]), bs_cell_number(p->interaction[at], 4),
               bs_cell_count((long long)p->count[at]), bs_cell_number(p->expected[at], 1));
    }
    bs_doc_table_end(d);
    if (d->page)
        bs_buf_text(d->page, "</div>");
}

static void introduce_pairs(const bs_explained_pairs *p, bs_buf *out)
{
    if (p->ordered)
        bs_page_say(out, "",
                    "Interaction of tag A and tag B after it: minus the second derivative of the "
                    "energy by the probabilities of A at one token and of B at the next, at the "
                    "model's outputs, mean over %lld pairs of neighbours%s. Positive: the energy "
                    "is lower when B follows A.",
                    (long long)p->places,
                    p->differences ? "; by differences, since this energy has LSTMs over tags"
                                   : "");
    else
        bs_page_say(out, "",
                    "Interaction of two labels: minus the second derivative of the energy by their "
                    "probabilities, at the model's outputs, mean over %lld rows. Positive: the "
                    "energy is lower when both are on than what each alone is worth. Labels that "
                    "occur together stand together in the maps; the diagonal is left out.",
                    (long long)p->places);
    bs_page_say(
        out, "quiet",
        "Entries of such matrices depend on each other, so that a correlation is worth what "
        "it differs from those with shuffled labels (%d times). \"Pairs alone\" is the interaction "
        "without what all pairs of a label have in common: %s. Maps of interaction are coloured by "
        "square root, so that weak ones can be seen.",
        p->with_count.shuffles,
        p->ordered ? "the energy of a chain does not change when that is moved to the scores of "
                     "single tags"
                   : "that is how much the label likes sets to be large");
}

static void maps(const bs_explanation *e, bs_buf *out)
{
    const bs_explained_pairs *p = &e->pairs;
    if (p->n <= ZOOM) {
        draw_small(e, p->order, p->n, out);
        return;
    }
    draw_zoom(e, out);
    bs_page_heading(3, "All labels", out);
    draw_two(e, p->order, p->n, true, out);
    bs_page_details_begin("The same with what all pairs of a label have in common", false, out);
    draw_two(e, p->order, p->n, false, out);
    bs_page_details_end(out);
}

static void pairs(const bs_explanation *e, bs_doc *d)
{
    const bs_explained_pairs *p = &e->pairs;
    if (p->n == 0)
        return;
    bs_doc_heading(d, 2, p->ordered ? "Neighbouring tags" : "Labels that depend on each other");
    if (d->page)
        introduce_pairs(p, d->page);
    agreements(e, d);
    if (isnan(p->with_count.rho))
        bs_doc_say(d, "warn",
                   "All pairs have the same interaction or the same count: there is nothing to "
                   "compare.");
    if (!isnan(p->moves_shared))
        bs_doc_say(d, "note",
                   "How much of the energy that is: the gradient by a label differs from row to "
                   "row by %.4g (standard deviation, mean over labels) in the local part, which "
                   "sees the input alone, and by %.4g in the part over labels.",
                   p->moves_local, p->moves_shared);
    if (d->page)
        maps(e, d->page);
    groups(e, d);
    bs_page_grid_begin(d->page);
    pair_table(e, true, d);
    pair_table(e, false, d);
    bs_page_grid_end(d->page);
}

/* ---- gradients ---- */

static void bends(const bs_explanation *e, bs_buf *out)
{
    static const char *const word[] = {"and", "against", "beside"};
    double    x[BS_EXPLAIN_POINTS], y[BS_EXPLAIN_BENDS + 1][BS_EXPLAIN_POINTS] = {{0}};
    char      name[BS_EXPLAIN_BENDS][96];
    bs_series series[BS_EXPLAIN_BENDS + 1];
    const int n = e->bends;
    if (n == 0)
        return;
    for (int i = 0; i < n; i++) {
        const bs_explained_bend *b = &e->bend[i];
        const int                kind = strcmp(b->what, "together") == 0 ? 0
                                        : strcmp(b->what, "apart") == 0  ? 1
                                                                         : 2;
        bs_print(name[i], sizeof name[i], "%.36s %s %.36s", e->name[b->to], word[kind],
                 e->name[b->from]);
        for (int k = 0; k < BS_EXPLAIN_POINTS; k++) {
            x[k] = (double)k / (BS_EXPLAIN_POINTS - 1);
            y[i][k] = b->gradient[k] - b->gradient[0];
        }
        series[i] = (bs_series){.name = name[i], .x = x, .y = y[i], .n = BS_EXPLAIN_POINTS};
    }
    series[n] = (bs_series){.name = "cross-entropy, any pair",
                            .x = x,
                            .y = y[n],
                            .n = BS_EXPLAIN_POINTS,
                            .dashed = true};
    bs_page_heading(2, "Gradients that know of other labels", out);
    bs_page_say(out, "",
                "The gradient of the energy over labels by one label, as the probability of "
                "another goes from 0 to 1 and all others stay at the model's outputs: its change, "
                "mean over rows. Going down: the more probable the other, the more the energy "
                "asks for this one. Shown are the pairs of strongest interaction (and: "
                "rewarded, against: punished) and one of common labels with next to none (beside). "
                "The gradient of cross-entropy does not move: it sees each label alone.");
    bs_chart_draw(&(bs_chart){.x_name = "probability of the other label",
                              .y_name = "change of the gradient",
                              .series = series,
                              .n = n + 1,
                              .width = 640,
                              .height = 320},
                  out);
}

/* ---- steps ---- */

static void steps_chart(const bs_explanation *e, const bs_explained_steps *st, bool energy,
                        bs_buf *out)
{
    double    x[BS_EXPLAIN_SEARCHES][BS_SCORE_POINTS], ends[2] = {0, 1}, flat[2];
    char      name[BS_EXPLAIN_SEARCHES][48];
    bs_series series[BS_EXPLAIN_SEARCHES + 1];
    int       n = 0;
    for (int i = 0; i < st->n; i++) {
        const bs_explained_search *s = &st->search[i];
        for (int t = 0; t < s->n; t++)
            x[i][t] = s->step[t];
        ends[1] = fmax(ends[1], x[i][s->n - 1]);
        bs_print(name[i], sizeof name[i], "%s, from %s", s->name, s->start);
        series[n++] =
            (bs_series){.name = name[i], .x = x[i], .y = energy ? s->energy : s->score, .n = s->n};
    }
    flat[0] = flat[1] = st->score;
    if (!energy && st->direct)
        series[n++] = (bs_series){.name = st->direct, .x = ends, .y = flat, .n = 2, .dashed = true};
    bs_chart_draw(
        &(bs_chart){.title = energy ? "Energy" : "Score",
                    .x_name = "steps",
                    .y_name = energy ? "energy" : e->m->task->metric[e->m->known.deciding].name,
                    .series = series,
                    .n = n,
                    .x_lo = 0,
                    .x_hi = ends[1]},
        out);
}

static void step_table(const bs_explanation *e, const bs_explained_steps *st, bs_doc *d)
{
    static const bs_column column[] = {{.name = "search", .text = true},
                                       {.name = "from", .text = true},
                                       {.name = "at 0"},
                                       {.name = "at the end"},
                                       {.name = "steps"},
                                       {.name = "best"},
                                       {.name = "at step"}};
    const bool             higher = e->m->task->metric[e->m->known.deciding].higher;
    bs_doc_table(d, NULL, column, sizeof column / sizeof column[0], 0);
    for (int i = 0; i < st->n; i++) {
        const bs_explained_search *x = &st->search[i];
        int                        best = 0;
        for (int t = 0; t < x->n; t++)
            best = (x->score[t] > x->score[best]) == higher ? t : best;
        BS_ROW(d, bs_cell_name(x->name), bs_cell_text(x->start), bs_cell_number(x->score[0], 4),
               bs_cell_number(x->score[x->n - 1], 4), bs_cell_count(x->step[x->n - 1]),
               bs_cell_number(x->score[best], 4), bs_cell_count(x->step[best]));
    }
    if (st->direct)
        BS_ROW(d, bs_cell_name(st->direct), bs_cell_text(""), bs_cell_number(st->score, 4),
               bs_cell_number(NAN, 0), bs_cell_number(NAN, 0), bs_cell_number(NAN, 0),
               bs_cell_number(NAN, 0));
    bs_doc_table_end(d);
}

static void step_charts(const bs_explanation *e, const bs_explained_steps *st, bs_buf *out)
{
    bs_page_grid_begin(out);
    steps_chart(e, st, false, out);
    steps_chart(e, st, true, out);
    bs_page_grid_end(out);
}

static void steps(const bs_explanation *e, bs_doc *d)
{
    const bs_metric *m = &e->m->task->metric[e->m->known.deciding];
    char             title[96];
    if (e->steps.n == 0 && !e->steps.direct)
        return;
    bs_print(title, sizeof title, "Steps of the search: %s", m->name);
    bs_doc_heading(d, 2, title);
    step_table(e, &e->steps, d);
    if (!d->page || e->steps.n == 0)
        return;
    bs_page_say(d->page, "",
                "What gradient-based inference finds after each step: %s (%s), and the mean energy "
                "of the outputs. %s%s",
                m->name, m->help,
                e->m->has_net ? "The dashed line is the net alone, which needs no search. " : "",
                e->pixels.n > 0
                    ? "As few windows as cover a photo are used here, so that the score "
                      "differs a little from that of basin eval."
                    : "");
    step_charts(e, &e->steps, d->page);
}

/* ---- pixels ---- */

static void pixel_map(const char *title, const double *v, bool diverging, int digits, bs_buf *out)
{
    enum { CELLS = BS_EXPLAIN_SIDE * BS_EXPLAIN_SIDE };
    float       value[CELLS];
    char        text[BS_EXPLAIN_SIDE][8];
    const char *name[BS_EXPLAIN_SIDE];
    for (int i = 0; i < CELLS; i++)
        value[i] = i == CELLS / 2 ? NAN : (float)v[i];
    for (int i = 0; i < BS_EXPLAIN_SIDE; i++) {
        bs_print(text[i], sizeof text[i], "%d", i - BS_EXPLAIN_REACH);
        name[i] = text[i];
    }
    bs_heat_draw(&(bs_heat){.title = title,
                            .rows = BS_EXPLAIN_SIDE,
                            .cols = BS_EXPLAIN_SIDE,
                            .value = value,
                            .row_name = name,
                            .row_title = "pixels down",
                            .col_title = "pixels to the right",
                            .diverging = diverging,
                            .digits = digits},
                 out);
}

static void pixel_page(const bs_explained_pixels *p, const double *own, const double *truth,
                       bs_buf *out)
{
    bs_page_say(out, "",
                "Interaction of a pixel and another one so far away: how much more the energy asks "
                "for the class at the second when the first goes from background to it. The "
                "layers of this energy are linear in pieces, so that second derivatives "
                "are zero nearly everywhere; this difference is what they would sum up to. Beside "
                "it the correlation of true masks at that distance. Mean over %lld pairs.",
                (long long)p->n);
    bs_page_grid_begin(out);
    pixel_map("Interaction, from the energy", p->interaction, true, 5, out);
    pixel_map("Correlation of true masks", p->truth, true, 2, out);
    bs_chart_draw(&(bs_chart){.title = "Interaction by distance",
                              .x_name = "distance in pixels",
                              .y_name = "interaction",
                              .series = &(bs_series){.y = own, .n = BS_EXPLAIN_REACH},
                              .n = 1},
                  out);
    bs_chart_draw(&(bs_chart){.title = "True masks by distance",
                              .x_name = "distance in pixels",
                              .y_name = "correlation",
                              .series = &(bs_series){.y = truth, .n = BS_EXPLAIN_REACH},
                              .n = 1},
                  out);
    bs_page_grid_end(out);
}

static void pixels(const bs_explanation *e, bs_doc *d)
{
    const bs_explained_pixels *p = &e->pixels;
    double                     own[BS_EXPLAIN_REACH], truth[BS_EXPLAIN_REACH];
    if (p->n == 0)
        return;
    bs_explain_rings(p->interaction, own);
    bs_explain_rings(p->truth, truth);
    bs_doc_heading(d, 2, "Pixels that depend on each other");
    if (d->page)
        pixel_page(p, own, truth, d->page);
    for (int i = 0; i < BS_EXPLAIN_REACH && d->text; i++)
        bs_buf_printf(d->text, "  distance %d: interaction %+.3e, correlation of masks %6.3f\n",
                      i + 1, own[i], truth[i]);
}

static void picture(const bs_buf *png, int height, const char *alt, bs_buf *out)
{
    bs_picture_info info;
    if (!png->data || bs_picture_probe(alt, png->data, png->len, NULL, &info, NULL))
        return;
    bs_page_png((const unsigned char *)png->data, png->len, info.width * height / info.height,
                height, alt, out);
}

static void show_image(const bs_explained_image *im, bs_buf *out)
{
    const int height = im->height * 160 / (im->width > im->height ? im->width : im->height);
    bs_page_say(out, "quiet", "%s", im->name);
    bs_buf_text(out, "<div class=\"scroll\"><div class=\"beside\">");
    picture(&im->masks, height, "photo, truth, prediction", out);
    picture(&im->map, height, "what the energy would change", out);
    bs_buf_text(out, "</div></div>\n");
}

static void images(const bs_explanation *e, bs_buf *out)
{
    if (e->images == 0)
        return;
    bs_page_heading(2, "What the energy would change", out);
    bs_page_say(
        out, "",
        "Photo, true mask, prediction%s, and minus the gradient of the energy by the mask at "
        "the prediction: %s.",
        e->names == 2 ? " (green: right, blue: missing, red: too much)" : "",
        e->names == 2 ? "orange where the energy asks for more of the foreground, blue for less"
                      : "the stronger the orange, the more the energy asks for another class");
    for (int i = 0; i < e->images; i++)
        show_image(&e->image[i], out);
}

/* ---- one row ---- */

static bool is_on(const char *text)
{
    return text && strcmp(text, "on") == 0;
}

static void term_row(const bs_explained_term *t, bs_doc *d)
{
    const bool right = t->truth && strcmp(t->truth, t->predicted) == 0;
    const bool plain = !t->truth || (right && strcmp(t->predicted, "off") == 0);
    BS_ROW(d, bs_cell_name(t->name), bs_cell_text(t->truth),
           bs_cell_chip(t->predicted, plain   ? ""
                                      : right ? "right"
                                              : "wrong"),
           bs_cell_number(t->probability, 3), bs_cell_number(t->local, 3),
           bs_cell_number(t->shared, 3), bs_cell_text(t->other),
           bs_cell_as(t->change < 0 ? "better" : "", t->change, 4));
}

static void term_table(const bs_explanation *e, const char *key, bool with_parts, unsigned flags,
                       bs_column column[8], bs_doc *d)
{
    const bool      tag = e->pairs.ordered, pixel = !with_parts && e->pixels.n > 0;
    const char     *group = tag ? "energy" : "energy of having it";
    const unsigned  parts = with_parts ? BS_COLUMN_PAGE : BS_COLUMN_JSON;
    const bs_column all[8] = {
        {.name = pixel ? "pixel"
                 : tag ? "word"
                       : "label",
         .text = true,
         .key = "name"},
        {.name = "truth", .text = true, .key = "truth"},
        {.name = "predicted", .text = true, .key = "predicted"},
        {.name = "probability", .key = "probability"},
        {.name = "local",
         .group = group,
         .help = "from the input, each by itself",
         .first = true,
         .only = parts,
         .key = "local"},
        {.name = tag ? "neighbours" : "other labels",
         .group = group,
         .help = tag ? "of this tag after the one before; the last also of ending there"
                     : "from the term over labels, given the others",
         .only = parts,
         .key = "shared"},
        {.name = "change to", .text = true, .first = true, .key = "other"},
        {.name = "energy", .help = "what the change adds; negative: lower", .key = "change"}};
    memcpy(column, all, sizeof all);
    bs_doc_table(d, key, column, 8, flags);
}

void bs_explain_terms(const bs_explanation *e, const char *key, const bs_explained_term *term,
                      int n, bs_doc *d)
{
    bs_column column[8];
    term_table(e, key, false, 0, column, d);
    for (int i = 0; i < n; i++)
        term_row(&term[i], d);
    bs_doc_table_end(d);
}

/* For label sets those that are predicted or true, and those closest to changing. */
static void terms(const bs_explanation *e, bs_buf *out)
{
    const bs_explained_row *r = &e->row;
    const bool              tag = e->pairs.ordered;
    double                  limit = INFINITY;
    int                     more = 0;
    bs_column               column[8];
    bs_doc                  d = {.page = out};
    for (int i = 0; i < r->n_flips; i++)
        limit = r->flip[i].change;
    if (r->n_terms == 0)
        return;
    bs_page_heading(3, tag ? "Tokens" : "Labels", out);
    term_table(e, NULL, true, BS_TABLE_SORTED, column, &d);
    for (int32_t i = 0; i < r->n_terms; i++) {
        const bs_explained_term *t = &r->term[i];
        const bool               show = tag || is_on(t->truth) || is_on(t->predicted);
        if (show || (t->change <= limit && more++ < SHOWN_TERMS))
            term_row(t, &d);
    }
    bs_doc_table_end(&d);
}

static void flips(const bs_explanation *e, bs_doc *d)
{
    const bs_explained_row *r = &e->row;
    bs_doc_heading(d, 3, "Single changes that lower the energy most");
    bs_explain_terms(e, NULL, r->flip, r->n_flips, d);
    if (r->n_flips > 0 && r->flip[0].change >= 0)
        bs_doc_say(d, "quiet", "No single change lowers the energy%s.",
                   e->pixels.n > 0 ? ", of the 64 that its gradient promises most of" : "");
}

static void row_page(const bs_explanation *e, bs_buf *out)
{
    const bs_explained_row *r = &e->row;
    if (r->text && *r->text)
        bs_page_say(out, "note", "%s", r->text);
    bs_page_list_begin(out);
    bs_page_item(out, "energy of the prediction", "%.4f", r->energy);
    if (!isnan(r->energy_truth))
        bs_page_item(out, "energy of the truth", "%.4f%s", r->energy_truth,
                     r->energy_truth < r->energy   ? ": lower, the prediction missed it"
                     : r->energy_truth > r->energy ? ": higher, the energy itself prefers the "
                                                     "prediction"
                                                   : "");
    bs_page_list_end(out);
    if (e->image[BS_EXPLAIN_IMAGES].width > 0)
        show_image(&e->image[BS_EXPLAIN_IMAGES], out);
    terms(e, out);
}

static void row(const bs_explanation *e, bs_doc *d)
{
    const bs_explained_row *r = &e->row;
    char                    title[64];
    if (r->number == 0)
        return;
    bs_print(title, sizeof title, "%s %d",
             e->pairs.ordered  ? "Sentence"
             : e->pixels.n > 0 ? "Image"
                               : "Row",
             (int)r->number);
    bs_doc_heading(d, 2, title);
    if (d->page)
        row_page(e, d->page);
    if (d->text)
        bs_buf_printf(d->text, "  energy of the prediction %.4f", r->energy);
    if (d->text && !isnan(r->energy_truth))
        bs_buf_printf(d->text, ", of the truth %.4f", r->energy_truth);
    if (d->text)
        bs_buf_text(d->text, "\n");
    flips(e, d);
    if (r->steps.n == 0 || !d->page)
        return;
    bs_page_heading(3, "Way of the search", d->page);
    step_charts(e, &r->steps, d->page);
}

void bs_explain_nets(const bs_explanation *e, bs_doc *d)
{
    static const bs_column column[] = {
        {.name = "truth, and what the net says", .text = true, .key = "truth"},
        {.name = "the cost-augmented net", .text = true, .key = "cost_augmented"},
        {.name = "times", .key = "times"},
    };
    const bs_explained_nets *x = &e->nets;
    bs_doc_table(d, "differences", column, 3, 0);
    for (int i = 0; i < x->pairs; i++)
        BS_ROW(d, bs_cell_name(e->name[x->pair[i].truth]), bs_cell_text(e->name[x->pair[i].cost]),
               bs_cell_count((long long)x->pair[i].times));
    bs_doc_table_end(d);
}

static void nets(const bs_explanation *e, bs_doc *d)
{
    const bs_explained_nets *x = &e->nets;
    if (isnan(x->net))
        return;
    bs_doc_heading(d, 2, "The net and its cost-augmented companion");
    bs_doc_say(d, "note",
               "%s %.2f %% and %.2f %%: a difference of %.2f. Of %lld parts that the net has "
               "right, the other one differs in %lld.",
               e->m->task->metric[e->m->known.deciding].name, 100 * x->net, 100 * x->cost,
               100 * (x->net - x->cost), (long long)x->right, (long long)x->differ);
    bs_explain_nets(e, d);
}

void bs_explain_show(const bs_explanation *e, bs_doc *d)
{
    summary(e, d);
    pairs(e, d);
    if (d->page)
        bends(e, d->page);
    pixels(e, d);
    if (d->page)
        images(e, d->page);
    steps(e, d);
    nets(e, d);
    row(e, d);
    if (d->page)
        bs_page_end(d->page);
}
