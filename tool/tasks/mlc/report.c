/* report.c -- where a model of label sets errs: the threshold, labels, pairs of labels, and the
 * worst rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/mlc/report.h"
#include "base/order.h"
#include "doc/chart.h"
#include "doc/doc.h"
#include "task/mlc/data.h"

enum {
    CUTS = 49,             /* thresholds of the sweep */
    SWEEP_CELLS = 1 << 27, /* scores examined in total, at most */
    MOST_LABELS = 4000,    /* rows of the table of labels */
    PAIRS = 60,            /* rows of the table of pairs */
    MOST_PAIRS = 1 << 22,
    EXAMPLES = 24,
    EXCERPT = 300, /* bytes of their texts */
    WORDS = 14,    /* features shown per example */
};

typedef struct {
    const bs_report_group *g;
    const bs_report_run   *run;
    const bs_rows         *data;
    const bs_threshold    *cut;
    const bs_schema       *schema;
    int32_t                L;
    uint8_t               *gold, *on; /* [L] of the current row */
    int32_t               *list;      /* [L] */
    int32_t               *order;     /* [L] labels, those that lose most first */
    double                *promised;  /* [L] sums of probabilities */
    double                *count;     /* [L] rows that have it */
    double                *f1;        /* [L] room */
    bs_threshold           own;       /* a threshold for each label; none without validation rows */
    bs_doc                *doc;
    bs_buf                *out; /* its page */
} view;

static const float *scores_of(const view *v, int32_t row)
{
    return v->run->y.scores + (size_t)row * (size_t)v->L;
}

/* Truth and decisions of one row as bytes. */
static void look_at(const view *v, int32_t row)
{
    const bs_csr *y = &v->data->y;
    memset(v->gold, 0, (size_t)v->L);
    memset(v->on, 0, (size_t)v->L);
    for (int32_t e = y->start[row]; e < y->start[row + 1]; e++)
        v->gold[y->index[e]] = 1;
    const int32_t n = bs_threshold_apply(v->cut, scores_of(v, row), v->L, v->list);
    for (int32_t i = 0; i < n; i++)
        v->on[v->list[i]] = 1;
}

/* ---- threshold ---- */

static basin_status sweep(const view *v, double *x, double value[3][CUTS], int32_t *rows,
                          basin_error *err)
{
    static const bs_metric_id id[] = {BS_METRIC_example_f1, BS_METRIC_micro_f1, BS_METRIC_macro_f1};
    bs_metric_options         o = {.want = BS_METRIC_BIT(example_f1) | BS_METRIC_BIT(micro_f1) |
                                           BS_METRIC_BIT(macro_f1)};
    const size_t              most = SWEEP_CELLS / CUTS / (size_t)v->L;
    bs_csr                    gold = v->data->y;
    bs_metrics               *m = NULL;
    double                    all[BS_METRIC_COUNT];
    if ((size_t)gold.rows > most)
        gold.rows = most > 1 ? (int32_t)most : 1;
    *rows = gold.rows;
    basin_status s = bs_profile_parse(v->run->settings.train.profile, &o.profile, err);
    if (!s)
        s = bs_metrics_new(&o, v->L, &m, err);
    for (int i = 0; i < CUTS && !s; i++) {
        x[i] = (i + 1.0) / (CUTS + 1);
        bs_threshold t = bs_threshold_fixed((float)x[i]);
        bs_metrics_clear(m);
        s = bs_metrics_add(m, &gold, v->run->y.scores, &t, NULL, err);
        if (!s)
            s = bs_metrics_finish(m, all, err);
        for (int k = 0; k < 3 && !s; k++)
            value[k][i] = 100 * all[id[k]];
    }
    bs_metrics_free(m);
    return s;
}

