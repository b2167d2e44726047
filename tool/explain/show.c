/* show.c -- an explanation for people and programs: tables on a terminal, a page with these plus
 * maps, curves and pictures, and all numbers as JSON. */
#include <math.h>
#include <string.h>

#include "explain/explain.h"
#include "doc/heat.h"
#include "data/image/picture.h"

enum {
    ZOOM = 36,     /* labels of maps shown side by side, and of the close-up */
    PAIRS = 20,    /* of a table ... */
    FEW_PAIRS = 8, /* ... and of one on a terminal */
    DIGITS = 6,    /* of numbers in JSON ... */
    SHORT = 4,     /* ... and of those in large matrices */
};

/* ---- numbers ---- */

typedef struct {
    int32_t i, j;
} pair;

/* The pairs with the strongest interaction, positive or negative, among those that occur; returns
 * how many there are. */
static int find_strongest(const bs_explanation *e, bool positive, int most, pair *out)
{
    const bs_explained_pairs *p = &e->pairs;
    const size_t              n = (size_t)p->n;
    const double              sign = positive ? 1 : -1;
    int                       found = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = p->ordered ? 0 : i + 1; j < n; j++) {
            const double v = sign * p->interaction[i * n + j];
            const bool   occur = p->ordered || (p->count[i * n + i] > 0 && p->count[j * n + j] > 0);
            if (!occur || !(v > 0))
                continue;
            int at = found;
            while (at > 0 &&
                   v > sign * p->interaction[(size_t)out[at - 1].i * n + (size_t)out[at - 1].j])
                at--;
            if (at == most)
                continue;
            found += found < most;
            memmove(out + at + 1, out + at, (size_t)(found - 1 - at) * sizeof *out);
            out[at] = (pair){(int32_t)i, (int32_t)j};
        }
    return found;
}

/* Means of a map of pixels over rings, distance 1 to REACH, rounded. */
static void find_rings(const double *v, double out[BS_EXPLAIN_REACH])
{
    double n[BS_EXPLAIN_REACH] = {0};
    memset(out, 0, BS_EXPLAIN_REACH * sizeof *out);
    for (int y = -BS_EXPLAIN_REACH; y <= BS_EXPLAIN_REACH; y++)
        for (int x = -BS_EXPLAIN_REACH; x <= BS_EXPLAIN_REACH; x++) {
            const int    d = (int)(sqrt((double)(x * x + y * y)) + 0.5);
            const double a = v[(y + BS_EXPLAIN_REACH) * BS_EXPLAIN_SIDE + x + BS_EXPLAIN_REACH];
            if (d < 1 || d > BS_EXPLAIN_REACH || !isfinite(a))
                continue;
            out[d - 1] += a;
            n[d - 1] += 1;
        }
    for (int d = 0; d < BS_EXPLAIN_REACH; d++)
        out[d] = n[d] > 0 ? out[d] / n[d] : NAN;
}

static void array(const char *name, const double *v, int n, bs_buf *json)
{
    bs_json_open(json, name, '[');
    for (int i = 0; i < n; i++)
        bs_json_short(json, NULL, DIGITS, v[i]);
    bs_json_close(json, ']');
}

/* Counts stay exact. */
static void matrix(const char *name, const double *v, int rows, int cols, bs_buf *json)
{
    bs_json_open(json, name, '[');
    for (int i = 0; i < rows; i++) {
        bs_json_open(json, NULL, '[');
        for (int j = 0; j < cols; j++) {
            const double x = v[(size_t)i * (size_t)cols + (size_t)j];
            bs_json_short(json, NULL, fabs(x) < 1000 ? SHORT : DIGITS, x);
        }
        bs_json_close(json, ']');
    }
    bs_json_close(json, ']');
}

/* ---- the sentence on top ---- */

/* Numbers of standard deviations from the mean of shuffled labels. */
static const double sure = 3, likely = 2;