static basin_status thresholds(const view *v, basin_error *err)
{
    double       x[CUTS], value[3][CUTS];
    int32_t      rows = 0;
    const bool   one = bs_threshold_is_one(v->cut);
    char         tuned[48], text[BS_FIXED_TEXT], kind[BS_THRESHOLD_TEXT];
    basin_status s = sweep(v, x, value, &rows, err);
    if (s)
        return s;
    bs_print(tuned, sizeof tuned, "%s", bs_fixed((double)v->cut->global, 2, text));
    const bs_series series[] = {{.name = "example_f1", .x = x, .y = value[0], .n = CUTS},
                                {.name = "micro_f1", .x = x, .y = value[1], .n = CUTS},
                                {.name = "macro_f1", .x = x, .y = value[2], .n = CUTS}};
    const bs_mark   mark[] = {{.x = (double)v->cut->global, .name = tuned}};
    bs_page_heading(v->g->level, "Threshold", v->out);
    bs_page_say(v->out, "quiet",
                "Scores in percent of the %s rows at every threshold, to see how much depends on "
                "it. The model's own (%s) was chosen on validation rows.%s",
                v->g->part_name, one ? tuned : bs_threshold_text(v->cut, kind),
                rows < v->data->rows ? " Only some of the rows were used." : "");
    bs_chart_draw(&(bs_chart){.series = series,
                              .n = 3,
                              .mark = mark,
                              .marks = one,
                              .x_lo = 0,
                              .x_hi = 1,
                              .width = 640,
                              .height = 300,
                              .x_name = "threshold"},
                  v->out);
    return BASIN_OK;
}

/* ---- calibration ---- */

/* A dot for each of the first labels that occur. */
static basin_status label_dots(const view *v, const double *x, const double *y, bs_chart chart,
                               basin_error *err)
{
    const size_t most = (size_t)v->L + 1;
    double      *at = bs_arena_alloc(v->g->room, 2 * most * sizeof *at);
    const char **name = bs_arena_alloc(v->g->room, most * sizeof *name);
    bs_series    dots = {.name = "label", .x = at, .y = at + most, .label = name, .dots = true};
    if (!at || !name)
        return bs_fail_nomem(err);
    for (int32_t l = 0; l < v->L && dots.n < MOST_LABELS; l++) {
        if (!(v->count[l] > 0))
            continue;
        at[dots.n] = fmax(x[l], 0.1);
        at[most + (size_t)dots.n] = y[l];
        name[dots.n++] = v->schema->label[l];
    }
    chart.series = &dots;
    chart.n = 1;
    chart.log_x = true;
    bs_chart_draw(&chart, v->out);
    return BASIN_OK;
}

static basin_status calibration(const view *v, basin_error *err)
{
    bs_reliability b = {0};
    for (int32_t r = 0; r < v->data->rows; r++) {
        look_at(v, r);
        for (int32_t l = 0; l < v->L; l++)
            bs_reliability_add(&b, (double)scores_of(v, r)[l], v->gold[l]);
    }
    bs_reliability_draw(&b, "labels of rows", v->g->level, v->out);
    basin_status s = label_dots(v, v->promised, v->count,
                                (bs_chart){.title = "labels: promised and true",
                                           .log_y = true,
                                           .diagonal = true,
                                           .x_name = "rows promised: sum of probabilities",
                                           .y_name = "rows that have it",
                                           .height = 330},
                                err);
    bs_page_grid_end(v->out);
    return s;
}

/* ---- labels ---- */

static double cut_of(const bs_threshold *t, int32_t l)
{
    if (bs_threshold_is_one(t))
        return (double)t->global;
    return l < t->labels ? (double)t->per_label[l] : (double)NAN;
}

/* Where F1 is lost: the number of rows with the label, times what its F1 lacks. */
static double lost_of(const bs_label_score *s)
{
    return (double)s->support * (1 - s->f1);
}

static void label_table(const view *v, const bs_label_score *s, const bs_label_score *by_scores)
{
    const unsigned  page = BS_COLUMN_PAGE;
    const bs_column column[] = {
        {.name = "label", .text = true, .key = "label"},
        {.name = "lost", .help = "rows that have it, times what is missing of its F1"},
        {.name = "true", .help = "rows that have it", .key = "true"},
        {.name = "predicted", .help = "rows predicted to have it", .key = "predicted"},
        {.name = "both", .help = "rows where that is right", .key = "both"},
        {.name = "precision %", .key = "precision"},
        {.name = "recall %", .key = "recall"},
        {.name = "F1 %", .key = "f1"},
        {.name = "AP %", .help = "average precision; by scores", .key = "ap"},
        {.name = "promised",
         .help = "sum of probabilities over rows: close to the true number if probabilities are "
                 "reliable",
         .only = page,
         .key = "promised"},
        {.name = "threshold", .help = "the model's threshold", .only = page, .key = "threshold"},
        {.name = "own threshold",
         .help = "what threshold=label chooses on validation rows",
         .only = page,
         .key = "own_threshold"}};
    const int32_t n = v->L < MOST_LABELS ? v->L : MOST_LABELS;
    bs_doc_table(v->doc, "labels", column, 11 + (v->own.labels > 0),
                 BS_TABLE_SORTED | (n > 15 ? BS_TABLE_LONG : 0));
    for (int32_t i = 0; i < n; i++) {
        const int32_t         l = v->order[i];
        const bs_label_score *x = &s[l];
        const bs_cell         cell[] = {
                    bs_cell_name(v->schema->label[l]),    bs_cell_number(lost_of(x), 1),
                    bs_cell_count((long long)x->support), bs_cell_count((long long)(x->tp + x->fp)),
                    bs_cell_count((long long)x->tp),      bs_cell_percent(x->precision),
                    bs_cell_percent(x->recall),           bs_cell_percent(x->f1),
                    bs_cell_percent(by_scores[l].ap),     bs_cell_number(v->promised[l], 1),
                    bs_cell_number(cut_of(v->cut, l), 2), bs_cell_number(cut_of(&v->own, l), 2)};
        bs_doc_row(v->doc, cell, 11 + (v->own.labels > 0));
    }
    bs_doc_table_end(v->doc);
    if (n < v->L)
        bs_page_say(v->out, "quiet", "%d of %d labels, those that lose most.", (int)n, (int)v->L);
}

static basin_status labels(const view *v, const bs_label_score *decided, basin_error *err)
{
    const bs_chart  chart = {.title = "F1 of a label by the rows that have it",
                             .y_lo = 0,
                             .y_hi = 100,
                             .width = 640,
                             .height = 300,
                             .x_name = "rows that have it",
                             .y_name = "F1 %"};
    bs_label_score *by_scores = bs_arena_alloc(v->g->room, (size_t)v->L * sizeof *by_scores);
    basin_status    s = by_scores ? BASIN_OK : bs_fail_nomem(err);
    if (!s)
        s = bs_metrics_labels(bs_measurement_mlc(&v->run->counts[BS_AT_HALF]), by_scores, err);
    if (s)
        return s;
    bs_doc_heading(v->doc, v->g->level, "Labels");
    bs_page_say(v->out, "quiet",
                "At the model's threshold, sorted by lost F1. Click a heading to sort.");
    for (int32_t l = 0; l < v->L; l++)
        v->f1[l] = 100 * decided[l].f1;
    s = label_dots(v, v->count, v->f1, chart, err);
    label_table(v, decided, by_scores);
    return s;
}

/* ---- pairs of labels ---- */

typedef struct {
    uint64_t *pair; /* missed << 32 | wrong */
    size_t    n, cap;
} pairs;