static void mean_pairs(const bs_explanation *e, bs_buf *out)
{
    const bs_explained_pairs *p = &e->pairs;
    const bs_agreement       *a = &p->agreement[BS_WITH_COUNT_GIVEN];
    const double              z = a->sd > 0 ? (a->rho - a->mean) / a->sd : 0;
    const char               *what = p->ordered ? "tags follow each other" : "labels go together";
    pair                      best;
    bs_buf_printf(out,
                  z > sure    ? "The energy has learnt which %s in the data"
                  : z < -sure ? "The energy goes against which %s in the data"
                  : z > likely
                      ? "The energy may have learnt which %s in the data, but that is not certain"
                      : "The energy shows no sign of knowing which %s in the data",
                  what);
    bs_buf_printf(out,
                  " (rank correlation %.3f given frequencies; with shuffled %s %.3f, deviation "
                  "%.3f)",
                  a->rho, p->ordered ? "tags" : "labels", a->mean, a->sd);
    if (find_strongest(e, true, 1, &best) > 0)
        bs_buf_printf(out, "; what it rewards most is %s %s %s", e->name[best.i],
                      p->ordered ? "before" : "with", e->name[best.j]);
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
    find_rings(e->pixels.interaction, ring);
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

static void summary(const bs_explanation *e, bs_doc *d)
{
    bs_buf text;
    bs_buf_init(&text, 1 << 20);
    bs_buf_visible(&text, e->model_name);
    bs_buf_printf(&text, ": method %s, %d of %d %s of ", e->m->settings.train.method,
                  (int)e->data.rows, (int)e->all.rows, e->m->task->unit);
    bs_buf_visible(&text, e->data_name);
    bs_page_begin("What the energy learned", text.failed ? NULL : text.data, d->page);
    bs_buf_printf(d->text, "%s, %.1f s\n", text.failed ? "" : text.data, e->seconds);
    bs_json_members(d->json, "task %s method %s model %s data %s n %d looked_at %d seconds %.3f",
                    e->m->task->name, e->m->settings.train.method, e->model_name, e->data_name,
                    e->all.rows, e->data.rows, e->seconds);
    bs_json_texts(d->json, "labels", e->name, e->names);
    bs_buf_clear(&text);
    if (e->pairs.n > 0 && !isnan(e->pairs.agreement[BS_WITH_COUNT_GIVEN].rho))
        mean_pairs(e, &text);
    else if (e->pixels.n > 0)
        mean_pixels(e, &text);
    else
        bs_buf_text(&text, "There is too little data to say what the energy has learnt");
    mean_steps(e, &text);
    bs_buf_text(&text, ".");
    bs_doc_tell(d, "verdict", &text);
    bs_buf_free(&text);
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

static void agreements(const bs_explained_pairs *p, bs_doc *d)
{
    static const bs_column column[] = {
        {.name = "interaction against", .text = true, .key = "against"},
        {.name = "that is", .text = true, .only = BS_COLUMN_PAGE},
        {.name = "rank correlation",
         .help = "Spearman, over pairs of two different ones",
         .key = "spearman"},
        {.name = "shuffled",
         .group = "labels shuffled",
         .first = true,
         .help = "mean",
         .key = "shuffled_mean"},
        {.name = "deviation", .group = "labels shuffled", .key = "shuffled_sd"},
        {.name = "away", .group = "labels shuffled", .help = "in deviations"},
        {.name = "p", .group = "labels shuffled", .help = "share that gives as much", .key = "p"}};
    static const char *const name[] = {"counts", "counts, given frequencies", "information",
                                       "information, pairs alone"};
    const char *const        what[] = {
               p->ordered ? "how often a tag follows" : "rows that have both labels",
        "partial correlation: what frequent labels explain is taken out",
        "log of count over what independence would give",
        p->ordered ? "means of rows and columns of the interaction taken out"
                   : "the mean interaction of each label with all others taken out"};
    BS_TABLE(d, "agreement", column, 0);
    for (int i = 0; i < BS_EXPLAIN_AGREEMENTS; i++) {
        const bs_agreement *a = &p->agreement[i];
        BS_ROW(d, bs_cell_name(name[i]), bs_cell_text(what[i]), bs_cell_number(a->rho, 3),
               bs_cell_number(a->mean, 3), bs_cell_number(a->sd, 3),
               bs_cell_number((a->rho - a->mean) / a->sd, 1), bs_cell_number(a->p, 3));
    }
    bs_doc_table_end(d);
}

static void pair_table(const bs_explanation *e, bool positive, bs_doc *d)
{
    const bs_explained_pairs *p = &e->pairs;
    const bool                tag = p->ordered;
    const char               *both = tag ? NULL : "that have both";
    const bs_column column[] = {{.name = tag ? "tag" : "label", .text = true, .key = "first"},
                                {.name = "", .text = true, .only = BS_COLUMN_TEXT},
                                {.name = tag ? "next tag" : "label", .text = true, .key = "second"},
                                {.name = "interaction", .key = "interaction"},
                                {.name = tag ? "times" : "rows", .help = both, .key = "count"},
                                {.name = "expected", .help = "if independent", .key = "expected"}};
    pair            found[PAIRS];
    const int       n = find_strongest(e, positive, PAIRS, found);
    bs_page_put("<div>", d->page);
    bs_doc_heading(d, 3, positive ? "Rewarded most" : "Punished most");
    d->brief = FEW_PAIRS;
    BS_TABLE(d, positive ? "rewarded" : "punished", column, BS_TABLE_SORTED);
    for (int i = 0; i < n; i++) {
        const size_t at = (size_t)found[i].i * (size_t)p->n + (size_t)found[i].j;
        BS_ROW(d, bs_cell_text(e->name[found[i].i]), bs_cell_text(tag ? ">" : "+"),
               bs_cell_text(e->name[found[i].j]), bs_cell_number(p->interaction[at], 4),
               bs_cell_count((long long)p->count[at]), bs_cell_number(p->expected[at], 1));
    }
    bs_doc_table_end(d);
    d->brief = 0;
    bs_page_put("</div>", d->page);
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
        p->agreement[0].shuffles,
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
    introduce_pairs(p, d->page);
    bs_json_open(d->json, "interaction", '{');
    bs_json_members(d->json, "of %s sign %s places %lld pairs %lld shuffles %d",
                    p->ordered ? "tag j after tag i" : "labels i and j",
                    "-d2E: positive where the energy rewards both", (long long)p->places,
                    (long long)p->agreement[0].pairs, p->agreement[0].shuffles);
    bs_json_bool(d->json, "differences", p->differences);
    agreements(p, d);
    if (isnan(p->agreement[BS_WITH_COUNT].rho))
        bs_doc_say(d, "warn",
                   "All pairs have the same interaction or the same count: there is nothing to "
                   "compare.");
    if (!isnan(p->moves_shared))
        bs_doc_say(d, "note",
                   "How much of the energy that is: the gradient by a label differs from row to "
                   "row by %.4g (standard deviation, mean over labels) in the local part, which "
                   "sees the input alone, and by %.4g in the part over labels.",
                   p->moves_local, p->moves_shared);
    bs_json_members(d->json, "moves_local %.6g moves_labels %.6g", p->moves_local, p->moves_shared);
    if (d->page)
        maps(e, d->page);
    bs_page_grid_begin(d->page);
    pair_table(e, true, d);
    pair_table(e, false, d);
    bs_page_grid_end(d->page);
    matrix("matrix", p->interaction, p->n, p->n, d->json);
    matrix("own", p->own, p->n, p->n, d->json);
    matrix("count", p->count, p->n, p->n, d->json);
    matrix("information", p->information, p->n, p->n, d->json);
    bs_json_close(d->json, '}');
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

static void step_charts(const bs_explanation *e, const bs_explained_steps *st, bs_buf *page)
{
    bs_page_grid_begin(page);
    steps_chart(e, st, false, page);
    steps_chart(e, st, true, page);
    bs_page_grid_end(page);
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
    const bs_cell          none = bs_cell_number(NAN, 0);
    BS_TABLE(d, NULL, column, 0);
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
        BS_ROW(d, bs_cell_name(st->direct), bs_cell_text(""), bs_cell_number(st->score, 4), none,
               none, none, none);
    bs_doc_table_end(d);
}

static void steps_json(const bs_explanation *e, const bs_explained_steps *st, bs_buf *json)
{
    bs_json_open(json, "steps", '{');
    bs_json_text(json, "metric", e->m->task->metric[e->m->known.deciding].name);
    if (st->direct)
        bs_json_short(json, st->direct, DIGITS, st->score);
    for (int i = 0; i < st->n; i++) {
        const bs_explained_search *x = &st->search[i];
        bs_json_open(json, x->name, '{');
        bs_json_text(json, "start", x->start);
        bs_json_open(json, "step", '[');
        for (int t = 0; t < x->n; t++)
            bs_json_int(json, NULL, x->step[t]);
        bs_json_close(json, ']');
        array("score", x->score, x->n, json);
        array("energy", x->energy, x->n, json);
        bs_json_close(json, '}');
    }
    bs_json_close(json, '}');
}

static void steps(const bs_explanation *e, bs_doc *d)
{
    const bs_metric *m = &e->m->task->metric[e->m->known.deciding];
    char             title[96];
    steps_json(e, &e->steps, d->json);
    if (e->steps.n == 0 && !e->steps.direct)
        return;
    bs_print(title, sizeof title, "Steps of the search: %s", m->name);
    bs_doc_heading(d, 2, title);
    step_table(e, &e->steps, d);
    if (e->steps.n == 0)
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

static void ring_chart(const char *title, const char *y_name, const double *y, bs_buf *out)
{
    bs_chart_draw(&(bs_chart){.title = title,
                              .x_name = "distance in pixels",
                              .y_name = y_name,
                              .series = &(bs_series){.y = y, .n = BS_EXPLAIN_REACH},
                              .n = 1},
                  out);
}

static void pixels(const bs_explanation *e, bs_doc *d)
{
    const bs_explained_pixels *p = &e->pixels;
    double                     own[BS_EXPLAIN_REACH], truth[BS_EXPLAIN_REACH];
    if (p->n == 0)
        return;
    find_rings(p->interaction, own);
    find_rings(p->truth, truth);
    bs_doc_heading(d, 2, "Pixels that depend on each other");
    bs_page_say(d->page, "",
                "Interaction of a pixel and another one so far away: how much more the energy asks "
                "for the class at the second when the first goes from background to it. The "
                "layers of this energy are linear in pieces, so that second derivatives "
                "are zero nearly everywhere; this difference is what they would sum up to. Beside "
                "it the correlation of true masks at that distance. Mean over %lld pairs.",
                (long long)p->n);
    bs_page_grid_begin(d->page);
    pixel_map("Interaction, from the energy", p->interaction, true, 5, d->page);
    pixel_map("Correlation of true masks", p->truth, true, 2, d->page);
    ring_chart("Interaction by distance", "interaction", own, d->page);
    ring_chart("True masks by distance", "correlation", truth, d->page);
    bs_page_grid_end(d->page);
    for (int i = 0; i < BS_EXPLAIN_REACH; i++)
        bs_buf_printf(d->text, "  distance %d: interaction %+.3e, correlation of masks %6.3f\n",
                      i + 1, own[i], truth[i]);
    bs_json_open(d->json, "pixels", '{');
    bs_json_members(d->json, "reach %d pairs %lld", BS_EXPLAIN_REACH, (long long)p->n);
    matrix("interaction", p->interaction, BS_EXPLAIN_SIDE, BS_EXPLAIN_SIDE, d->json);
    matrix("masks", p->truth, BS_EXPLAIN_SIDE, BS_EXPLAIN_SIDE, d->json);
    array("interaction_by_distance", own, BS_EXPLAIN_REACH, d->json);
    array("masks_by_distance", truth, BS_EXPLAIN_REACH, d->json);
    bs_json_close(d->json, '}');
}

static void picture(const bs_buf *png, int height, const char *alt, bs_buf *out)
{
    bs_picture_info info;
    if (!png->data || bs_picture_probe(alt, png->data, png->len, NULL, &info, NULL))
        return;
    bs_page_png((const unsigned char *)png->data, png->len, info.width * height / info.height,
                height, alt, out);
}

static void show_image(const char *key, const bs_explained_image *im, bs_doc *d)
{
    const int height = im->height * 160 / (im->width > im->height ? im->width : im->height);
    bs_json_open(d->json, key, '{');
    bs_json_text(d->json, "name", im->name);
    matrix("pull", im->pull, im->height, im->width, d->json);
    bs_json_close(d->json, '}');
    if (!d->page)
        return;
    bs_page_say(d->page, "quiet", "%s", im->name);
    bs_page_put("<div class=\"scroll\"><div class=\"beside\">", d->page);
    picture(&im->masks, height, "photo, truth, prediction", d->page);
    picture(&im->map, height, "what the energy would change", d->page);
    bs_page_put("</div></div>\n", d->page);
}

static void images(const bs_explanation *e, bs_doc *d)
{
    if (e->images == 0)
        return;
    bs_page_heading(2, "What the energy would change", d->page);
    bs_page_say(
        d->page, "",
        "Photo, true mask, prediction%s, and minus the gradient of the energy by the mask at "
        "the prediction: %s.",
        e->names == 2 ? " (green: right, blue: missing, red: too much)" : "",
        e->names == 2 ? "orange where the energy asks for more of the foreground, blue for less"
                      : "the stronger the orange, the more the energy asks for another class");
    bs_json_open(d->json, "images", '[');
    for (int i = 0; i < e->images; i++)
        show_image(NULL, &e->image[i], d);
    bs_json_close(d->json, ']');
}

/* ---- one row ---- */

/* Of label sets a table shows those that are true or likely; JSON has all. */
static bool is_shown(const bs_explanation *e, const bs_explained_term *t)
{
    return e->pairs.ordered || strcmp(t->truth, "on") == 0 || strcmp(t->predicted, "on") == 0 ||
           t->probability >= 0.05;
}

static void term_row(const bs_explained_term *t, bs_doc *d)
{
    const bool right = t->truth && strcmp(t->truth, t->predicted) == 0;
    const bool plain = !t->truth || (right && strcmp(t->predicted, "off") == 0);
    BS_ROW(d, bs_cell_name(t->name), bs_cell_text(t->truth),
           {.kind = BS_CELL_CHIP,
            .text = t->predicted,
            .as = plain   ? ""
                  : right ? "right"
                          : "wrong"},
           bs_cell_number(t->probability, 3), bs_cell_number(t->local, 3),
           bs_cell_number(t->shared, 3));
}

static void terms(const bs_explanation *e, bool all, bs_doc *d)
{
    const bs_explained_row *r = &e->row;
    const bool              tag = e->pairs.ordered;
    const char             *group = tag ? "energy" : "energy of having it";
    const bs_column         column[] = {
                {.name = tag ? "word" : "label", .text = true, .key = "name"},
                {.name = "truth", .text = true, .key = "truth"},
                {.name = "predicted", .text = true, .key = "predicted"},
                {.name = "probability", .key = "probability"},
                {.name = "local",
                 .group = group,
                 .help = "from the input, each by itself",
                 .first = true,
                 .key = "local"},
                {.name = tag ? "neighbours" : "other labels",
                 .group = group,
                 .help = tag ? "of this tag after the one before; the last also of ending there"
                             : "from the term over labels, given the others",
                 .key = "shared"}};
    if (r->n_terms == 0)
        return;
    bs_doc_heading(d, 3, tag ? "Tokens" : "Labels");
    BS_TABLE(d, "terms", column, BS_TABLE_SORTED);
    for (int32_t i = 0; i < r->n_terms; i++)
        if (all || is_shown(e, &r->term[i]))
            term_row(&r->term[i], d);
    bs_doc_table_end(d);
}

static void row(const bs_explanation *e, bs_doc *d)
{
    const bs_explained_row *r = &e->row;
    char                    title[64], truth[96] = "";
    if (r->number == 0)
        return;
    bs_print(title, sizeof title, "%s %d",
             e->pairs.ordered  ? "Sentence"
             : e->pixels.n > 0 ? "Image"
                               : "Row",
             (int)r->number);
    bs_json_open(d->json, "row", '{');
    bs_json_members(d->json, "number %d text %s energy %.6g energy_truth %.6g", r->number, r->text,
                    r->energy, r->energy_truth);
    bs_doc_heading(d, 2, title);
    if (r->text && *r->text)
        bs_page_say(d->page, "note", "%s", r->text);
    if (!isnan(r->energy_truth))
        bs_print(truth, sizeof truth, ", of the truth %.4f%s", r->energy_truth,
                 r->energy_truth < r->energy ? ": lower, the prediction missed it"
                 : r->energy_truth > r->energy
                     ? ": higher, the energy itself prefers the prediction"
                     : "");
    bs_doc_say(d, "", "energy of the prediction %.4f%s", r->energy, truth);
    if (e->image[BS_EXPLAIN_IMAGES].width > 0)
        show_image("image", &e->image[BS_EXPLAIN_IMAGES], d);
    terms(e, false, &(bs_doc){.text = d->text, .page = d->page});
    terms(e, true, &(bs_doc){.json = d->json});
    steps_json(e, &r->steps, d->json);
    bs_json_close(d->json, '}');
    if (r->steps.n == 0)
        return;
    bs_page_heading(3, "Way of the search", d->page);
    step_charts(e, &r->steps, d->page);
}

static void nets(const bs_explanation *e, bs_doc *d)
{
    const char *metric = e->m->task->metric[e->m->known.deciding].name;
    if (isnan(e->net))
        return;
    bs_doc_heading(d, 2, "The net and its cost-augmented companion");
    bs_doc_say(d, "note", "%s %.2f %% and %.2f %%: a difference of %.2f.", metric, 100 * e->net,
               100 * e->cost_net, 100 * (e->net - e->cost_net));
    bs_json_open(d->json, "nets", '{');
    bs_json_members(d->json, "metric %s net %.6g cost_augmented %.6g", metric, e->net, e->cost_net);
    bs_json_close(d->json, '}');
}

void bs_explain_show(const bs_explanation *e, bs_doc *d)
{
    bs_json_open(d->json, NULL, '{');
    summary(e, d);
    pairs(e, d);
    pixels(e, d);
    images(e, d);
    steps(e, d);
    nets(e, d);
    row(e, d);
    bs_page_end(d->page);
    bs_json_close(d->json, '}');
}