/* Labels that a row misses, each paired with those wrongly predicted there. */
static bool add_pairs(const view *v, int32_t row, pairs *p)
{
    int32_t wrong = 0;
    look_at(v, row);
    for (int32_t l = 0; l < v->L; l++)
        if (v->on[l] && !v->gold[l])
            v->list[wrong++] = l;
    for (int32_t l = 0; l < v->L; l++) {
        if (!v->gold[l] || v->on[l])
            continue;
        if (p->n + (size_t)wrong > MOST_PAIRS)
            return true;
        if (!BS_GROW(p->pair, p->cap, p->n + (size_t)wrong, MOST_PAIRS))
            return false;
        for (int32_t i = 0; i < wrong; i++)
            p->pair[p->n++] = (uint64_t)l << 32 | (uint64_t)v->list[i];
    }
    return true;
}

/* Turns sorted pairs into counts: there are no more of these. */
static size_t count_equal(const pairs *p, bs_ranked *out)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n;) {
        size_t end = i + 1;
        while (end < p->n && p->pair[end] == p->pair[i])
            end++;
        out[n++] = (bs_ranked){(int64_t)p->pair[i], (double)(end - i)};
        i = end;
    }
    return n;
}

static void pair_table(const view *v, const bs_ranked *c, size_t n)
{
    static const bs_column column[] = {
        {.name = "missed", .text = true, .key = "missed"},
        {.name = "predicted instead", .text = true, .key = "predicted"},
        {.name = "rows", .key = "rows"}};
    BS_TABLE(v->doc, "confused", column, BS_TABLE_SORTED | (n > 15 ? BS_TABLE_LONG : 0));
    for (size_t i = 0; i < n && i < PAIRS; i++)
        BS_ROW(v->doc, bs_cell_name(v->schema->label[c[i].which >> 32]),
               bs_cell_text(v->schema->label[c[i].which & UINT32_MAX]),
               bs_cell_count((long long)c[i].weight));
    bs_doc_table_end(v->doc);
}

static basin_status confused(const view *v, basin_error *err)
{
    pairs        p = {0};
    size_t       n = 0;
    basin_status s = BASIN_OK;
    for (int32_t r = 0; r < v->data->rows && !s; r++)
        if (!add_pairs(v, r, &p))
            s = bs_fail_nomem(err);
    bs_ranked *c = s ? NULL : bs_arena_alloc(v->g->room, (p.n + 1) * sizeof *c);
    if (!s && !c)
        s = bs_fail_nomem(err);
    if (!s && p.n > 0) {
        qsort(p.pair, p.n, sizeof *p.pair, bs_by_uint64);
        n = count_equal(&p, c);
        qsort(c, n, sizeof *c, bs_heaviest_first);
    }
    bs_free(p.pair);
    if (s)
        return s;
    bs_doc_heading(v->doc, v->g->level, "Confused labels");
    bs_doc_say(v->doc, "quiet",
               "A label that is missed in the same row where another one is wrong: the most "
               "frequent of %zu such pairs.",
               n);
    if (n > 0)
        pair_table(v, c, n);
    return BASIN_OK;
}

/* ---- examples ---- */

typedef struct {
    int32_t row;
    double  f1, wrong; /* wrong: labels that differ */
} example;

static int worst_first(const void *a, const void *b)
{
    const example *x = a, *y = b;
    if (x->f1 != y->f1)
        return x->f1 < y->f1 ? -1 : 1;
    if (x->wrong != y->wrong)
        return x->wrong > y->wrong ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static example judge(const view *v, int32_t row)
{
    int both = 0, gold = 0, on = 0;
    look_at(v, row);
    for (int32_t l = 0; l < v->L; l++) {
        both += v->gold[l] && v->on[l];
        gold += v->gold[l];
        on += v->on[l];
    }
    return (example){.row = row,
                     .f1 = gold + on > 0 ? 2.0 * both / (gold + on) : 1,
                     .wrong = gold + on - 2.0 * both};
}

static void chips(const view *v, const float *score, bool gold, bool on, const char *kind,
                  bs_buf *out)
{
    char help[64], p[BS_FIXED_TEXT];
    for (int32_t l = 0; l < v->L; l++) {
        if ((v->gold[l] != 0) != gold || (v->on[l] != 0) != on)
            continue;
        bs_print(help, sizeof help, "probability %s", bs_fixed((double)score[l], 3, p));
        bs_page_chip(v->schema->label[l], kind, help, out);
    }
}

/* Nonzero features that have a name, the first few. */
static void features(const view *v, int32_t row, bs_buf *out)
{
    const bs_csr *x = &v->data->x;
    int           n = 0;
    for (int32_t e = x->start[row]; e < x->start[row + 1] && v->schema->feature; e++) {
        if (n++ == WORDS) {
            bs_buf_text(out, " &hellip;");
            break;
        }
        bs_buf_text(out, n > 1 ? ", " : "");
        bs_page_escape(v->schema->feature[x->index[e]].name, out);
        if (x->value && x->value[e] != 1) {
            char text[BS_FIXED_TEXT];
            bs_buf_printf(out, "=%s", bs_short((double)x->value[e], 3, text));
        }
    }
}

static void example_row(const view *v, const example *e, bs_doc *page)
{
    char   name[32];
    bs_buf labels, input;
    bs_buf_init(&labels, 1 << 24);
    bs_buf_init(&input, 1 << 20);
    look_at(v, e->row);
    const int32_t *number = v->data->row_number;
    bs_print(name, sizeof name, "%d", number ? (int)number[e->row] : (int)e->row + 1);
    chips(v, scores_of(v, e->row), true, true, "right", &labels);
    chips(v, scores_of(v, e->row), true, false, "missed", &labels);
    chips(v, scores_of(v, e->row), false, true, "wrong", &labels);
    if (v->data->document) {
        bs_buf text;
        bs_buf_init(&text, 1 << 16);
        bs_excerpt(&v->data->document[e->row], EXCERPT, &text);
        bs_page_escape(text.data ? text.data : "", &input);
        bs_buf_free(&text);
    } else {
        features(v, e->row, &input);
    }
    const bs_cell cell[] = {bs_cell_name(v->data->row_id ? v->data->row_id[e->row] : name),
                            bs_cell_number(100 * e->f1, 1),
                            {.kind = BS_CELL_HTML, .text = labels.data, .as = "wrap"},
                            {.kind = BS_CELL_HTML, .text = input.data, .as = "wrap quiet"}};
    bs_doc_row(page, cell, v->schema->feature ? 4 : 3);
    v->out->failed = v->out->failed || labels.failed || input.failed;
    bs_buf_free(&labels);
    bs_buf_free(&input);
}

static basin_status examples(const view *v, basin_error *err)
{
    static const bs_column column[] = {{.name = "row", .text = true},
                                       {.name = "F1 %"},
                                       {.name = "labels", .text = true},
                                       {.name = "some of the input", .text = true}};
    bs_doc                 page = {.page = v->out};
    example               *e = bs_arena_alloc(v->g->room, ((size_t)v->data->rows + 1) * sizeof *e);
    if (!e)
        return bs_fail_nomem(err);
    for (int32_t r = 0; r < v->data->rows; r++)
        e[r] = judge(v, r);
    qsort(e, (size_t)v->data->rows, sizeof *e, worst_first);
    bs_page_heading(v->g->level, "Worst rows", v->out);
    bs_buf_text(v->out, "<p class=\"quiet\">");
    bs_page_chip("true and found", "right", NULL, v->out);
    bs_page_chip("true, missed", "missed", NULL, v->out);
    bs_page_chip("predicted, wrong", "wrong", NULL, v->out);
    bs_buf_text(v->out, "</p>\n");
    if (v->data->row_number && !v->data->row_id)
        bs_page_say(v->out, "quiet", "Numbers are those of the rows in the data file, from 1.");
    bs_doc_table(&page, NULL, column, v->schema->feature ? 4 : 3, BS_TABLE_SORTED);
    for (int32_t i = 0; i < v->data->rows && i < EXAMPLES && e[i].wrong > 0; i++)
        example_row(v, &e[i], &page);
    bs_doc_table_end(&page);
    return BASIN_OK;
}

/* ---- all of it ---- */

static basin_status own_cuts(const bs_report_group *g, bs_threshold *out, basin_error *err)
{
    const bs_report_run    *run = &g->run[g->shown];
    const bs_train_options *o = &run->settings.train;
    bs_profile_id           profile = BS_PROFILE_SKLEARN;
    *out = (bs_threshold){0};
    if (!g->valid_scores || !bs_threshold_is_one(&run->model->threshold))
        return BASIN_OK;
    basin_status s = bs_profile_parse(o->profile, &profile, err);
    return s ? s
             : bs_threshold_tune_labels(&bs_dataset_mlc(&g->data->part[BS_ROLE_VALID])->y,
                                        g->valid_scores, (int)profile, run->model->threshold.global,
                                        o->threshold_shrink, out, err);
}

static basin_status prepare(view *v, const bs_label_score *decided, basin_error *err)
{
    bs_ranked *list = bs_arena_alloc(v->g->room, ((size_t)v->L + 1) * sizeof *list);
    if (!list)
        return bs_fail_nomem(err);
    for (int32_t l = 0; l < v->L; l++)
        list[l] = (bs_ranked){l, lost_of(&decided[l])};
    qsort(list, (size_t)v->L, sizeof *list, bs_heaviest_first);
    for (int32_t l = 0; l < v->L; l++)
        v->order[l] = (int32_t)list[l].which;
    for (int32_t r = 0; r < v->data->rows; r++)
        for (int32_t l = 0; l < v->L; l++)
            v->promised[l] += (double)scores_of(v, r)[l];
    for (int32_t l = 0; l < v->L; l++)
        v->count[l] = (double)decided[l].support;
    return own_cuts(v->g, &v->own, err);
}

static basin_status sections(const view *v, const bs_label_score *decided, basin_error *err)
{
    basin_status s = labels(v, decided, err);
    if (!s)
        s = thresholds(v, err);
    if (!s)
        s = calibration(v, err);
    if (!s)
        s = bs_report_importance(v->g, v->doc, err);
    if (!s)
        s = bs_report_words(v->g, v->doc, err);
    if (!s)
        s = confused(v, err);
    return s ? s : examples(v, err);
}

static basin_status errors(const bs_report_group *g, bs_doc *d, basin_error *err)
{
    const bs_report_run *run = &g->run[g->shown];
    view                 v = {.g = g,
                              .run = run,
                              .data = bs_dataset_mlc(g->part),
                              .cut = &run->model->threshold,
                              .schema = &bs_preprocess_mlc(&run->model->known)->schema,
                              .L = bs_preprocess_mlc(&run->model->known)->schema.n_labels,
                              .doc = d,
                              .out = d->page};
    const size_t         n = (size_t)v.L + 1;
    bs_label_score      *decided = bs_arena_alloc(g->room, n * sizeof *decided);
    v.gold = bs_arena_alloc(g->room, n);
    v.on = bs_arena_alloc(g->room, n);
    v.list = bs_arena_alloc(g->room, n * sizeof *v.list);
    v.order = bs_arena_alloc(g->room, n * sizeof *v.order);
    v.promised = bs_arena_alloc(g->room, n * sizeof *v.promised);
    v.count = bs_arena_alloc(g->room, n * sizeof *v.count);
    v.f1 = bs_arena_alloc(g->room, n * sizeof *v.f1);
    basin_status s =
        decided && v.gold && v.on && v.list && v.order && v.promised && v.count && v.f1
            ? bs_metrics_labels(bs_measurement_mlc(&run->counts[BS_AT_TUNED]), decided, err)
            : bs_fail_nomem(err);
    if (!s)
        s = prepare(&v, decided, err);
    if (!s)
        s = sections(&v, decided, err);
    bs_threshold_free(&v.own);
    return s;
}

/* ---- what could be done ---- */

/* Labels that the rows have but the model never finds. */
static void advise_missed(const bs_schema *schema, const bs_label_score *s, bs_notes *advice)
{
    int32_t there = 0, missed = 0, first = -1;
    int64_t most = 0;
    for (int32_t l = 0; l < schema->n_labels; l++) {
        there += s[l].support > 0;
        if (s[l].support == 0 || s[l].tp > 0)
            continue;
        missed++;
        if (first < 0 || s[l].support > most) {
            first = l;
            most = s[l].support;
        }
    }
    if (missed > 0)
        bs_notes_add(
            advice, "missed",
            "get more rows of rare labels: %d of %d are never found, the most frequent of them "
            "is %s with %lld rows",
            (int)missed, (int)there, schema->label[first], (long long)most);
}

/* Thresholds per label, chosen on validation rows, and their effect on test rows. */
static basin_status advise_cuts(const bs_report_group *g, bs_notes *advice, basin_error *err)
{
    const bs_report_run    *run = &g->run[g->shown];
    const bs_train_options *o = &run->settings.train;
    const double           *now = run->value[BS_AT_TUNED];
    bs_threshold            own;
    double                  then[BS_MOST_METRICS];
    const int               deciding = run->model->known.deciding;
    bs_counting             how = {.want = BS_METRIC_BIT(macro_f1) | UINT32_C(1) << deciding};
    if (g->valid_scores == run->y.scores) /* chosen on these very rows */
        return BASIN_OK;
    basin_status s = own_cuts(g, &own, err);
    if (s || own.labels == 0)
        return s;
    s = bs_profile_parse(o->profile, &how.profile, err);
    if (!s)
        s = bs_task_measure(g->part, &run->model->known, &run->y, &own, &how, then, err);
    if (!s && then[BS_METRIC_macro_f1] > now[BS_METRIC_macro_f1] + 0.01 &&
        then[deciding] > now[deciding] - 0.005)
        bs_notes_add(
            advice, "cuts",
            "give each label a threshold of its own (--set threshold=label): macro_f1 goes "
            "from %.2f %% to %.2f %%, %s from %.2f %% to %.2f %%",
            100 * now[BS_METRIC_macro_f1], 100 * then[BS_METRIC_macro_f1],
            g->task->metric[deciding].name, 100 * now[deciding], 100 * then[deciding]);
    bs_threshold_free(&own);
    return s;
}

static basin_status advise(const bs_report_group *g, bs_notes *advice, basin_error *err)
{
    const bs_report_run *run = &g->run[g->shown];
    const bs_schema     *schema = &bs_preprocess_mlc(&run->model->known)->schema;
    bs_label_score *row = bs_arena_alloc(g->room, ((size_t)schema->n_labels + 1) * sizeof *row);
    basin_status    s = row ? advise_cuts(g, advice, err) : bs_fail_nomem(err);
    if (!s)
        s = bs_metrics_labels(bs_measurement_mlc(&run->counts[BS_AT_TUNED]), row, err);
    if (!s)
        advise_missed(schema, row, advice);
    return s;
}

static bool is_linear(const bs_train_options *o)
{
    return o->net_layers == 0;
}

const bs_task_report bs_task_report_mlc = {
    .errors = errors,
    .advise = advise,
    .base = {"always the most frequent labels", "a linear model",
             "a linear model of half the rows"},
    .base_note = "; linear: one logistic regression for each label, with epochs chosen on "
                 "validation rows or, where these are measured, on a fifth of the training rows",
    .base_advice = "use less of a net, for %s %s as well: net.layers=0 with method ce is one, and "
                   "more dropout or more rows are what a net would need",
    .is_simple = is_linear,
    .learn = bs_base_learn_mlc,
    .forget = bs_base_forget_mlc,
    .guess = bs_base_guess_mlc,
};
